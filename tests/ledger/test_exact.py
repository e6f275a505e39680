from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textveil.errors import InvalidInputError
from textveil.ledger.exact import ceiling, exactly, float_above, float_below, shown, shown_left

DECIMALS = st.decimals(min_value="0.0001", max_value="100", places=4)


@given(st.lists(DECIMALS, min_size=1, max_size=40))
def test_floats_whose_decimals_sum_to_the_ceiling_fit_in_it(decimals):
    limit = ceiling("epsilon", str(sum(decimals)))
    spent = sum((exactly(float(each)) for each in decimals), Fraction(0))
    assert spent <= limit
    assert limit <= Fraction(sum(decimals)) * (1 + Fraction(1, 2**53))


def test_ten_tenths_are_one_and_eleven_are_not():
    assert 10 * exactly(0.1) > 1
    assert 10 * exactly(0.1) <= ceiling("epsilon", 1)
    assert 11 * exactly(0.1) > ceiling("epsilon", 1)
    assert shown(10 * exactly(0.1)) == "1"
    assert shown_left(ceiling("epsilon", 1) - 10 * exactly(0.1), Fraction(1)) == "0"


@given(st.fractions(min_value=0, max_value=10**6))
def test_what_is_printed_is_not_less_than_what_is_spent_nor_more_than_what_is_left(value):
    grain = 1 + Fraction(1, 10**6)
    assert value * (1 - Fraction(1, 2**51)) <= Fraction(shown(value)) <= value * grain
    assert Fraction(shown_left(value, Fraction(0))) <= value


@given(st.fractions(min_value=0, max_value=10**9))
def test_floats_beside_a_number_are_on_the_right_side(value):
    assert Fraction(float_below(value)) <= value <= Fraction(float_above(value))
    assert float_above(exactly(0.1)) == float_below(exactly(0.1)) == 0.1


@pytest.mark.parametrize(
    "value", ["1e-5000", "1e5000", "1e-400", "1e999999999999", "1." + "1" * 5000, 1e-320, Fraction(1, 10**31)]
)
def test_a_ceiling_can_be_kept_and_printed(value):
    with pytest.raises(InvalidInputError, match=r"between 1e-30 and 1e\+30"):
        ceiling("epsilon", value)
    assert ceiling("delta", 0) == 0
    assert ceiling("epsilon", Fraction(1, 10**30)) == Fraction(1, 10**30)


@pytest.mark.parametrize("value", ["nan", "inf", float("nan"), float("inf"), -1, "many", ""])
def test_a_ceiling_is_a_finite_number(value):
    with pytest.raises(InvalidInputError, match="epsilon must be a finite number"):
        ceiling("epsilon", value)
