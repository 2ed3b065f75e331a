//! `cargo xtask golden NAME [--build FOLDER] [--without TRACE]...`: records the golden traces anew, into
//! `crates/cli/tests/golden/NAME`.
//!
//! Golden traces show that traces age well: every later build reads and replays what this build records now
//! (`crates/cli/tests/golden`). So nothing that is recorded is ever recorded again under the same name.
//!
//! Invariant: the folder is new. A trace and what it must say are made together, by the build that records.

mod folder;
mod recipe;
mod record;

use crate::cargo;
use anyhow::{Context, Result, bail, ensure};
use folder::Folder;
use record::Tools;
use reprise_testing::artifact;
use std::path::PathBuf;

/// What the recipes run.
const PACKAGES: &[&str] = &[
    "reprise",
    "reprise-capture",
    "reprise-runtime-library",
    "reprise-programs",
    "reprise-null-win64",
    "reprise-null-sysv",
];

/// Runs the task.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let Some((name, options)) = arguments.split_first() else { bail!("golden takes the NAME of a new set") };
    let (mut built, mut without) = (None, Vec::new());
    for pair in options.chunks(2) {
        match pair {
            [option, folder] if option == "--build" => built = Some(PathBuf::from(folder)),
            [option, trace] if option == "--without" => without.push(trace.as_str()),
            other => bail!("golden takes NAME [--build FOLDER] [--without TRACE]... (got {other:?})"),
        }
    }
    let unknown = without.iter().find(|name| !recipe::RECIPES.iter().any(|recipe| recipe.name == **name));
    ensure!(unknown.is_none(), "there is no golden trace {}", unknown.unwrap_or(&""));
    let plain = name.chars().all(|letter| letter.is_ascii_alphanumeric());
    ensure!(plain && !name.is_empty(), "{name:?} is no name of a set, such as v3");
    let place = artifact::workspace().join("crates/cli/tests/golden").join(name);
    ensure!(!place.exists(), "{} is there: golden traces are never recorded again, only beside it", place.display());
    let built = built.map_or_else(|| cargo::release("golden", PACKAGES), Ok)?;
    let built = built.canonicalize().with_context(|| format!("no folder {}", built.display()))?;
    let tools = Tools::new(&built)?;
    let mut folder = Folder::make(place)?;
    for recipe in recipe::RECIPES.iter().filter(|recipe| !without.contains(&recipe.name)) {
        println!("golden: {}", recipe.name);
        tools.record(recipe, &mut folder).with_context(|| format!("recipe {}", recipe.name))?;
    }
    folder.finish()
}
