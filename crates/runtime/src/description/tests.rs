//! Random root signatures through the API's structures and back.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use reprise_dxbc::root_signature::{
    Constants, Content, Descriptor, Kind, Parameter, Range, RootSignature, StaticSampler, Version,
};

use super::{Description, read};

fn kind() -> impl Strategy<Value = Kind> {
    prop::sample::select(vec![Kind::Srv, Kind::Uav, Kind::Cbv])
}

fn content() -> impl Strategy<Value = Content> {
    let range = (kind(), 1u32..9, 0u32..99, 0u32..4, 0u32..4, prop::option::of(0u32..50)).prop_map(
        |(kind, count, register, space, flags, offset)| Range {
            kind,
            count,
            register,
            space,
            flags,
            offset: offset.unwrap_or(u32::MAX),
        },
    );
    prop_oneof![
        prop::collection::vec(range, 0..5).prop_map(Content::Table),
        (0u32..99, 0u32..4, 1u32..9).prop_map(|(register, space, count)| Content::Constants(Constants {
            register,
            space,
            count
        })),
        (kind(), 0u32..99, 0u32..4, 0u32..4).prop_map(|(kind, register, space, flags)| Content::Descriptor(
            Descriptor { kind, register, space, flags: flags << 1 }
        )),
    ]
}

/// Also used by the tests against another serialiser.
pub(crate) fn signature() -> impl Strategy<Value = RootSignature> {
    let parameter = (0u32..6, content()).prop_map(|(visibility, content)| Parameter { visibility, content });
    let sampler = (any::<u32>(), 1u32..6, -4.0f32..4.0, 0u32..9, 0u32..6, 0u32..2).prop_map(
        |(word, mode, bias, register, visibility, flags)| StaticSampler {
            filter: word & 0x55,
            address_u: mode,
            address_v: 1 + (word >> 8) % 5,
            address_w: 1 + (word >> 12) % 5,
            mip_lod_bias: bias.to_bits(),
            max_anisotropy: (word >> 16) % 17,
            comparison: 1 + (word >> 21) % 8,
            border_color: (word >> 25) % 3,
            min_lod: 0,
            max_lod: 1000.0f32.to_bits(),
            register,
            space: word >> 30,
            visibility,
            flags,
        },
    );
    (0u32..0x80, prop::collection::vec(parameter, 0..7), prop::collection::vec(sampler, 0..4))
        .prop_map(|(flags, parameters, samplers)| RootSignature { flags, parameters, samplers })
}

proptest! {
    #[test]
    fn structures_say_what_the_model_says(signature in signature()) {
        for version in [Version::V1_0, Version::V1_1, Version::V1_2] {
            let said = Description::new(&signature, version);
            // SAFETY: the description holds its arrays.
            let (heard, heard_version) = unsafe { read(said.get()) }.unwrap();
            prop_assert_eq!(heard_version, version);
            prop_assert_eq!(heard, signature.in_version(version));
        }
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let signature = RootSignature {
        parameters: vec![Parameter {
            visibility: 0,
            content: Content::Constants(Constants { register: 0, space: 0, count: 1 }),
        }],
        ..RootSignature::default()
    };
    let said = Description::new(&signature, Version::V1_1);
    let mut desc = *said.get();
    desc.Version.0 = 9;
    // SAFETY: the description holds its arrays.
    unsafe {
        assert!(read(&desc).is_err(), "no such version");
        desc = *said.get();
        desc.Anonymous.Desc_1_1.pParameters = core::ptr::null();
        assert!(read(&desc).is_err(), "no parameters where one is said to be");
        let mut parameter = *said.get().Anonymous.Desc_1_1.pParameters;
        parameter.ParameterType.0 = 7;
        desc.Anonymous.Desc_1_1.pParameters = &parameter;
        assert!(read(&desc).is_err(), "no such parameter type");
    }
}
