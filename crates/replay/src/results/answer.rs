//! Questions that each library answers in its own way: which interfaces, features and experiments it knows.
//!
//! A program that was told no at capture did without, so that a yes here changes nothing. A no here to what the capture had is a
//! difference, unless nothing that replay calls comes of it: interfaces for debugging, of DXGI, or of a vendor. Invariant: such
//! answers are listed in the report, and end nothing.

use reprise_codec::Value;
use reprise_d3d12::lookup::by_iid;
use reprise_d3d12::model::{Guid, MethodId};
use reprise_d3d12::{MODEL, function, method};

use crate::call::decision::{self, Decision};
use crate::call::open_call::OpenCall;
use crate::context::Context;
use crate::hresult::HresultName;
use crate::input::values::{at, guid};
use crate::report::Change;

const QUERY_INTERFACE: MethodId = method("IUnknown", "QueryInterface");
const CHECK_FEATURE: MethodId = method("ID3D12Device", "CheckFeatureSupport");
const EXPERIMENTS: MethodId = function("D3D12EnableExperimentalFeatures");

/// Whether libraries may answer calls of this method as they like.
pub(super) fn is_question(method: MethodId) -> bool {
    [QUERY_INTERFACE, CHECK_FEATURE, EXPERIMENTS].contains(&method)
}

/// Lists an answer that is not the recorded one; `false` where it is a difference, or no answer of this kind.
pub(super) fn take(context: &mut Context<'_, '_>, call: &OpenCall, (recorded, here): (u32, u32)) -> bool {
    if !is_question(call.method) {
        return false;
    }
    let Ok(arguments) = call.arguments(&context.codec) else { return false };
    let asked = |name: &str| at(&arguments.members, name);
    let lost = recorded as i32 >= 0 && (here as i32) < 0;
    let subject = if call.method == QUERY_INTERFACE {
        let Some(iid) = asked("riid").and_then(guid) else { return false };
        if lost && is_called(&iid) {
            return false;
        }
        by_iid(&iid).map_or_else(|| iid.to_string(), |interface| interface.get().name.to_owned())
    } else {
        match asked("Feature") {
            Some(Value::Enum(names, feature)) => context.codec.enum_name(*names, *feature),
            _ => "result".to_owned(),
        }
    };
    let [recorded, here] = [recorded, here].map(|code| HresultName(code).to_string());
    context.report.answer(&call.place, Change { field: subject, recorded, here });
    true
}

/// Whether replay calls a method that only this interface has, or an interface derived from it.
fn is_called(iid: &Guid) -> bool {
    let Some(interface) = by_iid(iid) else { return false };
    let own = (0u16..).zip(MODEL.methods).filter(|(_, method)| method.interface == Some(interface));
    own.map(|(number, _)| decision::decide(number)).any(|decision| !matches!(decision, None | Some(Decision::Skip(_))))
}

#[cfg(test)]
mod tests {
    use reprise_d3d12::interface;

    use super::*;

    #[test]
    fn interfaces_that_replay_uses_are_told_from_others() {
        let is_called = |name| is_called(&interface(name).get().iid);
        for name in ["ID3D12Device5", "ID3D12GraphicsCommandList7", "ID3D12Fence", "IDXGISwapChain3"] {
            assert!(is_called(name), "{name}");
        }
        for name in ["ID3D12InfoQueue", "ID3D12DebugDevice", "ID3D12SharingContract", "IDXGIDevice", "IDXGIOutput6"] {
            assert!(!is_called(name), "{name}");
        }
        assert!(!super::is_called(&Guid::from_u128(7)), "a vendor's");
    }
}
