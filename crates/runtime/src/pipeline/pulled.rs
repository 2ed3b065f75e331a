//! Pipelines whose shaders read in memory what the GPU alone knows.

use ash::vk;
use reprise_gpu::format::bits::places;
use reprise_gpu::format::{Encoding, Format};
use reprise_shader::pulled::{self, Number};
use reprise_shader::{Slot, Spirv};

use super::input::Input;
use crate::{Error, Result};

/// What shaders read in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// Root arguments.
    Roots,
    /// Vertices, too.
    Vertices,
    /// And indices: draws have none.
    Indices,
}

impl Reads {
    /// How many there are.
    pub(super) const COUNT: usize = 3;
}

/// Lets a vertex shader read what it takes in.
///
/// # Errors
/// When an attribute's format, or the shape of what the shader takes in, is not among those that shaders read.
pub(super) fn pull(mut spirv: Spirv, input: &Input, reads: Reads, block: Slot) -> Result<Spirv> {
    let attributes = input.attributes.iter().map(|attribute| {
        let per_instance = input
            .bindings
            .iter()
            .any(|binding| binding.binding == attribute.binding && binding.input_rate == vk::VertexInputRate::INSTANCE);
        let divisor = input.divisors.iter().find(|divisor| divisor.binding == attribute.binding);
        Some(pulled::Attribute {
            location: attribute.location,
            slot: attribute.binding,
            offset: attribute.offset,
            format: format(attribute.format)?,
            step: per_instance.then(|| divisor.map_or(1, |divisor| divisor.divisor)),
        })
    });
    let attributes: Option<Vec<_>> = attributes.collect();
    let attributes = attributes.ok_or(Error::Unsupported(
        "indirect vertex buffers with attributes of this format, without VK_EXT_device_generated_commands",
    ))?;
    let words = core::mem::take(&mut spirv.words);
    spirv.words = pulled::from_memory(words, &attributes, reads == Reads::Indices, block).map_err(|error| {
        reprise_log::debug(|| format!("a vertex shader: {error}"));
        Error::Unsupported("indirect vertex buffers of this vertex shader, without VK_EXT_device_generated_commands")
    })?;
    Ok(spirv)
}

fn format(format: vk::Format) -> Option<pulled::Format> {
    let number = match Format::of_vulkan(format)?.kind {
        Encoding::Float => Number::Float,
        Encoding::Unorm => Number::Unorm,
        Encoding::Snorm => Number::Snorm,
        Encoding::Uint => Number::Uint,
        Encoding::Sint => Number::Sint,
        Encoding::Typeless | Encoding::Srgb | Encoding::Depth | Encoding::Opaque => return None,
    };
    // Three components with one exponent are no numbers of their own.
    let (places, count) = places(format).filter(|_| format != vk::Format::E5B9G9R9_UFLOAT_PACK32)?;
    Some(pulled::Format { number, places, count })
}
