//! Pipelines with a cached blob: replay makes them without it, unless the captured runtime had refused the blob.
#![allow(clippy::unwrap_used)]

use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{D3D12_CACHED_PIPELINE_STATE, D3D12_COMPUTE_PIPELINE_STATE_DESC};
use reprise_d3d12::{interface, method};
use reprise_null::{control, full_name, log};

use crate::tests::program::{DEVICE, alone, by_ref, device, iid, options, out};
use crate::tests::script::Script;
use crate::{Convention, Options, Report};

const CREATE: MethodId = method("ID3D12Device", "CreateComputePipelineState");
const INVALID: u64 = 0x8007_0057;

/// A program that makes a pipeline with these bytes as its blob, and is told this.
fn program(blob: &[u8], result: u64) -> Script {
    let mut script = Script::new();
    device(&mut script);
    let cached =
        D3D12_CACHED_PIPELINE_STATE { pCachedBlob: blob.as_ptr().cast(), CachedBlobSizeInBytes: blob.len() as _ };
    let desc = D3D12_COMPUTE_PIPELINE_STATE_DESC { NodeMask: 1, CachedPSO: cached, ..Default::default() };
    let mut slot = 0;
    let id = if result == 0 { 50 } else { 0 };
    let words = [by_ref(&desc), iid(interface("ID3D12PipelineState")), out(&mut slot, id)];
    script.call(DEVICE, CREATE, &words, result);
    script
}

/// Plays it where the given creations fail; gives the descriptions of all of them, too.
fn play(script: &mut Script, threads: usize, failures: &[(u64, u64)]) -> (Report, Vec<String>) {
    log::take();
    control::clear();
    for &(nth, code) in failures {
        control::on(CREATE, nth, control::Action::Fail(code as u32 as i32));
    }
    let report = script.play(&mut Options { threads, ..options(Convention::SysV) }).unwrap();
    control::clear();
    let calls =
        log::take().into_iter().filter(|call| full_name(call.method) == "ID3D12Device::CreateComputePipelineState");
    (report, calls.map(|call| format!("{:?}", call.inputs[0])).collect())
}

#[test]
fn a_blob_is_left_out_where_it_was_taken() {
    let _alone = alone();
    let blob = [0xab; 24];
    for threads in [1, 2] {
        let (report, calls) = play(&mut program(&blob, 0), threads, &[]);
        assert_eq!((report.difference_count, calls.len()), (0, 1), "{:?}", report.differences);
        assert!(!calls[0].contains("24"), "{calls:?}");
    }
}

/// The blob may be why it failed: the pipeline is made with it, too, and no driver has to use the same word for it.
#[test]
fn a_blob_that_was_refused_is_refused_here() {
    let _alone = alone();
    let before = reprise_null::live();
    let blob = [0xab; 24];
    for threads in [1, 2] {
        for code in [INVALID, 0x887e_0002] {
            let (report, calls) = play(&mut program(&blob, INVALID), threads, &[(2, code)]);
            assert_eq!((report.difference_count, calls.len()), (0, 2), "{:?}", report.differences);
            assert!(!calls[0].contains("24") && calls[1].contains("24"), "{calls:?}");
        }
        let (report, calls) = play(&mut program(&blob, INVALID), threads, &[]);
        assert_eq!((report.difference_count, calls.len()), (1, 2));
        assert!(report.differences[0].to_string().contains("failed at capture with E_INVALIDARG"), "{report:?}");
    }
    assert_eq!(reprise_null::live(), before, "pipelines that nobody wanted are left");
}

/// What fails without the blob as well is not made twice.
#[test]
fn what_fails_anyway_is_made_once() {
    let _alone = alone();
    let (report, calls) = play(&mut program(&[1; 24], INVALID), 1, &[(1, INVALID)]);
    assert_eq!((report.difference_count, calls.len()), (0, 1), "{:?}", report.differences);
}
