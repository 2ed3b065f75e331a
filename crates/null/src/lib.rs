//! A Direct3D 12 runtime that does nothing but log, for tests and cost floors.
