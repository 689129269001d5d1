"""The environment that holds every BLAS to one thread; free of numpy, which must come after it."""

STILL = {
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "BLIS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "VECLIB_MAXIMUM_THREADS": "1",
}
"""Each is read once, when the library is loaded: OpenBLAS, MKL, BLIS, OpenMP, Accelerate."""
