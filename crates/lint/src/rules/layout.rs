//! `layout-before`, `layout-use`, `barrier-scopes`: enhanced barriers.

use crate::recording::Enhanced;
use crate::rule::Rule;
use crate::scene::{Place, Said, Scene};
use crate::states::{Kind, layout, legacy};
use crate::subresource::{Shape, Subresources};
use crate::world::{Now, Standing};

pub(crate) static BEFORE: Rule = Rule {
    name: "layout-before",
    says: "a texture barrier's LayoutBefore is the layout that the subresource is in when the barrier runs, or UNDEFINED",
    source: "Enhanced barriers specification, \"Layout Transitions\" and \"Interop with legacy ResourceBarrier\"",
};

pub(crate) static USE: Rule = Rule {
    name: "layout-use",
    says: "a texture is used only in a layout that is compatible with the access",
    source: "Enhanced barriers specification, \"Layout Access Compatibility\" and \"COMMON Layout\"",
};

pub(crate) static SCOPES: Rule = Rule {
    name: "barrier-scopes",
    says: "each access of a barrier has a synchronisation scope that goes with it, and fits the layout on its side",
    source: "Enhanced barriers specification, \"Access Bits Barrier Sync Compatibility\" and \"Layout Access Compatibility\"",
};

/// The subresources of a barrier.
pub(crate) fn subresources(barrier: &Enhanced, shape: Shape) -> Subresources {
    let [mips, (first_slice, slices), (first_plane, planes)] = barrier.range;
    if mips.1 == 0 {
        return Subresources::of_index(mips.0);
    }
    shape.part(mips, (first_slice, slices.max(1)), (first_plane, planes.max(1)))
}

/// A subresource that a barrier finds in another layout.
pub(crate) fn wrong_before(
    scene: &mut Scene<'_>,
    place: Place,
    resource: u32,
    (shape, index): (Shape, u32),
    standing: Standing,
    before: u32,
) {
    let now = match standing.now {
        Now::Layout(layout) => format!("layout {}", layout::name(layout)),
        Now::Legacy(state) => format!("state {}, which a legacy barrier left it in", legacy::name(state.bits)),
        Now::Split { .. } | Now::Unknown => return,
    };
    scene.say(Said::error(&BEFORE, place, resource), (before, &now), |_| {
        let text = format!(
            "{} is in {now}, and this barrier states layout {} before; state the layout that it is in, or UNDEFINED where its contents do not matter",
            shape.words(index),
            layout::name(before)
        );
        (text, vec![(standing.call, format!("left it in {now}"))])
    });
}

/// The scopes and accesses of a barrier, and its layouts where it is one of a texture.
pub(crate) fn scopes(scene: &mut Scene<'_>, place: Place, kind: Kind, barrier: &Enhanced) {
    let Enhanced { resource, sync, access, layouts, .. } = *barrier;
    for (side, name) in ["Before", "After"].into_iter().enumerate() {
        let (sync, access) = (sync[side], access[side]);
        if let Some(bit) = layout::without_scope(sync, access) {
            scene.say(Said::error(&SCOPES, place, resource), (side, bit, sync), |_| {
                let bit = layout::access_name(bit);
                let text = format!("Access{name} has {bit}, which no scope of Sync{name} ({sync:#x}) goes with; name a scope that does it");
                (text, Vec::new())
            });
        }
        // An access without a scope is none.
        if sync == 0 && access != layout::NO_ACCESS && access != 0 {
            scene.say(Said::error(&SCOPES, place, resource), (side, "none"), |_| {
                let text = format!("Sync{name} is NONE, so Access{name} must be NO_ACCESS, and it is {access:#x}");
                (text, Vec::new())
            });
        }
        if let Some(layouts) = layouts
            && !layout::fits(kind, layouts[side], access, layouts == [layout::UNDEFINED; 2])
        {
            scene.say(Said::error(&SCOPES, place, resource), (side, layouts[side], access), |_| {
                let layout = layout::name(layouts[side]);
                (format!("Access{name} ({access:#x}) does not go with Layout{name}, which is {layout}"), Vec::new())
            });
        }
    }
}
