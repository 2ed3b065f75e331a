//! Subobjects of pipeline state streams and of state objects: the type that each number names.
//!
//! Numbers and types are facts of the API's public headers; the tables name types of the model and are resolved once.

use crate::shape::Kind;
use reprise_d3d12::model::{EnumId, InterfaceId, Model, Select, StructId, Type};

/// `D3D12_PIPELINE_STATE_SUBOBJECT_TYPE`: number and type of the subobject's value. The first name that the model has is
/// taken.
const STREAM: &[(u32, &[&str])] = &[
    (0, &["ID3D12RootSignature"]),
    (1, &["D3D12_SHADER_BYTECODE"]),
    (2, &["D3D12_SHADER_BYTECODE"]),
    (3, &["D3D12_SHADER_BYTECODE"]),
    (4, &["D3D12_SHADER_BYTECODE"]),
    (5, &["D3D12_SHADER_BYTECODE"]),
    (6, &["D3D12_SHADER_BYTECODE"]),
    (7, &["D3D12_STREAM_OUTPUT_DESC"]),
    (8, &["D3D12_BLEND_DESC"]),
    (9, &["UINT"]),
    (10, &["D3D12_RASTERIZER_DESC"]),
    (11, &["D3D12_DEPTH_STENCIL_DESC"]),
    (12, &["D3D12_INPUT_LAYOUT_DESC"]),
    (13, &["D3D12_INDEX_BUFFER_STRIP_CUT_VALUE"]),
    (14, &["D3D12_PRIMITIVE_TOPOLOGY_TYPE"]),
    (15, &["D3D12_RT_FORMAT_ARRAY"]),
    (16, &["DXGI_FORMAT"]),
    (17, &["DXGI_SAMPLE_DESC"]),
    (18, &["D3D12_NODE_MASK", "UINT"]),
    (19, &["D3D12_CACHED_PIPELINE_STATE"]),
    (20, &["D3D12_PIPELINE_STATE_FLAGS"]),
    (21, &["D3D12_DEPTH_STENCIL_DESC1"]),
    (22, &["D3D12_VIEW_INSTANCING_DESC"]),
    (24, &["D3D12_SHADER_BYTECODE"]),
    (25, &["D3D12_SHADER_BYTECODE"]),
    (26, &["D3D12_DEPTH_STENCIL_DESC2"]),
    (27, &["D3D12_RASTERIZER_DESC1"]),
    (28, &["D3D12_RASTERIZER_DESC2"]),
    (29, &["D3D12_SERIALIZED_ROOT_SIGNATURE_DESC"]),
];

/// `D3D12_STATE_SUBOBJECT_TYPE`: number and type of what `pDesc` points to.
const STATE: &[(u32, &[&str])] = &[
    (0, &["D3D12_STATE_OBJECT_CONFIG"]),
    (1, &["D3D12_GLOBAL_ROOT_SIGNATURE"]),
    (2, &["D3D12_LOCAL_ROOT_SIGNATURE"]),
    (3, &["D3D12_NODE_MASK"]),
    (5, &["D3D12_DXIL_LIBRARY_DESC"]),
    (6, &["D3D12_EXISTING_COLLECTION_DESC"]),
    (7, &["D3D12_SUBOBJECT_TO_EXPORTS_ASSOCIATION"]),
    (8, &["D3D12_DXIL_SUBOBJECT_TO_EXPORTS_ASSOCIATION"]),
    (9, &["D3D12_RAYTRACING_SHADER_CONFIG"]),
    (10, &["D3D12_RAYTRACING_PIPELINE_CONFIG"]),
    (11, &["D3D12_HIT_GROUP_DESC"]),
    (12, &["D3D12_RAYTRACING_PIPELINE_CONFIG1"]),
    (13, &["D3D12_WORK_GRAPH_DESC"]),
    (14, &["D3D12_STREAM_OUTPUT_DESC"]),
    (15, &["D3D12_BLEND_DESC"]),
    (16, &["UINT"]),
    (17, &["D3D12_RASTERIZER_DESC2"]),
    (18, &["D3D12_DEPTH_STENCIL_DESC"]),
    (19, &["D3D12_INPUT_LAYOUT_DESC"]),
    (20, &["D3D12_INDEX_BUFFER_STRIP_CUT_VALUE"]),
    (21, &["D3D12_PRIMITIVE_TOPOLOGY_TYPE"]),
    (22, &["D3D12_RT_FORMAT_ARRAY"]),
    (23, &["DXGI_FORMAT"]),
    (24, &["DXGI_SAMPLE_DESC"]),
    (26, &["D3D12_PIPELINE_STATE_FLAGS"]),
    (27, &["D3D12_DEPTH_STENCIL_DESC1"]),
    (28, &["D3D12_VIEW_INSTANCING_DESC"]),
    (29, &["D3D12_GENERIC_PROGRAM_DESC"]),
    (30, &["D3D12_DEPTH_STENCIL_DESC2"]),
];

/// The tables, with their names looked up in one model.
pub(crate) struct Subobjects {
    stream: Box<[Option<Type>]>,
    state: Box<[Option<Type>]>,
    chain: Box<[(i64, Type)]>,
    /// The enumeration that names the stream's subobjects, for dumps.
    pub(crate) stream_types: Option<EnumId>,
}

/// One subobject of a pipeline stream: the value lies at `offset` of the stream.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subobject {
    pub(crate) ty: Type,
    pub(crate) offset: usize,
    pub(crate) next: usize,
}

impl Subobjects {
    pub(crate) fn new(model: &Model) -> Subobjects {
        Subobjects {
            stream: choices(model, "D3D12_PIPELINE_STATE_SUBOBJECT_TYPE", STREAM),
            state: choices(model, "D3D12_STATE_SUBOBJECT_TYPE", STATE),
            chain: model.selects.iter().find(|s| s.name == "VkNext").map_or(Box::default(), |s| s.cases.into()),
            stream_types: model
                .enums
                .iter()
                .position(|e| e.name == "D3D12_PIPELINE_STATE_SUBOBJECT_TYPE")
                .map(|i| EnumId(i as u16)),
        }
    }

    /// What `pDesc` of a state subobject of this type points to.
    pub(crate) fn state_kind(&self, number: u64) -> Kind {
        match usize::try_from(number).ok().and_then(|n| self.state.get(n).copied().flatten()) {
            Some(ty) => Kind::Elements(ty),
            None => Kind::Opaque(number),
        }
    }

    /// The structure of a chain that begins with this type number.
    pub(crate) fn chained(&self, number: u32) -> Option<StructId> {
        self.chain.iter().find_map(|c| match c.1 {
            Type::Struct(id) if c.0 as u32 == number => Some(id),
            _ => None,
        })
    }

    /// The subobject at `offset` of a stream of `length` bytes, its type number being `number`; `None` when the number is
    /// not known or the subobject does not fit: its bytes and all that follow are then opaque.
    pub(crate) fn stream_at(&self, model: &Model, number: u32, offset: usize, length: usize) -> Option<Subobject> {
        let ty = self.stream.get(number as usize).copied().flatten()?;
        let align = ty.align(model.structs).max(4) as usize;
        let value = offset.checked_add(4)?.next_multiple_of(align);
        let end = value.checked_add(ty.size(model.structs) as usize)?;
        if end > length {
            return None;
        }
        Some(Subobject { ty, offset: value, next: end.next_multiple_of(8) })
    }

    /// The numbers that are known, for fabricated streams.
    #[cfg(feature = "fabricate")]
    pub(crate) fn stream_numbers(&self) -> Vec<u32> {
        (0..self.stream.len() as u32).filter(|n| self.stream[*n as usize].is_some()).collect()
    }

    /// The numbers that are known, for fabricated state objects.
    #[cfg(feature = "fabricate")]
    pub(crate) fn state_numbers(&self) -> Vec<u32> {
        (0..self.state.len() as u32).filter(|n| self.state[*n as usize].is_some()).collect()
    }
}

/// The model's own table where it has one.
fn choices(model: &Model, selector: &str, table: &[(u32, &[&str])]) -> Box<[Option<Type>]> {
    let names = |s: &&Select| model.enums.get(s.selector.0 as usize).is_some_and(|e| e.name == selector);
    let Some(select) = model.selects.iter().find(names) else { return resolve(model, table) };
    let known = select.cases.iter().filter_map(|c| Some((usize::try_from(c.0).ok().filter(|n| *n < 4096)?, c.1)));
    let mut types = Vec::new();
    for (number, ty) in known {
        types.resize(types.len().max(number + 1), None);
        types[number] = Some(ty);
    }
    types.into_boxed_slice()
}

fn resolve(model: &Model, table: &[(u32, &[&str])]) -> Box<[Option<Type>]> {
    let mut types = vec![None; table.iter().map(|t| t.0 as usize + 1).max().unwrap_or(0)];
    for (number, names) in table {
        types[*number as usize] = names.iter().find_map(|name| named(model, name));
    }
    types.into_boxed_slice()
}

fn named(model: &Model, name: &str) -> Option<Type> {
    if name == "UINT" {
        return Some(Type::U32);
    }
    if let Some(i) = model.structs.iter().position(|s| s.name == name) {
        return Some(Type::Struct(StructId(i as u16)));
    }
    if let Some(i) = model.interfaces.iter().position(|s| s.name == name) {
        return Some(Type::Object(InterfaceId(i as u16)));
    }
    model.enums.iter().position(|s| s.name == name).map(|i| Type::Enum(EnumId(i as u16)))
}
