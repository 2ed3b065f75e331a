//! One OpenGL program, run in every way.

use super::memory::Peak;
use super::program::{Look, Program, inputs};
use super::table::{Replayed, Row, Traced};
use crate::picture::Picture;
use anyhow::{Context, Result};
use reprise_testing::Display;
use reprise_testing::program::{end_family, run_quietly, terminate, wait_until};
use serde_json::Value;
use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

/// A program that is asked to end and does not is killed.
const PARTING: Duration = Duration::from_secs(20);
/// Programs that show nothing for so long, or move for so long though they should stand still, are looked at as they are.
const LONGEST: Duration = Duration::from_secs(240);
/// Between two looks at the screen.
const PAUSE: Duration = Duration::from_secs(1);
/// For a fence, in seconds: a busy machine is no failure.
const FENCE: [&str; 2] = ["--fence-timeout", "300"];
/// Nothing takes as long, unless it hangs.
const PATIENCE: Duration = Duration::from_secs(900);
/// Rounding may move a channel so far.
const STEP: u8 = 16;
/// A picture of fewer colours shows nothing.
const COLOURS: usize = 3;

/// How a program draws.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// On Mesa's own rasteriser.
    Bare,
    Ours,
    /// On ours, into a trace, until so many frames if a number is stated.
    Captured(Option<u64>),
}

impl Way {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Bare => "bare",
            Self::Ours => "ours",
            Self::Captured(_) => "captured",
        }
    }
}

/// How a run ended.
pub(super) struct Ended {
    /// Why it is no good.
    pub(super) problem: Option<String>,
    /// Of its processes, the most memory that one had, in bytes.
    pub(super) peak: u64,
    /// What the screen showed when its time had come.
    screen: Option<Picture>,
}

/// What is needed to run programs.
pub(super) struct Runs {
    reprise: PathBuf,
    /// Has a folder for each program.
    pub(super) folder: PathBuf,
}

impl Runs {
    pub(super) fn new(built: PathBuf, folder: PathBuf) -> Self {
        Self { reprise: built.join("reprise"), folder }
    }

    /// `reprise`, or the program itself, with what the program needs.
    pub(super) fn command(&self, program: &Program, way: Way) -> Result<Command> {
        let out = self.out(program);
        // What programs remember of other runs would change what they show.
        let home = out.join("home");
        let _ = fs::remove_dir_all(&home);
        fs::create_dir_all(&home).with_context(|| home.display().to_string())?;
        // Else toolkits complain of it as their folder for sockets.
        fs::set_permissions(&home, fs::Permissions::from_mode(0o700))?;
        let place =
            |word: &String| word.replace("INPUTS", &inputs().to_string_lossy()).replace("OUT", &out.to_string_lossy());
        let words: Vec<String> = program.command.iter().map(place).collect();
        let mut command = match way {
            Way::Bare => Command::new(&words[0]),
            _ => Command::new(&self.reprise),
        };
        match way {
            Way::Bare => command.args(&words[1..]).env("LIBGL_ALWAYS_SOFTWARE", "1").env("GALLIUM_DRIVER", "llvmpipe"),
            Way::Ours => command.args(["run", "--gl", "--quiet", "--"]).args(&words),
            Way::Captured(frames) => {
                command.args(["capture", "--gl", "--force", "--output"]).arg(out.join("trace.reprise"));
                if let Some(frames) = frames {
                    command.args(["--frames", &format!("1-{frames}"), "--quit-after-capture-frames"]);
                }
                command.arg("--").args(&words)
            }
        };
        command.current_dir(&out).env("HOME", &home);
        // Debian's games are not in root's path.
        let path = std::env::var("PATH").unwrap_or_default();
        command.env("PATH", format!("{path}:/usr/games:/usr/libexec/xscreensaver:/usr/lib/xscreensaver"));
        // No sound: there is none here, and programs tell at length.
        command.envs([("SDL_AUDIODRIVER", "dummy"), ("ALSOFT_DRIVERS", "null")]);
        command.env("XDG_RUNTIME_DIR", &home);
        command.envs(program.environment.iter().map(|(name, value)| (name, place(value))));
        Ok(command)
    }

    /// The program's own folder.
    pub(super) fn out(&self, program: &Program) -> PathBuf {
        self.folder.join(&program.name)
    }

    /// The traces of the program's processes. Some make a device in another process, to try it.
    fn traces(&self, program: &Program) -> Vec<PathBuf> {
        let files = fs::read_dir(self.out(program)).into_iter().flatten().flatten().map(|entry| entry.path());
        files.filter(|path| path.extension() == Some("reprise".as_ref())).collect()
    }

    /// That of the process which draws.
    fn trace(&self, program: &Program) -> Result<PathBuf> {
        let size = |path: &PathBuf| fs::metadata(path).map_or(0, |file| file.len());
        self.traces(program).into_iter().max_by_key(size).context("there is no trace")
    }

    pub(super) fn remove_traces(&self, program: &Program) {
        self.traces(program).iter().for_each(|trace| _ = fs::remove_file(trace));
    }

    /// Runs a program in every way.
    pub(super) fn one(&self, program: &Program) -> Result<Row> {
        let mut row = Row::new(program);
        let bare = self.run(program, Way::Bare)?;
        let bare_picture = self.picture(program, Way::Bare, bare, &mut row)?;
        let ours = self.run(program, Way::Ours)?;
        let our_picture = self.picture(program, Way::Ours, ours, &mut row)?;
        if let (Some(bare), Some(ours)) = (&bare_picture, &our_picture) {
            self.compare(program, bare, ours, &mut row)?;
        }
        self.remove_traces(program);
        let captured = self.run(program, Way::Captured(Some(program.frames)))?;
        row.problem("captured", captured.problem);
        match self.traced(program) {
            Err(error) => row.problem("captured", Some(format!("{error:#}"))),
            Ok(traced) => {
                row.traced = Some(traced);
                match self.replayed(program) {
                    Err(error) => row.problem("replayed", Some(format!("{error:#}"))),
                    Ok(replayed) => {
                        row.problem("replayed", replayed.problem());
                        row.replayed = Some(replayed);
                    }
                }
            }
        }
        if row.problems.is_empty() {
            self.remove_traces(program);
        }
        let _ = fs::remove_dir_all(self.out(program).join("home"));
        Ok(row)
    }

    /// Runs a program under a display of its own until its time has come, or until it has the frames that a capture wants.
    pub(super) fn run(&self, program: &Program, way: Way) -> Result<Ended> {
        let mut command = self.command(program, way)?;
        let log = self.out(program).join(format!("{}.log", way.name()));
        let file = File::create(&log).with_context(|| log.display().to_string())?;
        let display = Display::start()?;
        command.env("DISPLAY", display.name()).stdin(std::process::Stdio::null());
        command.stdout(file.try_clone()?).stderr(file);
        let mut child = command.spawn().with_context(|| format!("cannot start {command:?}"))?;
        let (begun, peak) = (Instant::now(), Peak::of(child.id()));
        let (mut status, screen) = match way {
            Way::Captured(Some(_)) => (wait_until(&mut child, PATIENCE)?, None),
            _ => watch(&mut child, &display, program)?,
        };
        let ended_itself = status.is_some();
        if status.is_none() {
            terminate(child.id());
            status = wait_until(&mut child, PARTING)?;
        }
        if status.is_none() {
            end_family(child.id());
            child.wait()?;
        }
        let peak = peak.bytes();
        let said = || {
            let text = fs::read(&log).unwrap_or_default();
            let text = String::from_utf8_lossy(&text).into_owned();
            text.lines()
                .rev()
                .find(|line| !line.trim().is_empty())
                .unwrap_or_default()
                .chars()
                .take(300)
                .collect::<String>()
        };
        let failed = ended_itself && !status.is_some_and(|status| status.success());
        let problem = failed.then(|| {
            let status = status.map_or_else(String::new, |status| status.to_string());
            format!("{status} after {:.1} s: {}", begun.elapsed().as_secs_f64(), said())
        });
        Ok(Ended { problem, peak, screen })
    }

    /// The picture that the table asks for, kept as PNG.
    fn picture(&self, program: &Program, way: Way, ended: Ended, row: &mut Row) -> Result<Option<Picture>> {
        row.problem(way.name(), ended.problem);
        let picture = match &program.look {
            Look::File(name, _) => {
                let path = self.out(program).join(name);
                let read = fs::read(&path).with_context(|| path.display().to_string());
                let picture = read.and_then(|bytes| Picture::from_png(&bytes));
                let _ = fs::remove_file(&path);
                match picture {
                    Ok(picture) => Some(picture),
                    Err(error) => {
                        row.problem(way.name(), Some(format!("no picture: {error:#}")));
                        None
                    }
                }
            }
            Look::Eye | Look::Still(_) => ended.screen,
        };
        let Some(picture) = picture else {
            row.problem(way.name(), Some("ended before its picture was taken".to_owned()));
            return Ok(None);
        };
        if picture.colours(COLOURS) < COLOURS {
            row.problem(way.name(), Some("shows nothing".to_owned()));
        }
        write(&self.out(program).join(format!("{}.png", way.name())), &picture)?;
        Ok(Some(picture))
    }

    fn compare(&self, program: &Program, bare: &Picture, ours: &Picture, row: &mut Row) -> Result<()> {
        write(&self.folder.join(format!("{}.png", program.name)), &bare.beside(ours))?;
        let all = (bare.rgb.len() / 3).max(1);
        row.apart = bare.apart(ours, STEP).map(|apart| apart as f64 / all as f64);
        let (Look::Still(most) | Look::File(_, most)) = &program.look else { return Ok(()) };
        match row.apart {
            None => row.problem("picture", Some("has another size".to_owned())),
            Some(apart) if apart * 1000.0 > *most as f64 => {
                row.problem("picture", Some(format!("{:.2} % of its pixels are apart", apart * 100.0)));
            }
            Some(_) => {}
        }
        Ok(())
    }

    /// What the trace says of itself.
    pub(super) fn traced(&self, program: &Program) -> Result<Traced> {
        let info = self.json(&["info", "--json"], &self.trace(program)?)?;
        Traced::read(&info)
    }

    /// What replays of the trace say, with and without a change that must show.
    fn replayed(&self, program: &Program) -> Result<Replayed> {
        let said = self.json(&[&["verify", "--control", "--json"], &FENCE[..]].concat(), &self.trace(program)?)?;
        Replayed::read(&said)
    }

    fn json(&self, arguments: &[&str], trace: &Path) -> Result<Value> {
        let mut command = Command::new(&self.reprise);
        let finished = run_quietly(command.args(arguments).arg(trace), PATIENCE)?;
        serde_json::from_slice(&finished.stdout).with_context(|| {
            let errors = finished.errors();
            format!("{}: {}", finished.status, errors.lines().last().unwrap_or_default())
        })
    }

    /// Plays the trace, and gives the most memory that this took, in bytes; nothing is compared by this.
    pub(super) fn play(&self, program: &Program) -> Result<u64> {
        let log = self.out(program).join("replay.log");
        let file = File::create(&log).with_context(|| log.display().to_string())?;
        let mut command = Command::new(&self.reprise);
        command.args(["replay", "--quiet"]).args(FENCE).arg(self.trace(program)?);
        let mut child = command.stdout(file.try_clone()?).stderr(file).spawn()?;
        let peak = Peak::of(child.id());
        let status = wait_until(&mut child, PATIENCE)?;
        if status.is_none() {
            end_family(child.id());
            child.wait()?;
        }
        let played = status.is_some_and(|status| status.success());
        anyhow::ensure!(played, "{}: {}", program.name, fs::read_to_string(&log).unwrap_or_default());
        Ok(peak.bytes())
    }
}

/// Looks at the screen until the program has shown something for its time, and, where its picture must stand still, that does. The status
/// of a program that ends before, and the screen.
fn watch(child: &mut Child, display: &Display, program: &Program) -> Result<(Option<ExitStatus>, Option<Picture>)> {
    let begun = Instant::now();
    let (mut shown, mut last): (Option<Instant>, Option<Picture>) = (None, None);
    loop {
        if let Some(status) = wait_until(child, PAUSE)? {
            return Ok((Some(status), None));
        }
        let screen = Picture::from_screen(display.screen()?);
        if shown.is_none() && screen.colours(COLOURS) >= COLOURS {
            shown = Some(Instant::now());
        }
        let moves = matches!(program.look, Look::Still(_)) && last.as_ref().is_none_or(|last| last.rgb != screen.rgb);
        let done = shown.is_some_and(|shown| shown.elapsed() >= program.seconds) && !moves;
        if done || begun.elapsed() >= LONGEST {
            return Ok((None, Some(screen)));
        }
        last = Some(screen);
    }
}

fn write(path: &Path, picture: &Picture) -> Result<()> {
    fs::write(path, picture.to_png()?).with_context(|| path.display().to_string())
}
