//! Descriptor tables that a program sets to handles in no heap: programs do so for parameters that no shader reads.
//!
//! Invariant: a handle in no heap at capture lies in no heap here. The number is passed on as it was, so that the runtime of the
//! capture does again what it did. Where a heap of this runtime happens to be there, the call is left out.

use reprise_d3d12::model::MethodId;
use reprise_d3d12::{interface, method};

use crate::call::open_call::Enter;
use crate::context::Context;
use crate::resolve::descriptor::HandleError;

const TABLES: [MethodId; 2] = [
    method("ID3D12GraphicsCommandList", "SetGraphicsRootDescriptorTable"),
    method("ID3D12GraphicsCommandList", "SetComputeRootDescriptorTable"),
];

/// Makes the call, or counts why not, if it sets such a table; `false` for other calls.
pub(crate) fn set(context: &mut Context<'_, '_>, enter: Enter<'_, '_>) -> bool {
    let (id, event) = (enter.id(), enter.event);
    if !TABLES.contains(&id) {
        return false;
    }
    let (parameter, handle) = (enter.number("RootParameterIndex"), enter.number("BaseDescriptor"));
    let (Some(parameter), Some(handle)) = (parameter, handle) else { return false };
    let world = &mut context.world;
    if !matches!(world.gpu.replayed(handle), Err(HandleError::NoHeap { .. })) {
        return false;
    }
    let Ok(list) = world.pointer(event.object, interface("ID3D12GraphicsCommandList")) else { return false };
    if world.gpu.is_replayed(handle) {
        context.skip(enter.place, "a descriptor table at a handle that lies in no heap");
        return true;
    }
    let words = [parameter, handle];
    // SAFETY: the list is alive and has this interface; the arguments are numbers.
    unsafe { world.runtime.call(list, id, &words) };
    world.indirect.note(&world.runtime, &event.call(), &words);
    context.count_call();
    context.report.tables_nowhere += 1;
    true
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use reprise_null::{full_name, log};

    use super::*;
    use crate::options::Options;
    use crate::runtime::Convention;
    use crate::tests::program::{LIST, alone, device, list, options};
    use crate::tests::script::Script;

    /// The handles with which tables were set here.
    fn tables() -> Vec<String> {
        let calls = log::take();
        let calls = calls.iter().filter(|call| full_name(call.method).ends_with("RootDescriptorTable"));
        calls.map(|call| format!("{:?}", call.inputs[1])).collect()
    }

    #[test]
    fn a_table_in_no_heap_is_set_as_the_program_did() {
        let _alone = alone();
        // Also where lists are recorded ahead.
        for (table, recorders) in TABLES.into_iter().flat_map(|table| [(table, 0), (table, 2)]) {
            let mut script = Script::new();
            device(&mut script);
            list(&mut script);
            script.call(LIST, table, &[3, 0xbeef_0000], 0);
            log::take();
            let mut options = Options { recorders, recorded_from: Some(1), ..options(Convention::SysV) };
            let report = script.play(&mut options).unwrap();
            assert_eq!((report.tables_nowhere, report.difference_count), (1, 0), "{report:?}");
            let set = tables();
            assert!(set.len() == 1 && set[0].contains(&0xbeef_0000u64.to_string()), "{set:?}");
        }
    }
}
