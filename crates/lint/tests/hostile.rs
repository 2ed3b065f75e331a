//! Calls with arguments that no program passes: nothing panics, and what is kept stays small.
#![allow(clippy::unwrap_used)]

mod common;

use common::*;
use proptest::prelude::*;
use reprise_d3d12::types::*;
use reprise_d3d12::{description, method};

/// Numbers at the limits, and small ones.
fn number() -> impl Strategy<Value = u32> {
    prop_oneof![0..6u32, Just(u32::MAX), Just(u32::MAX - 1), Just(0x8000_0000), any::<u32>()]
}

fn half() -> impl Strategy<Value = u16> {
    prop_oneof![0..6u16, Just(u16::MAX), any::<u16>()]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_arguments_are_taken(
        (mips, depth, format, flags, dimension) in (half(), half(), 0..132i32, number(), 0..6i32),
        states in proptest::collection::vec((number(), number(), number(), 0..4u32), 0..8),
        ranges in proptest::collection::vec([number(), number(), number(), number(), number(), number()], 0..4),
        scopes in [number(), number(), number(), number(), number(), number()],
        view in [number(), number(), number(), number()],
        kind in 0..12i32,
    ) {
        let mut program = Program::new();
        let desc = D3D12_RESOURCE_DESC {
            Dimension: D3D12_RESOURCE_DIMENSION(dimension),
            MipLevels: mips,
            DepthOrArraySize: depth,
            Format: DXGI_FORMAT(format),
            Width: view[0].into(),
            Height: view[1],
            ..description::buffer(0, D3D12_RESOURCE_FLAGS(flags))
        };
        let resource = program.resource(&desc, In::Default, scopes[0]);
        let other = program.texture(COMMON);
        let heap = program.views();
        let target = program.rtv(resource);
        let mut srv = D3D12_SHADER_RESOURCE_VIEW_DESC { ViewDimension: D3D12_SRV_DIMENSION(kind), ..Default::default() };
        srv.Anonymous.Texture2DArray = D3D12_TEX2D_ARRAY_SRV {
            MostDetailedMip: view[0],
            MipLevels: view[1],
            FirstArraySlice: view[2],
            ArraySize: view[3],
            PlaneSlice: scopes[1],
            ResourceMinLODClamp: 0.0,
        };
        let words = [resource.into(), &raw const srv as u64, Program::cpu(heap, 0)];
        program.script.call(DEVICE, method("ID3D12Device", "CreateShaderResourceView"), &words, 0);
        let signature = program.signature(false);
        let pipeline = program.compute(signature, &[(5, 0), (8, 0), (2, view[0])]);
        program.set_heap(heap);
        program.set_compute(signature, pipeline);
        program.table(heap, 0);
        program.list("SetComputeRootUnorderedAccessView", &[1, view[2].into()]);
        program.dispatch();
        for (before, after, index, flags) in states {
            program.transition_of(LIST, resource, index, (before, after), flags);
            program.copy(resource, other);
        }
        for range in ranges {
            program.layout_of(resource, range, scopes);
            program.clear(target);
        }
        program.alias(other, resource);
        program.run();
        program.release(resource);
        program.lint();
    }
}
