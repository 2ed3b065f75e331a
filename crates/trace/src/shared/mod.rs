//! Files that a recorded program and its writer have both mapped.
//!
//! A [`session`] is the folder of these files; each thread of the program has a [`ring`] in it. The algorithms that need an
//! order of memory accesses ([`ring::position`], [`sequence`], [`instants`], [`table`]) are written over [`word::Word`], so
//! that tests run them under `loom`.

mod instants;
#[cfg(test)]
mod loom;
mod page;
pub mod ring;
mod sequence;
pub mod session;
mod table;
mod word;
