//! SPIR-V of a shader by itself: without a root signature, each class and space of registers has a table of its own.

use anyhow::anyhow;
use reprise_dxbc::{Container, Program};
use reprise_shader::{Binding, Class, Heaps, Interface, Link, Place, Slot, Stage, Target};

/// The words of a shader as SPIR-V.
///
/// # Errors
/// What the translator says.
pub(super) fn of(shader: &[u8]) -> anyhow::Result<Vec<u32>> {
    let module = reprise_shader::translate(shader, stage(shader)?, &interface(), &Link::default(), &Target::default())?;
    Ok(module.words)
}

/// The stage that a container says it is for.
fn stage(shader: &[u8]) -> anyhow::Result<Stage> {
    let program = Program::of(&Container::parse(shader)?)?;
    let named = [
        ("vertex", Stage::Vertex),
        ("hull", Stage::Hull),
        ("domain", Stage::Domain),
        ("geometry", Stage::Geometry),
        ("pixel", Stage::Pixel),
        ("compute", Stage::Compute),
        ("amplification", Stage::Amplification),
        ("mesh", Stage::Mesh),
    ];
    let found = named.into_iter().find(|(name, _)| *name == program.stage);
    found
        .map(|(_, stage)| stage)
        .ok_or_else(|| anyhow!("our translator makes no SPIR-V of a {} shader by itself", program.stage))
}

/// Register spaces that the text tells apart.
const SPACES: u32 = 8;

/// Where registers lead without a root signature: each class and space into a table of its own, each kind of descriptor in a
/// binding of its own.
fn interface() -> Interface {
    let slot = |binding| Slot { set: 0, binding };
    let bindings = [Class::Srv, Class::Uav, Class::Cbv, Class::Sampler].into_iter().flat_map(|class| {
        (0..SPACES).map(move |space| {
            let place = Place::Table { word: class as u32 * SPACES + space, offset: 0 };
            Binding { class, space, register: 0, count: u32::MAX, visibility: 0, place }
        })
    });
    Interface {
        root_descriptors: 0,
        root_words: 4 * SPACES,
        overflow: None,
        bindings: bindings.collect(),
        heaps: Heaps {
            sampled_image: slot(0),
            storage_image: slot(1),
            uniform_texel: slot(2),
            storage_texel: slot(3),
            uniform_buffer: slot(4),
            storage_buffer: slot(5),
            sampler: slot(6),
            addresses: slot(7),
            offsets: slot(8),
            ..Heaps::default()
        },
        direct_resources: true,
        direct_samplers: true,
    }
}
