//! A diagnosis for people: what stopped, how far it was, what was bound, and which command says more. At most 40 lines where one queue
//! stopped.

use super::Told;
use crate::terminal::output::{Paint, painted, plural};
use reprise_replay::diagnosis::{Fault, Operation, QueueProgress, Recorded, Standing, State};
use reprise_view::state;
use std::path::Path;

/// Lines about what was bound.
const BOUND: usize = 14;
/// Operations of one list.
const OPERATIONS: usize = 9;
/// Characters of a call's line.
const WIDTH: usize = 150;

/// The lines of a report about the trace in this file.
pub(crate) fn lines(told: &Told, trace: &Path, colour: bool) -> Vec<String> {
    let mut text = Text { told, lines: Vec::new(), colour };
    text.head();
    let (stopped, others): (Vec<_>, Vec<_>) =
        told.diagnosis.queues.iter().partition(|queue| matches!(queue.at, Standing::Submission { .. }));
    stopped.iter().for_each(|queue| text.queue(queue));
    text.bound();
    others.iter().for_each(|queue| text.queue(queue));
    if let Some(fault) = &told.diagnosis.fault {
        text.fault(fault);
    }
    text.thread();
    text.certainty();
    text.next(trace);
    text.lines
}

struct Text<'t> {
    told: &'t Told,
    lines: Vec<String>,
    colour: bool,
}

impl Text<'_> {
    fn put(&mut self, name: &str, value: &str) {
        let gap = " ".repeat(10usize.saturating_sub(name.len()).max(1));
        self.lines.push(format!("{}{gap}{value}", painted(self.colour, Paint::Field, name)));
    }

    fn head(&mut self) {
        let diagnosis = &self.told.diagnosis;
        let what = match &diagnosis.removed {
            Some(reason) => format!("THE DEVICE WAS REMOVED ({reason})"),
            None => "THE GPU DOES NOT FINISH".to_owned(),
        };
        self.lines.push(painted(self.colour, Paint::Alarm, &what));
        self.put("because", &diagnosis.reason);
        self.put(if self.told.recorded { "recorded" } else { "played to" }, &diagnosis.place.to_string());
    }

    fn object(&self, id: u32) -> String {
        match self.told.objects.get(&id) {
            Some(object) => state::object_in_words(object),
            None => format!("object {id}"),
        }
    }

    /// A call's line, cut where it is long.
    fn call(&self, call: u64, method: Option<u16>) -> String {
        let line = self.told.call(call, method, false);
        let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
        match line.char_indices().nth(WIDTH) {
            Some((at, _)) => format!("{}…", &line[..at]),
            None => line,
        }
    }

    fn queue(&mut self, queue: &QueueProgress) {
        let done = format!("{} of {} done", queue.completed, plural(queue.submissions, "submission"));
        let name = self.object(queue.queue);
        match &queue.at {
            Standing::Idle => self.put("queue", &format!("{name}: idle, {done}")),
            Standing::Wait { call, fence, value, reached, signaller } => {
                let by = match signaller {
                    Some(signaller) => {
                        format!("queue {} is to signal it by call {}", signaller.queue, signaller.call)
                    }
                    None => "no queue that is at work is to signal it".to_owned(),
                };
                let fence = self.object(*fence);
                let line = format!(
                    "{name}: waits since call {call} for {fence} at {value}, its value is {reached}; {by}; {done}"
                );
                self.put("queue", &line);
            }
            Standing::Submission { call, lists } => {
                self.put("queue", &format!("{name}: {done}, is at the submission by call {call}"));
                for (index, list) in lists.iter().enumerate() {
                    self.list(list, (index + 1, lists.len()));
                }
            }
        }
    }

    fn list(&mut self, list: &Recorded, (index, count): (usize, usize)) {
        let state = match list.progress {
            None if list.operations == 0 => "has no operation".to_owned(),
            None => format!("{}, and no markers", plural(list.operations.into(), "operation")),
            Some(progress) if progress.completed >= list.operations => "completed".to_owned(),
            Some(progress) if progress.reached == 0 => "not begun".to_owned(),
            Some(progress) => format!(
                "{} of {} completed, {} begun",
                progress.completed,
                plural(list.operations.into(), "operation"),
                progress.reached - progress.completed
            ),
        };
        let calls =
            list.calls.map(|(first, last)| format!(", recorded by calls {first} to {last}")).unwrap_or_default();
        let line = format!("{}, {index} of {count}: {state}{calls}", self.object(list.list));
        self.put("list", &line);
        let is_at = list.progress.is_some_and(|at| at.completed < list.operations && at.reached > 0);
        if is_at {
            list.around.iter().take(OPERATIONS).for_each(|operation| self.operation(operation));
            if list.around.len() > OPERATIONS {
                self.lines.push(format!("  and {} more", list.around.len() - OPERATIONS));
            }
        }
    }

    fn operation(&mut self, operation: &Operation) {
        let (sign, words) = match operation.progress {
            State::Completed => ("[X]", ""),
            State::Begun => ("[>]", "  <== begun, not completed"),
            State::NotBegun => ("[ ]", ""),
        };
        let line = format!("  {sign} {}{words}", self.call(operation.call, Some(operation.method)));
        let line = if operation.progress == State::Begun { painted(self.colour, Paint::Alarm, &line) } else { line };
        self.lines.push(line);
    }

    fn bound(&mut self) {
        if let Some((call, report)) = &self.told.bound {
            self.lines.push(painted(self.colour, Paint::Field, &format!("bound at call {call}")));
            let bound = state::in_short(report, BOUND, self.colour);
            self.lines.extend(bound.into_iter().map(|line| format!("  {line}")));
        }
    }

    fn fault(&mut self, fault: &Fault) {
        let line = match fault.owner {
            None => "in no buffer that lives or was released".to_owned(),
            Some(owner) => {
                let name = self.object(owner.range.resource);
                let life = match owner.range.released {
                    None => "which lives".to_owned(),
                    Some(call) => format!("which call {call} released"),
                };
                format!("{name}+{:#x} of {:#x} bytes, {life}", owner.offset, owner.range.bytes)
            }
        };
        self.put("fault", &format!("at {:#x}: {line}", fault.address));
    }

    fn thread(&mut self) {
        for (index, &call) in self.told.thread.iter().enumerate() {
            let name = if index == 0 { "thread" } else { "" };
            let line = self.call(call, None);
            self.put(name, &line);
        }
    }

    fn certainty(&mut self) {
        let diagnosis = &self.told.diagnosis;
        if let Some(reason) = &diagnosis.unmarked {
            self.put("unsure", &format!("some recordings have no markers: {reason}"));
        }
        if self.told.recorded {
            if !diagnosis.suspects().is_empty() && !self.told.marked {
                let first = "breadcrumbs count what is completed: the first operation that is not counts as begun";
                self.put("unsure", &format!("{first}; later ones may have begun beside it"));
            }
        } else if let Some((first, last)) = diagnosis.serial {
            self.put(
                "serially",
                &format!("operations of calls {first} to {last} began once all before them were done"),
            );
        } else if diagnosis.suspects().len() > 1 {
            self.put(
                "unsure",
                "several operations are begun; --diagnose --sync plays again, one after another, until one is left",
            );
        }
        if let Some(reason) = &self.told.untold {
            self.put("unsure", &format!("the trace tells less than it could: {reason}"));
        }
    }

    fn next(&mut self, trace: &Path) {
        let trace = trace.display();
        if let Some((call, _)) = &self.told.bound {
            self.put("next", &format!("reprise state {trace} {call}"));
            self.put("", &format!("reprise replay --dump-draw {call} {trace}"));
        }
    }
}
