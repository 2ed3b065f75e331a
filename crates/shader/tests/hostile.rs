//! Shaders that were cut and changed: whatever becomes of the process that translates, this one lives and knows.
#![allow(clippy::unwrap_used)]

mod common;

use std::process::Command;
use std::time::Duration;

use common::{SHADERS, interface, shader};
use reprise_dxbc::{Container, checksum};
use reprise_shader::worker::Worker;
use reprise_shader::{Link, Stage, Target, TranslateError, translate, verify};

fn worker() -> Worker {
    Worker::new(|| Command::new(env!("CARGO_BIN_EXE_reprise-translate"))).patience(Duration::from_secs(20))
}

/// A generator of numbers: the same ones each time.
struct Random(u64);

impl Random {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % below as u64) as usize
    }
}

/// Makes the checksum right, so that the translator gets to see what is behind it.
fn sign(blob: &mut [u8]) {
    if blob.len() >= 32 {
        let sum = checksum(blob);
        blob[4..20].copy_from_slice(&sum);
    }
}

#[test]
fn the_worker_gives_what_translation_here_gives() {
    let worker = worker();
    for (name, stage, blob) in SHADERS {
        let here = translate(blob, *stage, &interface(), &Link::default(), &Target::default());
        let there = worker.translate(blob, *stage, &interface(), &Link::default(), &Target::default());
        assert_eq!(here.as_ref().err(), None, "{name}");
        assert_eq!(here, there, "{name}");
    }
    let mut lacking = interface();
    lacking.bindings.clear();
    let (stage, blob) = shader("fill.dxil");
    let here = translate(blob, stage, &lacking, &Link::default(), &Target::default());
    assert!(matches!(here, Err(TranslateError::Unbound { .. })));
    assert_eq!(here, worker.translate(blob, stage, &lacking, &Link::default(), &Target::default()));
}

#[test]
fn a_worker_that_fails_is_an_error_and_is_replaced() {
    let (stage, blob) = shader("fill.dxbc");
    let ask = |worker: &Worker| worker.translate(blob, stage, &interface(), &Link::default(), &Target::default());
    let missing = Worker::new(|| Command::new("/nonexistent/translator"));
    assert!(matches!(ask(&missing), Err(TranslateError::Worker(_))));
    let dying = Worker::new(|| Command::new("false"));
    assert!(matches!(ask(&dying), Err(TranslateError::Worker(_))));
    let silent = Worker::new(|| {
        let mut command = Command::new("sleep");
        command.arg("100");
        command
    });
    let late = ask(&silent.patience(Duration::from_millis(20)));
    assert_eq!(late, Err(TranslateError::Worker("did not answer within 0.02 s".to_owned())));
    // The first process dies, the second one translates.
    let first = std::sync::atomic::AtomicBool::new(true);
    let recovering = Worker::new(move || {
        let program = match first.swap(false, std::sync::atomic::Ordering::Relaxed) {
            true => "false",
            false => env!("CARGO_BIN_EXE_reprise-translate"),
        };
        Command::new(program)
    });
    assert!(ask(&recovering).is_err());
    assert!(ask(&recovering).is_ok());
}

/// What became of damaged shaders.
#[derive(Debug, Default)]
struct Tally {
    /// Shown to the worker.
    asked: u32,
    translated: u32,
    refused: u32,
    /// Ended the worker.
    died: u32,
    /// Damaged and not signed again: refused in this process, before the translator sees them.
    unsigned: u32,
}

impl Tally {
    /// Shows a shader with a checksum that fits to the worker.
    fn ask(&mut self, worker: &Worker, stage: Stage, blob: &[u8]) {
        self.asked += 1;
        match worker.translate(blob, stage, &interface(), &Link::default(), &Target::default()) {
            Ok(_) => self.translated += 1,
            Err(TranslateError::Worker(_)) => self.died += 1,
            Err(_) => self.refused += 1,
        }
    }

    /// Cuts a shader to every `step`th length: as it is, which its container gives away, and with a header that fits.
    fn cut(&mut self, worker: &Worker, stage: Stage, blob: &[u8], step: usize) {
        for length in (0..blob.len()).step_by(step) {
            let mut cut = blob[..length].to_vec();
            assert!(verify(&cut).is_err(), "{length} bytes of {}", blob.len());
            self.unsigned += 1;
            if length >= 32 {
                cut[24..28].copy_from_slice(&(length as u32).to_le_bytes());
                sign(&mut cut);
                self.ask(worker, stage, &cut);
            }
        }
    }

    /// Changes one to three bits of a shader's parts, so many times.
    fn flip(&mut self, worker: &Worker, stage: Stage, blob: &[u8], times: usize, random: &mut Random) {
        let begin = Container::parse(blob).unwrap().parts()[0].offset;
        for _ in 0..times {
            let mut changed = blob.to_vec();
            for _ in 0..=random.next(3) {
                let at = begin + random.next(blob.len() - begin);
                changed[at] ^= 1 << random.next(8);
            }
            if changed == blob {
                continue;
            }
            assert!(verify(&changed).is_err());
            self.unsigned += 1;
            sign(&mut changed);
            self.ask(worker, stage, &changed);
        }
    }
}

impl core::fmt::Display for Tally {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let Tally { asked, translated, refused, died, unsigned } = self;
        write!(
            f,
            "{unsigned} unsigned shaders refused here; {asked} signed ones: {translated} translated, {refused} refused, \
             {died} ended the worker"
        )
    }
}

/// The worker translates what is whole, whatever it was shown before.
fn still_works(worker: &Worker) {
    let (stage, blob) = shader("fill.dxil");
    assert!(worker.translate(blob, stage, &interface(), &Link::default(), &Target::default()).is_ok());
}

#[test]
fn damaged_shaders_do_not_reach_this_process() {
    let (worker, mut random, mut tally) = (worker(), Random(0x9e37_79b9_7f4a_7c15), Tally::default());
    for name in ["fill.dxbc", "fill.dxil", "triangle_pixel.dxbc"] {
        let (stage, blob) = shader(name);
        tally.cut(&worker, stage, blob, 23);
        tally.flip(&worker, stage, blob, 100, &mut random);
    }
    println!("{tally}");
    assert!(tally.refused > 0 && tally.translated > 0);
    still_works(&worker);
}

/// Some changes send the translator into loops of minutes. How long it takes until those are ended says nothing, so that is soon.
const SOON: Duration = Duration::from_secs(3);

#[test]
#[ignore = "slow: shows tens of thousands of damaged shaders to the translator"]
fn every_cut_and_thousands_of_changes_leave_this_process_alive() {
    let half = |at: usize| {
        let (worker, mut random, mut tally) =
            (worker().patience(SOON), Random(0x2545_f491_4f6c_dd1d), Tally::default());
        // Both forms of a shader stand side by side; each half gets some of either.
        for (name, stage, blob) in SHADERS.chunks(2).skip(at).step_by(2).flatten() {
            // Nearly all of a cut DXIL module is refused for its length; every one of the smaller ones is shown all the same.
            let step = if blob.len() <= 3000 { 1 } else { 7 };
            tally.cut(&worker, *stage, blob, step);
            tally.flip(&worker, *stage, blob, 600, &mut random);
            println!("up to {name}: {tally}");
        }
        let worker = worker.patience(Duration::from_secs(20));
        still_works(&worker);
        tally
    };
    let tallies =
        std::thread::scope(|scope| [0, 1].map(|at| scope.spawn(move || half(at))).map(|it| it.join().unwrap()));
    for (_, _, blob) in SHADERS {
        for length in 0..blob.len() {
            assert!(verify(&blob[..length]).is_err());
        }
    }
    let (asked, died) = tallies.iter().fold((0, 0), |sum, it| (sum.0 + it.asked, sum.1 + it.died));
    assert!(asked > 10_000 && died > 0, "nothing was tried that can end the translator");
}
