//! A trace of our runtime plays at the addresses that it was captured at: another process, the same driver, nothing translated.

use crate::bench::{Bench, PATIENCE};
use crate::programs::{self, expected};
use reprise_testing::{Finished, artifact, missing, require};
use serde_json::Value as Json;

/// Programs whose memory holds addresses: of shader tables, instances and indirect arguments.
const PROGRAMS: [&str; 6] =
    ["rays", "ray-queries", "dispatch-roots", "indirect-state", "indirect-passes", "indirect-bundles"];

/// Captures a program on our runtime; `None` where this machine's device cannot run it.
fn captured(name: &str, variables: &[(&str, &str)]) -> Option<Bench> {
    let bench = Bench::new();
    let mut command = bench.command();
    command.envs(variables.iter().copied()).env_remove("REPRISE_LOG_LEVEL");
    command.args(["capture", "-q", "-o", "trace.reprise", "--"]).arg(artifact::programs().unwrap());
    command.args([name, "--shaders", "dxil", "--library"]).arg(programs::ours());
    let finished = reprise_testing::run(&mut command, PATIENCE).unwrap();
    if finished.errors().contains("cannot run here") {
        return None;
    }
    assert!(finished.status.success(), "{name}: {}\n{}", finished.status, finished.errors());
    assert_eq!(finished.text(), format!("{name} {}\n", expected(name)));
    Some(bench)
}

/// The facts of the trace that keep places: object, address, bytes.
fn kept(bench: &Bench) -> Vec<(u64, u64, u64)> {
    let lines = bench.output(&["dump", "--json", "trace.reprise"]);
    let events = lines.lines().map(|line| serde_json::from_str::<Json>(line).unwrap());
    let facts = events.filter(|event| event["fact"] == "capture_address");
    let number = |text: &Json| u64::from_str_radix(text.as_str().unwrap().trim_start_matches("0x"), 16).unwrap();
    facts
        .map(|it| (it["object"]["id"].as_u64().unwrap(), number(&it["address"]), it["bytes"].as_u64().unwrap()))
        .collect()
}

fn replay(bench: &Bench, arguments: &[&str], variables: &[(&str, &str)]) -> Finished {
    let mut command = bench.command();
    command.envs(variables.iter().copied()).args(["replay", "--json"]).args(arguments).arg("trace.reprise");
    reprise_testing::run(&mut command, PATIENCE).unwrap()
}

/// What has its recorded address, and what has another one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Placed {
    allocations: (u64, u64),
    buffers: (u64, u64),
}

/// The report of a replay that must succeed and compute the same bytes.
fn placed(name: &str, finished: &Finished) -> Option<Placed> {
    assert!(finished.status.success(), "{name}: {}\n{}", finished.status, finished.errors());
    let report: Json = serde_json::from_str(&finished.text()).unwrap();
    assert_eq!(report["difference_count"], 0, "{name}: {report}");
    assert_ne!(report["compared_bytes"], 0, "{name}: {report}");
    let addresses = report["addresses"].as_object()?;
    let number = |name: &str| addresses[name].as_u64().unwrap();
    Some(Placed {
        allocations: (number("recorded"), number("elsewhere")),
        buffers: (number("buffers_recorded"), number("buffers_elsewhere")),
    })
}

/// Calls whose addresses in memory were translated, and shader tables.
fn translated(finished: &Finished) -> u64 {
    let report: Json = serde_json::from_str(&finished.text()).unwrap();
    ["translated", "moved_tables"].iter().map(|name| report[name].as_u64().unwrap()).sum()
}

#[test]
fn everything_lies_where_it_lay() {
    for name in PROGRAMS {
        let Some(bench) = captured(name, &[]) else { continue };
        let places = kept(&bench);
        assert!(places.iter().all(|(object, address, bytes)| *object != 0 && *address != 0 && *bytes != 0));
        let info = bench.output(&["info", "trace.reprise"]);
        assert!(info.contains("addresses:") && info.contains("our runtime on the same driver"), "{info}");
        let finished = replay(&bench, &[], &[]);
        let Placed { allocations, buffers } = placed(name, &finished).unwrap();
        assert_eq!(allocations, (places.len() as u64, 0), "{name}");
        assert!(buffers.0 >= places.len() as u64 && buffers.1 == 0, "{name}: {buffers:?}");
        assert_eq!(translated(&finished), 0, "{name}");
        // Threads make no difference, and text says it, too.
        let text = bench.output(&["replay", "--threads", "3", "trace.reprise"]);
        assert!(text.contains(" at recorded addresses") && !text.contains("lies elsewhere"), "{name}: {text}");
    }
}

/// What the blocked page is in moves, and nothing else; addresses in memory are translated then.
#[test]
fn what_cannot_be_had_moves_alone() {
    for name in PROGRAMS {
        let Some(bench) = captured(name, &[]) else { continue };
        let places = kept(&bench);
        let &(_, blocked, _) = places.first().unwrap();
        let finished = replay(&bench, &[], &[("REPRISE_TAKEN_ADDRESS", &format!("{blocked:x}"))]);
        let (recorded, elsewhere) = placed(name, &finished).unwrap().allocations;
        assert_eq!(recorded + elsewhere, places.len() as u64, "{name}");
        assert!(recorded > 0 && elsewhere > 0, "{name}: {recorded} and {elsewhere}");
        assert!(translated(&finished) > 0, "{name}");
    }
}

/// The last heaps that the GPU alone sees are made when lists that rely on them have been recorded already: the replay begins anew, and
/// says so.
#[test]
fn what_cannot_be_had_late_is_moved_anew() {
    let Some(bench) = captured("dispatch-late", &[]) else { return };
    let lines = bench.output(&["dump", "--json", "trace.reprise"]);
    let calls = lines.lines().map(|line| serde_json::from_str::<Json>(line).unwrap());
    let of_gpu = calls.filter(|call| call["args"]["pHeapProperties"]["Type"] == "D3D12_HEAP_TYPE_DEFAULT");
    let last = of_gpu.filter_map(|call| call["args"]["ppvResource"]["id"].as_u64()).next_back().unwrap();
    let (_, blocked, _) = kept(&bench).into_iter().find(|(object, ..)| *object == last).unwrap();
    let finished = replay(&bench, &[], &[("REPRISE_TAKEN_ADDRESS", &format!("{blocked:x}"))]);
    assert_eq!(placed("dispatch-late", &finished), None, "the second replay asks for no addresses");
    assert!(finished.errors().contains("begins anew"), "{}", finished.errors());
    assert!(translated(&finished) > 0);
}

#[test]
fn a_replay_need_not_ask() {
    let Some(bench) = captured("dispatch-roots", &[]) else { return };
    for how in [
        &["--addresses", "moved"][..],
        &["--create-dummy-allocations"],
        &["--create-dummy-allocations", "--addresses", "recorded"],
    ] {
        assert_eq!(placed("dispatch-roots", &replay(&bench, how, &[])), None, "{how:?}");
    }
    // Our runtime as a library gives places as well.
    let library = programs::ours();
    let finished = replay(&bench, &["--runtime", &library.to_string_lossy()], &[]);
    assert_eq!(placed("dispatch-roots", &finished).unwrap().allocations, (kept(&bench).len() as u64, 0));
}

/// Sizes of another device: heaps that are laid out anew do not get places that no longer fit.
#[test]
fn heaps_of_other_sizes_lie_elsewhere() {
    let Some(bench) = captured("placed", &[]) else { return };
    let finished = replay(&bench, &[], &[("REPRISE_INFLATE", "7")]);
    assert!(finished.status.success(), "{}\n{}", finished.status, finished.errors());
    let report: Json = serde_json::from_str(&finished.text()).unwrap();
    assert_ne!(report["replanned"]["heaps"], 0, "{report}");
    assert_eq!(report["different_bytes"].as_u64().unwrap_or(0), 0, "{report}");
}

#[test]
fn other_traces_keep_no_addresses() {
    // Where the user says so, and on another library.
    let Some(bench) = captured("dispatch-roots", &[("REPRISE_ADDRESSES", "any")]) else { return };
    assert_eq!(kept(&bench), []);
    assert!(!bench.output(&["info", "trace.reprise"]).contains("addresses:"));
    assert_eq!(placed("dispatch-roots", &replay(&bench, &[], &[])), None);
    let Some([_, other]) = programs::runtimes() else { return };
    let bench = Bench::new();
    programs::capture(&bench, "compute", &other);
    assert_eq!(kept(&bench), []);
    assert!(!bench.output(&["info", "trace.reprise"]).contains("addresses:"));
    assert_eq!(placed("compute", &replay(&bench, &[], &[])), None);
}

/// Heaps of the device are the driver's on lavapipe: what is placed there moves, and what is not stays.
#[test]
fn what_has_no_place_moves() {
    let Some(bench) = captured("placed", &[]) else { return };
    let finished = replay(&bench, &[], &[]);
    let Placed { allocations, buffers } = placed("placed", &finished).unwrap();
    assert_eq!(allocations, (kept(&bench).len() as u64, 0));
    assert!(buffers.0 > 0, "{buffers:?}");
}

/// Captures a program on our runtime, with shaders of one form.
fn captured_with(name: &str, shaders: &str) -> Bench {
    let bench = Bench::new();
    let mut command = bench.command();
    command.args(["capture", "-q", "-o", "trace.reprise", "--"]).arg(artifact::programs().unwrap());
    command.args([name, "--shaders", shaders, "--library"]).arg(programs::ours());
    let finished = reprise_testing::run(&mut command, PATIENCE).unwrap();
    assert_eq!(finished.text(), format!("{name} {}\n", expected(name)), "{}", finished.errors());
    bench
}

fn json(finished: &Finished) -> Json {
    serde_json::from_str(&finished.text()).unwrap()
}

/// Addresses among arguments in render passes and bundles: of vertex and index buffers and of root views, at strides with which they
/// begin between multiples of 8, written by a shader, by a copy and by the processor.
#[test]
fn arguments_in_passes_and_bundles_are_moved() {
    for (name, commands) in [("indirect-passes", 52), ("indirect-bundles", 30)] {
        for shaders in ["dxil", "dxbc"] {
            let bench = captured_with(name, shaders);
            for more in [&[][..], &["--threads", "3"], &["--sync"], &["--create-dummy-allocations"]] {
                let finished = replay(&bench, &[&["--addresses", "moved"], more].concat(), &[]);
                placed(name, &finished);
                assert_eq!(json(&finished)["moved_commands"], commands, "{name} {shaders} {more:?}");
            }
            assert_eq!(json(&replay(&bench, &["--check", "--addresses", "moved"], &[]))["difference_count"], 0);
        }
    }
}

/// Vulkan's layer hides extensions that it does not know: with an older one the device is one without generated commands.
#[test]
fn what_a_device_without_generated_commands_lacks_is_told_at_its_call() {
    if require(missing::validation_layer()).is_none() {
        return;
    }
    let bench = captured_with("indirect-passes", "dxil");
    let finished = replay(&bench, &["--validate", "--addresses", "moved"], &[]);
    let foretold = replay(&bench, &["--validate", "--check"], &[]);
    if finished.status.success() {
        // A layer that knows them has nothing to say.
        assert_eq!(json(&finished)["validation"]["errors"], 0, "{}", finished.errors());
        assert_eq!(json(&foretold)["refused"], 0);
        return;
    }
    let what = "ExecuteIndirect: this device does not execute the commands of this signature";
    assert!(finished.errors().contains(what), "{}", finished.errors());
    assert!(!finished.errors().contains("device was removed"), "{}", finished.errors());
    let told = json(&foretold)["differences"].as_array().unwrap().clone();
    let told: Vec<u64> = told
        .iter()
        .filter(|it| it["what"].as_str().unwrap().contains("does not execute the commands"))
        .map(|it| it["count"].as_u64().unwrap())
        .collect();
    assert_eq!(told, [5], "{}", foretold.text());
}

/// A check plays nothing and tells what a replay would refuse, by the same words.
#[test]
fn a_check_foretells_addresses_in_memory_that_cannot_be_moved() {
    for (name, first, counts) in [
        ("pointers", "a render pass that goes on from one list to another", &[2][..]),
        ("work-graphs", "the table of local root arguments holds addresses", &[12, 3]),
    ] {
        let Some(bench) = captured(name, &[]) else { continue };
        let told = json(&replay(&bench, &["--check", "--addresses", "moved"], &[]));
        let differences = told["differences"].as_array().unwrap();
        let refusals: Vec<&Json> = differences
            .iter()
            .filter(|it| {
                it["what"].as_str().unwrap().contains("elsewhere here")
                    || it["what"].as_str().unwrap().contains("another thing here")
            })
            .collect();
        let found: Vec<u64> = refusals.iter().map(|it| it["count"].as_u64().unwrap()).collect();
        assert_eq!(found, counts, "{told}");
        assert!(refusals[0]["what"].as_str().unwrap().contains(first), "{told}");
        let finished = replay(&bench, &["--addresses", "moved"], &[]);
        assert!(!finished.status.success(), "{name}");
        let call = format!("call {} ", refusals[0]["call"]);
        assert!(finished.errors().contains(&call) && finished.errors().contains(first), "{}", finished.errors());
        // Where everything lies where it lay, nothing is refused.
        assert_eq!(json(&replay(&bench, &["--check"], &[]))["difference_count"], 0, "{name}");
        placed(name, &replay(&bench, &[], &[]));
    }
}

/// Addresses that a program keeps in a buffer of its own, and copies on the GPU to where replay cannot move them.
#[test]
fn guesses_move_what_no_call_describes() {
    let Some(bench) = captured("pointers", &[]) else { return };
    let finished = replay(&bench, &["--addresses", "moved", "--patch-guess"], &[]);
    placed("pointers", &finished);
    let guesses = &json(&finished)["guesses"];
    assert_eq!((guesses["used"].as_u64(), guesses["left"].as_u64()), (Some(2), Some(0)), "{guesses}");
    // The book has five addresses for each of six commands, at multiples of 8: its last part is stored later than its first.
    let number = |text: &Json| u64::from_str_radix(text.as_str().unwrap().trim_start_matches("0x"), 16).unwrap();
    let all = guesses["moved"].as_array().unwrap();
    let book = all.last().unwrap()["buffer"].as_u64().unwrap();
    let of_book: Vec<&Json> = all.iter().filter(|it| it["buffer"] == book).collect();
    let offsets: Vec<u64> = of_book.iter().map(|it| it["offset"].as_u64().unwrap()).collect();
    assert_eq!(offsets, (0..30).map(|word| 8 * word).collect::<Vec<_>>(), "{guesses}");
    for guess in &of_book {
        assert_ne!(number(&guess["recorded"]), number(&guess["here"]));
        assert_ne!(guess["call"], 0);
    }
    let text = bench.output(&["replay", "--addresses", "moved", "--patch-guess", "trace.reprise"]);
    assert!(text.contains(&format!("{} values taken for addresses and moved", all.len())), "{text}");
    assert_eq!(text.matches("guessed: 0x").count(), all.len(), "{text}");
    // Nothing moved: nothing is guessed. And nothing is where nobody asks.
    let finished = replay(&bench, &["--patch-guess"], &[]);
    placed("pointers", &finished);
    assert_eq!(json(&finished)["guesses"]["moved"], Json::Array(Vec::new()));
    assert_eq!(json(&replay(&bench, &[], &[]))["guesses"], Json::Null);
    // What is typed stays right beside guesses.
    for name in ["indirect-passes", "rays", "structures", "dispatch-late"] {
        let Some(bench) = captured(name, &[]) else { continue };
        placed(name, &replay(&bench, &["--addresses", "moved", "--patch-guess"], &[]));
    }
}
