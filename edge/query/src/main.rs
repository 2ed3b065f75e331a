//! The program `reprise-query`, called as `reprise query`: it answers SQL from traces.
//!
//! [`command`] opens the traces ([`source`]) and gives the question to DataFusion. DataFusion asks a [`provider`] for columns of a table, within
//! [`bounds`]. The provider has the [`table`] read its rows, part by part, into a [`sink`], which makes batches. [`output`] writes the answer.
//!
//! Invariants: no trace is trusted. Damage does not end an answer: the sound rest is answered, standard error names the damage, and the exit
//! code says that there is some. No table holds all rows of a trace: a reader is at most a few batches ahead of the engine.

mod bounds;
mod command;
mod enters;
mod exit;
mod grouping;
mod lines;
mod message;
mod names;
mod output;
mod provider;
mod refused;
mod sink;
mod source;
mod table;

fn main() -> std::process::ExitCode {
    let arguments = <command::Arguments as clap::Parser>::parse();
    exit::finish(command::run(&arguments))
}
