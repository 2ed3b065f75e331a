//! `replay --loop-frame` on frames of a real program.

use crate::bench::Bench;
use serde_json::Value as Json;

#[test]
fn a_frame_looks_the_same_in_every_round() {
    let bench = Bench::new();
    if bench.capture("vkd3d-gears", 4).is_none() {
        return;
    }
    let hashes = |text: &str| -> Vec<Json> {
        let report: Json = serde_json::from_str(text).unwrap();
        assert_eq!(report["difference_count"], 0, "{report}");
        report["frames"].as_array().unwrap().iter().map(|frame| frame["hash"].clone()).collect()
    };
    let plain =
        bench.output(&["replay", "--json", "--quit-after-frame", "3", "--frame-hashes", "plain.txt", "trace.reprise"]);
    for (frames, count) in [("3", "4"), ("2-3", "3")] {
        let arguments =
            ["replay", "--json", "--loop-frame", frames, "--loop-count", count, "--frame-hashes", "looped.txt"];
        let looped = bench.output(&[&arguments[..], &["trace.reprise"]].concat());
        assert_eq!(hashes(&looped), hashes(&plain));
        let report: Json = serde_json::from_str(&looped).unwrap();
        let seconds: Vec<f64> = report["round_seconds"].as_array().unwrap().iter().filter_map(Json::as_f64).collect();
        assert_eq!(seconds.len().to_string(), count);
        assert!(seconds.iter().all(|&seconds| seconds > 0.0), "{seconds:?}");
    }
    let finished = bench.run(&["replay", "--loop-frame", "2", "--runtime", "vkd3d", "trace.reprise"]);
    assert_eq!(finished.status.code(), Some(1));
    assert!(finished.errors().contains("only on our own runtime"), "{}", finished.errors());
}
