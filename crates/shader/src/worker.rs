//! Translation in a process of its own, which may die.
//!
//! The host starts a program that calls [`serve`] and talks to it through its standard input and output: a request is its
//! length (u32, little-endian) and its bytes, an answer likewise, one after the other. When the process dies, answers
//! nonsense or does not answer in time, the shader at hand fails with [`TranslateError::Worker`], and the next one gets a
//! new process. Threads that translate at the same time have a process each. The worker limits its own memory and time, so that a hostile shader cannot take the machine's.

use std::io::{self, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crate::node::{Node, nodes};
use crate::wire::Request;
use crate::{Interface, Library, Link, Spirv, Stage, Target, TranslateError, library, translate, wire};

/// Largest message, in bytes; no shader comes near.
const MESSAGE_LIMIT: u32 = 256 << 20;
/// Address space of a worker, in bytes.
#[cfg(unix)]
const MEMORY_LIMIT: u64 = 4 << 30;
/// The longest that the host waits for one shader.
const PATIENCE: Duration = Duration::from_secs(60);

/// Translates in other processes: as many as there are threads that translate at the same time.
pub struct Worker {
    command: Box<dyn Fn() -> Command + Send + Sync>,
    patience: Duration,
    /// Processes that have nothing to do.
    idle: Mutex<Vec<Process>>,
}

impl core::fmt::Debug for Worker {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Worker").finish_non_exhaustive()
    }
}

/// A running worker.
struct Process {
    child: Child,
    input: ChildStdin,
    answers: Receiver<io::Result<Vec<u8>>>,
}

impl Worker {
    /// A worker that is started with this command when it is first needed; the program must call [`serve`].
    pub fn new(command: impl Fn() -> Command + Send + Sync + 'static) -> Worker {
        Worker { command: Box::new(command), patience: PATIENCE, idle: Mutex::default() }
    }

    /// Sets how long one shader may take.
    #[must_use]
    pub fn patience(self, patience: Duration) -> Worker {
        Worker { patience, ..self }
    }

    /// As [`crate::translate`], elsewhere.
    ///
    /// # Errors
    /// Those of [`crate::translate`], and [`TranslateError::Worker`] when the process failed.
    pub fn translate(
        &self,
        blob: &[u8],
        stage: Stage,
        interface: &Interface,
        link: &Link,
        target: &Target,
    ) -> Result<Spirv, TranslateError> {
        // Spares the way for what is refused anyway.
        crate::verify(blob)?;
        self.ask(&wire::request(blob, stage, interface, link, target), wire::read_answer)
    }

    /// As [`crate::library`], elsewhere.
    ///
    /// # Errors
    /// Those of [`crate::library`], and [`TranslateError::Worker`] when the process failed.
    pub fn library(&self, blob: &[u8]) -> Result<Library, TranslateError> {
        crate::verify(blob)?;
        self.ask(&wire::library_request(blob), wire::read_library_answer)
    }

    /// As [`crate::nodes`], elsewhere.
    ///
    /// # Errors
    /// Those of [`crate::nodes`], and [`TranslateError::Worker`] when the process failed.
    pub fn nodes(&self, blob: &[u8]) -> Result<Vec<Node>, TranslateError> {
        crate::verify(blob)?;
        self.ask(&wire::nodes_request(blob), wire::read_nodes_answer)
    }

    /// Asks a process that has nothing to do, or a new one.
    fn ask<T>(
        &self,
        request: &[u8],
        read: fn(&[u8]) -> Option<Result<T, TranslateError>>,
    ) -> Result<T, TranslateError> {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = idle().pop();
        let mut process = match waiting {
            Some(process) => process,
            None => Process::start((self.command)())
                .map_err(|error| TranslateError::Worker(format!("could not be started: {error}")))?,
        };
        match process.ask(request, self.patience) {
            Ok(answer) => match read(&answer) {
                Some(result) => {
                    idle().push(process);
                    result
                }
                None => Err(TranslateError::Worker("gave an answer that is none".to_owned())),
            },
            Err(why) => Err(TranslateError::Worker(process.end(why))),
        }
    }
}

/// Why a process did not answer.
enum Silence {
    Late(Duration),
    Gone,
}

impl Process {
    fn start(mut command: Command) -> io::Result<Process> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let gone = || io::Error::from(io::ErrorKind::BrokenPipe);
        let input = child.stdin.take().ok_or_else(gone)?;
        let mut output = child.stdout.take().ok_or_else(gone)?;
        let (sender, answers) = mpsc::channel();
        // Reading a pipe has no time limit of its own; the thread ends with the pipe.
        thread::Builder::new().name("reprise-translate".to_owned()).spawn(move || {
            loop {
                let message = read_message(&mut output);
                let last = message.is_err();
                if sender.send(message).is_err() || last {
                    return;
                }
            }
        })?;
        Ok(Process { child, input, answers })
    }

    fn ask(&mut self, request: &[u8], patience: Duration) -> Result<Vec<u8>, Silence> {
        // A worker reads whole requests before it works, so this does not block on one that is alive.
        write_message(&mut self.input, request).map_err(|_| Silence::Gone)?;
        match self.answers.recv_timeout(patience) {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => Err(Silence::Gone),
            Err(RecvTimeoutError::Timeout) => Err(Silence::Late(patience)),
        }
    }

    /// Ends the process, and says what became of it.
    fn end(mut self, why: Silence) -> String {
        if let Silence::Late(patience) = why {
            let _ = self.child.kill();
            let _ = self.child.wait();
            return format!("did not answer within {} s", patience.as_secs_f32());
        }
        match self.child.wait() {
            Ok(status) => format!("died on this shader ({status})"),
            Err(error) => format!("died on this shader ({error})"),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It holds nothing that needs an orderly end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn write_message(out: &mut impl Write, message: &[u8]) -> io::Result<()> {
    let length = u32::try_from(message.len()).ok().filter(|length| *length <= MESSAGE_LIMIT);
    let length = length.ok_or(io::ErrorKind::InvalidInput)?;
    out.write_all(&length.to_le_bytes())?;
    out.write_all(message)?;
    out.flush()
}

fn read_message(from: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length);
    if length > MESSAGE_LIMIT {
        return Err(io::ErrorKind::InvalidData.into());
    }
    // Grows with what really comes.
    let mut message = Vec::new();
    from.take(length.into()).read_to_end(&mut message)?;
    if message.len() != length as usize {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(message)
}

/// Answers requests from standard input until it ends. A program that is to be a worker calls this and nothing else.
///
/// # Errors
/// When standard input or output fail within a message.
pub fn serve() -> io::Result<()> {
    limit();
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    loop {
        let message = match read_message(&mut input) {
            Ok(message) => message,
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
            Err(error) => return Err(error),
        };
        let answer = match wire::read_request(&message) {
            Some(Request::Translate(question, blob)) => {
                let (stage, interface, link, target) = &*question;
                wire::answer(&translate(blob, *stage, interface, link, target))
            }
            Some(Request::Library(blob)) => wire::library_answer(&library(blob)),
            Some(Request::Nodes(blob)) => wire::nodes_answer(&nodes(blob)),
            None => {
                let why = "was asked something that it does not understand";
                wire::answer(&Err(TranslateError::Worker(why.to_owned())))
            }
        };
        write_message(&mut output, &answer)?;
    }
}

/// Limits this process's memory, and its traces when it dies, before it works on what a stranger made. What cannot be
/// limited is not: the host has time limits.
pub fn limit() {
    #[cfg(unix)]
    for (resource, limit) in [(libc::RLIMIT_AS, MEMORY_LIMIT), (libc::RLIMIT_CORE, 0)] {
        let limit = libc::rlimit { rlim_cur: limit, rlim_max: limit };
        // SAFETY: the structure is valid for the call.
        unsafe { libc::setrlimit(resource, &limit) };
    }
}
