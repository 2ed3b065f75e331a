//! The twenty questions of docs/query.md. What each must answer is counted in the golden dumps ([`dump`]), which another build wrote, or
//! from the records themselves where dumps do not tell.

use crate::dump::{self, Call, Recording};
use crate::{ask, golden, programs, questions};
use reprise_trace::read::Trace;
use reprise_trace::record::{Kind, OBSERVED};
use reprise_view::open;
use serde_json::{Value as Json, json};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// Traces that are asked: what is drawn, computed and submitted in them differs.
const TRACES: [&str; 4] = ["bundles", "compute", "gears", "queues"];

/// A row without what is null.
fn row(members: Json) -> Json {
    let Json::Object(mut members) = members else { panic!("{members} is no row") };
    members.retain(|_, value| !value.is_null());
    Json::Object(members)
}

/// Whether two values are equal, but for the last bits of numbers with a fraction.
fn same(one: &Json, other: &Json) -> bool {
    match (one, other) {
        (Json::Array(one), Json::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Json::Object(one), Json::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(name, one)| other.get(name).is_some_and(|other| same(one, other)))
        }
        (Json::Number(a), Json::Number(b)) if a.is_f64() || b.is_f64() => {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
        }
        _ => one == other,
    }
}

/// Asks question `number` of a golden trace. In the question, the texts in `put` are replaced by those beside them.
#[track_caller]
fn check(number: usize, trace: &str, put: &[(&str, String)], expected: Vec<Json>) {
    let mut sql = questions()[number - 1].clone();
    for (old, new) in put {
        assert!(sql.contains(old));
        sql = sql.replace(old, new);
    }
    let found = ask(&golden(trace), &sql);
    let expected: Vec<Json> = expected.into_iter().map(row).collect();
    let (found, expected) = (Json::Array(found), Json::Array(expected));
    assert!(same(&found, &expected), "question {number} of {trace}\nfound    {found}\nexpected {expected}");
}

/// The same of all [`TRACES`]; one answer at least must have rows.
#[track_caller]
fn check_all(number: usize, expected: impl Fn(&str, &[Call]) -> Vec<Json>) {
    let mut rows = 0;
    for trace in TRACES {
        let expected = expected(trace, &dump::calls(trace));
        rows += expected.len();
        check(number, trace, &[], expected);
    }
    assert!(rows > 0, "no trace has an answer to question {number}");
}

fn trace(name: &str) -> Trace {
    open::open(&golden(name), None).unwrap().0
}

/// By call, nanoseconds from its enter to its leave.
fn durations(name: &str) -> BTreeMap<u64, u64> {
    let (trace, mut entered, mut durations) = (trace(name), BTreeMap::new(), BTreeMap::new());
    let mut events = trace.events();
    while let Some(event) = events.next().unwrap() {
        match event.kind {
            Kind::Enter => _ = entered.insert(event.number, event.time_ns),
            Kind::Leave => _ = durations.insert(event.number, event.time_ns - entered[&event.number]),
            _ => {}
        }
    }
    durations
}

/// Stores to mapped memory: call, frame, resource, bytes.
fn stores(name: &str) -> Vec<(u64, u64, u64, u64)> {
    let (trace, mut stores) = (trace(name), Vec::new());
    let mut events = trace.events();
    while let Some(event) = events.next().unwrap() {
        if event.kind == Kind::Memory && event.method != OBSERVED {
            let bytes = event.memory().unwrap().1.len() as u64;
            stores.push((event.number, u64::from(event.frame) + 1, event.object.into(), bytes));
        }
    }
    stores
}

/// Groups by a key, in the order of the keys.
fn grouped<K: Ord, T>(all: impl IntoIterator<Item = T>, key: impl Fn(&T) -> K) -> BTreeMap<K, Vec<T>> {
    let mut groups = BTreeMap::<K, Vec<T>>::new();
    all.into_iter().for_each(|one| groups.entry(key(&one)).or_default().push(one));
    groups
}

#[test]
fn there_are_twenty() {
    assert_eq!(questions().len(), 20);
}

#[test]
fn q1_methods_called_most() {
    check_all(1, |name, calls| {
        let mut bytes = BTreeMap::new();
        let trace = trace(name);
        let mut events = trace.events();
        while let Some(event) = events.next().unwrap() {
            if event.kind == Kind::Enter {
                bytes.insert(event.number, event.payload.len() as u64);
            }
        }
        let groups = grouped(calls, |call| (call.interface.clone(), call.method.clone()));
        let mut groups: Vec<_> = groups.into_iter().collect();
        groups.sort_by_key(|((interface, method), calls)| (Reverse(calls.len()), method.clone(), interface.clone()));
        let rows = groups.into_iter().take(20).map(|((interface, method), calls)| {
            let bytes: u64 = calls.iter().map(|call| bytes[&call.number]).sum();
            json!({ "interface": interface, "method": method, "calls": calls.len(), "bytes": bytes })
        });
        rows.collect()
    });
}

#[test]
fn q2_calls_that_took_longest() {
    for name in ["compute", "gears"] {
        let durations = durations(name);
        let mut calls = dump::calls(name);
        calls.retain(|call| durations.contains_key(&call.number));
        calls.sort_by_key(|call| (Reverse(durations[&call.number]), call.number));
        let rows = calls.iter().take(20).map(|call| {
            json!({ "call": call.number, "frame": call.frame, "thread": 0, "method": call.method, "ms": durations[&call.number] as f64 / 1e6 })
        });
        check(2, name, &[], rows.collect());
    }
}

#[test]
fn q3_calls_that_failed() {
    let mut codes = BTreeSet::new();
    for name in ["methods-sysv", "compute"] {
        let calls = dump::calls(name);
        let failed = calls.iter().filter(|call| {
            call.result.as_str().is_some_and(|result| result.starts_with("E_") || result.starts_with("DXGI_ERROR_"))
        });
        let rows = failed.map(|call| {
            let code = match call.result.as_str().unwrap() {
                // winerror.h
                "DXGI_ERROR_NOT_FOUND" => 0x887a_0002u32,
                other => panic!("the number of {other} is not written down here"),
            };
            codes.insert(code);
            json!({ "call": call.number, "interface": call.interface, "method": call.method, "result": code as i32 })
        });
        check(3, name, &[], rows.collect());
    }
    assert!(!codes.is_empty());
}

#[test]
fn q4_frames_with_most_draws() {
    check_all(4, |name, calls| {
        let took = durations(name);
        let kinds = dump::draws_and_dispatches(calls);
        let rows = grouped(calls, |call| call.frame).into_iter().map(|(frame, calls)| {
            let count = |kind: usize| calls.iter().filter(|call| kinds[kind].contains(&call.number)).count();
            let last = calls.iter().map(|call| call.time_ns + took.get(&call.number).unwrap_or(&0)).max().unwrap();
            let ms = (last - calls[0].time_ns) as f64 / 1e6;
            json!({ "frame": frame, "draws": count(0), "dispatches": count(1), "ms": ms })
        });
        let mut rows: Vec<Json> = rows.collect();
        rows.sort_by_key(|row| (Reverse(row["draws"].as_u64()), row["frame"].as_u64()));
        rows.truncate(10);
        rows
    });
}

#[test]
fn q5_frames_with_most_barriers() {
    check_all(5, |_, calls| {
        let mut frames: Vec<(u64, u64)> = dump::barriers(calls).1.into_iter().collect();
        frames.sort_by_key(|(frame, count)| (Reverse(*count), *frame));
        frames.iter().take(10).map(|(frame, count)| json!({ "frame": frame, "barriers": count })).collect()
    });
}

#[test]
fn q6_barriers_that_change_nothing() {
    for name in ["gears", "compute", "methods-sysv"] {
        let (transitions, _) = dump::barriers(&dump::calls(name));
        let idle = transitions.into_iter().filter(|(.., before, after)| before == after);
        let rows = idle.map(|(call, frame, list, _, object, _, before, _)| {
            json!({ "call": call, "frame": frame, "list": list, "object": object, "before": before })
        });
        check(6, name, &[], rows.collect());
    }
}

#[test]
fn q7_barriers_that_undo_the_one_before() {
    check_all(7, |_, calls| {
        let (transitions, _) = dump::barriers(calls);
        let mut last = BTreeMap::new();
        let mut rows = Vec::new();
        for (call, _, list, _, object, subresource, before, after) in transitions {
            let was = last.insert((list, object, subresource), (before.clone(), after.clone()));
            if was == Some((after.clone(), before.clone())) {
                rows.push(json!({ "call": call, "list": list, "object": object, "before": before, "after": after }));
            }
        }
        rows
    });
}

/// What objects were named last.
fn names(calls: &[Call]) -> BTreeMap<u64, String> {
    let named = calls.iter().filter(|call| call.is(&["SetName"]));
    named.filter_map(|call| Some((call.this?, call.args["Name"].as_str()?.to_owned()))).collect()
}

#[test]
fn q8_uploads() {
    check_all(8, |name, calls| {
        let names = names(calls);
        let groups = grouped(stores(name), |store| store.2);
        let rows = groups.into_iter().map(|(object, stores)| {
            let bytes: u64 = stores.iter().map(|store| store.3).sum();
            json!({ "object": object, "name": names.get(&object), "writes": stores.len(), "bytes": bytes })
        });
        let mut rows: Vec<Json> = rows.collect();
        rows.sort_by_key(|row| (Reverse(row["bytes"].as_u64()), row["object"].as_u64()));
        rows.truncate(10);
        rows
    });
}

#[test]
fn q9_biggest_copies() {
    for name in ["passes", "gears"] {
        let calls = dump::calls(name);
        let mut copies: Vec<&Call> = calls.iter().filter(|call| call.is(&["CopyBufferRegion"])).collect();
        copies.sort_by_key(|call| (Reverse(call.args["NumBytes"].as_u64()), call.number));
        let rows = copies.iter().take(10).map(|call| {
            let id = |name: &str| call.args[name]["id"].clone();
            json!({ "call": call.number, "frame": call.frame, "source": id("pSrcBuffer"), "destination": id("pDstBuffer"), "bytes": call.args["NumBytes"] })
        });
        check(9, name, &[], rows.collect());
    }
}

/// Where a copy or resolve writes.
fn destination(call: &Call) -> Option<u64> {
    let places = ["pDstBuffer", "pDstResource", "pTiledResource"];
    let places = places.iter().map(|name| &call.args[*name]).chain([&call.args["pDst"]["pResource"]]);
    places.filter_map(|place| place["id"].as_u64()).next()
}

#[test]
fn q10_who_wrote_to_a_buffer() {
    let mut rows = 0;
    for name in ["gears", "passes", "memory-pages"] {
        let (calls, stores) = (dump::calls(name), stores(name));
        let copies = || calls.iter().filter(|call| call.is(&["CopyBufferRegion", "CopyTextureRegion", "CopyResource"]));
        // One that is copied to, where there is one, and the first that is stored to.
        let objects = copies().filter_map(destination).take(1).chain(stores.iter().map(|store| store.2).take(1));
        for object in objects {
            let own = stores.iter().filter(|store| store.2 == object);
            let written = own.map(|(call, frame, _, bytes)| {
                (*call, json!({ "call": call, "frame": frame, "how": "store", "bytes": bytes }))
            });
            let copied = copies().filter(|call| destination(call) == Some(object)).map(|call| {
                let row = json!({ "call": call.number, "frame": call.frame, "how": call.method, "bytes": call.args["NumBytes"] });
                (call.number, row)
            });
            let mut all: Vec<(u64, Json)> = written.chain(copied).collect();
            all.sort_by_key(|(call, row)| (*call, row["how"].to_string(), row["bytes"].as_u64()));
            rows += all.len();
            check(10, name, &[("= 13", format!("= {object}"))], all.into_iter().map(|(_, row)| row).collect());
        }
    }
    assert!(rows > 3);
}

#[test]
fn q11_descriptors_of_a_resource() {
    for name in ["bundles", "gears", "compute"] {
        let calls = dump::calls(name);
        let views = || calls.iter().filter(|call| call.method.starts_with("Create") && call.method.ends_with("View"));
        let shown = |call: &Call| call.args["pResource"]["id"].as_u64();
        let object = views().filter_map(shown).next().unwrap();
        let rows = views().filter(|call| shown(call) == Some(object)).map(|call| {
            let place = &call.args["DestDescriptor"];
            json!({ "call": call.number, "method": call.method, "heap": place["heap"], "slot": place["index"], "format": call.args["pDesc"]["Format"] })
        });
        check(11, name, &[("= 13", format!("= {object}"))], rows.collect());
    }
}

#[test]
fn q12_draws_behind_a_binding() {
    let mut rows = 0;
    for name in ["bundles", "gears", "passes"] {
        let calls = dump::calls(name);
        let by_number: BTreeMap<u64, &Call> = calls.iter().map(|call| (call.number, call)).collect();
        let [drawing, _] = dump::draws_and_dispatches(&calls);
        let binds = |call: &Call| {
            [
                "SetPipelineState",
                "SetDescriptorHeaps",
                "SetGraphicsRoot",
                "SetComputeRoot",
                "IASet",
                "SOSet",
                "OMSetRender",
            ]
            .iter()
            .any(|name| call.method.starts_with(name))
        };
        let bound: Vec<u64> = calls.iter().filter(|call| binds(call)).flat_map(Call::mentions).collect();
        for object in [bound[0], bound[bound.len() / 2]] {
            let mut draws = Vec::new();
            for recording in dump::recordings(&calls) {
                let mut is_bound = false;
                for call in recording.calls.iter().map(|number| by_number[number]) {
                    is_bound |= binds(call) && call.mentions().contains(&object);
                    if drawing.contains(&call.number) && is_bound {
                        draws.push((call.number, json!({ "call": call.number, "frame": call.frame, "list": call.this, "method": call.method })));
                    }
                }
            }
            draws.sort_by_key(|(call, _)| *call);
            rows += draws.len();
            check(12, name, &[("= 12", format!("= {object}"))], draws.into_iter().map(|(_, row)| row).collect());
        }
    }
    assert!(rows > 10);
}

/// Pipelines of all frames are asked for, too, because few golden traces make any late.
#[test]
fn q13_pipelines_made_late() {
    for name in ["gears", "pipelines", "pipeline-streams"] {
        let (calls, durations) = (dump::calls(name), durations(name));
        let makers = ["CreateGraphicsPipelineState", "CreateComputePipelineState", "CreatePipelineState"];
        let mut made: Vec<&Call> = calls.iter().filter(|call| call.is(&makers)).collect();
        assert!(!made.is_empty());
        made.sort_by_key(|call| (Reverse(durations[&call.number]), call.number));
        let row = |call: &&Call| {
            let (object, ms) = (&call.args["ppPipelineState"]["id"], durations[&call.number] as f64 / 1e6);
            json!({ "frame": call.frame, "call": call.number, "object": object, "method": call.method, "ms": ms })
        };
        check(13, name, &[("frame > 1", "frame > 0".into())], made.iter().map(row).collect());
        check(13, name, &[], made.iter().filter(|call| call.frame > 1).map(row).collect());
    }
}

/// Objects with the class that they were first given out as, the call, and the references that the program holds at the end.
fn lives(calls: &[Call]) -> BTreeMap<u64, (String, u64, i64)> {
    let mut lives = BTreeMap::<u64, (String, u64, i64)>::new();
    for call in calls {
        for (id, class) in call.given() {
            lives.entry(id).or_insert((class, call.number, 0)).2 += 1;
        }
        let Some(life) = call.this.and_then(|this| lives.get_mut(&this)) else { continue };
        match call.method.as_str() {
            "AddRef" => life.2 += 1,
            "Release" => life.2 -= 1,
            _ => {}
        }
    }
    lives
}

#[test]
fn q14_leaks() {
    check_all(14, |_, calls| {
        let lives = lives(calls).into_values().filter(|(.., held)| *held > 0);
        let groups = grouped(lives, |(class, ..)| class.clone());
        let rows = groups.into_iter().map(|(class, all)| {
            let references: i64 = all.iter().map(|(.., held)| held).sum();
            json!({ "class": class, "objects": all.len(), "references": references })
        });
        let mut rows: Vec<Json> = rows.collect();
        rows.sort_by_key(|row| (Reverse(row["objects"].as_u64()), row["class"].to_string()));
        rows
    });
}

/// The description of a resource, by the call that made it.
fn made(calls: &[Call], id: u64) -> &Call {
    calls.iter().find(|call| call.given().any(|(own, _)| own == id)).unwrap()
}

#[test]
fn q15_resources_that_nothing_mentions() {
    let mut rows = 0;
    for name in ["gears", "heaps", "methods-sysv"] {
        let calls = dump::calls(name);
        let names = names(&calls);
        let idle = lives(&calls).into_iter().filter(|(id, (class, born, _))| {
            let mentioned = calls.iter().filter(|call| call.number > *born).any(|call| call.mentions().contains(id));
            let called = calls.iter().any(|call| call.this == Some(*id) && !call.is(&["Release", "AddRef", "SetName"]));
            class.starts_with("ID3D12Resource") && !mentioned && !called
        });
        let idle: Vec<Json> = idle
            .map(|(id, _)| {
                let maker = made(&calls, id);
                let desc = &maker.args["pDesc"];
                // Random numbers: those of 64 bits are signed in SQL.
                let width = desc["Width"].as_u64().map(|width| width as i64);
                json!({ "object": id, "name": names.get(&id), "created_by": maker.method, "width": width, "format": desc["Format"] })
            })
            .collect();
        rows += idle.len();
        check(15, name, &[], idle);
    }
    assert!(rows > 0);
}

#[test]
fn q16_recordings_run_again_or_never() {
    check_all(16, |_, calls| {
        let mut all: Vec<Recording> = dump::recordings(calls);
        all.retain(|recording| recording.submissions.len() != 1);
        all.sort_by_key(|recording| (Reverse(recording.submissions.len()), recording.begun));
        let rows = all.into_iter().map(|recording| {
            let Recording { list, begun, calls, submissions, .. } = recording;
            json!({ "list": list, "recording": begun, "submissions": submissions.len(), "calls": calls.len() })
        });
        rows.collect()
    });
}

#[test]
fn q17_lists_of_queues() {
    check_all(17, |_, calls| {
        let all = dump::recordings(calls);
        let given = all
            .iter()
            .flat_map(|one| one.submissions.iter().map(move |(call, queue)| (*queue, *call, one.calls.len())));
        let rows = grouped(given, |(queue, ..)| *queue).into_iter().map(|(queue, given)| {
            let submissions: BTreeSet<u64> = given.iter().map(|(_, call, _)| *call).collect();
            let calls: usize = given.iter().map(|(.., calls)| calls).sum();
            json!({ "queue": queue, "submissions": submissions.len(), "lists": given.len(), "calls": calls })
        });
        rows.collect()
    });
}

#[test]
fn q18_memory_by_heap_and_format() {
    check_all(18, |_, calls| {
        let resources = lives(calls).into_keys().map(|id| made(calls, id));
        let described = resources.filter(|call| !call.args["pDesc"]["Dimension"].is_null());
        let text = |value: &Json| value.as_str().map(str::to_owned);
        let groups = grouped(described, |call| {
            let heap = text(&call.args["pHeapProperties"]["Type"]);
            (heap, text(&call.args["pDesc"]["Dimension"]), text(&call.args["pDesc"]["Format"]))
        });
        let rows = groups.into_iter().map(|((heap_type, dimension, format), all)| {
            let widths = all.iter().filter(|_| dimension.as_deref() == Some("D3D12_RESOURCE_DIMENSION_BUFFER"));
            let widths: Vec<u64> = widths.map(|call| call.args["pDesc"]["Width"].as_u64().unwrap()).collect();
            let bytes = (!widths.is_empty()).then(|| widths.iter().sum::<u64>());
            json!({ "heap_type": heap_type, "dimension": dimension, "format": format, "resources": all.len(), "buffer_bytes": bytes })
        });
        let mut rows: Vec<Json> = rows.collect();
        let text = |value: &Json| value.as_str().unwrap_or("~").to_owned();
        rows.sort_by_key(|row| {
            (Reverse(row["resources"].as_u64()), text(&row["format"]), text(&row["dimension"]), text(&row["heap_type"]))
        });
        rows
    });
}

/// Stage, model and kind of code of a shader's container, as its bytes say: parts behind a table of places, of which one is code, which begins
/// with a token of kind and model.
fn shader(bytes: &[u8]) -> Option<(&'static str, String, String)> {
    let word = |at: usize| Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
    if !bytes.starts_with(b"DXBC") {
        return None;
    }
    let places = (0..word(28)?).filter_map(|part| word(32 + 4 * part as usize));
    let code = places
        .map(|at| at as usize)
        .find(|at| [b"SHEX", b"SHDR", b"DXIL"].iter().any(|tag| bytes[*at..].starts_with(*tag)))?;
    let token = word(code + 8)?;
    let stage = ["pixel", "vertex", "geometry", "hull", "domain", "compute", "library"][(token >> 16) as usize];
    let tag = String::from_utf8(bytes[code..code + 4].to_vec()).unwrap();
    Some((stage, format!("{}.{}", token >> 4 & 15, token & 15), tag))
}

/// The containers in the records of calls, each once. A container says how long it is.
fn inline(trace: &Trace) -> BTreeSet<Vec<u8>> {
    let mut found = BTreeSet::new();
    let mut events = trace.events();
    while let Some(event) = events.next().unwrap() {
        let begins = (0..event.payload.len()).filter(|at| event.payload[*at..].starts_with(b"DXBC"));
        let length = |at: usize| u32::from_le_bytes(*event.payload[at + 24..].first_chunk().unwrap()) as usize;
        found.extend(begins.map(|at| event.payload[at..at + length(at)].to_vec()));
    }
    found
}

#[test]
fn q19_shaders() {
    let (mut stages, mut small) = (BTreeSet::new(), 0);
    for name in ["bundles", "compute", "dispatches-dxil", "gears", "pipeline-streams"] {
        let trace = trace(name);
        let blobs = trace.blob_ids().map(|id| trace.blob_by_id(id).unwrap().to_vec());
        let inline = inline(&trace);
        small += inline.iter().filter(|bytes| shader(bytes).is_some()).count();
        let shaders = blobs.chain(inline).filter_map(|bytes| Some((shader(&bytes)?, bytes.len())));
        let rows = grouped(shaders, |(shader, _)| shader.clone()).into_iter().map(|((stage, model, code), all)| {
            stages.insert(stage);
            let bytes: usize = all.iter().map(|(_, bytes)| bytes).sum();
            json!({ "stage": stage, "model": model, "code": code, "shaders": all.len(), "bytes": bytes })
        });
        check(19, name, &[], rows.collect());
    }
    assert_eq!(stages, BTreeSet::from(["compute", "pixel", "vertex"]));
    assert!(small > 1, "gears has two pixel shaders of 248 bytes");
}

#[test]
fn q20_findings() {
    let mut rows = 0;
    for name in TRACES.into_iter().chain(["methods-sysv"]) {
        let output = Command::new(programs().join("reprise"))
            .args(["lint", "--format", "json"])
            .arg(golden(name))
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let findings: Vec<Json> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let key = |finding: &Json| (finding["rule"].to_string(), finding["severity"].to_string());
        let groups = grouped(findings, key).into_values().map(|all| {
            let times: u64 = all.iter().map(|finding| finding["times"].as_u64().unwrap()).sum();
            let first = all.iter().filter_map(|finding| finding["call"].as_u64()).min();
            json!({ "rule": all[0]["rule"], "severity": all[0]["severity"], "findings": all.len(), "times": times, "first_call": first })
        });
        let mut groups: Vec<Json> = groups.collect();
        groups.sort_by_key(|row| {
            (Reverse(row["findings"].as_u64()), row["rule"].to_string(), row["severity"].to_string())
        });
        rows += groups.len();
        check(20, name, &[], groups);
    }
    assert!(rows > 0);
}
