//! What programs describe: subobjects of the API, and those that libraries declare, as a description of our own.

use core::ffi::c_void;
use std::sync::Arc;

use reprise_com::{Object, Ref};
use reprise_d3d12::types::{
    D3D12_DXIL_LIBRARY_DESC, D3D12_DXIL_SUBOBJECT_TO_EXPORTS_ASSOCIATION, D3D12_EXISTING_COLLECTION_DESC,
    D3D12_EXPORT_DESC, D3D12_HIT_GROUP_DESC, D3D12_RAYTRACING_PIPELINE_CONFIG1, D3D12_RAYTRACING_SHADER_CONFIG,
    D3D12_STATE_OBJECT_DESC, D3D12_STATE_OBJECT_TYPE, D3D12_STATE_SUBOBJECT, D3D12_STATE_SUBOBJECT_TYPE as Type,
    D3D12_SUBOBJECT_TO_EXPORTS_ASSOCIATION,
};
use reprise_dxbc::Tag;
use reprise_dxbc::container::build;
use reprise_shader::Declared;

use super::association::{Association, PipelineConfig, Rank, ShaderConfig, Value};
use super::layout::same;
use super::object::{Read, StateObject};
use super::plan::{ADDITIONS, HitGroup, Own, Rename, exports, invalid, own};
use crate::device::Device;
use crate::pipeline::shader::library;
use crate::root::RootSignature;
use crate::wide::text;
use crate::{Error, Result};

/// A value that a library declares by name.
struct Declaration {
    name: String,
    library: usize,
    value: Value,
}

impl Read {
    /// Reads a description. `grown` is the state object that it is added to.
    ///
    /// # Errors
    /// What the API does not allow, or the runtime does not have; the log says which subobject it is.
    ///
    /// # Safety
    /// The description and everything that it points to are as the API demands.
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
            // SAFETY: the caller promises an array of this length.
            count => unsafe { core::slice::from_raw_parts(desc.pSubobjects, count as usize) },
        };
        let mut read = Read::default();
        if let Some(grown) = grown {
            read.inherit(grown, &[])?;
            let settings = grown.settings();
            let values = [settings.shader.map(Value::Shader), settings.pipeline.map(Value::Pipeline)];
            for value in values.into_iter().flatten() {
                let inherited = Association { rank: Rank::Inherited, library: None, export: None, value };
                read.description.associations.push(inherited);
            }
        }
        let mut values: Vec<(usize, Own)> = Vec::new();
        let mut declarations = Vec::new();
        let mut libraries = 0;
        let mut config = None;
        for (number, subobject) in all.iter().enumerate() {
            let result = (|| {
                if subobject.pDesc.is_null() {
                    return Err(invalid("a subobject without a description".to_owned()));
                }
                // SAFETY: the type says what the description is, and the caller promises that it is so.
                unsafe {
                    match subobject.Type {
                        Type::STATE_OBJECT_CONFIG => config = Some(*subobject.pDesc.cast::<u32>()),
                        Type::DXIL_LIBRARY => {
                            read.library(device, &*subobject.pDesc.cast(), libraries, &mut declarations)?;
                            libraries += 1;
                        }
                        Type::EXISTING_COLLECTION => read.collection(&*subobject.pDesc.cast())?,
                        Type::HIT_GROUP => {
                            let hit_group = hit_group(&*subobject.pDesc.cast())?;
                            read.description.hit_groups.push(hit_group);
                        }
                        // Associations name other subobjects, so they are read behind all of them; there is one node only.
                        Type::SUBOBJECT_TO_EXPORTS_ASSOCIATION
                        | Type::DXIL_SUBOBJECT_TO_EXPORTS_ASSOCIATION
                        | Type::NODE_MASK => {}
                        _ => {
                            let value = read.value(subobject)?;
                            values.push((number, Own { value, named: false }));
                        }
                    }
                }
                Ok(())
            })();
            result.inspect_err(|error| {
                let kind = subobject.Type.0;
                reprise_log::warning(format!("state object: subobject {number}, of type {kind}: {error}"));
            })?;
        }
        if let Some(flags) = config {
            read.description.flags = flags;
        }
        if grown.is_some() && read.description.flags & ADDITIONS == 0 {
            return Err(invalid("AddToStateObject: the addition does not allow additions itself".to_owned()));
        }
        for subobject in all.iter().filter(|subobject| !subobject.pDesc.is_null()) {
            // SAFETY: the type says what the description is, and the caller promises that it is so.
            unsafe {
                match subobject.Type {
                    Type::SUBOBJECT_TO_EXPORTS_ASSOCIATION => {
                        read.associate(&*subobject.pDesc.cast(), all, &mut values)?;
                    }
                    Type::DXIL_SUBOBJECT_TO_EXPORTS_ASSOCIATION => {
                        read.associate_declared(&*subobject.pDesc.cast(), &declarations)?;
                    }
                    _ => {}
                }
            }
        }
        let values: Vec<Own> = values.into_iter().map(|(_, own)| own).collect();
        read.description.associations.extend(own(&values, None));
        Ok(read)
    }

    /// The number of a root signature.
    fn root(&mut self, root: Ref<RootSignature>) -> usize {
        let known = self.roots.iter().position(|known| same(Some(known), Some(&root)));
        known.unwrap_or_else(|| {
            self.roots.push(root);
            self.roots.len() - 1
        })
    }

    /// The value of a subobject that can be associated.
    ///
    /// # Safety
    /// The type says what the description is.
    unsafe fn value(&mut self, subobject: &D3D12_STATE_SUBOBJECT) -> Result<Value> {
        let desc = subobject.pDesc;
        // SAFETY: the caller promises that the type says what the description is.
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
                        "generic programs, work graphs and serialised parts in state objects",
                    ));
                }
                Type(kind) => return Err(invalid(format!("{kind} is no type of subobjects"))),
            })
        }
    }

    /// # Safety
    /// The description is as the API demands.
    unsafe fn library(
        &mut self,
        device: &Object<Device>,
        desc: &D3D12_DXIL_LIBRARY_DESC,
        number: usize,
        declarations: &mut Vec<Declaration>,
    ) -> Result<()> {
        let code = &desc.DXILLibrary;
        if code.pShaderBytecode.is_null() {
            return Err(invalid("a library without code".to_owned()));
        }
        // SAFETY: the caller promises that the code is as long as it says, and the array of exports likewise.
        let (blob, wanted) = unsafe {
            let bytes = core::slice::from_raw_parts(code.pShaderBytecode.cast::<u8>(), code.BytecodeLength as usize);
            (Arc::<[u8]>::from(bytes), renames(desc.pExports, desc.NumExports)?)
        };
        let found = library(&blob)?;
        let own_shaders = exports(&found, &blob, number, &wanted)?;
        self.description.shaders.extend(own_shaders);
        // The names of subobjects are exports, too.
        let names = |name: &str| match wanted.is_empty() {
            true => Some(name.to_owned()),
            false => wanted.iter().find(|rename| rename.from == name).map(|rename| rename.name.clone()),
        };
        let first = declarations.len();
        let mut named = Vec::new();
        for subobject in &found.subobjects {
            let Some(name) = names(&subobject.name) else { continue };
            let value = match &subobject.what {
                Declared::StateObjectConfig { flags } => {
                    self.description.flags |= flags;
                    continue;
                }
                Declared::HitGroup { procedural, any_hit, closest_hit, intersection } => {
                    self.description.hit_groups.push(HitGroup {
                        name,
                        procedural: *procedural,
                        imports: [any_hit.clone(), closest_hit.clone(), intersection.clone()],
                        library: Some(number),
                    });
                    continue;
                }
                Declared::Association { subobject, exports } => {
                    named.push((subobject.clone(), exports.clone()));
                    continue;
                }
                Declared::GlobalRootSignature(bytes) => Value::Global(self.root(declared_root(device, bytes)?)),
                Declared::LocalRootSignature(bytes) => Value::Local(self.root(declared_root(device, bytes)?)),
                Declared::ShaderConfig { payload, attributes } => shader_config(*payload, *attributes)?,
                Declared::PipelineConfig { depth, flags } => pipeline_config(*depth, *flags)?,
            };
            declarations.push(Declaration { name, library: number, value });
        }
        let own_values: Vec<Own> = declarations[first..]
            .iter()
            .map(|declaration| {
                let named = named.iter().any(|(subobject, _)| *subobject == declaration.name);
                Own { value: declaration.value, named }
            })
            .collect();
        self.description.associations.extend(own(&own_values, Some(number)));
        for (subobject, exports) in named {
            // Hit groups and the like are associated with nothing that matters here.
            let Some(found) = declarations[first..].iter().find(|declaration| declaration.name == subobject) else {
                continue;
            };
            self.push(found.value, exports, [Rank::LibraryDefault, Rank::LibraryExplicit], Some(number));
        }
        Ok(())
    }

    /// Adds associations with these exports, or with all where none is named.
    fn push(&mut self, value: Value, exports: Vec<String>, ranks: [Rank; 2], library: Option<usize>) {
        let all = &mut self.description.associations;
        if exports.is_empty() {
            all.push(Association { rank: ranks[0], library, export: None, value });
        }
        let rank = ranks[1];
        all.extend(exports.into_iter().map(|export| Association { rank, library, export: Some(export), value }));
    }

    /// # Safety
    /// The description is as the API demands.
    unsafe fn collection(&mut self, desc: &D3D12_EXISTING_COLLECTION_DESC) -> Result<()> {
        // SAFETY: the caller promises a state object and an array as long as it says.
        unsafe {
            let collection = Object::<StateObject>::from_pointer(desc.pExistingCollection);
            let collection = collection.ok_or_else(|| invalid("a collection is not of this runtime".to_owned()))?;
            if collection.kind != D3D12_STATE_OBJECT_TYPE::COLLECTION {
                return Err(invalid("an existing collection is no collection".to_owned()));
            }
            self.inherit(collection, &renames(desc.pExports, desc.NumExports)?)
        }
    }

    /// Takes over a state object's exports.
    fn inherit(&mut self, from: &Object<StateObject>, wanted: &[Rename]) -> Result<()> {
        let numbers: Vec<usize> = from.roots().iter().map(|root| self.root(root.clone())).collect();
        let inherited = from.give(wanted, &numbers)?;
        self.description.inherited.push(inherited);
        self.parents.push(from.keep());
        Ok(())
    }

    /// # Safety
    /// The description is as the API demands.
    unsafe fn associate(
        &mut self,
        desc: &D3D12_SUBOBJECT_TO_EXPORTS_ASSOCIATION,
        all: &[D3D12_STATE_SUBOBJECT],
        values: &mut [(usize, Own)],
    ) -> Result<()> {
        // SAFETY: the caller promises that it points to a subobject, or is null.
        let subobject = unsafe { desc.pSubobjectToAssociate.as_ref() };
        let subobject = subobject.ok_or_else(|| invalid("an association of no subobject".to_owned()))?;
        if matches!(subobject.Type, Type::STATE_OBJECT_CONFIG | Type::NODE_MASK) {
            return Ok(());
        }
        let alike = |other: &D3D12_STATE_SUBOBJECT| other.Type == subobject.Type && other.pDesc == subobject.pDesc;
        let number = all.iter().position(|other| core::ptr::eq(other, subobject));
        let number = number.or_else(|| all.iter().position(alike));
        let value = match values.iter_mut().find(|(at, _)| Some(*at) == number) {
            Some((_, own)) => {
                own.named = true;
                own.value
            }
            // SAFETY: the caller promises that the type says what the description is.
            None => unsafe { self.value(subobject)? },
        };
        // SAFETY: the caller promises an array of names as long as it says.
        let exports = unsafe { names(desc.pExports, desc.NumExports)? };
        self.push(value, exports, [Rank::Default, Rank::Explicit], None);
        Ok(())
    }

    /// # Safety
    /// The description is as the API demands.
    unsafe fn associate_declared(
        &mut self,
        desc: &D3D12_DXIL_SUBOBJECT_TO_EXPORTS_ASSOCIATION,
        declarations: &[Declaration],
    ) -> Result<()> {
        // SAFETY: the caller promises a name, and an array of names as long as it says.
        let (name, exports) = unsafe { (text(desc.SubobjectToAssociate)?, names(desc.pExports, desc.NumExports)?) };
        let found = declarations.iter().find(|declaration| declaration.name == name);
        let found = found.ok_or_else(|| invalid(format!("an association of {name:?}, which no library declares")))?;
        reprise_log::debug(|| format!("state object: {name:?} of library {} is associated", found.library));
        self.push(found.value, exports, [Rank::Default, Rank::Explicit], None);
        Ok(())
    }
}

fn shader_config(payload: u32, attributes: u32) -> Result<Value> {
    /// `D3D12_RAYTRACING_MAX_ATTRIBUTE_SIZE_IN_BYTES`.
    const LARGEST: u32 = 32;
    if attributes > LARGEST {
        return Err(invalid(format!("a shader config with attributes of {attributes} bytes; the API has {LARGEST}")));
    }
    Ok(Value::Shader(ShaderConfig { payload, attributes }))
}

fn pipeline_config(depth: u32, flags: u32) -> Result<Value> {
    /// `D3D12_RAYTRACING_MAX_DECLARABLE_TRACE_RECURSION_DEPTH`.
    const DEEPEST: u32 = 31;
    if depth > DEEPEST {
        return Err(invalid(format!("a pipeline config with a recursion of depth {depth}; the API has {DEEPEST}")));
    }
    Ok(Value::Pipeline(PipelineConfig { depth, flags }))
}

/// # Safety
/// The description holds null or a COM pointer.
unsafe fn root_signature(desc: *const c_void, local: bool) -> Result<Ref<RootSignature>> {
    // SAFETY: the caller promises that the description holds null or a COM pointer.
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
/// The description is as the API demands.
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
/// The array is as long as it says, its names end with zero.
unsafe fn names(first: *const *const u16, count: u32) -> Result<Vec<String>> {
    if first.is_null() || count == 0 {
        return Ok(Vec::new());
    }
    // SAFETY: the caller promises an array of this length.
    unsafe { core::slice::from_raw_parts(first, count as usize).iter().map(|name| text(*name)).collect() }
}

/// # Safety
/// The array is as long as it says, its names end with zero.
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
