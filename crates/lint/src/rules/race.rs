//! `queue-race`: two queues use one resource, one of them writes, and nothing says which comes first.
//!
//! Only certain overlaps count: a subresource of a texture that is no simultaneous access texture, where any overlap is
//! forbidden, and buffers of which both uses name the bytes.

use crate::marks::{Last, Mark};
use crate::recording::Use;
use crate::rule::Rule;
use crate::scene::{Place, Said, Scene};
use crate::states::Kind;
use crate::subresource::Subresources;
use crate::world::{Running, Tracked};

pub(crate) static RULE: Rule = Rule {
    name: "queue-race",
    says: "where two queues use one resource and one of them writes, a fence or the program's own wait says which comes first",
    source: "Multi-engine synchronization, \"Accessing resources from multiple command queues\"",
};

/// Most uses of a submission that are compared.
const MOST: usize = 32;

/// A command uses a resource.
pub(crate) fn used(
    scene: &mut Scene<'_>,
    running: &Running<'_>,
    place: Place,
    resource: u32,
    tracked: &mut Tracked,
    it: &Use,
) {
    compare(scene, running, place, resource, tracked, it, it.access.words());
}

/// A transition changes how a texture lies.
pub(crate) fn moved(
    scene: &mut Scene<'_>,
    running: &Running<'_>,
    place: Place,
    resource: u32,
    tracked: &mut Tracked,
    it: &Use,
) {
    compare(scene, running, place, resource, tracked, it, "moved to another state");
}

fn compare(
    scene: &mut Scene<'_>,
    running: &Running<'_>,
    place: Place,
    resource: u32,
    tracked: &mut Tracked,
    it: &Use,
    what: &'static str,
) {
    let exact = it.bytes.is_some();
    let counts = match tracked.kind {
        Kind::Texture => true,
        Kind::Buffer | Kind::Upload | Kind::Readback => exact,
        Kind::Simultaneous | Kind::Structure => false,
    };
    if !counts {
        return;
    }
    let writes = it.access.writes();
    let count = tracked.shape.count();
    for (queue, last) in &tracked.marks {
        if *queue == running.queue || running.is_after((*queue, last.number)) {
            continue;
        }
        let Some(other) = last.uses.iter().find(|mark| (mark.writes || writes) && meets(mark, it, count)) else {
            continue;
        };
        let (queue, place_of_other, what_of_other) = (*queue, other.place, other.what);
        scene.say(Said::error(&RULE, place, resource).with(it.severity), (queue.min(running.queue), queue.max(running.queue)), |scene| {
            let text = format!(
                "queue {} uses it here ({what}), and queue {} in submission {} ({what_of_other}), with no fence between that says \
                 which comes first; signal a fence on one queue and wait for it on the other",
                scene.text(running.queue),
                scene.text(queue),
                place_of_other.submission.map_or(0, |(number, _)| number),
            );
            (text, vec![(place_of_other.call, "the other use".to_owned()), (place_of_other.submission.map_or(0, |(_, call)| call), "its submission".to_owned())])
        });
        break;
    }
    let last = tracked.marks.entry(running.queue).or_default();
    if last.number != running.number {
        *last = Last { number: running.number, uses: Vec::new() };
    }
    if last.uses.len() < MOST {
        let mark = Mark { place, subresources: it.subresources.clone(), bytes: it.bytes, writes, what };
        last.uses.push(mark);
    }
}

fn meets(mark: &Mark, it: &Use, count: u32) -> bool {
    if let (Some((one, bytes)), Some((other, others))) = (mark.bytes, it.bytes) {
        return one < other.saturating_add(others) && other < one.saturating_add(bytes);
    }
    match (&mark.subresources, &it.subresources) {
        (Subresources::All, _) | (_, Subresources::All) => true,
        (one, other) => {
            let mut met = false;
            one.each(count, |index| other.each(count, |own| met |= own == index));
            met
        }
    }
}
