//! The workbench of these tests: a folder of its own for each, the program, a capture of a real program.

use reprise_testing::{Display, Finished, Hook, artifact, missing, program, require};
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// Nothing in these tests takes as long, unless it hangs.
pub(crate) const PATIENCE: Duration = Duration::from_secs(300);

/// A folder that disappears with the test, and `reprise` running in it.
pub(crate) struct Bench {
    pub(crate) folder: PathBuf,
}

impl Bench {
    pub(crate) fn new() -> Bench {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = artifact::target().join("tests").join(format!("{}-{number}", std::process::id()));
        // What a test that failed has left there, under the same process id.
        ["", "hook", "work"].iter().for_each(|name| _ = std::fs::remove_dir_all(folder.with_extension(name)));
        std::fs::create_dir_all(&folder).unwrap();
        Bench { folder }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// `reprise`, ready to be given arguments.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_reprise"));
        command.current_dir(&self.folder).env("REPRISE_CAPTURE_LIBRARY", artifact::capture_library().unwrap());
        // What is captured and replayed here has small heaps.
        let (views, few) = artifact::FEW_VIEWS;
        command.env_remove("DISPLAY").env(views, few);
        command
    }

    /// Runs `reprise` to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Finished {
        let finished = program::run(self.command().args(arguments), PATIENCE).unwrap();
        assert!(!finished.timed_out, "reprise {arguments:?} hangs");
        finished
    }

    /// Runs `reprise`, which must succeed, and gives its standard output.
    pub(crate) fn output(&self, arguments: &[&str]) -> String {
        let finished = self.run(arguments);
        assert!(finished.status.success(), "reprise {arguments:?}: {}\n{}", finished.status, finished.errors());
        finished.text()
    }

    /// The names of all files in the folder, sorted.
    pub(crate) fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// A hook for the next program, beside the folder: what is in the folder itself is for tests to look at.
    pub(crate) fn hook(&self) -> Option<Hook> {
        let folder = self.folder.with_extension("hook");
        std::fs::create_dir_all(&folder).unwrap();
        require(Hook::build(&folder))
    }

    /// Captures a real program under a display of its own into `trace.reprise` and `hashes.txt`, until it has presented so
    /// many frames and its window is closed. `None` when the machine lacks what that takes.
    pub(crate) fn capture(&self, name: &str, frames: u64) -> Option<(Finished, Hook)> {
        let program = require(missing::program(name, "vkd3d-demos"))?;
        let hook = self.hook()?;
        let mut command = self.command();
        command.args(["capture", "-o", "trace.reprise", "--frame-hashes", "hashes.txt", "--"]).arg(program);
        let finished = show(&mut command, &hook, frames)?;
        Some((finished, hook))
    }
}

/// Runs a program with a window until it has presented so many frames, and closes its window.
pub(crate) fn show(command: &mut Command, hook: &Hook, frames: u64) -> Option<Finished> {
    require(Display::available())?;
    let display = Display::start().unwrap();
    command.env("DISPLAY", display.name()).envs(hook.environment(None));
    let finished = std::thread::scope(|scope| {
        let closing = scope.spawn(|| {
            let shown = display.wait_for_window(PATIENCE).unwrap() && hook.wait_for_presents(frames, PATIENCE);
            display.close_windows().unwrap();
            shown
        });
        let finished = program::run(command, PATIENCE).unwrap();
        assert!(closing.join().unwrap(), "{command:?} showed no {frames} frames:\n{}", finished.errors());
        finished
    });
    assert!(!finished.timed_out, "{command:?} did not end when its window was closed");
    assert!(finished.status.success(), "{command:?}: {}\n{}", finished.status, finished.errors());
    Some(finished)
}

impl Drop for Bench {
    fn drop(&mut self) {
        // Kept for whoever looks into a failure.
        if !std::thread::panicking() {
            let _ = std::fs::remove_dir_all(&self.folder);
            let _ = std::fs::remove_dir_all(self.folder.with_extension("hook"));
        }
    }
}
