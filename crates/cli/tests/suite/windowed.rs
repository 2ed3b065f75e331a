//! `replay --window`, on a display of its own: the window's pixels are the frame's.

use crate::bench::{Bench, PATIENCE};
use reprise_testing::{Display, program, require};
use std::fs::File;
use std::process::Child;
use std::time::{Duration, Instant};

/// Keys of the server's own layout: n, q.
const N: u8 = 57;
const Q: u8 = 24;

/// The pixels of the window, once they are those that are expected, and what they were in the end.
fn wait_for(display: &Display, child: &mut Child, expected: &[u8]) -> Vec<u8> {
    let started = Instant::now();
    loop {
        let pixels = display.picture().map(|picture| picture.2).unwrap_or_default();
        if pixels == expected || started.elapsed() > PATIENCE || child.try_wait().unwrap().is_some() {
            return pixels;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The pixels of a BMP file as a window has them: rows top first, four bytes each.
fn pixels_of(bmp: &[u8], (width, height): (usize, usize)) -> Vec<u8> {
    let start = u32::from_le_bytes(bmp[10..14].try_into().unwrap()) as usize;
    let pitch = (width * 3).next_multiple_of(4);
    let rows = (0..height).rev().map(|row| &bmp[start + row * pitch..][..width * 3]);
    rows.flat_map(|row| row.chunks(3).flat_map(|pixel| [pixel[0], pixel[1], pixel[2], 0])).collect()
}

#[test]
fn a_window_shows_the_frames() {
    let bench = Bench::new();
    if bench.capture("vkd3d-gears", 4).is_none() || require(Display::available()).is_none() {
        return;
    }
    bench.output(&["replay", "--screenshots", "2-3", "--screenshot-format", "bmp", "trace.reprise"]);
    let display = Display::start().unwrap();
    let mut command = bench.command();
    command.args(["replay", "--window", "--pause-frame", "2", "--json", "trace.reprise"]);
    command.env("DISPLAY", display.name()).stdout(File::create(bench.path("report.json")).unwrap());
    let mut child = command.spawn().unwrap();
    assert!(display.wait_for_window(PATIENCE).unwrap());
    let (width, height, _) = display.picture().unwrap();
    let size = (usize::from(width), usize::from(height));
    for frame in [2, 3] {
        let bmp = std::fs::read(bench.path(&format!("frame_00000{frame}.bmp"))).unwrap();
        let expected = pixels_of(&bmp, size);
        assert_eq!(expected.len(), size.0 * size.1 * 4, "the window is as large as the frame");
        let pixels = wait_for(&display, &mut child, &expected);
        assert!(pixels == expected, "frame {frame} is not what the window shows");
        // One more, then the end.
        display.press(if frame == 2 { N } else { Q }).unwrap();
    }
    let (status, timed_out) = program::wait(&mut child, PATIENCE).unwrap();
    assert!(status.success() && !timed_out, "{status}");
    let report = std::fs::read_to_string(bench.path("report.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["frames"].as_array().unwrap().len(), 3, "it ends with the frame at which q was pressed");

    // Scaled to what was asked for; closing the window ends it.
    let mut command = bench.command();
    command.args(["replay", "--fw", "64,48", "--fwo", "10,20", "--paused", "-q", "trace.reprise"]);
    let mut child = command.env("DISPLAY", display.name()).spawn().unwrap();
    assert!(display.wait_for_window(PATIENCE).unwrap());
    let (width, height, _) = display.picture().unwrap();
    assert_eq!((width, height), (64, 48));
    display.close_windows().unwrap();
    let (status, timed_out) = program::wait(&mut child, PATIENCE).unwrap();
    assert!(status.success() && !timed_out, "{status}");

    // Without a display there is a message.
    let finished = bench.run(&["replay", "--window", "trace.reprise"]);
    assert_eq!(finished.status.code(), Some(2));
    assert!(finished.errors().contains("DISPLAY"), "{}", finished.errors());
}
