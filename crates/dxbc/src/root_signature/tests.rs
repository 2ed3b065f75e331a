//! Round trips over random root signatures; the one that Debian's libvkd3d serialised for `vkd3d-gears`, byte by byte;
//! cut and flipped bytes.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::container::{Checksum, Container};
use proptest::prelude::*;

/// One root constant buffer view, register 0, visible to the vertex shader, flags 0x3d: as serialised by libvkd3d 1.2.
const GEARS: &str = "44584243cb34f9b67bd260eb141924a2a83cc0bc01000000580000000100000024000000525453302c00000001000000\
                     0100000018000000000000002c0000003d0000000200000001000000240000000000000000000000";

fn unhex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
}

#[test]
fn reads_and_writes_what_another_runtime_wrote() {
    let bytes = unhex(GEARS);
    assert_eq!(Container::parse(&bytes).unwrap().checksum(), Checksum::Valid);
    let (signature, version) = RootSignature::from_container(&bytes).unwrap();
    let descriptor = Descriptor { kind: Kind::Cbv, register: 0, space: 0, flags: DATA_VOLATILE };
    let parameters = vec![Parameter { visibility: 1, content: Content::Descriptor(descriptor) }];
    assert_eq!(
        (signature.clone(), version),
        (RootSignature { flags: 0x3d, parameters, samplers: vec![] }, Version::V1_0)
    );
    assert_eq!(signature.to_container(Version::V1_0), bytes);
}

fn kinds() -> impl Strategy<Value = Kind> {
    prop::sample::select(vec![Kind::Srv, Kind::Uav, Kind::Cbv, Kind::Sampler])
}

fn content() -> impl Strategy<Value = Content> {
    let range = (kinds(), any::<[u32; 5]>()).prop_map(|(kind, [count, register, space, flags, offset])| Range {
        kind,
        count,
        register,
        space,
        flags,
        offset,
    });
    let root = prop::sample::select(vec![Kind::Srv, Kind::Uav, Kind::Cbv]);
    prop_oneof![
        prop::collection::vec(range, 0..4).prop_map(Content::Table),
        any::<[u32; 3]>().prop_map(|[register, space, count]| Content::Constants(Constants { register, space, count })),
        (root, any::<[u32; 3]>()).prop_map(|(kind, [register, space, flags])| {
            Content::Descriptor(Descriptor { kind, register, space, flags })
        }),
    ]
}

fn signature() -> impl Strategy<Value = RootSignature> {
    let parameter = (any::<u32>(), content()).prop_map(|(visibility, content)| Parameter { visibility, content });
    let sampler = any::<[u32; 14]>().prop_map(|w| StaticSampler {
        filter: w[0],
        address_u: w[1],
        address_v: w[2],
        address_w: w[3],
        mip_lod_bias: w[4],
        max_anisotropy: w[5],
        comparison: w[6],
        border_color: w[7],
        min_lod: w[8],
        max_lod: w[9],
        register: w[10],
        space: w[11],
        visibility: w[12],
        flags: w[13],
    });
    (any::<u32>(), prop::collection::vec(parameter, 0..5), prop::collection::vec(sampler, 0..3))
        .prop_map(|(flags, parameters, samplers)| RootSignature { flags, parameters, samplers })
}

proptest! {
    #[test]
    fn what_is_written_is_read_again(signature in signature(), number in 1u32..4) {
        let version = Version::from_number(number).unwrap();
        let bytes = signature.to_container(version);
        prop_assert_eq!(Container::parse(&bytes).unwrap().checksum(), Checksum::Valid);
        let read = RootSignature::from_container(&bytes).unwrap();
        prop_assert_eq!(&read, &(signature.in_version(version), version));
        prop_assert_eq!(read.0.to_container(version), bytes);
    }

    #[test]
    fn damaged_bytes_give_errors_or_values(signature in signature(), at in any::<prop::sample::Index>(), flip in 1u8..) {
        let mut bytes = signature.to_container(Version::V1_1);
        for end in 0..bytes.len() {
            prop_assert!(RootSignature::from_container(&bytes[..end]).is_err());
        }
        let at = at.index(bytes.len());
        bytes[at] ^= flip;
        let _ = RootSignature::from_container(&bytes);
        prop_assert!(!Container::parse(&bytes).is_ok_and(|c| at >= 4 && c.checksum() == Checksum::Valid));
    }
}

fn table(ranges: &[(Kind, u32, u32, u32)]) -> Parameter {
    let range = |&(kind, register, count, offset): &(Kind, u32, u32, u32)| Range {
        kind,
        count,
        register,
        space: 0,
        flags: 0,
        offset,
    };
    Parameter { visibility: 0, content: Content::Table(ranges.iter().map(range).collect()) }
}

fn written(parameters: Vec<Parameter>) -> Result<(), Fault> {
    RootSignature { parameters, ..RootSignature::default() }.check_written()
}

fn check(parameters: Vec<Parameter>) -> Result<(), Fault> {
    RootSignature { parameters, ..RootSignature::default() }.check()
}

/// Rules of "Root Signature Limits" and "Creating a Root Signature" in the API's documentation.
#[test]
fn refuses_what_the_api_refuses() {
    assert_eq!(check(vec![table(&[(Kind::Srv, 0, 4, APPEND), (Kind::Cbv, 0, 4, APPEND)])]), Ok(()));
    assert_eq!(check(vec![table(&[(Kind::Srv, 0, 1, 0)]); 1]), Ok(()));
    let mixed = check(vec![table(&[(Kind::Srv, 0, 1, 0), (Kind::Sampler, 0, 1, 1)])]);
    assert_eq!(mixed, Err(Fault::MixedTable(0)));
    let twice = check(vec![table(&[(Kind::Srv, 0, 4, 0)]), table(&[(Kind::Srv, 3, 1, 0)])]);
    assert_eq!(twice, Err(Fault::Overlap { kind: Kind::Srv, register: 3, space: 0 }));
    let endless = check(vec![table(&[(Kind::Srv, 0, UNBOUNDED, 0), (Kind::Uav, 0, 1, APPEND)])]);
    assert_eq!(endless, Err(Fault::Behind(0, 1)));
    assert_eq!(check(vec![table(&[(Kind::Srv, 0, 0, 0)])]), Err(Fault::Registers(0, 0, 0, 0)));
    let constants =
        |count| Parameter { visibility: 0, content: Content::Constants(Constants { register: 0, space: 0, count }) };
    assert_eq!(check(vec![constants(64)]), Ok(()));
    assert_eq!(check(vec![constants(65)]), Err(Fault::Cost(65)));
    let stage = |visibility| Parameter { visibility, ..constants(1) };
    assert_eq!(check(vec![stage(1), stage(5)]), Ok(()), "two stages do not meet");
    assert!(check(vec![stage(0), stage(5)]).is_err(), "all stages meet any");
    assert_eq!(check(vec![stage(8)]), Err(Fault::Visibility(0, 8)));
}

/// What Microsoft's compilers say of the same root signatures in HLSL (profile rootsig_1_1): they write one of 65 words, and refuse the rest.
#[test]
fn refuses_to_write_what_compilers_refuse() {
    let constants = |space, count| Parameter {
        visibility: 0,
        content: Content::Constants(Constants { register: 0, space, count }),
    };
    assert_eq!(written(vec![constants(0, 65)]), Ok(()));
    assert_eq!(written(vec![constants(0, 1); 2]), Err(Fault::Overlap { kind: Kind::Cbv, register: 0, space: 0 }));
    assert_eq!(written(vec![constants(0xffff_ffef, 1)]), Ok(()));
    assert_eq!(written(vec![constants(0xffff_fff0, 1)]), Err(Fault::Reserved(0xffff_fff0)));
    assert_eq!(check(vec![constants(0xffff_fff0, 1)]), Ok(()), "of a tool");
    assert_eq!(written(vec![table(&[(Kind::Srv, 1, 0xffff_fffe, 4)])]), Err(Fault::Offsets(0, 0)));
    assert_eq!(written(vec![table(&[(Kind::Srv, 1, 0xffff_fffe, 2)])]), Ok(()));
    assert_eq!(written(vec![table(&[(Kind::Srv, 3, 0xffff_fffe, 0)])]), Err(Fault::Registers(0, 0, 0xffff_fffe, 3)));
    let behind = |offset| table(&[(Kind::Srv, 0, UNBOUNDED, APPEND), (Kind::Uav, 0, 1, offset)]);
    assert_eq!(written(vec![behind(APPEND)]), Err(Fault::Behind(0, 1)));
    assert_eq!(written(vec![behind(0)]), Ok(()));
}
