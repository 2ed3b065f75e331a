//! `split-barrier`: what a barrier begins, a barrier ends.

use crate::rule::Rule;
use crate::scene::{Place, Said, Scene};
use crate::states::legacy;
use crate::world::{Now, Standing};

pub(crate) static RULE: Rule = Rule {
    name: "split-barrier",
    says: "a barrier with BEGIN_ONLY has one with END_ONLY after it, of the same states, before the resource is used or released",
    source: "Using Resource Barriers, \"Split barriers\"",
};

/// A resource goes, or the trace ends, with a barrier that has begun: split barriers may stay open over submissions.
pub(crate) fn never_ended(scene: &mut Scene<'_>, resource: u32, standing: Standing) {
    let Now::Split { before, after } = standing.now else { return };
    let place = Place { call: standing.call, ..Place::default() };
    scene.say(Said::error(&RULE, place, resource), (before, after), |_| {
        let text = format!(
            "this begins a split barrier from {} to {}, and nothing ends it; record it again with END_ONLY where the new state is needed",
            legacy::name(before),
            legacy::name(after)
        );
        (text, Vec::new())
    });
}
