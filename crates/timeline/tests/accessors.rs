//! Accessors against argument blocks laid out by hand, as FORMAT.md states them.

use reprise_d3d12::method;
use reprise_d3d12::types::{D3D12_COMMAND_LIST_TYPE, D3D12_VIEWPORT};
use reprise_timeline::argument::{Argument, CpuHandle, Many, One, Out};
use reprise_timeline::{Call, Outcome, Payload, argument};

const VERTICES: Argument<u32> = argument!("ID3D12GraphicsCommandList", "DrawInstanced", "VertexCountPerInstance");
const INSTANCES: Argument<u32> = argument!("ID3D12GraphicsCommandList", "DrawInstanced", "InstanceCount");
const VIEWPORTS: Argument<Many<D3D12_VIEWPORT>> =
    argument!("ID3D12GraphicsCommandList", "RSSetViewports", "pViewports");
const TARGETS: Argument<Many<CpuHandle>> =
    argument!("ID3D12GraphicsCommandList", "OMSetRenderTargets", "pRenderTargetDescriptors");
const DEPTH: Argument<One<CpuHandle>> =
    argument!("ID3D12GraphicsCommandList", "OMSetRenderTargets", "pDepthStencilDescriptor");
const KIND: Argument<D3D12_COMMAND_LIST_TYPE> = argument!("ID3D12Device", "CreateCommandAllocator", "type");
const FREQUENCY: Argument<Out<u64>> = argument!("ID3D12CommandQueue", "GetTimestampFrequency", "pFrequency");

fn words(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn call<'a>(method: reprise_d3d12::model::MethodId, enter: &'a [u8], leave: Option<&'a [u8]>) -> Call<'a> {
    let payload = |bytes| Payload { bytes, blobs: &[] };
    let outcome = leave.map_or(Outcome::Nothing, |bytes| Outcome::Returned(payload(bytes)));
    Call { number: 1, thread: 0, frame: 0, time_ns: 0, method, object: 7, enter: payload(enter), outcome }
}

#[test]
fn values_are_read_from_the_block() {
    let enter = words(&[3 | 5 << 32, 0]);
    let draw = call(method("ID3D12GraphicsCommandList", "DrawInstanced"), &enter, None);
    assert_eq!((VERTICES.of(&draw), INSTANCES.of(&draw)), (Ok(3), Ok(5)));
    let short = call(draw.method, &enter[..2], None);
    let message = VERTICES.of(&short).map_err(|error| error.to_string());
    assert!(message.as_ref().is_err_and(|m| m.contains("DrawInstanced: VertexCountPerInstance: ")), "{message:?}");
    let other = call(method("ID3D12GraphicsCommandList", "Dispatch"), &enter, None);
    assert!(VERTICES.of(&other).is_err());
}

#[test]
fn arrays_lie_behind_the_children_before_them() {
    // NumRenderTargetDescriptors, the targets, RTsSingleHandleToDescriptorRange, the depth target.
    let enter = words(&[2, 0xaaaa, 0, 0xbbbb, 2, 0x10, 0x20, 1, 0x30]);
    let set = call(method("ID3D12GraphicsCommandList", "OMSetRenderTargets"), &enter, None);
    let targets: Vec<u64> =
        TARGETS.of(&set).map(|targets| targets.iter().map(|handle| handle.0).collect()).unwrap_or_default();
    assert_eq!((targets, DEPTH.of(&set)), (vec![0x10, 0x20], Ok(Some(CpuHandle(0x30)))));
    let enter = words(&[0, 0, 0, 0xbbbb, 1, 0x30]);
    let set = call(set.method, &enter, None);
    assert!(TARGETS.of(&set).is_ok_and(|targets| targets.is_empty()));
    assert_eq!(DEPTH.of(&set), Ok(Some(CpuHandle(0x30))));
    let cut = call(set.method, &enter[..40], None);
    assert!(DEPTH.of(&cut).is_err());
}

#[test]
fn structures_are_the_generated_ones() {
    let corner = |x: f32, y: f32| u64::from(x.to_bits()) | u64::from(y.to_bits()) << 32;
    let enter = words(&[1, 0xaaaa, 1, corner(1.0, 2.0), corner(3.0, 4.0), corner(0.0, 1.0)]);
    let set = call(method("ID3D12GraphicsCommandList", "RSSetViewports"), &enter, None);
    let viewport = VIEWPORTS.of(&set).ok().and_then(|viewports| viewports.get(0));
    assert!(
        viewport.is_some_and(|v| (v.TopLeftX, v.TopLeftY, v.Width, v.Height, v.MaxDepth) == (1.0, 2.0, 3.0, 4.0, 1.0))
    );
    assert_eq!(KIND.method(), method("ID3D12Device", "CreateCommandAllocator"));
}

#[test]
fn outputs_come_from_the_leave() {
    let enter = words(&[0xaaaa]);
    let method = method("ID3D12CommandQueue", "GetTimestampFrequency");
    let leave = words(&[0, 1, 1_000_000]);
    assert_eq!(FREQUENCY.of(&call(method, &enter, Some(&leave))), Ok(Some(1_000_000)));
    let failed = words(&[0x8000_4005]);
    assert_eq!(FREQUENCY.of(&call(method, &enter, Some(&failed))), Ok(None));
    assert!(FREQUENCY.of(&call(method, &enter, Some(&leave[..20]))).is_err());
}
