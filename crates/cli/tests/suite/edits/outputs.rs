//! What an edited trace says of itself, and where it may be written.

use super::*;

#[test]
fn a_replay_of_an_edited_trace_says_that_it_is_one() {
    let targets = Targets::new();
    let bench = &targets.bench;
    let scene = Scene::of(&targets.lines);
    let edit = format!("call {}: drop", scene.draws[0].call);
    let files = bench.files();
    let played = bench.run(&["replay", "--json", "-e", &edit, "trace.reprise"]);
    assert!(played.status.success() && played.errors().contains("edited (1 edit)"), "{}", played.errors());
    let text = played.text();
    let report: Json = serde_json::from_str(&text[text.find('{').unwrap()..]).unwrap();
    assert!(report["different_bytes"].as_u64().unwrap() > 0, "what is read back shows the edit: {report}");
    assert_eq!(bench.files(), files, "no trace is left");
    let plain = bench.run(&["replay", "--json", "trace.reprise"]);
    assert!(!plain.errors().contains("edited"), "{}", plain.errors());
    let verified = bench.run(&["verify", "-e", &edit, "trace.reprise"]);
    assert_eq!(verified.status.code(), Some(1), "{}", verified.errors());
    assert!(verified.errors().contains("differences are expected"), "{}", verified.errors());
}

#[test]
fn nothing_that_is_read_is_written_to() {
    let targets = Targets::new();
    let bench = &targets.bench;
    let draw = Scene::of(&targets.lines).draws[0].call;
    let drop = format!("call {draw}: drop");
    let made = targets.lines.iter().find(|line| line["args"]["ppPipelineState"].is_object()).unwrap();
    let edits = format!("{drop}\nshader of {} PS = \"named.dxil\"\n", made["args"]["ppPipelineState"]["id"]);
    let named = std::fs::read(shader("rectangle.many.dxil")).unwrap();
    std::fs::write(bench.path("changes.txt"), &edits).unwrap();
    std::fs::write(bench.path("named.dxil"), &named).unwrap();
    let trace = std::fs::read(bench.path("trace.reprise")).unwrap();
    let at = draw.to_string();
    let with_line: [&[&str]; 4] = [
        &["replay", "--frame-hashes", "trace.reprise"],
        &["replay", "--log-file", "trace.reprise"],
        &["show", "--call", &at, "--target", "0", "-o", "trace.reprise"],
        &["edit", "--force", "-o", "trace.reprise"],
    ];
    let with_file: [&[&str]; 4] = [
        &["replay", "--frame-hashes", "changes.txt"],
        &["replay", "--log-file", "changes.txt"],
        &["edit", "--force", "-o", "changes.txt"],
        &["edit", "--force", "-o", "named.dxil"],
    ];
    let line = with_line.iter().map(|arguments| [arguments, &["-e", &drop, "trace.reprise"][..]].concat());
    let file = with_file.iter().map(|arguments| [arguments, &["--edit", "changes.txt", "trace.reprise"][..]].concat());
    for arguments in line.chain(file) {
        let refused = bench.run(&arguments);
        assert_eq!(refused.status.code(), Some(2), "{arguments:?}: {}", refused.errors());
        let says = ["that is read: name another", "is a file of this command already"];
        assert!(says.iter().any(|says| refused.errors().contains(says)), "{arguments:?}: {}", refused.errors());
        assert_eq!(std::fs::read(bench.path("trace.reprise")).unwrap(), trace, "{arguments:?}");
        assert_eq!(std::fs::read_to_string(bench.path("changes.txt")).unwrap(), edits, "{arguments:?}");
        assert_eq!(std::fs::read(bench.path("named.dxil")).unwrap(), named, "{arguments:?}");
    }
    bench.output(&["replay", "-q", "--frame-hashes", "hashes.txt", "-e", &drop, "trace.reprise"]);
}

/// A file system without room, in the words of the system.
#[cfg(target_os = "linux")]
#[test]
fn a_trace_that_cannot_be_written_is_named() {
    let targets = Targets::new();
    let bench = &targets.bench;
    let draw = Scene::of(&targets.lines).draws[0].call;
    let reprise = PathBuf::from(bench.command().get_program());
    for more in ["-e 'call DRAW: drop'", "--undo"] {
        let from = if more == "--undo" { "edited.reprise" } else { "trace.reprise" };
        edit(bench, "trace.reprise", &[&format!("call {draw}: drop")], "edited.reprise");
        let mut command = std::process::Command::new("sh");
        command.current_dir(bench.path(""));
        let script = format!(
            "trap '' XFSZ; ulimit -f 4; exec {} edit {from} {} -o no.reprise",
            reprise.display(),
            more.replace("DRAW", &draw.to_string())
        );
        command.args(["-c", &script]);
        let failed = reprise_testing::run(&mut command, PATIENCE).unwrap();
        assert_eq!(failed.status.code(), Some(1), "{}", failed.errors());
        assert!(failed.errors().contains("cannot write no.reprise"), "{}", failed.errors());
        assert!(!bench.path("no.reprise").exists());
    }
}

#[test]
fn a_call_that_an_edit_made_impossible_is_blamed_on_the_edit() {
    let targets = Targets::new();
    let bench = &targets.bench;
    let made = calls(&targets.lines, "CreateCommittedResource")[0];
    // No device makes textures so wide.
    let edit_line = format!("call {made}: pDesc.Width = 4000000000");
    let blame = format!("An edit changed this call, and no program made it so: {edit_line}");
    let failed = bench.run(&["replay", "-q", "-e", &edit_line, "trace.reprise"]);
    assert_eq!(failed.status.code(), Some(1), "{}", failed.errors());
    assert!(failed.errors().contains(&blame), "{}", failed.errors());
    // So it is where the trace is edited again, and the call has another number.
    edit(bench, "trace.reprise", &[&edit_line], "wide.reprise");
    let viewport = calls(&targets.lines, "RSSetViewports")[0];
    edit(bench, "wide.reprise", &[&format!("call {viewport}: pViewports[0].Width = 16")], "both.reprise");
    let failed = bench.run(&["replay", "-q", "both.reprise"]);
    assert!(failed.status.code() == Some(1) && failed.errors().contains(&blame), "{}", failed.errors());
}

/// A program that looks at a call before and after an edit has to know which it is afterwards.
#[test]
fn the_numbers_that_calls_have_afterwards_are_told() {
    let targets = Targets::new();
    let (bench, lines) = (&targets.bench, &targets.lines);
    let scene = Scene::of(lines);
    let (first, second) = (scene.draws[0].call, scene.draws[1].call);
    let edits = [format!("insert before call {first}: DrawInstanced(4, 1, 0, 0)"), format!("call {second}: drop")];
    let numbers = [first - 1, first, second, second + 1].map(|call| call.to_string());
    let mut words = vec!["edit", "--json", "--force", "-o", "new.reprise", "trace.reprise"];
    edits.iter().for_each(|edit| words.extend(["-e", edit]));
    numbers.iter().for_each(|call| words.extend(["--number", call]));
    let told: Json = serde_json::from_str(&bench.output(&words)).unwrap();
    let expected = [Some(first - 1), Some(first + 1), None, Some(second + 1)];
    for (call, expected) in numbers.iter().zip(expected) {
        assert_eq!(told["numbers"][call].as_u64(), expected, "call {call}: {told}");
    }
    // It is the same call there.
    let new = dump(bench, "new.reprise");
    assert_eq!(call(&new, first + 1)["args"], call(lines, first)["args"]);
    let refused = bench.run(&["edit", "--check", "--json", "--number", "1", "-e", "call 9: drop", "trace.reprise"]);
    assert_eq!(refused.status.code(), Some(2), "{}", refused.errors());
}
