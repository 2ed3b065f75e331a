//! `reprise debug`: what the interpreter makes of the dispatches of the test programs is what the GPU makes of them, bit for bit but for
//! what the API leaves open; and what is unsupported is so for the reason that stands here.

use crate::bench::Bench;
use crate::programs;
use reprise_testing::{artifact, program};
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;

pub(crate) fn lines(text: &str) -> Vec<Json> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Dispatches of a program that are looked at: the first and the last of those that are many.
const MOST: usize = 2;

/// Programs with dispatches that give what the GPU gives; `dxil`: those that have no other shaders, or that are looked at in both forms.
const EQUAL: [(&str, &str); 60] = [
    ("aliasing", "dxbc"),
    ("alpha-borders", "dxbc"),
    ("anisotropy", "dxil"),
    ("barriers", "dxbc"),
    ("bindless", "dxbc"),
    ("bindless", "dxil"),
    ("borders", "dxbc"),
    ("breadcrumbs", "dxbc"),
    ("compute", "dxbc"),
    ("compute", "dxil"),
    ("compute-states", "dxil"),
    ("costs", "dxbc"),
    ("counters", "dxbc"),
    ("counters", "dxil"),
    ("dispatch-counts", "dxbc"),
    ("dispatch-roots", "dxbc"),
    ("dispatches", "dxil"),
    ("doubles", "dxbc"),
    ("doubles", "dxil"),
    ("either", "dxbc"),
    ("feedback-levels", "dxil"),
    ("filters", "dxbc"),
    ("filters", "dxil"),
    ("folded", "dxbc"),
    ("folded", "dxil"),
    ("group-atomics", "dxil"),
    ("heap-atomics", "dxil"),
    ("indirect-bundles", "dxbc"),
    ("indirect-draws", "dxil"),
    ("indirect-passes", "dxbc"),
    ("indirect-state", "dxbc"),
    ("kept-bundles", "dxbc"),
    ("kept-maps", "dxbc"),
    ("layer-views", "dxbc"),
    ("line-views", "dxbc"),
    ("many-groups", "dxbc"),
    ("many-views", "dxil"),
    ("memories", "dxbc"),
    ("min-precision", "dxbc"),
    ("multisamples", "dxil"),
    ("null-views", "dxbc"),
    ("null-views", "dxil"),
    ("odd-blocks", "dxbc"),
    ("own-work", "dxbc"),
    ("placed", "dxbc"),
    ("point-sampling", "dxil"),
    ("quads", "dxil"),
    ("queries", "dxbc"),
    ("queues", "dxil"),
    ("ray-queries", "dxil"),
    ("sampler-feedback", "dxil"),
    ("stencil-views", "dxbc"),
    ("structures", "dxil"),
    ("tables", "dxbc"),
    ("texel-coordinates", "dxil"),
    ("typed-loads", "dxil"),
    ("uavs", "dxbc"),
    ("undefined-builds", "dxil"),
    ("views", "dxbc"),
    ("wide-integers", "dxil"),
];

/// Programs whose last dispatch takes more instructions than a run may.
const LONG: [(&str, &str); 1] = [("costs", "dxbc")];

/// Programs whose last dispatch gives something else than the GPU. It fetches texels of slices behind the last one of a view: Direct3D
/// has 0 there, lavapipe takes the last slice.
const DIFFERENT: [(&str, &str); 1] = [("layer-views", "dxbc")];

/// Programs whose first dispatch cannot be looked at, and why.
const REFUSED: [(&str, &str, &str); 3] = [
    // The program writes there on purpose.
    ("markers", "dxbc", "is behind the end of buffer"),
    // The buffer of commands is made after the call is recorded.
    ("dispatch-late", "dxbc", "there is no object"),
    ("vertices", "dxbc", "the call draws, and has no threads"),
];

/// Captures a program with shaders of this form; false where the runtime's device lacks what it needs.
pub(crate) fn capture(bench: &Bench, name: &str, shaders: &str) -> bool {
    let program = artifact::programs().unwrap();
    let library = programs::ours();
    let mut command = bench.command();
    command.args(["capture", "-o", "trace.reprise", "--force", "--"]).arg(program);
    command.args([name, "--shaders", shaders, "--library"]).arg(library);
    let finished = program::run(&mut command, crate::bench::PATIENCE).unwrap();
    match finished.status.code() {
        Some(0) => true,
        Some(3) => false,
        _ => panic!("{name}: {}", finished.errors()),
    }
}

/// The calls of a method.
pub(crate) fn calls(bench: &Bench, method: &str) -> Vec<String> {
    let all = lines(&bench.output(&["dump", "--json", "--methods", method, "trace.reprise"]));
    all.iter().map(|call| call["call"].to_string()).collect()
}

/// Runs `reprise debug --json` for a thread.
fn debug(bench: &Bench, call: &str, thread: &str, more: &[&str]) -> (i32, Json, String) {
    let arguments = [&["debug", "trace.reprise", call, "--thread", thread, "--json"], more].concat();
    let finished = bench.run(&arguments);
    let told = serde_json::from_str(&finished.text()).unwrap_or(Json::Null);
    (finished.status.code().unwrap(), told, finished.errors())
}

/// What is wrong with the programs of a part of the list.
fn wrong(part: usize, of: usize) -> Vec<String> {
    let bench = Bench::new();
    let mut wrong = Vec::new();
    for (name, shaders) in EQUAL.iter().skip(part).step_by(of) {
        if !capture(&bench, name, shaders) {
            continue;
        }
        let mut calls = calls(&bench, "Dispatch");
        if calls.is_empty() {
            wrong.push(format!("{name}, {shaders}: it dispatches nothing"));
        }
        calls.drain(1.min(calls.len())..calls.len().saturating_sub(MOST - 1).max(1.min(calls.len())));
        if LONG.contains(&(name, shaders)) {
            calls.truncate(1);
        }
        let first = calls.first().cloned().unwrap_or_default();
        for call in calls {
            let (code, told, errors) = debug(&bench, &call, "0,0,0", &[]);
            let check = &told["check"];
            if DIFFERENT.contains(&(name, shaders)) && call != first {
                // The shader wrote there, so that it is told from what it does not write.
                let differences = check["differences"].as_array().into_iter().flatten();
                if code == 1 && differences.filter(|it| it["written"] == true).count() == 56 {
                    continue;
                }
            }
            if code != 0 || check["equal"] != true || told["steps"].as_array().is_none_or(Vec::is_empty) {
                wrong.push(format!("{name}, {shaders}, call {call}: exit code {code}, {check}, {errors}"));
            }
        }
    }
    wrong
}

#[test]
fn dispatches_give_what_the_gpu_gives() {
    assert_eq!(wrong(0, 3), [""; 0]);
}

#[test]
fn dispatches_give_what_the_gpu_gives_in_the_second_part() {
    assert_eq!(wrong(1, 3), [""; 0]);
}

#[test]
fn dispatches_give_what_the_gpu_gives_in_the_third_part() {
    assert_eq!(wrong(2, 3), [""; 0]);
}

#[test]
fn what_is_unsupported_is_refused_by_name() {
    let bench = Bench::new();
    for (name, shaders, reason) in REFUSED {
        assert!(capture(&bench, name, shaders), "{name}");
        let methods = match name {
            "dispatch-late" => "ExecuteIndirect",
            "vertices" => "DrawInstanced",
            _ => "Dispatch",
        };
        // The program stores within its buffer: from near the end it would not.
        if name == "markers" {
            let set = calls(&bench, "SetComputeRootUnorderedAccessView").swap_remove(0);
            let arguments = bench.output(&["dump", "trace.reprise", "--calls", &set]);
            let buffer =
                arguments.split("BufferLocation=resource ").nth(1).and_then(|it| it.split('+').next()).unwrap();
            let edit = format!("call {set}: BufferLocation = resource {buffer}+{}", 64 * 16 * 16 - 256);
            bench.output(&["edit", "trace.reprise", "-o", "edited.reprise", "--force", "-e", &edit]);
            std::fs::rename(bench.path("edited.reprise"), bench.path("trace.reprise")).unwrap();
        }
        let call = calls(&bench, methods).swap_remove(0);
        let (code, _, errors) = debug(&bench, &call, "0,0,0", &[]);
        let wanted = if name == "vertices" { 2 } else { 1 };
        assert!(code == wanted && errors.contains(reason), "{name}: {code}, {errors}");
    }
}

/// The control of the comparison: where a bit of what the shader reads is another one, it says what differs.
#[test]
fn another_input_is_noticed() {
    let bench = Bench::new();
    for (name, shaders) in [("compute", "dxbc"), ("folded", "dxil"), ("views", "dxbc")] {
        assert!(capture(&bench, name, shaders));
        let call = calls(&bench, "Dispatch").swap_remove(0);
        let (code, told, errors) = debug(&bench, &call, "0,0,0", &["--disturbed"]);
        assert_eq!(code, 1, "{name}: {errors}");
        let differences = told["check"]["differences"].as_array().unwrap();
        let certain = differences.iter().filter(|it| it["open"].is_null());
        assert!(certain.count() > 0 && told["check"]["equal"] == false, "{name}: {}", told["check"]);
        let text = bench.run(&["debug", "trace.reprise", &call, "--thread", "0,0,0", "--disturbed"]).text();
        assert!(text.contains("words differ from what the GPU left"), "{text}");
    }
}

/// The record of a thread: its inputs, its writes with their registers and places, and the parts that options list.
#[test]
fn a_thread_has_its_own_record() {
    let bench = Bench::new();
    assert!(capture(&bench, "compute", "dxbc"));
    let call = calls(&bench, "Dispatch").swap_remove(0);
    let (code, told, errors) = debug(&bench, &call, "69,0,0", &[]);
    assert_eq!(code, 0, "{errors}");
    assert_eq!((&told["group"], &told["lane"], &told["groups_run"]), (&json!([1, 0, 0]), &json!(5), &json!(16)));
    let input = |name: &str| {
        let inputs = told["inputs"].as_array().unwrap();
        inputs.iter().find(|input| input["name"] == name).map(|input| input["value"].clone())
    };
    assert_eq!(input("GlobalInvocationId"), Some(json!("(69, 0, 0)")), "{told}");
    let steps = told["steps"].as_array().unwrap();
    // The first store is `u0[thread]`, of a word; views begin where their buffers do.
    let write = steps.iter().map(|step| &step["write"]).find(|write| write["register"] == "u0").unwrap();
    assert_eq!(write["offset_in_view"], 69 * 4, "{write}");
    let numbers: Vec<u64> = steps.iter().map(|step| step["step"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (1..=steps.len() as u64).collect::<Vec<_>>());
    let listed = |more: &[&str]| {
        let text = bench.output(&[&["debug", "trace.reprise", &call, "--thread", "69,0,0"], more].concat());
        text.lines().filter(|line| line.contains("  word ")).count()
    };
    assert_eq!(listed(&["--steps", "3-9"]), 7);
    let first = steps.iter().position(|step| step["write"]["register"].is_string()).unwrap();
    assert_eq!(listed(&["--until", "write"]), first + 1);
    for (wrong, code) in [("4096,0,0", 2), ("0,1,0", 2), ("1,2", 2)] {
        let finished = bench.run(&["debug", "trace.reprise", &call, "--thread", wrong]);
        assert_eq!(finished.status.code(), Some(code), "{wrong}: {}", finished.errors());
    }
    let alone = debug(&bench, &call, "69,0,0", &["--one-group"]);
    assert_eq!((alone.0, &alone.1["check"]["whole"]), (0, &json!(false)), "{}", alone.1["check"]);
    // A run that is cut short is no result.
    let (code, _, errors) = debug(&bench, &call, "69,0,0", &["--budget", "1000"]);
    assert!(code == 1 && errors.contains("after 1000 instructions"), "{errors}");
}

/// Samples that are weighed are compared within the bounds that the API sets, and what they leave open is said.
#[test]
fn filters_are_compared_within_bounds() {
    let bench = Bench::new();
    assert!(capture(&bench, "filters", "dxil"));
    let call = calls(&bench, "Dispatch").swap_remove(0);
    let (code, told, errors) = debug(&bench, &call, "0,0,0", &[]);
    assert_eq!((code, &told["check"]["equal"]), (0, &json!(true)), "{errors}");
    let differences = told["check"]["differences"].as_array().unwrap();
    let bounded: Vec<&Json> = differences.iter().filter(|it| it["bounds"].is_array()).collect();
    // The driver weighs otherwise than the interpreter, so the bounds are what lets it.
    assert!(bounded.len() > 100 && bounded.iter().all(|it| it["beyond"] == false), "{}", bounded.len());
    for it in &bounded {
        let (least, greatest) = (it["bounds"][0].as_f64().unwrap(), it["bounds"][1].as_f64().unwrap());
        assert!(least < greatest, "{it}");
    }
    let steps = told["steps"].as_array().unwrap();
    assert!(steps.iter().any(|step| step["open"]["bounds"].is_array()), "no value of the thread has bounds");
    // Gathers have no bounds: another bit of what is read shows.
    let (code, told, _) = debug(&bench, &call, "0,0,0", &["--disturbed"]);
    let certain = told["check"]["differences"].as_array().unwrap().iter().filter(|it| it["open"].is_null()).count();
    assert!(code == 1 && certain > 0);
}

/// The commands of an indirect call are those that the GPU read.
#[test]
fn indirect_calls_run_what_the_gpu_read() {
    let bench = Bench::new();
    assert!(capture(&bench, "dispatches", "dxil"));
    for call in calls(&bench, "ExecuteIndirect") {
        let (code, told, errors) = debug(&bench, &call, "0,0,0", &[]);
        assert_eq!((code, &told["check"]["equal"], &told["command"]), (0, &json!(true), &json!(0)), "{errors}");
        assert!(told["check"]["bytes_written"].as_u64() > Some(0), "{}", told["check"]);
    }
    let call = calls(&bench, "ExecuteIndirect").swap_remove(0);
    let (code, _, errors) = debug(&bench, &call, "0,0,0", &["--command", "999999"]);
    assert!(code == 2 && errors.contains("the GPU read"), "{errors}");
    let (code, told, _) = debug(&bench, &call, "0,0,0", &["--disturbed"]);
    assert!(code == 1 && told["check"]["equal"] == false, "{}", told["check"]);
    let dispatch = calls(&bench, "Dispatch").swap_remove(0);
    let (code, _, errors) = debug(&bench, &dispatch, "0,0,0", &["--command", "1"]);
    assert!(code == 2 && errors.contains("--command is for indirect calls"), "{errors}");
}

/// A shader with debug information, in place of a program's: steps have lines and variables of its text, and one may step by them.
#[test]
fn steps_have_the_lines_of_the_text() {
    const SHADER: &[u8] = include_bytes!("../../../dxbc/tests/lines.dxil");
    const TEXT: &str = include_str!("../../../dxbc/tests/lines.hlsl");
    let bench = Bench::new();
    assert!(capture(&bench, "filters", "dxil"));
    let made = lines(&bench.output(&["dump", "--json", "--methods", "CreateComputePipelineState", "trace.reprise"]));
    let pipeline = made[0]["args"]["ppPipelineState"]["id"].as_u64().unwrap();
    std::fs::write(bench.path("lines.dxil"), SHADER).unwrap();
    let edit = format!("shader of {pipeline} CS = \"lines.dxil\"");
    bench.output(&["edit", "-q", "--force", "-e", &edit, "-o", "lines.reprise", "trace.reprise"]);
    let call = calls(&bench, "Dispatch").swap_remove(0);
    let arguments = ["debug", "lines.reprise", &call, "--thread", "5,0,0"];
    let finished = bench.run(&[&arguments[..], &["--json"]].concat());
    let told: Json = serde_json::from_str(&finished.text()).unwrap();
    let steps = told["steps"].as_array().unwrap();
    let line = |text: &str| TEXT.lines().position(|line| line.contains(text)).unwrap() as u64 + 1;
    // 5 * 0.25 * (5 + 1.5), and 2 less than its root.
    let of = |text: &str, value: &str| {
        steps.iter().any(|step| {
            step["line"]["line"] == line(text) && step["value"] == value && step["variables"][0] == "scaled"
        })
    };
    assert!(of("float scaled", "8.125") && of("sqrt(scaled)", "0.8504386"), "{steps:#?}");
    assert!(steps.iter().any(|step| step["dxil"]["text"].as_str().is_some_and(|text| text.contains("fmul"))));
    let text = bench.output(&[&arguments[..], &["--until", "line=11"]].concat());
    assert!(text.contains("lines.hlsl:11  scaled = sqrt(scaled) - 2;"), "{text}");
    // By commands of a pipe.
    std::fs::write(bench.path("commands"), "u line 11\np scaled\nu write\np scaled\nb 900\nq\n").unwrap();
    let mut command = bench.command();
    command.args(arguments).arg("--interactive").stdin(std::fs::File::open(bench.path("commands")).unwrap());
    // It reads what it is given, and ends with it.
    let finished = command.output().unwrap();
    let text = String::from_utf8_lossy(&finished.stdout);
    assert!(finished.status.code() == Some(0) && text.contains("scaled = 8.125 (step "), "{text}");
    assert!(text.contains("scaled = 0.8504386 (step ") && text.contains("before the first step"), "{text}");
    // Another program's shader has none, and says so.
    let (_, told, _) = debug(&bench, &call, "0,0,0", &[]);
    assert_eq!(told["lines_wanting"], "the shader has no debug information");
    assert!(told["steps"].as_array().unwrap().iter().any(|step| step["dxil"]["line"].is_u64()));
}

/// A row: the thread, and of its first ray kind, instance, primitive and distance of what it hits, and the table, record and shader that it ends in.
type Hit = (&'static str, Option<(&'static str, u64, u64, f64)>, (&'static str, u64), Option<&'static str>);

/// The program `rays` has four places beside each other, four columns of rays each: two triangles (the first below the diagonal), a box that is hit in
/// its middle half, the same triangles with a record that names no shader, and nothing. Odd columns take the second miss record.
const HITS: [Hit; 7] = [
    ("0,0,0", Some(("triangle", 0, 1, 1.0)), ("hit", 0), Some("near")),
    ("2,0,0", Some(("triangle", 0, 0, 1.0)), ("hit", 0), Some("near")),
    ("4,0,0", None, ("miss", 0), Some("nothing")),
    ("5,0,0", Some(("box", 1, 0, 1.5)), ("hit", 1), Some("box")),
    ("7,2,0", None, ("miss", 1), Some("nothing")),
    ("9,3,0", Some(("triangle", 2, 1, 1.0)), ("hit", 2), None),
    ("12,1,0", None, ("miss", 0), Some("nothing")),
];

/// A dispatch that a predicate leaves out gives nothing to compare with; the one behind it, which is made, does.
#[test]
fn a_dispatch_that_is_left_out_is_compared_with_nothing() {
    let bench = Bench::new();
    for shaders in ["dxbc", "dxil"] {
        if !capture(&bench, "predication", shaders) {
            return;
        }
        let calls = calls(&bench, "Dispatch");
        for (call, code, equal, left_out) in [(&calls[0], 1, json!(null), true), (&calls[1], 0, json!(true), false)] {
            let (found, told, errors) = debug(&bench, call, "0,0,0", &[]);
            let check = &told["check"];
            assert_eq!(
                (found, &check["equal"], &check["left_out"]),
                (code, &equal, &json!(left_out)),
                "{errors} {check}"
            );
            assert_eq!((check["bytes_compared"] == 0, &check["differences"]), (left_out, &json!([])), "{check}");
        }
    }
}

#[test]
fn rays_run_with_the_shaders_of_their_records() {
    let bench = Bench::new();
    for name in ["rays-grown", "rays-bundled", "rays"] {
        if !capture(&bench, name, "dxil") {
            return;
        }
        let calls = calls(&bench, "DispatchRays");
        assert!(!calls.is_empty(), "{name}");
        for call in calls {
            let (code, told, errors) = debug(&bench, &call, "0,0,0", &[]);
            let check = &told["check"];
            // What a predicate leaves out is run all the same, and compared with nothing.
            if check["left_out"] == true {
                assert_eq!((code, name, &check["equal"]), (1, "rays", &json!(null)), "{errors}");
                continue;
            }
            assert_eq!((code, &check["equal"]), (0, &json!(true)), "{name}: {errors}");
            let none = check["differences"].as_array().is_some_and(Vec::is_empty);
            assert!(check["whole"] == true && none, "{name}: {check}");
        }
    }
    let first = calls(&bench, "DispatchRays")[0].clone();
    for (thread, hit, (table, index), shader) in HITS {
        let (code, told, errors) = debug(&bench, &first, thread, &["--no-check"]);
        assert_eq!(code, 0, "{errors}");
        let ray = &told["rays"][0];
        let found =
            ray["hit"].as_object().map(|it| json!([it["kind"], it["instance"], it["primitive"], it["distance"]]));
        assert_eq!(found, hit.map(|it| json!(it)), "{thread}: {ray}");
        assert_eq!(
            (&ray["record"], &ray["shader"]),
            (&json!({ "table": table, "index": index }), &json!(shader)),
            "{thread}"
        );
    }
    // A ray of the second row that hits traces another one, and steps say whose they are.
    let (_, told, _) = debug(&bench, &first, "1,1,0", &["--no-check"]);
    let depths: Vec<&Json> = told["rays"].as_array().unwrap().iter().map(|ray| &ray["depth"]).collect();
    assert_eq!(depths, [0, 1]);
    let of: BTreeSet<(String, u64)> = told["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| (step["shader"].as_str().unwrap().to_owned(), step["depth"].as_u64().unwrap()))
        .collect();
    let expected = [("cross", 2), ("generate", 0), ("near", 1)].map(|(name, depth)| (name.to_owned(), depth));
    assert!(of.is_superset(&expected.into()), "{of:?}");
    // What other instances show is another result.
    let (code, told, _) = debug(&bench, &first, "0,0,0", &["--disturbed"]);
    let differences = told["check"]["differences"].as_array().unwrap();
    assert!(code == 1 && differences.iter().any(|it| it["open"].is_null()), "{differences:?}");
}

/// The records' root signatures have static samplers, each its own: the first repeats behind the texture's edge, where 3 stands, and the second stays
/// there, where 7 does.
#[test]
fn samplers_of_records_are_their_shaders_own() {
    let bench = Bench::new();
    if !capture(&bench, "rays-samplers", "dxil") {
        return;
    }
    let call = &calls(&bench, "DispatchRays")[0];
    for (thread, value) in [("0,0,0", "writes 259 "), ("1,0,0", "writes 519 ")] {
        let (code, told, errors) = debug(&bench, call, thread, &[]);
        let check = &told["check"];
        assert!(code == 0 && check["equal"] == true && check["whole"] == true, "{thread}: {check} {errors}");
        let text = bench.run(&["debug", "trace.reprise", call, "--thread", thread]).text();
        assert!(text.contains(value), "{text}");
    }
    let (code, told, _) = debug(&bench, call, "0,0,0", &["--disturbed"]);
    assert!(code == 1 && told["check"]["equal"] == false, "{told}");
}

/// The API leaves open what a shader of another root signature than the list's reads. So `debug` refuses to run it.
#[test]
fn shaders_of_other_root_signatures_are_refused() {
    let bench = Bench::new();
    if !capture(&bench, "rays-foreign", "dxil") {
        return;
    }
    let call = &calls(&bench, "DispatchRays")[0];
    let (code, _, errors) = debug(&bench, call, "1,0,0", &[]);
    assert!(
        code == 1 && errors.contains("far is made for another global root signature than the list has"),
        "{code}: {errors}"
    );
}

/// Commands that dispatch rays: all that the GPU read run, each with its own tables.
#[test]
fn indirect_dispatches_of_rays_give_what_the_gpu_gives() {
    let bench = Bench::new();
    for (name, counts) in [("rays-grown", [2, 0]), ("rays-counted", [2, 2])] {
        if !capture(&bench, name, "dxil") {
            return;
        }
        let calls = calls(&bench, "ExecuteIndirect");
        assert!(!calls.is_empty(), "{name}");
        for (call, count) in calls.iter().zip(counts) {
            let beyond = count.to_string();
            let (code, _, errors) = debug(&bench, call, "0,0,0", &["--command", &beyond]);
            let reason = format!("there is no command {count}: the GPU read {count} of them");
            assert!(code == 2 && errors.contains(&reason), "{name}, call {call}: {code}, {errors}");
            for command in 0..count {
                let command = command.to_string();
                let (code, told, errors) = debug(&bench, call, "1,0,0", &["--command", &command]);
                let check = &told["check"];
                assert!(
                    code == 0 && check["equal"] == true && check["whole"] == true,
                    "{name}, call {call}: {code}, {errors}"
                );
                assert!(!told["rays"].as_array().unwrap().is_empty(), "{name}, call {call}");
                // Shaders are told with their libraries, so that scripts can count them.
                let shaders = told["shaders"].as_array().unwrap();
                assert!(shaders.iter().any(|shader| shader["name"] == "generate" && shader["library"].is_string()));
                let (code, told, _) = debug(&bench, call, "1,0,0", &["--command", &command, "--disturbed"]);
                assert!(code == 1 && told["check"]["equal"] == false, "{name}, call {call}: {code}");
            }
        }
    }
}

/// Where other instances can be hit than the GPU's rays hit, that shows.
#[test]
fn ray_queries_through_another_scene_differ() {
    let bench = Bench::new();
    if !capture(&bench, "structures", "dxil") {
        return;
    }
    let call = calls(&bench, "Dispatch")[0].clone();
    let (code, told, errors) = debug(&bench, &call, "0,0,0", &[]);
    assert_eq!((code, &told["check"]["differences"]), (0, &json!([])), "{errors}");
    let (code, told, _) = debug(&bench, &call, "0,0,0", &["--disturbed"]);
    let differences = told["check"]["differences"].as_array().unwrap();
    assert!(code == 1 && differences.iter().any(|it| it["open"].is_null() || it["beyond"] == true));
}

/// Vertex and pixel shaders ask rays, too.
#[test]
fn draws_whose_shaders_ask_rays_are_equal() {
    let bench = Bench::new();
    if !capture(&bench, "ray-queries", "dxil") {
        return;
    }
    let mut looked_at = 0;
    for call in calls(&bench, "DrawInstanced") {
        for arguments in [["--pixel", "3,3"], ["--vertex", "1"]] {
            let all = [&["debug", "trace.reprise", &call, "--json"], &arguments[..]].concat();
            let finished = bench.run(&all);
            let Ok(told) = serde_json::from_str::<Json>(&finished.text()) else { continue };
            if told["rays"].as_array().is_none_or(Vec::is_empty) {
                continue;
            }
            assert_eq!(told["check"]["equal"], true, "{call} {arguments:?}: {told}");
            looked_at += 1;
        }
    }
    assert_eq!(looked_at, 2, "one shader of each kind");
}
