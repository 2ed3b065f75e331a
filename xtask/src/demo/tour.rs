//! What else a trace is good for, shown on the one that was just made: a frame draw by draw, frames cut out, a hang named, a
//! question, the page in a browser.
//!
//! Invariant: each stop has the command as a person would type it in the folder of the demo, and what that command really said.

use super::picture;
use anyhow::{Context, Result, ensure};
use reprise_testing::program;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// A command that does not end by then is ended.
const PATIENCE: Duration = Duration::from_secs(120);
/// `reprise` ends so when the GPU hangs: its help has the list.
const HANG: i32 = 6;
/// Frames of the part that is cut out.
const FRAMES: u64 = 10;
/// An operation of one of the part's first frames, behind those that restore contents.
const FAULT: &str = "hang@12";
/// Lines of a report that the page shows.
const LINES: usize = 24;

/// One command of the tour.
#[derive(Clone)]
pub(super) struct Stop {
    pub(super) title: &'static str,
    pub(super) why: &'static str,
    /// What a person types.
    pub(super) command: String,
    pub(super) said: String,
    /// A PNG that the command made.
    pub(super) picture: Option<Vec<u8>>,
}

/// Where commands run, and which program they are.
pub(super) struct Tour<'a> {
    pub(super) reprise: &'a Path,
    pub(super) folder: &'a Path,
}

/// Takes the tour with the trace of this name in `folder`, of which the frames up to `frame` are cut out.
///
/// # Errors
/// A command fails, or a frame of the part is another one than in the whole trace.
pub(super) fn take(reprise: &Path, folder: &Path, trace: &str, frame: u64, hashes: &Path) -> Result<Vec<Stop>> {
    let tour = Tour { reprise, folder };
    let part = "part.reprise";
    let mut stops = vec![tour.draws(trace, frame)?, tour.cut(trace, frame, part, hashes)?, tour.hang(part)?];
    stops.push(tour.question(trace)?);
    stops.push(tour.page(trace)?);
    tell(&stops);
    Ok(stops)
}

/// Says which commands ran.
pub(super) fn tell(stops: &[Stop]) {
    for stop in stops {
        println!("demo: {}: {}", stop.title, stop.command);
    }
}

impl Tour<'_> {
    pub(super) fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(self.reprise);
        command.args(words).current_dir(self.folder).env_remove("DISPLAY").env("VKD3D_DEBUG", "none");
        let path = std::env::var_os("PATH").unwrap_or_default();
        // A folder whose name has a colon cannot be in a PATH: programs in it are not found, and said to be missing.
        if let Ok(path) = std::env::join_paths(self.places().chain(std::env::split_paths(&path))) {
            command.env("PATH", path);
        }
        command
    }

    /// Runs a command that has to succeed; gives what it said on both of its outputs.
    pub(super) fn run(&self, words: &[&str]) -> Result<String> {
        let finished = program::run_quietly(&mut self.command(words), PATIENCE)?;
        let status = finished.status;
        ensure!(status.success(), "{} ended with {status}:\n{}", typed(words), finished.errors());
        Ok(format!("{}{}", finished.errors(), finished.text()).trim().to_owned())
    }

    fn draws(&self, trace: &str, frame: u64) -> Result<Stop> {
        let (number, picture) = (frame.to_string(), "draws.png");
        let words = ["draws", "--frame", &number, "-o", picture, trace];
        Ok(Stop {
            title: "A frame, draw by draw",
            why: "The target after each command that changes it.",
            command: typed(&words),
            said: self.run(&words)?,
            picture: Some(picture::read(&self.folder.join(picture))?),
        })
    }

    /// Cuts out the frames up to `frame`: [`FRAMES`] of them, so that what hangs in the first is waited for in the next.
    fn cut(&self, trace: &str, frame: u64, part: &str, hashes: &Path) -> Result<Stop> {
        let first = frame.saturating_sub(FRAMES - 1).max(1);
        let range = format!("{first}-{frame}");
        let words = ["trim", "--force", "--frames", &range, "-o", part, trace];
        let said = self.run(&words)?;
        let played = "frame.txt";
        self.run(&["replay", "--frame-hashes", played, part])?;
        let read = |path: &Path| std::fs::read_to_string(path).with_context(|| path.display().to_string());
        let (one, all) = (read(&self.folder.join(played))?, read(hashes)?);
        let frames_of = |text: &str| -> Vec<(u64, String)> {
            let words = text.lines().filter_map(|line| line.split_once(' '));
            words.filter_map(|(number, hash)| Some((number.parse().ok()?, hash.to_owned()))).collect()
        };
        // Frames of a part count from 1 again.
        let (one, all) = (frames_of(&one), frames_of(&all));
        let own: Vec<(u64, String)> = one.into_iter().map(|(number, hash)| (number + first - 1, hash)).collect();
        ensure!(own.len() as u64 == frame - first + 1, "{part} has {} frames in place of {range}", own.len());
        for one in &own {
            ensure!(all.contains(one), "frame {} has another hash in {part} than in {trace}: {}", one.0, one.1);
        }
        Ok(Stop {
            title: "Frames cut out",
            why: "A trace of its own that begins with what these frames need: small enough for a bug report. Replayed, it shows \
                  the frames that the whole trace shows, by their hashes.",
            command: typed(&words),
            said,
            picture: None,
        })
    }

    fn hang(&self, part: &str) -> Result<Stop> {
        // Lavapipe keeps a processor busy as long as it waits for the event, in both plays.
        let words = ["replay", "--fence-timeout", "3", part];
        let finished = program::run_quietly(self.command(&words).env("REPRISE_FAULT", FAULT), PATIENCE)?;
        let (code, said) = (finished.status.code(), finished.text());
        ensure!(
            code == Some(HANG),
            "a replay that hangs ended with {code:?} in place of {HANG}:\n{}",
            finished.errors()
        );
        ensure!(said.contains("<=="), "no call is named:\n{said}");
        let mut lines: Vec<&str> = said.lines().take(LINES).collect();
        if said.lines().count() > LINES {
            lines.push("…");
        }
        Ok(Stop {
            title: "A hang named",
            why: "One operation waits for an event that nobody sets, as if the GPU stood still; no GPU is harmed. The report \
                  names the call, and what was bound there.",
            command: format!("REPRISE_FAULT={FAULT} {}", typed(&words)),
            said: lines.join("\n"),
            picture: None,
        })
    }

    /// `reprise query` is a program of its own, with a database engine: the demo asks it if it is there, and does not build it.
    fn question(&self, trace: &str) -> Result<Stop> {
        const QUESTION: &str =
            "SELECT method, count(*) AS calls FROM calls GROUP BY method ORDER BY calls DESC LIMIT 8";
        let words = ["query", trace, QUESTION];
        let said = if self.has("reprise-query") { self.run(&words)? } else { missing("reprise-query") };
        let command = format!("reprise query {trace} '{QUESTION}'");
        Ok(Stop {
            title: "A question in SQL",
            why: "Which methods a program calls most.",
            command,
            said,
            picture: None,
        })
    }

    /// `reprise inspect`, a web server, which the demo builds.
    fn page(&self, trace: &str) -> Result<Stop> {
        let words = ["inspect", trace];
        let said = self.opened(&words)?;
        Ok(Stop {
            title: "The trace in a browser",
            why: "Frames, calls, the state at each of them, shaders, objects, pictures.",
            command: typed(&words),
            said,
            picture: None,
        })
    }

    /// Starts the page's server, fetches the page by the link that it prints, and ends it.
    fn opened(&self, words: &[&str]) -> Result<String> {
        let mut command = self.command(words);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let mut link = String::new();
        let read = child.stdout.take().map(|output| BufReader::new(output).read_line(&mut link));
        let fetched = match read {
            Some(Ok(length)) if length > 0 => fetch(link.trim()).and_then(|page| {
                // The page is the same for every trace: what it shows comes with this answer.
                let traces = fetch(&format!("{}api/traces", link.trim()))?;
                ensure!(String::from_utf8_lossy(&traces).contains("\"calls\":"), "the page has no trace to show");
                Ok(page.len())
            }),
            _ => Err(anyhow::anyhow!("{} printed no link", typed(words))),
        };
        child.kill().context("cannot end the server")?;
        child.wait().context("cannot wait for the server")?;
        let length = fetched?;
        Ok(format!("{}\n(a page of {length} bytes, fetched by the demo, which then ended the server)", link.trim()))
    }

    /// Whether `reprise` will find the program where [`Tour::command`] lets it look.
    fn has(&self, name: &str) -> bool {
        self.places().any(|place| place.join(name).is_file())
    }

    /// Where `cargo xtask edge build` puts programs.
    fn places(&self) -> impl Iterator<Item = PathBuf> {
        let target = self.reprise.ancestors().nth(2);
        target.into_iter().flat_map(|target| ["debug", "release"].map(|profile| target.join(profile)))
    }
}

/// Fetches what is at an address of this machine.
fn fetch(link: &str) -> Result<Vec<u8>> {
    let rest = link.strip_prefix("http://").with_context(|| format!("{link:?} is no address"))?;
    let (host, path) = rest.split_once('/').with_context(|| format!("{link:?} has no path"))?;
    let path = path.split('#').next().unwrap_or(path);
    let mut stream = TcpStream::connect(host).with_context(|| format!("cannot connect to {host}"))?;
    stream.set_read_timeout(Some(Duration::from_secs(20)))?;
    write!(stream, "GET /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    ensure!(
        answer.starts_with(b"HTTP/1.1 200"),
        "{link}: {}",
        String::from_utf8_lossy(&answer[..answer.len().min(100)])
    );
    Ok(answer)
}

/// The command as it is typed.
pub(super) fn typed(words: &[&str]) -> String {
    format!("reprise {}", words.join(" "))
}

fn missing(name: &str) -> String {
    let program = name.trim_start_matches("reprise-");
    format!(
        "{name} is a program of its own that the demo does not build: `cargo xtask edge build {program}`, then `cargo xtask demo` again"
    )
}
