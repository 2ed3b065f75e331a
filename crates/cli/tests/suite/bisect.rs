//! `reprise bisect`: three faults of a runtime, each found to the commit and the call. The runtimes are builds of a small library in a git
//! tree of the test's own (`bisect/runtime.c`); the calls are counted in the dump.

use crate::bench::{Bench, PATIENCE};
use crate::programs;
use reprise_testing::{Finished, missing, program, require};
use serde_json::Value as Json;
use std::path::Path;
use std::process::Command;

const SOURCE: &str = include_str!("bisect/runtime.c");
/// What each commit has: a fault of `runtime.c`, or `None` where it does not build.
const COMMITS: [Option<u32>; 12] =
    [Some(0), Some(0), None, Some(1), Some(1), Some(0), Some(2), Some(2), Some(0), Some(0), Some(0), Some(3)];

fn shell(folder: &Path, line: &str) {
    let mut command = Command::new("sh");
    command.args(["-ec", line]).current_dir(folder).env("HOME", folder).env("GIT_CONFIG_NOSYSTEM", "1");
    let finished = program::run(&mut command, PATIENCE).unwrap();
    assert!(finished.status.success(), "{line}: {}", finished.errors());
}

/// Our runtime with a fault, built into a file.
pub(crate) fn runtime(bench: &Bench, fault: u32) -> Option<String> {
    require(missing::program("gcc", "gcc"))?;
    std::fs::write(bench.path("runtime.c"), SOURCE).unwrap();
    let (name, real) = (format!("fault{fault}.so"), programs::ours());
    let build = format!("gcc -shared -fPIC -O1 -DFAULT={fault} '-DREAL=\"{}\"' -o {name} runtime.c", real.display());
    shell(&bench.folder, &build);
    // A path, not a name that the loader looks for.
    Some(format!("./{name}"))
}

/// A tree with a tag for each commit: `c0`, `c1`, …
fn tree(bench: &Bench) -> Option<()> {
    require(missing::program("git", "git"))?;
    require(missing::program("gcc", "gcc"))?;
    let tree = bench.path("tree");
    std::fs::create_dir_all(&tree).unwrap();
    std::fs::write(tree.join("runtime.c"), SOURCE).unwrap();
    shell(&tree, "git init -q && git add runtime.c");
    for (at, fault) in COMMITS.iter().enumerate() {
        let fault = fault.map_or("#error".to_owned(), |fault| format!("#define FAULT {fault} // {at}\n"));
        std::fs::write(tree.join("fault.h"), fault).unwrap();
        let who = "-c user.name=t -c user.email=t@t";
        shell(&tree, &format!("git add fault.h && git {who} commit -qm 'change {at}' && git tag c{at}"));
    }
    Some(())
}

/// Bisects `trace.reprise` between two commits.
fn bisect(bench: &Bench, good: usize, bad: usize, more: &[&str]) -> (Json, Finished) {
    let build = format!(
        "gcc -shared -fPIC -O1 -include fault.h '-DREAL=\"{}\"' -o libfaulty.so runtime.c",
        programs::ours().display()
    );
    let (good, bad) = (format!("c{good}"), format!("c{bad}"));
    let log = format!("{good}.jsonl");
    let tree = ["bisect", "trace.reprise", "--json", "--git", "tree", "--build", &build, "--library", "libfaulty.so"];
    let finished = bench.run(&[&tree, &["--good", &good, "--bad", &bad, "--log", &log][..], more].concat());
    let answer = serde_json::from_str(&finished.text()).unwrap_or_else(|_| panic!("{}", finished.errors()));
    (answer, finished)
}

/// Calls of the dump, with their arguments.
fn dump(bench: &Bench) -> Vec<Json> {
    let text = bench.output(&["dump", "--json", "trace.reprise"]);
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn calls<'d>(dump: &'d [Json], method: &'d str) -> impl Iterator<Item = &'d Json> {
    dump.iter().filter(move |call| call["method"].as_str().is_some_and(|name| name.ends_with(method)))
}

#[test]
fn three_faults_are_found_to_the_commit_and_the_call() {
    let bench = Bench::new();
    if tree(&bench).is_none() {
        return;
    }
    // Rounds otherwise: pictures differ from the first clear on, by one step. The commit before it does not build.
    programs::capture(&bench, "presents", &programs::ours());
    let (answer, finished) = bisect(&bench, 0, 4, &[]);
    assert_eq!(finished.status.code(), Some(7), "{}", finished.errors());
    let label = |json: &Json| json["label"].as_str().unwrap().rsplit(' ').next().unwrap().to_owned();
    assert_eq!((label(&answer["first_bad"]), label(&answer["last_good"])), ("3".into(), "1".into()), "{answer}");
    assert_eq!((label(&answer["between"][0]), answer["symptom"].as_str()), ("2".into(), Some("results")));
    let all = dump(&bench);
    let clear = &calls(&all, "::ClearRenderTargetView").next().unwrap()["call"];
    let found = &answer["first"]["draw"];
    assert_eq!(&found["call"], clear, "{answer}");
    let texels = &found["unlike"][0];
    // Red, blue, green, alpha of 1, 0, 0, 1 in a texture of 64 x 48: 255 becomes 254.
    assert_eq!((&texels["texels"], &texels["columns"][1], &texels["rows"][1]), (&3072.into(), &63.into(), &47.into()));
    assert_eq!((&texels["largest"], &texels["slot"]), (&1.0.into(), &"cleared".into()));
    assert_eq!(texels["values"].to_string(), "[[0.0,0.0,255.0,255.0],[0.0,0.0,254.0,254.0]]");
    // Built once, and the log has each run: nothing is left to do.
    let (again, finished) = bisect(&bench, 0, 4, &["--resume", "--no-call"]);
    assert_eq!((&again["first_bad"], &again["runs"]), (&answer["first_bad"], &answer["runs"]), "{}", finished.errors());

    // Crashes at the third draw.
    std::fs::remove_file(bench.path("trace.reprise")).unwrap();
    programs::capture(&bench, "targets", &programs::ours());
    let (answer, finished) = bisect(&bench, 8, 11, &[]);
    assert_eq!(finished.status.code(), Some(0), "{}", finished.errors());
    assert_eq!((label(&answer["first_bad"]), answer["symptom"].as_str()), ("11".into(), Some("crashed")), "{answer}");
    let all = dump(&bench);
    assert_eq!(&answer["first"]["call"], &calls(&all, "::DrawInstanced").nth(2).unwrap()["call"], "{answer}");

    // Loses a barrier: nothing to see on a driver that works in order, but validation sees it.
    if require(missing::validation_layer()).is_none() {
        return;
    }
    std::fs::remove_file(bench.path("trace.reprise")).unwrap();
    programs::capture(&bench, "clears", &programs::ours());
    let (answer, finished) = bisect(&bench, 5, 7, &["--validate"]);
    assert_eq!(finished.status.code(), Some(0), "{}", finished.errors());
    assert_eq!((label(&answer["first_bad"]), answer["symptom"].as_str()), ("6".into(), Some("validation")), "{answer}");
    let all = dump(&bench);
    // The first call that uses a resource after its barrier was lost.
    let call = &answer["first"]["call"];
    let found = all.iter().find(|it| &it["call"] == call).unwrap();
    let resource = &found["args"]["pResource"];
    let barrier = calls(&all, "::ResourceBarrier").find(|it| {
        let transition = &it["args"]["pBarriers"][0]["Transition"];
        transition["StateBefore"] == "D3D12_RESOURCE_STATE_COPY_DEST" && &transition["pResource"] == resource
    });
    let barrier = barrier.unwrap_or_else(|| panic!("{answer}"))["call"].as_u64().unwrap();
    let on_lists = all.iter().filter(|it| it["method"].as_str().is_some_and(|name| name.contains("CommandList::")));
    let mut uses = on_lists.filter(|it| it["call"].as_u64() > Some(barrier) && &it["args"]["pResource"] == resource);
    assert_eq!(&uses.next().unwrap()["call"], call, "{answer}");
    assert!(answer["first"]["why"].as_str().unwrap().contains("SYNC-HAZARD"), "{answer}");
}

/// Ends that are not what they were said to be, candidates that hang or are not there, wrong files: an answer or a message, never a guess.
#[test]
fn what_cannot_be_answered_is_said() {
    let bench = Bench::new();
    programs::capture(&bench, "compute", &programs::ours());
    let run = |arguments: &[&str]| bench.run(&[&["bisect", "trace.reprise"], arguments].concat());
    let is = |finished: &Finished, code: i32, text: &str| {
        assert_eq!(finished.status.code(), Some(code), "{}", finished.errors());
        assert!(finished.errors().contains(text) || finished.text().contains(text), "{text}: {}", finished.errors());
    };
    is(&run(&["--good", "ours", "--bad", "A=1 ours", "--log", "1"]), 1, "the bad candidate plays like the good one");
    is(&run(&["--good", "/nowhere.so", "--bad", "ours", "--log", "2"]), 1, "cannot be judged: /nowhere.so");
    is(&run(&["--good", "ours", "--bad", "ours", "--timeout", "0.01", "--log", "3"]), 1, "hangs");
    is(&run(&["--good", "ours"]), 2, "name candidates");
    for (text, says) in
        [("# none yet\n\n", "no candidate in it: write one a line"), ("N=1\n", "one candidate only: write one")]
    {
        std::fs::write(bench.path("few"), text).unwrap();
        is(&run(&["--candidates", "few", "--log", "0"]), 2, says);
    }
    // The capture is the good one, and a script decides; it skips, and finds two thirds of a list bad.
    std::fs::write(bench.path("list"), "N=1\nN=2\n# no\nN=3\nN=4\nN=5 ours\n").unwrap();
    let script = "case $N in 1) exit 0;; 2) exit 125;; *) exit 1;; esac";
    let list = ["--candidates", "list", "--no-call", "--log"];
    let found = run(&[&list, &["4", "--command", script][..]].concat());
    is(&found, 7, "the first bad one is one of 2:\n  N=2 (skipped");
    is(&run(&[&list, &["4", "--command", script][..]].concat()), 2, "--resume goes on");
    is(&run(&[&list, &["5", "--command", "exit 200"][..]].concat()), 1, "ends the search");
    is(&run(&[&list, &["6", "--good", "recorded"][..]].concat()), 1, "the bad candidate plays like the good one");
    // Flaky: a script that shows the fault in one run of two, and a limit to how sure it has to be.
    let flaky =
        "test $N -lt 4 || { n=$(cat count 2>/dev/null || echo 0); echo $((n+1)) > count; test $((n % 2)) = 0; }";
    let found = run(&[&list, &["7", "--command", flaky, "--repeat", "4", "--json"][..]].concat());
    let answer: Json = serde_json::from_str(&found.text()).unwrap();
    assert_eq!(answer["first_bad"]["label"], "N=4", "{answer}");
    assert!(answer["sure"].as_f64().unwrap() > 0.95 && answer["shown"] != answer["bad_runs"], "{answer}");
    // A damaged trace is no question.
    let mut bytes = std::fs::read(bench.path("trace.reprise")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x10;
    std::fs::write(bench.path("trace.reprise"), bytes).unwrap();
    is(&run(&["--good", "ours", "--bad", "A=1", "--log", "8"]), 3, "damaged");
}
