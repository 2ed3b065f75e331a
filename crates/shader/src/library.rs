//! What a DXIL library holds, as the translator reads it. `reprise_dxbc::rdat` reads the same without it.

use core::ffi::{CStr, c_char};
use core::ptr;

use dxil_spirv_sys as sys;

use reprise_dxbc::rdat::{Declared, Export, Library, Subobject};

use crate::error::check;
use crate::remap::Context;
use crate::session::Session;
use crate::{Interface, Link, Stage, TranslateError, verify};

/// Reads what a library holds.
///
/// May crash the process where the container is well-formed and its content hostile: see [`crate::worker`].
///
/// # Errors
/// When the container is malformed, or the translator cannot read it.
pub fn library(blob: &[u8]) -> Result<Library, TranslateError> {
    verify(blob)?;
    let (interface, link) = (Interface::default(), Link::default());
    let mut context = Context::new(&interface, &link, Stage::Compute);
    let mut session = Session::begin(&raw mut context);
    // SAFETY: the blob is readable for its length, and its verified container too.
    let code = unsafe { sys::dxil_spv_parse_dxil_blob(blob.as_ptr().cast(), blob.len(), &mut session.blob) };
    check("parsing", code)?;
    Ok(Library { exports: exports(&session)?, subobjects: subobjects(&session)? })
}

fn exports(session: &Session) -> Result<Vec<Export>, TranslateError> {
    let mut count = 0;
    // SAFETY: the blob was parsed.
    check("reading the exports", unsafe { sys::dxil_spv_parsed_blob_get_num_entry_points(session.blob, &mut count) })?;
    let export = |index| {
        let (mut name, mut plain) = (ptr::null(), ptr::null());
        // SAFETY: the index is below the count; both names are strings that live as long as the blob.
        unsafe {
            let code = sys::dxil_spv_parsed_blob_get_entry_point_name(session.blob, index, &mut name);
            check("reading the exports", code)?;
            let code = sys::dxil_spv_parsed_blob_get_entry_point_demangled_name(session.blob, index, &mut plain);
            check("reading the exports", code)?;
            let stage = sys::dxil_spv_parsed_blob_get_shader_stage_for_entry(session.blob, name);
            Ok(Export { name: text(name)?, plain: text(plain)?, stage: Stage::from_number(stage) })
        }
    };
    (0..count).map(export).collect()
}

fn subobjects(session: &Session) -> Result<Vec<Subobject>, TranslateError> {
    // SAFETY: the blob was parsed.
    let count = unsafe { sys::dxil_spv_parsed_blob_get_num_rdat_subobjects(session.blob) };
    let subobject = |index| {
        let mut raw = sys::dxil_spv_rdat_subobject::default();
        // SAFETY: the index is below the count; what is pointed to lives as long as the blob.
        unsafe {
            sys::dxil_spv_parsed_blob_get_rdat_subobject(session.blob, index, &mut raw);
            Ok(Subobject { name: text(raw.subobject_name)?, what: declared(&raw)? })
        }
    };
    (0..count).map(subobject).collect()
}

/// # Safety
/// The translator filled in the subobject, and its blob is alive.
unsafe fn declared(raw: &sys::dxil_spv_rdat_subobject) -> Result<Declared, TranslateError> {
    // SAFETY: the translator's own arrays, as long as it says.
    let (payload, names) = unsafe {
        let payload = bytes(raw.payload.cast::<u8>(), raw.payload_size);
        let names = bytes(raw.exports, raw.num_exports as usize).iter().map(|name| text(*name));
        (payload.to_vec(), names.collect::<Result<Vec<_>, _>>()?)
    };
    let missing = || TranslateError::Container(format!("a subobject of kind {} is cut", raw.kind));
    let mut names = names.into_iter();
    Ok(match raw.kind {
        0 => Declared::StateObjectConfig { flags: raw.args[0] },
        1 => Declared::GlobalRootSignature(payload),
        2 => Declared::LocalRootSignature(payload),
        8 => Declared::Association { subobject: names.next().ok_or_else(missing)?, exports: names.collect() },
        9 => Declared::ShaderConfig { payload: raw.args[0], attributes: raw.args[1] },
        10 => Declared::PipelineConfig { depth: raw.args[0], flags: 0 },
        12 => Declared::PipelineConfig { depth: raw.args[0], flags: raw.args[1] },
        11 => Declared::HitGroup {
            procedural: raw.hit_group_type != 0,
            any_hit: names.next().ok_or_else(missing)?,
            closest_hit: names.next().ok_or_else(missing)?,
            intersection: names.next().ok_or_else(missing)?,
        },
        kind => return Err(TranslateError::Container(format!("a subobject is of kind {kind}, which is not known"))),
    })
}

/// # Safety
/// `start` is null or leads to `count` elements, which live as long as the result.
unsafe fn bytes<'a, T>(start: *const T, count: usize) -> &'a [T] {
    if start.is_null() || count == 0 {
        return &[];
    }
    // SAFETY: the caller says that there are so many.
    unsafe { core::slice::from_raw_parts(start, count) }
}

/// A copy of a name. Names are written into modules by compilers, in UTF-8.
///
/// # Safety
/// `pointer` is null or points to a string that ends with zero.
unsafe fn text(pointer: *const c_char) -> Result<String, TranslateError> {
    if pointer.is_null() {
        return Ok(String::new());
    }
    // SAFETY: the caller says that it is a string.
    let name = unsafe { CStr::from_ptr(pointer) };
    let name = name.to_str().map_err(|_| TranslateError::Container("a name in the library is not UTF-8".to_owned()))?;
    Ok(name.to_owned())
}
