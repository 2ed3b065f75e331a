//! `cargo xtask gl`: real OpenGL programs on Mesa's Direct3D 12 driver on our runtime, beside Mesa's own rasteriser, as a table.
//!
//! Invariant: ends with an exit code other than 0 when a program does not run on our runtime as on Mesa's rasteriser, a picture that stands
//! still is another one, a trace does not play with the bytes that the program read back, or nothing would notice if it did not. What
//! `programs/gl/table.toml` says is known must be so.

mod memory;
mod program;
mod run;
mod speed;
mod table;

use crate::{cargo, setup};
use anyhow::{Context, Result, bail, ensure};
use program::Section;
use reprise_testing::artifact;
use run::Runs;
use std::path::PathBuf;
use std::time::Duration;
use table::Table;

struct Options {
    /// All if empty.
    programs: Vec<String>,
    seconds: Option<u64>,
    frames: Option<u64>,
    json: Option<PathBuf>,
    /// With programs that are built already.
    build: Option<PathBuf>,
    /// Measure instead: so many rounds.
    rounds: Option<usize>,
}

/// Runs the task.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let options = Options::parse(arguments)?;
    let section = if options.rounds.is_some() { Section::Speeds } else { Section::Programs };
    let mut programs = program::read(section)?;
    programs.retain(|program| options.programs.is_empty() || options.programs.contains(&program.name));
    ensure!(!programs.is_empty(), "there is no such program");
    for program in &mut programs {
        program.seconds = options.seconds.map_or(program.seconds, Duration::from_secs);
        program.frames = options.frames.unwrap_or(program.frames);
    }
    setup::prepare(setup::For::Run)?;
    let packages: Vec<&str> = programs.iter().flat_map(|program| program.packages.split(' ')).collect();
    setup::prepare_named(&packages)?;
    let folder = artifact::workspace().join("target/gl");
    let built = ["reprise", "reprise-capture", "reprise-runtime-library"];
    if let Some(rounds) = options.rounds {
        let built = options.build.map_or_else(|| cargo::release("gl", &built), Ok)?;
        let runs = Runs::new(built, folder);
        return speed::measure(&runs, &programs, rounds);
    }
    let built = options.build.map_or_else(|| cargo::build("gl", &built), Ok)?;
    let runs = Runs::new(built, folder);
    let mut table = Table::default();
    for program in &programs {
        println!("gl: {}: {}", program.name, program.draws);
        let row = runs.one(program)?;
        println!("{}", row.lines());
        table.add(row);
    }
    println!("\n{table}");
    let json = options.json.unwrap_or_else(|| runs.folder.join("table.json"));
    let text = serde_json::to_string_pretty(&table.json())?;
    std::fs::write(&json, text + "\n").with_context(|| json.display().to_string())?;
    println!("gl: pictures are in {}, the table is in {}, too", runs.folder.display(), json.display());
    ensure!(table.wrong() == 0, "{} of the programs are not as they must be", table.wrong());
    Ok(())
}

impl Options {
    fn parse(arguments: &[String]) -> Result<Self> {
        let mut options =
            Self { programs: Vec::new(), seconds: None, frames: None, json: None, build: None, rounds: None };
        let mut rest = arguments.iter().peekable();
        while let Some(option) = rest.next() {
            if option == "--speed" {
                options.rounds = Some(options.rounds.unwrap_or(speed::ROUNDS));
                continue;
            }
            let value = rest.next().with_context(|| format!("{option} needs a value"))?;
            let number = || value.parse::<u64>().with_context(|| format!("{option} {value}: no number"));
            match option.as_str() {
                "--only" => options.programs.push(value.clone()),
                "--seconds" => options.seconds = Some(number()?),
                "--frames" => options.frames = Some(number()?),
                "--build" => options.build = Some(std::path::absolute(value)?),
                "--json" => options.json = Some(value.into()),
                "--rounds" => options.rounds = Some(number()? as usize),
                _ => bail!(
                    "gl takes --only NAME, --seconds N, --frames N, --json FILE, --build FOLDER, and --speed with --rounds N (got {option:?})"
                ),
            }
        }
        Ok(options)
    }
}
