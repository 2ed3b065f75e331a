//! Formats, samples and sizes that are forced.

use super::*;

#[test]
fn what_is_forced_is_forced_everywhere_and_only_there() {
    let targets = Targets::new();
    let (bench, lines) = (&targets.bench, &targets.lines);
    let force = "force format DXGI_FORMAT_R8G8B8A8_UNORM = DXGI_FORMAT_B8G8R8A8_UNORM";
    let back = "force format DXGI_FORMAT_B8G8R8A8_UNORM = DXGI_FORMAT_R8G8B8A8_UNORM";
    // The channels of the first target lie in another order then.
    let mut swapped = Scene::of(lines).picture();
    swapped.chunks_mut(4).for_each(|texel| texel.swap(0, 2));
    assert_eq!(targets.picture(&[force], 0), swapped);
    edit(bench, "trace.reprise", &[force], "edited.reprise");
    let [removed, added, changed] = diff(bench, "edited.reprise");
    assert!(removed + added == 0 && changed > 4, "{removed} {added} {changed}");
    there_and_back(bench, &[force], &[back], [0, 0, changed]);

    // The second viewport is a list that is written whole, and its count follows.
    let viewport = calls(lines, "RSSetViewports")[0];
    let list = format!("call {viewport}: pViewports = [{{Width = 8, Height = 8, MaxDepth = 1}}, {{Width = 4}}]");
    edit(bench, "trace.reprise", &[&list], "edited.reprise");
    let edited = dump(bench, "edited.reprise");
    assert_eq!(call(&edited, viewport)["args"]["NumViewports"], 2);
    assert_eq!(call(&edited, viewport)["args"]["pViewports"][1]["Width"], 4.0);
    // What is as large as the targets: without the copies, whose rows would be others.
    let sized = |lines: &[Json], size: u64| {
        let text = |line: &&Json| {
            let args = line["args"].to_string();
            let texture = args.contains(&format!("\"Width\":{size},\"Height\":{size},"));
            let others =
                [format!("\"Width\":{size}.0,\"Height\":{size}.0"), format!("\"right\":{size},\"bottom\":{size}}}")];
            let makes =
                line["method"].as_str().is_some_and(|name| name.contains("::Create") || name.contains("::RSSet"));
            makes && (texture || others.iter().any(|other| args.contains(other)))
        };
        lines.iter().filter(text).count()
    };
    let before = sized(lines, 32);
    edit(bench, "trace.reprise", &["every CopyTextureRegion: drop", "force size 32x32 = 16x16"], "edited.reprise");
    let edited = dump(bench, "edited.reprise");
    assert!(before > 3, "{before}");
    assert_eq!((sized(&edited, 32), sized(&edited, 16)), (0, before + sized(lines, 16)));
    bench.output(&["replay", "-q", "edited.reprise"]);

    let bench = Bench::new();
    capture(&bench, "resolves");
    let lines = dump(&bench, "trace.reprise");
    let counts = |lines: &[Json], count: u64| {
        let makes = |line: &&Json| line["method"].as_str().is_some_and(|name| name.contains("::Create"));
        lines
            .iter()
            .filter(makes)
            .filter(|line| line["args"].to_string().contains(&format!("\"SampleDesc\":{{\"Count\":{count}")))
            .count()
    };
    let (four, two) = (counts(&lines, 4), counts(&lines, 2));
    assert!(four > 0, "the program has no four samples");
    edit(&bench, "trace.reprise", &["force samples 4 = 8"], "edited.reprise");
    let edited = dump(&bench, "edited.reprise");
    assert_eq!((counts(&edited, 4), counts(&edited, 2)), (counts(&lines, 4) - four, two));
}
