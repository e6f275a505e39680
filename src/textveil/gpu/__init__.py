"""The same computations on a GPU, by torch and Triton: the same noise from the same key, the same exact answers.

Everything here takes a torch device. On the device "cpu" plain torch runs the same steps, which is how they are
tested; the kernels of Triton replace some of the steps on CUDA devices. See docs/scale.md.
"""
