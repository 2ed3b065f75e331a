//! Plays a trace on any Direct3D 12 runtime.
