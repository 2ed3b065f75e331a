//! Root signatures read back for programs.
