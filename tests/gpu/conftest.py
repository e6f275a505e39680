"""What every test here looks at: Triton launches on the current device, which must be that of the tensors."""

import numpy as np
import pytest


def table(seed, count, dimension):
    """Lattice points of different sizes, in float32."""
    generator = np.random.default_rng(seed)
    points = generator.standard_normal((count, dimension)) * generator.gamma(3.0, 0.3, size=(count, 1))
    return (np.rint(points * 2**20) / 2**20).astype(np.float32)


@pytest.fixture(autouse=True)
def _launched_where_the_tensors_are(monkeypatch):
    try:
        import torch
        from triton.runtime.jit import KernelInterface
    except ImportError:
        return
    chosen = []
    choose, launch = torch.cuda.device_of, KernelInterface.__getitem__

    class Chosen(choose):
        def __init__(self, tensor):
            super().__init__(tensor)
            self.own = tensor.device

        def __enter__(self):
            chosen.append(self.own)
            super().__enter__()

        def __exit__(self, *reason):
            chosen.pop()
            return super().__exit__(*reason)

    def checked(kernel, grid):
        start = launch(kernel, grid)

        def launched(*arguments, **options):
            tensors = [value.device for value in arguments if isinstance(value, torch.Tensor)]
            assert chosen, "launched on whatever device is the current one"
            assert set(tensors) == {chosen[-1]}
            return start(*arguments, **options)

        return launched

    monkeypatch.setattr(torch.cuda, "device_of", Chosen)
    monkeypatch.setattr(KernelInterface, "__getitem__", checked)
