//! The program `reprise-query`, called as `reprise query`: it answers SQL from traces.
//!
//! The way of a question through it: [`command`] opens the traces ([`source`]) and gives the text to DataFusion, which asks a
//! [`provider`] for the columns and bounds that it needs; the provider has a [`table`] read them, part by part, into a [`sink`]
//! that sends batches; [`output`] writes what comes out.
//!
//! Invariants: a trace is never trusted, and damage never ends an answer: what is sound is answered, the damage is named on
//! standard error, and the exit code says so. No table holds all rows of a trace: batches are read when the ones before are taken.

mod bounds;
mod command;
mod exit;
mod lines;
mod message;
mod output;
mod provider;
mod sink;
mod source;
mod table;

fn main() -> std::process::ExitCode {
    let arguments = <command::Arguments as clap::Parser>::parse();
    exit::finish(command::run(&arguments))
}
