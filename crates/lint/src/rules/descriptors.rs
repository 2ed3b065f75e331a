//! `descriptor-unwritten`, `descriptor-type`, `descriptor-released`: what shaders find in tables is a view that fits and lives.
//!
//! The rules look only at single registers. A shader picks from an array, and only the GPU knows which descriptor it picks.

use super::tables::register;
use crate::recording::Table;
use crate::rule::{Rule, Severity};
use crate::scene::{Place, Said, Scene};
use reprise_dxbc::root_signature::Kind;
use reprise_timeline::state::descriptors::{Descriptor, ViewKind};

pub(crate) static UNWRITTEN: Rule = Rule {
    name: "descriptor-unwritten",
    says: "a descriptor that a shader uses was written before the list runs",
    source: "Resource binding specification, \"Descriptor validity\"; Creating descriptors, \"Null descriptors\"",
};

pub(crate) static TYPE: Rule = Rule {
    name: "descriptor-type",
    says: "a descriptor that a shader uses is of the type of its range",
    source: "D3D12_DESCRIPTOR_RANGE_TYPE; Resource binding specification",
};

pub(crate) static RELEASED: Rule = Rule {
    name: "descriptor-released",
    says: "the resource of a descriptor that a shader uses lives while the list runs",
    source: "Resource binding specification, \"Descriptor heaps\": descriptors hold no references",
};

/// Whether a view may lie in a range of this kind.
fn fits(kind: Kind, view: ViewKind) -> bool {
    match kind {
        Kind::Srv => view == ViewKind::Shader,
        Kind::Uav => matches!(view, ViewKind::Unordered | ViewKind::Feedback),
        Kind::Cbv => view == ViewKind::Constants,
        Kind::Sampler => matches!(view, ViewKind::Sampler | ViewKind::Sampler2),
    }
}

/// In words.
fn words(view: ViewKind) -> &'static str {
    match view {
        ViewKind::Constants => "a constant buffer view",
        ViewKind::Shader => "a shader resource view",
        ViewKind::Unordered => "an unordered access view",
        ViewKind::Feedback => "a view of sampler feedback",
        ViewKind::Target => "a render target view",
        ViewKind::Depth => "a depth-stencil view",
        ViewKind::Sampler | ViewKind::Sampler2 => "a sampler",
    }
}

/// What lies in a slot, if it fits: findings where nothing does, or something else.
pub(crate) fn look<'d>(
    scene: &mut Scene<'_>,
    place: Place,
    table: &Table,
    found: Option<&'d Descriptor>,
) -> Option<&'d Descriptor> {
    let name = register(table.kind, table.register, table.space);
    let slot = table.slot.index;
    let said = |rule| Said::error(rule, place, table.slot.heap).with(Severity::Likely);
    match found {
        None => {
            scene.say(said(&UNWRITTEN), (table.parameter, &name), |_| {
                let text = format!(
                    "the shaders use {name} (root parameter {}), which is slot {slot}, and nothing was ever written there; write a view, or a \
                     null descriptor",
                    table.parameter
                );
                (text, Vec::new())
            });
            None
        }
        Some(found) if !fits(table.kind, found.view.kind) => {
            scene.say(said(&TYPE), (table.parameter, &name), |_| {
                let text = format!(
                    "the shaders use {name} (root parameter {}), which is slot {slot}, and there is {} there",
                    table.parameter,
                    words(found.view.kind)
                );
                (text, vec![(found.call, "wrote it".to_owned())])
            });
            None
        }
        Some(found) => Some(found),
    }
}

/// A view of a resource that is gone; 0: of an address in no resource.
pub(crate) fn released(scene: &mut Scene<'_>, place: Place, table: &Table, found: &Descriptor, resource: u32) {
    let gone = scene.gone.get(&resource).map(|gone| gone.call);
    if resource != 0 && gone.is_none() {
        // Nothing is known of it: it may be none of this recording's.
        return;
    }
    let name = register(table.kind, table.register, table.space);
    scene.say(Said::error(&RELEASED, place, resource).with(Severity::Likely), (table.slot.heap, &name), |scene| {
        let slot = table.slot.index;
        let heap = scene.text(table.slot.heap);
        let what = if resource == 0 { "an address in no live resource" } else { "it, after its release" };
        let text = format!(
            "the shaders use {name} (root parameter {}), which is slot {slot} of heap {heap} and names {what}; write another view there \
             before the list runs",
            table.parameter
        );
        (text, vec![(found.call, "wrote the view".to_owned()), (gone.unwrap_or(0), "released the resource".to_owned())])
    });
}
