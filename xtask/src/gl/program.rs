//! The OpenGL programs, as `programs/gl/table.toml` lists them.

use anyhow::{Context, Result};
use reprise_testing::artifact;
use std::path::PathBuf;
use std::time::Duration;
use toml::Value;

/// A part of the table.
#[derive(Clone, Copy)]
pub(super) enum Section {
    /// What is compared.
    Programs,
    /// What is measured.
    Speeds,
}

/// What tells whether a program draws the same on both.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Look {
    /// A person: what is shown moves with the clock.
    Eye,
    /// The screen, which stands still: at most so many pixels in a thousand are apart.
    Still(u64),
    /// A file that the program writes, in the same way.
    File(String, u64),
}

/// A program.
#[derive(Clone, Debug)]
pub(super) struct Program {
    pub(super) name: String,
    /// Debian's, divided by spaces.
    pub(super) packages: String,
    /// The program and its arguments, in which `INPUTS` and `OUT` are the folders of its inputs and of the run.
    pub(super) command: Vec<String>,
    pub(super) environment: Vec<(String, String)>,
    /// What it draws that others do not.
    pub(super) draws: String,
    pub(super) look: Look,
    /// So long after it has shown something, its picture is taken and it is ended, unless it ends by itself.
    pub(super) seconds: Duration,
    /// Captured until so many frames.
    pub(super) frames: u64,
    /// What is known not to be as it must: the step (`bare`, `ours`, `picture`, `captured`, `replayed`) and why.
    pub(super) known: Option<(String, String)>,
}

/// Of pixels that stand still, so many in a thousand may be apart where the table says no other number.
const PER_MILLE: u64 = 2;

/// Where the programs' inputs are, and the table.
pub(super) fn inputs() -> PathBuf {
    artifact::workspace().join("programs/gl")
}

/// Reads a part of the table.
pub(super) fn read(section: Section) -> Result<Vec<Program>> {
    let path = inputs().join("table.toml");
    let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    parse(&text, section).with_context(|| path.display().to_string())
}

fn parse(text: &str, section: Section) -> Result<Vec<Program>> {
    let table: toml::Table = text.parse()?;
    let name = match section {
        Section::Programs => "programs",
        Section::Speeds => "speeds",
    };
    let programs = table.get(name).and_then(Value::as_table).with_context(|| format!("there is no [{name}]"))?;
    programs.iter().map(|(name, fields)| program(name, fields).with_context(|| name.clone())).collect()
}

fn program(name: &str, fields: &Value) -> Result<Program> {
    let text = |field: &str| fields.get(field).and_then(Value::as_str).map(str::to_owned);
    let number =
        |field: &str| fields.get(field).and_then(Value::as_integer).and_then(|value| u64::try_from(value).ok());
    let command = text("command").context("no command")?;
    let environment = text("environment").unwrap_or_default();
    let pairs = environment.split_whitespace().map(|pair| {
        let (name, value) = pair.split_once('=').with_context(|| format!("{pair:?} is no NAME=VALUE"))?;
        Ok((name.to_owned(), value.to_owned()))
    });
    let apart = number("apart").unwrap_or(PER_MILLE);
    let look = match text("look").as_deref() {
        None | Some("eye") => Look::Eye,
        Some("still") => Look::Still(apart),
        Some(file) => Look::File(file.to_owned(), apart),
    };
    let known = text("known").map(|known| {
        let (step, why) = known.split_once(": ").context("known is STEP: WHY")?;
        Ok::<_, anyhow::Error>((step.to_owned(), why.to_owned()))
    });
    Ok(Program {
        name: name.to_owned(),
        packages: text("package").context("no package")?,
        command: command.split_whitespace().map(str::to_owned).collect(),
        environment: pairs.collect::<Result<_>>()?,
        draws: text("draws").unwrap_or_default(),
        look,
        seconds: Duration::from_secs(number("seconds").unwrap_or(10)),
        frames: number("frames").unwrap_or(30),
        known: known.transpose()?,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn each_line_is_a_program() {
        let text = "[programs]\na = { package = 'a b', command = 'a  -o OUT/x.png', environment = 'A=1 B=', look = 'x.png', \
                    apart = 7, known = 'ours: no: such' }\nb = { package = 'b', command = 'b', seconds = 3, look = 'still' }\n[speeds]\n";
        let programs = parse(text, Section::Programs).unwrap();
        let (a, b) = (&programs[0], &programs[1]);
        assert_eq!((a.name.as_str(), a.packages.as_str()), ("a", "a b"));
        assert_eq!(a.command, ["a", "-o", "OUT/x.png"]);
        assert_eq!(a.environment, [("A".into(), "1".into()), ("B".into(), String::new())]);
        assert_eq!(a.look, Look::File("x.png".into(), 7));
        assert_eq!(a.known, Some(("ours".into(), "no: such".into())));
        assert_eq!((b.look.clone(), b.seconds.as_secs()), (Look::Still(PER_MILLE), 3));
        assert!(parse(text, Section::Speeds).unwrap().is_empty());
        assert!(parse("[programs]\na = { package = 'a' }", Section::Programs).is_err());
        assert!(!read(Section::Programs).unwrap().is_empty() && !read(Section::Speeds).unwrap().is_empty());
    }
}
