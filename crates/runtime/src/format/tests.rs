//! The table against the model's list of formats.
