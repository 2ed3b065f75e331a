//! What a recorded program and its writer share: files that both have mapped.
//!
//! A [`session`] is the folder of these files; each thread of the program has a [`ring`] in it.

pub mod ring;
pub mod session;
