//! Jobs.

use crate::page::{Page, golden, lines, programs, rounding};
use serde_json::{Value as Json, json};
use std::path::Path;
use std::time::{Duration, Instant};

#[test]
fn a_search_finds_what_the_filters_of_dump_find() {
    let trace = golden("gears");
    let page = Page::of(&trace);
    let cases: [(Json, &[&str]); 5] = [
        (json!({ "methods": ["Draw*"] }), &["--methods", "Draw*"]),
        (json!({ "objects": [22] }), &["--objects", "22"]),
        (json!({ "frames": [2, 2], "methods": ["*Reset"] }), &["--frames", "2", "--methods", "*Reset"]),
        (json!({ "calls": [60, 70] }), &["--calls", "60-70"]),
        (json!({ "threads": [7] }), &["--threads", "7"]),
    ];
    for (question, options) in cases {
        let mut wanted = question.clone();
        wanted["kind"] = "search".into();
        let found = page.found(&wanted);
        let mut words = vec!["dump", "--json", trace.to_str().unwrap()];
        words.extend(options);
        let dumped = lines(&words);
        let calls = |list: &[Json]| list.iter().filter_map(|line| line["call"].as_u64()).collect::<Vec<_>>();
        assert_eq!(calls(&found), calls(&dumped), "{question}");
    }
    let of_text = page.found(&json!({ "kind": "search", "text": "indexcountperinstance=540" }));
    assert!(!of_text.is_empty() && of_text.iter().all(|row| row["text"].as_str().unwrap().contains("=540")));
    let uses = page.found(&json!({ "kind": "uses", "object": 22 }));
    assert_eq!(uses.len(), page.found(&json!({ "kind": "search", "objects": [22] })).len());
    let misspelt = page.job(&json!({ "kind": "search", "methods": ["NoSuch"] }));
    assert_eq!(misspelt["state"], "failed");
    for wrong in [json!({}), json!({ "kind": "none" }), json!({ "kind": "search", "frames": [0, 1] }), json!([])] {
        assert_eq!(page.begin(&wrong).0, 400, "{wrong}");
    }
}

#[test]
fn findings_are_those_of_lint() {
    let trace = golden("gears");
    let page = Page::of(&trace);
    let found = page.found(&json!({ "kind": "lint" }));
    assert_eq!(found, lines(&["lint", "--format", "json", trace.to_str().unwrap()]));
}

#[test]
fn two_traces_are_compared_as_diff_does() {
    let (a, b) = (golden("gears"), golden("bundles"));
    let (a, b) = (a.to_str().unwrap(), b.to_str().unwrap());
    let page = Page::with(&[a, "--compare", b], &programs());
    assert_eq!(page.get("traces")["compare"], true);
    assert_eq!(page.ask("compare/row?t=0&row=3").0, 409);
    let job = page.job(&json!({ "kind": "diff" }));
    let printed = lines(&["diff", "--json", a, b]);
    assert_eq!(job["result"], printed.last().unwrap()["summary"]);
    let first = page.get(&format!("jobs/{}/items?count=1", job["job"].as_str().unwrap()));
    let mut first = first["items"][0].clone();
    assert!(first["row_a"].is_u64() || first["row_b"].is_u64());
    for row in ["row_a", "row_b"] {
        first.as_object_mut().unwrap().remove(row);
    }
    assert_eq!(first, printed[0]);
    assert!(page.get("compare/row?t=0&row=3")["row"].is_u64());
    let same = Page::with(&[a, "--compare", a], &programs());
    assert_eq!(same.get("compare")["same"], true);
    assert_eq!(same.job(&json!({ "kind": "diff" }))["result"]["equal"], true);
    assert_eq!(same.get("compare/row?t=0&row=91"), json!({ "row": 91, "call": 92, "exact": true }));
    assert_eq!(same.get("compare/row?t=1&call=92"), json!({ "row": 91, "call": 92, "exact": true }));
}

/// A `reprise` that never ends, and writes its process's number to a file.
#[cfg(unix)]
fn sleeper(folder: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let program = folder.join("reprise");
    std::fs::write(&program, format!("#!/bin/sh\necho $$ > {}/pid\nexec sleep 300\n", folder.display())).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[cfg(unix)]
#[test]
fn a_replay_that_nobody_waits_for_ends() {
    let folder = tempfile::tempdir().unwrap();
    sleeper(folder.path());
    let page = Page::with(&[golden("gears").to_str().unwrap()], folder.path());
    let (_, job) = page.begin(&json!({ "kind": "picture", "call": 93, "target": 0 }));
    let (_, same) = page.begin(&json!({ "kind": "picture", "call": 93, "target": 0 }));
    assert_eq!(job["job"], same["job"], "the same question is the same job");
    let started = Instant::now();
    let pid = loop {
        let said = std::fs::read_to_string(folder.path().join("pid")).unwrap_or_default();
        if let Ok(pid) = said.trim().parse::<u32>() {
            break pid;
        }
        assert!(started.elapsed() < Duration::from_secs(30), "no replay was started");
        std::thread::sleep(Duration::from_millis(20));
    };
    // Nobody asks.
    let proc = format!("/proc/{pid}");
    while Path::new(&proc).exists() {
        assert!(started.elapsed() < Duration::from_secs(60), "the replay goes on");
        std::thread::sleep(Duration::from_millis(100));
    }
    assert_eq!(page.get(&format!("jobs/{}", job["job"].as_str().unwrap()))["state"], "cancelled");
    let (_, again) = page.begin(&json!({ "kind": "picture", "call": 93, "target": 0 }));
    assert_ne!(job["job"], again["job"], "what was cancelled begins anew");
    assert_eq!(page.delete(again["job"].as_str().unwrap()).status, 200);
}

/// Needs a GPU, or Vulkan on the processor.
#[test]
#[ignore = "replays: run with --include-ignored"]
fn pictures_buffers_and_meshes_are_what_the_gpu_has() {
    let trace = golden("gears");
    let page = Page::of(&trace);
    let job = page.job(&json!({ "kind": "picture", "call": 101, "target": 0 }));
    assert_eq!(job["state"], "done", "{job}");
    let picture = &job["result"];
    assert_eq!((&picture["width"], &picture["height"]), (&json!(300), &json!(300)));
    let file = picture["values"]["file"].as_str().unwrap();
    let values = page.asked(&format!("/{}/{file}", page.token), "").body;
    assert_eq!(values.len(), 300 * 300 * 4 * picture["values"]["channels"].as_u64().unwrap() as usize);
    let value = |at: usize| f32::from_le_bytes(values[at * 4..at * 4 + 4].try_into().unwrap());
    let said =
        lines(&["show", "--json", "--call", "101", "--target", "0", "--pixel", "150,150", trace.to_str().unwrap()]);
    let expected: Vec<f32> =
        said[0]["pixels"][0]["values"].as_array().unwrap().iter().map(|v| v.as_f64().unwrap() as f32).collect();
    let at = (150 * 300 + 150) * expected.len();
    assert_eq!((0..expected.len()).map(|channel| value(at + channel)).collect::<Vec<_>>(), expected);
    let part = page.asked(&format!("/{}/{file}", page.token), "Range: bytes=16-31\r\n");
    assert_eq!((part.status, &part.body[..]), (206, &values[16..32]));
    let buffer = page.job(&json!({ "kind": "buffer", "call": 93, "resource": 22, "offset": 16, "bytes": 64 }));
    let file = buffer["result"]["file"].as_str().unwrap_or_else(|| panic!("{buffer}")).to_owned();
    let stored = page.get("0/memory/bytes?object=22&call=93&offset=16&length=64");
    let hex: String =
        page.asked(&format!("/{}/{file}", page.token), "").body.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(stored["hex"], hex);
    let mesh = page.job(&json!({ "kind": "mesh", "call": 93 }));
    assert_eq!(mesh["state"], "done", "{mesh}");
    let mesh = &mesh["result"];
    assert_eq!(mesh["indices"]["count"], 120);
    let position = mesh["position"].as_u64().unwrap() as usize;
    assert_eq!(mesh["columns"][position]["components"], 3, "{mesh}");
    let behind = page.job(&json!({ "kind": "mesh", "call": 93, "stage": "vertex" }));
    assert_eq!(behind["state"], "done", "{behind}");
    let behind = &behind["result"];
    assert_eq!((&behind["vertices"], &behind["behind"]), (&json!(120), &json!("vertex")));
    assert_eq!(behind["columns"][behind["position"].as_u64().unwrap() as usize]["name"], "SV_POSITION");
    // The same bytes as the command writes.
    let raw = std::env::temp_dir().join(format!("reprise-inspect-test-{}.bin", std::process::id()));
    lines(&["mesh", "--json", "--call", "93", "--raw", raw.to_str().unwrap(), trace.to_str().unwrap()]);
    let file = behind["file"].as_str().unwrap();
    assert_eq!(page.asked(&format!("/{}/{file}", page.token), "").body, std::fs::read(&raw).unwrap());
    for path in [raw.clone(), raw.with_extension("bin.json")] {
        std::fs::remove_file(path).unwrap();
    }
    let none = page.job(&json!({ "kind": "mesh", "call": 93, "stage": "vertex", "instance": 1 }));
    assert!(none["error"].as_str().unwrap().contains("no instance 1"), "{none}");
    let thumbnails = page.found(&json!({ "kind": "thumbnails", "frames": [1, 2], "size": 64 }));
    assert_eq!(thumbnails.len(), 2);
    let png = page.asked(&format!("/{}/{}", page.token, thumbnails[0]["file"].as_str().unwrap()), "").body;
    assert!(png.starts_with(b"\x89PNG"));
}

/// A runtime that rounds the colours of clears otherwise: the first clear comes first, then each frame, and both sides have their own pictures.
#[test]
#[ignore = "replays: run with --include-ignored"]
fn two_replays_are_compared_to_the_clear_that_one_rounds_otherwise() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = rounding(folder.path());
    let trace = golden("gears");
    let trace = trace.to_str().unwrap();
    let page = Page::with(&["--replay", "--against-runtime", runtime.to_str().unwrap(), trace], &programs());
    let traces = page.get("traces");
    assert_eq!((&traces["compare"], &traces["replays"]), (&json!(true), &json!(true)));
    assert_eq!(traces["traces"][1]["replay"]["on"]["runtime"], runtime.to_str().unwrap());
    assert_eq!(page.ask("compare").0, 409);
    let clear = &lines(&["dump", "--json", "--methods", "ClearRenderTargetView", trace])[0];
    let found = page.found(&json!({ "kind": "replays" }));
    let whole = |of: &str| json!({ "what": of, "columns": [0, 299], "rows": [0, 299], "of": 90_000 });
    let has = |item: &Json, part: &Json| part.as_object().unwrap().iter().all(|(name, value)| &item[name] == value);
    assert!(has(&found[0], &whole("operation")), "{found:?}");
    assert_eq!(
        (&found[0]["call"], &found[0]["texels"], &found[0]["largest"]),
        (&clear["call"], &json!(90_000), &json!(1.0))
    );
    // Gears' golden trace has three frames, and each is cleared.
    assert_eq!(found[1..].iter().map(|item| item["frame"].as_u64()).collect::<Vec<_>>(), [1, 2, 3].map(Some));
    assert!(found[1..].iter().all(|item| has(item, &whole("frame"))), "{found:?}");
    let result = page.job(&json!({ "kind": "replays" }))["result"].clone();
    assert_eq!((&result["equal"], &result["frames"], &result["steady"]), (&json!(false), &json!(3), &json!(true)));
    // Opaque black on one side; on the other the opacity is a step less, and black stays black.
    let picture = json!({ "kind": "picture", "call": clear["call"], "resource": found[0]["resource"] });
    for (t, opacity) in [(0, 1.0_f32), (1, 254.0 / 255.0)] {
        let made = page.job_of(t, &picture);
        assert_eq!(made["state"], "done", "{made}");
        let values = page.file(&made["result"]["values"]["file"]);
        let texels: Vec<f32> =
            values.chunks_exact(4).map(|four| f32::from_le_bytes(four.try_into().unwrap())).collect();
        assert_eq!(texels.len(), 4 * 90_000);
        assert!(texels.chunks_exact(4).all(|texel| texel == [0.0, 0.0, 0.0, opacity]), "{t}: {:?}", &texels[..4]);
    }
    let same = Page::with(&["--replay", trace], &programs()).job(&json!({ "kind": "replays" }));
    assert_eq!((&same["result"]["equal"], &same["found"]), (&json!(true), &json!(0)), "{same}");
    let one = Page::with(&[trace], &programs());
    assert_eq!(one.begin(&json!({ "kind": "replays" })).0, 409);
}

/// A trace of our own in a folder of our own: what is saved lies beside it.
fn own(folder: &Path) -> std::path::PathBuf {
    let trace = folder.join("own.reprise");
    std::fs::copy(golden("gears"), &trace).unwrap();
    trace
}

/// Edits are checked before anything runs, and name attached files only.
#[test]
fn edits_that_cannot_be_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let page = Page::of(&own(folder.path()));
    let secret = folder.path().join("secret.bin");
    std::fs::write(&secret, [0; 12]).unwrap();
    let red = page.attach(&[0, 0, 128, 63]);
    let ask =
        |edits: &str| json!({ "kind": "edit", "call": 155, "target": 0, "edits": edits, "files": { "red.bin": red } });
    for (edits, status, why) in [
        ("call 155: fly", 400, "edits, line 1"),
        ("", 400, "edits is missing"),
        (&format!("buffer 20+28 = \"{}\"", secret.display()), 400, "not attached"),
        ("shader of 14 PS = \"../own.hlsl\"", 400, "not attached"),
    ] {
        let (told, json) = page.begin(&ask(edits));
        assert!(told == status && json["error"].as_str().unwrap().contains(why), "{edits}: {json}");
    }
    let gone =
        json!({ "kind": "edit", "call": 155, "target": 0, "edits": "call 155: drop", "files": { "a.bin": "0" } });
    assert_eq!(page.begin(&gone).0, 404);
    // What is wrong with the trace in mind is what the command says, with the edit and the call.
    let refused = page.job(&ask("call 155: IndexCount = 3"));
    assert_eq!(refused["state"], "failed", "{refused}");
    let why = refused["error"].as_str().unwrap();
    assert!(why.starts_with("edits, line 1") && why.contains("IndexCount"), "{why}");
}

/// What is saved is a trace that differs by the edit; nothing is replaced, and nothing is written elsewhere.
#[test]
fn an_edited_trace_is_saved_beside_the_trace_once() {
    let folder = tempfile::tempdir().unwrap();
    let trace = own(folder.path());
    let page = Page::of(&trace);
    let ask = |name: &str| json!({ "kind": "save", "edits": "call 155: drop", "name": name });
    for name in ["", "../new.reprise", "/tmp/new.reprise", "new", "a/new.reprise", ".new.reprise", "new.reprise.txt"] {
        assert_eq!(page.begin(&ask(name)).0, 400, "{name}");
    }
    assert_eq!(page.begin(&ask("own.reprise")).0, 409);
    let saved = page.job(&ask("new.reprise"));
    assert_eq!((&saved["state"], &saved["result"]["dropped_calls"]), (&json!("done"), &json!(1)), "{saved}");
    let new = folder.path().join("new.reprise");
    let said = lines(&["diff", "--json", trace.to_str().unwrap(), new.to_str().unwrap()]);
    let summary = &said.last().unwrap()["summary"];
    assert_eq!((&summary["equal"], said.len()), (&json!(false), 2), "{said:?}");
    let bytes = std::fs::read(&new).unwrap();
    assert_eq!(page.begin(&ask("new.reprise")).0, 409, "it is there");
    assert_eq!(std::fs::read(&new).unwrap(), bytes);
    let there: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(there.len(), 2, "{there:?}");
}

/// Needs a GPU, or Vulkan on the processor.
#[test]
#[ignore = "replays: run with --include-ignored"]
fn steps_of_a_shader_are_those_of_debug() {
    let trace = golden("gears");
    let page = Page::of(&trace);
    let trace = trace.to_str().unwrap();
    for (question, options) in [
        (json!({ "pixel": [200, 200], "primitive": 126 }), &["--pixel", "200,200", "--primitive", "126"][..]),
        (json!({ "vertex": 7, "instance": 0 }), &["--vertex", "7"]),
    ] {
        let mut question = question;
        (question["kind"], question["call"]) = ("debug".into(), 155.into());
        let job = page.job(&question);
        assert_eq!(job["state"], "done", "{job}");
        let said = &lines(&[&["debug", "--json", trace, "155"], options].concat())[0];
        let told = &job["result"];
        let steps: Json = serde_json::from_slice(&page.file(&told["steps"]["files"][0])).unwrap();
        assert!(said["steps"].as_array().unwrap().len() > 5);
        assert_eq!((&steps, &told["steps"]["total"]), (&said["steps"], &json!(steps.as_array().unwrap().len())));
        let mut rest = said.clone();
        rest.as_object_mut().unwrap().remove("steps");
        assert_eq!(told["record"], rest);
    }
    // What the command refuses is told in its words.
    let none = page.job(&json!({ "kind": "debug", "call": 155, "pixel": [1, 1] }));
    assert!(none["error"].as_str().unwrap().contains("no fragment at this pixel"), "{none}");
    let no_draw = page.job(&json!({ "kind": "debug", "call": 12, "pixel": [1, 1] }));
    assert!(no_draw["error"].as_str().unwrap().contains("draws nothing"), "{no_draw}");
}

/// The manual's fault: the second gear is green. Another colour in the buffer makes it red; without it, it stays as it was.
#[test]
#[ignore = "replays: run with --include-ignored"]
fn an_edit_changes_the_pixel_that_it_is_of() {
    let folder = tempfile::tempdir().unwrap();
    let page = Page::of(&own(folder.path()));
    let red = page.attach(&[0, 0, 128, 63, 0, 0, 0, 0, 0, 0, 0, 0]);
    let pixel = |picture: &Json| -> Vec<f32> {
        let values = page.file(&picture["values"]["file"]);
        let channels = picture["values"]["channels"].as_u64().unwrap() as usize;
        let at = (200 * 300 + 200) * channels * 4;
        values[at..at + 16].chunks_exact(4).map(|four| f32::from_le_bytes(four.try_into().unwrap())).collect()
    };
    let ask = |edits: &str| {
        let job =
            page.job(&json!({ "kind": "edit", "call": 155, "target": 0, "edits": edits, "files": { "red.bin": red } }));
        assert_eq!(job["state"], "done", "{job}");
        job["result"].clone()
    };
    let told = ask("buffer 20+28 = \"red.bin\"");
    let (before, after) = (pixel(&told["before"]), pixel(&told["after"]));
    assert!(before[0] == 0.0 && before[1] > 0.6, "{before:?}");
    assert!(after[0] > 0.6 && after[1] == 0.0, "{after:?}");
    assert_eq!((&told["call"], &told["counts"]["dropped_calls"]), (&json!(155), &json!(0)));
    assert!(told["counts"]["changed_stores"].as_u64().unwrap() > 0);
    // The control: an edit of something else leaves it, and a call that is dropped moves those behind it.
    let other = ask("call 146: ColorRGBA[0] = 0.5\ncall 151: drop");
    assert_eq!((pixel(&other["after"]), &other["call"]), (before.clone(), &json!(154)));
    let gone = ask("call 155: drop");
    assert!(gone["after"].is_null() && gone["why"].as_str().unwrap().contains("not in the edited trace"), "{gone}");
    // Nothing is left of what was worked with.
    let there: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(there.len(), 1, "{there:?}");
}

/// A shader of the user's over a target: its numbers, by the compiled shader that the suite has for this.
#[test]
#[ignore = "replays: run with --include-ignored"]
fn a_picture_is_shown_through_a_shader() {
    let page = Page::of(&golden("gears"));
    let shader = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crates/programs/shaders/custom_views.floats.dxil");
    let shader = page.attach(&std::fs::read(shader).unwrap());
    let ask = |name: &str| json!({ "kind": "view", "call": 155, "target": 0, "shader": name, "files": { "view.dxil": shader } });
    let job = page.job(&ask("view.dxil"));
    assert_eq!(job["state"], "done", "{job}");
    assert_eq!(job["result"]["format"], "DXGI_FORMAT_R32G32B32A32_FLOAT");
    let plain = page.job(&json!({ "kind": "picture", "call": 155, "target": 0 }));
    let texels = |job: &Json| page.file(&job["result"]["values"]["file"]);
    assert_eq!(texels(&job).len(), 300 * 300 * 16);
    assert_ne!(texels(&job), texels(&plain));
    assert_eq!(page.begin(&ask("other.dxil")).0, 400);
    let text = page.attach(b"no shader");
    let wrong =
        json!({ "kind": "view", "call": 155, "target": 0, "shader": "view.hlsl", "files": { "view.hlsl": text } });
    let wrong = page.job(&wrong);
    let why = wrong["error"].as_str().unwrap();
    assert!(why.starts_with("--shader view.hlsl") && why.contains("dxc"), "{why}");
    let reads = page.attach(b"#include \"/etc/hostname\"");
    let reads = json!({ "kind": "view", "call": 155, "target": 0, "shader": "a.hlsl", "files": { "a.hlsl": reads } });
    assert_eq!(page.begin(&reads).0, 400);
}
