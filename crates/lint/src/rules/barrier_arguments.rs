//! `barrier-arguments`: a transition that no resource, list or moment could make right.

use crate::recording::Transition;
use crate::rule::Rule;
use crate::scene::{Place, Said, Scene};
use crate::states::{Kind, legacy};
use crate::world::Tracked;

pub(crate) static RULE: Rule = Rule {
    name: "barrier-arguments",
    says: "a transition names two different states that exist, that the resource was made for, that its heap allows and that the list's \
           type knows",
    source: "D3D12_RESOURCE_TRANSITION_BARRIER; D3D12_RESOURCE_STATES; D3D12_RESOURCE_FLAGS; D3D12_HEAP_TYPE",
};

/// Looks at a transition when it is recorded, in a list of this `D3D12_COMMAND_LIST_TYPE`.
pub(crate) fn look(scene: &mut Scene<'_>, place: Place, list: u32, it: &Transition, tracked: Option<&Tracked>) {
    let Some(what) = wrong(list, it, tracked) else { return };
    scene.say(Said::error(&RULE, place, it.resource), (it.before, it.after, &what), |_| {
        let names = (legacy::name(it.before), legacy::name(it.after));
        (format!("from {} to {}: {what}", names.0, names.1), Vec::new())
    });
}

fn wrong(list: u32, it: &Transition, tracked: Option<&Tracked>) -> Option<String> {
    if it.before == it.after {
        return Some("both states are the same".to_owned());
    }
    for state in [it.before, it.after] {
        if legacy::malformed(state) {
            return Some(format!("{} holds a state that writes beside another state", legacy::name(state)));
        }
    }
    // Queues of copies know COPY_DEST and COPY_SOURCE; those of compute none of the rasteriser's.
    let unknown = match list {
        3 => !0xc00,
        2 => 0x4 | 0x10 | 0x20 | 0x80 | 0x100 | 0x2 | 0x1000 | 0x2000,
        _ => 0,
    };
    for state in [it.before, it.after] {
        if state & unknown != 0 && list == 3 {
            return Some(format!("a copy list cannot name {}", legacy::name(state & unknown)));
        }
        if state & unknown & (0x4 | 0x10 | 0x20 | 0x80) != 0 && list == 2 && state != legacy::GENERIC_READ {
            return Some(format!("a compute list cannot name {}", legacy::name(state & unknown)));
        }
    }
    let tracked = tracked?;
    match tracked.kind {
        Kind::Upload => return Some("a resource of an upload heap stays in GENERIC_READ".to_owned()),
        Kind::Readback => return Some("a resource of a readback heap stays in COPY_DEST".to_owned()),
        Kind::Structure => return Some("memory of acceleration structures keeps its state".to_owned()),
        _ => {}
    }
    if it.index != u32::MAX && it.index >= tracked.shape.count() && !tracked.presented {
        return Some(format!("there is no subresource {}: it has {}", it.index, tracked.shape.count()));
    }
    const NEEDS: [(u32, u32, &str); 3] =
        [(0x4, 1, "ALLOW_RENDER_TARGET"), (0x10 | 0x20, 2, "ALLOW_DEPTH_STENCIL"), (0x8, 4, "ALLOW_UNORDERED_ACCESS")];
    for (states, flag, name) in NEEDS {
        if it.after & states != 0 && tracked.flags & flag == 0 && !tracked.presented && it.after != legacy::GENERIC_READ
        {
            return Some(format!("the resource was made without {name}"));
        }
    }
    None
}
