//! The log against expectations written by hand: the reader is what other tests rely on.
#![allow(clippy::unwrap_used, missing_docs)]

use core::ffi::c_void;
use reprise_d3d12::abi::{self, Convention};
use reprise_d3d12::types::*;
use reprise_d3d12::{interface, method};
use reprise_null as null;
use serde_json::{Value, json};
use std::sync::Mutex;

static ALONE: Mutex<()> = Mutex::new(());

/// Calls a method on a fresh object and gives the log's entry.
fn logged(convention: Convention, class: &str, name: &str, words: &[u64]) -> Value {
    let _alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let this = null::new_object(convention, interface(class));
    let id = method(class, name);
    null::log::take();
    // SAFETY: a live object of this class; the tests' arguments are valid.
    unsafe {
        let slot = *(*this.cast::<*const *const c_void>()).add(id.get().slot as usize);
        abi::call(convention, slot, Some(this), words, id.get());
    }
    null::log::take().iter().rfind(|c| c.method == id).unwrap().to_json(0)
}

const ALL: [Convention; 3] = [Convention::Win64, Convention::SystemV, Convention::Itanium];

#[test]
fn only_the_active_member_of_a_union_is_read() {
    let mut barriers = [D3D12_RESOURCE_BARRIER::default(); 2];
    barriers[0].Anonymous.Transition = D3D12_RESOURCE_TRANSITION_BARRIER {
        Subresource: 7,
        StateBefore: D3D12_RESOURCE_STATES(4),
        ..Default::default()
    };
    barriers[1].Type = D3D12_RESOURCE_BARRIER_TYPE(2);
    for convention in ALL {
        let entry = logged(convention, "ID3D12GraphicsCommandList", "ResourceBarrier", &[2, barriers.as_ptr() as u64]);
        assert_eq!(entry["method"], "ID3D12GraphicsCommandList::ResourceBarrier");
        assert_eq!(
            entry["args"],
            json!({ "NumBarriers": 2, "pBarriers": [
                { "Type": 0, "Flags": 0, "Transition":
                    { "pResource": null, "Subresource": 7, "StateBefore": 4, "StateAfter": 0 } },
                { "Type": 2, "Flags": 0, "UAV": { "pResource": null } },
            ] })
        );
    }
}

#[test]
fn one_handle_stands_for_a_range_of_targets() {
    let handles = [11u64, 22, 33];
    let list = "ID3D12GraphicsCommandList";
    for (single, seen) in [(0, json!([{ "ptr": 11 }, { "ptr": 22 }, { "ptr": 33 }])), (1, json!([{ "ptr": 11 }]))] {
        let entry = logged(Convention::SystemV, list, "OMSetRenderTargets", &[3, handles.as_ptr() as u64, single, 0]);
        let got = &entry["args"]["pRenderTargetDescriptors"];
        let plain = json!(seen.as_array().unwrap().iter().map(|h| h["ptr"].clone()).collect::<Vec<_>>());
        assert!(*got == seen || *got == plain, "{got}");
    }
}

#[test]
fn a_pipeline_stream_is_taken_apart_at_the_values_alignments() {
    // PRIMITIVE_TOPOLOGY (14) = 3, then VS (1) with two bytes, whose pointer is aligned to 8.
    let code = [0xaau8, 0xbb];
    let stream = [14u64 | 3 << 32, 1, code.as_ptr() as u64, 2];
    let desc = [32u64, stream.as_ptr() as u64];
    let iid = interface("ID3D12PipelineState").get().iid;
    let mut out = 0u64;
    for convention in ALL {
        let words = [desc.as_ptr() as u64, &raw const iid as u64, &raw mut out as u64];
        let entry = logged(convention, "ID3D12Device2", "CreatePipelineState", &words);
        assert_eq!(
            entry["args"]["pDesc"][0]["pPipelineStateSubobjectStream"],
            json!([
                { "type": 14, "value": 3 },
                { "type": 1, "value": { "pShaderBytecode": { "bytes": "aabb" }, "BytecodeLength": 2 } },
            ])
        );
        assert_eq!(entry["result"], 0);
        assert_ne!(out, 0);
    }
}

#[test]
fn floats_keep_their_bits_in_both_conventions() {
    for convention in ALL {
        let words = [1.5f32, -2.0, 0.25].map(|f| u64::from(f.to_bits()));
        let entry = logged(convention, "ID3D12GraphicsCommandList9", "RSSetDepthBias", &words);
        let bits = |name: &str| entry["args"][name]["f32"].as_u64().unwrap();
        assert_eq!([bits("DepthBias"), bits("DepthBiasClamp"), bits("SlopeScaledDepthBias")], words);
    }
}
