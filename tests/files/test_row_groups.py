import pyarrow as pa
import pytest

from textveil.errors import InvalidInputError
from textveil.files.row_groups import RowGroups


def dictionary(indices, *, ordered):
    numbers, values = pa.array(indices, pa.int32()), pa.array(["a", "bbb"])
    return pa.DictionaryArray.from_arrays(numbers, values, safe=False, ordered=ordered)


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("wrong", [-1, 2, 2**31 - 1])
def test_values_that_are_not_in_their_dictionary_are_refused(wrong, ordered):
    """Who reads such a file, and trusts it, would read outside of the dictionary."""
    piece = pa.record_batch({"kept": dictionary([0, wrong, 1], ordered=ordered)})
    with pytest.raises(InvalidInputError, match="not in its dictionary"):
        list(RowGroups(100).add(piece))


@pytest.mark.parametrize("ordered", [False, True])
def test_values_of_a_dictionary_count_by_their_own_lengths(ordered):
    """A row has 8 bytes and those of its value: 9 or 11, and 8 where there is none."""
    piece = pa.record_batch({"kept": dictionary([0, 1, None, 1, 0, None, None], ordered=ordered)})
    groups = RowGroups(20)
    sizes = [group.num_rows for group in [*groups.add(piece), *groups.rest()]]
    assert sizes == [2, 3, 2]
