from __future__ import annotations

import pytest

from textveil.cli.wording import in_options


@pytest.mark.parametrize(
    ("told", "shown"),
    [
        ("gpus must be at most 0 (got 1)", "--worker-gpus must be at most 0 (got 1)"),
        ("address must be a host:port", "--ray-address must be a host:port"),
        ('use sampler="beta" or a smaller epsilon', "use --sampler beta or a smaller epsilon"),
        ('projection="pca" needs public=, the table', "--projection pca needs --public, the table"),
        ("names its columns (--header, header=True), or (--no-header, header=False)", None),
        (
            "a.txt exists; give overwrite=True (--overwrite) to replace it",
            "a.txt exists; give --overwrite to replace it",
        ),
        ("say which one with --column (column=)", "say which one with --column"),
        ("delta=1e-06 needs a sensitivity", "--delta 1e-06 needs a sensitivity"),
        ("epsilon must be above 0 (got 0.0)", "--epsilon must be above 0 (got 0.0)"),
        ("rescale the vectors or give a larger step=", "rescale the vectors"),
        ("up_to must be at least epsilon, 8 (got 2.0)", "--up-to must be at least epsilon, 8 (got 2.0)"),
        ("drop a line of it, or allow cycles (--allow-cycles)", "drop a line of it, or give --allow-cycles"),
        ("the share of unchanged words must be below 1", "--unchanged must be below 1"),
        ("a.csv, line 3: target must stay as it is", "a.csv, line 3: target must stay as it is"),
    ],
)
def test_parameters_become_options(told, shown):
    assert in_options(told) == (shown or "names its columns (--header), or (--no-header)")
