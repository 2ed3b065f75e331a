//! What programs describe: subobjects of the API, and those that libraries declare, as a description of our own.

use core::ffi::c_void;
use core::sync::atomic::Ordering;
use std::sync::Arc;

use reprise_com::{Object, Ref};
use reprise_d3d12::types::{
    D3D12_DXIL_LIBRARY_DESC, D3D12_DXIL_SUBOBJECT_TO_EXPORTS_ASSOCIATION, D3D12_EXISTING_COLLECTION_DESC,
    D3D12_EXPORT_DESC, D3D12_HIT_GROUP_DESC, D3D12_RAYTRACING_PIPELINE_CONFIG1, D3D12_RAYTRACING_PIPELINE_FLAGS,
    D3D12_RAYTRACING_SHADER_CONFIG, D3D12_STATE_OBJECT_DESC, D3D12_STATE_OBJECT_TYPE, D3D12_STATE_SUBOBJECT,
    D3D12_STATE_SUBOBJECT_TYPE as Type, D3D12_SUBOBJECT_TO_EXPORTS_ASSOCIATION,
};
use reprise_dxbc::Tag;
use reprise_dxbc::container::build;
use reprise_state_object::Reader;
use reprise_state_object::association::Value;
use reprise_state_object::plan::{ADDITIONS, HitGroup, Rename, name_lone_export};
use reprise_state_object::reader::{pipeline_config, shader_config};

use super::generic;
use super::graph;
use super::invalid;
use super::layout::same;
use super::object::{Read, StateObject};
use crate::device::Device;
use crate::pipeline::shader::library;
use crate::root::RootSignature;
use crate::wide::text;
use crate::{Error, Result};

impl Read {
    /// Reads a description. `grown` is the state object that it is added to.
    ///
    /// # Errors
    /// What the API does not allow, or the runtime does not have; the log says which subobject it is.
    ///
    /// # Safety
    /// `pSubobjects` is null or leads to `NumSubobjects` subobjects. Each `pDesc` is null or leads to the structure of the subobject's type, in
    /// which each pointer is null or leads to as many elements as the count beside it says, each name is null or ends with zero, and each
    /// object is null or a living COM object. All of it stays so until the call returns; what is kept is copied.
    pub unsafe fn new(
        device: &Object<Device>,
        desc: &D3D12_STATE_OBJECT_DESC,
        grown: Option<&Object<StateObject>>,
    ) -> Result<Read> {
        if desc.pSubobjects.is_null() && desc.NumSubobjects != 0 {
            return Err(invalid("there are subobjects, but no array of them".to_owned()));
        }
        let all = match desc.NumSubobjects {
            0 => &[],
            // SAFETY: the pointer is not null where there are subobjects, and the caller promises an array of this length.
            count => unsafe { core::slice::from_raw_parts(desc.pSubobjects, count as usize) },
        };
        let mut read = Read::default();
        let mut reader = Reader::default();
        if let Some(grown) = grown {
            read.inherit(&mut reader, grown, &[])?;
            reader.grows(grown.settings());
        }
        for (number, subobject) in all.iter().enumerate() {
            let result = (|| {
                if subobject.pDesc.is_null() {
                    return Err(invalid("a subobject without a description".to_owned()));
                }
                // SAFETY: the description is not null, and the caller promises that it is the structure of the subobject's type.
                unsafe {
                    match subobject.Type {
                        Type::STATE_OBJECT_CONFIG => reader.config(*subobject.pDesc.cast::<u32>()),
                        Type::DXIL_LIBRARY => read.library(&mut reader, device, &*subobject.pDesc.cast())?,
                        Type::EXISTING_COLLECTION => read.collection(&mut reader, &*subobject.pDesc.cast())?,
                        Type::HIT_GROUP => reader.hit_group(hit_group(&*subobject.pDesc.cast())?),
                        Type::WORK_GRAPH if desc.Type == D3D12_STATE_OBJECT_TYPE::EXECUTABLE => {
                            read.graphs.push(graph::read::read(&*subobject.pDesc.cast())?);
                        }
                        // Programs read what they list (`super::generic`).
                        Type(14..=30) if desc.Type == D3D12_STATE_OBJECT_TYPE::EXECUTABLE => {}
                        // Associations name other subobjects, so they are read behind all of them; there is one node only.
                        Type::SUBOBJECT_TO_EXPORTS_ASSOCIATION
                        | Type::DXIL_SUBOBJECT_TO_EXPORTS_ASSOCIATION
                        | Type::NODE_MASK => {}
                        _ => reader.value(number, read.value(subobject)?),
                    }
                }
                Ok(())
            })();
            result.inspect_err(|error| {
                let kind = subobject.Type.0;
                reprise_log::warning(format!("state object: subobject {number}, of type {kind}: {error}"));
            })?;
        }
        if grown.is_some() && reader.flags() & ADDITIONS == 0 {
            return Err(invalid("AddToStateObject: the addition does not allow additions itself".to_owned()));
        }
        for subobject in all.iter().filter(|subobject| !subobject.pDesc.is_null()) {
            // SAFETY: the description is not null, and the caller promises that it is the structure of the subobject's type.
            unsafe {
                match subobject.Type {
                    Type::SUBOBJECT_TO_EXPORTS_ASSOCIATION => {
                        read.associate(&mut reader, &*subobject.pDesc.cast(), all)?;
                    }
                    Type::DXIL_SUBOBJECT_TO_EXPORTS_ASSOCIATION => {
                        let desc = &*subobject.pDesc.cast::<D3D12_DXIL_SUBOBJECT_TO_EXPORTS_ASSOCIATION>();
                        let exports = names(desc.pExports, desc.NumExports)?;
                        reader.associate_declared(&text(desc.SubobjectToAssociate)?, exports)?;
                    }
                    _ => {}
                }
            }
        }
        read.description = reader.finish();
        if device.asks_for_micromaps.load(Ordering::Relaxed) {
            for association in &mut read.description.associations {
                if let Value::Pipeline(config) = &mut association.value {
                    config.flags |= D3D12_RAYTRACING_PIPELINE_FLAGS::ALLOW_OPACITY_MICROMAPS.0;
                }
            }
        }
        Ok(read)
    }

    /// The number of a root signature.
    fn root(&mut self, root: Ref<RootSignature>) -> usize {
        let known = self.roots.iter().position(|known| same(known, &root));
        known.unwrap_or_else(|| {
            self.roots.push(root);
            self.roots.len() - 1
        })
    }

    /// The value of a subobject that can be associated.
    ///
    /// # Safety
    /// `pDesc` leads to the structure of the subobject's type; of root signatures that is null or a living COM object.
    unsafe fn value(&mut self, subobject: &D3D12_STATE_SUBOBJECT) -> Result<Value> {
        let desc = subobject.pDesc;
        // SAFETY: the caller promises the structure of this type: numbers, or a pointer to a COM object.
        unsafe {
            Ok(match subobject.Type {
                Type::GLOBAL_ROOT_SIGNATURE => Value::Global(self.root(root_signature(desc, false)?)),
                Type::LOCAL_ROOT_SIGNATURE => Value::Local(self.root(root_signature(desc, true)?)),
                Type::RAYTRACING_SHADER_CONFIG => {
                    let config = &*desc.cast::<D3D12_RAYTRACING_SHADER_CONFIG>();
                    shader_config(config.MaxPayloadSizeInBytes, config.MaxAttributeSizeInBytes)?
                }
                Type::RAYTRACING_PIPELINE_CONFIG => pipeline_config(*desc.cast::<u32>(), 0)?,
                Type::RAYTRACING_PIPELINE_CONFIG1 => {
                    let config = &*desc.cast::<D3D12_RAYTRACING_PIPELINE_CONFIG1>();
                    pipeline_config(config.MaxTraceRecursionDepth, config.Flags.0)?
                }
                Type(kind @ (13..=30 | 31..=33 | 36)) => {
                    reprise_log::warning(format!("state object: subobjects of type {kind} are not supported"));
                    return Err(Error::Unsupported(
                        "serialised parts in state objects; work graphs and generic programs in collections and pipelines",
                    ));
                }
                Type(kind) => return Err(invalid(format!("{kind} is no type of subobjects"))),
            })
        }
    }

    /// # Safety
    /// `DXILLibrary` is null or leads to as many bytes as it says; `pExports` is as [`renames`] asks.
    unsafe fn library(
        &mut self,
        reader: &mut Reader,
        device: &Object<Device>,
        desc: &D3D12_DXIL_LIBRARY_DESC,
    ) -> Result<()> {
        let code = &desc.DXILLibrary;
        if code.pShaderBytecode.is_null() {
            return Err(invalid("a library without code".to_owned()));
        }
        // SAFETY: the code is not null, and the caller promises that it is as long as it says, and the array of exports likewise.
        let (blob, mut wanted) = unsafe {
            let bytes = core::slice::from_raw_parts(code.pShaderBytecode.cast::<u8>(), code.BytecodeLength as usize);
            (Arc::<[u8]>::from(bytes), renames(desc.pExports, desc.NumExports)?)
        };
        let found = library(&blob)?;
        name_lone_export(&found, &mut wanted)?;
        if let (true, Some(_), [only]) = (wanted.is_empty(), generic::stage(&blob)?, &found.exports[..]) {
            wanted.push(Rename { name: only.plain.clone(), from: only.plain.clone() });
        }
        self.libraries.push((blob.clone(), wanted.clone()));
        reader.library(&blob, &found, &wanted, &mut |bytes, _| Ok(self.root(declared_root(device, bytes)?)))
    }

    /// # Safety
    /// `pExistingCollection` is null or a living COM object; `pExports` is as [`renames`] asks.
    unsafe fn collection(&mut self, reader: &mut Reader, desc: &D3D12_EXISTING_COLLECTION_DESC) -> Result<()> {
        // SAFETY: the caller promises null or a COM object, which says itself whether it is a state object of ours, and an array as long as it says.
        unsafe {
            let collection = Object::<StateObject>::from_pointer(desc.pExistingCollection);
            let collection = collection.ok_or_else(|| invalid("a collection is not of this runtime".to_owned()))?;
            if collection.kind != D3D12_STATE_OBJECT_TYPE::COLLECTION {
                return Err(invalid("an existing collection is no collection".to_owned()));
            }
            self.inherit(reader, collection, &renames(desc.pExports, desc.NumExports)?)
        }
    }

    /// Takes over a state object's exports.
    fn inherit(&mut self, reader: &mut Reader, from: &Object<StateObject>, wanted: &[Rename]) -> Result<()> {
        let numbers: Vec<usize> = from.roots().iter().map(|root| self.root(root.clone())).collect();
        reader.inherit(from.give(wanted, &numbers)?);
        self.parents.push(from.keep());
        Ok(())
    }

    /// # Safety
    /// `pSubobjectToAssociate` is null or leads to a subobject, whose `pDesc` is null or leads to the structure of its type; `pExports` is as
    /// [`names`] asks.
    unsafe fn associate(
        &mut self,
        reader: &mut Reader,
        desc: &D3D12_SUBOBJECT_TO_EXPORTS_ASSOCIATION,
        all: &[D3D12_STATE_SUBOBJECT],
    ) -> Result<()> {
        // SAFETY: the caller promises that it points to a subobject, or is null.
        let subobject = unsafe { desc.pSubobjectToAssociate.as_ref() };
        // It may be a subobject outside of the array, whose description nobody has looked at yet.
        let subobject = subobject.filter(|subobject| !subobject.pDesc.is_null());
        let subobject = subobject.ok_or_else(|| invalid("an association of no subobject".to_owned()))?;
        if matches!(subobject.Type, Type::STATE_OBJECT_CONFIG | Type::NODE_MASK) {
            return Ok(());
        }
        let alike = |other: &D3D12_STATE_SUBOBJECT| other.Type == subobject.Type && other.pDesc == subobject.pDesc;
        let number = all.iter().position(|other| core::ptr::eq(other, subobject));
        let number = number.or_else(|| all.iter().position(alike));
        // SAFETY: the caller promises an array of names as long as it says.
        let exports = unsafe { names(desc.pExports, desc.NumExports)? };
        if !number.is_some_and(|number| reader.associate(number, exports.clone())) {
            // SAFETY: the description is not null, and the caller promises that it is the structure of the subobject's type.
            reader.associate_value(unsafe { self.value(subobject)? }, exports);
        }
        Ok(())
    }
}

/// # Safety
/// The description leads to null or to a living COM object's pointer.
unsafe fn root_signature(desc: *const c_void, local: bool) -> Result<Ref<RootSignature>> {
    // SAFETY: the caller promises null or a COM object there, which says itself whether it is a root signature of ours.
    let root = unsafe { Object::<RootSignature>::from_pointer(*desc.cast::<*const c_void>()) };
    let root = root.ok_or_else(|| invalid("a root signature is null, or not of this runtime".to_owned()))?;
    match root.is_local() == local {
        true => Ok(root.keep()),
        false if local => Err(invalid("a local root signature that is made as a global one".to_owned())),
        false => Err(invalid("a global root signature that is made as a local one".to_owned())),
    }
}

fn declared_root(device: &Object<Device>, bytes: &[u8]) -> Result<Ref<RootSignature>> {
    let root = RootSignature::new(device, &build(&[(Tag::RTS0, bytes)]))?;
    Ok(Object::make(root).keep())
}

/// # Safety
/// Each name is null or ends with zero.
unsafe fn hit_group(desc: &D3D12_HIT_GROUP_DESC) -> Result<HitGroup> {
    // SAFETY: the caller promises names that are null or end with zero.
    unsafe {
        let import = |name: *const u16| if name.is_null() { Ok(String::new()) } else { text(name) };
        Ok(HitGroup {
            name: text(desc.HitGroupExport)?,
            procedural: desc.Type.0 != 0,
            imports: [
                import(desc.AnyHitShaderImport)?,
                import(desc.ClosestHitShaderImport)?,
                import(desc.IntersectionShaderImport)?,
            ],
            library: None,
        })
    }
}

/// # Safety
/// The array is null or as long as it says; each of its names is null or ends with zero.
unsafe fn names(first: *const *const u16, count: u32) -> Result<Vec<String>> {
    if first.is_null() || count == 0 {
        return Ok(Vec::new());
    }
    // SAFETY: the caller promises an array of this length.
    unsafe { core::slice::from_raw_parts(first, count as usize).iter().map(|name| text(*name)).collect() }
}

/// # Safety
/// The array is null or as long as it says; each of its names is null or ends with zero.
unsafe fn renames(first: *const D3D12_EXPORT_DESC, count: u32) -> Result<Vec<Rename>> {
    if first.is_null() || count == 0 {
        return Ok(Vec::new());
    }
    // SAFETY: the caller promises an array of this length, whose names end with zero.
    let each = unsafe { core::slice::from_raw_parts(first, count as usize) }.iter().map(|export| unsafe {
        let name = text(export.Name)?;
        let from = if export.ExportToRename.is_null() { name.clone() } else { text(export.ExportToRename)? };
        Ok(Rename { name, from })
    });
    each.collect()
}
