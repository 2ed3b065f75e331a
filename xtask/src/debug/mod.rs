//! `cargo xtask debug`: shaders by the hundred, each run by `reprise debug` on the processor and compared with the GPU's result.
//!
//! Invariant: the task fails where a result differs and nothing that the API leaves open explains it, and where nothing was compared.

mod calls;
mod kind;
mod ledger;
mod options;
mod reprise;
mod sources;
mod tally;
mod verdict;

use anyhow::{Context, Result, anyhow, ensure};
use ledger::{Entry, Ledger};
use options::Options;
use reprise::Reprise;
use serde_json::json;
use sources::Workshop;
use std::collections::{BTreeSet, VecDeque};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, UNIX_EPOCH};
use tally::Tally;

/// By which a build of a program is known again: its bytes, and when it was written.
fn build(program: &Path) -> Result<String> {
    let about = std::fs::metadata(program).with_context(|| program.display().to_string())?;
    let written = about.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
    Ok(format!("{} bytes of {}.{:09}", about.len(), written.as_secs(), written.subsec_nanos()))
}

/// Runs the task.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let options = Options::parse(arguments)?;
    let workshop = Workshop::new(&options)?;
    let program = workshop.folder.join("reprise");
    let reprise = Reprise { program, patience: Duration::from_secs(options.timeout) };
    let sources = workshop.sources(&options)?;
    let all = sources.len();
    let mut tally = Tally::default();
    let asked = json!({ "calls": options.calls, "control": options.control, "build": build(&reprise.program)? });
    let mut ledger = options.resume.as_deref().map(|path| Ledger::open(path, &asked)).transpose()?;
    let (mut waiting, mut keys) = (VecDeque::new(), BTreeSet::new());
    for (number, source) in sources.into_iter().enumerate() {
        let key = source.key();
        let is_new = keys.insert(key.clone());
        ensure!(is_new || ledger.is_none(), "two sources are {key}, which --resume cannot tell apart");
        match ledger.as_mut().and_then(|ledger| ledger.known.remove(&key)) {
            Some(entries) => entries.iter().for_each(|entry| tally.count(entry)),
            None => waiting.push_back((number, source)),
        }
    }
    if options.resume.is_some() {
        println!("debug: {} of {all} sources are through already", all - waiting.len());
    }
    let (waiting, tally, ledger) = (Mutex::new(waiting), Mutex::new(tally), Mutex::new(ledger));
    let end = options.limit.map(|limit| Instant::now() + Duration::from_secs(limit));
    let is_over = || end.is_some_and(|end| Instant::now() > end);
    let work = || -> Result<()> {
        loop {
            if is_over() {
                return Ok(());
            }
            let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            let Some((number, source)) = next else { return Ok(()) };
            let title = source.title();
            // What one source lacks is no reason to lose the others.
            let found = workshop.trace(number, &source).and_then(|found| match found {
                Some(trace) => Ok(Some((reprise.items(&trace, options.calls)?, trace))),
                None => Ok(None),
            });
            let (items, trace) = match found {
                Ok(Some(found)) => found,
                Ok(None) => continue,
                Err(error) => {
                    println!("debug: {} of {all}: {error:#}", number + 1);
                    tally.lock().unwrap_or_else(PoisonError::into_inner).unread(format!("{error:#}"));
                    continue;
                }
            };
            let mut entries = Vec::new();
            for item in items.iter().filter(|_| !is_over()) {
                let (ran, control) = reprise.run(item, options.control)?;
                let kind = item.kind.name().to_owned();
                let entry = Entry { place: format!("{title}, call {}, {kind}", item.call), kind, ran, control };
                tally.lock().unwrap_or_else(PoisonError::into_inner).count(&entry);
                entries.push(entry);
            }
            if entries.len() == items.len()
                && let Some(ledger) = ledger.lock().unwrap_or_else(PoisonError::into_inner).as_mut()
            {
                ledger.add(&source.key(), &entries)?;
            }
            workshop.discard(&trace);
            println!("debug: {} of {all}: {title}: {} runs", number + 1, entries.len());
        }
    };
    std::thread::scope(|scope| -> Result<()> {
        let workers: Vec<_> = (0..options.jobs).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().map_err(|_| anyhow!("a thread ended early"))?)
    })?;
    let tally = tally.into_inner().unwrap_or_else(PoisonError::into_inner);
    print!("\n{tally}");
    let left = waiting.into_inner().unwrap_or_else(PoisonError::into_inner).len();
    if is_over() {
        println!("--limit: {left} of {all} sources were not begun, and others may be in part");
    }
    if let Some(path) = &options.json {
        let text = serde_json::to_string_pretty(&tally.json())?;
        std::fs::write(path, text + "\n").with_context(|| format!("cannot write {}", path.display()))?;
    }
    tally.verdict()
}
