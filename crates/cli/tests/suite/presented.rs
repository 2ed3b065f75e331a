//! A program that presents through DXGI, as programs for Windows do: captured on the null runtime, which has all of DXGI, and
//! replayed on ours, which has none.

use crate::bench::{Bench, PATIENCE};
use reprise_testing::{Display, artifact, program, require};
use std::fs::File;
use std::time::Duration;

/// As the program `dxgi` has them: sizes before and after it resizes its chain, and the frames of each.
const SIZES: [(usize, usize); 2] = [(64, 48), (128, 40)];
const FRAMES: [usize; 2] = [7, 5];

/// Captures the program on the null runtime. That one draws nothing, which the program finds at its end.
pub(crate) fn capture(bench: &Bench, options: &[&str]) {
    let mut command = bench.command();
    command.args(["capture", "-o", "trace.reprise"]).args(options).arg("--").arg(artifact::programs().unwrap());
    command.args(["dxgi", "--library"]).arg(artifact::null_sysv_library().unwrap());
    let finished = program::run(&mut command, PATIENCE).unwrap();
    assert_eq!(finished.status.code(), Some(1), "{}", finished.errors());
    assert!(finished.errors().contains("wrong: frame 0"), "{}", finished.errors());
}

/// The picture of a frame as blue, green and red of each pixel, rows top first: a colour, and an area of another one.
fn expected(frame: usize) -> ((usize, usize), Vec<u8>) {
    let (width, height) = SIZES[usize::from(frame >= FRAMES[0])];
    let colour = |number: usize| [number as u8, (3 * number) as u8, (200 - number) as u8];
    let area = |x: usize, y: usize| (frame..frame + 16).contains(&x) && (2 * frame..2 * frame + 8).contains(&y);
    let pixel = |at: usize| colour(if area(at % width, at / width) { 100 + frame } else { frame });
    ((width, height), (0..width * height).flat_map(pixel).collect())
}

/// The pixels of a BMP file, rows top first.
fn pixels(bmp: &[u8], (width, height): (usize, usize)) -> Vec<u8> {
    let start = u32::from_le_bytes(bmp[10..14].try_into().unwrap()) as usize;
    let pitch = (width * 3).next_multiple_of(4);
    let rows = (0..height).rev().map(|row| &bmp[start + row * pitch..][..width * 3]);
    rows.flatten().copied().collect()
}

#[test]
fn pictures_are_those_that_the_program_drew() {
    let bench = Bench::new();
    capture(&bench, &[]);
    let text =
        bench.output(&["replay", "--screenshots", "1-", "--screenshot-format", "bmp", "--json", "trace.reprise"]);
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["frames"].as_array().unwrap().len(), FRAMES[0] + FRAMES[1]);
    for frame in 0..FRAMES[0] + FRAMES[1] {
        let bmp = std::fs::read(bench.path(&format!("frame_{:06}.bmp", frame + 1))).unwrap();
        let (size, expected) = expected(frame);
        assert!(pixels(&bmp, size) == expected, "frame {}", frame + 1);
    }
    // What has no meaning here is listed, each method once.
    let left_out = |reason: &str, method: &str| {
        let reasons = report["skipped_methods"].as_object().unwrap();
        let found = reasons.iter().find(|(name, _)| name.contains(reason)).unwrap();
        found.1[method].as_u64()
    };
    assert_eq!(left_out("windows, displays and adapters", "IDXGIFactory1::EnumAdapters1"), Some(1));
    assert_eq!(left_out("changes no pixel", "IDXGISwapChain3::SetColorSpace1"), Some(1));
    assert_eq!(left_out("presentation is headless", "IDXGISwapChain1::Present1"), Some(4));
    let text = bench.output(&["replay", "trace.reprise"]);
    assert!(text.contains("CreateDXGIFactory2 1"), "{text}");
}

/// Cuts frames out, which must show what the program drew.
fn cut(bench: &Bench, first: usize, last: usize) {
    bench.output(&["trim", "--force", "--frames", &format!("{first}-{last}"), "-o", "part.reprise", "trace.reprise"]);
    bench.output(&["replay", "--screenshots", "1-", "--screenshot-format", "bmp", "part.reprise"]);
    for frame in first..=last {
        let bmp = std::fs::read(bench.path(&format!("frame_{:06}.bmp", frame - first + 1))).unwrap();
        let (size, expected) = expected(frame - 1);
        assert!(pixels(&bmp, size) == expected, "frame {frame} of {first} to {last}");
    }
    assert_eq!(bench.output(&["lint", "part.reprise"]).lines().next(), Some("no findings"));
}

#[test]
fn frames_that_are_cut_out_show_the_same() {
    let bench = Bench::new();
    capture(&bench, &[]);
    // Before the chain is resized, around that, and behind it.
    [(2, 4), (6, 9), (10, 12)].iter().for_each(|(first, last)| cut(&bench, *first, *last));
}

/// From the first frame that is whole on, before whose end the chain was resized; the barriers of older frames are not in the trace.
#[test]
fn frames_that_are_cut_out_of_a_flight_recorder_show_the_same() {
    let bench = Bench::new();
    capture(&bench, &["--flight-recorder=5", "--flight-at-end"]);
    [(8, 12), (9, 10), (11, 12)].iter().for_each(|(first, last)| cut(&bench, *first, *last));
    let finished = bench.run(&["trim", "--force", "--frames", "7-9", "-o", "part.reprise", "trace.reprise"]);
    assert_eq!(finished.status.code(), Some(1), "{}", finished.errors());
    assert!(finished.errors().contains("that `reprise info` calls whole"), "{}", finished.errors());
}

#[test]
fn a_window_shows_what_the_program_presented() {
    let bench = Bench::new();
    if require(Display::available()).is_none() {
        return;
    }
    capture(&bench, &[]);
    let display = Display::start().unwrap();
    let mut command = bench.command();
    command.args(["replay", "--window", "--pause-frame", "3", "-q", "trace.reprise"]);
    command.env("DISPLAY", display.name()).stdout(File::create(bench.path("report.txt")).unwrap());
    let mut child = command.spawn().unwrap();
    assert!(display.wait_for_window(PATIENCE).unwrap());
    let ((width, height), expected) = expected(2);
    let expected: Vec<u8> = expected.chunks(3).flat_map(|pixel| [pixel[0], pixel[1], pixel[2], 0]).collect();
    let mut shown = None;
    for _ in 0..PATIENCE.as_millis() / 20 {
        shown = display.picture().ok();
        let is_there = shown.as_ref().is_some_and(|(_, _, pixels)| *pixels == expected);
        if is_there || child.try_wait().unwrap().is_some() {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let shown = shown.map(|(width, height, pixels)| ((usize::from(width), usize::from(height)), pixels == expected));
    assert_eq!(shown, Some(((width, height), true)));
    display.close_windows().unwrap();
    let (status, timed_out) = program::wait(&mut child, PATIENCE).unwrap();
    assert!(status.success() && !timed_out, "{status}");
}
