//! Whether a pixel shader asks for the tests of depth and stencil before it runs (`[earlydepthstencil]`).
//!
//! What such a shader discards has been tested, and on some devices been counted, before it is discarded.

use crate::source::Module;
use crate::{Container, Malformed, Tag};

/// Whether the shader of a container asks for early tests.
///
/// DXIL says so in the flags among the properties of its entry (DXIL.rst, "Shader Flags"); older shaders in the flags that they declare
/// (`D3D11_SB_GLOBAL_FLAG_FORCE_EARLY_DEPTH_STENCIL`).
///
/// # Errors
/// It cannot be read.
pub fn tests_early(container: &[u8]) -> Result<bool, Malformed> {
    let container = Container::parse(container)?;
    if let Some(part) = container.part(Tag::DXIL) {
        let module = Module::of(&part)?;
        let flags = module.named_nodes("dx.entryPoints").flatten().find_map(|entry| flags(&module, entry));
        return Ok(flags.is_some_and(|flags| flags & FORCED_IN_DXIL != 0));
    }
    let part = [Tag::SHEX, Tag::SHDR].into_iter().find_map(|tag| container.part(tag));
    Ok(part.is_some_and(|part| declares(part.data)))
}

const FORCED_IN_DXIL: i64 = 1 << 3;

/// The flags of an entry: the value behind the tag 0 of its properties.
fn flags(module: &Module, entry: &[u64]) -> Option<i64> {
    const PROPERTIES: usize = 4;
    const FLAGS: i64 = 0;
    let properties = module.node(*entry.get(PROPERTIES)?)?;
    let pairs = properties.as_chunks::<2>().0;
    let [_, value] = pairs.iter().find(|[tag, _]| module.integer(*tag) == Some(FLAGS))?;
    module.integer(*value)
}

/// Whether a declaration of shader models 4 and 5 asks for it.
fn declares(data: &[u8]) -> bool {
    const GLOBAL_FLAGS: u32 = 0x6a;
    const FORCED: u32 = 1 << 13;
    const HEADER: usize = 2;
    let word = |at: usize| data.get(4 * at..).and_then(|rest| rest.first_chunk()).map(|word| u32::from_le_bytes(*word));
    // Declarations stand before all else, and the flags first among them.
    word(HEADER).is_some_and(|token| token & 0x7ff == GLOBAL_FLAGS && token & FORCED != 0)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// The shaders of the program `outputs`, of which one asks for it; both forms.
    #[test]
    fn one_of_several_shaders_asks_for_it() {
        macro_rules! asks {
            ($name:literal) => {
                [
                    tests_early(include_bytes!(concat!("../../programs/shaders/outputs.", $name, ".dxil"))).unwrap(),
                    tests_early(include_bytes!(concat!("../../programs/shaders/outputs.", $name, ".dxbc"))).unwrap(),
                ]
            };
        }
        assert_eq!(asks!("early"), [true, true]);
        for others in [asks!("holes"), asks!("depths"), asks!("two"), asks!("coverage"), asks!("samples")] {
            assert_eq!(others, [false, false]);
        }
        assert!(tests_early(b"DXBC").is_err());
    }
}
