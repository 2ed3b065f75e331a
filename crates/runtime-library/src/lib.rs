//! The runtime as a shared library: exports the functions of `reprise_runtime::entry` in the native convention.
