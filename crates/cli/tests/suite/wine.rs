//! Windows programs under Debian's Wine: captured they print what they print bare, and their traces replay natively with every byte
//! that they read back. `cargo xtask wine` runs all programs; these are the ones for every test run.

use crate::bench::Bench;
use crate::windows::wine::libraries;
use reprise_testing::wine::case::{self, Case, Ending, Library, Tools};
use reprise_testing::wine::{self, Prefix, SMALL_HEAPS, WindowsFiles, Wine};
use reprise_testing::{Display, artifact, missing, require};
use std::path::{Path, PathBuf};

/// A prefix with all that programs need, and a folder for their traces.
struct Place {
    prefix: Prefix,
    tools: Tools,
    work: PathBuf,
    wgpu: PathBuf,
    own: PathBuf,
    python: PathBuf,
    sdl: PathBuf,
    pygame: PathBuf,
    _display: Display,
    /// Its folder goes with the test.
    _bench: Bench,
}

impl Place {
    /// `None` where the machine lacks what that takes.
    fn new() -> Option<Place> {
        let wine = require(Wine::installed())?;
        require(missing::program("x86_64-w64-mingw32-gcc", "gcc-mingw-w64-x86-64"))?;
        require(missing::program("x86_64-w64-mingw32-g++-posix", "g++-mingw-w64-x86-64"))?;
        require(Display::available())?;
        let compiler = require(wine::downloaded("webgpu-0.6.2-compilers/d3dcompiler_47.dll"))?;
        let python = require(wine::downloaded("python-3.12-wgpu-0.32.0"))?;
        let sdl = require(wine::downloaded("sdl3-kivy-0.1.0/SDL3.dll"))?;
        let pygame = require(wine::downloaded("pygame-ce-2.5.8"))?;
        let bench = Bench::new();
        let work = bench.folder.with_extension("work");
        std::fs::create_dir_all(&work).unwrap();
        let (built, windows) = (wine::build_programs().unwrap(), libraries());
        // The launcher puts libraries beside programs: not into a folder of other tests.
        let copied = |from: &Path| {
            let to = work.join(from.file_name().unwrap());
            std::fs::copy(from, &to).unwrap();
            to
        };
        copied(&require(wine::downloaded("webgpu-0.6.2-compilers/dxcompiler.dll"))?);
        let (wgpu, own) =
            (copied(&built.join("reprise-wgpu-programs.exe")), copied(&windows.join("reprise-programs.exe")));
        wine::copy_folder(&python, &work.join("python")).unwrap();
        let python = work.join("python/python.exe");
        let display = Display::start().unwrap();
        let files = WindowsFiles { compiler, random: built.join("bcryptprimitives.dll") };
        let prefix = Prefix::new(wine, &work.join("prefix"), &display.name(), &files).unwrap();
        let tools = Tools {
            reprise: env!("CARGO_BIN_EXE_reprise").into(),
            library: artifact::capture_library().unwrap(),
            windows,
        };
        Some(Place { prefix, tools, work, wgpu, own, python, sdl, pygame, _display: display, _bench: bench })
    }

    fn case(&self, name: &str, program: &Path, arguments: &[&str]) -> Case {
        let arguments = arguments.iter().map(|&argument| argument.to_owned()).collect();
        let (name, program) = (name.to_owned(), program.to_owned());
        Case { name, program, arguments, environment: vec![SMALL_HEAPS], library: Library::Wine }
    }

    /// On our runtime.
    fn ours(&self, name: &str, program: &Path, arguments: &[&str]) -> Case {
        Case { library: Library::Ours, ..self.case(&format!("ours-{name}"), program, arguments) }
    }

    /// Runs a program bare and captured, which must be the same; gives how it ended.
    fn same(&self, case: &Case) -> Ending {
        let bare = case.bare(&self.prefix, &self.tools).unwrap();
        let (captured, said) = case.captured(&self.prefix, &self.tools, &self.work).unwrap();
        assert_eq!(captured, bare, "{}: {said}", case.name);
        bare
    }

    /// Replays the trace: every byte that the program read back is the same here. Gives the number of frames.
    fn replays(&self, case: &Case) -> usize {
        let replayed = case.replay(&self.tools, &self.work).unwrap();
        assert_eq!((replayed.different, replayed.differences), (0, vec![]), "{}", case.name);
        assert!(replayed.compared > 0, "{} reads back, and nothing was compared", case.name);
        replayed.frames
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let _ = std::fs::remove_dir_all(&self.work);
        }
    }
}

#[test]
#[ignore = "slow: builds wgpu, boots a Wine prefix"]
fn windows_programs_replay_natively() {
    let Some(place) = Place::new() else { return };
    wgpu(&place);
    our_own(&place);
    right_where_wine_is_wrong(&place);
}

#[test]
#[ignore = "slow: builds wgpu, boots a Wine prefix"]
fn windows_python_and_our_runtime() {
    let Some(place) = Place::new() else { return };
    python(&place);
    on_our_runtime(&place);
}

/// The programs compare with what the processor computes, and print a hash.
fn wgpu(place: &Place) {
    for (name, frames) in [("compute", 0), ("render", 0), ("threads", 0), ("window", 300)] {
        let case = place.case(name, &place.wgpu, &[name]);
        let ending = place.same(&case);
        assert_eq!(ending.code, Some(0), "{ending:?}");
        assert!(ending.output.starts_with(&format!("{name} ")), "{ending:?}");
        assert_eq!(place.replays(&case), frames, "{name}");
    }
}

/// Windows' Python, with wgpu-py and with SDL.
fn python(place: &Place) {
    let sdl = wine::windows_path(&place.sdl);
    for (name, library) in [("wgpu-py", None), ("sdl", Some(&*sdl))] {
        let script = artifact::workspace().join("programs").join(name).join("squares.py");
        let script = wine::windows_path(&script);
        let arguments: Vec<&str> = std::iter::once(&*script).chain(library).collect();
        let case = place.case(name, &place.python, &arguments);
        let ending = place.same(&case);
        assert_eq!(ending.code, Some(0), "{ending:?}");
        assert!(ending.output.starts_with(&format!("{name} ")), "{ending:?}");
        place.replays(&case);
    }
}

fn our_own(place: &Place) {
    for name in ["compute", "textures", "queues", "geometry", "uavs"] {
        let case = place.case(&format!("own-{name}"), &place.own, &[name]);
        let ending = place.same(&case);
        assert_eq!(ending.output, format!("{name} {}\n", crate::programs::expected(name)), "{ending:?}");
        place.replays(&case);
    }
}

/// Wine's own d3d12 runs no bundles and no root buffer views of indirect commands. A trace made there plays as one of our runtime does,
/// where the program finds its result right.
fn right_where_wine_is_wrong(place: &Place) {
    for name in ["bundles", "dispatch-roots"] {
        let case = place.case(&format!("wrong-{name}"), &place.own, &[name]);
        let ending = place.same(&case);
        assert_eq!(ending.code, Some(1), "{ending:?}");
        let wrong = case.replay(&place.tools, &place.work).unwrap();
        assert!(wrong.different > 0, "{name}: Wine is right now; take another program");
        let bench = Bench::new();
        crate::programs::capture(&bench, name, &crate::programs::ours());
        let read = |trace: &Path, at| case::last_read(&place.tools.reprise, trace, at).unwrap();
        let (at, here) = read(&case.trace(&place.work), None);
        let (_, native) = read(&bench.path("trace.reprise"), Some(at));
        assert!(here == native, "{name}: the trace of Wine plays otherwise than the native one");
    }
}

/// What Wine's own d3d12 cannot do (bundles, DXIL, tiles) runs on our runtime, bare and captured; and so do other people's programs.
fn on_our_runtime(place: &Place) {
    for (name, form) in [("bundles", "dxbc"), ("tiles", "dxil"), ("queues", "dxil")] {
        let case = place.ours(&format!("{name}-{form}"), &place.own, &[name, "--shaders", form]);
        let ending = place.same(&case);
        assert_eq!(ending.output, format!("{name} {}\n", crate::programs::expected(name)), "{ending:?}");
        place.replays(&case);
    }
    let script = wine::windows_path(&artifact::workspace().join("programs/pygame/squares.py"));
    let case = place.ours("pygame", &place.python, &[&script, &wine::windows_path(&place.pygame)]);
    let ending = place.same(&case);
    assert!(ending.code == Some(0) && ending.output.starts_with("pygame "), "{ending:?}");
    assert_eq!(place.replays(&case), 60);
    let mut case = place.ours("render-dxc", &place.wgpu, &["render"]);
    case.environment.push(("WGPU_DX12_COMPILER", "dxc"));
    let wine = place.case("render", &place.wgpu, &["render"]).bare(&place.prefix, &place.tools).unwrap();
    let ending = place.same(&case);
    assert_eq!((ending.code, &ending.output), (Some(0), &wine.output), "{ending:?}");
    place.replays(&case);
}
