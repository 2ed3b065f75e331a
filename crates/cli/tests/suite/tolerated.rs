//! `reprise verify --tolerance`: frames and read-backs of a runtime that rounds otherwise pass within it, and fail beyond it. The runtime is that
//! of the tests of `bisect`: its clears are one step darker.

use crate::bench::Bench;
use crate::{bisect, programs};
use serde_json::Value as Json;

/// What `verify` says, and its exit code.
fn verify(bench: &Bench, arguments: &[&str]) -> (Json, Option<i32>) {
    let finished = bench.run(&[&["verify", "--json"], arguments, &["trace.reprise"]].concat());
    let json = serde_json::from_str(&finished.text()).unwrap_or_else(|_| panic!("{}", finished.errors()));
    (json, finished.status.code())
}

#[test]
fn frames_and_textures_that_are_read_back_pass_within_a_tolerance_and_fail_beyond_it() {
    let bench = Bench::new();
    let Some(rounds) = bisect::runtime(&bench, 1) else { return };
    programs::capture(&bench, "presents", &programs::ours());
    bench.output(&["replay", "--screenshot-all", "--screenshot-dir", "shots", "trace.reprise"]);
    let pictures = ["--pictures", "shots"];
    let count = |json: &Json, name: &str| json[name].as_u64().unwrap();

    let (same, code) = verify(&bench, &pictures);
    assert_eq!((count(&same, "different_frames"), code), (0, Some(0)), "{same}");
    let frames = count(&same, "frames");
    assert!(frames > 10, "{same}");

    // A tolerance of 0 is exact.
    let darker = ["--runtime", &rounds];
    let (exact, code) = verify(&bench, &[&pictures[..], &darker].concat());
    assert_eq!((count(&exact, "frames_beyond"), code), (frames, Some(1)), "{exact}");
    assert!(count(&exact, "different_reads") > 0, "{exact}");
    let within = ["--tolerance", "max-step=1", "--difference-dir", "differences"];
    let (near, code) = verify(&bench, &[&pictures[..], &darker, &within].concat());
    assert_eq!((count(&near, "frames_beyond"), count(&near, "different_frames")), (0, frames), "{near}");
    assert_eq!((&near["passed"], code), (&true.into(), Some(0)), "{near}");
    assert!(bench.path(near["worst"]["picture"].as_str().unwrap()).exists(), "{near}");
    // The measures of suites: one step of 255 is 48 decibels.
    for (tolerance, beyond) in [("psnr=40", 0), ("psnr=60", frames), ("flip=0", frames)] {
        let (json, _) = verify(&bench, &[&pictures[..], &darker, &["--tolerance", tolerance]].concat());
        assert_eq!(count(&json, "frames_beyond"), beyond, "{tolerance}: {json}");
    }

    // A frame that the replay does not show is beyond any tolerance.
    std::fs::copy(bench.path("shots/frame_000001.png"), bench.path("shots/frame_000099.png")).unwrap();
    let (missing, code) = verify(&bench, &[&pictures[..], &["--tolerance", "max-step=255"]].concat());
    assert_eq!((&missing["beyond"][0]["frame"], code), (&99.into(), Some(1)), "{missing}");

    // Without pictures, hashes are compared, and what is read back by the tolerance.
    let bytes = |steps: &str| {
        let (json, _) = verify(&bench, &["--tolerance", steps, "--runtime", &rounds]);
        (count(&json, "different_bytes"), count(&json, "near_bytes"))
    };
    let (all, none) = bytes("max-step=0");
    assert!(all > 0 && none == 0, "{all} differ, {none} nearly");
    assert_eq!(bytes("max-step=1"), (0, all));
    let wrong = bench.run(&["verify", "--tolerance", "ssim=0.9", "trace.reprise"]);
    assert_eq!(wrong.status.code(), Some(2), "{}", wrong.errors());
    assert!(wrong.errors().contains("name --pictures or --against"), "{}", wrong.errors());
}
