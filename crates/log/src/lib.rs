//! What the processes of this project say to people: lines on standard error, and in a file where one is wanted.
//!
//! [`set`] or the environment tells a process once which messages are wanted and where they go. The launcher uses the environment to hand
//! its own options on to the libraries in the captured program and to the writer.
//!
//! Invariants: one write puts out a whole line, so several processes may share the file. The file is open during that write only,
//! because a captured program may close any descriptor. Where standard error or the file cannot be written to, the line is lost: the
//! caller gets no error, and the program no signal (`SIGPIPE`, `SIGXFSZ`).
//!
//! ```
//! use reprise_log::{Level, Settings};
//!
//! let level: Level = "warning".parse()?;
//! reprise_log::set(Settings { level, file: None });
//! reprise_log::warning("the file is not there: nothing is recorded");
//! assert!(!reprise_log::wants(Level::Info));
//! # Ok::<(), String>(())
//! ```

use std::ffi::OsString;
use std::fmt::{self, Display};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::{Mutex, OnceLock, PoisonError};

use reprise_environment::log::{FILE, LEVEL};

mod signals;
pub use signals::without_signals;

/// How much a line matters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Decisions, and reasons for what a call answers.
    Debug,
    /// What goes on.
    #[default]
    Info,
    /// Something is not as wanted, and work goes on.
    Warning,
    /// Something failed that was asked for.
    Error,
    /// What ends the process.
    Fatal,
}

impl Level {
    /// All, from the least.
    pub const ALL: [Level; 5] = [Level::Debug, Level::Info, Level::Warning, Level::Error, Level::Fatal];

    fn name(self) -> &'static str {
        match self {
            Level::Debug => "debug",
            Level::Info => "info",
            Level::Warning => "warning",
            Level::Error => "error",
            Level::Fatal => "fatal",
        }
    }
}

impl Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Level {
    type Err = String;

    fn from_str(text: &str) -> Result<Level, String> {
        let found = Level::ALL.into_iter().find(|level| level.name().eq_ignore_ascii_case(text));
        found.ok_or_else(|| format!("{text:?} is none of: {}", Level::ALL.map(Level::name).join(", ")))
    }
}

/// What is said where.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Lines below are dropped.
    pub level: Level,
    /// Lines are appended here, too.
    pub file: Option<PathBuf>,
}

static SETTINGS: OnceLock<Settings> = OnceLock::new();

/// Says what this process's settings are; `false`: too late, some are in use.
pub fn set(settings: Settings) -> bool {
    SETTINGS.set(settings).is_ok()
}

fn settings() -> &'static Settings {
    SETTINGS.get_or_init(|| {
        let text = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        let level = text(LEVEL).and_then(|level| level.to_str()?.parse().ok());
        Settings { level: level.unwrap_or_default(), file: text(FILE).map(|file| reprise_environment::path(&file)) }
    })
}

/// The variables that tell another process the same.
pub fn environment() -> Vec<(&'static str, OsString)> {
    let Settings { level, file } = settings();
    let file = file.as_ref().map(|file| (FILE, file.clone().into_os_string()));
    [(LEVEL, level.name().into())].into_iter().chain(file).collect()
}

/// Whether lines of this level are said: for those that cost something to make.
pub fn wants(level: Level) -> bool {
    level >= settings().level
}

/// Who hears lines beside people, whatever level they want.
static LISTENER: OnceLock<fn(Level, &str)> = OnceLock::new();

/// All lines from [`Level::Info`] on are given to this function, too; the first one stays. It must not say lines of these levels.
pub fn listen(listener: fn(Level, &str)) {
    let _ = LISTENER.set(listener);
}

/// Whether somebody [listens](listen).
pub fn is_heard() -> bool {
    LISTENER.get().is_some()
}

/// Says a line.
#[cold]
pub fn say(level: Level, text: impl Display) {
    let settings = settings();
    let listener = LISTENER.get().filter(|_| level >= Level::Info);
    if level < settings.level && listener.is_none() {
        return;
    }
    let text = text.to_string();
    if let Some(listener) = listener {
        listener(level, &text);
    }
    if level < settings.level {
        return;
    }
    let line = format!("reprise: {text}\n");
    let _ = without_signals(|| std::io::stderr().write_all(line.as_bytes()));
    let Some(file) = &settings.file else { return };
    if let Ok(mut file) = OpenOptions::new().append(true).create(true).open(file) {
        let line = format!("{level:<7} [{}] {text}\n", std::process::id());
        let _ = without_signals(|| file.write_all(line.as_bytes()));
    }
}

/// [`say`] at [`Level::Debug`]; the text is made only where such lines are wanted.
pub fn debug(text: impl FnOnce() -> String) {
    if wants(Level::Debug) {
        say(Level::Debug, text());
    }
}

/// [`say`] at [`Level::Warning`], once a process for each `what`; `how` stands before it.
#[cold]
pub fn warning_once(how: &str, what: &'static str) {
    static SAID: Mutex<Vec<&str>> = Mutex::new(Vec::new());
    let first = {
        let mut said = SAID.lock().unwrap_or_else(PoisonError::into_inner);
        let first = !said.contains(&what);
        if first {
            said.push(what);
        }
        first
    };
    // Without the lock: who listens may be told of something else meanwhile.
    if first {
        warning(format_args!("{how} {what}"));
    }
}

/// [`say`] at [`Level::Info`].
pub fn info(text: impl Display) {
    say(Level::Info, text);
}

/// [`say`] at [`Level::Warning`].
pub fn warning(text: impl Display) {
    say(Level::Warning, text);
}

/// [`say`] at [`Level::Error`].
pub fn error(text: impl Display) {
    say(Level::Error, text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_ordered_and_read_as_they_are_written() {
        assert!(Level::ALL.is_sorted());
        for level in Level::ALL {
            assert_eq!(level.to_string().parse(), Ok(level));
            assert_eq!(level.to_string().to_uppercase().parse(), Ok(level));
        }
        assert!("warn".parse::<Level>().is_err_and(|message| message.contains("warning, error")));
        assert_eq!(Level::default(), Level::Info);
    }

    /// The one test of this process's settings.
    #[test]
    fn a_file_has_lines_from_its_level_on() {
        let folder = tempfile::tempdir().expect("a folder in the temporary folder");
        let file = folder.path().join("log");
        let wanted = Settings { level: Level::Warning, file: Some(file.clone()) };
        assert!(set(wanted.clone()) && !set(Settings::default()));
        assert!(!wants(Level::Info) && wants(Level::Warning));
        info("too little");
        warning(format_args!("number {}", 1));
        say(Level::Fatal, "the end");
        let process = std::process::id();
        let expected = format!("warning [{process}] number 1\nfatal   [{process}] the end\n");
        assert_eq!(std::fs::read_to_string(&file).ok(), Some(expected));
        assert_eq!(environment(), [(LEVEL, "warning".into()), (FILE, file.into_os_string())]);
    }
}
