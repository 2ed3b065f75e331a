//! The program, asked over HTTP. What it answers is held against what `reprise` prints of the same trace.

#![allow(clippy::unwrap_used)]

mod costs;
#[path = "../../../../crates/testing/src/counting.rs"]
#[allow(unreachable_pub)] // It is public for tests of the other workspace.
mod counting;
mod damage;
#[cfg(unix)]
mod divided;
#[cfg(unix)]
mod dropped;
mod guard;
mod jobs;
mod meshes;
mod page;
mod rays;

use page::{Page, golden, lines, reprise};
use serde_json::{Value as Json, json};

/// What [`counting`] needs of the build: `cargo xtask edge test` builds the layer, too.
mod artifact {
    pub(crate) fn counting_layer() -> anyhow::Result<std::path::PathBuf> {
        Ok(crate::page::programs().join("libreprise_counting.so").canonicalize()?)
    }
}

/// Traces of many kinds: one thread and many, bundles, all methods by today's model and another one, crashed, unfinished.
const TRACES: [&str; 8] =
    ["gears", "bundles", "heaps", "methods-win64", "crashed", "pipeline-streams", "indirect-state", "workers"];

/// All rows of a trace.
fn rows(page: &Page) -> Vec<Json> {
    let mut all: Vec<Json> = Vec::new();
    loop {
        let part = page.get(&format!("0/rows?first={}&count=1000", all.len()));
        let items = part["items"].as_array().unwrap();
        all.extend(items.iter().cloned());
        if items.is_empty() || all.len() as u64 >= part["total"].as_u64().unwrap() {
            return all;
        }
    }
}

#[test]
fn rows_are_the_lines_of_the_dump() {
    for name in TRACES {
        let trace = golden(name);
        let page = Page::of(&trace);
        let dumped = reprise(&["dump", trace.to_str().unwrap()]);
        let dumped: Vec<&str> = dumped.lines().filter(|line| line.starts_with('#')).collect();
        let rows = rows(&page);
        assert_eq!(rows.len(), dumped.len(), "{name}");
        for (place, (row, line)) in rows.iter().zip(dumped).enumerate() {
            let text = |of: &str| row[of].as_str().unwrap_or_default();
            let object = match row["this"]["id"].as_u64() {
                Some(id) => format!("{}({id})::", row["this"]["class"].as_str().unwrap()),
                None => String::new(),
            };
            let begin =
                format!("#{} frame {} thread {} {object}{}(", row["call"], row["frame"], row["thread"], text("method"));
            assert!(line.starts_with(&begin), "{name}: {line}\n{row}");
            let arguments = text("text").trim_end_matches('\u{2026}');
            assert!(line[begin.len()..].starts_with(arguments), "{name}: {line}\n{row}");
            if let Some(result) = row["result"].as_str() {
                assert!(line.contains(&format!(") = {result}")), "{name}: {line}\n{row}");
            }
            assert_eq!(row["returned"] == false, line.contains("never returned"), "{name}: {line}");
            assert_eq!(row["row"], place);
        }
    }
}

/// A call in full has what `dump --json` has of it, with its outputs apart, hashes of blobs, and all bytes.
fn same(expected: &Json, told: &Json) -> bool {
    match (expected, told) {
        (Json::Object(expected), _) if expected.contains_key("begins") => told.is_string(),
        (Json::Object(expected), Json::Object(told)) => {
            expected.iter().all(|(name, value)| told.get(name).is_some_and(|told| same(value, told)))
        }
        (Json::Array(expected), Json::Array(told)) => {
            expected.len() == told.len() && expected.iter().zip(told).all(|(expected, told)| same(expected, told))
        }
        (expected, told) => expected == told,
    }
}

#[test]
fn a_call_is_the_line_of_the_dump() {
    for name in ["gears", "heaps", "methods-win64"] {
        let trace = golden(name);
        let page = Page::of(&trace);
        let dumped = lines(&["dump", "--json", trace.to_str().unwrap()]);
        for line in dumped.iter().filter(|line| line.get("call").is_some()).step_by(7) {
            let told = page.get(&format!("0/call?call={}", line["call"]));
            let told = &told["line"];
            for member in ["call", "thread", "frame", "time_ns", "method", "this", "result"] {
                assert!(same(&line[member], &told[member]), "{name}: {member} of {line}\n{told}");
            }
            for (argument, value) in line["args"].as_object().unwrap() {
                let of = |member: &str| told[member].get(argument).is_some_and(|told| same(value, told));
                assert!(of("args") || of("outputs"), "{name}: {argument} of {line}\n{told}");
            }
        }
        let events = dumped.iter().filter(|line| line["event"] == "memory" && line["after_call"] == 64).count();
        if name == "gears" {
            let told = page.get("0/call?call=64");
            let memory = told["events"].as_array().unwrap().iter().filter(|event| event["event"] == "memory").count();
            assert_eq!((memory, events > 0), (events, true));
        }
    }
}

#[test]
fn the_state_is_what_reprise_state_prints() {
    for name in ["gears", "bundles", "indirect-state"] {
        let trace = golden(name);
        let page = Page::of(&trace);
        let draws = rows(&page).into_iter().filter(|row| row["kind"] == "draw" || row["kind"] == "indirect");
        for row in draws.step_by(5) {
            let call = row["call"].to_string();
            let expected: Json =
                serde_json::from_str(&reprise(&["state", "--json", trace.to_str().unwrap(), &call])).unwrap();
            assert_eq!(page.get(&format!("0/state?call={call}")), expected, "{name} {call}");
        }
    }
    let page = Page::of(&golden("gears"));
    let changes = page.get("0/state/before?call=93");
    assert_eq!(changes["before"], 91);
    let object = json!({ "path": ["pipeline", "object", "id"], "a": 13, "b": 14, "what": "changed" });
    assert!(changes["changes"].as_array().unwrap().contains(&object), "{changes}");
    let (status, refused) = page.ask("0/state?call=93&object=4711");
    assert_eq!((status, refused["error"].is_string()), (404, true));
    assert_eq!(page.ask("0/state?call=99999").0, 404);
}

#[test]
fn frames_threads_and_objects_add_up() {
    for name in TRACES {
        let trace = golden(name);
        let page = Page::of(&trace);
        let info: Json = serde_json::from_str(&reprise(&["info", "--json", trace.to_str().unwrap()])).unwrap();
        let frames = page.get("0/frames?count=10000");
        let items = frames["items"].as_array().unwrap();
        assert_eq!(
            items.iter().filter(|frame| !frame["source"].is_null()).count() as u64,
            // Where nothing ended a frame, submissions do.
            if info["frames"] == 0 { info["submissions"].as_u64().unwrap() } else { info["frames"].as_u64().unwrap() }
        );
        let sum = |member: &str| items.iter().map(|frame| frame[member].as_u64().unwrap()).sum::<u64>();
        assert_eq!(sum("calls"), info["calls"].as_u64().unwrap(), "{name}");
        let traces = page.get("traces");
        let threads = traces["traces"][0]["threads"].as_array().unwrap();
        assert_eq!(threads.iter().map(|thread| thread["calls"].as_u64().unwrap()).sum::<u64>(), sum("calls"));
        let methods = page.get("0/methods");
        let calls = |list: &Json| list.as_array().unwrap().iter().map(|of| of["calls"].as_u64().unwrap()).sum::<u64>();
        assert_eq!(calls(&methods["items"]), sum("calls"));
        let timeline = page.get("0/timeline?buckets=50");
        let buckets =
            timeline["threads"].as_array().unwrap().iter().flat_map(|thread| thread["buckets"].as_array().unwrap());
        assert_eq!(buckets.map(|bucket| bucket[1].as_u64().unwrap()).sum::<u64>(), sum("calls"), "{name}");
        let own = page.get("0/info");
        assert_eq!((&own["frames"], &own["adapter"]), (&info["frames"], &info["adapter"]));
    }
}

#[test]
fn the_tree_has_every_draw_and_paths_lead_to_them() {
    for name in ["gears", "bundles", "passes"] {
        let page = Page::of(&golden(name));
        let draws: Vec<Json> = rows(&page).into_iter().filter(|row| row["kind"] == "draw").collect();
        assert!(!draws.is_empty());
        for row in draws.iter().step_by(3) {
            let path = page.get(&format!("0/tree/path?call={}", row["call"]));
            let ids = path["path"].as_array().unwrap();
            for (place, step) in path["index"].as_array().unwrap().iter().enumerate() {
                let node = ids[place].as_str().unwrap();
                let children = page.get(&format!("0/tree?node={node}&first={step}&count=1"));
                assert_eq!(children["items"][0]["id"], ids[place + 1], "{name}: {path}");
            }
        }
    }
    let page = Page::of(&golden("gears"));
    let of_frame = page.get("0/tree?node=frame:1");
    let submission = of_frame["items"].as_array().unwrap().iter().find(|node| node["kind"] == "submission").unwrap();
    let lists = page.get(&format!("0/tree?node={}", submission["id"].as_str().unwrap()));
    let draws = lists["items"].as_array().unwrap().iter().map(|list| list["draws"].as_u64().unwrap()).sum::<u64>();
    let dumped = lines(&["dump", "--json", "--frames", "1", "--methods", "Draw*", golden("gears").to_str().unwrap()]);
    assert!(draws > 0 && draws <= dumped.len() as u64);
    for wrong in ["frame:0", "frame:99", "sub:77", "list:1:9", "mark:1:0:4000000000", "x", "", "frame:-1"] {
        assert!(matches!(page.ask(&format!("0/tree?node={wrong}")).0, 200 | 400 | 404), "{wrong}");
    }
}

#[test]
fn every_question_has_an_answer() {
    let page = Page::of(&golden("gears"));
    let draws = page.get("0/row?next=draw&from=0");
    assert_eq!(page.get(&format!("0/rows?first={}&count=1", draws["row"]))["items"][0]["kind"], "draw");
    assert!(page.get("0/row?next=draw&from=100000&step=-1")["row"].is_u64());
    assert_eq!(page.get("0/row?call=91")["row"], 90);
    assert_eq!(page.get("0/row?frame=1")["row"], 0);
    assert!(page.get("0/row?time_ns=143381114")["row"].as_u64().unwrap() > 80);
    let objects = page.get("0/objects?sort=bytes&down=1");
    assert_eq!(objects["items"][0]["class"], "ID3D12Resource");
    let classes = page.get("0/classes");
    let count = classes["items"].as_array().unwrap().iter().map(|of| of["count"].as_u64().unwrap()).sum::<u64>();
    assert_eq!(objects["total"].as_u64().unwrap(), count);
    let object = page.get("0/object?object=22&call=93");
    assert_eq!(
        (object["life"]["bytes"].as_u64(), object["report"]["resource"]["bytes"].as_u64()),
        (Some(4800), Some(4800))
    );
    assert_eq!(page.get("0/descriptors?heap=6&call=93")["items"][0]["view"], "rtv");
    let writes = page.get("0/memory?object=22");
    assert_eq!(writes["items"][0]["bytes"], 4800);
    let dumped = lines(&["dump", "--json", "--bytes", "--objects", "22", golden("gears").to_str().unwrap()]);
    let stored = dumped.iter().find(|line| line["event"] == "memory").unwrap()["hex"].as_str().unwrap();
    let bytes = page.get("0/memory/bytes?object=22&call=93&offset=16&length=64");
    assert_eq!((bytes["hex"].as_str(), &bytes["known"]), (stored.get(32..160), &json!([[16, 64]])));
    assert_eq!(page.get("0/memory/bytes?object=22&call=60&offset=0&length=4")["known"], json!([]));
    let signature = page.get("0/root_signature?object=12");
    assert!(signature["text"].as_str().unwrap().contains("CBV(b0"), "{signature}");
    let shaders = page.get("0/shaders");
    assert_eq!(shaders["total"], 3);
    let hash = shaders["items"][0]["hash"].as_str().unwrap();
    let shader = page.get(&format!("0/shader?hash={hash}"));
    assert!(shader["disassembly"].is_string() || shader["disassembly_error"].is_string(), "{shader}");
    // Its inputs are those that the pipeline's input layout has; the shader takes a fourth component of the position.
    let vertex = page.get("0/shader?hash=977375ac9a9ab1b5a9cdaf7fcc1af25c");
    assert_eq!(
        (&vertex["stage"], &vertex["model"], &vertex["kind"]),
        (&json!("vertex"), &json!("5.0"), &json!("DXBC"))
    );
    let rows = |member: &str| vertex[member].as_array().unwrap().clone();
    let names: Vec<Json> = rows("inputs").iter().map(|row| json!([row["name"], row["index"], row["mask"]])).collect();
    assert_eq!(
        names,
        [
            json!(["POSITION", 0, "xyzw"]),
            json!(["NORMAL", 0, "xyz"]),
            json!(["DIFFUSE", 0, "xyz"]),
            json!(["TRANSFORM", 0, "xyzw"])
        ]
    );
    assert!(rows("outputs").iter().any(|row| row["name"].as_str().unwrap().eq_ignore_ascii_case("SV_Position")));
    let missing = || vertex["spirv_error"].as_str().unwrap().contains("spirv-dis");
    assert!(vertex["spirv"].as_str().map_or_else(missing, |text| text.contains("OpEntryPoint Vertex")), "{vertex}");
    for wrong in ["0/rows?first=x", "0/row", "0/call", "0/object", "0/memory/bytes?object=1&call=1", "0/shader?hash=zz"]
    {
        assert_eq!(page.ask(wrong).0, 400, "{wrong}");
    }
    for none in ["1/rows", "0/none", "none", "0/call?call=99999", "0/object?object=99999", "0/shader?hash=00"] {
        assert_eq!(page.ask(none).0, 404, "{none}");
    }
}

/// A number beyond the end of a list asks for none of it; one that names nothing is refused. No number ends a question otherwise.
#[test]
fn numbers_may_be_as_large_as_they_are() {
    let page = Page::of(&golden("gears"));
    let most = u64::MAX;
    for list in ["rows", "frames", "objects", "shaders", "memory?object=20", "tree?node=frame:1"] {
        let sign = if list.contains('?') { '&' } else { '?' };
        let part = page.get(&format!("0/{list}{sign}first={most}&count={most}"));
        assert_eq!((&part["first"], &part["items"]), (&json!(most), &json!([])), "{list}");
        assert!(part["total"].as_u64().unwrap() > 0, "{list}");
    }
    let second = page.get("0/frames?first=1&count=1");
    assert_eq!(second["items"][0]["frame"], 2);
    for question in [
        "row?call=N",
        "row?frame=N",
        "row?time_ns=N",
        "row?next=draw&from=N",
        "row?next=draw&from=N&step=-1",
        "call?call=N",
        "timeline?begin=N",
        "timeline?end=N&buckets=N",
        "tree?node=frame:N",
        "tree?node=sub:N",
        "tree?node=list:1:N",
        "tree/path?call=N",
        "state?call=N",
        "state/before?call=N",
        "state/differences?call=N&other=N&u=N",
        "shader?blob=N",
        "root_signature?object=12&call=N",
        "objects?alive=N",
        "object?object=20&call=N",
        "descriptors?heap=6&call=N",
        "memory?object=20&until=N",
        "memory/bytes?object=20&call=N&offset=N&length=N",
        "memory/bytes?object=20&call=N&length=16",
    ] {
        let (status, json) = page.ask(&format!("0/{}", question.replace('N', &most.to_string())));
        assert!(matches!(status, 200 | 400 | 404 | 422), "{question}: {status} {json}");
    }
}

/// A queue has its type, whichever method made it.
#[test]
fn queues_have_their_types() {
    let mut seen = std::collections::BTreeSet::new();
    for name in TRACES {
        let trace = golden(name);
        let made = lines(&["dump", "--json", trace.to_str().unwrap()]);
        let made = made.iter().filter_map(|line| {
            let method = line["method"].as_str()?.rsplit("::").next()?.to_owned();
            let id =
                line["outputs"]["ppCommandQueue"]["id"].as_u64().or(line["args"]["ppCommandQueue"]["id"].as_u64())?;
            let of = line["args"]["pDesc"]["Type"].as_str()?.trim_start_matches("D3D12_COMMAND_LIST_TYPE_").to_owned();
            method.starts_with("CreateCommandQueue").then_some((method, id, of))
        });
        let timeline = Page::of(&trace).get("0/timeline?buckets=50");
        for (method, id, of) in made {
            for queue in timeline["queues"].as_array().unwrap().iter().filter(|queue| queue["queue"]["id"] == id) {
                assert_eq!(queue["type"], of, "{name}: {method}");
                seen.insert(method.clone());
            }
        }
    }
    assert!(seen.contains("CreateCommandQueue"), "{seen:?}");
}
