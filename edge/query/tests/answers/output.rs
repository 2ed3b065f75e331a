//! What is written, and where: whole files, names of traces, compression.

use crate::{answer, ask, golden, program, run};
use serde_json::json;
use std::fs;
use std::process::Stdio;

fn names(folder: &std::path::Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// A file is there when the answer is whole, and what stood there before stays until then.
#[test]
fn a_file_is_written_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("answer.csv");
    let (trace, to) = (golden("compute"), file.to_str().unwrap().to_owned());
    let trace = trace.to_str().unwrap();
    fs::write(&file, "old").unwrap();
    // It fails when the file was begun.
    let late = "SELECT call, 1 / (call - 60) AS n FROM calls WHERE call < 100";
    for (name, arguments) in
        [("csv", &["-o", &to][..]), ("plot", &["--plot", "call,n", "-o", &to]), ("arrow", &["--arrow", &to])]
    {
        let output = run(&[arguments, &[trace, late]].concat());
        assert_eq!(output.status.code(), Some(2), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(names(folder.path()), ["answer.csv"], "{name}");
        assert_eq!(fs::read_to_string(&file).unwrap(), "old", "{name}");
    }
    assert!(run(&["-o", &to, trace, "SELECT count(*) AS n FROM calls"]).status.success());
    assert_eq!(fs::read_to_string(&file).unwrap(), "n\n130\n");
    assert_eq!(names(folder.path()), ["answer.csv"]);
}

/// A program that is told to end leaves nothing.
#[cfg(unix)]
#[test]
fn an_interrupt_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("answer.csv");
    // Far more rows than are read before it is told.
    let endless = "SELECT a.call FROM calls a, calls b, calls c, calls d";
    let mut child = program().args(["-o", file.to_str().unwrap()]).arg(golden("threads")).arg(endless).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(700));
    assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
    let interrupted = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(interrupted.success() && !child.wait().unwrap().success());
    assert_eq!(names(folder.path()), [""; 0]);
}

/// Pipes are written to as they are.
#[cfg(unix)]
#[test]
fn standard_output_has_a_name() {
    for to in ["/dev/stdout", "-"] {
        let sql = "SELECT count(*) AS n FROM calls";
        let mut command = program();
        command.args(["--format", "json", "-o", to]).arg(golden("compute")).arg(sql).stdout(Stdio::piped());
        assert_eq!(answer(&mut command), [json!({ "n": 130 })], "{to}");
    }
}

/// Two files of one name in two folders are two traces; one file is not named twice.
#[test]
fn traces_of_one_name_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let paths = ["before/game.reprise", "after/game.reprise", "other.reprise"].map(|name| folder.path().join(name));
    for (path, from) in paths.iter().zip(["compute", "gears", "queues"]) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::copy(golden(from), path).unwrap();
    }
    let counts = ["compute", "gears", "queues"]
        .map(|name| ask(&golden(name), "SELECT count(*) AS n FROM calls")[0]["n"].clone());
    let sql = "SELECT trace, count(*) AS n FROM calls GROUP BY trace ORDER BY trace DESC";
    let rows = answer(program().args(["--format", "json"]).args(&paths).arg(sql));
    assert_eq!(
        rows,
        [
            json!({ "trace": "other.reprise", "n": counts[2] }),
            json!({ "trace": "before/game.reprise", "n": counts[0] }),
            json!({ "trace": "after/game.reprise", "n": counts[1] }),
        ]
    );
    let only = "SELECT count(*) AS n FROM calls WHERE trace = 'after/game.reprise'";
    assert_eq!(answer(program().args(["--format", "json"]).args(&paths).arg(only)), [json!({ "n": counts[1] })]);
    let twice = folder.path().join("before/../after/game.reprise");
    let output = program().arg(&paths[1]).arg(twice).arg(sql).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("named twice"));
}

/// Parquet is compressed unless that is asked for.
#[test]
fn parquet_is_compressed() {
    let folder = tempfile::tempdir().unwrap();
    let size = |compression: Option<&str>| {
        let file = folder.path().join("args.parquet");
        let mut command = program();
        command.args(compression.map(|method| format!("--compression={method}"))).arg("-o").arg(&file);
        let output = command.arg(golden("gears")).arg("SELECT * FROM args").output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        fs::metadata(&file).unwrap().len()
    };
    let (default, none, most) = (size(None), size(Some("none")), size(Some("zstd:19")));
    assert!(most <= default && default < none * 9 / 10, "{default} {none} {most}");
    let trace = golden("gears");
    for arguments in [["--compression", "zstd:40"], ["--compression", "lzma"], ["--compression", "zstd"]] {
        let output = run(&[&arguments[..], &[trace.to_str().unwrap(), "SELECT 1"]].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    }
}

/// CSV has no lists: that is told before anything is written.
#[test]
fn lists_are_for_json() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("answer.csv");
    let trace = golden("compute");
    for sql in ["SELECT 1 AS one, array_agg(call) AS all_calls FROM calls", "SELECT named_struct('a', 1) AS all_calls"]
    {
        for to in [&["--format", "csv"][..], &["-o", file.to_str().unwrap()]] {
            let output = run(&[to, &[trace.to_str().unwrap(), sql]].concat());
            let text = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{to:?} {sql}: {text}");
            assert!(text.contains("all_calls") && text.contains("--format json"), "{text}");
            assert!(output.stdout.is_empty() && names(folder.path()).is_empty(), "{to:?} {sql}");
        }
    }
    let rows = ask(&trace, "SELECT array_agg(call ORDER BY call) AS calls FROM calls WHERE call < 4");
    assert_eq!(rows, [json!({ "calls": [1, 2, 3] })]);
}
