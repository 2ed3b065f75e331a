//! `reprise check-memory`: a trace against a program's own account of what its mapped memory held at each submission.
//!
//! Invariant: what memory held is put together from the trace alone, by its Memory records in their order; of the log only what
//! is compared is read. How both are made is in `TESTING.md`.

use crate::exit::{self, Ended, Failure, OrExit};
use crate::open;
use crate::output;
use anyhow::{Context, Result, bail, ensure};
use reprise_d3d12::model::MethodId;
use reprise_trace::fact;
use reprise_trace::read::Event;
use reprise_trace::record::{Kind, OBSERVED};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  reprise capture -o writers.reprise -- reprise-programs writers --memory-log writers.log
  reprise check-memory writers.reprise writers.log

Exit codes: 0 all bytes are equal, 1 some differ, 2 wrong usage, 3 the trace cannot be read.";

/// Compare what a trace has of mapped memory with a program's own log of it
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    source: open::Source,
    /// What the program wrote down: `reprise-programs writers --memory-log FILE`
    #[arg(value_name = "LOG")]
    log: PathBuf,
}

const EXECUTE: MethodId = reprise_d3d12::method("ID3D12CommandQueue", "ExecuteCommandLists");

/// The first line of a log.
const HEAD: &[u8] = b"reprise memory log 1\n";
/// No mapping that is logged is larger.
const LARGEST: u64 = 1 << 30;
/// Places that differ are told up to so many.
const TOLD: usize = 10;

/// What is written down of one buffer at one submission.
struct Entry {
    submission: u64,
    address: u64,
    bytes: Vec<u8>,
}

/// Reads a log from its beginning.
struct Log {
    file: BufReader<File>,
    next: Option<Entry>,
}

impl Log {
    fn open(path: &Path) -> Result<Self> {
        let mut log = Self { file: BufReader::new(File::open(path)?), next: None };
        let mut head = [0; HEAD.len()];
        log.file.read_exact(&mut head).context("it has no first line")?;
        ensure!(head == HEAD, "its first line is not that of a memory log of version 1");
        log.read()?;
        Ok(log)
    }

    fn read(&mut self) -> Result<()> {
        self.next = None;
        let mut numbers = [0; 24];
        let first = self.file.read(&mut numbers)?;
        if first == 0 {
            return Ok(());
        }
        self.file.read_exact(&mut numbers[first..]).context("it ends within an entry")?;
        let (words, _) = numbers.as_chunks::<8>();
        let [submission, address, size] = [0, 1, 2].map(|at| u64::from_le_bytes(words[at]));
        ensure!(size <= LARGEST, "it has an entry of {size} bytes");
        let mut bytes = Vec::new();
        self.file.by_ref().take(size).read_to_end(&mut bytes)?;
        ensure!(bytes.len() as u64 == size, "it ends within an entry");
        self.next = Some(Entry { submission, address, bytes });
        Ok(())
    }

    /// The next entry, if it is of this submission.
    fn take(&mut self, submission: u64) -> Result<Option<Entry>> {
        match &self.next {
            Some(entry) if entry.submission == submission => {
                let entry = self.next.take();
                self.read()?;
                Ok(entry)
            }
            Some(entry) => {
                ensure!(entry.submission > submission, "submission {} comes after a later one", entry.submission);
                Ok(None)
            }
            None => Ok(None),
        }
    }
}

/// What the trace says of mapped memory up to some event.
#[derive(Default)]
struct Memory {
    /// Object and subresource of the newest mapping by address and size.
    mapped: BTreeMap<(u64, u64), (u32, u32)>,
    contents: BTreeMap<(u32, u32), Vec<u8>>,
    records: u64,
    bytes: u64,
}

impl Memory {
    fn take(&mut self, event: &Event<'_>) -> Result<()> {
        if let Some((fact::MAPPING, bytes)) = event.fact().filter(|_| event.kind == Kind::Fact) {
            let (words, _) = bytes.as_chunks::<8>();
            let [address, size, last, ..] = words else { bail!("a fact about a mapping is too short") };
            let [address, size, last] = [address, size, last].map(|word| u64::from_le_bytes(*word));
            self.mapped.insert((address, size), (event.object, last as u32));
        }
        if event.kind == Kind::Memory && event.method != OBSERVED {
            let (offset, bytes) = event.memory().context("a memory record is damaged")?;
            let end = offset.checked_add(bytes.len() as u64).filter(|end| *end <= LARGEST);
            let end = end.with_context(|| format!("a store of {} bytes at {offset}", bytes.len()))? as usize;
            let content = self.contents.entry((event.object, event.ordinal)).or_default();
            content.resize(content.len().max(end), 0);
            content[offset as usize..end].copy_from_slice(bytes);
            (self.records, self.bytes) = (self.records + 1, self.bytes + bytes.len() as u64);
        }
        Ok(())
    }

    /// Where the trace has something else than an entry; `None` where they are equal.
    fn differs(&self, entry: &Entry) -> Option<String> {
        let Entry { submission, address, bytes } = entry;
        let place = format!("submission {submission}, {} bytes mapped at {address:#x}", bytes.len());
        let Some(key) = self.mapped.get(&(*address, bytes.len() as u64)) else {
            return Some(format!("{place}: no such mapping in the trace"));
        };
        let content = self.contents.get(key).map_or(&[][..], Vec::as_slice);
        // What nothing was stored to is zero.
        let at = |index: usize| content.get(index).copied().unwrap_or(0);
        let different = bytes.iter().enumerate().filter(|(index, byte)| at(*index) != **byte);
        let first = different.clone().next()?;
        Some(format!(
            "{place}, object {}: {} bytes differ, the first at {}: {:#04x} in the trace, {:#04x} in memory",
            key.0,
            different.count(),
            first.0,
            at(first.0),
            first.1,
        ))
    }
}

pub(crate) fn run(arguments: &Arguments) -> Ended {
    let trace = arguments.source.open()?;
    let named = || format!("the memory log {}", arguments.log.display());
    let mut log = Log::open(&arguments.log).with_context(named).or_exit(exit::USAGE)?;
    let (mut memory, mut submission, mut compared, mut bytes) = (Memory::default(), 0, 0_u64, 0_u64);
    let mut different = Vec::new();
    let mut events = trace.events();
    let place = || arguments.source.trace.display().to_string();
    while let Some(event) = events.next().with_context(place).or_exit(exit::TRACE)? {
        memory.take(&event).with_context(place).or_exit(exit::TRACE)?;
        if event.kind != Kind::Enter || event.method != EXECUTE.0 {
            continue;
        }
        submission += 1;
        while let Some(entry) = log.take(submission).with_context(named).or_exit(exit::USAGE)? {
            (compared, bytes) = (compared + 1, bytes + entry.bytes.len() as u64);
            different.extend(memory.differs(&entry));
        }
    }
    if let Some(entry) = &log.next {
        let message = format!("the log has submission {}, and the trace ends with {submission}", entry.submission);
        different.push(message);
    }
    for line in different.iter().take(TOLD) {
        println!("{line}");
    }
    println!(
        "{submission} submissions, {compared} contents of buffers ({}) compared, {} different; {} in {} memory records",
        output::bytes(bytes),
        different.len(),
        output::bytes(memory.bytes),
        memory.records,
    );
    if compared == 0 {
        return Err(Failure::message(
            exit::FAILED,
            "nothing was compared: the log tells of no submission of the trace",
        ));
    }
    Ok(if different.is_empty() { 0 } else { exit::FAILED })
}
