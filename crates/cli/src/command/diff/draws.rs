//! Which draw of a frame leaves something else on two runtimes.
//!
//! Both replay the trace, each in a process of its own, and write what is bound at the frame's draws, a batch at a time, in
//! order (what descriptor tables lead to is not); files are compared by name, since their names follow from call and resource
//! alone. What one of them could not write is not compared, and told. Invariant: no more is on disk at a time than what two
//! batches write.

use crate::terminal::exit::{self, Failure, OrExit};
use anyhow::Context;
use reprise_codec::Value;
use reprise_d3d12::model::MethodId;
use reprise_trace::read::Trace;
use reprise_trace::record::Kind;
use reprise_view::api;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Draws whose targets are written in one replay.
const BATCH: usize = 32;
/// What `reprise replay --dump-draw` takes.
const DRAWS: [&str; 5] = ["DrawInstanced", "DrawIndexedInstanced", "ExecuteIndirect", "DispatchMesh", "Dispatch"];

/// A draw or dispatch in the trace.
#[derive(Clone, Debug)]
pub(crate) struct Draw {
    pub(crate) call: u64,
    pub(crate) method: u16,
    pub(crate) list: u32,
    /// The submission that runs it first, and how many lists run before it there.
    pub(crate) submission: Option<(u64, usize)>,
}

/// The draws that a frame records, in the order of their calls, up to a call; frames count from 1.
///
/// # Errors
/// When the trace cannot be read.
pub(crate) fn of_frame(trace: &Trace, frame: u64, until: Option<u64>) -> anyhow::Result<Vec<Draw>> {
    let codec = api::codec();
    let mut draws: Vec<Draw> = Vec::new();
    let index = u32::try_from(frame.saturating_sub(1)).unwrap_or(u32::MAX);
    let mut events = trace.frames(index..index.saturating_add(1));
    while let Some(event) = events.next()? {
        if event.kind != Kind::Enter || until.is_some_and(|until| event.number > until) {
            continue;
        }
        let Some(method) = api::method(event.method) else { continue };
        if DRAWS.contains(&method.name) {
            draws.push(Draw { call: event.number, method: event.method, list: event.object, submission: None });
        } else if method.name == "ExecuteCommandLists" {
            let arguments = codec.decode_enter(MethodId(event.method), event.payload)?;
            let lists = arguments.members.iter().find_map(|member| match &member.value {
                Value::Array(lists) => Some(lists),
                _ => None,
            });
            for (place, list) in lists.into_iter().flatten().enumerate() {
                let Value::Object(id, _) = list else { continue };
                let waiting = draws.iter_mut().filter(|draw| draw.list == *id && draw.submission.is_none());
                waiting.for_each(|draw| draw.submission = Some((event.number, place)));
            }
        }
    }
    Ok(draws)
}

/// Where something differs: the draw, and the files of what is bound there that do.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) draw: Draw,
    pub(crate) files: Vec<String>,
}

/// What looking at draws came to.
#[derive(Debug, Default)]
pub(crate) struct Looked {
    pub(crate) found: Option<Found>,
    /// What could not be compared up to there, because a replay could not write it, and why.
    pub(crate) missing: BTreeMap<String, String>,
}

/// The first of these draws after which something that is bound differs. `replays` are the arguments of both.
///
/// # Errors
/// When a replay fails, or there is no place for its files.
pub(crate) fn first_different(
    replays: [&[OsString]; 2],
    trace: &Path,
    frame: u64,
    draws: &[Draw],
    mut progress: impl FnMut(u64),
) -> Result<Looked, Failure> {
    let folder = Folder::new()?;
    let mut looked = Looked::default();
    for batch in draws.chunks(BATCH) {
        progress(batch.first().map_or(0, |draw| draw.call));
        let folders = ["a", "b"].map(|name| folder.0.join(name));
        let calls: Vec<String> = batch.iter().map(|draw| draw.call.to_string()).collect();
        for (arguments, folder) in replays.into_iter().zip(&folders) {
            looked.missing.extend(dump(arguments, trace, frame, &calls, folder)?);
        }
        let [a, b] = [contents(&folders[0])?, contents(&folders[1])?];
        for draw in batch {
            let prefix = format!("call{:08}_", draw.call);
            let different = a.iter().filter(|(name, hash)| b.get(*name).is_some_and(|other| other != *hash));
            let files: Vec<String> =
                different.map(|(name, _)| name.clone()).filter(|name| name.starts_with(&prefix)).collect();
            if !files.is_empty() {
                looked.found = Some(Found { draw: draw.clone(), files });
                return Ok(looked);
            }
        }
        for folder in folders {
            // What was never written need not be removed.
            let _ = std::fs::remove_dir_all(folder);
        }
    }
    Ok(looked)
}

/// Plays the trace up to the frame's end, and writes what is bound at these calls; what could not be written, and why.
fn dump(
    arguments: &[OsString],
    trace: &Path,
    frame: u64,
    calls: &[String],
    folder: &Path,
) -> Result<Vec<(String, String)>, Failure> {
    let mut command = Command::new(std::env::current_exe().context("no replay can be started").or_exit(exit::FAILED)?);
    command.args(["replay", "--json"]).args(arguments).arg(format!("--quit-after-frame={frame}"));
    command.arg(format!("--dump-draw={}", calls.join(","))).arg("--dump-resources-dir").arg(folder);
    let finished = command.arg("--").arg(trace).stdin(Stdio::null()).output();
    let finished = finished.context("no replay can be started").or_exit(exit::FAILED)?;
    // One that came to its end has a report, also where nothing is bound at some of the draws.
    if let Ok(report) = serde_json::from_slice::<Json>(&finished.stdout) {
        let dumped = report["dumped"].as_array().into_iter().flatten();
        let failed = |one: &Json| Some((one["what"].as_str()?.to_owned(), one["failure"].as_str()?.to_owned()));
        return Ok(dumped.filter_map(failed).collect());
    }
    let said = String::from_utf8_lossy(&finished.stderr);
    let (status, said) = (finished.status, said.trim());
    Err(Failure::message(exit::FAILED, format!("a replay that looks at draws ended with {status}: {said}")))
}

/// Hashes of all files but descriptions, by name.
fn contents(folder: &Path) -> Result<BTreeMap<String, u128>, Failure> {
    let mut all = BTreeMap::new();
    // Draws at which nothing is bound leave no folder.
    let Ok(entries) = std::fs::read_dir(folder) else { return Ok(all) };
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if [".dds", ".bin"].iter().any(|ending| name.ends_with(ending)) {
            let bytes = std::fs::read(entry.path()).with_context(|| name.clone()).or_exit(exit::FAILED)?;
            all.insert(name, reprise_trace::read::content_hash(&bytes));
        }
    }
    Ok(all)
}

/// A folder of this process, which goes with the value.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Result<Folder, Failure> {
        let path = std::env::temp_dir().join(format!("reprise-diff-{}", std::process::id()));
        // Made here and now: what somebody else prepared under this name is not used.
        std::fs::create_dir(&path).with_context(|| path.display().to_string()).or_exit(exit::FAILED)?;
        Ok(Folder(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
