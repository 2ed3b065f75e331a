//! A program under Debian's Wine, recorded by our `d3d12.dll` into a ring that this native process drains while it runs.
//!
//! What must hold for the design (rings in files, exact detection of stores to mapped memory) is asserted here against
//! what the program is known to do; nothing is compared with our own account of it.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, missing_docs)]

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use reprise_testing::{artifact, display::Display, missing, program};
use reprise_trace::record::{Kind, Record};
use reprise_trace::session::Session;

/// Nothing here takes as long, unless it hangs.
const PATIENCE: Duration = Duration::from_secs(300);
const TARGET: &str = "x86_64-pc-windows-gnu";
/// What the probe does: see `src/bin/wine_probe/probe.rs`.
const ROUNDS: usize = 40;
const PAGES_PER_ROUND: usize = 16;
const PAGE: usize = 4096;

struct Drained {
    /// (kind, number) of function records, in order.
    functions: Vec<(u8, u16)>,
    /// Offset and bytes of memory records, in order.
    memory: Vec<(u64, Vec<u8>)>,
    /// Bytes taken while the program was still running.
    bytes_live: usize,
}

#[test]
fn rings_and_write_detection_hold_under_wine() {
    let Some(wine) = missing::require(missing::file(&["/usr/lib/wine/wine64", "/usr/bin/wine64"], "wine64")) else {
        return;
    };
    let linker = missing::program("x86_64-w64-mingw32-gcc", "gcc-mingw-w64-x86-64");
    let Some(_) = missing::require(linker) else { return };
    let built = build();
    let folder = tempfile::TempDir::with_prefix("reprise-wine-").unwrap();
    let place = folder.path();
    for file in ["d3d12.dll", "wine_probe.exe"] {
        std::fs::copy(built.join(file), place.join(file)).unwrap();
    }
    assert!(!imports(&place.join("d3d12.dll")).contains("bcryptprimitives.dll"), "Wine 8 has no such library");

    let display = Display::start().unwrap();
    let wine = Wine { program: wine, prefix: place.join("prefix"), display: display.name() };
    wine.boot();
    let rings = place.join("wine.rings");
    let mut child = wine.start(&place.join("wine_probe.exe"), &rings);
    let drained = drain(&mut child, &rings);
    let status = child.wait().unwrap();
    assert!(status.success(), "the probe ended with {status}: its exit code names the step");
    drop(wine);
    check(&drained);
    folder.close().unwrap();
}

fn check(drained: &Drained) {
    let device = [(Kind::Enter as u8, 1), (Kind::Leave as u8, 1)];
    assert_eq!(drained.functions, device, "D3D12CreateDevice, entered and left, and nothing else");
    // The first store: one byte of page 3.
    let (offset, first) = &drained.memory[0];
    assert_eq!((*offset, first.len()), (3 * PAGE as u64, PAGE));
    assert!(first.iter().enumerate().all(|(i, &b)| b == if i == 5 { 0xa5 } else { 0 }), "one byte was stored");
    // The rounds: every second page, filled with a value that names round and page.
    let mut expected = Vec::new();
    for round in 0..ROUNDS {
        for page in 0..PAGES_PER_ROUND {
            expected.push(((page * 2 * PAGE) as u64, vec![(round * 5 + page) as u8; PAGE]));
        }
    }
    let split: Vec<(u64, Vec<u8>)> = drained.memory[1..]
        .iter()
        .flat_map(|(at, bytes)| bytes.chunks(PAGE).enumerate().map(move |(i, b)| (at + (i * PAGE) as u64, b.to_vec())))
        .collect();
    assert_eq!(split.len(), expected.len(), "each page stored to is recorded once a round");
    assert!(split == expected, "contents as the probe stored them");
    assert!(drained.bytes_live > 2 << 20, "{} bytes were drained while the probe ran", drained.bytes_live);
}

/// Builds the library and the probe for Windows, beside the ordinary build.
fn build() -> PathBuf {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "--release", "--package", "reprise-wine", "--target", TARGET]);
    let status = cargo.current_dir(artifact::workspace()).status().unwrap();
    assert!(status.success(), "cannot build for {TARGET}: run `cargo xtask setup`");
    artifact::target().parent().unwrap().join(TARGET).join("release")
}

/// The libraries that a DLL imports, as the cross tools list them.
fn imports(library: &Path) -> String {
    let mut objdump = Command::new("x86_64-w64-mingw32-objdump");
    let listed = program::run(objdump.arg("-p").arg(library), Duration::from_secs(60)).unwrap();
    listed.text().lines().filter(|l| l.contains("DLL Name")).collect::<Vec<_>>().join("\n").to_lowercase()
}

struct Wine {
    program: PathBuf,
    prefix: PathBuf,
    display: String,
}

impl Wine {
    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.env("WINEPREFIX", &self.prefix).env("WINEDEBUG", "-all").env("DISPLAY", &self.display);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    fn boot(&self) {
        let mut child = self.command().args(["wineboot", "--init"]).spawn().unwrap();
        let (status, timed_out) = program::wait(&mut child, PATIENCE).unwrap();
        assert!(status.success() && !timed_out, "wineboot: {status}");
    }

    fn start(&self, program: &Path, rings: &Path) -> Child {
        let mut command = self.command();
        command.arg(program).env("WINEDLLOVERRIDES", "d3d12=n,b").env("REPRISE_WINE_RINGS", rings);
        command.stdout(Stdio::inherit()).stderr(Stdio::inherit()).spawn().unwrap()
    }
}

impl Drop for Wine {
    /// Ends the prefix's own server, which would otherwise linger.
    fn drop(&mut self) {
        let server = self.program.with_file_name("wineserver");
        let server = if server.exists() { server } else { "wineserver".into() };
        let _ = Command::new(server).arg("-k").env("WINEPREFIX", &self.prefix).status();
    }
}

/// Takes every record of the first ring until the program has ended and nothing is left.
fn drain(child: &mut Child, rings: &Path) -> Drained {
    let mut drained = Drained { functions: Vec::new(), memory: Vec::new(), bytes_live: 0 };
    let started = Instant::now();
    let mut ring = None;
    let mut position = 0;
    loop {
        assert!(started.elapsed() < PATIENCE, "the probe takes too long");
        let ended = child.try_wait().unwrap().is_some();
        if ring.is_none()
            && let Ok(session) = Session::open(rings)
        {
            session.attach_writer();
            ring = session.open_ring(0).unwrap();
        }
        if let Some(ring) = &mut ring {
            let (start, head) = (position, ring.head());
            let mut bytes = Vec::new();
            assert!(ring.copy(start, head, &mut bytes));
            while position < head {
                let record = Record::parse(&bytes[(position - start) as usize..]).unwrap();
                keep(&record, &mut drained);
                position += u64::from(record.header.size);
                drained.bytes_live += if ended { 0 } else { record.header.size as usize };
                ring.release(position);
            }
        }
        if ended && ring.as_ref().is_none_or(|r| r.head() == position) {
            return drained;
        }
        std::thread::sleep(Duration::from_micros(200));
    }
}

fn keep(record: &Record<'_>, drained: &mut Drained) {
    let header = record.header;
    if header.kind == Kind::Enter as u8 || header.kind == Kind::Leave as u8 {
        drained.functions.push((header.kind, header.method));
    } else if header.kind == Kind::Memory as u8 {
        let offset = u64::from_le_bytes(record.payload[..8].try_into().unwrap());
        let len = u64::from_le_bytes(record.payload[8..16].try_into().unwrap()) as usize;
        drained.memory.push((offset, record.payload[16..16 + len].to_vec()));
    }
}
