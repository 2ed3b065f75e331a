//! The shaders of the corpus on our runtime, against what the processor makes of them.

#![allow(clippy::unwrap_used)]

use reprise_oracle::{Machine, Operation, Outcome, Program, Word, compare, corpus, generate, interpret};
use reprise_testing::artifact;
use std::path::PathBuf;

/// Programs that show all operations.
const SEEDS: u64 = 100;

fn folder() -> PathBuf {
    artifact::workspace().join(corpus::FOLDER)
}

#[test]
fn all_forms_give_on_our_runtime_what_the_processor_gives() {
    let programs = corpus::read(&folder()).unwrap();
    let tasks = corpus::tasks(&folder(), &programs);
    let machine = Machine {
        programs: artifact::programs().unwrap(),
        library: artifact::runtime_library().unwrap(),
        under: Vec::new(),
    };
    let scratch = tempfile::tempdir().unwrap();
    let outcomes = machine.run(scratch.path(), &tasks).unwrap();
    let mut wrong = Vec::new();
    for (task, outcome) in tasks.iter().zip(&outcomes) {
        let Outcome::Words(words) = outcome else {
            wrong.push(format!("seed {}, {}: {outcome:?}", task.program.seed, task.form));
            continue;
        };
        if let Some(difference) = compare(&interpret(task.program, None).unwrap(), words) {
            wrong.push(format!("seed {}, {}: {difference}", task.program.seed, task.form));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The control of the comparison: whatever operation the processor gets wrong, some shader that is generated shows it.
#[test]
fn an_operation_that_is_wrong_is_noticed() {
    let programs: Vec<Program> = (1..=SEEDS).map(generate).collect();
    let right: Vec<Vec<Word>> = programs.iter().map(|program| interpret(program, None).unwrap()).collect();
    let notices = |program: &Program, right: &[Word], operation| match interpret(program, Some(operation)) {
        Ok(wrong) => compare(right, &wrong.iter().map(|word| word.bits).collect::<Vec<_>>()).is_some(),
        // It leads behind an array, or into a race.
        Err(_) => true,
    };
    let shown =
        |operation: &Operation| programs.iter().zip(&right).any(|(program, right)| notices(program, right, *operation));
    let unnoticed: Vec<Operation> = Operation::all().filter(|operation| !shown(operation)).collect();
    assert_eq!(unnoticed, []);
}
