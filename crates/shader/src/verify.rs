//! Looks at a container before the translator does, which trusts what it reads.

use reprise_dxbc::{Checksum, Container, Tag};

use crate::TranslateError;

/// Checks a container's structure and checksum, and that there is a shader in it.
///
/// DXIL may be unsigned, because the checksum of DXIL is given by a signing library that free compilers do not have. Newer compilers write
/// values that stand for "not signed", too.
///
/// # Errors
/// What is wrong with it, and where.
pub fn verify(blob: &[u8]) -> Result<(), TranslateError> {
    let container = Container::parse(blob).map_err(|error| TranslateError::Container(error.to_string()))?;
    let is_dxil = container.part(Tag::DXIL).is_some();
    if !is_dxil && container.part(Tag::SHEX).or_else(|| container.part(Tag::SHDR)).is_none() {
        return Err(TranslateError::NoShader);
    }
    match container.checksum() {
        Checksum::Valid => Ok(()),
        Checksum::Unsigned | Checksum::Bypass | Checksum::Preview if is_dxil => Ok(()),
        _ => Err(TranslateError::Checksum),
    }
}

/// Whether a shader is of a model before 6.
pub(crate) fn is_legacy(blob: &[u8]) -> bool {
    Container::parse(blob).is_ok_and(|container| container.part(Tag::DXIL).is_none())
}
