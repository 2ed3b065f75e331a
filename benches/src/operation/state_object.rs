//! State objects of ray tracing: made of a library that the process has seen, as a collection, of a collection, and by addition.

use super::{Operation, WIN64};
use crate::call;
use crate::com::{iid, slot};
use crate::make::{Maker, check};
use D3D12_STATE_OBJECT_TYPE as Kind;
use D3D12_STATE_SUBOBJECT_TYPE as Type;
use anyhow::{Context, Result};
use core::ffi::c_void;
use reprise_d3d12::model::Guid;
use reprise_d3d12::types::*;

const RELEASE: usize = 2;
/// State objects in a round.
const COUNT: u32 = 20;
/// Six shaders, two hit groups, both kinds of root signatures and all configurations, declared by the library itself.
const LIBRARY: &[u8] = include_bytes!("../../../crates/shader/tests/shaders/rays.dxil");

/// What makes state objects, in the device's own words.
#[derive(Clone, Copy)]
struct Device {
    /// `ID3D12Device5`.
    five: *mut c_void,
    /// `ID3D12Device7`; null where the device adds nothing to state objects.
    seven: *mut c_void,
    create: usize,
    add: usize,
    id: Guid,
}

/// What a state object is made of.
#[derive(Clone, Copy)]
enum Part {
    Library,
    /// One shader of the library, under another name.
    Renamed,
    Collection(*mut c_void),
}

impl Device {
    /// Makes a state object of one part, to which others may be added or not; by addition to `base`, where that is not null.
    fn make(&self, kind: Kind, part: Part, grows: bool, base: *mut c_void) -> Result<*mut c_void> {
        let flags = if grows { D3D12_STATE_OBJECT_FLAGS::ALLOW_STATE_OBJECT_ADDITIONS } else { Default::default() };
        let config = D3D12_STATE_OBJECT_CONFIG { Flags: flags };
        let code =
            D3D12_SHADER_BYTECODE { pShaderBytecode: LIBRARY.as_ptr().cast(), BytecodeLength: LIBRARY.len() as u64 };
        let mut library = D3D12_DXIL_LIBRARY_DESC { DXILLibrary: code, ..Default::default() };
        // The shader, and what the library says for all shaders.
        let names = ["added", "sizes", "depth", "everywhere"].map(wide);
        let renamed = wide("called");
        let mut exports = names.each_ref().map(|name| D3D12_EXPORT_DESC { Name: name.as_ptr(), ..Default::default() });
        exports[0].ExportToRename = renamed.as_ptr();
        if matches!(part, Part::Renamed) {
            (library.NumExports, library.pExports) = (exports.len() as u32, exports.as_ptr());
        }
        let mut collection = D3D12_EXISTING_COLLECTION_DESC::default();
        let part = match part {
            Part::Library | Part::Renamed => {
                D3D12_STATE_SUBOBJECT { Type: Type::DXIL_LIBRARY, pDesc: (&raw const library).cast() }
            }
            Part::Collection(object) => {
                collection.pExistingCollection = object;
                D3D12_STATE_SUBOBJECT { Type: Type::EXISTING_COLLECTION, pDesc: (&raw const collection).cast() }
            }
        };
        let subobjects =
            [part, D3D12_STATE_SUBOBJECT { Type: Type::STATE_OBJECT_CONFIG, pDesc: (&raw const config).cast() }];
        let desc = D3D12_STATE_OBJECT_DESC {
            Type: kind,
            NumSubobjects: if grows { 2 } else { 1 },
            pSubobjects: subobjects.as_ptr(),
        };
        let mut out = core::ptr::null_mut();
        // SAFETY: a runtime's device; everything pointed to lives until the call returns.
        let result = unsafe {
            match base.is_null() {
                true => {
                    call!(WIN64, self.five, self.create, (*const D3D12_STATE_OBJECT_DESC, *const Guid, *mut *mut c_void) -> i32,
                    (&raw const desc, &raw const self.id, &raw mut out))
                }
                false => {
                    call!(WIN64, self.seven, self.add, (*const D3D12_STATE_OBJECT_DESC, *mut c_void, *const Guid, *mut *mut c_void) -> i32,
                    (&raw const desc, base, &raw const self.id, &raw mut out))
                }
            }
        };
        check("a state object", result)?;
        Ok(out)
    }
}

/// UTF-16 with its end.
fn wide(text: &str) -> Vec<u16> {
    text.encode_utf16().chain([0]).collect()
}

fn release(object: *mut c_void) {
    // SAFETY: the only reference to the object, which nothing uses any more.
    unsafe { call!(WIN64, object, RELEASE, () -> u32, ()) };
}

pub(super) unsafe fn all(make: &Maker<WIN64>) -> Result<Vec<Operation>> {
    // SAFETY: a runtime's device, by the caller's promise; so below.
    let options = unsafe { make.feature::<D3D12_FEATURE_DATA_D3D12_OPTIONS5>(D3D12_FEATURE::D3D12_OPTIONS5)? };
    let tier = options.map_or(D3D12_RAYTRACING_TIER::TIER_NOT_SUPPORTED, |options| options.RaytracingTier);
    if tier < D3D12_RAYTRACING_TIER::TIER_1_0 {
        return Ok(Vec::new());
    }
    // SAFETY: the runtime's own device.
    let (five, seven) =
        unsafe { (make.query(make.device, "ID3D12Device5")?, make.query(make.device, "ID3D12Device7")?) };
    let device = Device {
        five: five.context("the device has no ID3D12Device5")?,
        seven: seven.filter(|_| tier >= D3D12_RAYTRACING_TIER::TIER_1_1).unwrap_or(core::ptr::null_mut()),
        create: slot("ID3D12Device5", "CreateStateObject")?,
        add: slot("ID3D12Device7", "AddToStateObject")?,
        id: iid("ID3D12StateObject")?,
    };
    let nothing = core::ptr::null_mut();
    let (pipeline, collected) = (Kind::RAYTRACING_PIPELINE, Kind::COLLECTION);
    let collection = device.make(collected, Part::Library, false, nothing)?;
    release(device.make(pipeline, Part::Collection(collection), false, nothing)?);
    let repeated = move |name, kind, part, grows, base| {
        let made = move |number| {
            for _ in 0..number {
                let object = device.make(kind, part, grows, base);
                release(object.unwrap_or_else(|error| panic!("{error}")));
            }
        };
        Operation::new(name, COUNT, made).of_all_threads()
    };
    let mut all = vec![
        repeated("CreateStateObject + Release, known library", pipeline, Part::Library, false, nothing),
        repeated("CreateStateObject + Release, collection", collected, Part::Library, false, nothing),
        repeated(
            "CreateStateObject + Release, of a collection",
            pipeline,
            Part::Collection(collection),
            false,
            nothing,
        ),
    ];
    if !device.seven.is_null() {
        let base = device.make(pipeline, Part::Library, true, nothing)?;
        let added = Part::Collection(device.make(collected, Part::Renamed, true, nothing)?);
        all.push(repeated("AddToStateObject + Release, a shader", pipeline, added, true, base));
    }
    Ok(all)
}
