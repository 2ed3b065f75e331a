//! A shader as text: the code as the translator reads it, before it becomes SPIR-V.

use std::ffi::CStr;
use std::ptr;

use dxil_spirv_sys as sys;

use crate::error::check;
use crate::remap::Context;
use crate::session::Session;
use crate::{Interface, Link, Stage, TranslateError, verify};

/// The code of a container, in the notation of LLVM: DXIL as it is, older code (DXBC) as the translator's own form of it.
///
/// May crash the process where the container is well-formed and its content hostile: see [`crate::worker`].
///
/// # Errors
/// When the container is malformed or holds nothing that can be read.
pub fn disassemble(blob: &[u8]) -> Result<String, TranslateError> {
    verify(blob)?;
    let (interface, link) = (Interface::default(), Link::default());
    // Nothing is asked about registers or stages: only the messages go there.
    let mut context = Context {
        interface: &interface,
        link: &link,
        stage: Stage::Compute,
        unbound: None,
        panicked: false,
        log: String::new(),
        streamed: Vec::new(),
    };
    match text(blob, &raw mut context) {
        Err(TranslateError::Rejected { step, code, .. }) => {
            Err(TranslateError::Rejected { step, code, log: context.log.trim().to_owned() })
        }
        result => result,
    }
}

fn text(blob: &[u8], context: *mut Context<'_>) -> Result<String, TranslateError> {
    let mut session = Session::begin(context);
    // SAFETY: the blob is readable for its length, and its verified container too.
    let code = unsafe { sys::dxil_spv_parse_dxil_blob(blob.as_ptr().cast(), blob.len(), &mut session.blob) };
    check("parsing", code)?;
    let mut text = ptr::null();
    // SAFETY: the blob was parsed.
    let code = unsafe { sys::dxil_spv_parsed_blob_get_disassembled_ir(session.blob, &mut text) };
    check("disassembling", code)?;
    if text.is_null() {
        return Ok(String::new());
    }
    // SAFETY: a text that ends with a zero and lives as long as the blob.
    Ok(unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}
