//! The name of the entry point of DXIL that is one shader.
//!
//! Older containers know it in their code alone; the validator of newer ones writes it for runtimes, too ([`crate::Validation::entry`]).

use crate::source::Module;
use crate::{Container, Malformed, Tag};

/// The name as in HLSL; `None` where the container is no DXIL, or has no entry point or several.
///
/// # Errors
/// It cannot be read.
pub fn entry(container: &[u8]) -> Result<Option<String>, Malformed> {
    /// Of a node of `dx.entryPoints` (DXIL.rst, "Entry Points and Shader Properties").
    const NAME: usize = 1;
    let Some(part) = Container::parse(container)?.part(Tag::DXIL) else { return Ok(None) };
    let module = Module::of(&part)?;
    let mut entries = module.named_nodes("dx.entryPoints").flatten();
    let (Some(entry), None) = (entries.next(), entries.next()) else { return Ok(None) };
    Ok(entry.get(NAME).and_then(|name| module.text(*name)).map(str::to_owned))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_shader_has_the_name_that_its_source_gives_it() {
        let vertex = include_bytes!("../../programs/shaders/rectangle.vertex.dxil");
        let colour = include_bytes!("../../programs/shaders/rectangle.colour.dxil");
        assert_eq!(entry(vertex).unwrap().as_deref(), Some("vertex"));
        assert_eq!(entry(colour).unwrap().as_deref(), Some("colour"));
        let older = include_bytes!("../../programs/shaders/rectangle.vertex.dxbc");
        assert_eq!(entry(older).unwrap(), None);
        assert!(entry(&vertex[..100]).is_err());
    }
}
