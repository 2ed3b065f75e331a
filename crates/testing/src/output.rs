//! What a program says: its pipes, read on threads of their own.

use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// What is read from a pipe, on a thread of its own.
pub(crate) struct Drain {
    bytes: Arc<Mutex<Vec<u8>>>,
    thread: JoinHandle<()>,
}

/// Reads a pipe to its end.
pub(crate) fn drain(pipe: Option<impl Read + Send + 'static>) -> Drain {
    let bytes = Arc::new(Mutex::new(Vec::new()));
    let taken = Arc::clone(&bytes);
    let thread = std::thread::spawn(move || {
        let Some(mut pipe) = pipe else { return };
        let mut part = [0; 1 << 14];
        // What was read before an error is still the program's output.
        loop {
            match pipe.read(&mut part) {
                Ok(length @ 1..) => taken.lock().unwrap_or_else(PoisonError::into_inner).extend(&part[..length]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Ok(_) | Err(_) => return,
            }
        }
    });
    Drain { bytes, thread }
}

impl Drain {
    /// What has come until now.
    pub(crate) fn so_far(&self) -> Vec<u8> {
        self.bytes.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What came, and whether that is all: whether the pipe was closed by everybody before the deadline.
    pub(crate) fn bytes(self, deadline: Duration) -> (Vec<u8>, bool) {
        let started = Instant::now();
        while !self.thread.is_finished() && started.elapsed() < deadline {
            std::thread::sleep(Duration::from_millis(1));
        }
        let whole = self.thread.is_finished();
        (std::mem::take(&mut *self.bytes.lock().unwrap_or_else(PoisonError::into_inner)), whole)
    }
}

/// The lines that a program says while it runs, as far as it is text.
#[derive(Debug)]
pub struct Lines(mpsc::Receiver<String>);

/// Reads a pipe line by line, on a thread of its own.
pub fn lines(pipe: Option<impl Read + Send + 'static>) -> Lines {
    let (sender, lines) = mpsc::channel();
    std::thread::spawn(move || {
        for line in pipe.into_iter().flat_map(|pipe| BufReader::new(pipe).lines()).map_while(|line| line.ok()) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    Lines(lines)
}

impl Lines {
    /// Waits for a line that contains a text.
    ///
    /// # Errors
    /// The lines that came instead, until the end of the output or the deadline.
    pub fn wait_for(&self, text: &str, deadline: Duration) -> std::result::Result<(), String> {
        let (started, mut others) = (Instant::now(), String::new());
        while let Ok(line) = self.0.recv_timeout(deadline.saturating_sub(started.elapsed())) {
            if line.contains(text) {
                return Ok(());
            }
            others += &line;
            others.push('\n');
        }
        Err(format!("it does not say {text:?}, but:\n{others}"))
    }
}
