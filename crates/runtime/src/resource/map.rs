//! The CPU and resources: mapping, and texels read and written through it.
