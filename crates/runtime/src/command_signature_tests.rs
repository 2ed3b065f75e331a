#![allow(clippy::unwrap_used)]
use reprise_d3d12::types::D3D12_INDIRECT_ARGUMENT_DESC_1 as Union;
use reprise_dxbc::root_signature::Kind as Class;

use super::*;

fn argument(kind: Type, set: impl FnOnce(&mut Union)) -> D3D12_INDIRECT_ARGUMENT_DESC {
    let mut argument = D3D12_INDIRECT_ARGUMENT_DESC { Type: kind, ..Default::default() };
    set(&mut argument.Anonymous);
    argument
}

fn plain(kind: Type) -> D3D12_INDIRECT_ARGUMENT_DESC {
    argument(kind, |_| {})
}

fn constants(parameter: u32, first: u32, count: u32) -> D3D12_INDIRECT_ARGUMENT_DESC {
    argument(Type::CONSTANT, |union| {
        union.Constant = Default::default();
        // SAFETY: just set.
        let it = unsafe { &mut union.Constant };
        (it.RootParameterIndex, it.DestOffsetIn32BitValues, it.Num32BitValuesToSet) = (parameter, first, count);
    })
}

/// Four constants and the address of a constant buffer.
fn root() -> PushLayout {
    let arguments = vec![Argument::Constants { word: 2, count: 4 }, Argument::Address { word: 0, kind: Class::Cbv }];
    PushLayout { arguments, addresses: 1, words: 6, ..Default::default() }
}

#[test]
fn arguments_lie_close_together() {
    let view = argument(Type::CONSTANT_BUFFER_VIEW, |union| union.ConstantBufferView.RootParameterIndex = 1);
    let slot = argument(Type::VERTEX_BUFFER_VIEW, |union| union.VertexBuffer.Slot = 3);
    let all = [constants(0, 1, 1), view, slot, plain(Type::INDEX_BUFFER_VIEW), plain(Type::DRAW_INDEXED)];
    let plan = Plan::new(&all, 64, Some(&root())).unwrap();
    let changes = [(0, Change::Words(3, 1)), (4, Change::Words(0, 2)), (12, Change::Vertex(3)), (28, Change::Index)];
    assert_eq!(plan, Plan { kind: CommandKind::DrawIndexed, changes: changes.to_vec(), offset: 44, stride: 64 });
    assert!(Plan::new(&all, 60, Some(&root())).is_err(), "the stride is too small");
    assert_eq!(Plan::new(&[plain(Type::DISPATCH)], 12, None).unwrap().changes, []);
}

#[test]
fn what_the_api_forbids_is_invalid() {
    let refused =
        |arguments: &[_], root: Option<&PushLayout>| matches!(Plan::new(arguments, 256, root), Err(Error::Invalid(_)));
    let root = root();
    assert!(refused(&[], None));
    assert!(refused(&[plain(Type::INDEX_BUFFER_VIEW)], None), "nothing is done");
    assert!(refused(&[plain(Type::DRAW), plain(Type::INDEX_BUFFER_VIEW)], None), "state behind what is done");
    assert!(refused(&[plain(Type::DRAW), plain(Type::DRAW)], None), "done twice");
    assert!(refused(&[constants(0, 0, 1), plain(Type::DRAW)], None), "no root signature");
    assert!(refused(&[plain(Type::DRAW)], Some(&root)), "a root signature for nothing");
    assert!(refused(&[constants(0, 3, 2), plain(Type::DRAW)], Some(&root)), "more constants than there are");
    assert!(refused(&[constants(1, 0, 1), plain(Type::DRAW)], Some(&root)), "constants where an address is");
    assert!(refused(&[constants(2, 0, 1), plain(Type::DRAW)], Some(&root)), "no such parameter");
    assert!(refused(&[plain(Type::INDEX_BUFFER_VIEW), plain(Type::DISPATCH)], None), "indices for a dispatch");
    assert!(refused(&[plain(Type::INDEX_BUFFER_VIEW), plain(Type::DISPATCH_RAYS)], None), "indices for rays");
    // `D3D12_DISPATCH_RAYS_DESC` has 104 bytes.
    let rays = |stride| Plan::new(&[plain(Type::DISPATCH_RAYS)], stride, None);
    assert_eq!(rays(104).map(|plan| (plan.kind, plan.fitting(311))), Ok((CommandKind::DispatchRays, 2)));
    assert!(rays(100).is_err());
}

#[test]
fn commands_beyond_the_buffer_do_not_count() {
    let plan = Plan::new(&[plain(Type::DISPATCH)], 16, None).unwrap();
    let fitting = [0, 11, 12, 27, 28, 44].map(|bytes| plan.fitting(bytes));
    assert_eq!(fitting, [0, 0, 1, 1, 2, 3]);
}
