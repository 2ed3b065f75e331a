//! What was not as at capture, and which fallbacks were taken, for people and for programs.
//!
//! Owns how much of it a person is shown. Invariant: equal differences are one line with a count; what is not shown is counted.

use crate::terminal::output;
use reprise_replay::{
    Addresses, Answer, Concession, Difference, Guess, Guesses, Machine, Report, Skipped, Stale, Uncompared,
};
use serde_json::{Value, json};

/// Differences, fallbacks and the like that a person is shown of each kind; the rest is counted.
const SHOWN: usize = 20;
/// Methods named on one line: names have up to sixty characters.
const METHODS_OF_A_LINE: usize = 3;

/// Where the trace was recorded and where it played, on one line.
pub(crate) fn machines(report: &Report) -> String {
    match &report.replayed_on {
        Some(here) if *here == report.recorded_on => format!("recorded and replayed on {here}"),
        Some(here) => format!("recorded on {}; replayed on {here}", report.recorded_on),
        None => format!("recorded on {}", report.recorded_on),
    }
}

/// One line each, and one for the rest.
pub(crate) fn lines(report: &Report) -> Vec<String> {
    let shown = report.differences.iter().take(SHOWN);
    let told: u64 = shown.clone().map(|difference| difference.count).sum();
    let mut lines: Vec<String> = shown.map(|difference| format!("differs: {difference}")).collect();
    lines.extend(report.concessions.iter().take(SHOWN).map(|concession| format!("fallback: {concession}")));
    lines.extend(report.answers.iter().take(SHOWN).map(|answer| format!("other answer: {answer}")));
    lines.extend(report.stale.iter().take(SHOWN).map(|stale| format!("not there: {stale}")));
    match report.stale.len().saturating_sub(SHOWN) {
        0 => {}
        more => lines.push(format!("and {more} more kinds of things that are not there; --json has them")),
    }
    match report.answers.len().saturating_sub(SHOWN) {
        0 => {}
        more => lines.push(format!("and {}; --json has all", output::plural(more as u64, "more other answer"))),
    }
    match report.concessions.len().saturating_sub(SHOWN) {
        0 => {}
        more => lines.push(format!("and {}; --json has them", output::plural(more as u64, "more fallback"))),
    }
    match report.refused {
        None => {}
        Some(0) => lines.push("all that the trace makes can be made here".to_owned()),
        Some(refused) => lines.push(format!("{} cannot be made here", output::plural(refused, "call"))),
    }
    let replanned = &report.replanned;
    if replanned.heaps > 0 {
        lines.push(format!(
            "{} laid out anew for this device, {} instead of {}, with {} moved",
            output::plural(replanned.heaps, "heap"),
            output::bytes(replanned.bytes),
            output::bytes(replanned.recorded_bytes),
            output::plural(replanned.resources, "resource"),
        ));
    }
    if report.moved_tables > 0 {
        let identifiers = match report.other_identifiers {
            0 => String::new(),
            others => format!(", with {} that are other ones here", output::plural(others, "identifier")),
        };
        let tables = output::plural(report.moved_tables, "shader table");
        lines.push(format!("{tables} moved on the GPU{identifiers}"));
    }
    let structures = &report.moved_structures;
    if structures.count > 0 {
        lines.push(format!(
            "{} larger on this device, in {} of replay's own",
            output::plural(structures.count, "acceleration structure"),
            output::bytes(structures.bytes),
        ));
    }
    if let Some(addresses) = &report.addresses {
        let Addresses { recorded, elsewhere, buffers_recorded, buffers_elsewhere } = *addresses;
        let allocations = output::plural(recorded + elsewhere, "allocation");
        let buffers = output::plural(buffers_recorded + buffers_elsewhere, "buffer");
        lines.push(match elsewhere + buffers_elsewhere {
            0 => format!("{allocations} and {buffers} at recorded addresses"),
            _ => format!(
                "at recorded addresses: {recorded} of {allocations}, {buffers_recorded} of {buffers}; the rest lies elsewhere"
            ),
        });
    }
    if report.translated > 0 {
        let calls = output::plural(report.translated, "call");
        let parts = [(report.moved_instances, "instance"), (report.moved_commands, "indirect command")];
        let parts = parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| output::plural(*count, what));
        let parts = parts.collect::<Vec<_>>().join(" and ");
        lines.push(format!("{calls} with addresses in memory that were translated, in {parts}"));
    }
    if let Some(guesses) = &report.guesses {
        let Guesses { all, left, used } = guesses;
        lines.extend(all.iter().map(|guess| {
            let Guess { call, frame, resource, offset, recorded, here } = guess;
            format!("guessed: 0x{recorded:x} at offset {offset} of buffer {resource} is 0x{here:x} here (call {call}, frame {frame})")
        }));
        let values = output::plural(all.len() as u64, "value");
        lines.push(format!("{values} taken for addresses and moved"));
        if *left > 0 {
            let left = output::plural(*left, "value");
            lines.push(format!(
                "{left} left that look like addresses: moved, they would look like addresses of the capture"
            ));
        }
        if *used > 0 {
            let calls = output::plural(*used, "call");
            lines.push(format!("{calls} with addresses in memory that could not be moved for sure"));
        }
    }
    match report.difference_count.saturating_sub(told) {
        0 => {}
        more => lines.push(format!(
            "and {} more; --json has up to {}",
            output::plural(more, "difference"),
            Report::MAX_DIFFERENCES
        )),
    }
    lines
}

/// Methods with the number of their calls, in lines of some of them.
pub(crate) fn methods(skipped: &Skipped) -> Vec<String> {
    let methods: Vec<String> = skipped.methods.iter().map(|(method, count)| format!("{method} {count}")).collect();
    methods.chunks(METHODS_OF_A_LINE).map(|methods| methods.join(", ")).collect()
}

fn machine(machine: &Machine) -> Value {
    let host = Some(&machine.host).filter(|host| !host.is_empty());
    json!({ "adapter": machine.adapter, "driver": machine.driver, "host": host })
}

fn guesses(guesses: &Guesses) -> Value {
    let guess = |it: &Guess| {
        json!({
            "call": it.call,
            "frame": it.frame,
            "buffer": it.resource,
            "offset": it.offset,
            "recorded": format!("0x{:x}", it.recorded),
            "here": format!("0x{:x}", it.here),
        })
    };
    json!({ "moved": guesses.all.iter().map(guess).collect::<Vec<_>>(), "left": guesses.left, "used": guesses.used })
}

/// Bytes that submitted work wrote, and bytes that it may have written, of which no record shows what they held.
pub(crate) fn uncompared_bytes(report: &Report) -> (u64, u64) {
    let sum = |(bytes, perhaps), it: &Uncompared| (bytes + it.bytes, perhaps + it.perhaps.unwrap_or(0));
    report.uncompared.iter().fold((0, 0), sum)
}

/// What the program mapped too early for a comparison, on one line; `None` where there is none.
pub(crate) fn early_line(report: &Report) -> Option<String> {
    let bytes = output::bytes(report.early_bytes);
    (report.early_bytes > 0).then(|| {
        format!("{bytes} not compared: the program mapped them before a fence said that the GPU had written them")
    })
}

/// [`uncompared_bytes`] on one line; `None` where records show everything.
pub(crate) fn uncompared_line(report: &Report) -> Option<String> {
    let (bytes, perhaps) = uncompared_bytes(report);
    let textures = report.uncompared.iter().filter(|it| it.perhaps.is_none()).count() as u64;
    let perhaps = (perhaps > 0).then(|| format!("{} that it may have written", output::bytes(perhaps)));
    let textures = (textures > 0).then(|| output::plural(textures, "texture"));
    let also: Vec<String> = perhaps.into_iter().chain(textures).collect();
    let also = if also.is_empty() { String::new() } else { format!(", and {}", also.join(" and ")) };
    let line = || {
        format!("not compared, because no record shows it: {} that submitted work wrote{also}", output::bytes(bytes))
    };
    (!report.uncompared.is_empty()).then(line)
}

/// The same of each memory.
pub(crate) fn uncompared(report: &Report) -> Value {
    let each = |it: &Uncompared| json!({ "object": it.object, "bytes": it.bytes, "perhaps_bytes": it.perhaps });
    report.uncompared.iter().take(Report::MAX_DIFFERENCES).map(each).collect()
}

/// Members of the report's object: runtime and device, differences, concessions, heaps that were laid out anew.
pub(crate) fn as_json(report: &Report) -> [(&'static str, Value); 21] {
    let difference = |difference: &Difference| {
        let (place, change) = (&difference.place, difference.change.as_ref());
        json!({
            "call": place.call,
            "frame": place.frame,
            "method": place.method.to_string(),
            "what": difference.what,
            "field": change.map(|change| &change.field),
            "recorded": change.map(|change| &change.recorded),
            "replayed": change.map(|change| &change.here),
            "asked": difference.asked,
            "count": difference.count,
        })
    };
    let concession = |concession: &Concession| {
        let (place, change) = (&concession.place, &concession.change);
        json!({
            "call": place.call,
            "frame": place.frame,
            "method": place.method.to_string(),
            "field": change.field,
            "asked": change.recorded,
            "given": change.here,
            "count": concession.count,
        })
    };
    let answer = |answer: &Answer| {
        let (place, change) = (&answer.place, &answer.change);
        json!({
            "call": place.call,
            "frame": place.frame,
            "method": place.method.to_string(),
            "asked": change.field,
            "recorded": change.recorded,
            "replayed": change.here,
            "count": answer.count,
        })
    };
    let stale = |stale: &Stale| {
        let place = &stale.place;
        json!({
            "call": place.call,
            "frame": place.frame,
            "method": place.method.to_string(),
            "missing": stale.missing.name(),
            "what": stale.what,
            "instead": stale.stead.name(),
            "count": stale.count,
        })
    };
    let replanned = &report.replanned;
    let addresses = |it: &Addresses| {
        json!({
            "recorded": it.recorded,
            "elsewhere": it.elsewhere,
            "buffers_recorded": it.buffers_recorded,
            "buffers_elsewhere": it.buffers_elsewhere,
        })
    };
    [
        ("addresses", report.addresses.as_ref().map(addresses).into()),
        ("translated", report.translated.into()),
        ("recorded_on", machine(&report.recorded_on)),
        ("replayed_on", report.replayed_on.as_ref().map(machine).into()),
        ("refused", report.refused.into()),
        ("difference_count", report.difference_count.into()),
        ("differences", report.differences.iter().map(difference).collect()),
        ("answered_otherwise", report.answers.iter().map(answer).collect()),
        ("stale", report.stale.iter().map(stale).collect()),
        ("stale_count", report.stale_count.into()),
        ("asked_for_less", report.concessions.iter().map(concession).collect()),
        (
            "replanned",
            json!({
                "heaps": replanned.heaps,
                "resources": replanned.resources,
                "recorded_bytes": replanned.recorded_bytes,
                "bytes": replanned.bytes,
                "parted": replanned.parted,
            }),
        ),
        ("guesses", report.guesses.as_ref().map_or(Value::Null, guesses)),
        ("moved_tables", report.moved_tables.into()),
        ("other_identifiers", report.other_identifiers.into()),
        ("moved_instances", report.moved_instances.into()),
        ("moved_commands", report.moved_commands.into()),
        ("early_bytes", report.early_bytes.into()),
        ("uncompared_bytes", uncompared_bytes(report).0.into()),
        ("uncompared", uncompared(report)),
        ("moved_structures", json!({ "count": report.moved_structures.count, "bytes": report.moved_structures.bytes })),
    ]
}
