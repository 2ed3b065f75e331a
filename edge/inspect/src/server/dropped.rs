//! Traces that are dropped onto the page: each is kept in a folder of its own and opened by a server of its own, which removes it when it ends.

use super::others::Others;
use crate::answer::Refused;
use axum::body::{Body, HttpBody};
use std::fs::File;
use std::future::poll_fn;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::pin::pin;

/// The most bytes of a trace that is dropped.
const MOST: u64 = 64 << 30;

/// Takes a trace over, and gives the link of its page.
///
/// # Errors
/// It cannot be kept, or cannot be opened.
pub(super) async fn open(others: &Others, name: &str, body: Body) -> Result<String, Refused> {
    let file = place(name)?;
    let folder = file.parent().map(Path::to_path_buf);
    // The server comes first: it removes the trace also where this process is killed before all of it is there.
    let opened = match others.wait(&["--dropped".into(), "--".into(), file.clone().into()]) {
        Ok(waiting) => match receive(&file, body).await {
            Ok(()) => {
                let started = tokio::task::spawn_blocking(move || waiting.start()).await;
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
