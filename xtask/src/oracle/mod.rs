//! `cargo xtask oracle`: generated compute shaders, compiled by both compilers, run on our runtime, and compared with what the
//! processor makes of them ([`reprise_oracle`]).
//!
//! Invariant: the task fails where a shader's result differs in any form, where a pipeline cannot be made, and where a compiler took
//! none of the shaders; what a compiler refuses is counted.

mod options;
mod tally;

use anyhow::{Result, ensure};
use options::Options;
use reprise_oracle::{
    Compiler, Form, Machine, Outcome, Program, Task, compare, corpus, generate, generate_narrow, hlsl, interpret,
    reduce,
};
use reprise_testing::artifact;
use tally::Tally;

/// Programs whose shaders one process of a compiler compiles, and one of ours runs.
const BATCH: usize = 25;

/// Runs the task.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let options = Options::parse(arguments)?;
    let laboratory = Laboratory::new(&options)?;
    if options.corpus {
        return laboratory.corpus(options.seed, options.shaders);
    }
    let mut tally = Tally::default();
    let generate = if options.narrow { generate_narrow } else { generate };
    let end = options.seed + options.shaders as u64;
    for first in (options.seed..end).step_by(BATCH) {
        let programs: Vec<Program> = (first..end.min(first + BATCH as u64)).map(generate).collect();
        laboratory.try_all(&programs, &options, &mut tally)?;
        println!("oracle: seeds {first} to {}: {tally}", programs[programs.len() - 1].seed);
    }
    tally.verdict()
}

/// What shaders are tried with.
struct Laboratory {
    compiler: Compiler,
    machine: Machine,
    folder: tempfile::TempDir,
}

impl Laboratory {
    fn new(options: &Options) -> Result<Self> {
        let library = match &options.library {
            Some(library) => library.clone(),
            None => artifact::runtime_library()?,
        };
        let machine = Machine { programs: artifact::programs()?, library, under: Vec::new() };
        Ok(Self { compiler: Compiler { command: options.compiler.clone() }, machine, folder: tempfile::tempdir()? })
    }

    fn try_all(&self, programs: &[Program], options: &Options, tally: &mut Tally) -> Result<()> {
        let pairs =
            programs.iter().flat_map(|program| Form::of(program).map(move |form| (program, form))).collect::<Vec<_>>();
        for ((program, form), outcome) in pairs.iter().zip(self.outcomes(&pairs)?) {
            let found = self.found(program, &outcome);
            tally.count(*form, &outcome, found.is_some());
            let Some(found) = found else { continue };
            println!("oracle: seed {}, {form}: {found}", program.seed);
            if tally.findings() <= options.reduce {
                let small = reduce(program, |candidates| self.still_wrong(candidates, *form))?;
                self.describe(&small, *form)?;
            }
        }
        Ok(())
    }

    /// Compiles and runs.
    fn outcomes(&self, pairs: &[(&Program, Form)]) -> Result<Vec<Outcome>> {
        let folder = tempfile::tempdir_in(&self.folder)?;
        let blob = |number: usize, form: Form| folder.path().join(format!("{number}.{}", form.compiler));
        let tasks: Vec<Task<'_>> = pairs
            .iter()
            .enumerate()
            .map(|(number, (program, form))| Task { program, form: *form, blob: blob(number, *form) })
            .collect();
        self.compiler.compile(folder.path(), &tasks)?;
        self.machine.run(folder.path(), &tasks)
    }

    /// What is wrong with an outcome.
    fn found(&self, program: &Program, outcome: &Outcome) -> Option<String> {
        match outcome {
            Outcome::NotCompiled(_) => None,
            Outcome::NotRun(reason) => Some(reason.clone()),
            Outcome::Words(words) => match interpret(program, None) {
                Ok(expected) => compare(&expected, words).map(|difference| difference.to_string()),
                Err(undefined) => Some(format!("it has no result: {undefined:?}")),
            },
        }
    }

    fn still_wrong(&self, candidates: &[Program], form: Form) -> Result<Vec<bool>> {
        let pairs: Vec<(&Program, Form)> = candidates.iter().map(|program| (program, form)).collect();
        let outcomes = self.outcomes(&pairs)?;
        Ok(candidates.iter().zip(&outcomes).map(|(program, outcome)| self.found(program, outcome).is_some()).collect())
    }

    /// A small program, and what all forms make of it.
    fn describe(&self, program: &Program, wrong: Form) -> Result<()> {
        println!("--- seed {}, reduced while {wrong} differs:\n{}", program.seed, hlsl(program));
        let pairs: Vec<(&Program, Form)> = Form::of(program).map(|form| (program, form)).collect();
        for ((_, form), outcome) in pairs.iter().zip(self.outcomes(&pairs)?) {
            let found = match &outcome {
                Outcome::NotCompiled(said) => format!("does not compile: {said}"),
                outcome => self.found(program, outcome).unwrap_or_else(|| "right".to_owned()),
            };
            println!("{form}: {found}");
        }
        println!("---");
        Ok(())
    }

    /// Makes the corpus of `crates/oracle` anew, of those that both compilers take.
    fn corpus(&self, first: u64, count: usize) -> Result<()> {
        let folder = artifact::workspace().join(corpus::FOLDER);
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder)?;
        let mut programs: Vec<Program> = (first..first + count as u64).map(generate).collect();
        let texts = tempfile::tempdir_in(&self.folder)?;
        self.compiler.compile(texts.path(), &corpus::tasks(&folder, &programs))?;
        programs.retain(|program| {
            let blobs = corpus::tasks(&folder, std::slice::from_ref(program));
            let whole = blobs.iter().all(|task| task.blob.exists());
            if !whole {
                blobs.iter().for_each(|task| task.discard());
            }
            whole
        });
        ensure!(!programs.is_empty(), "none of the shaders compiles in all forms");
        corpus::write_list(&folder, &programs)
    }
}
