//! Other servers that this one starts: of a trace that is dropped onto the page, and of the same trace with other frames. Each is a process of
//! its own with a link of its own.
//!
//! Invariant: each ends with this one, because its standard input does, however that is.

use crate::answer::Refused;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};

/// Servers that are open this way.
const OPEN: usize = 16;
/// `CREATE_NEW_PROCESS_GROUP`.
#[cfg(windows)]
const NEW_GROUP: u32 = 0x200;

/// The servers that this one started.
#[derive(Clone, Debug, Default)]
pub(super) struct Others(Arc<Mutex<Servers>>);

#[derive(Debug, Default)]
struct Servers {
    open: Vec<Child>,
    /// Those that are on their way: each is a process already.
    coming: usize,
}

/// The room of one server that is on its way. Where it is let go, others may have it.
struct Room(Others);

impl Room {
    /// Its server is open from here on.
    fn fill(self, child: Child) {
        self.0.servers().open.push(child);
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        self.0.servers().coming -= 1;
    }
}

/// A server that waits until it may open its trace.
pub(super) struct Waiting {
    child: Child,
    /// Lines of its errors. Once nobody wants them, they are this program's errors.
    said: mpsc::Receiver<String>,
    room: Room,
}

impl Others {
    fn servers(&self) -> MutexGuard<'_, Servers> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps room for one more.
    ///
    /// # Errors
    /// As many are open, or on their way, as may be.
    fn room(&self) -> Result<Room, Refused> {
        let mut servers = self.servers();
        servers.open.retain_mut(|child| matches!(child.try_wait(), Ok(None)));
        if servers.open.len() + servers.coming >= OPEN {
            return Err(Refused::busy(format!(
                "{OPEN} pages that this one opened are open or on their way: start another reprise inspect"
            )));
        }
        servers.coming += 1;
        Ok(Room(self.clone()))
    }

    /// Starts a server with these arguments. It waits until [`Waiting::start`].
    ///
    /// # Errors
    /// There is no room for it, or no process can be started.
    pub(super) fn wait(&self, arguments: &[OsString]) -> Result<Waiting, Refused> {
        let room = self.room()?;
        let own = std::env::current_exe().map_err(Refused::unavailable)?;
        let mut command = Command::new(own);
        command.arg("--until-input-ends").args(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // Ctrl-C is for this process alone: the other one may have to remove its trace first.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        #[cfg(windows)]
        std::os::windows::process::CommandExt::creation_flags(&mut command, NEW_GROUP);
        let mut child = command.spawn().map_err(Refused::unavailable)?;
        let errors = child.stderr.take();
        let (sender, said) = mpsc::channel::<String>();
        std::thread::spawn(move || {
            for line in errors.map(|errors| BufReader::new(errors).lines()).into_iter().flatten().map_while(Result::ok)
            {
                if let Err(unsent) = sender.send(line) {
                    eprintln!("{}", unsent.0);
                }
            }
        });
        Ok(Waiting { child, said, room })
    }
}

impl Waiting {
    /// Has it open its trace; gives its link. This may take a while.
    ///
    /// # Errors
    /// It cannot be opened, with the reason that it gave.
    pub(super) fn start(mut self) -> Result<String, Refused> {
        let ready = self.child.stdin.as_mut().map(|input| input.write_all(b".").and_then(|()| input.flush()));
        let mut link = String::new();
        // Its first line is the link; it says nothing where it ends.
        let read = self.child.stdout.take().map(|output| BufReader::new(output).read_line(&mut link));
        if !matches!((ready, read), (Some(Ok(())), Some(Ok(1..)))) {
            // Its errors end with it.
            let _ = self.child.wait();
            let said = self.said.recv().unwrap_or_default();
            let said = said.trim().trim_start_matches("reprise: ").to_owned();
            return Err(Refused::question(if said.is_empty() { "it cannot be opened".to_owned() } else { said }));
        }
        let Waiting { child, room, .. } = self;
        room.fill(child);
        Ok(link.trim().to_owned())
    }

    /// Ends it: its trace does not come.
    pub(super) fn let_go(self) {
        let Waiting { mut child, room, .. } = self;
        drop(child.stdin.take());
        std::thread::spawn(move || {
            let _ = child.wait();
            drop(room);
        });
    }
}
