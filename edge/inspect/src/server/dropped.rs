//! Traces that are dropped onto the page: each is kept in a folder of its own and opened by a server of its own, which ends with this one.

use crate::answer::Refused;
use axum::body::{Body, HttpBody};
use std::fs::File;
use std::future::poll_fn;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};

/// The most bytes of a trace that is dropped.
const MOST: u64 = 64 << 30;
/// Traces that are open this way.
const OPEN: usize = 16;
/// `CREATE_NEW_PROCESS_GROUP`.
#[cfg(windows)]
const NEW_GROUP: u32 = 0x200;

/// Servers of dropped traces. Each ends when its standard input does, so when this process ends, however that is, and takes its trace along.
#[derive(Clone, Debug, Default)]
pub(super) struct Dropped(Arc<Mutex<Servers>>);

#[derive(Debug, Default)]
struct Servers {
    open: Vec<Child>,
    /// Those whose traces are on their way: each is a process and a file already.
    coming: usize,
}

/// The room of one server whose trace is on its way. Where it is let go, others may have it.
struct Room(Dropped);

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

/// A server that waits for its trace. Where it is let go, it removes what there is of the trace.
struct Waiting {
    child: Child,
    file: PathBuf,
    /// Lines of its errors. Once nobody wants them, they are this program's errors.
    said: mpsc::Receiver<String>,
    room: Room,
}

impl Waiting {
    /// Ends it: its trace does not come.
    fn let_go(self) {
        let Waiting { mut child, room, .. } = self;
        drop(child.stdin.take());
        std::thread::spawn(move || {
            let _ = child.wait();
            drop(room);
        });
    }
}

impl Dropped {
    /// Takes a trace over, and gives the link of its page.
    ///
    /// # Errors
    /// It cannot be kept, or cannot be opened.
    pub(super) async fn open(&self, name: &str, body: Body) -> Result<String, Refused> {
        let file = place(name)?;
        let folder = file.parent().map(Path::to_path_buf);
        // The server comes first: it removes the trace also where this process is killed before all of it is there.
        let opened = match self.wait(file) {
            Ok(waiting) => match receive(&waiting.file, body).await {
                Ok(()) => {
                    // Opening a trace may take a while.
                    let own = self.clone();
                    let started = tokio::task::spawn_blocking(move || own.start(waiting)).await;
                    started.unwrap_or_else(|error| Err(Refused::unavailable(error)))
                }
                Err(why) => {
                    waiting.let_go();
                    Err(why)
                }
            },
            Err(why) => Err(why),
        };
        if opened.is_err() {
            let _ = folder.map(std::fs::remove_dir_all);
        }
        opened
    }

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
                "{OPEN} traces were dropped and are open or on their way: start another reprise inspect"
            )));
        }
        servers.coming += 1;
        Ok(Room(self.clone()))
    }

    /// Starts a server for a trace that is to come.
    fn wait(&self, file: PathBuf) -> Result<Waiting, Refused> {
        let room = self.room()?;
        let own = std::env::current_exe().map_err(Refused::unavailable)?;
        let mut command = Command::new(own);
        command.args(["--until-input-ends", "--"]).arg(&file);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // Ctrl-C is for this process alone: the other one has to remove its trace first.
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
        Ok(Waiting { child, file, said, room })
    }

    /// Has a server open its trace, which is there.
    fn start(&self, mut waiting: Waiting) -> Result<String, Refused> {
        let ready = waiting.child.stdin.as_mut().map(|input| input.write_all(b".").and_then(|()| input.flush()));
        let mut link = String::new();
        // Its first line is the link; it says nothing where it ends.
        let read = waiting.child.stdout.take().map(|output| BufReader::new(output).read_line(&mut link));
        if !matches!((ready, read), (Some(Ok(())), Some(Ok(1..)))) {
            // Its errors end with it.
            let _ = waiting.child.wait();
            let said = waiting.said.recv().unwrap_or_default();
            let said = said.trim().trim_start_matches("reprise: ").to_owned();
            return Err(Refused::question(if said.is_empty() { "it cannot be opened".to_owned() } else { said }));
        }
        let Waiting { child, room, .. } = waiting;
        room.fill(child);
        Ok(link.trim().to_owned())
    }
}

/// Where a trace of this name is kept: in a folder of its own, so that its name stays.
fn place(name: &str) -> Result<PathBuf, Refused> {
    let plain = Path::new(name).file_name().and_then(|name| name.to_str()).filter(|name| !name.starts_with('.'));
    let plain = plain.ok_or_else(|| Refused::question("name is missing: the name of the trace's file"))?;
    let mut random = [0; 8];
    getrandom::fill(&mut random).map_err(Refused::unavailable)?;
    let folder = std::env::temp_dir().join(format!("reprise-dropped-{:016x}", u64::from_le_bytes(random)));
    let mut made = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut made, 0o700);
    made.create(&folder).map_err(|error| Refused::unavailable(format!("{}: {error}", folder.display())))?;
    Ok(folder.join(plain))
}

/// Writes a body to a file as it comes.
async fn receive(file: &Path, body: Body) -> Result<(), Refused> {
    let wrong = |error: std::io::Error| Refused::unavailable(format!("{}: {error}", file.display()));
    let mut written = File::create_new(file).map_err(wrong)?;
    let mut body = pin!(body);
    let mut count = 0u64;
    while let Some(frame) = poll_fn(|context| body.as_mut().poll_frame(context)).await {
        let frame = frame.map_err(|error| Refused::question(format!("the trace did not come whole: {error}")))?;
        let Ok(bytes) = frame.into_data() else { continue };
        count += bytes.len() as u64;
        if count > MOST {
            return Err(Refused::question("the trace is too large to be dropped: name it to reprise inspect"));
        }
        written.write_all(&bytes).map_err(wrong)?;
    }
    Ok(())
}
