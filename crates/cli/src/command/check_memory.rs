//! `reprise check-memory`: a trace against a program's own account of what its mapped memory held at each submission.
//!
//! Invariant: what memory held is put together from the trace alone, by its Memory records in their order; of the log only what
//! is compared is read. How both are made is in `TESTING.md`.

use crate::terminal::exit::{self, Ended, Failure, OrExit};
use crate::terminal::output;
use crate::trace::open;
use anyhow::{Context, Result, anyhow, bail, ensure};
use reprise_d3d12::model::MethodId;
use reprise_timeline::state::memory::{Contents, PAGE};
use reprise_timeline::walk::Memory;
use reprise_timeline::{At, Call, Interests, Pass, walk};
use reprise_trace::fact;
use reprise_trace::read::Event;
use reprise_trace::record::Kind;
use reprise_view::damage::Met;
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
struct Held {
    /// Object and subresource of the newest mapping by address and size.
    mapped: BTreeMap<(u64, u64), (u32, u32)>,
    contents: Contents,
    records: u64,
    bytes: u64,
}

impl Held {
    /// A subresource is mapped, as a fact states.
    fn map(&mut self, object: u32, bytes: &[u8]) -> Result<()> {
        let (words, _) = bytes.as_chunks::<8>();
        let [address, size, last, ..] = words else { bail!("a fact about a mapping is too short") };
        let [address, size, last] = [address, size, last].map(|word| u64::from_le_bytes(*word));
        self.mapped.insert((address, size), (object, last as u32));
        Ok(())
    }

    /// The program stored something.
    fn store(&mut self, memory: &Memory<'_>) -> Result<()> {
        let Memory { offset, bytes, .. } = *memory;
        let end = offset.checked_add(bytes.len() as u64).filter(|end| *end <= LARGEST);
        end.with_context(|| format!("a store of {} bytes at {offset}", bytes.len()))?;
        self.contents.store(memory.resource, memory.subresource, offset, bytes);
        (self.records, self.bytes) = (self.records + 1, self.bytes + bytes.len() as u64);
        Ok(())
    }

    /// Where the trace has something else than an entry; `None` where they are equal.
    fn differs(&self, entry: &Entry) -> Option<String> {
        let Entry { submission, address, bytes } = entry;
        let place = format!("submission {submission}, {} bytes mapped at {address:#x}", bytes.len());
        let Some(key) = self.mapped.get(&(*address, bytes.len() as u64)) else {
            return Some(format!("{place}: no such mapping in the trace"));
        };
        let (mut count, mut first) = (0_u64, None);
        let mut page = [0; PAGE];
        for (number, part) in bytes.chunks(PAGE).enumerate() {
            let held = &mut page[..part.len()];
            self.contents.read(key.0, key.1, (number * PAGE) as u64, held);
            if part == held {
                continue;
            }
            let held = &*held;
            for (index, (byte, held)) in part.iter().zip(held).enumerate().filter(|(_, (byte, held))| byte != held) {
                count += 1;
                first.get_or_insert((number * PAGE + index, *held, *byte));
            }
        }
        let (at, held, byte) = first?;
        Some(format!(
            "{place}, object {}: {} {}, the first at {at}: {held:#04x} in the trace, {byte:#04x} in memory",
            key.0,
            output::plural(count, "byte"),
            output::agree(count, "differs", "differ"),
        ))
    }
}

/// The comparison, submission by submission.
struct Check<'a> {
    arguments: &'a Arguments,
    log: Log,
    held: Held,
    submission: u64,
    compared: u64,
    bytes: u64,
    different: Vec<String>,
    /// Why the comparison ended; nothing more is compared then.
    failure: Option<Failure>,
}

impl Check<'_> {
    fn named(&self) -> String {
        format!("the memory log {}", self.arguments.log.display())
    }

    /// Keeps what is wrong with the trace.
    fn trace(&mut self, result: Result<()>) {
        let place = || self.arguments.source.trace.display().to_string();
        self.failure = result.with_context(place).or_exit(exit::TRACE).err();
    }

    fn submitted(&mut self) -> Result<(), Failure> {
        self.submission += 1;
        while let Some(entry) = self.log.take(self.submission).with_context(|| self.named()).or_exit(exit::USAGE)? {
            (self.compared, self.bytes) = (self.compared + 1, self.bytes + entry.bytes.len() as u64);
            self.different.extend(self.held.differs(&entry));
        }
        Ok(())
    }
}

impl Pass for Check<'_> {
    fn interests(&self) -> Interests {
        Interests::new().enters(&[EXECUTE]).facts().memory_if(true)
    }

    fn enter(&mut self, _call: &Call<'_>, _at: &At) {
        if self.failure.is_none() {
            self.failure = self.submitted().err();
        }
    }

    fn fact(&mut self, object: u32, kind: u32, bytes: &[u8], _at: &At) {
        if kind == fact::MAPPING && self.failure.is_none() {
            let mapped = self.held.map(object, bytes);
            self.trace(mapped);
        }
    }

    fn damaged(&mut self, event: &Event<'_>, _at: &At) {
        if event.kind == Kind::Memory && self.failure.is_none() {
            self.trace(Err(anyhow!("a memory record is damaged")));
        }
    }

    fn memory(&mut self, memory: &Memory<'_>, _at: &At) {
        if !memory.observed && self.failure.is_none() {
            let stored = self.held.store(memory);
            self.trace(stored);
        }
    }
}

pub(crate) fn run(arguments: &Arguments) -> Ended {
    let trace = arguments.source.open()?;
    let log = Log::open(&arguments.log);
    let log = log.with_context(|| format!("the memory log {}", arguments.log.display())).or_exit(exit::USAGE)?;
    let held = Held::default();
    let mut check =
        Check { arguments, log, held, submission: 0, compared: 0, bytes: 0, different: Vec::new(), failure: None };
    let walked = walk(&trace, &mut [&mut check]);
    walked.with_context(|| arguments.source.trace.display().to_string()).or_exit(exit::TRACE)?;
    let Check { log, held, submission, compared, bytes, mut different, failure, .. } = check;
    if let Some(failure) = failure {
        return Err(failure);
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
        output::bytes(held.bytes),
        held.records,
    );
    if compared == 0 {
        return Err(Failure::message(
            exit::FAILED,
            "nothing was compared: the log tells of no submission of the trace",
        ));
    }
    Met::of(&trace).sound(&arguments.source.trace)?;
    Ok(if different.is_empty() { 0 } else { exit::FAILED })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stores_are_put_together_across_pages() {
        let (mut held, size) = (Held::default(), 3 * PAGE);
        held.mapped.insert((16, size as u64), (7, 0));
        let memory = |offset, bytes| Memory { resource: 7, subresource: 0, offset, bytes, observed: false };
        assert!(held.store(&memory(PAGE as u64 - 2, &[1, 2, 3, 4])).is_ok());
        assert!(held.store(&memory(PAGE as u64, &[5])).is_ok());
        let mut bytes = vec![0; size];
        bytes[PAGE - 2..PAGE + 2].copy_from_slice(&[1, 2, 5, 4]);
        let mut entry = Entry { submission: 1, address: 16, bytes };
        assert_eq!(held.differs(&entry), None);
        (entry.bytes[PAGE + 1], entry.bytes[2 * PAGE + 9]) = (9, 8);
        let told = held.differs(&entry).unwrap_or_default();
        assert!(told.contains("2 bytes differ, the first at 4097: 0x04 in the trace, 0x09 in memory"), "{told}");
        // A store at the end of all that may be mapped takes one page; none may lie behind it.
        assert!(held.store(&memory(LARGEST - 1, &[1])).is_ok());
        assert_eq!(held.contents.pages(7, 0).count(), 3);
        assert!(held.store(&memory(LARGEST, &[1])).is_err());
    }
}
