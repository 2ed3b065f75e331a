//! Where the translated shader has the words of a signature's rows.

use reprise_dxbc::signature::Element;
use reprise_interpreter::{BuiltIn, Port};

/// `D3D_NAME`s.
const POSITION: u32 = 1;
const CLIP_DISTANCE: u32 = 2;
const CULL_DISTANCE: u32 = 3;
const TARGET_INDEX: u32 = 4;
const VIEWPORT_INDEX: u32 = 5;
const PRIMITIVE_ID: u32 = 7;

/// Where the words of rows of a signature are: those of the row, in order. Clip and cull distances are counted over all rows.
pub(crate) fn ports(rows: &[Element]) -> Vec<Vec<Port>> {
    let (mut clip, mut cull) = (0, 0);
    let mut all = Vec::new();
    for row in rows {
        let components = (0..4u32).filter(|component| row.mask >> component & 1 != 0);
        let distance = |built_in: BuiltIn, next: &mut u32| {
            *next += 1;
            Port::BuiltIn(built_in as u32, *next - 1)
        };
        all.push(
            components
                .map(|component| match row.system_value {
                    POSITION => Port::BuiltIn(BuiltIn::Position as u32, component),
                    CLIP_DISTANCE => distance(BuiltIn::ClipDistance, &mut clip),
                    CULL_DISTANCE => distance(BuiltIn::CullDistance, &mut cull),
                    TARGET_INDEX => Port::BuiltIn(BuiltIn::Layer as u32, 0),
                    VIEWPORT_INDEX => Port::BuiltIn(BuiltIn::ViewportIndex as u32, 0),
                    PRIMITIVE_ID => Port::BuiltIn(BuiltIn::PrimitiveId as u32, 0),
                    _ => Port::Location { location: row.register, component, source: 0 },
                })
                .collect(),
        );
    }
    all
}
