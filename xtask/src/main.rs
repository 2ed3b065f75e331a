//! The workspace's own tasks; the text of [`HELP`] says which.
//!
//! Invariant: a task either does all it says or ends with an exit code other than 0 and one line that says why.

mod bench;
mod build_windows;
mod cargo;
mod codegen;
mod commands;
mod conformance;
mod debian;
mod debug;
mod demo;
mod deny;
mod directml;
mod edge;
mod faults;
mod gl;
mod golden;
mod headers;
mod kills;
mod manual;
mod modules;
mod oracle;
mod package;
mod picture;
mod piglit;
mod pixels;
mod programs;
mod setup;
mod shaders;
mod test;
mod wine;

use std::process::ExitCode;

const HELP: &str = "\
usage: cargo xtask TASK [options]

  setup [build|run|test|edge|package]
                      install what a purpose needs (Debian 12; without a word: test); quick when nothing is missing
  demo                set up, build, capture real programs, replay them on libvkd3d and on our runtime, compare every pixel, try what
                      else a trace is good for, leave target/demo/index.html
  test [--quick]      set up, then formatting, lints, generated code, all tests, and the slow suites (not with --quick)
  test --on SYSTEM... [--program NAME]... [--check NAME]... [--json FILE] [--build FOLDER]
                      run our test programs and the golden traces in a root of another Debian (bookworm, trixie, trixie-backports,
                      sid), with its drivers and layers (as root); checks: programs, golden, vectors-64, vectors-128,
                      vectors-256, validation
  codegen [--check]   make the tables of the API model from Windows metadata; --check compares instead of writing
  commands [--check]  make docs/commands.md from what the programs say behind --help; --check compares instead of writing
  headers FOLDER      compare the model with another version of Microsoft's Direct3D 12 headers than the one that is installed
  modules [CRATE]...  name the circular imports between the modules of each crate
  deny                check licences, sources and duplicates of dependencies (cargo-deny, deny.toml)
  edge build [query] [inspect] [--release] | edge farm [--release] | edge test
                      build the programs with heavy libraries (query, inspect), or install the farm's, and put them beside `reprise`;
                      run their checks and tests
  package [--build FOLDER] [--without query|inspect|farm|windows]... [--fast] [--test]
                      make what people install, in target/package/files: Debian packages, a tarball, a zip for Windows, a wheel; --test installs
                      the packages into a bare Debian 12, uses them, removes them, and finds nothing left, and the wheel into a Debian 11 (as root)
  build-windows [--debug]
                      build what runs under Wine and on Windows into target/windows: the capture library and its forwarding DLLs
  kills [--wine] [--count N]
                      kill a captured program of several threads at N random instants (1000; under Wine 200, also Wine's server) and
                      compare each trace with its log
  faults              seed every fault, look for each and for alarms on its correct twin: the table of docs/faults.md
  manual [--build FOLDER] [--without WORD]... [--pictures] [CHAPTER]... | manual --book
                      run every command that docs/manual shows, and compare what it prints with what the manual says; --book makes
                      the manual's pages, target/book/index.html
  bench [PROGRAM]     measure what capture (capture_cost, frame_cost, memory_cost, mapped_rate), replay (replay_cost), our runtime (runtime_cost) or shaders (translate_cost) cost, side by side
  golden NAME [--build FOLDER] [--without TRACE]...
                      record the golden traces anew, into a new folder NAME; --build names programs that are built already
  conformance --suite PATH [--library PATH] [--capture | --replay | --replay-on RUNTIME] [--trim] [--json FILE]
              [--filter TEXT]... [--jobs N] [--timeout SECONDS]
                      run a native Direct3D 12 test program, one process a test, on our runtime or another library, also under
                      capture, and replay what was captured; --trim cuts each trace at a submission in its middle and replays
                      the part, too
  wine [--root debian13] [--program NAME]...
                      run Windows programs (wgpu, wgpu-py, ours) under Wine, bare and captured, and replay what was captured; in a
                      root of Debian 13 with --root debian13
  directml [--python PROGRAM] [tensorflow] [torch]
                      run fifty operations and a training loop of the frameworks on DirectML for Linux and our runtime, bare and
                      captured, and replay what was captured; needs Python 3.10 and the network
  gl [--only NAME]... [--seconds N] [--frames N] [--json FILE] [--build FOLDER] [--speed [--rounds N]]
                      run OpenGL programs of Debian's (programs/gl/table.toml) on Mesa's rasteriser and on our runtime, capture them, and
                      replay what was captured, with the control; pictures and the table in target/gl. With --speed measure what capture
                      takes of frames a second, and replay of processor time
  piglit [--all] [--filter TEXT]... [--jobs N] [--json FILE] [--build FOLDER]
                      run OpenGL's conformance tests on Mesa's rasteriser and on our runtime: those of the list
                      (programs/gl/piglit.txt), or all of quick_gl
  pixels [--seed N] [--pixels N] [--tested N] [--only TEXT]
                      the histories of random pixels (100 of each trace, 10 of them with fragments) of our test programs and of programs
                      that others wrote: each must end with the picture; the table is left in target/debug/pixels.txt
  oracle --compiler PROGRAM [--seed N] [--shaders N] [--reduce N] [--library PATH] [--narrow] [--corpus]
                      generate compute shaders, compile each by both compilers at two levels (PROGRAM batch LIST), run all on our
                      runtime, and compare with what the processor makes of them; --reduce makes the first N findings small;
                      --narrow generates types of 16 bits; --corpus makes the shaders that tests run
  debug [--trace FILE|FOLDER]... [--programs] [--generated] [--compiler PROGRAM [--seed N] [--shaders N]] [--only TEXT] [--calls N]
        [--jobs N] [--timeout SECONDS] [--limit SECONDS] [--control] [--json FILE] [--resume FILE] [--build FOLDER]
                      run shaders by `reprise debug` and compare with the GPU's results: of traces, of our test programs in both forms,
                      of the generated shaders that are kept compiled or of new ones; N calls of each shader of a trace (1). A table says
                      what is equal, open by name, different, refused by reason, and how many distinct shaders that makes. --control runs what is
                      equal with other inputs, too. --resume keeps in a file which sources are through, and leaves them out when run again
  conformance --compare FILE FILE
                      show what differs between two such runs
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (task, rest) = match arguments.split_first() {
        Some((task, rest)) => (task.as_str(), rest),
        None => ("help", &[][..]),
    };
    let done = match task {
        "setup" => setup::run(rest),
        "demo" => demo::run(rest),
        "test" => test::run(rest),
        "bench" => bench::run(rest),
        "build-windows" => build_windows::run(rest),
        "faults" => faults::run(rest),
        "gl" => gl::run(rest),
        "kills" => kills::run(rest),
        "golden" => golden::run(rest),
        "headers" => headers::run(rest),
        "manual" => manual::run(rest),
        "commands" => commands::run(rest),
        "codegen" => codegen::run(rest),
        "package" => package::run(rest),
        "modules" => modules::run(rest),
        "debug" => debug::run(rest),
        "deny" => deny::run(rest),
        "directml" => directml::run(rest),
        "edge" => edge::run(rest),
        "conformance" => conformance::run(rest),
        "oracle" => oracle::run(rest),
        "piglit" => piglit::run(rest),
        "pixels" => pixels::run(rest),
        "programs" => programs::run(rest),
        "shaders" => shaders::run(rest),
        "wine" => wine::run(rest),
        "help" | "--help" | "-h" => {
            print!("{HELP}");
            Ok(())
        }
        other => {
            eprint!("cargo xtask: there is no task {other:?}\n\n{HELP}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("cargo xtask {task}: {error:#}");
            ExitCode::FAILURE
        }
    }
}
