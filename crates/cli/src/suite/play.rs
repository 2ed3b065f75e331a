//! Plays a trace of a suite, and compares what it shows with the golden of the driver that it ran on.

use crate::child_replay::picture_pipe::Message;
use crate::control::{self, Kind, Outcome, Thing, Things};
use crate::frame_picture;
use crate::metric::Metric;
use crate::suite::golden;
use crate::suite::manifest::{Entry, Golden};
use crate::suite::timed::{Timed, Untimed, Watch};
use crate::terminal::exit::{self, Failure, OrExit};
use crate::trial::candidate::Candidate;
use crate::trial::outcome::Ending;
use crate::trial::play::Trials;
use crate::trial::reference::Seen;
use anyhow::Context;
use reprise_replay::{Control, FrameHash, FrameRanges};
use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use xxhash_rust::xxh3::Xxh3;

/// What became of a trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Status {
    Passed,
    /// It shows something else.
    Differs,
    /// It did not come to its end, or cannot be played.
    Failed,
    /// It takes longer than its profile says.
    Slower,
    /// There is no golden for this driver.
    NoGolden,
    /// There is no profile for this adapter.
    NoProfile,
}

/// A frame that is beyond what its metric allows.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    pub(crate) frame: u64,
    pub(crate) value: Option<f64>,
    pub(crate) said: String,
    /// The picture that was shown, where it could be written.
    pub(crate) picture: Option<PathBuf>,
}

/// The result of a trace.
#[derive(Clone, Debug)]
pub(crate) struct Tested {
    pub(crate) name: String,
    pub(crate) status: Status,
    /// The adapter and driver, in words.
    pub(crate) device: String,
    pub(crate) golden: Option<Golden>,
    /// Pictures that were compared.
    pub(crate) frames: u64,
    /// Times that something is read back, where that is compared.
    pub(crate) reads: u64,
    /// Frames that differ, the first [`KEPT`]; and how many there are.
    pub(crate) differing: Vec<Frame>,
    pub(crate) differing_frames: u64,
    /// The worst value of the metric among all frames that are not the same byte for byte.
    pub(crate) worst: Option<f64>,
    /// More, in words.
    pub(crate) said: String,
    /// Beside its profile, where that was asked for.
    pub(crate) timed: Option<Timed>,
    pub(crate) time: Duration,
}

/// Frames that are kept with pictures.
pub(crate) const KEPT: usize = 20;

/// How traces are played.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    pub(crate) suite: PathBuf,
    pub(crate) runtime: String,
    pub(crate) gpu: Option<String>,
    pub(crate) variables: Vec<(String, String)>,
    pub(crate) patience: Duration,
    /// The golden of this name, whatever the device is called.
    pub(crate) driver: Option<String>,
    /// For pictures that differ, and what replays say.
    pub(crate) results: PathBuf,
    /// How traces are compared with their profiles, where that is asked for.
    pub(crate) watch: Option<Watch>,
}

/// What a trace shows.
#[derive(Debug)]
pub(crate) struct Shown {
    pub(crate) seen: Vec<Seen>,
    /// The same for a control.
    pub(crate) things: Things,
    /// Formats of the pictures, by frame.
    formats: Vec<(u64, u32)>,
    /// Frames without a file, and why.
    unwritten: Vec<(u64, String)>,
    pub(crate) device: String,
    pub(crate) runtime: String,
    ending: Ending,
    said: String,
}

impl Tested {
    /// What shows something else stays that, however long it takes.
    fn watched(&mut self, timed: Result<Timed, Untimed>) {
        let (status, why) = match timed {
            Ok(timed) => {
                let status = timed.is_slower.then_some(Status::Slower);
                self.timed = Some(timed);
                (status, None)
            }
            Err(Untimed::NoProfile(why)) => (Some(Status::NoProfile), Some(why)),
            Err(Untimed::Unlike(why)) => ((self.status != Status::Differs).then_some(Status::Failed), Some(why)),
            Err(Untimed::Failed(why)) => (Some(Status::Failed), Some(why)),
        };
        if let Some(status) = status
            && (self.status != Status::Differs || status == Status::Failed)
        {
            self.status = status;
        }
        if let Some(why) = why {
            self.said =
                [self.said.as_str(), &why].into_iter().filter(|it| !it.is_empty()).collect::<Vec<_>>().join("; ");
        }
    }
}

impl Shown {
    /// # Errors
    /// It did not come to its end.
    pub(crate) fn complete(self) -> Result<Shown, String> {
        if self.ending != Ending::Completed {
            return Err(failed(self.ending, &self.said));
        }
        match self.unwritten.first() {
            Some((frame, why)) => Err(format!("frame {frame}: {why}")),
            None => Ok(self),
        }
    }
}

fn failed(ending: Ending, said: &str) -> String {
    match ending {
        Ending::Crashed => format!("the replay crashes: {said}"),
        Ending::Hung => "the replay hangs: it was ended when its time was over".into(),
        _ => format!("the replay fails: {said}"),
    }
}

impl Setting {
    /// Plays a trace, and keeps what it shows; pictures that `wanted` asks for become files of `folder`.
    ///
    /// # Errors
    /// No process can be started, or the trace cannot be read.
    pub(crate) fn show(
        &self,
        trace: &Path,
        frames: &FrameRanges,
        folder: &Path,
        wanted: impl FnMut(&Seen) -> bool,
    ) -> Result<Shown, Failure> {
        self.show_changed((trace, None), frames, folder, wanted)
    }

    /// The same with a change that must show, where one is given.
    fn show_changed(
        &self,
        (trace, change): (&Path, Option<Control>),
        frames: &FrameRanges,
        folder: &Path,
        mut wanted: impl FnMut(&Seen) -> bool,
    ) -> Result<Shown, Failure> {
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string()).or_exit(exit::FAILED)?;
        let trials = Trials {
            trace: trace.to_owned(),
            runtime: self.runtime.clone(),
            gpu: self.gpu.clone(),
            patience: self.patience,
            tolerance: Default::default(),
            validate: false,
            folder: folder.to_owned(),
        };
        let candidate = Candidate { variables: self.variables.clone(), ..Candidate::default() };
        let more: Vec<OsString> = change.iter().flat_map(|it| ["--control".into(), it.name().into()]).collect();
        let mut playing = trials.start(&candidate, "said", &more)?;
        let (mut seen, mut formats, mut unwritten) = (Vec::new(), Vec::new(), Vec::new());
        let mut things = Things::new();
        while let Some(message) = playing.next() {
            let Some(one) = Seen::of(&message) else { continue };
            if let Message::Picture(frame, picture) = &message {
                if !frames.contains(*frame) {
                    continue;
                }
                formats.push((*frame, picture.format));
                if wanted(&one)
                    && let Err(error) = picture.write_png(&frame_picture::path(folder, *frame))
                {
                    unwritten.push((*frame, error.to_string()));
                }
            }
            things.extend(control::of_message(&message));
            seen.push(one);
        }
        let (outcome, _) = playing.end(None)?;
        let (device, runtime) = (playing.replay.device.clone(), playing.replay.runtime.clone());
        Ok(Shown { seen, things, formats, unwritten, device, runtime, ending: outcome.ending, said: outcome.said })
    }

    /// Plays a trace with changes that must show, and says what of them the metric notices. `shown` is what the trace shows without, with pictures
    /// in `folder` where the metric compares pictures; such a metric compares nothing else.
    pub(crate) fn control(
        &self,
        trace: &Path,
        frames: &FrameRanges,
        metric: Metric,
        (shown, folder): (&Shown, &Path),
    ) -> Outcome {
        let mut things = shown.things.clone();
        if metric.needs_pictures() {
            things.retain(|thing, _| thing.kind() == Kind::Frames);
        }
        let changed = folder.join("changed");
        control::run(things.clone(), |change| {
            let wanted = |_: &Seen| metric.needs_pictures();
            let other = self.show_changed((trace, Some(change)), frames, &changed, wanted);
            let other = other.map_err(|failure| failure.to_string())?.complete()?;
            let mut found = other.things;
            for (frame, format) in other.formats.into_iter().filter(|_| metric.needs_pictures()) {
                let pictures = [folder, &changed].map(|folder| frame_picture::read(folder, frame, format));
                let [golden, picture] = pictures;
                if metric.measure(&golden?, &picture?, 0).passes {
                    found.remove(&Thing::Frame(frame));
                }
            }
            Ok(found)
        })
    }

    /// Plays a trace of the suite, and compares it.
    pub(crate) fn test(&self, entry: &Entry) -> Tested {
        let began = Instant::now();
        let mut tested = Tested {
            name: entry.name.clone(),
            status: Status::Failed,
            device: String::new(),
            golden: None,
            frames: 0,
            reads: 0,
            differing: Vec::new(),
            differing_frames: 0,
            worst: None,
            said: String::new(),
            timed: None,
            time: Duration::ZERO,
        };
        if let Err(why) = self.tried(entry, &mut tested) {
            tested.said = why;
        }
        if let Some(watch) = self.watch.as_ref().filter(|_| tested.status != Status::Failed) {
            let timed = self.timed(entry, &tested.device, watch);
            tested.watched(timed);
        }
        tested.time = began.elapsed();
        tested
    }

    fn tried(&self, entry: &Entry, tested: &mut Tested) -> Result<(), String> {
        let trace = check(&self.suite, entry)?;
        let frames = frames(entry)?;
        // Which one counts is known at the end only: a picture that one of them has need not be kept.
        let goldens: Vec<(&Golden, Vec<Seen>)> =
            entry.goldens.iter().map(|it| Ok((it, golden::read(&self.suite, it)?))).collect::<Result<_, String>>()?;
        let known: Vec<HashMap<u64, FrameHash>> = goldens.iter().map(|(_, seen)| pictures(seen)).collect();
        let is_lossy = goldens.iter().any(|(golden, _)| metric(golden).needs_pictures());
        let folder = self.results.join(&entry.name);
        // What an earlier run left is no result of this one.
        let _ = std::fs::remove_dir_all(&folder);
        let mut kept = 0;
        let wanted = |seen: &Seen| {
            let is_known = seen.picture().is_some_and(|it| known.iter().any(|all| all.get(&it.0) == Some(&it.1)));
            kept += usize::from(!is_known);
            !is_known && (is_lossy || kept <= KEPT)
        };
        let shown = self.show(&trace, &frames, &folder, wanted).map_err(|failure| failure.to_string())?;
        tested.device.clone_from(&shown.device);
        let found = match &self.driver {
            Some(name) => entry.goldens.iter().find(|golden| golden.driver.eq_ignore_ascii_case(name)),
            None => entry.golden(&shown.device),
        };
        let Some(golden) = found else {
            tested.status = Status::NoGolden;
            if shown.ending != Ending::Completed {
                tested.status = Status::Failed;
                return Err(failed(shown.ending, &shown.said));
            }
            return Err(format!("no golden for {}: reprise suite add records one", self.name_of(&shown.device)));
        };
        tested.golden = Some(golden.clone());
        let expected = goldens.iter().find(|(it, _)| *it == golden).map_or(&[][..], |(_, seen)| seen);
        self.compare(expected, &shown, &folder, golden, tested);
        if shown.ending != Ending::Completed {
            tested.status = Status::Failed;
            return Err(failed(shown.ending, &shown.said));
        }
        tested.status =
            if tested.differing_frames == 0 && tested.said.is_empty() { Status::Passed } else { Status::Differs };
        if tested.differing.is_empty() && tested.status == Status::Passed {
            let _ = std::fs::remove_dir_all(&folder);
        }
        Ok(())
    }

    fn name_of(&self, device: &str) -> String {
        match (&self.driver, device.is_empty()) {
            (Some(driver), _) => format!("the driver {driver:?}"),
            (None, true) => "a device that its runtime does not name (--driver names a golden)".into(),
            (None, false) => device.to_owned(),
        }
    }

    fn compare(&self, expected: &[Seen], shown: &Shown, folder: &Path, golden: &Golden, tested: &mut Tested) {
        let metric = metric(golden);
        let was = pictures(expected);
        let is: Vec<(u64, FrameHash)> = shown.seen.iter().filter_map(Seen::picture).collect();
        let formats: HashMap<u64, u32> = shown.formats.iter().copied().collect();
        tested.frames = is.len() as u64;
        for (frame, hash) in is.iter().copied() {
            if was.get(&frame) == Some(&hash) {
                continue;
            }
            let path = frame_picture::path(folder, frame);
            let format = formats.get(&frame).copied().unwrap_or(0);
            let mut differs = |value, said| {
                tested.differing_frames += 1;
                if tested.differing.len() < KEPT {
                    let picture = path.is_file().then(|| path.clone());
                    tested.differing.push(Frame { frame, value, said, picture });
                }
            };
            if !was.contains_key(&frame) {
                differs(None, "the golden result has no such frame".into());
                continue;
            }
            if !metric.needs_pictures() {
                differs(None, "it is not byte for byte the same".into());
                continue;
            }
            let loaded = frame_picture::read(&self.suite.join(&golden.folder), frame, format);
            let both = loaded.and_then(|golden| Ok((golden, frame_picture::read(folder, frame, format)?)));
            let measured = match both {
                Err(why) => {
                    differs(None, why);
                    continue;
                }
                Ok((golden, picture)) => {
                    let measured = metric.measure(&golden, &picture, 0);
                    if !measured.passes {
                        // For people who look into it; without it there are still the two pictures.
                        let _ =
                            picture.write_difference(&golden, &folder.join(format!("frame_{frame:06}_difference.png")));
                        let _ = golden.write_png(&folder.join(format!("frame_{frame:06}_golden.png")));
                    }
                    measured
                }
            };
            if let Some(value) = measured.value {
                let worse = match metric {
                    Metric::Psnr(_) | Metric::Ssim(_) => f64::min,
                    _ => f64::max,
                };
                tested.worst = Some(tested.worst.map_or(value, |worst| worse(worst, value)));
            }
            if measured.passes {
                let _ = std::fs::remove_file(&path);
            } else {
                tested.differing_frames += 1;
                if tested.differing.len() < KEPT {
                    let frame = Frame { frame, value: measured.value, said: measured.said, picture: Some(path) };
                    tested.differing.push(frame);
                }
            }
        }
        let is = pictures(&shown.seen);
        let missing = was.keys().filter(|frame| !is.contains_key(frame)).min();
        if metric.needs_pictures() && was.is_empty() && is.is_empty() {
            tested.said = format!("{metric} compares pictures, and there are none: `exact` compares what is read back");
        } else if let Some(frame) = missing {
            tested.said = format!("frame {frame} is missing");
        } else if !metric.needs_pictures() {
            // What the program reads back is exact, or is not compared.
            let reads =
                |seen: &[Seen]| seen.iter().filter(|seen| seen.picture().is_none()).cloned().collect::<Vec<_>>();
            let (was, is) = (reads(expected), reads(&shown.seen));
            tested.reads = is.len() as u64;
            let unlike = was.iter().zip(&is).find(|(was, is)| was != is).map(|(_, is)| is.in_words());
            if let Some(what) = unlike {
                tested.said = format!("{what} differs");
            } else if was.len() != is.len() {
                tested.said = format!("{} read-backs, golden {}", is.len(), was.len());
            }
        }
    }
}

/// The hash of each frame.
fn pictures(seen: &[Seen]) -> HashMap<u64, FrameHash> {
    seen.iter().filter_map(Seen::picture).collect()
}

/// The metric of a golden, which the manifest has checked.
pub(crate) fn metric(golden: &Golden) -> Metric {
    golden.metric.parse().unwrap_or(Metric::Exact)
}

/// The frames that are compared.
///
/// # Errors
/// They are no ranges.
pub(crate) fn frames(entry: &Entry) -> Result<FrameRanges, String> {
    match &entry.frames {
        Some(text) => text.parse().map_err(|error| format!("{}: frames: {error}", entry.name)),
        None => Ok(FrameRanges::all()),
    }
}

/// The path of a trace of the suite, which is the one that was added.
///
/// # Errors
/// It is another one, or cannot be read.
pub(crate) fn check(suite: &Path, entry: &Entry) -> Result<PathBuf, String> {
    let trace = suite.join(&entry.file);
    let hash = hash(&trace)?;
    if hash != entry.hash {
        return Err(format!("{} is another trace than was added: its hash is {hash}", trace.display()));
    }
    Ok(trace)
}

/// The hash of a trace file.
///
/// # Errors
/// It cannot be read.
pub(crate) fn hash(path: &Path) -> Result<String, String> {
    let read = || -> std::io::Result<u128> {
        let (mut file, mut hasher, mut bytes) = (File::open(path)?, Xxh3::new(), vec![0; 1 << 20]);
        loop {
            match file.read(&mut bytes)? {
                0 => return Ok(hasher.digest128()),
                count => hasher.update(&bytes[..count]),
            }
        }
    };
    read().map(|hash| format!("{hash:032x}")).map_err(|error| format!("{}: {error}", path.display()))
}
