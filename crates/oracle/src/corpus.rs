//! Shaders that are kept compiled, so that they can be run where no compiler is.
//!
//! Invariant: the list has the hash of each program's text, so that blobs of programs that the generator does not make any more are
//! told from those of programs that it makes.

use crate::compiler::Task;
use crate::form::Form;
use crate::generate::generate;
use crate::hlsl::hlsl;
use crate::program::Program;
use anyhow::{Context, Result, ensure};
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;

/// Where it lies in the workspace.
pub const FOLDER: &str = "crates/oracle/corpus";
const LIST: &str = "seeds.txt";

/// The programs of a corpus.
///
/// # Errors
/// When the list is not one, or the generator makes another program of a seed than it did.
pub fn read(folder: &Path) -> Result<Vec<Program>> {
    let text = std::fs::read_to_string(folder.join(LIST)).context("cannot read the list of seeds")?;
    text.lines().map(parse).collect()
}

fn parse(line: &str) -> Result<Program> {
    let (seed, hash) = line.split_once(' ').with_context(|| format!("{line:?} is not SEED HASH"))?;
    let program = generate(seed.parse()?);
    ensure!(
        hash == hash_of(&program),
        "the generator makes another program of seed {seed} than the corpus has: cargo xtask oracle --corpus makes it anew"
    );
    Ok(program)
}

/// Writes the list.
///
/// # Errors
/// When it cannot be written.
pub fn write_list(folder: &Path, programs: &[Program]) -> Result<()> {
    let lines: Vec<String> =
        programs.iter().map(|program| format!("{} {}\n", program.seed, hash_of(program))).collect();
    std::fs::write(folder.join(LIST), lines.concat()).context("cannot write the list of seeds")
}

fn hash_of(program: &Program) -> String {
    format!("{:016x}", xxh3_64(hlsl(program).as_bytes()))
}

/// Each program in each form, and where it is.
pub fn tasks<'a>(folder: &Path, programs: &'a [Program]) -> Vec<Task<'a>> {
    let of = |program: &'a Program| Form::of(program).map(move |form| (program, form));
    let task = |(program, form): (&'a Program, Form)| {
        let blob = folder.join(format!("{}.{form}", program.seed));
        Task { program, form, blob }
    };
    programs.iter().flat_map(of).map(task).collect()
}
