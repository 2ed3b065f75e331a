//! Rows of a shader's signatures.

use reprise_dxbc::signature::{self, Element};
use reprise_dxbc::{Container, Tag};

/// What a shader takes in and gives out.
pub(super) fn rows(shader: &[u8]) -> anyhow::Result<(Vec<Element>, Vec<Element>)> {
    let container = Container::parse(shader)?;
    Ok((part(&container, &[*b"ISG1", *b"ISGN"])?, part(&container, &[*b"OSG1", *b"OSG5", *b"OSGN"])?))
}

/// What a hull shader gives of a patch itself.
pub(super) fn constants(shader: &[u8]) -> anyhow::Result<Vec<Element>> {
    part(&Container::parse(shader)?, &[*b"PSG1", *b"PCSG"])
}

/// The rows of the first of these parts that there is.
fn part(container: &Container<'_>, tags: &[[u8; 4]]) -> anyhow::Result<Vec<Element>> {
    match tags.iter().find_map(|tag| container.part(Tag(*tag))) {
        Some(part) => Ok(signature::parse(&part)?),
        None => Ok(Vec::new()),
    }
}
