//! Input layouts as Vulkan's vertex input: elements find their attribute by semantic, in the vertex shader's signature.

use ash::vk;
use reprise_d3d12::types::{D3D12_INPUT_ELEMENT_DESC, D3D12_INPUT_LAYOUT_DESC};
use reprise_dxbc::signature::{self, Element};
use reprise_dxbc::{Container, Tag};

use crate::device::Device;
use crate::{Error, Result};
use reprise_gpu::format::{Format, bits, caps};

/// `D3D12_APPEND_ALIGNED_ELEMENT`.
const APPEND: u32 = u32::MAX;
/// Vertex buffer slots.
const SLOTS: usize = 32;
/// The last value of `D3D_NAME` that comes from a vertex buffer: a position. Those behind (vertex and instance number) are
/// made on the way.
const LAST_FED: u32 = 1;

/// An element of an input layout, with a name that can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Attribute {
    pub(super) semantic: String,
    pub(super) index: u32,
    /// Vulkan's format, and its size in bytes.
    pub(super) format: (vk::Format, u32),
    pub(super) slot: u32,
    pub(super) offset: u32,
    /// `None` steps per vertex, `Some` per that many instances.
    pub(super) step: Option<u32>,
}

/// Vulkan's vertex input.
#[derive(Clone, Debug, Default)]
pub(super) struct Input {
    pub(super) attributes: Vec<vk::VertexInputAttributeDescription>,
    pub(super) bindings: Vec<vk::VertexInputBindingDescription>,
    pub(super) divisors: Vec<vk::VertexInputBindingDivisorDescriptionEXT>,
    /// Slots that are read, one bit each.
    pub(super) slots: u32,
    /// By slot: bytes that vertices must begin at multiples of where the device wants components in their places, less one.
    pub(super) masks: [u8; SLOTS],
}

/// Reads an input layout.
///
/// # Safety
/// The layout and its semantic names are readable.
///
/// # Errors
/// When a slot, a format or a name is not allowed.
pub(super) unsafe fn read(device: &Device, layout: &D3D12_INPUT_LAYOUT_DESC) -> Result<Vec<Attribute>> {
    if layout.NumElements == 0 {
        return Ok(Vec::new());
    }
    if layout.pInputElementDescs.is_null() {
        return Err(Error::Invalid("an input layout without its elements"));
    }
    // SAFETY: the caller promises: the layout and its semantic names are readable.
    let elements = unsafe { core::slice::from_raw_parts(layout.pInputElementDescs, layout.NumElements as usize) };
    elements
        .iter()
        .map(|element| {
            let D3D12_INPUT_ELEMENT_DESC { SemanticName: name, InputSlot: slot, Format: format, .. } = *element;
            if name.is_null() {
                return Err(Error::Invalid("an input element without a semantic"));
            }
            if slot as usize >= SLOTS {
                return Err(Error::Invalid("an input element's slot is beyond 31"));
            }
            let format = Format::get(format).ok_or(Error::Invalid("an input element's format is none of the API's"))?;
            let vk = caps::vulkan(device, format).ok_or(Error::Unsupported("the format of an input element"))?;
            let buffer = caps::features(device, vk).buffer_features;
            if !buffer.contains(vk::FormatFeatureFlags::VERTEX_BUFFER) {
                return Err(Error::Invalid("the device cannot read vertices of an input element's format"));
            }
            Ok(Attribute {
                // SAFETY: the caller promises: the layout and its semantic names are readable; a string that ends with zero.
                semantic: unsafe { core::ffi::CStr::from_ptr(name.cast()) }.to_string_lossy().into_owned(),
                index: element.SemanticIndex,
                format: (vk, format.block_bytes.into()),
                slot,
                offset: element.AlignedByteOffset,
                step: (element.InputSlotClass.0 == 1).then_some(element.InstanceDataStepRate),
            })
        })
        .collect()
}

/// The rows that a shader takes in.
///
/// # Errors
/// When the container or its signature is malformed.
pub(super) fn inputs(blob: &[u8]) -> Result<Vec<Element>> {
    rows(&Container::parse(blob).map_err(malformed)?, &[*b"ISG1", *b"ISGN"])
}

/// The render targets that a pixel shader writes, one bit each.
///
/// # Errors
/// As [`inputs`].
pub(super) fn written_targets(blob: &[u8]) -> Result<u32> {
    let rows = rows(&Container::parse(blob).map_err(malformed)?, &[*b"OSG1", *b"OSGN"])?;
    let targets = rows.iter().filter(|row| row.semantic.eq_ignore_ascii_case("SV_Target"));
    Ok(targets.fold(0, |bits, row| bits | 1u32.checked_shl(row.index).unwrap_or(0)))
}

/// The rows of the first of these parts that is there.
///
/// # Errors
/// When it is malformed.
pub(super) fn rows(container: &Container<'_>, tags: &[[u8; 4]]) -> Result<Vec<Element>> {
    match tags.iter().find_map(|tag| container.part(Tag(*tag))) {
        Some(part) => signature::parse(&part).map_err(malformed),
        None => Ok(Vec::new()),
    }
}

/// Bytes of a component of a format; of the whole where components share bytes.
fn component_bytes((format, bytes): (vk::Format, u32)) -> u32 {
    match bits::lowest(format) {
        Some(bits) if bits.is_multiple_of(8) => bits / 8,
        _ => bytes,
    }
}

fn malformed(_: reprise_dxbc::Malformed) -> Error {
    Error::Invalid("a signature in a shader's container is malformed")
}

/// Connects attributes with what the shader takes in. An attribute that no row asks for is not read, a row without an
/// attribute is an error.
///
/// # Errors
/// As above, and when a slot steps both per vertex and per instance.
pub(super) fn connect(attributes: &[Attribute], rows: &[Element]) -> Result<Input> {
    let mut input = Input::default();
    let mut ends = [0u32; SLOTS];
    let mut steps = [None; SLOTS];
    let mut found = vec![false; rows.len()];
    for attribute in attributes {
        let slot = attribute.slot as usize;
        let offset = match attribute.offset {
            APPEND => ends[slot].next_multiple_of(attribute.format.1.clamp(1, 4)),
            offset => offset,
        };
        ends[slot] = offset.saturating_add(attribute.format.1);
        if *steps[slot].get_or_insert(attribute.step) != attribute.step {
            return Err(Error::Invalid("a vertex buffer slot steps in two ways"));
        }
        let row = rows
            .iter()
            .position(|row| row.index == attribute.index && row.semantic.eq_ignore_ascii_case(&attribute.semantic));
        let Some(row) = row else { continue };
        if core::mem::replace(&mut found[row], true) {
            return Err(Error::Invalid("two input elements have the same semantic"));
        }
        if input.slots & (1 << slot) == 0 {
            input.slots |= 1 << slot;
            let rate = match attribute.step {
                None => vk::VertexInputRate::VERTEX,
                Some(_) => vk::VertexInputRate::INSTANCE,
            };
            // The stride is dynamic.
            input.bindings.push(vk::VertexInputBindingDescription::default().binding(attribute.slot).input_rate(rate));
            if let Some(step) = attribute.step.filter(|step| *step != 1) {
                input
                    .divisors
                    .push(vk::VertexInputBindingDivisorDescriptionEXT::default().binding(attribute.slot).divisor(step));
            }
        }
        input.masks[slot] |= component_bytes(attribute.format).saturating_sub(1) as u8;
        input.attributes.push(
            vk::VertexInputAttributeDescription::default()
                .location(rows[row].register)
                .binding(attribute.slot)
                .format(attribute.format.0)
                .offset(offset),
        );
    }
    let missing = rows.iter().zip(&found).find(|(row, found)| !**found && row.system_value <= LAST_FED);
    if let Some((row, _)) = missing {
        reprise_log::debug(|| {
            format!("the vertex shader reads {}{}, the input layout has none", row.semantic, row.index)
        });
        return Err(Error::Invalid("the vertex shader reads a semantic that the input layout does not have"));
    }
    Ok(input)
}

#[cfg(test)]
mod tests;
