//! `state-use`: a subresource is in a state or a layout that allows what the command does with it.

use super::layout::USE;
use crate::rule::{Rule, Severity};
use crate::scene::{Place, Said, Scene};
use crate::states::{Access, Kind, layout, legacy};
use crate::subresource::Shape;
use crate::world::{Now, Standing};

pub(crate) static RULE: Rule = Rule {
    name: "state-use",
    says: "a resource is used only in a state that allows the use, which a barrier brought it to or a use may promote it to",
    source: "D3D12_RESOURCE_STATES; Using Resource Barriers, \"Resource states\" and \"Common state promotion\"",
};

/// A subresource that a use finds in a state that does not allow it.
pub(crate) fn wrong(
    scene: &mut Scene<'_>,
    place: Place,
    resource: u32,
    (kind, shape, index): (Kind, Shape, u32),
    standing: Standing,
    access: Access,
    severity: Severity,
) {
    let what = access.words();
    let subresource = shape.words(index);
    match standing.now {
        Now::Unknown => {}
        Now::Layout(now) => {
            let now = layout::name(now);
            scene.say(Said::error(&USE, place, resource).with(severity), (access, &now), |_| {
                let text = format!(
                    "{subresource} is used as {what} in layout {now}, which does not allow that; put a barrier to a layout that \
                     does before this call"
                );
                (text, vec![(standing.call, format!("left it in layout {now}"))])
            });
        }
        Now::Split { before, after } => {
            scene.say(Said::error(&RULE, place, resource).with(severity), (access, before, after), |_| {
                let text = format!(
                    "{subresource} is used as {what} between the two halves of a split barrier from {} to {}; end the barrier \
                     first",
                    legacy::name(before),
                    legacy::name(after)
                );
                (text, vec![(standing.call, "began the split barrier".to_owned())])
            });
        }
        Now::Legacy(state) => {
            let now = legacy::name(state.bits);
            scene.say(Said::error(&RULE, place, resource).with(severity), (access, state.bits), |_| {
                let need = legacy::name(access.state());
                let advice = match kind {
                    Kind::Upload => "resources of upload heaps stay in GENERIC_READ: use another heap".to_owned(),
                    Kind::Readback => "resources of readback heaps stay in COPY_DEST: use another heap".to_owned(),
                    _ if state.promoted => format!(
                        "an earlier use in this submission promoted it to {now}: put a barrier from {now} to {need} before this call"
                    ),
                    _ => format!("put a barrier from {now} to {need} before this call"),
                };
                let text = format!("{subresource} is used as {what}, which needs {need}, and is in {now}; {advice}");
                (text, vec![(standing.call, format!("left it in {now}"))])
            });
        }
    }
}
