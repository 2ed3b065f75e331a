//! Whether the comparison is still wanted: whoever started it may let it end, with all its replays, by closing its standard input.

use std::io::{self, Read};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

static UNWANTED: AtomicBool = AtomicBool::new(false);

/// How often a replay is asked whether it has ended.
const STEP: Duration = Duration::from_millis(5);

/// From now on the comparison ends with standard input.
pub(crate) fn until_input_ends() {
    std::thread::spawn(|| {
        // An error is an end, too.
        let _ = io::copy(&mut io::stdin(), &mut io::sink());
        UNWANTED.store(true, Ordering::Relaxed);
    });
}

/// Whether it is.
pub(super) fn is_wanted() -> bool {
    !UNWANTED.load(Ordering::Relaxed)
}

/// What a command says by its end, as [`Command::output`]; it is ended as soon as nobody wants it.
///
/// # Errors
/// It cannot be started, or nobody wants it any more.
pub(super) fn output(command: &mut Command) -> io::Result<Output> {
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let (stdout, stderr) = (reading(child.stdout.take()), reading(child.stderr.take()));
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if !is_wanted() {
            let _ = child.kill();
            child.wait()?;
            return Err(io::Error::other("standard input has ended, and with it the comparison"));
        }
        std::thread::sleep(STEP);
    };
    let (stdout, stderr) = (stdout.join().unwrap_or_default(), stderr.join().unwrap_or_default());
    Ok(Output { status, stdout, stderr })
}

fn reading(from: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // An error ends the output like its end does.
        let _ = from.map(|mut from| from.read_to_end(&mut bytes));
        bytes
    })
}
