//! What the model's tables cannot say: lengths and types that only the API's documentation states.
//!
//! Each rule has an arm for reading here and one for making in [`make_rules`](crate::make_rules). Written from the API's
//! documentation, not from the codec, which is what it checks.

use crate::read::{MOST, Reader, Scope, Side, address, load, mask};
use crate::value::Value;
use reprise_d3d12::model::{Field, Pointee, Rule, Struct, StructId, Type};

/// What a pipeline-state stream holds, by type of subobject. The name is a structure, or a scalar in brackets.
pub(crate) const STREAM: &[(u32, &str)] = &[
    (0, "[object]ID3D12RootSignature"),
    (1, "D3D12_SHADER_BYTECODE"),
    (2, "D3D12_SHADER_BYTECODE"),
    (3, "D3D12_SHADER_BYTECODE"),
    (4, "D3D12_SHADER_BYTECODE"),
    (5, "D3D12_SHADER_BYTECODE"),
    (6, "D3D12_SHADER_BYTECODE"),
    (7, "D3D12_STREAM_OUTPUT_DESC"),
    (8, "D3D12_BLEND_DESC"),
    (9, "[u32]"),
    (10, "D3D12_RASTERIZER_DESC"),
    (11, "D3D12_DEPTH_STENCIL_DESC"),
    (12, "D3D12_INPUT_LAYOUT_DESC"),
    (13, "[u32]"),
    (14, "[u32]"),
    (15, "D3D12_RT_FORMAT_ARRAY"),
    (16, "[u32]"),
    (17, "DXGI_SAMPLE_DESC"),
    (18, "[u32]"),
    (19, "D3D12_CACHED_PIPELINE_STATE"),
    (20, "[u32]"),
    (21, "D3D12_DEPTH_STENCIL_DESC1"),
    (22, "D3D12_VIEW_INSTANCING_DESC"),
    (24, "D3D12_SHADER_BYTECODE"),
    (25, "D3D12_SHADER_BYTECODE"),
    (26, "D3D12_DEPTH_STENCIL_DESC2"),
    (27, "D3D12_RASTERIZER_DESC1"),
    (28, "D3D12_RASTERIZER_DESC2"),
    (29, "D3D12_SERIALIZED_ROOT_SIGNATURE_DESC"),
];

/// What a state object's subobjects hold, by type.
pub(crate) const STATE: &[(u32, &str)] = &[
    (0, "D3D12_STATE_OBJECT_CONFIG"),
    (1, "D3D12_GLOBAL_ROOT_SIGNATURE"),
    (2, "D3D12_LOCAL_ROOT_SIGNATURE"),
    (3, "D3D12_NODE_MASK"),
    (5, "D3D12_DXIL_LIBRARY_DESC"),
    (6, "D3D12_EXISTING_COLLECTION_DESC"),
    (7, "D3D12_SUBOBJECT_TO_EXPORTS_ASSOCIATION"),
    (8, "D3D12_DXIL_SUBOBJECT_TO_EXPORTS_ASSOCIATION"),
    (9, "D3D12_RAYTRACING_SHADER_CONFIG"),
    (10, "D3D12_RAYTRACING_PIPELINE_CONFIG"),
    (11, "D3D12_HIT_GROUP_DESC"),
    (12, "D3D12_RAYTRACING_PIPELINE_CONFIG1"),
    (13, "D3D12_WORK_GRAPH_DESC"),
    (14, "D3D12_STREAM_OUTPUT_DESC"),
    (15, "D3D12_BLEND_DESC"),
    (16, "[u32]"),
    (17, "D3D12_RASTERIZER_DESC2"),
    (18, "D3D12_DEPTH_STENCIL_DESC"),
    (19, "D3D12_INPUT_LAYOUT_DESC"),
    (20, "[u32]"),
    (21, "[u32]"),
    (22, "D3D12_RT_FORMAT_ARRAY"),
    (23, "[u32]"),
    (24, "DXGI_SAMPLE_DESC"),
    (26, "[u32]"),
    (27, "D3D12_DEPTH_STENCIL_DESC1"),
    (28, "D3D12_VIEW_INSTANCING_DESC"),
    (29, "D3D12_GENERIC_PROGRAM_DESC"),
    (30, "D3D12_DEPTH_STENCIL_DESC2"),
    (31, "D3D12_GLOBAL_SERIALIZED_ROOT_SIGNATURE"),
    (32, "D3D12_LOCAL_SERIALIZED_ROOT_SIGNATURE"),
    (33, "D3D12_COMPILER_EXISTING_COLLECTION_DESC"),
    (36, "D3D12_EXISTING_COLLECTION_BY_KEY_DESC"),
];

/// The structure with this name.
pub(crate) fn structure(name: &str) -> Option<(StructId, &'static Struct)> {
    let structs = crate::model().structs;
    structs.iter().position(|s| s.name == name).map(|i| (StructId(i as u16), &structs[i]))
}

/// The type behind a name of [`STREAM`] or [`STATE`].
pub(crate) fn named_type(name: &str) -> Option<Type> {
    if name == "[u32]" {
        return Some(Type::U32);
    }
    if let Some(interface) = name.strip_prefix("[object]") {
        let at = crate::model().interfaces.iter().position(|i| i.name == interface)?;
        return Some(Type::Object(reprise_d3d12::model::InterfaceId(at as u16)));
    }
    structure(name).map(|(id, _)| Type::Struct(id))
}

/// The structure that `CheckFeatureSupport` fills for a feature: named after the feature.
pub(crate) fn feature(scope: &Scope<'_>) -> Option<&'static Struct> {
    let model = crate::model();
    let (index, field) = scope.fields().iter().enumerate().find(|(_, f)| matches!(f.ty, Type::Enum(_)))?;
    let Type::Enum(id) = field.ty else { return None };
    let enumeration = &model.enums[id.0 as usize];
    let value = scope.bits(model, index);
    let (member, _) = enumeration.members.iter().find(|(_, v)| (*v as u64) & mask(4) == value)?;
    let rest = member.strip_prefix("D3D12_FEATURE_")?;
    let rest = match rest {
        "D3D12_TIGHT_ALIGNMENT" => "TIGHT_ALIGNMENT",
        "SHADER_CACHE_ABI_SUPPORT" => "SHADERCACHE_ABI_SUPPORT",
        rest => rest,
    };
    structure(&format!("D3D12_FEATURE_DATA_{rest}")).map(|s| s.1)
}

/// The number of elements of a rule that is no more than a count.
pub(crate) fn count(rule: Rule, scope: &Scope<'_>) -> Option<u64> {
    let model = crate::model();
    let named = |name: &str| scope.named(model, name);
    Some(match rule {
        Rule::RenderTargets => {
            let number = named("NumRenderTargetDescriptors")?;
            if named("RTsSingleHandleToDescriptorRange")? != 0 { number.min(1) } else { number }
        }
        Rule::Named("SamplePositions") => named("NumSamplesPerPixel")?.checked_mul(named("NumPixels")?)?,
        // The graph knows how large a record is, and there is none here: a single one for all has no size then.
        Rule::Named("NodeRecords") => match (named("NumRecords")?, named("RecordStrideInBytes")?) {
            (1.., 0) => return None,
            (records, stride) => records.checked_mul(stride)?,
        },
        _ => return None,
    })
}

/// The size that the parameter after a buffer points to.
///
/// # Safety
/// As for [`Reader::param`].
pub(crate) unsafe fn buffer_size(field: &Field, scope: &Scope<'_>) -> Option<u64> {
    let model = crate::model();
    let index = scope.fields().iter().position(|f| core::ptr::eq(f, field))? + 1;
    let Type::Pointer(size) = scope.fields().get(index)?.ty else { return None };
    let at = scope.bits(model, index) as *const u8;
    // SAFETY: a pointer to the size, null apart.
    (!at.is_null()).then(|| unsafe { load(at, size.ty.size(model.structs)) })
}

/// Reads what a pointer with a rule points to.
///
/// # Safety
/// As for [`Reader::param`].
// A rule needs to know all of its place: what, where, whose, beside what.
#[allow(clippy::too_many_arguments)]
pub(crate) unsafe fn read(
    reader: &Reader,
    rule: Rule,
    pointee: &'static Pointee,
    at: *const u8,
    index: usize,
    field: &'static Field,
    scope: &Scope<'_>,
    side: Side,
) -> Value {
    let model = reader.model;
    // SAFETY: the lengths below are those that the API documents for these pointers.
    unsafe {
        match rule {
            Rule::PipelineStream => match scope.named(model, "SizeInBytes") {
                Some(size) if size <= MOST => stream(reader, at, size as usize, scope, field, side),
                _ => address(at as u64),
            },
            Rule::StateSubobject => {
                let kind = scope.named(model, "Type").unwrap_or(u64::MAX);
                match STATE.iter().find(|(k, _)| u64::from(*k) == kind).and_then(|(_, name)| named_type(name)) {
                    Some(ty) => Value::List(vec![reader.element(ty, at, scope, field, at, side)]),
                    None => address(at as u64),
                }
            }
            // The mapped memory itself is the program's to write: only where it lies is compared.
            Rule::Mapping => Value::List(vec![address(load(at, 8))]),
            Rule::StateSubobjectReference => match scope {
                Scope::Memory { outer: Some(Scope::Memory { array, .. }), .. } => {
                    Value::Bits { bits: (at as u64).wrapping_sub(*array as u64) / 16, size: 8 }
                }
                _ => address(at as u64),
            },
            Rule::FeatureData => {
                let size = scope.fields().iter().position(|f| f.name.ends_with("Size")).map(|i| scope.bits(model, i));
                match (feature(scope), size) {
                    (Some(structure), Some(size)) if size >= u64::from(structure.size) => {
                        Value::List(vec![reader.structure(structure, at, Some(scope), at, side)])
                    }
                    (_, Some(size)) if size <= MOST => reader.array(Type::U8, at, size, scope, field, side),
                    _ => address(at as u64),
                }
            }
            // The formats of one resource: their number is in an array beside.
            Rule::CastableFormats => match scope.named(model, "pNumCastableFormats") {
                Some(counts) if counts != 0 => {
                    let number = load((counts as *const u8).add(index * 4), 4);
                    reader.array(pointee.ty, at, number, scope, field, side)
                }
                _ => address(at as u64),
            },
            // An array of structures, or one of pointers to them.
            Rule::ElementsLayout => {
                let number = scope.named(model, "NumDescs").unwrap_or(0).min(MOST);
                if scope.named(model, "DescsLayout") != Some(1) {
                    return reader.array(pointee.ty, at, number, scope, field, side);
                }
                let items = (0..number as usize).map(|i| {
                    let item = load(at.add(i * 8), 8) as *const u8;
                    if item.is_null() { Value::Null } else { reader.array(pointee.ty, item, 1, scope, field, side) }
                });
                Value::List(items.collect())
            }
            Rule::Named("OneInBuffer") => {
                let size = u64::from(pointee.ty.size(model.structs));
                match buffer_size(field, scope) {
                    Some(room) if room >= size => reader.array(pointee.ty, at, 1, scope, field, side),
                    _ => address(at as u64),
                }
            }
            Rule::Named("ExperimentalConfiguration") => {
                let sizes = scope.named(model, "pConfigurationStructSizes").unwrap_or(0) as *const u8;
                let number = scope.named(model, "NumFeatures").unwrap_or(0) as usize;
                if sizes.is_null() {
                    return address(at as u64);
                }
                let total = (0..number).map(|i| load(sizes.add(i * 4), 4)).sum();
                reader.array(Type::U8, at, total, scope, field, side)
            }
            Rule::Named("NodeInputs") => {
                let count = scope.named(model, "NumNodeInputs").unwrap_or(0);
                let step = scope.named(model, "NodeInputStrideInBytes").unwrap_or(0) as usize;
                if count > MOST {
                    return address(at as u64);
                }
                let element = |i| reader.element(pointee.ty, at.add(i * step), scope, field, at, side);
                Value::List((0..count as usize).map(element).collect())
            }
            rule => match count(rule, scope) {
                Some(count) if count <= MOST => reader.array(pointee.ty, at, count, scope, field, side),
                _ => address(at as u64),
            },
        }
    }
}

/// A pipeline-state stream: each subobject is its type, then its value at the value's own alignment; the next one begins
/// at a multiple of 8 bytes.
///
/// # Safety
/// The stream must be readable, and what it points to valid.
unsafe fn stream(
    reader: &Reader,
    at: *const u8,
    size: usize,
    scope: &Scope<'_>,
    field: &'static Field,
    side: Side,
) -> Value {
    let mut items = Vec::new();
    let mut offset = 0;
    while offset + 4 <= size {
        // SAFETY: inside the stream's size, which the caller promises.
        let kind = unsafe { load(at.add(offset), 4) };
        let known = STREAM.iter().find(|(k, _)| u64::from(*k) == kind).and_then(|(_, name)| named_type(name));
        let Some(ty) = known else {
            // SAFETY: the rest of the stream lies inside its size; it is taken as bytes, since it cannot be taken apart.
            let rest = unsafe { reader.array(Type::U8, at.add(offset), (size - offset) as u64, scope, field, side) };
            items.push(rest);
            break;
        };
        let start = (offset + 4).next_multiple_of(ty.align(reader.model.structs) as usize);
        let end = start + ty.size(reader.model.structs) as usize;
        if end > size {
            break;
        }
        // SAFETY: the value lies inside the stream.
        let value = unsafe { reader.element(ty, at.add(start), scope, field, at, side) };
        items.push(Value::Struct("subobject", vec![("type", Value::Bits { bits: kind, size: 4 }), ("value", value)]));
        offset = end.next_multiple_of(8);
    }
    Value::List(items)
}
