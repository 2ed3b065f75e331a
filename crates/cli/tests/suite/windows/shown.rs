//! Frames in a window, on Wine's own Direct3D 12, on our runtime, and captured on it. The program checks its frames itself (`show.rs` of
//! `windows-programs`), on the screen, too; Wine's own run says that it is right. Here the X server is asked what stands there at
//! the end, and replays what the program read back.

use super::wine::Wine;
use crate::bench::PATIENCE;
use reprise_testing::program;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The last picture of `show=60`: frame 50 of 333 by 171 pixels, green with a square of 24 pixels in magenta.
const GREEN: usize = 333 * 171 - MAGENTA;
const MAGENTA: usize = 24 * 24;

#[test]
#[ignore = "slow: boots a Wine prefix"]
fn frames_in_a_window() {
    let Some(wine) = Wine::new() else { return };
    let folder = wine.folder("shown", &[("game.exe", "late")]);
    let game = folder.join("game.exe");
    let own = wine.bare(&game, &["show=60"]);
    assert_eq!(own.status.code(), Some(0), "on Wine's own: {}{}", own.text(), own.errors());
    let on_ours = |words: &[&str], steps: &[&str]| -> Command {
        let mut command = wine.reprise();
        command.args(words).arg("--").arg(wine.program()).arg(&game).args(steps);
        command
    };
    let finished = program::run(&mut on_ours(&["run"], &["show=1000"]), PATIENCE).unwrap();
    assert_eq!(finished.status.code(), Some(0), "on ours: {}{}", finished.text(), finished.errors());
    let said = finished.text();
    // As Microsoft documents it for the flip model, and as Wine's own answers.
    assert!(said.contains("occluded false") && own.text().contains("occluded false"), "{said}{}", own.text());
    assert!(!said.contains("rewound false") && !said.contains("without flips true"), "{said}");
    assert!(said.contains("lost true") && !said.contains("disjoint"), "{said}");
    // The last frame stays while the X server is asked.
    let mut command = on_ours(&["run", "--quiet"], &["show=60,3000"]);
    let mut running = command.stdout(Stdio::null()).spawn().unwrap();
    let (start, mut found) = (Instant::now(), [0; 2]);
    while found != [GREEN, MAGENTA] && start.elapsed() < PATIENCE && running.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(50));
        let Ok((_, _, pixels)) = wine.display.screen() else { continue };
        found =
            [[0, 255, 0], [255, 0, 255]].map(|colour| pixels.chunks(4).filter(|pixel| pixel[..3] == colour).count());
    }
    assert_eq!(found, [GREEN, MAGENTA], "pixels on the X server, green and magenta");
    assert_eq!(running.wait().unwrap().code(), Some(0));
    let options = ["capture", "--runtime", "ours", "-o", "t.reprise"];
    let finished = program::run(&mut on_ours(&options, &["show=60"]), PATIENCE).unwrap();
    assert_eq!(finished.status.code(), Some(0), "captured on ours: {}{}", finished.text(), finished.errors());
    let replayed = wine.bench.output(&["replay", "t.reprise"]);
    assert!(replayed.contains("that the program saw the GPU write compared"), "{replayed}");
    let info = wine.bench.output(&["info", "t.reprise"]);
    assert!(info.lines().any(|line| line.split_whitespace().eq(["frames:", "89"])), "a frame for each present: {info}");
    std::fs::remove_file(wine.bench.path("t.reprise")).unwrap();
}
