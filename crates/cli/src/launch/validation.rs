//! Vulkan's validation layer in a Windows program.
//!
//! Wine passes no layers on that a program asks for, so the layer comes by the environment of the loader outside, and takes its settings
//! from a file. It writes its messages into another file, which is read here while the program runs. `reprise_gpu::validation` is the
//! same for programs that reach the layer themselves.

use crate::launch::folder::Folder;
use crate::ours;
use reprise_log::Level;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const LAYER: &str = "VK_LAYER_KHRONOS_validation";
/// The loader's list of layers.
const LAYERS: &str = "VK_INSTANCE_LAYERS";
/// The layers' file of settings.
const SETTINGS: &str = "VK_LAYER_SETTINGS_PATH";
/// How often the messages are read.
const LOOK: Duration = Duration::from_millis(250);
/// Messages of one kind that are shown.
const SHOWN: u32 = 3;

/// The layer's messages, read by a thread.
#[derive(Debug)]
pub(crate) struct Validation {
    folder: PathBuf,
    stop: Arc<AtomicBool>,
    thread: std::thread::JoinHandle<Counts>,
}

/// What the layer said.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) errors: u64,
    pub(crate) warnings: u64,
    /// Messages that say nothing about our runtime.
    pub(crate) excused: u64,
    /// The layer began to write: it was in a process of the program.
    pub(crate) is_there: bool,
    kinds: BTreeMap<String, u32>,
}

impl Validation {
    /// Writes the settings into the folder of the run, and begins to read.
    ///
    /// # Errors
    /// The folder cannot be written to.
    pub(crate) fn begin(folder: &Folder) -> io::Result<Validation> {
        let folder = folder.path().to_owned();
        std::fs::write(settings(&folder), settings_text(&messages(&folder)))?;
        let stop = Arc::<AtomicBool>::default();
        let (stopped, path) = (Arc::clone(&stop), messages(&folder));
        let thread = std::thread::spawn(move || {
            let mut reader = Reader::default();
            loop {
                let last = stopped.load(Ordering::Acquire);
                // A file that is not there yet, or cannot be read: the end tells.
                let _ = reader.read(&path, last);
                if last {
                    return reader.counts;
                }
                std::thread::park_timeout(LOOK);
            }
        });
        Ok(Validation { folder, stop, thread })
    }

    /// What the program's environment gets.
    pub(crate) fn environment(&self) -> [(&'static str, OsString); 2] {
        let mut layers = std::env::var_os(LAYERS).unwrap_or_default();
        if !layers.is_empty() {
            layers.push(":");
        }
        layers.push(LAYER);
        [(LAYERS, layers), (SETTINGS, settings(&self.folder).into_os_string())]
    }

    /// The program has ended.
    pub(crate) fn finish(self) -> Counts {
        self.stop.store(true, Ordering::Release);
        self.thread.thread().unpark();
        // A panic there was printed.
        self.thread.join().unwrap_or_default()
    }
}

fn settings(folder: &Path) -> PathBuf {
    folder.join("vk_layer_settings.txt")
}

fn messages(folder: &Path) -> PathBuf {
    folder.join("validation.txt")
}

/// As `reprise_gpu::validation` asks of the layer: errors and warnings, synchronisation included. Layers before 1.3.275 know it as one of
/// `enables`, later ones by its own name; each passes over what it does not know.
fn settings_text(messages: &Path) -> String {
    format!(
        "khronos_validation.debug_action = VK_DBG_LAYER_ACTION_LOG_MSG\n\
         khronos_validation.log_filename = {}\n\
         khronos_validation.report_flags = error,warn\n\
         khronos_validation.enables = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT\n\
         khronos_validation.validate_sync = true\n",
        messages.display()
    )
}

/// What was read of the messages.
#[derive(Debug, Default)]
struct Reader {
    offset: u64,
    /// Text of a message whose end is not there yet.
    begun: String,
    counts: Counts,
}

impl Reader {
    /// Reads what is new. At the last time, what is begun is complete.
    fn read(&mut self, path: &Path, last: bool) -> io::Result<()> {
        let mut file = File::open(path)?;
        self.counts.is_there = true;
        // Another process of the program began the file anew.
        if file.metadata()?.len() < self.offset {
            self.offset = 0;
        }
        file.seek(SeekFrom::Start(self.offset))?;
        let mut bytes = Vec::new();
        self.offset += file.read_to_end(&mut bytes)? as u64;
        self.begun.push_str(&String::from_utf8_lossy(&bytes));
        for (level, id, text) in self.take(last) {
            self.counts.note(level, &id, &text);
        }
        Ok(())
    }

    /// The messages that are complete: those before which another begins, or all at the last time.
    fn take(&mut self, last: bool) -> Vec<(Level, String, String)> {
        let text = std::mem::take(&mut self.begun);
        let begins: Vec<usize> = lines(&text).filter(|(_, line)| kind(line).is_some()).map(|(at, _)| at).collect();
        let end = if last { text.len() } else { begins.last().copied().unwrap_or(0) };
        let ends = begins.iter().skip(1).copied().chain([end]);
        let found = begins.iter().zip(ends).filter(|(begin, end)| *begin < end);
        let found = found.filter_map(|(&begin, end)| parse(&text[begin..end])).collect();
        self.begun = text[end..].to_owned();
        found
    }
}

/// The lines of a text, and where they begin.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        at += line.len();
        (at - line.len(), line)
    })
}

/// Whether a line begins a message, and how bad that is.
fn kind(line: &str) -> Option<(Level, usize)> {
    let find = |what: &str| line.find(what).map(|at| at + what.len());
    find("Validation Error: [ ")
        .map(|at| (Level::Error, at))
        .or_else(|| find("Validation Warning: [ ").map(|at| (Level::Warning, at)))
        .or_else(|| find("Validation Performance Warning: [ ").map(|at| (Level::Warning, at)))
}

/// Level, id and text of a message, which goes over several lines. Between the two stand the objects, as numbers of the process.
fn parse(message: &str) -> Option<(Level, String, String)> {
    let (level, at) = kind(message.lines().next()?)?;
    let (id, rest) = message[at..].split_once(" ]")?;
    let text = rest.split_once("MessageID = ").map_or(rest, |(_, behind)| {
        // The number ends at a bar or at the line's end.
        behind.split_once(['|', '\n']).map_or("", |(_, text)| text)
    });
    let words: Vec<&str> = text.split_whitespace().collect();
    let objects = words.iter().position(|word| *word == "Objects:").unwrap_or(words.len());
    Some((level, id.trim().to_owned(), words[..objects].join(" ")))
}

impl Counts {
    fn note(&mut self, level: Level, id: &str, text: &str) {
        if ours::is_excused(id, text) {
            self.excused += 1;
            return;
        }
        *(if level == Level::Error { &mut self.errors } else { &mut self.warnings }) += 1;
        let shown = self.kinds.entry(id.to_owned()).or_default();
        *shown += 1;
        if *shown <= SHOWN {
            let more = if *shown == SHOWN { " (the next ones are only counted)" } else { "" };
            reprise_log::say(level, format_args!("Vulkan validation {level}: {id}: {text}{more}"));
        }
    }
}

#[cfg(test)]
#[path = "validation/tests.rs"]
mod tests;
