//! The test program and the runtime it is run on.
//!
//! Invariant: the program finds the runtime under the name that it was linked with, from a folder that holds nothing else,
//! and that folder is gone afterwards.

use super::counts::Counts;
use super::heartbeat::Heartbeat;
use super::process::{self, End, Ended};
use anyhow::{Context, Result, ensure};
use reprise_testing::crash::Teller;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// The name that the program was linked with.
const LIBRARY: &str = "libvkd3d-proton-d3d12.so";
/// A name that no test has: selects nothing.
const NO_TEST: &str = "no_test_has_this_name";
/// Listing needs no device.
const LISTING: Duration = Duration::from_secs(20);

/// A test program with a runtime.
#[derive(Debug)]
pub(super) struct Suite {
    program: PathBuf,
    /// Holds the link to the runtime, and what captures write.
    folder: PathBuf,
    search: OsString,
    /// Tells whose crash it was.
    teller: Teller,
    logs: PathBuf,
    /// Tells tests that hang from those that wait for a GPU that has stopped.
    heartbeat: Option<Heartbeat>,
}

impl Suite {
    /// Prepares a run; logs go into the folder `logs`.
    pub(super) fn open(program: &Path, library: &Path, logs: &Path) -> Result<Suite> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let program = program.canonicalize().with_context(|| format!("no test program {}", program.display()))?;
        let library = library.canonicalize().with_context(|| format!("no library {}", library.display()))?;
        ensure!(library.is_file(), "{} is no library", library.display());
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("reprise-conformance-{}-{number}", std::process::id()));
        std::fs::create_dir(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let tellers = folder.join("teller");
        std::fs::create_dir(&tellers).with_context(|| format!("cannot make {}", tellers.display()))?;
        let teller = Teller::build(&tellers)?;
        let mut suite =
            Suite { program, folder, search: OsString::new(), teller, logs: logs.to_path_buf(), heartbeat: None };
        let link = suite.folder.join(LIBRARY);
        std::os::unix::fs::symlink(&library, &link).with_context(|| format!("cannot make {}", link.display()))?;
        // A runtime of several libraries has the others beside it.
        let beside = library.parent().map(Path::to_path_buf);
        let inherited = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
        let inherited = std::env::split_paths(&inherited).filter(|path| !path.as_os_str().is_empty());
        let paths = std::iter::once(suite.folder.clone()).chain(beside).chain(inherited);
        suite.search = std::env::join_paths(paths).context("a folder's name has a colon")?;
        Ok(suite)
    }

    /// From now on a silent heartbeat means that the GPU has stopped.
    pub(super) fn watch(&mut self, heartbeat: Heartbeat) {
        self.heartbeat = Some(heartbeat);
    }

    /// The names of the tests that have one of the parts in their names; all if there are no parts.
    pub(super) fn list(&self, parts: &[String]) -> Result<Vec<String>> {
        let mut command = self.command(None);
        let ended = process::run(command.arg("--list-tests"), LISTING, &self.logs.join("list.txt"), None)?;
        ensure!(
            ended.end == End::Code(0),
            "{} --list-tests: {:?}\n{}",
            self.program.display(),
            ended.end,
            ended.output.trim_end()
        );
        let name = |line: &&str| !line.is_empty() && line.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let wanted = |line: &&str| parts.is_empty() || parts.iter().any(|part| line.contains(part.as_str()));
        Ok(ended.output.lines().map(str::trim).filter(name).filter(wanted).map(str::to_owned).collect())
    }

    /// How many checks the program makes when no test is selected, or 0 if it does not get so far: then no test does.
    pub(super) fn base(&self, timeout: Duration) -> Result<u64> {
        let ended = process::run(
            self.command(None).env("VKD3D_TEST_MATCH", NO_TEST),
            timeout,
            &self.log("none"),
            self.heartbeat.as_ref(),
        )?;
        Ok(Counts::find(&ended.output).map_or(0, |counts| counts.executed))
    }

    /// Runs one test.
    pub(super) fn run(&self, test: &str, timeout: Duration) -> Result<Ended> {
        let mut command = self.command(None);
        process::run(command.env("VKD3D_TEST_MATCH", test), timeout, &self.log(test), self.heartbeat.as_ref())
    }

    /// Runs one test under `reprise capture`.
    pub(super) fn capture(&self, test: &str, timeout: Duration, reprise: &Path) -> Result<(Ended, Traces)> {
        // A folder of its own: each process of a test makes a trace, and a writer that is ended leaves its rings.
        let traces = Traces { folder: self.folder.join(format!("{test}.traces")) };
        std::fs::create_dir_all(&traces.folder).with_context(|| format!("cannot make {}", traces.folder.display()))?;
        let trace = traces.folder.join("trace.reprise");
        let mut command = self.command(Some((reprise, trace.as_path())));
        let log = self.log(&format!("{test}-captured"));
        let ended = process::run(command.env("VKD3D_TEST_MATCH", test), timeout, &log, self.heartbeat.as_ref())?;
        Ok((ended, traces))
    }

    /// Replays a trace of a test on a runtime: what `reprise --runtime` takes; if none, the one of the capture.
    pub(super) fn replay(
        &self,
        test: &str,
        timeout: Duration,
        reprise: &Path,
        runtime: Option<&str>,
        trace: &Path,
    ) -> Result<Ended> {
        let mut command = self.player(reprise, "replay", timeout, runtime, trace);
        command.arg("--json");
        process::run(&mut command, timeout, &self.log(&format!("{test}-replayed")), self.heartbeat.as_ref())
    }

    /// Cuts a trace of a test: submissions from the first to the last of these, into `part`.
    pub(super) fn trim(
        &self,
        test: &str,
        timeout: Duration,
        reprise: &Path,
        runtime: Option<&str>,
        (first, last): (u64, u64),
        [trace, part]: [&Path; 2],
    ) -> Result<Ended> {
        let mut command = self.player(reprise, "trim", timeout, runtime, trace);
        command.args(["--force", "--submissions", &format!("{first}-{last}"), "--output"]).arg(part);
        process::run(&mut command, timeout, &self.log(&format!("{test}-trimmed")), self.heartbeat.as_ref())
    }

    /// How many submissions a trace of a test has.
    pub(super) fn submissions(&self, test: &str, timeout: Duration, reprise: &Path, trace: &Path) -> Result<u64> {
        let mut command = Command::new(reprise);
        command.args(["dump", "--methods", "*ExecuteCommandLists", "--json"]).arg(trace);
        let ended = process::run(&mut command, timeout, &self.log(&format!("{test}-submissions")), None)?;
        let _ = std::fs::remove_file(self.log(&format!("{test}-submissions")));
        ensure!(ended.end == End::Code(0), "{test}: dump: {:?}\n{}", ended.end, ended.output);
        Ok(ended.output.lines().filter(|line| line.contains("\"method\"")).count() as u64)
    }

    /// A command of `reprise` that plays a trace.
    fn player(&self, reprise: &Path, name: &str, timeout: Duration, runtime: Option<&str>, trace: &Path) -> Command {
        let mut command = Command::new(reprise);
        let link = self.folder.join(LIBRARY).into_os_string();
        command.args([name, "--runtime"]).arg(runtime.map_or(link, OsString::from)).arg(trace);
        // Some tests give a CPU work for minutes; what hangs is ended all the same.
        command.arg("--fence-timeout").arg(timeout.as_secs().to_string());
        command.env("LD_LIBRARY_PATH", &self.search).current_dir(&self.folder);
        command.env("LD_PRELOAD", self.teller.preload());
        command
    }

    /// Where a test's output goes.
    pub(super) fn log(&self, test: &str) -> PathBuf {
        self.logs.join(format!("{test}.log"))
    }

    /// Where the program runs.
    #[cfg(test)]
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    fn command(&self, capture: Option<(&Path, &Path)>) -> Command {
        let mut command = match capture {
            None => Command::new(&self.program),
            Some((reprise, trace)) => {
                let mut command = Command::new(reprise);
                command.args(["capture", "--quiet", "--force", "--output"]).arg(trace).arg("--").arg(&self.program);
                command
            }
        };
        // The caller's selection must not become ours.
        for name in ["VKD3D_TEST_MATCH", "VKD3D_TEST_FILTER", "VKD3D_TEST_EXCLUDE"] {
            command.env_remove(name);
        }
        // Caches that a runtime keeps in the working folder go with ours.
        command.env("LD_LIBRARY_PATH", &self.search).current_dir(&self.folder);
        command.env("LD_PRELOAD", self.teller.preload());
        command
    }
}

/// What a captured test left, until it is dropped.
#[derive(Debug)]
pub(super) struct Traces {
    folder: PathBuf,
}

impl Traces {
    /// The traces, in the order of their names.
    pub(super) fn files(&self) -> Result<Vec<PathBuf>> {
        let entries = std::fs::read_dir(&self.folder).context("cannot look for traces")?;
        let paths = entries.map(|entry| Ok(entry.context("cannot look for traces")?.path()));
        let mut paths = paths.collect::<Result<Vec<PathBuf>>>()?;
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "reprise"));
        paths.sort();
        Ok(paths)
    }
}

impl Drop for Traces {
    fn drop(&mut self) {
        // What the writer still does there goes with the whole folder.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

impl Drop for Suite {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
