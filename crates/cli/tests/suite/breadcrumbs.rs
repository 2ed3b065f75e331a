//! DRED on our runtime: the program `breadcrumbs` sets it up as crash handlers do, and checks what it says of seeded faults against what it has
//! recorded. Each fault has a process of its own.

use crate::bench::{Bench, PATIENCE};
use crate::programs;
use reprise_testing::{Finished, artifact};

/// Work in each of the program's three lists.
const OPERATIONS: u32 = 12;

pub(crate) fn run(bench: &Bench, fault: Option<&str>, captured: bool) -> Finished {
    let mut command = bench.command();
    if captured {
        command.args(["capture", "-q", "-o", "trace.reprise", "--"]).arg(artifact::programs().unwrap());
    } else {
        let (views, few) = artifact::FEW_VIEWS;
        command = std::process::Command::new(artifact::programs().unwrap());
        command.env(views, few);
    }
    command.args(["breadcrumbs", "--shaders", "dxil", "--library"]).arg(programs::ours());
    command.env_remove("REPRISE_LOG_LEVEL");
    if let Some(fault) = fault {
        command.env("REPRISE_FAULT", fault);
    }
    reprise_testing::run(&mut command, PATIENCE).unwrap()
}

pub(crate) fn told(finished: &Finished) -> String {
    assert!(finished.status.success(), "{}\n{}{}", finished.status, finished.text(), finished.errors());
    finished.text()
}

/// §4.3 of the specification of WriteBufferImmediate: markers behind the operation are not written, and those before it are; DRED names the
/// list, and the operation in it.
#[test]
fn a_crash_handler_is_told_of_the_operation() {
    let bench = Bench::new();
    for fault in [1u32, 5, 12, 13, 20, 36] {
        let text = told(&run(&bench, Some(&format!("lost@{fault}")), false));
        let (list, operation) = ((fault - 1) / OPERATIONS, (fault - 1) % OPERATIONS + 1);
        let markers = format!("markers    work {operation} of {OPERATIONS} was begun, {} done", operation - 1);
        assert!(text.contains(&markers), "{fault}: {text}");
        let lists: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("list       ")).collect();
        let names: Vec<&str> = lists.iter().filter_map(|line| line.split(' ').next()).collect();
        assert_eq!(names, ["Before", "Frame", "Behind"][list as usize..], "{fault}: {text}");
        let kind = if operation.is_multiple_of(2) { "Dispatch" } else { "CopyBufferRegion" };
        let flight: Vec<&str> = text.lines().filter(|line| line.starts_with("in flight")).collect();
        assert_eq!(flight.len(), 1, "{fault}: {text}");
        assert!(flight[0].ends_with(kind), "{fault}: {text}");
    }
}

#[test]
fn a_crash_handler_is_told_of_the_memory() {
    let text = told(&run(&Bench::new(), Some("page-fault@17:released"), false));
    assert!(text.contains("removed    0x887a0005"), "{text}");
    assert!(text.contains("\"Doomed\", which is released"), "{text}");
}

#[test]
fn markers_tell_of_an_operation_that_never_ends() {
    let text = told(&run(&Bench::new(), Some("hang@15"), false));
    assert!(text.contains("operation 3 of Frame never ends"), "{text}");
}

/// The log says the same, whatever the program asks for, where the user does.
#[test]
fn the_log_tells_of_the_operation() {
    let mut command = std::process::Command::new(artifact::programs().unwrap());
    command.args(["vertices", "--shaders", "dxil", "--library"]).arg(programs::ours());
    command.env_remove("REPRISE_LOG_LEVEL").env("REPRISE_FAULT", "lost@2").env("REPRISE_BREADCRUMBS", "1");
    let finished = reprise_testing::run(&mut command, PATIENCE).unwrap();
    assert!(!finished.status.success(), "{}", finished.text());
    let errors = finished.errors();
    let line =
        errors.lines().find(|line| line.contains("the GPU stopped in list")).unwrap_or_else(|| panic!("{errors}"));
    assert!(line.contains("1 begun and not done: #"), "{line}");
}

/// Under capture a program sees its own objects in what DRED gives, and the trace of a sound run plays.
#[test]
fn a_captured_crash_handler_is_told_the_same() {
    let bench = Bench::new();
    let text = told(&run(&bench, Some("lost@14"), true));
    assert!(text.contains("list       Frame on Main"), "{text}");
    let bench = Bench::new();
    assert_eq!(told(&run(&bench, None, true)), format!("breadcrumbs {}\n", programs::expected("breadcrumbs")));
    let mut command = bench.command();
    command.args(["replay", "trace.reprise"]);
    let finished = reprise_testing::run(&mut command, PATIENCE).unwrap();
    assert!(finished.status.success(), "{}{}", finished.text(), finished.errors());
}
