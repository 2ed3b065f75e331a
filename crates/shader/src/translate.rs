//! One translation: verify, parse, convert, let go.

use std::ffi::{CStr, CString};
use std::ptr;

use dxil_spirv_sys as sys;

use crate::bounds;
use crate::checks::{self, Author};
use crate::dangling;
use crate::error::check;
use crate::facts::instructions;
use crate::feedback;
use crate::lanes;
use crate::lone;
use crate::mesh;
use crate::micromaps;
use crate::newer;
use crate::passed;
use crate::plain;
use crate::record;
use crate::remap::{self, Context};
use crate::session::Session;
use crate::streamed;
use crate::views;
use crate::wide;
use crate::{Interface, Link, Spirv, Stage, Target, TranslateError, option, verify};

/// Translates one shader.
///
/// May crash the process where the container is well-formed and its content hostile: see [`crate::worker`].
///
/// # Errors
/// When the container, the root signature or the translator's abilities do not allow it.
pub fn translate(
    blob: &[u8],
    stage: Stage,
    interface: &Interface,
    link: &Link,
    target: &Target,
) -> Result<Spirv, TranslateError> {
    translated(blob, stage, interface, link, target, false)
}

/// The same with an `OpLine` before what each instruction of the shader becomes: its line is the number of the instruction's block in the
/// function, its column the number in the block, both counted from 1. For debuggers, not for devices.
///
/// # Errors
/// As [`translate`].
pub fn translate_marked(
    blob: &[u8],
    stage: Stage,
    interface: &Interface,
    link: &Link,
    target: &Target,
) -> Result<Spirv, TranslateError> {
    translated(blob, stage, interface, link, target, true)
}

fn translated(
    blob: &[u8],
    stage: Stage,
    interface: &Interface,
    link: &Link,
    target: &Target,
    marked: bool,
) -> Result<Spirv, TranslateError> {
    verify(blob)?;
    newer::check(blob)?;
    let entry = link.entry.as_deref().map(CString::new).transpose();
    let entry = entry.map_err(|_| TranslateError::Container("the entry point's name has a zero in it".to_owned()))?;
    let mut context = Context::new(interface, link, stage);
    let result = convert(blob, entry.as_deref(), &raw mut context, target, marked);
    if context.panicked {
        return Err(TranslateError::Panicked);
    }
    match (result, context.unbound) {
        (Ok(spirv), _) => Ok(spirv),
        // The cause, where the translator only says that it failed.
        (Err(TranslateError::Rejected { .. }), Some((class, space, register))) => {
            Err(TranslateError::Unbound { class, space, register })
        }
        (Err(TranslateError::Rejected { step, code, log }), None) if log.is_empty() => {
            Err(TranslateError::Rejected { step, code, log: context.log.trim().to_owned() })
        }
        (Err(error), _) => Err(error),
    }
}

/// Runs the translator. The callbacks use `context`, so nothing here may hold a reference to it while they can run.
fn convert(
    blob: &[u8],
    entry: Option<&CStr>,
    context: *mut Context<'_>,
    target: &Target,
    marked: bool,
) -> Result<Spirv, TranslateError> {
    // SAFETY: the context is alive and no callback runs yet; these are copies of shared references.
    let (interface, link, stage) = unsafe { ((*context).interface, (*context).link, (*context).stage) };
    let mut session = Session::begin(context);
    // SAFETY: the blob is readable for its length, and its verified container too.
    let code = unsafe { sys::dxil_spv_parse_dxil_blob(blob.as_ptr().cast(), blob.len(), &mut session.blob) };
    check("parsing", code)?;
    // SAFETY: the blob was parsed; the name is a string.
    let found = unsafe {
        match entry {
            Some(name) => sys::dxil_spv_parsed_blob_get_shader_stage_for_entry(session.blob, name.as_ptr()),
            None => sys::dxil_spv_parsed_blob_get_shader_stage(session.blob),
        }
    };
    if found != stage as u32 {
        return Err(TranslateError::Stage { wanted: stage, found });
    }
    // SAFETY: the blob was parsed and outlives the converter.
    let code = unsafe { sys::dxil_spv_create_converter(session.blob, &mut session.converter) };
    check("creating a converter", code)?;
    let converter = session.converter;
    option::apply(converter, interface, link, target)?;
    if let Some(local) = &link.local {
        record::declare(local, converter)?;
    }
    let data = context.cast();
    // SAFETY: the converter is alive; the callbacks are of the types asked for, and their data outlives it.
    unsafe {
        if let Some(name) = entry {
            sys::dxil_spv_converter_set_entry_point(converter, name.as_ptr());
        }
        if marked {
            // This name is how `translator/marks.hpp` is asked.
            sys::dxil_spv_converter_add_non_semantic_debug_info(converter, c"reprise.marks".as_ptr(), ptr::null(), 0);
        }
        sys::dxil_spv_converter_set_root_constant_word_count(converter, interface.root_words);
        sys::dxil_spv_converter_set_root_descriptor_count(converter, interface.root_descriptors);
        // A hull shader finds its own.
        if stage == Stage::Domain {
            sys::dxil_spv_converter_set_patch_location_offset(converter, link.patch_location_offset);
        }
        sys::dxil_spv_converter_set_srv_remapper(converter, Some(remap::srv), data);
        sys::dxil_spv_converter_set_uav_remapper(converter, Some(remap::uav), data);
        sys::dxil_spv_converter_set_cbv_remapper(converter, Some(remap::cbv), data);
        sys::dxil_spv_converter_set_sampler_remapper(converter, Some(remap::sampler), data);
        if !link.stream_outputs.is_empty() {
            sys::dxil_spv_converter_set_stream_output_remapper(converter, Some(remap::stream_output), data);
        }
        if !link.varyings.is_empty() {
            match stage {
                Stage::Mesh => sys::dxil_spv_converter_set_stage_output_remapper(converter, Some(remap::varying), data),
                _ => sys::dxil_spv_converter_set_stage_input_remapper(converter, Some(remap::varying), data),
            }
        }
        check("converting", sys::dxil_spv_converter_run(converter))?;
    }
    let author = Author { hash: crate::checks::hash(blob), stage, legacy: crate::verify::is_legacy(blob) };
    // SAFETY: the conversion has ended: no callback runs any more.
    let streamed = unsafe { core::mem::take(&mut (*context).streamed) };
    result(&session, author, target, interface, link, &streamed)
}

/// The name of a module's first entry point. What the translator says is the name in the source, which is another one.
fn entry_point(words: &[u32]) -> Option<String> {
    const ENTRY_POINT: u32 = 15;
    let (_, operands) = instructions(words).find(|(opcode, _)| *opcode == ENTRY_POINT)?;
    let bytes = operands.get(2..)?.iter().flat_map(|word| word.to_le_bytes());
    String::from_utf8(bytes.take_while(|byte| *byte != 0).collect()).ok()
}

/// Copies what a successful conversion made.
fn result(
    session: &Session,
    author: Author,
    target: &Target,
    interface: &Interface,
    link: &Link,
    streamed: &[streamed::Asked],
) -> Result<Spirv, TranslateError> {
    let (converter, stage) = (session.converter, author.stage);
    let mut compiled = sys::dxil_spv_compiled_spirv { data: ptr::null(), size: 0 };
    let (mut group, mut wave) = ([0; 3], [0; 3]);
    let (mut patch_vertices, mut patch_location_offset) = (0, 0);
    // SAFETY: the conversion succeeded; what is pointed to lives as long as the converter. The queries that fail are
    // for other stages and leave zeros.
    unsafe {
        check("reading the result", sys::dxil_spv_converter_get_compiled_spirv(converter, &mut compiled))?;
        let [x, y, z] = &mut group;
        sys::dxil_spv_converter_get_compute_workgroup_dimensions(converter, x, y, z);
        let [least, most, preferred] = &mut wave;
        sys::dxil_spv_converter_get_compute_wave_size_range(converter, least, most, preferred);
        sys::dxil_spv_converter_get_patch_vertex_count(converter, &mut patch_vertices);
        sys::dxil_spv_converter_get_patch_location_offset(converter, &mut patch_location_offset);
        let bytes = core::slice::from_raw_parts(compiled.data.cast::<u8>(), compiled.size);
        let words: Vec<u32> =
            bytes.chunks_exact(4).map(|word| u32::from_ne_bytes([word[0], word[1], word[2], word[3]])).collect();
        dangling::refuse(&words)?;
        let words = if author.legacy { lanes::indexing_apart(words) } else { words };
        let words = streamed::into_buffers(words, stage, &link.stream_outputs, streamed)?;
        let words = match target.check_set {
            0 => words,
            _ => checks::with_records(words, interface, author)?,
        };
        let words = if link.views.is_some() { views::with_constant(words) } else { words };
        let words = if link.passed.is_empty() { words } else { passed::with_places(words, stage, &link.passed) };
        let words = match stage == Stage::Mesh && target.whole_mesh_stores {
            true => mesh::with_whole_stores(words),
            false => words,
        };
        let words = micromaps::of_the_older_extension(words);
        let words = wide::from_arrays(feedback::in_halves(words)?, &interface.heaps);
        // Behind the pass before: it leaves no 64-bit texels in the heaps' arrays.
        let words = match target.samplers {
            0 => words,
            samplers => bounds::within_heaps(words, &interface.heaps, samplers),
        };
        let words = match target.plain_samplers {
            0 => words,
            first => plain::of_second_half(words, interface.heaps.sampler, first),
        };
        let words = match target.lone_stages & 1 << stage as u32 != 0 {
            true => lone::without_first_lanes(words),
            false => words,
        };
        let entry = entry_point(&words).ok_or_else(|| TranslateError::Rejected {
            step: "reading the entry point",
            code: 0,
            log: "the module has none".to_owned(),
        })?;
        Ok(Spirv {
            words,
            stage,
            entry,
            group,
            wave,
            uses_wave_size: sys::dxil_spv_converter_uses_subgroup_size(converter) != 0,
            // Other stages have the vertices of their own input here.
            patch_vertices: if stage == Stage::Hull { patch_vertices } else { 0 },
            patch_location_offset,
        })
    }
}
