//! Candidates that are built from commits of a git tree.
//!
//! The user's tree is only read: commits are checked out in a clone that shares its objects. Each commit has a folder for what its build
//! leaves, `$OUT` for the build command, so it is built once. Invariant: a folder with the file `built` in it has all that the build left;
//! one with the file `failed` will not be built again.

use crate::terminal::exit::{self, Failure, OrExit};
use crate::trial::candidate::Candidate;
use anyhow::Context;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// How commits become candidates.
#[derive(Debug)]
pub(crate) struct Tree {
    /// The user's.
    pub(crate) source: PathBuf,
    /// For `sh -c`, in the checked-out tree.
    pub(crate) build: String,
    /// A library or a driver's file, in `$OUT` or else in the tree.
    pub(crate) library: PathBuf,
    /// The clone and the folders of builds.
    pub(crate) folder: PathBuf,
}

/// Why a commit is no candidate, for people.
pub(crate) type Unbuilt = String;

impl Tree {
    /// The commits from the good one to the bad one, both included, along first parents.
    ///
    /// # Errors
    /// There is no such commit, or the bad one does not come from the good one.
    pub(crate) fn commits(&self, good: &str, bad: &str) -> Result<Vec<Candidate>, Failure> {
        let [good_id, bad_id] = [self.commit(good)?, self.commit(bad)?];
        let log = ["log", "--first-parent", "--reverse", "--format=%H %h %s"];
        let text = self.git(&self.source, &[&log[..], &[&format!("{good_id}..{bad_id}")]].concat())?;
        let after: Vec<Candidate> = text.lines().filter_map(candidate).collect();
        // The first of them must come right after the good one.
        let parent = after.first().and_then(|first| first.commit.as_deref()).map(|first| format!("{first}^"));
        if parent.map(|parent| self.commit(&parent)).transpose()?.as_ref() != Some(&good_id) {
            let message = format!(
                "{}: {good} is none of the first parents of {bad}: name a good commit on the line of the bad one",
                self.source.display()
            );
            return Err(Failure::message(exit::USAGE, message));
        }
        let first = self.git(&self.source, &["log", "-1", "--format=%H %h %s", &good_id])?;
        Ok(first.lines().filter_map(candidate).chain(after).collect())
    }

    fn commit(&self, name: &str) -> Result<String, Failure> {
        let id =
            self.git(&self.source, &["rev-parse", "--verify", "--end-of-options", &format!("{name}^{{commit}}")])?;
        Ok(id.trim().to_owned())
    }

    /// Builds a commit, unless that was done; the candidate with its library or driver, or why there is none.
    ///
    /// # Errors
    /// There is no place for builds, or no clone can be made.
    pub(crate) fn build(&self, candidate: &Candidate) -> Result<Result<Candidate, Unbuilt>, Failure> {
        let Some(commit) = &candidate.commit else { return Ok(Ok(candidate.clone())) };
        let out = self.folder.join("builds").join(commit);
        let log = out.join("build.log");
        if !out.join("built").exists() {
            if out.join("failed").exists() {
                return Ok(Err(format!("it does not build: see {}", log.display())));
            }
            if let Err(unbuilt) = self.make(commit, &out, &log)? {
                return Ok(Err(unbuilt));
            }
        }
        let library = out.join(&self.library);
        let mut built = candidate.clone();
        let path = library.to_string_lossy().into_owned();
        if path.ends_with(".json") {
            built.drive(&path)
        } else {
            built.runtime = Some(path)
        }
        Ok(Ok(built))
    }

    fn make(&self, commit: &str, out: &Path, log: &Path) -> Result<Result<(), Unbuilt>, Failure> {
        let place = |path: &Path| path.display().to_string();
        // What an interrupted build left is no part of this one.
        let _ = std::fs::remove_dir_all(out);
        std::fs::create_dir_all(out).with_context(|| place(out)).or_exit(exit::FAILED)?;
        let tree = self.clone_of_source()?;
        // What an interrupted git left.
        let _ = std::fs::remove_file(tree.join(".git/index.lock"));
        self.git(&tree, &["checkout", "--quiet", "--force", "--detach", commit])?;
        let output = File::create(log).with_context(|| place(log)).or_exit(exit::FAILED)?;
        let both = output.try_clone().with_context(|| place(log)).or_exit(exit::FAILED)?;
        let mut command = Command::new("sh");
        command.args(["-c", &self.build]).current_dir(&tree).stdin(Stdio::null()).stdout(output).stderr(both);
        command.env("OUT", out).env("SOURCE", &self.source).env("COMMIT", commit);
        let status = command.status().context("sh cannot be run").or_exit(exit::FAILED)?;
        let library = out.join(&self.library);
        let failure = if !status.success() {
            Some(format!("it does not build ({status}): see {}", log.display()))
        } else if library.exists() {
            None
        } else if tree.join(&self.library).exists() {
            let folder = library.parent().unwrap_or(out);
            let copied =
                std::fs::create_dir_all(folder).and_then(|()| std::fs::copy(tree.join(&self.library), &library));
            copied.with_context(|| place(&library)).or_exit(exit::FAILED)?;
            None
        } else {
            Some(format!("its build leaves no {}: see {}", self.library.display(), log.display()))
        };
        let word = if failure.is_some() { "failed" } else { "built" };
        std::fs::write(out.join(word), "").with_context(|| place(out)).or_exit(exit::FAILED)?;
        Ok(failure.map_or(Ok(()), Err))
    }

    /// Checked out here, commits do not disturb the user's tree.
    fn clone_of_source(&self) -> Result<PathBuf, Failure> {
        let tree = self.folder.join("tree");
        if !tree.join(".git/HEAD").exists() {
            let _ = std::fs::remove_dir_all(&tree);
            let source = std::fs::canonicalize(&self.source);
            let source = source.with_context(|| self.source.display().to_string()).or_exit(exit::USAGE)?;
            let words = ["clone", "--quiet", "--shared", "--no-checkout", "--"];
            let names = [source.to_string_lossy(), tree.to_string_lossy()];
            self.git(&self.folder, &[&words[..], &[&names[0], &names[1]]].concat())?;
        }
        Ok(tree)
    }

    /// What git says.
    ///
    /// # Errors
    /// Git is not installed, or fails.
    fn git(&self, folder: &Path, arguments: &[&str]) -> Result<String, Failure> {
        let mut command = Command::new("git");
        command.arg("-C").arg(folder).args(arguments).stdin(Stdio::null());
        // Of a git that called us.
        ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"].iter().for_each(|name| _ = command.env_remove(name));
        let finished = command.output().context("git cannot be run").or_exit(exit::USAGE)?;
        if !finished.status.success() {
            let said = String::from_utf8_lossy(&finished.stderr).trim().to_owned();
            return Err(Failure::message(exit::USAGE, format!("{}: git: {said}", self.source.display())));
        }
        Ok(String::from_utf8_lossy(&finished.stdout).into_owned())
    }
}

/// A commit of `git log`: its id, a short one, its subject.
fn candidate(line: &str) -> Option<Candidate> {
    let (commit, label) = line.split_once(' ')?;
    Some(Candidate { label: label.to_owned(), commit: Some(commit.to_owned()), ..Candidate::default() })
}
