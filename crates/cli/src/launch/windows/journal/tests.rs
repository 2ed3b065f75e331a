//! A folder is as it was, wherever a capture and those that clean up after it were killed.
#![allow(clippy::unwrap_used)]

use super::*;
use std::collections::BTreeMap;
use tempfile::TempDir;

const NAMES: [&str; 3] = ["reprise_capture.dll", "d3d12.dll", "dxgi.dll"];

/// Our libraries, as far as they tell that they are.
fn libraries_folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in NAMES {
        fs::write(folder.path().join(name), format!("{name} forwards to reprise_capture")).unwrap();
    }
    folder
}

/// A program with libraries of its own.
fn program_folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("game.exe"), "MZ").unwrap();
    fs::write(folder.path().join("D3D12.dll"), "the program's own").unwrap();
    folder
}

fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
    entries.map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())).collect()
}

#[test]
fn ours_stand_there_and_go_again() {
    let (ours, program) = (libraries_folder(), program_folder());
    let path = program.path();
    let before = contents(path);
    let folder = Folder::take(path, ours.path(), &NAMES).unwrap();
    let during = contents(path);
    assert_eq!(during["reprise-original-d3d12.dll"], b"the program's own");
    for (name, source) in [("D3D12.dll", "d3d12.dll"), ("dxgi.dll", "dxgi.dll"), (NAMES[0], NAMES[0])] {
        assert_eq!(during[name], fs::read(ours.path().join(source)).unwrap(), "{name}");
    }
    assert_eq!(during.len(), before.len() + 4, "{:?}", during.keys());
    assert_eq!(folder.replaced(), [""; 0]);
    assert_eq!(folder.restore().unwrap(), [""; 0]);
    assert_eq!(contents(path), before);
    assert!(restore(path).unwrap().is_none());
}

/// Does the first `done` steps, as a capture that is killed then.
fn killed_after(path: &Path, from: &Path, done: usize) -> usize {
    let journal = Journal::plan(path, &NAMES).unwrap();
    let mut file = open(path, true).unwrap().unwrap();
    write(&mut file, path, &journal).unwrap();
    let steps = journal.steps();
    steps.iter().take(done).for_each(|step| step.perform(path, from).unwrap());
    steps.len()
}

#[test]
fn kills_at_every_step_are_undone() {
    let ours = libraries_folder();
    let mut done = 0;
    loop {
        let program = program_folder();
        let path = program.path();
        let before = contents(path);
        let steps = killed_after(path, ours.path(), done);
        // Who cleans up is killed, too, after each of its steps.
        let undoing = Journal::plan_of(path).undo(path).0.len();
        for undone in 0..=undoing {
            for step in Journal::plan_of(path).undo(path).0.iter().take(undone) {
                step.perform(path, path).unwrap();
            }
        }
        assert_eq!(restore(path).unwrap(), Some(vec![]), "after {done} steps");
        assert_eq!(contents(path), before, "after {done} steps");
        // The next capture cleans up by itself, too.
        killed_after(path, ours.path(), done);
        Folder::take(path, ours.path(), &NAMES).unwrap().restore().unwrap();
        assert_eq!(contents(path), before, "after {done} steps, by the next capture");
        if done == steps {
            return;
        }
        done += 1;
    }
}

impl Journal {
    /// The journal that lies in a folder.
    fn plan_of(path: &Path) -> Journal {
        read(&File::open(path.join(NAME)).unwrap()).unwrap()
    }
}

#[test]
fn half_a_journal_means_that_nothing_was_changed() {
    let program = program_folder();
    let before = contents(program.path());
    for text in ["", "{\"process\":1,\"fil"] {
        fs::write(program.path().join(NAME), text).unwrap();
        assert_eq!(restore(program.path()).unwrap(), Some(vec![]));
        assert_eq!(contents(program.path()), before);
    }
}

#[test]
fn what_another_put_there_meanwhile_stays() {
    let (ours, program) = (libraries_folder(), program_folder());
    let path = program.path();
    let folder = Folder::take(path, ours.path(), &NAMES).unwrap();
    fs::write(path.join("D3D12.dll"), "an update").unwrap();
    fs::write(path.join("dxgi.dll"), "somebody's").unwrap();
    assert_eq!(folder.replaced(), ["D3D12.dll", "dxgi.dll"]);
    let left = folder.restore().unwrap();
    assert!(left.len() == 1 && left[0].contains("reprise-original-d3d12.dll"), "{left:?}");
    let after = contents(path);
    assert_eq!(after["D3D12.dll"], b"an update");
    assert_eq!(after["dxgi.dll"], b"somebody's");
    assert_eq!(after["reprise-original-d3d12.dll"], b"the program's own");
    assert_eq!(after.len(), 4, "{:?}", after.keys());
    // And is not taken for ours the next time.
    let refusal = Folder::take(path, ours.path(), &NAMES).unwrap_err();
    assert!(refusal.message(path).contains("reprise-original-d3d12.dll"));
    assert_eq!(contents(path), after);
}

#[test]
fn one_capture_at_a_time() {
    let (ours, program) = (libraries_folder(), program_folder());
    let path = program.path();
    let folder = Folder::take(path, ours.path(), &NAMES).unwrap();
    let during = contents(path);
    for refusal in [Folder::take(path, ours.path(), &NAMES).unwrap_err(), restore(path).unwrap_err()] {
        assert!(refusal.message(path).contains(&std::process::id().to_string()), "{}", refusal.message(path));
    }
    assert_eq!(contents(path), during);
    folder.restore().unwrap();
}

#[test]
#[cfg(unix)]
fn a_folder_that_refuses_says_what_to_do() {
    use std::os::unix::fs::PermissionsExt;
    let (ours, program) = (libraries_folder(), program_folder());
    let path = program.path();
    let mode = |mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    mode(0o555);
    let writable = fs::write(path.join("probe"), "").is_ok();
    let taken = Folder::take(path, ours.path(), &NAMES);
    mode(0o755);
    // Root may write everywhere.
    if !writable {
        assert!(taken.unwrap_err().message(path).contains("--place system"));
    }
    // A library that is missing: everything is put back.
    fs::remove_file(ours.path().join("dxgi.dll")).unwrap();
    let _ = fs::remove_file(path.join("probe"));
    let _ = restore(path);
    let before = contents(path);
    assert!(Folder::take(path, ours.path(), &NAMES).is_err());
    assert_eq!(contents(path), before);
}

#[test]
fn libraries_of_ours_without_a_journal_are_not_touched() {
    let (ours, program) = (libraries_folder(), program_folder());
    fs::copy(ours.path().join("dxgi.dll"), program.path().join("dxgi.dll")).unwrap();
    let before = contents(program.path());
    let refusal = Folder::take(program.path(), ours.path(), &NAMES).unwrap_err();
    assert!(refusal.message(program.path()).contains("ours already"));
    assert_eq!(contents(program.path()), before);
}
