//! SPIR-V of a shader by itself: without a root signature, each class and space of registers has a table of its own.

use super::Translated;
use anyhow::{Context, anyhow, bail};
use reprise_dxbc::rdat::Export;
use reprise_dxbc::{Container, Program};
use reprise_shader::{Binding, Class, Heaps, Interface, Link, Place, Slot, Stage, Target};

/// The SPIR-V of a shader; of a library that of each shader, or of the one of this name.
///
/// # Errors
/// What the translator says, or what the container lacks.
pub(super) fn of(shader: &[u8], entry: Option<&str>) -> anyhow::Result<Vec<Translated>> {
    let program = Program::of(&Container::parse(shader)?)?;
    let words = |stage, entry| -> anyhow::Result<Vec<u32>> {
        let link = Link { entry, ..Link::default() };
        Ok(reprise_shader::translate(shader, stage, &interface(), &link, &Target::default())?.words)
    };
    match (program.stage, entry) {
        ("library", _) => exports(shader, entry)?.into_iter().map(|export| of_export(export, words)).collect(),
        (stage, Some(entry)) => bail!("a {stage} shader keeps no name of its entry point: {entry:?} is none of it"),
        (stage, None) => Ok(vec![Translated { entry: None, words: words(named(stage)?, None)? }]),
    }
}

/// The shaders of a library that are meant.
fn exports(library: &[u8], entry: Option<&str>) -> anyhow::Result<Vec<Export>> {
    let all = reprise_shader::library(library)?.exports;
    let is_meant = |export: &Export| match entry {
        Some(entry) => [export.plain.as_str(), &export.name, export.name.trim_start_matches('\u{1}')].contains(&entry),
        // Functions that only other shaders call have no stage.
        None => export.stage.is_some(),
    };
    let meant: Vec<Export> = all.iter().filter(|export| is_meant(export)).cloned().collect();
    if meant.is_empty() {
        let names: Vec<&str> = all.iter().map(|export| export.plain.as_str()).collect();
        let asked = entry.map_or_else(String::new, |entry| format!(" {entry:?}"));
        bail!(
            "the library has no shader{asked} that our translator makes SPIR-V of by itself: it has {}",
            names.join(", ")
        );
    }
    Ok(meant)
}

fn of_export(
    export: Export,
    words: impl Fn(Stage, Option<String>) -> anyhow::Result<Vec<u32>>,
) -> anyhow::Result<Translated> {
    let plain = &export.plain;
    let stage = export.stage;
    let stage = stage
        .with_context(|| format!("our translator makes no SPIR-V of {plain} by itself: it is a node or a function"))?;
    let words = words(stage, Some(export.name)).with_context(|| plain.clone())?;
    Ok(Translated { entry: Some(export.plain), words })
}

/// The stage of a program of this kind.
fn named(stage: &str) -> anyhow::Result<Stage> {
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
    let found = named.into_iter().find(|(name, _)| *name == stage);
    found.map(|(_, stage)| stage).ok_or_else(|| anyhow!("our translator makes no SPIR-V of a {stage} shader by itself"))
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
