//! `CheckFeatureSupport`: the structure that a feature's number names.

use crate::codec::Codec;
use crate::frame::Frame;
use crate::shape::Kind;
use crate::wire::Reason;
use reprise_d3d12::model::{Enum, Model, StructId, Type};

/// `D3D12_FEATURE_X` is answered in `D3D12_FEATURE_DATA_X`; video features likewise.
pub(crate) fn structure(model: &Model, features: &Enum, value: i64) -> Option<StructId> {
    let (name, _) = features.members.iter().find(|m| m.1 as u32 == value as u32)?;
    let rest = name.strip_prefix("D3D12_FEATURE_")?;
    let index = model.structs.iter().position(|s| s.name.strip_prefix("D3D12_FEATURE_DATA_") == Some(rest))?;
    Some(StructId(index as u16))
}

/// The structure where the size that the program states fits it, plain bytes otherwise.
pub(crate) fn kind(codec: &Codec, frame: &Frame<'_>) -> Kind {
    let size = size(frame);
    let structure = (frame.fields.iter().enumerate()).find_map(|(index, field)| match field.ty {
        Type::Enum(id) => {
            let features = codec.model.enums.get(id.0 as usize)?;
            structure(&codec.model, features, frame.value(index) as i64)
        }
        _ => None,
    });
    match structure {
        Some(id) if size == Some(codec.size_of(Type::Struct(id))) => Kind::Elements(Type::Struct(id)),
        _ => Kind::Elements(Type::U8),
    }
}

pub(crate) fn count(codec: &Codec, frame: &Frame<'_>) -> Result<u64, Reason> {
    match kind(codec, frame) {
        Kind::Elements(Type::Struct(_)) => Ok(1),
        _ => size(frame).ok_or(Reason::NoRule),
    }
}

fn size(frame: &Frame<'_>) -> Option<u64> {
    let position = frame.fields.iter().position(|f| f.name.ends_with("DataSize") || f.name.ends_with("SupportSize"))?;
    Some(frame.value(position))
}
