//! `fence-unreached`, `fence-backwards`: waits that end, and values that rise.

use crate::queues::{Operation, Stuck};
use crate::rule::{Rule, Severity};
use crate::scene::{Place, Said, Scene};

pub(crate) static UNREACHED: Rule = Rule {
    name: "fence-unreached",
    says: "a value that a queue waits for is reached by a signal of another queue or of the program",
    source: "ID3D12CommandQueue::Wait; Multi-engine synchronization",
};

pub(crate) static BACKWARDS: Rule = Rule {
    name: "fence-backwards",
    says: "the values that queues signal a fence with rise",
    source: "Multi-engine synchronization, \"Fences\"; ID3D12CommandQueue::Signal",
};

/// A wait that nothing has ended when the trace does.
pub(crate) fn stuck(scene: &mut Scene<'_>, stuck: &Stuck) {
    let Operation { fence, value, call } = stuck.wait;
    let place = Place { call, ..Place::default() };
    let severity = if stuck.certain { Severity::Error } else { Severity::Likely };
    scene.say(Said::error(&UNREACHED, place, fence).with(severity), (stuck.queue, value), |scene| {
        let queue = scene.text(stuck.queue);
        match stuck.behind {
            Some((other, signal)) if other == stuck.queue => (
                format!(
                    "queue {queue} waits for {value}, which only its own signal behind this wait would reach: it never goes on"
                ),
                vec![(signal.call, "the signal that it never gets to".to_owned())],
            ),
            Some((other, signal)) => (
                format!(
                    "queue {queue} waits for {value}, which queue {} would signal behind a wait of its own that nothing ends: neither goes on",
                    scene.text(other)
                ),
                vec![(signal.call, "the signal that it never gets to".to_owned())],
            ),
            None => (
                format!(
                    "queue {queue} waits for {value}, which no signal of the recording reaches, neither a queue's nor the program's; what comes behind on that queue never runs"
                ),
                Vec::new(),
            ),
        }
    });
}

/// A signal with a lower value.
pub(crate) fn backwards(scene: &mut Scene<'_>, queue: u32, signal: Operation, from: u64, by: u64) {
    let place = Place { call: signal.call, ..Place::default() };
    scene.say(Said::error(&BACKWARDS, place, signal.fence).with(Severity::Likely), queue, |scene| {
        let text = format!(
            "queue {} signals {} after the fence had reached {from}: waits for values between may go on too early or never",
            scene.text(queue),
            signal.value
        );
        (text, vec![(by, format!("signalled {from}"))])
    });
}
