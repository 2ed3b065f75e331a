//! A folder with a golden trace in it, and `reprise` running there.

use crate::set::Golden;
use reprise_testing::{artifact, missing, program, require};
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// Nothing in these tests takes as long, unless it hangs.
const PATIENCE: Duration = Duration::from_secs(300);

/// A folder that disappears with the test. The trace in it is `trace.reprise`, as when it was recorded.
pub(crate) struct Place(PathBuf);

impl Place {
    pub(crate) fn with(golden: &Golden) -> Place {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let place = Place(artifact::target().join("tests").join(format!("golden-{}-{number}", std::process::id())));
        let _ = std::fs::remove_dir_all(&place.0); // Of a process that had this number and failed.
        std::fs::create_dir_all(&place.0).unwrap();
        std::fs::copy(golden.path(".reprise"), place.path("trace.reprise")).unwrap();
        if golden.rings {
            std::fs::create_dir(place.path("trace.reprise.rings")).unwrap();
            for entry in std::fs::read_dir(golden.path(".session")).unwrap().map(|entry| entry.unwrap()) {
                let name = entry.file_name().into_string().unwrap();
                let content = zstd::decode_all(std::fs::File::open(entry.path()).unwrap()).unwrap();
                let name = name.strip_suffix(".zst").unwrap();
                std::fs::write(place.path("trace.reprise.rings").join(name), content).unwrap();
            }
        }
        place
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Runs `reprise` to its end: what it printed, and its exit code.
    pub(crate) fn said(&self, arguments: &[&str]) -> (String, i32) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_reprise"));
        command.current_dir(&self.0).args(arguments).env_remove("DISPLAY").env("VKD3D_DEBUG", "none");
        let finished = program::run(&mut command, PATIENCE).unwrap();
        assert!(!finished.timed_out, "reprise {arguments:?} hangs");
        (finished.text(), finished.status.code().unwrap_or_else(|| panic!("{arguments:?}: {}", finished.status)))
    }

    /// Whether the runtime of the capture is there to verify on: ours always is.
    pub(crate) fn has_runtime_of(&self, golden: &Golden) -> bool {
        let runtime = golden.info()["runtime"].as_str().unwrap_or_default().to_owned();
        let debian = || missing::file(&["/usr/lib/x86_64-linux-gnu/libvkd3d-utils.so.1"], "libvkd3d-utils1");
        !runtime.contains("libvkd3d-utils") || require(debian()).is_some()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // Kept for whoever looks into a failure.
        if !std::thread::panicking() {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }
}
