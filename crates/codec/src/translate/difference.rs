//! What two models say differently of what a trace uses, in words.

use crate::schema;
use reprise_d3d12::model::{Enum, Model};
use std::collections::{HashMap, HashSet};

/// The differences, by name. `methods` pairs the trace's numbers with today's.
pub(super) fn between(theirs: &Model, ours: &Model, methods: &[(u16, u16)]) -> Vec<String> {
    let used = schema::used(theirs);
    let mut today: Vec<u16> = methods.iter().map(|(_, today)| *today).collect();
    today.sort_unstable();
    let (theirs_text, ours_text) = (schema::text(theirs, &used), schema::text(ours, &today));
    let ours_by_name: HashMap<(&str, &str), &str> =
        schema::declarations(&ours_text).map(|own| (subject(own), own)).collect();
    let mut differences = Vec::new();
    for own in schema::declarations(&theirs_text) {
        let (kind, name) = subject(own);
        let Some(other) = ours_by_name.get(&(kind, name)) else {
            differences.push(format!("{kind} {name} is not in today's model, or nothing there leads to it"));
            continue;
        };
        match kind {
            _ if own == *other => {}
            "enumeration" => {
                let named = |model: &Model| model.enums.iter().find(|own| own.name == name);
                if let (Some(one), Some(two)) = (named(theirs), named(ours)) {
                    members(one, two, &mut differences);
                }
            }
            _ => lines(name, own, other, &mut differences),
        }
    }
    let known: HashSet<(&str, &str)> = schema::declarations(&theirs_text).map(subject).collect();
    let new = schema::declarations(&ours_text).map(subject).filter(|own| !known.contains(own));
    differences.extend(new.map(|(kind, name)| format!("{kind} {name} is new today")));
    differences
}

/// What a declaration is of, and its name.
fn subject(declaration: &str) -> (&'static str, &str) {
    let mut words = declaration.split_whitespace();
    match words.next() {
        Some("method") => ("method", words.nth(1).unwrap_or("")),
        Some("struct") => ("structure", words.next().unwrap_or("")),
        Some("select") => ("table", words.next().unwrap_or("")),
        Some("interface") => ("interface", words.next().unwrap_or("")),
        _ => ("enumeration", words.next().unwrap_or("")),
    }
}

/// Lines that begin with different words, or say different things behind the same.
fn lines(name: &str, theirs: &str, ours: &str, differences: &mut Vec<String>) {
    let before = differences.len();
    let (one, other): (Vec<&str>, Vec<&str>) = (theirs.lines().collect(), ours.lines().collect());
    if one.first() != other.first() {
        let shown = |lines: &[&str]| lines.first().copied().unwrap_or("").to_owned();
        differences.push(format!("{name}: `{}` in the trace, `{}` today", shown(&one), shown(&other)));
    }
    let field = |line: &str| line.split_whitespace().next().unwrap_or("").to_owned();
    let (one, other) = (one.get(1..).unwrap_or(&[]), other.get(1..).unwrap_or(&[]));
    for line in one {
        match other.iter().find(|today| field(today) == field(line)) {
            None => differences.push(format!("{name}: {} is not there today", field(line))),
            Some(today) if today != line => {
                differences.push(format!("{name}: `{}` in the trace, `{}` today", line.trim(), today.trim()));
            }
            Some(_) => {}
        }
    }
    for line in other.iter().filter(|today| !one.iter().any(|line| field(line) == field(today))) {
        differences.push(format!("{name}: {} is new today", field(line)));
    }
    if differences.len() == before {
        differences.push(format!("{name}: its fields have another order today"));
    }
}

fn members(theirs: &Enum, ours: &Enum, differences: &mut Vec<String>) {
    let before = differences.len();
    let value = |of: &Enum, name: &str| of.members.iter().find(|member| member.0 == name).map(|member| member.1);
    for (name, number) in theirs.members {
        match value(ours, name) {
            Some(today) if today == *number => {}
            Some(today) => differences.push(format!("{}: {name} is {number} in the trace, {today} today", theirs.name)),
            None => differences.push(format!("{}: {name} ({number}) is not there today", theirs.name)),
        }
    }
    // Other names for values that the trace names are left out of schemas.
    let known = |number: i64| theirs.members.iter().any(|member| member.1 == number);
    for (name, number) in ours.members.iter().filter(|(name, number)| value(theirs, name).is_none() && !known(*number))
    {
        differences.push(format!("{}: {name} ({number}) is new today", ours.name));
    }
    if differences.len() == before {
        differences.push(format!(
            "{}: its names stand in another order, or it is of flags in one and not in the other",
            ours.name
        ));
    }
}
