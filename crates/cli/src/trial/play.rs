//! Plays the trace on a candidate, in a process of its own.

use crate::child_replay::picture_pipe::Message;
use crate::child_replay::process::{Around, ChildReplay};
use crate::launch::windows::libraries;
use crate::terminal::exit::{self, Failure, OrExit};
use crate::terminal::left_out;
use crate::trial::candidate::Candidate;
use crate::trial::outcome::{Ending, Outcome};
use crate::trial::reference::{Comparison, Reference, Seen, Tolerance};
use anyhow::Context;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::Duration;

/// How candidates are played.
#[derive(Debug)]
pub(crate) struct Trials {
    pub(crate) trace: PathBuf,
    /// The runtime of candidates that name none.
    pub(crate) runtime: String,
    pub(crate) gpu: Option<String>,
    /// A run that takes longer hangs.
    pub(crate) patience: Duration,
    pub(crate) tolerance: Tolerance,
    pub(crate) validate: bool,
    /// For what replays say.
    pub(crate) folder: PathBuf,
}

/// A replay and where it says what it says.
#[derive(Debug)]
pub(crate) struct Playing {
    pub(crate) replay: ChildReplay,
    said: PathBuf,
    /// Where the validation layer writes, if not among what the replay says.
    layer: Option<PathBuf>,
}

/// What a replay said at its end is kept to so many bytes.
const SAID: usize = 400;

impl Trials {
    /// Starts a replay; `more` are arguments for it.
    ///
    /// # Errors
    /// No process can be started.
    pub(crate) fn start(&self, candidate: &Candidate, name: &str, more: &[OsString]) -> Result<Playing, Failure> {
        let runtime = candidate.runtime(&self.runtime).to_owned();
        let mut words: Vec<OsString> = vec!["--runtime".into(), (&runtime).into()];
        if let Some(gpu) = self.gpu.as_ref().filter(|_| runtime == "ours") {
            words.extend(["--gpu".into(), gpu.into()]);
        }
        words.push("--reads".into());
        words.extend_from_slice(more);
        words.extend(["--".into(), (&self.trace).into()]);
        let said = self.folder.join(format!("{name}.txt"));
        let file = File::create(&said).with_context(|| said.display().to_string()).or_exit(exit::FAILED)?;
        let mut variables = candidate.variables.clone();
        let layer = self.validate.then(|| self.layer(&runtime, &mut variables)).transpose()?.flatten();
        let around = Around { variables, said: Some(file), patience: Some(self.patience), wanted: None };
        Ok(Playing { replay: ChildReplay::start(runtime, words, around)?, said, layer })
    }

    /// Has Vulkan's validation layer look on. Our runtime brings it, and says what it found; for any other one the loader does.
    fn layer(&self, runtime: &str, variables: &mut Vec<(String, String)>) -> Result<Option<PathBuf>, Failure> {
        if runtime == "ours" || libraries::is_runtime(Path::new(runtime)) {
            variables.push((reprise_environment::runtime::VALIDATION.into(), "1".into()));
            return Ok(None);
        }
        let (settings, log) = (self.folder.join("vk_layer_settings.txt"), self.folder.join("validation.txt"));
        let text = format!(
            "khronos_validation.debug_action = VK_DBG_LAYER_ACTION_LOG_MSG\nkhronos_validation.report_flags = error\n\
             khronos_validation.log_filename = {}\nkhronos_validation.validate_sync = true\n\
             khronos_validation.enables = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT\n",
            log.display()
        );
        std::fs::write(&settings, text).with_context(|| settings.display().to_string()).or_exit(exit::FAILED)?;
        let _ = std::fs::remove_file(&log);
        variables.push(("VK_INSTANCE_LAYERS".into(), "VK_LAYER_KHRONOS_validation".into()));
        variables.push(("VK_LAYER_SETTINGS_PATH".into(), settings.display().to_string()));
        Ok(Some(log))
    }

    /// Plays the good candidate, which all others are compared with.
    ///
    /// # Errors
    /// No process can be started, or the trace cannot be played.
    pub(crate) fn record(&self, candidate: &Candidate) -> Result<(Outcome, Reference), Failure> {
        let mut playing = self.start(candidate, "good", &[])?;
        let mut seen = Vec::new();
        while let Some(message) = playing.next() {
            seen.extend(Seen::of(&message));
        }
        let (mut outcome, errors) = playing.end(None)?;
        if outcome.ending == Ending::Completed && seen.is_empty() && !self.validate {
            outcome = Outcome::absent("nothing to compare: the trace presents nothing and reads nothing back");
        }
        Ok((outcome, Reference::Kept { seen, errors }))
    }

    /// Plays a candidate beside what is expected. Unless `to_the_end`, the first difference ends it.
    ///
    /// # Errors
    /// As [`Trials::record`].
    pub(crate) fn run(
        &self,
        candidate: &Candidate,
        good: Option<&Candidate>,
        reference: &Reference,
        to_the_end: bool,
    ) -> Result<Outcome, Failure> {
        let mut playing = self.start(candidate, "candidate", &[])?;
        // Only pictures beside each other can be compared with a tolerance.
        let good = good.filter(|_| !self.tolerance.is_exact());
        let mut beside = good.map(|good| self.start(good, "good", &[])).transpose()?;
        let mut comparison = Comparison::new(reference, self.tolerance);
        let mut difference = None;
        while let Some(message) = playing.next() {
            let expected = beside.as_mut().and_then(Playing::next);
            let unlike = comparison.see(&message, expected.as_ref());
            if difference.is_none() && unlike.is_some() {
                difference = unlike;
                if !to_the_end {
                    let said = String::new();
                    return Ok(Outcome { ending: Ending::Completed, said, difference, errors: Vec::new() });
                }
            }
        }
        let (mut outcome, _) = playing.end(reference.errors())?;
        if outcome.ending == Ending::Completed && beside.is_none() {
            difference = difference.or_else(|| comparison.end());
        }
        outcome.difference = difference;
        Ok(outcome)
    }
}

impl Playing {
    /// What the replay shows next; `None` at its end, however it ends.
    pub(crate) fn next(&mut self) -> Option<Message> {
        self.replay.receive().ok().flatten()
    }

    /// How it ended, the kinds of validation errors beyond those that are expected, and all kinds.
    ///
    /// # Errors
    /// The trace cannot be read, whatever plays it.
    pub(crate) fn end(&self, expected: Option<&BTreeSet<String>>) -> Result<(Outcome, BTreeSet<String>), Failure> {
        let status = self.replay.wait().context("a replay cannot be waited for").or_exit(exit::FAILED)?;
        let text = String::from_utf8_lossy(&std::fs::read(&self.said).unwrap_or_default()).into_owned();
        left_out::pass_on(&text);
        let log = self.layer.as_ref().and_then(|path| std::fs::read(path).ok()).unwrap_or_default();
        let mut errors: BTreeSet<String> = text.lines().filter_map(our_error).collect();
        errors.extend(String::from_utf8_lossy(&log).lines().filter_map(layer_error));
        let said = last_words(&text);
        let (ending, said) = match (self.replay.hung(), status.code()) {
            (true, _) => (Ending::Hung, "it was ended when its time was over".to_owned()),
            (false, Some(0)) => (Ending::Completed, String::new()),
            (false, Some(code)) if code == i32::from(exit::TRACE) => return Err(Failure::message(exit::TRACE, said)),
            (false, Some(code)) if code == i32::from(exit::USAGE) => (Ending::Absent, said),
            (false, Some(_)) => (Ending::Failed, said),
            (false, None) => (Ending::Crashed, crash(status, &said)),
        };
        let new = errors.iter().filter(|error| !expected.is_some_and(|expected| expected.contains(*error)));
        let new = new.cloned().collect();
        Ok((Outcome { ending, said, difference: None, errors: new }, errors))
    }
}

fn crash(status: ExitStatus, said: &str) -> String {
    if said.is_empty() { status.to_string() } else { format!("{status}; the last that it said: {said}") }
}

/// The kind of an error that our runtime tells of.
fn our_error(line: &str) -> Option<String> {
    let (_, rest) = line.split_once("Vulkan validation error: ")?;
    rest.split_once(':').map(|(id, _)| id.to_owned())
}

/// The kind of an error in the layer's own log.
fn layer_error(line: &str) -> Option<String> {
    let (_, rest) = line.split_once("Validation Error: [ ")?;
    rest.split_once(" ]").map(|(id, _)| id.to_owned())
}

/// The last line that was said.
fn last_words(text: &str) -> String {
    let line = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let line = line.trim().strip_prefix("reprise: ").unwrap_or(line.trim());
    let end = (0..=line.len().min(SAID)).rev().find(|at| line.is_char_boundary(*at)).unwrap_or(0);
    line[..end].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_validation_errors_are_read() {
        let ours = "reprise: Vulkan validation error: SYNC-HAZARD-WRITE-AFTER-WRITE: Validation Error: [ SYNC";
        assert_eq!(our_error(ours).as_deref(), Some("SYNC-HAZARD-WRITE-AFTER-WRITE"));
        let layer = "Validation Error: [ VUID-vkCmdDraw-None-02699 ] Object 0: handle = 0x1, type";
        assert_eq!((layer_error(layer).as_deref(), our_error(layer)), (Some("VUID-vkCmdDraw-None-02699"), None));
        assert_eq!(last_words("one\nreprise: two\n\n"), "two");
        assert_eq!(last_words(&"é".repeat(SAID)).len(), SAID);
    }
}
