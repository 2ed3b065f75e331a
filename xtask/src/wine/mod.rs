//! `cargo xtask wine`: real Windows programs under Wine, bare, captured and replayed, as a table.
//!
//! Invariant: ends with an exit code other than 0 when a program gives other results captured than bare, a trace does not play on our
//! runtime, or plays with other bytes than the program read back. Where `expected.txt` says that Wine's own d3d12 is wrong, the trace
//! must play right: as the trace of the same program, captured on our runtime, plays. `--runtime ours` runs all of it on our own
//! runtime in Wine's place.

mod root;
mod table;

use crate::{build_windows, cargo, setup};
use anyhow::{Context, Result, bail, ensure};
use reprise_testing::wine::case::{self, Case, Ending, Library, Tools};
use reprise_testing::wine::{self, Prefix, SMALL_HEAPS, WindowsFiles, Wine};
use reprise_testing::{Display, artifact, program};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use table::{Row, Table};

/// A program whose trace under Wine cannot be compared with the native one. It reads back by the layout that `GetCopyableFootprints`
/// gives, and for depth with stencil Wine's library gives another layout than ours.
const LAID_OUT_OTHERWISE: &str = "aspects";
const PATIENCE: Duration = Duration::from_secs(180);

struct Options {
    /// Debian 13's Wine, in a root of its own.
    newer: bool,
    /// What programs run on.
    library: Library,
    /// All if empty.
    programs: Vec<String>,
}

/// Runs the task.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let options = Options::parse(arguments)?;
    setup::prepare(setup::For::Test)?;
    let wine = if options.newer {
        setup::downloads::prepare_newer()?;
        match root::wine()? {
            Ok(wine) => wine,
            Err(reason) => {
                println!("wine: SKIPPED: no root of Debian 13: {reason}");
                return Ok(());
            }
        }
    } else {
        Wine::installed()?
    };
    let version = wine.version()?;
    println!("wine: {version}");
    let runs = Runs::new(wine, options.newer)?;
    let mut table = Table::new(match options.library {
        Library::Wine => version,
        Library::Ours => format!("our runtime under {version}"),
    });
    for (case, expected) in runs.cases(options.newer, options.library)? {
        if options.programs.is_empty() || options.programs.contains(&case.name) {
            let row = runs.one(&case, &expected)?;
            println!("wine: {}", row.line());
            table.add(row);
        }
    }
    println!("\n{table}");
    ensure!(!table.is_empty(), "there is no such program");
    ensure!(table.wrong() == 0, "{} of the programs are not as they must be", table.wrong());
    Ok(())
}

impl Options {
    fn parse(arguments: &[String]) -> Result<Self> {
        let mut options = Self { newer: false, library: Library::Wine, programs: Vec::new() };
        let mut rest = arguments.iter();
        while let Some(option) = rest.next() {
            match (option.as_str(), rest.next().map(String::as_str)) {
                ("--root", Some("debian13")) => options.newer = true,
                ("--runtime", Some("ours")) => options.library = Library::Ours,
                ("--program", Some(name)) => options.programs.push(name.to_owned()),
                _ => bail!("wine takes --root debian13, --runtime ours and --program NAME (got {option:?})"),
            }
        }
        Ok(options)
    }
}

/// How a program must end without us.
enum Expected {
    /// With exit code 0.
    Success,
    /// With exit code 0 and this line.
    Line(String),
    /// The library says that it lacks something.
    Cannot,
    /// The library is wrong, and does not say so.
    Wrong,
}

impl Expected {
    fn is_met(&self, ending: &Ending) -> bool {
        match self {
            Self::Success => ending.code == Some(0),
            Self::Line(line) => ending.code == Some(0) && ending.output == *line,
            Self::Cannot => ending.code == Some(3),
            Self::Wrong => !matches!(ending.code, Some(0 | 3)),
        }
    }
}

/// Shows 1,000 frames in a window, which is resized, minimised and made full screen; the device is lost and made anew.
const WINDOW: &str = "window.exe";

fn copy(from: &Path, to: &Path) -> Result<()> {
    std::fs::copy(from, to).with_context(|| format!("{} to {}", from.display(), to.display()))?;
    Ok(())
}

/// What is needed to run programs.
struct Runs {
    prefix: Prefix,
    tools: Tools,
    /// Traces, and programs that the launcher puts libraries beside.
    folder: PathBuf,
    /// Our programs for Linux, which say what is right.
    native: PathBuf,
    _display: Display,
}

impl Runs {
    fn new(wine: Wine, newer: bool) -> Result<Self> {
        let built =
            cargo::build("wine", &["reprise", "reprise-capture", "reprise-programs", "reprise-runtime-library"])?;
        let windows = build_windows::build(false)?;
        let (programs, own) = (wine::build_programs()?, windows.join("reprise-programs.exe"));
        let folder = artifact::workspace().join("target/wine").join(if newer { "debian13" } else { "debian12" });
        std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        let wgpu = programs.join("reprise-wgpu-programs.exe");
        let compiler = wine::downloaded("webgpu-0.6.2-compilers/dxcompiler.dll")?;
        for file in [&own, &wgpu, &compiler] {
            let name = file.file_name().unwrap_or_default();
            copy(file, &folder.join(name))?;
        }
        let small = wine::build_small_programs()?.join("windows_late.exe");
        copy(&small, &folder.join(WINDOW))?;
        if newer {
            let beside = folder.join("dxvk");
            std::fs::create_dir_all(&beside).with_context(|| beside.display().to_string())?;
            copy(&small, &beside.join(WINDOW))?;
            copy(&root::dxvk(), &beside.join("dxgi.dll"))?;
        }
        let files = WindowsFiles {
            compiler: wine::downloaded("webgpu-0.6.2-compilers/d3dcompiler_47.dll")?,
            random: programs.join("bcryptprimitives.dll"),
        };
        let display = Display::start()?;
        let prefix = Prefix::new(wine, &folder.join("prefix"), &display.name(), &files)?;
        let library = built.join("libreprise_capture.so");
        let tools = Tools { reprise: built.join("reprise"), library, windows };
        Ok(Self { prefix, tools, folder, native: built.join("reprise-programs"), _display: display })
    }

    /// All programs, with what is expected of them.
    fn cases(&self, newer: bool, library: Library) -> Result<Vec<(Case, Expected)>> {
        let mut cases = Vec::new();
        let mut add = |name: &str, program: PathBuf, arguments: &[&str], environment: &[_], expected| {
            let arguments = arguments.iter().map(|&argument| argument.to_owned()).collect();
            let (name, environment) = (name.to_owned(), environment.to_vec());
            cases.push((Case { name, program, arguments, environment, library }, expected));
        };
        let is_ours = library == Library::Ours;
        for name in ["compute", "render", "threads", "window", "window-latency"] {
            let program = self.folder.join("reprise-wgpu-programs.exe");
            add(&format!("wgpu-{name}"), program.clone(), &[name], &[SMALL_HEAPS], Expected::Success);
            if is_ours {
                // Wine's own compiles no DXIL.
                let environment = [("WGPU_DX12_COMPILER", "dxc")];
                add(&format!("wgpu-{name}-dxil"), program, &[name], &environment, Expected::Success);
            }
        }
        add("window", self.folder.join(WINDOW), &["show=1000"], &[SMALL_HEAPS], Expected::Success);
        if newer && is_ours {
            // A file beside the program, which Wine takes before its own.
            let environment = [SMALL_HEAPS, ("WINEDLLOVERRIDES", "dxgi=n,b")];
            add("window-dxvk", self.folder.join("dxvk").join(WINDOW), &["show=1000"], &environment, Expected::Success);
        }
        let sources = artifact::workspace().join("programs");
        let script = wine::windows_path(&sources.join("wgpu-py/squares.py"));
        let python = self.folder.join("python");
        if !python.exists() {
            wine::copy_folder(&wine::downloaded("python-3.12-wgpu-0.32.0")?, &python)?;
        }
        let python = python.join("python.exe");
        add("wgpu-py", python.clone(), &[&script], &[SMALL_HEAPS], Expected::Success);
        let script = wine::windows_path(&sources.join("sdl/squares.py"));
        let sdl = wine::windows_path(&wine::downloaded("sdl3-kivy-0.1.0/SDL3.dll")?);
        add("sdl", python.clone(), &[&script, &sdl], &[SMALL_HEAPS], Expected::Success);
        if is_ours {
            // Wine's own gives it no device, or lacks a method of the swap chain.
            let script = wine::windows_path(&sources.join("pygame/squares.py"));
            let pygame = wine::windows_path(&wine::downloaded("pygame-ce-2.5.8")?);
            add("pygame", python, &[&script, &pygame], &[SMALL_HEAPS], Expected::Success);
        }
        if newer {
            let script = wine::windows_path(&sources.join("deno/squares.js"));
            let environment = [SMALL_HEAPS, ("DENO_WEBGPU_BACKEND", "dx12"), ("DENO_NO_UPDATE_CHECK", "1")];
            let deno = wine::downloaded("deno-2.9.5/deno.exe")?;
            add("deno", deno, &["run", "--quiet", &script], &environment, Expected::Success);
        }
        let expected = artifact::workspace().join("crates/programs/expected.txt");
        let expected = std::fs::read_to_string(&expected).with_context(|| expected.display().to_string())?;
        let (known_as, forms): (_, &[&str]) = match (library, newer) {
            (Library::Wine, false) => ("wine8", &["dxbc"]),
            (Library::Wine, true) => ("wine10", &["dxbc"]),
            (Library::Ours, false) => ("ours-wine8", &["dxbc", "dxil"]),
            (Library::Ours, true) => ("ours-wine10", &["dxbc", "dxil"]),
        };
        for line in expected.lines().filter(|line| !line.starts_with('#')) {
            let mut words = line.split(' ');
            let (Some(name), Some(hash)) = (words.next(), words.next()) else { continue };
            for form in forms {
                let mark = format!("{known_as}/{form}=");
                let expected = match words.clone().find_map(|word| word.strip_prefix(&mark)) {
                    Some("cannot") => Expected::Cannot,
                    Some("wrong") => Expected::Wrong,
                    _ => Expected::Line(format!("{name} {hash}\n")),
                };
                let called = if *form == "dxbc" { name.to_owned() } else { format!("{name}-{form}") };
                let program = self.folder.join("reprise-programs.exe");
                // One is about the room that the others leave.
                let environment: &[_] = if name == "many-views" { &[] } else { &[SMALL_HEAPS] };
                add(&called, program, &[name, "--shaders", form], environment, expected);
            }
        }
        Ok(cases)
    }

    /// Runs a program in every way.
    fn one(&self, case: &Case, expected: &Expected) -> Result<Row> {
        let bare = case.bare(&self.prefix, &self.tools)?;
        let (captured, said) = case.captured(&self.prefix, &self.tools, &self.folder)?;
        let mut problems = Vec::new();
        if !expected.is_met(&bare) {
            problems.push(format!("bare: exit code {:?}, {:?}, {:?}", bare.code, bare.output, bare.complaint));
        }
        if captured != bare {
            problems.push(format!("captured: {captured:?} {said}"));
        }
        let replayed = case.replay(&self.tools, &self.folder);
        let mut right = None;
        match &replayed {
            Err(error) => problems.push(format!("replay: {error:#}")),
            // One that ended before it read anything has nothing to compare, either.
            Ok(replayed)
                if matches!(expected, Expected::Wrong)
                    && (replayed.compared == 0 || case.name == LAID_OUT_OTHERWISE) => {}
            Ok(_) if matches!(expected, Expected::Wrong) => {
                right = Some(self.plays_right(case).unwrap_or_else(|error| {
                    problems.push(format!("replay: {error:#}"));
                    false
                }));
            }
            Ok(replayed) if replayed.different > 0 => problems.push(replayed.differences.join("; ")),
            Ok(replayed) if replayed.compared == 0 && matches!(expected, Expected::Success) => {
                problems.push("replay: nothing that the program read back was compared".to_owned());
            }
            Ok(_) => {}
        }
        Ok(Row {
            name: case.name.clone(),
            bare,
            recorded: !said.contains("no trace"),
            replayed: replayed.ok(),
            right,
            problems,
        })
    }

    /// Whether the last that the program read back is, played on our runtime, what it reads when it runs there.
    fn plays_right(&self, case: &Case) -> Result<bool> {
        let native = self.folder.join(format!("{}-native.reprise", case.name));
        let mut capture = Command::new(&self.tools.reprise);
        capture
            .args(["capture", "--quiet", "--force", "-o"])
            .arg(&native)
            .arg("--")
            .arg(&self.native)
            .args(&case.arguments);
        let finished = program::run_quietly(capture.env("REPRISE_CAPTURE_LIBRARY", &self.tools.library), PATIENCE)?;
        ensure!(finished.status.success(), "natively: {}", finished.errors());
        let read = |trace: &Path, at| case::last_read(&self.tools.reprise, trace, at);
        let (at, here) = read(&case.trace(&self.folder), None)?;
        Ok(read(&native, Some(at))?.1 == here)
    }
}
