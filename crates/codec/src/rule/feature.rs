//! `CheckFeatureSupport`: the type that a feature's number names.

use crate::codec::Codec;
use crate::frame::Frame;
use crate::shape::Kind;
use crate::wire::Reason;
use reprise_d3d12::model::{EnumId, Model, Type};

/// The features of one enumeration, with the types that answer them, by rising number.
pub(crate) struct Features {
    selector: EnumId,
    cases: &'static [(i64, Type)],
}

/// All of the model's tables of choices: a feature's is found by its enumeration.
pub(crate) fn features(model: &Model) -> Box<[Features]> {
    model.selects.iter().map(|s| Features { selector: s.selector, cases: s.cases }).collect()
}

/// What answers a feature.
pub(crate) fn structure(codec: &Codec, features: EnumId, value: i64) -> Option<Type> {
    let features = codec.features.iter().find(|f| f.selector == features)?;
    features.cases.iter().find(|c| c.0 as u32 == value as u32).map(|c| c.1)
}

/// The type where the size that the program states fits it, plain bytes otherwise.
pub(crate) fn kind(codec: &Codec, frame: &Frame<'_>) -> Kind {
    let ty = (frame.fields.iter().enumerate()).find_map(|(index, field)| match field.ty {
        Type::Enum(id) => structure(codec, id, frame.value(index) as i64),
        _ => None,
    });
    match ty {
        Some(ty) if size(frame) == Some(codec.size_of(ty)) => Kind::Elements(ty),
        _ => Kind::Elements(Type::U8),
    }
}

pub(crate) fn count(codec: &Codec, frame: &Frame<'_>) -> Result<u64, Reason> {
    match kind(codec, frame) {
        Kind::Elements(Type::U8) => size(frame).ok_or(Reason::NoRule),
        _ => Ok(1),
    }
}

fn size(frame: &Frame<'_>) -> Option<u64> {
    frame.fields.iter().position(|f| f.name.ends_with("DataSize")).map(|i| frame.value(i))
}
