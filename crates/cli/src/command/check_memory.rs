//! `reprise check-memory`: a trace against a program's own account of what its mapped memory held at each submission.
//!
//! Invariant: what memory held is put together from the trace alone, by its Memory records in their order; of the log only what
//! is compared is read. How both are made is in `TESTING.md`.

use crate::terminal::exit::{self, Ended, Failure, OrExit};
use crate::terminal::output;
use crate::trace::damage::Met;
use crate::trace::open;
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
/// What memory held is put together in pieces of so many bytes, so that a store far out takes no more than its own.
const PAGE: usize = 4096;
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

type Pages = BTreeMap<usize, Box<[u8; PAGE]>>;

/// What the trace says of mapped memory up to some event.
#[derive(Default)]
struct Memory {
    /// Object and subresource of the newest mapping by address and size.
    mapped: BTreeMap<(u64, u64), (u32, u32)>,
    /// Pages by their number; what is none is zero.
    contents: BTreeMap<(u32, u32), Pages>,
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
            end.with_context(|| format!("a store of {} bytes at {offset}", bytes.len()))?;
            store(self.contents.entry((event.object, event.ordinal)).or_default(), offset as usize, bytes);
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
        let pages = self.contents.get(key);
        let (mut count, mut first) = (0_usize, None);
        for (number, part) in bytes.chunks(PAGE).enumerate() {
            // What nothing was stored to is zero.
            let held = pages.and_then(|pages| pages.get(&number)).map_or(&[0; PAGE], |page| page);
            if part == &held[..part.len()] {
                continue;
            }
            for (index, (byte, held)) in part.iter().zip(held).enumerate().filter(|(_, (byte, held))| byte != held) {
                count += 1;
                first.get_or_insert((number * PAGE + index, *held, *byte));
            }
        }
        let (at, held, byte) = first?;
        Some(format!(
            "{place}, object {}: {count} bytes differ, the first at {at}: {held:#04x} in the trace, {byte:#04x} in memory",
            key.0,
        ))
    }
}

/// Stores bytes from an offset on.
fn store(pages: &mut Pages, offset: usize, mut bytes: &[u8]) {
    let mut at = offset;
    while !bytes.is_empty() {
        let page = pages.entry(at / PAGE).or_insert_with(|| Box::new([0; PAGE]));
        let (part, rest) = bytes.split_at(bytes.len().min(PAGE - at % PAGE));
        page[at % PAGE..][..part.len()].copy_from_slice(part);
        (at, bytes) = (at + part.len(), rest);
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
    Met::of(&trace).sound(&arguments.source.trace)?;
    Ok(if different.is_empty() { 0 } else { exit::FAILED })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stores_are_put_together_across_pages() {
        let (mut memory, size) = (Memory::default(), 3 * PAGE);
        memory.mapped.insert((16, size as u64), (7, 0));
        let pages = memory.contents.entry((7, 0)).or_default();
        store(pages, PAGE - 2, &[1, 2, 3, 4]);
        store(pages, PAGE, &[5]);
        let mut bytes = vec![0; size];
        bytes[PAGE - 2..PAGE + 2].copy_from_slice(&[1, 2, 5, 4]);
        let mut entry = Entry { submission: 1, address: 16, bytes };
        assert_eq!(memory.differs(&entry), None);
        (entry.bytes[PAGE + 1], entry.bytes[2 * PAGE + 9]) = (9, 8);
        let told = memory.differs(&entry).unwrap_or_default();
        assert!(told.contains("2 bytes differ, the first at 4097: 0x04 in the trace, 0x09 in memory"), "{told}");
        // A store at the end of all that may be mapped takes one page.
        let mut far = Pages::new();
        store(&mut far, LARGEST as usize - 1, &[1]);
        assert_eq!(far.len(), 1);
    }
}
