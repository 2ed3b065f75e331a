//! The arguments in shader records, in the translator's words; `reprise_state_object::RecordLayout` says where they lie. Pure.

use reprise_dxbc::root_signature::{APPEND, Content, Kind, RootSignature};
use reprise_shader::{Binding, Class, Local, LocalParameter, LocalRange, Place, Slot};

use crate::descriptor::handle::INCREMENT;

fn class(kind: Kind) -> Class {
    match kind {
        Kind::Cbv => Class::Cbv,
        Kind::Srv => Class::Srv,
        Kind::Uav => Class::Uav,
        Kind::Sampler => Class::Sampler,
    }
}

/// A local root signature in the translator's words. Its static samplers are in set `set`, from binding `first` on.
pub fn local(signature: &RootSignature, set: u32, first: u32) -> Local {
    let parameters = signature.parameters.iter().map(|parameter| match &parameter.content {
        Content::Constants(it) => LocalParameter::Constants { space: it.space, register: it.register, words: it.count },
        Content::Descriptor(it) => {
            LocalParameter::Descriptor { class: class(it.kind), space: it.space, register: it.register }
        }
        Content::Table(ranges) => {
            let mut end = 0u32;
            let ranges = ranges.iter().map(|range| {
                let offset = if range.offset == APPEND { end } else { range.offset };
                end = offset.saturating_add(range.count);
                LocalRange {
                    class: class(range.kind),
                    space: range.space,
                    register: range.register,
                    count: range.count,
                    offset,
                }
            });
            LocalParameter::Table(ranges.collect())
        }
    });
    let samplers = signature.samplers.iter().zip(first..).map(|(sampler, binding)| Binding {
        class: Class::Sampler,
        space: sampler.space,
        register: sampler.register,
        count: 1,
        visibility: sampler.visibility,
        place: Place::Fixed(Slot { set, binding }),
    });
    // Handles count bytes of records of this size: see `descriptor::handle`.
    let size_log2 = INCREMENT.trailing_zeros();
    Local {
        resource_size_log2: size_log2,
        sampler_size_log2: size_log2,
        parameters: parameters.collect(),
        samplers: samplers.collect(),
    }
}

#[cfg(test)]
mod tests {
    use reprise_dxbc::root_signature::{Constants, Descriptor, Parameter, Range};

    use super::*;

    fn signature() -> RootSignature {
        let range = |kind, count, offset| Range { kind, count, register: 3, space: 1, flags: 0, offset };
        let contents = [
            Content::Constants(Constants { register: 0, space: 0, count: 3 }),
            Content::Descriptor(Descriptor { kind: Kind::Uav, register: 1, space: 0, flags: 0 }),
            Content::Table(vec![range(Kind::Srv, 4, 2), range(Kind::Uav, 1, APPEND)]),
            Content::Constants(Constants { register: 1, space: 0, count: 1 }),
            Content::Descriptor(Descriptor { kind: Kind::Srv, register: 2, space: 0, flags: 0 }),
        ];
        let parameters = contents.map(|content| Parameter { visibility: 0, content });
        RootSignature { flags: 0x80, parameters: parameters.to_vec(), samplers: vec![Default::default(); 2] }
    }

    #[test]
    fn ranges_and_samplers_have_their_places() {
        let local = local(&signature(), 5, 7);
        let LocalParameter::Table(ranges) = &local.parameters[2] else { panic!("a table") };
        assert_eq!(ranges.iter().map(|range| range.offset).collect::<Vec<_>>(), [2, 6]);
        let places: Vec<Place> = local.samplers.iter().map(|sampler| sampler.place).collect();
        assert_eq!(places, [7, 8].map(|binding| Place::Fixed(Slot { set: 5, binding })));
        assert_eq!((1u32 << local.resource_size_log2, 1u32 << local.sampler_size_log2), (INCREMENT, INCREMENT));
    }
}
