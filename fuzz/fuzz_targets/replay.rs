//! Arbitrary bytes as a trace, played on the null runtime, which follows every pointer it is given: an error that names the
//! call, or the end, but nothing that was not checked.
#![no_main]

use std::time::Duration;

use reprise_d3d12::abi;
use reprise_d3d12::model::MethodId;
use reprise_null::control;
use reprise_replay::{Convention, LinkedRuntime, Options};
use reprise_trace::read::Trace;

const NULL: LinkedRuntime = LinkedRuntime { name: "null", call };

/// # Safety
/// The words are valid arguments of the function.
unsafe fn call(_: Convention, name: &str, method: MethodId, words: &[u64]) -> Option<u64> {
    let exported = ["D3D12", "CreateDXGI"].iter().any(|prefix| name.starts_with(prefix));
    // SAFETY: the caller's promise.
    exported.then(|| unsafe { reprise_null::call_function(abi::Convention::SystemV, method, words) })
}

libfuzzer_sys::fuzz_target!(init: control::set_logging(false), |bytes: &[u8]| {
    let Ok(trace) = Trace::from_bytes(bytes.to_vec()) else { return };
    let mut options = Options {
        linked_runtime: Some(NULL),
        frame_hashes: true,
        fence_wait_timeout: Duration::from_millis(1),
        ..Options::default()
    };
    let _ = reprise_replay::play(&trace, &mut options);
});
