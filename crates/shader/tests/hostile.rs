//! Shaders that were cut and changed: whatever becomes of the process that translates, this one lives and knows.
#![allow(clippy::unwrap_used)]

mod common;

use std::process::Command;
use std::time::Duration;

use common::{SHADERS, interface, shader};
use reprise_dxbc::{Container, checksum};
use reprise_shader::worker::Worker;
use reprise_shader::{Link, Target, TranslateError, translate};

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

#[test]
fn cut_and_changed_shaders_do_not_reach_this_process() {
    let worker = worker();
    let interface = interface();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut asked, mut refused, mut translated, mut died) = (0, 0, 0, 0);
    let mut ask = |stage, blob: &[u8]| {
        asked += 1;
        match worker.translate(blob, stage, &interface, &Link::default(), &Target::default()) {
            Ok(_) => translated += 1,
            Err(TranslateError::Worker(_)) => died += 1,
            Err(_) => refused += 1,
        }
    };
    for name in ["fill.dxbc", "fill.dxil", "tables.dxbc", "triangle_vertex.dxil", "triangle_pixel.dxbc"] {
        let (stage, blob) = shader(name);
        // As it is, which the container's size gives away, and with a header that fits.
        for length in (0..blob.len()).step_by(3) {
            ask(stage, &blob[..length]);
            let mut cut = blob[..length].to_vec();
            if length >= 32 {
                cut[24..28].copy_from_slice(&(length as u32).to_le_bytes());
                sign(&mut cut);
                ask(stage, &cut);
            }
        }
        let begin = Container::parse(blob).unwrap().parts()[0].offset;
        for _ in 0..600 {
            let mut changed = blob.to_vec();
            for _ in 0..=random.next(3) {
                let at = begin + random.next(blob.len() - begin);
                changed[at] ^= 1 << random.next(8);
            }
            // Unsigned damage never gets past the checksum.
            assert!(worker.translate(&changed, stage, &interface, &Link::default(), &Target::default()).is_err());
            sign(&mut changed);
            ask(stage, &changed);
        }
    }
    println!("{asked} shaders: {translated} translated, {refused} refused, {died} ended the worker");
    assert!(refused > 0 && asked > 10_000);
    // And it still works.
    let (stage, blob) = shader("fill.dxil");
    assert!(worker.translate(blob, stage, &interface, &Link::default(), &Target::default()).is_ok());
}
