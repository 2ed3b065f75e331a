//! Who uses a resource, how its subresources stand, and notes beside a trace. What is expected comes from the arguments of calls, as `dump` prints
//! them: neither the lint nor the timeline has a part in it.

use crate::bench::Bench;
use crate::programs;
use reprise_testing::artifact;
use serde_json::{Value as Json, json};

fn gears(bench: &Bench) {
    let golden = artifact::workspace().join("crates/cli/tests/golden/v3/gears.reprise");
    std::fs::copy(golden, bench.path("trace.reprise")).unwrap();
}

fn calls(bench: &Bench) -> Vec<Json> {
    bench.output(&["dump", "--json", "trace.reprise"]).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn usage(bench: &Bench, call: u64, object: u64) -> Json {
    let report =
        bench.output(&["state", "trace.reprise", &call.to_string(), "--object", &object.to_string(), "--json"]);
    serde_json::from_str::<Json>(&report).unwrap()["usage"].clone()
}

fn named<'c>(calls: &'c [Json], method: &str) -> Vec<&'c Json> {
    calls.iter().filter(|call| call["method"].as_str().unwrap_or_default().ends_with(method)).collect()
}

fn number(call: &Json) -> u64 {
    call["call"].as_u64().unwrap()
}

/// The depth buffer of gears is cleared and drawn to by one list a frame, in the order of its calls: each write has the one before it and the
/// one behind it.
#[test]
fn a_write_has_the_one_before_it_and_the_next_one() {
    let bench = Bench::new();
    gears(&bench);
    let calls = calls(&bench);
    let depth = named(&calls, "::CreateCommittedResource")[0]["args"]["ppvResource"]["id"].as_u64().unwrap();
    let mut writes: Vec<&Json> =
        ["::ClearDepthStencilView", "::DrawIndexedInstanced"].map(|name| named(&calls, name)).concat();
    writes.sort_by_key(|call| number(call));
    assert!(writes.len() > 15);
    let kind = |call: &Json| if call["method"].as_str().unwrap().contains("Clear") { "clear" } else { "depth_write" };
    let told = |it: &Json| (it["call"].as_u64(), it["kind"].as_str().map(str::to_owned));
    let expected = |at: Option<usize>| {
        let call = at.and_then(|at| writes.get(at));
        (call.map(|call| number(call)), call.map(|call| kind(call).to_owned()))
    };
    for (at, call) in writes.iter().enumerate() {
        let found = usage(&bench, number(call), depth);
        assert_eq!(told(&found["previous_write"]), expected(at.checked_sub(1)), "before call {}", call["call"]);
        assert_eq!(told(&found["next_write"]), expected(Some(at + 1)), "behind call {}", call["call"]);
        assert_eq!(told(&found["here"][0]), expected(Some(at)));
        assert_eq!(found["subresources"][0]["state"], "D3D12_RESOURCE_STATE_DEPTH_WRITE");
    }
    // The control: between two draws the neighbours are others than at them.
    let between = usage(&bench, number(writes[3]) + 1, depth);
    assert_eq!(told(&between["previous_write"]), expected(Some(3)));
    assert_eq!(between["here"], json!([]));
    let text =
        bench.output(&["state", "trace.reprise", &number(writes[1]).to_string(), "--object", &depth.to_string()]);
    assert!(text.contains(&format!("call {} ClearDepthStencilView: clear", writes[0]["call"])), "{text}");
}

/// A barrier of one subresource: before it all stand alike, behind it that one stands apart.
#[test]
fn subresources_stand_as_barriers_left_them() {
    let bench = Bench::new();
    programs::capture(&bench, "copies", &programs::ours());
    let calls = calls(&bench);
    let moved = |call: &&Json| {
        let barrier = &call["args"]["pBarriers"][0]["Transition"];
        let one = barrier["Subresource"].as_u64().is_some_and(|index| index != u64::from(u32::MAX));
        one.then(|| (number(call), barrier.clone()))
    };
    let (call, barrier) = named(&calls, "::ResourceBarrier").iter().find_map(moved).unwrap();
    let resource = barrier["pResource"]["id"].as_u64().unwrap();
    let made = calls.iter().find(|call| call["args"]["ppvResource"]["id"] == resource).unwrap();
    let mips = made["args"]["pDesc"]["MipLevels"].as_u64().unwrap();
    let index = barrier["Subresource"].as_u64().unwrap();
    let state_of = |found: &Json, index: u64| -> Json {
        let holds = |one: &&Json| {
            let within = |name: &str, names: &str, at: u64| {
                let (first, count) = (one[name].as_u64().unwrap(), one[names].as_u64().unwrap());
                (first..first + count).contains(&at)
            };
            within("mip", "mips", index % mips) && within("layer", "layers", index / mips)
        };
        let all: Vec<&Json> = found["subresources"].as_array().unwrap().iter().filter(holds).collect();
        assert_eq!(all.len(), 1, "each subresource stands in one way: {found}");
        all[0]["state"].clone()
    };
    let (before, after) = (usage(&bench, call, resource), usage(&bench, call + 1, resource));
    assert_eq!(state_of(&before, index), barrier["StateBefore"]);
    assert_eq!(state_of(&after, index), barrier["StateAfter"]);
    assert_ne!(barrier["StateBefore"], barrier["StateAfter"]);
    // The control: the others stay.
    let slices = made["args"]["pDesc"]["DepthOrArraySize"].as_u64().unwrap();
    for other in (0..mips * slices).filter(|other| *other != index) {
        assert_eq!(state_of(&after, other), state_of(&before, other), "subresource {other}");
    }
}

/// A bundle that draws twice, with calls that are no draws between: each draw has its uses in the submission that runs the bundle, and what stands
/// between them is looked at there, too.
#[test]
fn calls_of_bundles_are_looked_at_where_a_list_runs_them() {
    let bench = Bench::new();
    programs::capture(&bench, "bundles", &programs::ours());
    let calls = calls(&bench);
    let list = |call: &Json| call["this"]["id"].as_u64().unwrap();
    let ran = named(&calls, "::ExecuteBundle");
    let bundles = ran.iter().map(|call| call["args"]["pCommandList"]["id"].as_u64().unwrap());
    let draws = named(&calls, "::DrawInstanced");
    let of = |bundle: u64| draws.iter().filter(|draw| list(draw) == bundle).map(|it| number(it)).collect::<Vec<_>>();
    let twice = bundles.map(|bundle| (bundle, of(bundle))).find(|(_, of)| of.len() == 2);
    let (bundle, first, second) = twice.map(|(bundle, of)| (bundle, of[0], of[1])).unwrap();
    let sets = named(&calls, "::SetGraphicsRootConstantBufferView");
    let between = sets.iter().find(|set| list(set) == bundle && (first..second).contains(&number(set))).unwrap();
    let buffer = between["args"]["BufferLocation"]["object"].as_u64().unwrap();
    for draw in [first, second] {
        let found = usage(&bench, draw, buffer);
        assert_eq!(found["at"], "submission", "{found}");
        assert_eq!((&found["here"][0]["call"], &found["here"][0]["kind"]), (&json!(draw), &json!("constant_buffer")));
    }
    let found = usage(&bench, number(between), buffer);
    assert_eq!((&found["at"], &found["here"]), (&json!("submission"), &json!([])));
    // The control: what is called beside the bundle's recording is not looked at in a submission.
    let made = named(&calls, "::CreateCommandList").into_iter().rfind(|call| number(call) < first).unwrap();
    assert_ne!(usage(&bench, number(made), buffer)["at"], "submission");
}

/// In a trace in which nothing ended a frame, each submission that writes a texture has a picture; a trace with frames has those of its frames.
#[test]
fn submissions_have_pictures_where_nothing_ended_a_frame() {
    let bench = Bench::new();
    programs::capture(&bench, "textures", &programs::ours());
    let lines = bench.output(&["thumbnails", "trace.reprise", "--json", "-o", "shots/"]);
    let told: Json = serde_json::from_str(&lines).unwrap();
    let calls = calls(&bench);
    let submitted: Vec<u64> = named(&calls, "::ExecuteCommandLists").iter().map(|call| number(call)).collect();
    let shown: Vec<u64> = told["frames"].as_array().unwrap().iter().map(|one| one["call"].as_u64().unwrap()).collect();
    assert!(shown.len() > 3 && shown.iter().all(|call| submitted.contains(call)), "{told}");
    for one in told["frames"].as_array().unwrap() {
        let file = one["file"].as_str().unwrap();
        assert!(bench.path(file).exists(), "{file}");
        let place = submitted.iter().position(|call| one["call"] == *call).unwrap() as u64 + 1;
        assert_eq!(one["frame"], place, "frames are submissions");
    }
    // The control: only buffers are written, so there is nothing to show.
    std::fs::remove_file(bench.path("trace.reprise")).unwrap();
    programs::capture(&bench, "costs", &programs::ours());
    let finished = bench.run(&["thumbnails", "trace.reprise"]);
    assert_eq!(finished.status.code(), Some(1), "{}", finished.errors());
    assert!(finished.errors().contains("writes a texture"), "{}", finished.errors());
}

/// Notes stay with the trace. Those about what a part has go along, with the numbers that calls have there.
#[test]
fn notes_are_kept_beside_a_trace_and_cut_with_it() {
    let bench = Bench::new();
    gears(&bench);
    let calls = calls(&bench);
    let draws = named(&calls, "::DrawIndexedInstanced");
    // Three frames draw alike; their lists were recorded in the first.
    assert_eq!(draws.len(), 18);
    let (second, third) = (number(draws[11]).to_string(), number(draws[17]).to_string());
    bench.output(&["notes", "trace.reprise", "--add", "the last gear", "--call", &second]);
    bench.output(&["notes", "trace.reprise", "--add", "too late", "--call", &third]);
    bench.output(&["notes", "trace.reprise", "--add", "", "--frame", "2"]);
    let listed = bench.output(&["notes", "trace.reprise"]);
    assert_eq!(listed.lines().count(), 3, "{listed}");
    let finished = bench.run(&["notes", "trace.reprise", "--add", "x", "--call", "99999"]);
    assert_eq!(finished.status.code(), Some(2), "{}", finished.errors());
    bench.output(&["trim", "trace.reprise", "--frames", "2", "-o", "part.reprise"]);
    let kept: Json = serde_json::from_str(&bench.output(&["notes", "part.reprise", "--json"])).unwrap();
    assert_eq!(kept[0], json!({ "frame": 1, "text": "" }));
    assert_eq!(kept[1]["text"], "the last gear");
    assert_eq!(kept.as_array().unwrap().len(), 2, "what is not in the part is left out: {kept}");
    // The same call has another number there.
    let number = kept[1]["call"].to_string();
    assert_ne!(number, second);
    let line = |trace: &str, call: &str| -> Json {
        serde_json::from_str(&bench.output(&["dump", "--json", "--calls", call, trace])).unwrap()
    };
    let (part, whole) = (line("part.reprise", &number), line("trace.reprise", &second));
    assert_eq!((&part["method"], &part["args"], &part["this"]), (&whole["method"], &whole["args"], &whole["this"]));
    // Notes of another trace are refused, and stay as they are.
    std::fs::copy(bench.path("part.reprise.notes"), bench.path("trace.reprise.notes")).unwrap();
    let finished = bench.run(&["notes", "trace.reprise", "--add", "x"]);
    assert!(finished.errors().contains("another trace"), "{}", finished.errors());
    assert_eq!(
        std::fs::read(bench.path("part.reprise.notes")).unwrap(),
        std::fs::read(bench.path("trace.reprise.notes")).unwrap()
    );
    // The last one takes the file along.
    bench.output(&["notes", "part.reprise", "--remove", "2"]);
    bench.output(&["notes", "part.reprise", "--remove", "1"]);
    assert!(!bench.path("part.reprise.notes").exists());
}

/// Notes beside the trace to write are replaced only with --force, and by notes alone.
#[test]
fn notes_of_another_trace_are_not_replaced_unasked() {
    let bench = Bench::new();
    gears(&bench);
    let (part, theirs) = (bench.path("part.reprise"), bench.path("part.reprise.notes"));
    std::fs::write(&theirs, "theirs").unwrap();
    // Nothing goes along, so nothing is in the way.
    let finished = bench.run(&["trim", "trace.reprise", "--frames", "2", "-o", "part.reprise"]);
    assert_eq!(finished.status.code(), Some(0), "{}", finished.errors());
    assert!(finished.errors().contains("is left as it is"), "{}", finished.errors());
    assert_eq!(std::fs::read(&theirs).unwrap(), b"theirs");
    std::fs::remove_file(&part).unwrap();
    bench.output(&["notes", "trace.reprise", "--add", "x", "--frame", "2"]);
    let call = number(named(&calls(&bench), "::DrawIndexedInstanced")[0]);
    let drop = format!("call {call}: drop");
    let trim = ["trim", "trace.reprise", "--frames", "2", "-o", "part.reprise"];
    let edit = ["edit", "trace.reprise", "-e", &drop, "-o", "part.reprise"];
    for command in [&trim[..], &edit[..]] {
        let finished = bench.run(command);
        assert_eq!(finished.status.code(), Some(2), "{}", finished.errors());
        assert!(finished.errors().contains("part.reprise.notes exists"), "{}", finished.errors());
        assert!(!part.exists(), "it is refused before anything is written");
        assert_eq!(std::fs::read(&theirs).unwrap(), b"theirs");
    }
    // A folder cannot be replaced at all.
    std::fs::remove_file(&theirs).unwrap();
    std::fs::create_dir(&theirs).unwrap();
    let finished = bench.run(&[&trim[..], &["--force"]].concat());
    assert_eq!(finished.status.code(), Some(2), "{}", finished.errors());
    assert!(!part.exists() && finished.errors().contains("no regular file"), "{}", finished.errors());
    std::fs::remove_dir(&theirs).unwrap();
    // The control.
    std::fs::write(&theirs, "theirs").unwrap();
    bench.output(&[&trim[..], &["--force"]].concat());
    assert_eq!(
        bench.output(&["notes", "part.reprise", "--json"]).trim(),
        json!([{ "frame": 1, "text": "x" }]).to_string()
    );
}

/// Several processes change notes at once, and all changes are kept. A pipe or a folder in the place of the file is refused at once.
#[test]
fn notes_that_are_added_at_once_are_all_kept() {
    let bench = Bench::new();
    gears(&bench);
    std::thread::scope(|scope| {
        for call in 1..=12 {
            let bench = &bench;
            scope.spawn(move || bench.output(&["notes", "trace.reprise", "--add", "x", "--call", &call.to_string()]));
        }
    });
    let all: Json = serde_json::from_str(&bench.output(&["notes", "trace.reprise", "--json"])).unwrap();
    assert_eq!(all.as_array().unwrap().len(), 12, "{all}");
    for (what, said) in
        [("--object=9999", "no object 9999"), ("--frame=4", "no frame 4"), ("--call=9999", "no call 9999")]
    {
        let finished = bench.run(&["notes", "trace.reprise", "--add", "x", what]);
        assert_eq!(finished.status.code(), Some(2), "{}", finished.errors());
        assert!(finished.errors().contains(said), "{}", finished.errors());
    }
    bench.output(&["notes", "trace.reprise", "--add", "x", "--object", "18", "--frame", "3"]);
    #[cfg(unix)]
    {
        std::fs::remove_file(bench.path("trace.reprise.notes")).unwrap();
        assert!(
            std::process::Command::new("mkfifo").arg(bench.path("trace.reprise.notes")).status().unwrap().success()
        );
        for command in [&["notes", "trace.reprise"][..], &["notes", "trace.reprise", "--add", "x"][..]] {
            let finished = bench.run(command);
            assert_eq!(finished.status.code(), Some(2), "{}", finished.errors());
            assert!(finished.errors().contains("no regular file"), "{}", finished.errors());
        }
    }
}

/// Notes go along to an edited trace and back, with the numbers that calls have there.
#[test]
fn notes_go_along_with_edits() {
    let bench = Bench::new();
    gears(&bench);
    let calls = calls(&bench);
    let draws = named(&calls, "::DrawIndexedInstanced");
    let (first, last) = (number(draws[0]), number(draws[5]));
    for call in [first, last] {
        bench.output(&["notes", "trace.reprise", "--add", "x", "--call", &call.to_string()]);
    }
    let notes = |trace: &str| -> Vec<u64> {
        let all: Json = serde_json::from_str(&bench.output(&["notes", trace, "--json"])).unwrap();
        all.as_array().unwrap().iter().map(|note| note["call"].as_u64().unwrap()).collect()
    };
    let drop = format!("call {first}: drop");
    let finished = bench.run(&["edit", "trace.reprise", "-e", &drop, "-o", "edited.reprise", "--json"]);
    assert!(
        finished.errors().contains("1 note about what is not in the new trace is left out"),
        "{}",
        finished.errors()
    );
    let told: Json = serde_json::from_str(&finished.text()).unwrap();
    assert_eq!(told["notes"], 1);
    assert_eq!(notes("edited.reprise"), [last - 1]);
    bench.output(&["edit", "--undo", "edited.reprise", "-o", "back.reprise"]);
    assert_eq!(notes("back.reprise"), [last]);
    // `info` has the identity that the file of notes has.
    let info: Json = serde_json::from_str(&bench.output(&["info", "--json", "back.reprise"])).unwrap();
    let file: Json = serde_json::from_slice(&std::fs::read(bench.path("back.reprise.notes")).unwrap()).unwrap();
    assert_eq!(info["trace"], file["trace"]);
    assert!(bench.output(&["info", "back.reprise"]).contains(info["trace"].as_str().unwrap()));
    // Undoing a damaged trace says that it is damaged, not that it is a part.
    let mut bytes = std::fs::read(bench.path("edited.reprise")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0xff;
    std::fs::write(bench.path("bad.reprise"), bytes).unwrap();
    let finished = bench.run(&["edit", "--undo", "bad.reprise", "-o", "no.reprise"]);
    assert_eq!(finished.status.code(), Some(3), "{}", finished.errors());
    assert!(finished.errors().contains("damaged") && !finished.errors().contains("cut out"), "{}", finished.errors());
}

/// Where nothing ended a frame, notes about frames are about submissions, and go along with them.
#[test]
fn notes_about_submissions_are_cut_with_them() {
    let bench = Bench::new();
    programs::capture(&bench, "textures", &programs::ours());
    bench.output(&["notes", "trace.reprise", "--add", "kept", "--frame", "3"]);
    bench.output(&["notes", "trace.reprise", "--add", "cut", "--frame", "2"]);
    let finished = bench.run(&["notes", "trace.reprise", "--add", "x", "--frame", "9999"]);
    assert!(finished.errors().contains("no frame 9999"), "{}", finished.errors());
    bench.output(&["trim", "trace.reprise", "--frames", "3", "-o", "part.reprise"]);
    let kept: Json = serde_json::from_str(&bench.output(&["notes", "part.reprise", "--json"])).unwrap();
    assert_eq!(kept.as_array().unwrap().len(), 1, "{kept}");
    assert_eq!(kept[0]["text"], "kept");
    // It is about the submission of the same lists.
    let submitted = |trace: &str, place: &Json| -> Json {
        let lines = bench.output(&["dump", "--json", "--methods", "ExecuteCommandLists", trace]);
        let line = lines.lines().nth(place.as_u64().unwrap() as usize - 1).unwrap().to_owned();
        serde_json::from_str::<Json>(&line).unwrap()["args"].clone()
    };
    assert_eq!(submitted("part.reprise", &kept[0]["frame"]), submitted("trace.reprise", &json!(3)));
}

/// Buffers of a swap chain come by `GetBuffer`; their uses are followed like those of other textures.
#[test]
fn uses_of_presented_buffers_are_told() {
    let bench = Bench::new();
    crate::presented::capture(&bench, &[]);
    let calls = calls(&bench);
    let given = named(&calls, "::GetBuffer")[0];
    let buffer = given["out"]["ppSurface"]["id"].as_u64().or(given["args"]["ppSurface"]["id"].as_u64()).unwrap();
    let clears = |call: &&&Json| {
        call["method"].as_str().is_some_and(|name| name.ends_with("::ResourceBarrier"))
            && call["args"]["pBarriers"][0]["Transition"]["pResource"]["id"] == buffer
    };
    let named: Vec<&Json> = calls.iter().collect();
    let barrier = named.iter().find(clears).expect("a barrier of the buffer");
    let found = usage(&bench, number(barrier), buffer);
    assert_eq!(
        found["subresources"][0]["state"], barrier["args"]["pBarriers"][0]["Transition"]["StateBefore"],
        "{found}"
    );
    assert_ne!(found["next_write"], Json::Null, "{found}");
}

#[test]
fn repair_takes_notes_along() {
    let bench = Bench::new();
    gears(&bench);
    bench.output(&["notes", "trace.reprise", "--add", "the hole", "--call", "93"]);
    bench.output(&["notes", "trace.reprise", "--add", "", "--frame", "2"]);
    let said: Json =
        serde_json::from_str(&bench.output(&["repair", "--json", "-o", "whole.reprise", "trace.reprise"])).unwrap();
    assert_eq!(said["notes"], 2);
    let notes = |trace: &str| bench.output(&["notes", trace, "--json"]);
    assert_eq!(notes("whole.reprise"), notes("trace.reprise"));
    // The control: without notes none go along.
    std::fs::remove_file(bench.path("trace.reprise.notes")).unwrap();
    let said: Json =
        serde_json::from_str(&bench.output(&["repair", "--json", "-f", "-o", "other.reprise", "trace.reprise"]))
            .unwrap();
    assert_eq!((&said["notes"], notes("other.reprise").trim()), (&json!(0), "[]"));
}

#[test]
fn numbers_beyond_the_limits_of_the_api_are_refused() {
    let bench = Bench::new();
    programs::capture(&bench, "kept-bundles", &programs::ours());
    let check = |edit: &str| bench.run(&["edit", "--check", "-e", edit, "trace.reprise"]);
    let refused = check("every Dispatch: ThreadGroupCountX = 65536");
    let says =
        "ThreadGroupCountX is 65536, and the API's limit is 65535 (D3D12_CS_DISPATCH_MAX_THREAD_GROUPS_PER_DIMENSION)";
    assert_eq!(refused.status.code(), Some(1), "{}", refused.errors());
    assert!(refused.errors().contains(says), "{}", refused.errors());
    assert!(check("every Dispatch: ThreadGroupCountX = 65535").status.success());
}

#[test]
fn what_is_said_of_a_picture_that_nobody_gets_is_refused() {
    let bench = Bench::new();
    gears(&bench);
    let show =
        |more: &[&str]| bench.run(&[&["show", "trace.reprise", "--call", "93", "--depth", "--json"], more].concat());
    for option in [&["--channels", "a"][..], &["--linear"]] {
        let refused = show(option);
        assert_eq!(refused.status.code(), Some(2), "{}", refused.errors());
        assert!(refused.errors().contains("is about the picture, and none is written"), "{}", refused.errors());
    }
}
