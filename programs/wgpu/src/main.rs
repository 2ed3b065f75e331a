//! Programs on wgpu's Direct3D 12 backend, for Windows: what they ask of Direct3D 12 is a library's own way, not ours.
//!
//! Each checks its result against the processor's and prints one line, `NAME HASH`; a run under capture prints the same line.
//! Invariants: no time and no randomness; what reaches the hash is exact on every driver (integers, colours that UNORM holds
//! exactly, edges between pixels).

mod compute;
mod digest;
mod gpu;
mod picture;
mod render;
mod threads;
mod window;

use anyhow::{Result, bail};
use digest::Digest;
#[cfg(windows)]
use reprise_windows_start as _;
use std::process::ExitCode;

const USAGE: &str =
    "usage: reprise-wgpu-programs compute | render | threads | window [FRAMES] | window-latency [FRAMES]";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&words) {
        Ok((name, digest)) => {
            println!("{name} {digest}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("reprise-wgpu-programs: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run<'a>(words: &[&'a str]) -> Result<(&'a str, Digest)> {
    let (name, digest) = match *words {
        [name @ "compute"] => (name, compute::run()?),
        [name @ "render"] => (name, render::run()?),
        [name @ "threads"] => (name, threads::run()?),
        [name @ "window"] => (name, window::run(window::FRAMES, window::Latency::Ignored)?),
        [name @ "window", frames] => (name, window::run(frames.parse()?, window::Latency::Ignored)?),
        [name @ "window-latency"] => (name, window::run(window::FRAMES, window::Latency::Awaited)?),
        [name @ "window-latency", frames] => (name, window::run(frames.parse()?, window::Latency::Awaited)?),
        _ => bail!(USAGE),
    };
    Ok((name, digest))
}
