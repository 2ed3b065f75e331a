//! How a program's end is told to its writer, which sees only that it is gone.

/// The byte on the writer's standard input that says that the program ended well.
pub(crate) const ENDED_WELL: u8 = b'+';
