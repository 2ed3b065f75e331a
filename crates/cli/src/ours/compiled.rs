//! A shader as SPIR-V for a debugger, by the binding model of the runtime: root arguments in a block, descriptors by their index in
//! the bound heap.
//!
//! Unlike on a device, each kind of descriptor has an array of its own, so that it is known as what a shader uses it, and views begin where
//! the program says, so that no shader corrects them.

#[cfg(unix)]
use anyhow::bail;
#[cfg(unix)]
use reprise_dxbc::{Container, Program, RootSignature};
#[cfg(unix)]
use reprise_runtime::root::layout::{self, PushLayout};
#[cfg(unix)]
use reprise_runtime::state_object::record;
#[cfg(unix)]
use reprise_shader::{Heaps, Interface, Link, Slot, Stage, Target, ViewInstances};

/// The constant that says which view instance a shader runs for.
#[cfg(unix)]
pub(crate) use reprise_shader::views::VIEW;
#[cfg(not(unix))]
pub(crate) const VIEW: u32 = 0;

/// Where the arrays of descriptors are: bindings of set [`Slots::HEAPS`].
pub(crate) struct Slots;

impl Slots {
    pub(crate) const HEAPS: u32 = 0;
    pub(crate) const SAMPLED_IMAGE: u32 = 0;
    pub(crate) const STORAGE_IMAGE: u32 = 1;
    pub(crate) const UNIFORM_TEXEL: u32 = 2;
    pub(crate) const STORAGE_TEXEL: u32 = 3;
    pub(crate) const UNIFORM_BUFFER: u32 = 4;
    pub(crate) const STORAGE_BUFFER: u32 = 5;
    pub(crate) const SAMPLER: u32 = 6;
    pub(crate) const ADDRESSES: u32 = 7;
    #[cfg(unix)]
    const OFFSETS: u32 = 8;
    /// The set of static samplers: binding `n` is the n-th.
    pub(crate) const STATIC_SAMPLERS: u32 = 1;
    /// The same of local root signatures, those of each behind those of others.
    pub(crate) const LOCAL_SAMPLERS: u32 = 2;
    /// How far handles of tables in records are shifted: they count bytes.
    pub(crate) const HANDLE_SHIFT: u32 = 6;
}

/// Where the argument of a root parameter lies in the block, in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(unix), allow(dead_code, reason = "a build without the translator makes none"))]
pub(crate) enum Argument {
    /// An address, of two words.
    Address(u32),
    /// Constants: the first word, and how many.
    Constants(u32, u32),
    /// The index of a table in the bound heap.
    Table(u32),
    /// Nothing.
    Empty,
}

/// A shader.
#[derive(Clone, Debug)]
pub(crate) struct Compiled {
    /// SPIR-V.
    pub(crate) words: Vec<u32>,
    /// By root parameter.
    pub(crate) arguments: Vec<Argument>,
    /// Words of the block of root arguments.
    pub(crate) root_words: u32,
    /// Of a mesh shader: where outputs of primitives are, by semantic and index.
    pub(crate) of_primitives: Vec<(String, u32, u32)>,
    /// Of a hull shader: what its domain shader is linked by.
    pub(crate) patch_location_offset: u32,
}

/// What a shader is translated for, beside its root signature.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(not(unix), allow(dead_code, reason = "a build without the translator reads none"))]
pub(crate) struct Linked {
    /// Samples of the targets of a pixel shader; 0 says nothing.
    pub(crate) samples: u32,
    /// Of a domain shader: that of its hull shader.
    pub(crate) patch_location_offset: u32,
}

/// # Errors
/// It is of a stage that is not run here, or what the translator says.
#[cfg(unix)]
pub(crate) fn compile(shader: &[u8], signature: &RootSignature, linked: Linked) -> anyhow::Result<Compiled> {
    let program = Program::of(&Container::parse(shader)?)?;
    let stage = match program.stage {
        "compute" => Stage::Compute,
        "vertex" => Stage::Vertex,
        "pixel" => Stage::Pixel,
        "mesh" => Stage::Mesh,
        "amplification" => Stage::Amplification,
        "geometry" => Stage::Geometry,
        "hull" => Stage::Hull,
        "domain" => Stage::Domain,
        other => bail!("a {other} shader is not supported yet"),
    };
    // As they are, and not by operations of quads, whose results are not open as those of derivatives are.
    let compute_derivatives = matches!(stage, Stage::Mesh | Stage::Amplification);
    let target = Target { compute_derivatives, ..target() };
    let (push, interface) = interface(signature);
    // The view instance is a constant, which is 0 where nobody gives it another value.
    let views = (stage != Stage::Compute).then_some(ViewInstances { last: false, viewports: false });
    let patch_location_offset = linked.patch_location_offset;
    let mut link = Link { views, patch_location_offset, ..Link::default() };
    if stage == Stage::Pixel {
        link.samples = linked.samples;
    }
    if stage == Stage::Mesh {
        link.varyings = reprise_runtime::pipeline::mesh_varyings(shader)?;
    }
    let module = reprise_shader::translate_marked(shader, stage, &interface, &link, &target)?;
    let of_primitives = link.varyings.into_iter().filter(|varying| varying.primitive);
    let of_primitives = of_primitives.map(|it| (it.semantic, it.index, it.location)).collect();
    let patch_location_offset = module.patch_location_offset;
    Ok(Compiled { words: module.words, of_primitives, patch_location_offset, ..Compiled::of(&push) })
}

#[cfg(unix)]
impl Compiled {
    fn of(push: &PushLayout) -> Compiled {
        let arguments = push.arguments.iter().map(|argument| match *argument {
            layout::Argument::Address { word, .. } => Argument::Address(word),
            layout::Argument::Constants { word, count } => Argument::Constants(word, count),
            layout::Argument::Table { word, .. } => Argument::Table(word),
            layout::Argument::Empty => Argument::Empty,
        });
        Compiled {
            words: Vec::new(),
            arguments: arguments.collect(),
            root_words: push.words,
            of_primitives: Vec::new(),
            patch_location_offset: 0,
        }
    }
}

/// Where root arguments lie for shaders of rays, which [`compile_ray`] makes one by one: without code.
///
/// # Errors
/// Never here.
#[cfg(unix)]
pub(crate) fn compile_roots(signature: &RootSignature) -> anyhow::Result<Compiled> {
    Ok(Compiled::of(&PushLayout::new(signature)))
}

/// A shader of rays, of a library, with the root signature of its records, and the binding of that one's first static sampler.
///
/// # Errors
/// What the translator says.
#[cfg(unix)]
pub(crate) fn compile_ray(
    library: &[u8],
    (stage, entry): (Stage, &str),
    global: &RootSignature,
    local: Option<(&RootSignature, u32)>,
) -> anyhow::Result<Vec<u32>> {
    let (_, interface) = interface(global);
    let local = local.map(|(local, first)| reprise_shader::Local {
        resource_size_log2: Slots::HANDLE_SHIFT,
        sampler_size_log2: Slots::HANDLE_SHIFT,
        ..record::local(local, Slots::LOCAL_SAMPLERS, first)
    });
    let link = Link { entry: Some(entry.to_owned()), local, ..Link::default() };
    Ok(reprise_shader::translate_marked(library, stage, &interface, &link, &target())?.words)
}

/// What registers mean.
#[cfg(unix)]
fn interface(signature: &RootSignature) -> (PushLayout, Interface) {
    let slot = |binding| Slot { set: Slots::HEAPS, binding };
    let heaps = Heaps {
        sampled_image: slot(Slots::SAMPLED_IMAGE),
        storage_image: slot(Slots::STORAGE_IMAGE),
        uniform_texel: slot(Slots::UNIFORM_TEXEL),
        storage_texel: slot(Slots::STORAGE_TEXEL),
        uniform_buffer: slot(Slots::UNIFORM_BUFFER),
        storage_buffer: slot(Slots::STORAGE_BUFFER),
        sampler: slot(Slots::SAMPLER),
        addresses: slot(Slots::ADDRESSES),
        offsets: slot(Slots::OFFSETS),
        ..Heaps::default()
    };
    let push = PushLayout::new(signature);
    let interface = layout::interface(signature, &push, heaps, Slots::STATIC_SAMPLERS, None);
    (push, interface)
}

#[cfg(unix)]
fn target() -> Target {
    Target {
        storage_alignment: 1,
        typed_offsets: false,
        read_without_format: true,
        denorm_16: true,
        denorm_64: true,
        barycentrics: true,
        ..Target::default()
    }
}
