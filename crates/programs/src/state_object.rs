//! State objects of ray tracing, of work graphs and of generic programs, stated as data, and tables of their shaders' records.

use crate::buffer::Buffer;
use crate::com::{Com, call, create};
use crate::device::Device;
use crate::failure::Failure;
use crate::list::List;
use crate::root::RootSignature;
use crate::shader::Shader;
use core::any::Any;
use core::ffi::c_void;
use reprise_d3d12::interface;
use reprise_d3d12::types::*;

/// Bytes of an identifier.
const IDENTIFIER: usize = 32;
/// What records are multiples of.
const RECORD: usize = 32;
/// What tables are multiples of.
const TABLE: usize = 64;

/// A subobject.
pub(crate) enum Part<'a> {
    /// `D3D12_STATE_OBJECT_FLAGS`.
    Flags(D3D12_STATE_OBJECT_FLAGS),
    /// Shaders of a library: the names that they get, and those that they have; all of them if none is named.
    Library(&'a Shader, &'a [(&'a str, &'a str)]),
    /// All exports of a collection.
    Collection(&'a StateObject),
    /// A hit group: its name; any-hit, closest-hit and intersection shader, which may be empty.
    HitGroup(&'a str, [&'a str; 3]),
    /// The root signature of a dispatch.
    Global(&'a RootSignature),
    /// The root signature of the records of these exports.
    Local(&'a RootSignature, &'a [&'a str]),
    /// Bytes of payloads and of attributes.
    Sizes(u32, u32),
    /// Depth of recursion.
    Depth(u32),
    /// Depth of recursion, and flags of the pipeline.
    Config(u32, D3D12_RAYTRACING_PIPELINE_FLAGS),
    /// A work graph of all nodes.
    Graph(&'a str),
    /// A work graph of this shader alone: the node's name and index, and its grid. It is the entry point.
    Alone(&'a str, &'a str, (&'a str, u32), [u32; 3]),
    /// Kind of primitives, for programs that list it.
    Topology(D3D12_PRIMITIVE_TOPOLOGY_TYPE),
    /// Formats of targets, for programs that list them.
    Formats(&'a [DXGI_FORMAT]),
    /// Blending, for programs that list it.
    Blend(&'a D3D12_BLEND_DESC),
    /// The rasteriser, for programs that list it.
    Rasterizer(&'a D3D12_RASTERIZER_DESC2),
    /// A generic program: its name, its exports, and the places of the parts that it lists.
    Program(&'a str, &'a [&'a str], &'a [usize]),
}

/// A state object.
pub(crate) struct StateObject {
    pub(crate) com: Com,
    properties: Com,
}

/// What descriptions point to, in its place until the call is over.
#[derive(Default)]
struct Arena(Vec<Box<dyn Any>>);

impl Arena {
    fn put<T: 'static>(&mut self, value: T) -> *const T {
        let value = Box::new(value);
        let place = &raw const *value;
        self.0.push(value);
        place
    }

    fn all<T: 'static>(&mut self, values: Vec<T>) -> *const T {
        let place = values.as_ptr();
        self.0.push(Box::new(values));
        place
    }

    /// A name; null where it is empty.
    fn name(&mut self, name: &str) -> *const u16 {
        match name {
            "" => core::ptr::null(),
            name => self.all(name.encode_utf16().chain([0]).collect()),
        }
    }
}

impl StateObject {
    /// Makes a state object. `grown` is the one that the parts are added to.
    pub(crate) fn new(
        device: &Device,
        kind: D3D12_STATE_OBJECT_TYPE,
        parts: &[Part<'_>],
        grown: Option<&StateObject>,
    ) -> Result<Self, Failure> {
        let mut arena = Arena::default();
        let mut subobjects: Vec<D3D12_STATE_SUBOBJECT> = Vec::with_capacity(2 * parts.len());
        // Where each part is among the subobjects.
        let mut places = Vec::with_capacity(parts.len());
        for part in parts {
            let listed = if let Part::Program(_, _, listed) = part { *listed } else { &[] };
            // The vector has room for all, so it does not move.
            let listed = listed.iter().map(|part| &raw const subobjects[places[*part]]).collect();
            places.push(subobjects.len());
            subobjects.push(describe(part, listed, &mut arena));
            if let Part::Local(_, exports) = part {
                let names: Vec<_> = exports.iter().map(|export| arena.name(export)).collect();
                let association = D3D12_SUBOBJECT_TO_EXPORTS_ASSOCIATION {
                    // The vector has room for all, so it does not move.
                    pSubobjectToAssociate: &raw const subobjects[subobjects.len() - 1],
                    NumExports: names.len() as u32,
                    pExports: arena.all(names).cast_mut(),
                };
                let kind = D3D12_STATE_SUBOBJECT_TYPE::SUBOBJECT_TO_EXPORTS_ASSOCIATION;
                let desc = arena.put(association).cast::<c_void>();
                subobjects.push(D3D12_STATE_SUBOBJECT { Type: kind, pDesc: desc });
            }
        }
        let desc = D3D12_STATE_OBJECT_DESC {
            Type: kind,
            NumSubobjects: subobjects.len() as u32,
            pSubobjects: subobjects.as_ptr(),
        };
        let lacks = |name: &str| Failure::Cannot(format!("the device has no {name}"));
        let com = match grown {
            None => {
                let device = device.com.query(interface("ID3D12Device5")).ok_or_else(|| lacks("ID3D12Device5"))?;
                create!(device, "ID3D12Device5", "CreateStateObject", &raw const desc; "ID3D12StateObject")?
            }
            Some(grown) => {
                let device = device.com.query(interface("ID3D12Device7")).ok_or_else(|| lacks("ID3D12Device7"))?;
                let (desc, grown) = (&raw const desc, &grown.com);
                create!(device, "ID3D12Device7", "AddToStateObject", desc, grown; "ID3D12StateObject")?
            }
        };
        let properties = com.query(interface("ID3D12StateObjectProperties"));
        let properties = properties.ok_or_else(|| Failure::Wrong("a state object without its properties".into()))?;
        Ok(Self { com, properties })
    }

    /// Tables of records without arguments, in a buffer: of the ray generation, miss, hit and callable shaders of these names.
    pub(crate) fn tables(&self, device: &Device, names: [&[&str]; 4]) -> Result<(Buffer, [Table; 4]), Failure> {
        let record = |name: &&str| {
            let identifier = self.identifier(name);
            let identifier = identifier.ok_or_else(|| Failure::Wrong(format!("no identifier of {name}")))?;
            Ok((identifier, Vec::new()))
        };
        let (mut records, mut tables) = (Records::default(), [Table::default(); 4]);
        for (table, names) in tables.iter_mut().zip(names) {
            *table = records.table(&names.iter().map(record).collect::<Result<Vec<_>, Failure>>()?);
        }
        let mut buffer = Buffer::upload(device, records.bytes.len() as u64)?;
        buffer.write(0, &records.bytes);
        Ok((buffer, tables))
    }

    /// The identifier of an export; `None` if it has none.
    pub(crate) fn identifier(&self, name: &str) -> Option<[u8; IDENTIFIER]> {
        let name: Vec<u16> = name.encode_utf16().chain([0]).collect();
        let found = call!(self.properties, "ID3D12StateObjectProperties", "GetShaderIdentifier", name.as_ptr());
        let found = found as *const [u8; IDENTIFIER];
        // SAFETY: null, or an identifier that lives as long as the state object.
        unsafe { found.as_ref() }.copied()
    }

    /// Bytes of stack that a shader needs.
    pub(crate) fn shader_stack(&self, name: &str) -> u64 {
        let name: Vec<u16> = name.encode_utf16().chain([0]).collect();
        call!(self.properties, "ID3D12StateObjectProperties", "GetShaderStackSize", name.as_ptr())
    }

    /// Bytes of stack that dispatches have.
    pub(crate) fn stack(&self) -> u64 {
        call!(self.properties, "ID3D12StateObjectProperties", "GetPipelineStackSize")
    }

    /// Sets the bytes of stack that dispatches have.
    pub(crate) fn set_stack(&self, bytes: u64) {
        call!(self.properties, "ID3D12StateObjectProperties", "SetPipelineStackSize", bytes);
    }
}

/// A subobject; a generic program comes with what it lists.
fn describe(part: &Part<'_>, listed: Vec<*const D3D12_STATE_SUBOBJECT>, arena: &mut Arena) -> D3D12_STATE_SUBOBJECT {
    use D3D12_STATE_SUBOBJECT_TYPE as Type;
    let (kind, desc): (Type, *const c_void) = match *part {
        Part::Flags(flags) => (Type::STATE_OBJECT_CONFIG, arena.put(flags).cast()),
        Part::Library(shader, exports) => {
            let mut export = |(name, from): &(&str, &str)| D3D12_EXPORT_DESC {
                Name: arena.name(name),
                ExportToRename: arena.name(from),
                ..Default::default()
            };
            let exports: Vec<_> = exports.iter().map(&mut export).collect();
            let desc = D3D12_DXIL_LIBRARY_DESC {
                DXILLibrary: crate::pipeline::bytecode(shader.dxil),
                NumExports: exports.len() as u32,
                pExports: arena.all(exports),
            };
            (Type::DXIL_LIBRARY, arena.put(desc).cast())
        }
        Part::Collection(collection) => {
            let desc =
                D3D12_EXISTING_COLLECTION_DESC { pExistingCollection: collection.com.as_ptr(), ..Default::default() };
            (Type::EXISTING_COLLECTION, arena.put(desc).cast())
        }
        Part::HitGroup(name, [any, closest, intersection]) => {
            let desc = D3D12_HIT_GROUP_DESC {
                HitGroupExport: arena.name(name),
                Type: match intersection {
                    "" => D3D12_HIT_GROUP_TYPE::TRIANGLES,
                    _ => D3D12_HIT_GROUP_TYPE::PROCEDURAL_PRIMITIVE,
                },
                AnyHitShaderImport: arena.name(any),
                ClosestHitShaderImport: arena.name(closest),
                IntersectionShaderImport: arena.name(intersection),
            };
            (Type::HIT_GROUP, arena.put(desc).cast())
        }
        Part::Global(root) => (Type::GLOBAL_ROOT_SIGNATURE, arena.put(root.com.as_ptr()).cast()),
        Part::Local(root, _) => (Type::LOCAL_ROOT_SIGNATURE, arena.put(root.com.as_ptr()).cast()),
        Part::Sizes(payload, attributes) => (Type::RAYTRACING_SHADER_CONFIG, arena.put([payload, attributes]).cast()),
        Part::Depth(depth) => (Type::RAYTRACING_PIPELINE_CONFIG, arena.put(depth).cast()),
        Part::Config(depth, flags) => {
            let config = D3D12_RAYTRACING_PIPELINE_CONFIG1 { MaxTraceRecursionDepth: depth, Flags: flags };
            (Type::RAYTRACING_PIPELINE_CONFIG1, arena.put(config).cast())
        }
        Part::Graph(name) => {
            let flags = D3D12_WORK_GRAPH_FLAGS::INCLUDE_ALL_AVAILABLE_NODES;
            let desc = D3D12_WORK_GRAPH_DESC { ProgramName: arena.name(name), Flags: flags, ..Default::default() };
            (Type::WORK_GRAPH, arena.put(desc).cast())
        }
        Part::Alone(name, shader, (node, index), grid) => {
            let id = D3D12_NODE_ID { Name: arena.name(node), ArrayIndex: index };
            let overrides = D3D12_BROADCASTING_LAUNCH_OVERRIDES {
                pProgramEntry: arena.put(1i32),
                pNewName: arena.put(id),
                pDispatchGrid: arena.all(grid.to_vec()),
                ..Default::default()
            };
            let mut explicit = D3D12_NODE { NodeType: D3D12_NODE_TYPE::SHADER, ..Default::default() };
            explicit.Anonymous.Shader = D3D12_SHADER_NODE {
                Shader: arena.name(shader),
                OverridesType: D3D12_NODE_OVERRIDES_TYPE::BROADCASTING_LAUNCH,
                ..Default::default()
            };
            explicit.Anonymous.Shader.Anonymous.pBroadcastingLaunchOverrides = arena.put(overrides);
            let desc = D3D12_WORK_GRAPH_DESC {
                ProgramName: arena.name(name),
                NumEntrypoints: 1,
                pEntrypoints: arena.put(id),
                NumExplicitlyDefinedNodes: 1,
                pExplicitlyDefinedNodes: arena.put(explicit),
                ..Default::default()
            };
            (Type::WORK_GRAPH, arena.put(desc).cast())
        }
        Part::Topology(topology) => (Type::PRIMITIVE_TOPOLOGY, arena.put(topology).cast()),
        Part::Formats(formats) => {
            let mut array = D3D12_RT_FORMAT_ARRAY { NumRenderTargets: formats.len() as u32, ..Default::default() };
            array.RTFormats[..formats.len()].copy_from_slice(formats);
            (Type::RENDER_TARGET_FORMATS, arena.put(array).cast())
        }
        Part::Blend(blend) => (Type::BLEND, arena.put(*blend).cast()),
        Part::Rasterizer(rasterizer) => (Type::RASTERIZER, arena.put(*rasterizer).cast()),
        Part::Program(name, exports, _) => {
            let names: Vec<_> = exports.iter().map(|export| arena.name(export)).collect();
            let desc = D3D12_GENERIC_PROGRAM_DESC {
                ProgramName: arena.name(name),
                NumExports: names.len() as u32,
                pExports: arena.all(names).cast_mut(),
                NumSubobjects: listed.len() as u32,
                ppSubobjects: arena.all(listed),
            };
            (Type::GENERIC_PROGRAM, arena.put(desc).cast())
        }
    };
    D3D12_STATE_SUBOBJECT { Type: kind, pDesc: desc }
}

/// Records, one after the other, in tables.
#[derive(Debug, Default)]
pub(crate) struct Records {
    /// As the GPU reads them.
    pub(crate) bytes: Vec<u8>,
}

/// A table: where it begins, its size, and bytes from a record to the next.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Table {
    first: u64,
    size: u64,
    stride: u64,
}

impl Records {
    /// Adds a table. A record is an identifier, zero where there is no shader, and its arguments.
    pub(crate) fn table(&mut self, records: &[([u8; IDENTIFIER], Vec<u8>)]) -> Table {
        self.bytes.resize(self.bytes.len().next_multiple_of(TABLE), 0);
        let largest = records.iter().map(|(_, arguments)| IDENTIFIER + arguments.len()).max().unwrap_or(0);
        let (first, stride) = (self.bytes.len(), largest.next_multiple_of(RECORD));
        for (number, (identifier, arguments)) in records.iter().enumerate() {
            self.bytes.resize(first + number * stride, 0);
            self.bytes.extend(identifier);
            self.bytes.extend(arguments);
        }
        self.bytes.resize(first + records.len() * stride, 0);
        Table { first: first as u64, size: (records.len() * stride) as u64, stride: stride as u64 }
    }
}

/// A dispatch of rays of so many columns and rows. Tables are of the ray generation, miss, hit and callable shaders.
pub(crate) fn rays(
    at: u64,
    [generation, miss, hit, callable]: [Table; 4],
    [width, height]: [u32; 2],
) -> D3D12_DISPATCH_RAYS_DESC {
    let table = |table: Table| D3D12_GPU_VIRTUAL_ADDRESS_RANGE_AND_STRIDE {
        StartAddress: at + table.first,
        SizeInBytes: table.size,
        StrideInBytes: table.stride,
    };
    D3D12_DISPATCH_RAYS_DESC {
        RayGenerationShaderRecord: D3D12_GPU_VIRTUAL_ADDRESS_RANGE {
            StartAddress: at + generation.first,
            SizeInBytes: generation.size,
        },
        MissShaderTable: table(miss),
        HitGroupTable: table(hit),
        CallableShaderTable: table(callable),
        Width: width,
        Height: height,
        Depth: 1,
    }
}

impl List {
    /// The list with the methods about state objects.
    fn with_rays(&self) -> Result<Com, Failure> {
        let list = self.com.query(interface("ID3D12GraphicsCommandList4"));
        list.ok_or_else(|| Failure::Cannot("lists have no ID3D12GraphicsCommandList4".into()))
    }

    /// Sets the ray tracing pipeline.
    pub(crate) fn set_state_object(&mut self, object: &StateObject) -> Result<(), Failure> {
        call!(self.with_rays()?, "ID3D12GraphicsCommandList4", "SetPipelineState1", &object.com);
        Ok(())
    }

    /// Dispatches rays.
    pub(crate) fn dispatch_rays(&mut self, desc: &D3D12_DISPATCH_RAYS_DESC) -> Result<(), Failure> {
        call!(self.with_rays()?, "ID3D12GraphicsCommandList4", "DispatchRays", &raw const *desc);
        Ok(())
    }
}
