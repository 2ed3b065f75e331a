//! `table-heap`, `table-end`: descriptor tables lie in the heaps that are set, and end within them.

use crate::rule::Rule;
use crate::scene::{Place, Said, Scene};
use reprise_dxbc::root_signature::Kind;

pub(crate) static HEAP: Rule = Rule {
    name: "table-heap",
    says: "a descriptor table begins in a descriptor heap that is set on the list when it draws or dispatches",
    source: "ID3D12GraphicsCommandList::SetDescriptorHeaps; ID3D12GraphicsCommandList::SetGraphicsRootDescriptorTable",
};

pub(crate) static END: Rule = Rule {
    name: "table-end",
    says: "the descriptors of a table that shaders use lie within the descriptor heap",
    source: "Resource binding specification, \"Descriptor Tables\"; Root signature 1.1, \"Static and volatile flags\"",
};

/// A register as HLSL has it.
pub(crate) fn register(kind: Kind, number: u32, space: u32) -> String {
    let letter = match kind {
        Kind::Srv => 't',
        Kind::Uav => 'u',
        Kind::Cbv => 'b',
        Kind::Sampler => 's',
    };
    match space {
        0 => format!("{letter}{number}"),
        space => format!("{letter}{number}, space{space}"),
    }
}

/// A table in a heap that is not set; 0: in no heap at all.
pub(crate) fn heap(
    scene: &mut Scene<'_>,
    place: Place,
    heap: u32,
    parameter: u32,
    set: u64,
    heaps: Option<(&[u32], u64)>,
) {
    scene.say(Said::error(&HEAP, place, heap), parameter, |scene| {
        let list = |ids: &[u32]| ids.iter().map(|id| scene.text(*id)).collect::<Vec<_>>().join(", ");
        let are = match heaps {
            Some((ids, _)) if !ids.is_empty() => format!("the list has {} set", list(ids)),
            _ => "the list has no descriptor heap set".to_owned(),
        };
        let text = match heap {
            0 => format!("root parameter {parameter} is a table at a handle of no live descriptor heap"),
            heap => format!(
                "root parameter {parameter} is a table in descriptor heap {}, and {are}; call SetDescriptorHeaps with that heap before \
                 the table is set",
                scene.text(heap)
            ),
        };
        (text, vec![(set, "sets the table".to_owned()), (heaps.map_or(0, |(_, call)| call), "sets the heaps".to_owned())])
    });
}

/// A register that lies behind the heap's end.
pub(crate) fn end(
    scene: &mut Scene<'_>,
    place: Place,
    (heap, count): (u32, u32),
    (kind, number, space): (Kind, u32, u32),
    (parameter, index, set): (u32, u64, u64),
) {
    scene.say(Said::error(&END, place, heap), (parameter, number, space), |_| {
        let text = format!(
            "the shaders use {}, which root parameter {parameter} puts at slot {index}, and the heap has {count} descriptors; begin the table \
             earlier, or make the heap larger",
            register(kind, number, space)
        );
        (text, vec![(set, "sets the table".to_owned())])
    });
}
