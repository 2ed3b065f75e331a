//! Lengths and types that only code can tell: one arm per [`Rule`], for the type ([`kind`]) and for the count ([`count`]).
//!
//! Both matches are exhaustive, so a rule added to the model does not compile until it is handled here.

pub(crate) mod feature;
pub(crate) mod named;
pub(crate) mod subobject;
pub(crate) mod texels;

use crate::codec::Codec;
use crate::frame::read_word;
use crate::objects::Objects;
use crate::shape::{Kind, Link, element};
use crate::wire::Reason;
use reprise_d3d12::model::{Rule, Type, render_target_handles};

/// `D3D12_ELEMENTS_LAYOUT_ARRAY_OF_POINTERS`.
const ARRAY_OF_POINTERS: u64 = 1;

pub(crate) fn kind(codec: &Codec, rule: Rule, link: &Link<'_>) -> Kind {
    let plain = Kind::Elements(element(link.pointee.ty));
    match rule {
        Rule::PipelineStream => Kind::Stream,
        Rule::StateSubobject => {
            codec.subobjects(link.frame.owner).state_kind(link.frame.named("Type").unwrap_or(u64::MAX))
        }
        Rule::StateSubobjectReference => Kind::Reference,
        Rule::FeatureData => feature::kind(codec, link.frame),
        // An array of pointers has the same rule for each of them.
        Rule::ElementsLayout if !link.inner && link.frame.named("DescsLayout") == Some(ARRAY_OF_POINTERS) => {
            Kind::Elements(Type::Pointer(link.pointee))
        }
        Rule::ElementsLayout | Rule::Mapping => plain,
        Rule::RenderTargets | Rule::SubresourceData | Rule::CastableFormats | Rule::CalleeOwned => plain,
        Rule::Named(name) => named::kind(name, link),
    }
}

/// # Safety
/// As for [`Codec::count`].
pub(crate) unsafe fn count(
    codec: &Codec,
    rule: Rule,
    link: &Link<'_>,
    pointer: u64,
    objects: &dyn Objects,
) -> Result<u64, Reason> {
    let frame = link.frame;
    let sibling = |name: &str| frame.named(name).ok_or(Reason::NoRule);
    match rule {
        Rule::PipelineStream => sibling("SizeInBytes"),
        Rule::StateSubobject | Rule::StateSubobjectReference | Rule::Mapping => Ok(1),
        Rule::FeatureData => feature::count(codec, frame),
        Rule::RenderTargets => {
            // By place: the call is frequent. `NumRenderTargetDescriptors`, `RTsSingleHandleToDescriptorRange`.
            Ok(render_target_handles(frame.value(0), frame.value(2) != 0))
        }
        Rule::SubresourceData => texels::bytes(link, objects),
        Rule::CastableFormats => {
            let outer = sibling("numResourceDescs")?;
            if !link.inner {
                return Ok(outer);
            }
            let counts = sibling("pNumCastableFormats")?;
            if counts == 0 || link.index as u64 >= outer {
                return Err(Reason::NoCount);
            }
            // SAFETY: the API demands one count per description; the index is below their number.
            Ok(unsafe { read_word((counts as *const u8).wrapping_add(link.index * 4), 4) })
        }
        Rule::CalleeOwned => match link.pointee.ty {
            Type::Void | Type::U8 | Type::I8 => match frame.owner {
                crate::frame::Owner::Call(method) => objects.owned_size(method, pointer).ok_or(Reason::SizeUnknown),
                crate::frame::Owner::Struct(_) => Err(Reason::SizeUnknown),
            },
            _ => Ok(1),
        },
        Rule::ElementsLayout => {
            if link.inner {
                return Ok(1);
            }
            sibling("NumDescs")
        }
        // SAFETY: the frame is over native memory, as this function demands, too.
        Rule::Named(name) => unsafe { named::count(name, link, objects) },
    }
}
