"""Tensors in, tensors out."""

from __future__ import annotations

import numpy as np
import pytest

import textveil as tv

torch = pytest.importorskip("torch")

MECHANISMS = {
    "Laplace": tv.Laplace(epsilon=1.0, dimension=3),
    "Gaussian": tv.Gaussian(epsilon=1.0, delta=1e-5, sensitivity=1.0, dimension=3),
    "Mahalanobis": tv.Mahalanobis(np.diag([1.0, 2.0, 3.0]), epsilon=1.0),
}


@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize("kind", [torch.float64, torch.float32, torch.float16, torch.bfloat16], ids=str)
def test_a_tensor_keeps_its_kind(name, kind):
    mechanism = MECHANISMS[name]
    many = mechanism.release(torch.ones(4, 3, dtype=kind))
    assert (many.dtype, many.shape) == (kind, (4, 3))
    assert mechanism.release(torch.ones(3, dtype=kind)).shape == (3,)
    assert mechanism.release(torch.ones(0, 3, dtype=kind)).shape == (0, 3)


@pytest.mark.parametrize("name", MECHANISMS)
def test_whole_numbers_become_float64(name):
    assert MECHANISMS[name].release(torch.ones(2, 3, dtype=torch.int32)).dtype == torch.float64


@pytest.mark.parametrize("name", MECHANISMS)
def test_tensors_in_any_layout_get_the_noise_of_their_values(name):
    mechanism = MECHANISMS[name]
    values = torch.arange(12, dtype=torch.float32).reshape(3, 4)
    released = [
        mechanism.release(tensor, source=tv.RandomSource.keyed(bytes(32))) for tensor in (values.T, values.T.clone())
    ]
    assert torch.equal(*released)
    plain = mechanism.release(values.T.numpy(), source=tv.RandomSource.keyed(bytes(32)))
    assert np.array_equal(released[0].numpy(), plain)


@pytest.mark.parametrize("name", MECHANISMS)
def test_a_release_carries_no_gradient_back_to_the_private_values(name):
    private = torch.ones(2, 3, requires_grad=True)
    released = MECHANISMS[name].release(private)
    assert not released.requires_grad
    assert released.grad_fn is None
    assert released.data_ptr() != private.data_ptr()


@pytest.mark.parametrize("kind", [torch.bool, torch.complex64], ids=str)
def test_other_kinds_are_refused(kind):
    with pytest.raises(tv.InvalidInputError, match="vectors must be numbers"):
        MECHANISMS["Laplace"].release(torch.ones(3, dtype=kind))


def test_sparse_input_is_refused_with_the_remedy():
    sparse = pytest.importorskip("scipy.sparse")
    for values in (sparse.csr_array(np.eye(3)), torch.eye(3).to_sparse()):
        with pytest.raises(tv.InvalidInputError, match=r"must be dense here \(got a sparse matrix\).*PrivEmb"):
            MECHANISMS["Laplace"].release(values)
