//! `state-before`: a transition names the state that the subresource is in.

use crate::recording::Transition;
use crate::rule::{Rule, Severity};
use crate::scene::{Place, Said, Scene};
use crate::states::{Kind, layout, legacy};
use crate::subresource::Shape;
use crate::world::{Now, Standing};

pub(crate) static RULE: Rule = Rule {
    name: "state-before",
    says: "a transition's StateBefore is the state that the subresource is in when the barrier runs",
    source: "ID3D12GraphicsCommandList::ResourceBarrier; Using Resource Barriers, \"Common state promotion\" and \"State decay to common\"",
};

/// A subresource that a transition finds in another state.
pub(crate) fn wrong(
    scene: &mut Scene<'_>,
    place: Place,
    it: &Transition,
    (kind, shape, index): (Kind, Shape, u32),
    standing: Standing,
) {
    let (now, legacy_state) = match standing.now {
        Now::Legacy(state) => (legacy::name(state.bits), Some(state)),
        Now::Layout(layout) => (format!("layout {}", layout::name(layout)), None),
        Now::Split { before, after } => {
            (format!("on the way from {} to {}", legacy::name(before), legacy::name(after)), None)
        }
        Now::Unknown => return,
    };
    // A use promoted it from common, and the barrier speaks of common: some documents' examples do so.
    let severity = match legacy_state {
        Some(state) if state.promoted && it.before == legacy::COMMON => {
            if kind != Kind::Texture {
                return;
            }
            Severity::Likely
        }
        _ => Severity::Error,
    };
    let said = Said::error(&RULE, place, it.resource).with(severity);
    scene.say(said, (it.before, it.after, &now), |_| {
        let decayed = legacy_state.is_some_and(|state| state.bits == legacy::COMMON) && standing.call < place.call;
        let promoted = legacy_state.is_some_and(|state| state.promoted);
        let how = match (promoted, decayed) {
            (true, _) => " (a use promoted it from COMMON)",
            (_, true) => " (as it was made or left, or decayed to at the end of a submission)",
            _ => "",
        };
        let text = format!(
            "{} is in {now}{how} when this barrier runs, which states {} before {}; state {now} as StateBefore, or bring it there first",
            shape.words(index),
            legacy::name(it.before),
            legacy::name(it.after),
        );
        (text, vec![(standing.call, format!("left it in {now}"))])
    });
}
