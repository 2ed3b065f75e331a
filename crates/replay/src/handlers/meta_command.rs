//! Meta commands: to the API their parameters are bytes, but these bytes hold addresses and handles.
//!
//! The runtime of the replay says where they are in the parameters of a command, which it knows by the number that the program asked for.
//! Drivers that share a number share the layout, because a program chooses a command by its number alone. Invariant: a number that means nothing here
//! ends the replay before the call is made.

use reprise_d3d12::model::{Guid, MethodId};
use reprise_d3d12::types::{
    D3D12_META_COMMAND_PARAMETER_DESC as Desc, D3D12_META_COMMAND_PARAMETER_STAGE as Stage,
    D3D12_META_COMMAND_PARAMETER_TYPE as Type,
};
use reprise_d3d12::{interface, method};

use crate::arguments::Arguments;
use crate::call::Called;
use crate::call::open_call::Enter;
use crate::context::Context;
use crate::error::Error;
use crate::runtime::com::Com;
use crate::world::World;

const UNKNOWN: &str = "the trace does not tell which meta command this is";
const ABSENT: &str = "the library does not say what the parameters of this meta command are";

/// Most parameters of a stage that are believed.
const MOST: u32 = 4096;

/// What a parameter is that means something on one device only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    Address,
    CpuHandle,
    GpuHandle,
}

impl Meaning {
    fn of(kind: Type) -> Option<Meaning> {
        match kind {
            Type::GPU_VIRTUAL_ADDRESS => Some(Meaning::Address),
            Type::CPU_DESCRIPTOR_HANDLE_HEAP_TYPE_CBV_SRV_UAV => Some(Meaning::CpuHandle),
            Type::GPU_DESCRIPTOR_HANDLE_HEAP_TYPE_CBV_SRV_UAV => Some(Meaning::GpuHandle),
            _ => None,
        }
    }
}

/// Parameters that mean something on one device only, with their first bytes.
type Layout = Vec<(usize, Meaning)>;

/// Asks a device for the layout of a command's parameters.
fn layout(world: &mut World, list: u32, command: Guid, stage: Stage) -> Result<Layout, String> {
    const ENUMERATE: MethodId = method("ID3D12Device5", "EnumerateMetaCommandParameters");
    let device = world.device_of(list)?.into_pointer();
    let newer = world.runtime.query(device, &interface("ID3D12Device5").get().iid);
    world.runtime.release(device);
    let newer = newer.ok_or(ABSENT)?;
    let (mut size, mut count) = (0u32, 0u32);
    let mut ask = |count: &mut u32, descs: *mut Desc| {
        let words = [
            &raw const command as u64,
            stage.0 as u64,
            &raw mut size as u64,
            core::ptr::from_mut(count) as u64,
            descs as u64,
        ];
        // SAFETY: the device is alive and has this interface; all places are of this function, and `descs` has room for `count`.
        unsafe { world.runtime.call(newer, ENUMERATE, &words) as i32 }
    };
    let mut answer = ask(&mut count, core::ptr::null_mut());
    let mut descs = vec![Desc::default(); count.min(MOST) as usize];
    if answer >= 0 && count <= MOST && count != 0 {
        answer = ask(&mut count, descs.as_mut_ptr());
    }
    world.runtime.release(newer);
    match answer >= 0 && count as usize <= descs.len() {
        true => {
            descs.truncate(count as usize);
            Ok(meanings(&descs))
        }
        false => Err(ABSENT.into()),
    }
}

/// What of the parameters means something on one device only. Pure.
fn meanings(descs: &[Desc]) -> Layout {
    descs.iter().filter_map(|desc| Some((desc.StructureOffset as usize, Meaning::of(desc.Type)?))).collect()
}

/// Translates parameters in place. What lies behind the bytes that are there is not. Pure.
fn translate(
    layout: &[(usize, Meaning)],
    bytes: &mut [u8],
    mut here: impl FnMut(Meaning, u64) -> Result<u64, String>,
) -> Result<(), String> {
    for (at, meaning) in layout {
        let place = at.checked_add(8).and_then(|end| bytes.get_mut(*at..end));
        let Some(place) = place.and_then(|place| <&mut [u8; 8]>::try_from(place).ok()) else { continue };
        let value = u64::from_le_bytes(*place);
        if value != 0 {
            let moved = here(*meaning, value).map_err(|what| format!("byte {at} of the parameters: {what}"))?;
            *place = moved.to_le_bytes();
        }
    }
    Ok(())
}

/// `InitializeMetaCommand` and `ExecuteMetaCommand`.
///
/// # Errors
/// An argument cannot be honoured, or the library does not know the command's parameters.
pub(crate) fn run(
    context: &mut Context<'_, '_>,
    arguments: &mut Arguments,
    enter: Enter<'_, '_>,
    stage: Stage,
) -> Result<Called, Error> {
    context.lists.before_call(enter.event.object);
    let ready = arguments.prepare(context, enter, &mut None)?;
    let &[_, data, size] = &ready.words[..] else { return arguments.make(context, enter, ready) };
    if data != 0 && size != 0 {
        let command = enter.number("pMetaCommand").unwrap_or(0) as u32;
        let world = &mut context.world;
        let command = *world.meta_commands.get(&command).ok_or_else(|| enter.fail(UNKNOWN))?;
        let layout = layout(world, enter.event.object, command, stage).map_err(|what| enter.fail(what))?;
        // SAFETY: the codec rebuilt as many bytes as the call says, in memory of our own that may be written.
        let bytes = unsafe {
            let first = core::ptr::with_exposed_provenance_mut::<u8>(data as usize);
            core::slice::from_raw_parts_mut(first, size as usize)
        };
        let here = |meaning, value| match meaning {
            Meaning::Address => world.replayed_address(value),
            Meaning::CpuHandle => world.cpu.replayed(value).map_err(|error| error.to_string()),
            Meaning::GpuHandle => world.gpu.replayed(value).map_err(|error| error.to_string()),
        };
        translate(&layout, bytes, here).map_err(|what| enter.fail(what))?;
    }
    arguments.make(context, enter, ready)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn desc(at: u32, kind: Type) -> Desc {
        Desc { StructureOffset: at, Type: kind, ..Desc::default() }
    }

    #[test]
    fn numbers_stay_and_what_means_something_here_is_translated() {
        let layout = meanings(&[
            desc(0, Type::GPU_VIRTUAL_ADDRESS),
            desc(8, Type::UINT64),
            desc(16, Type::GPU_DESCRIPTOR_HANDLE_HEAP_TYPE_CBV_SRV_UAV),
            desc(24, Type::GPU_VIRTUAL_ADDRESS),
            desc(36, Type::CPU_DESCRIPTOR_HANDLE_HEAP_TYPE_CBV_SRV_UAV),
            // Behind the end, and across it.
            desc(44, Type::GPU_VIRTUAL_ADDRESS),
            desc(40, Type::GPU_VIRTUAL_ADDRESS),
            desc(u32::MAX, Type::GPU_VIRTUAL_ADDRESS),
        ]);
        let mut bytes: Vec<u8> = [100u64, 100, 200, 0].iter().flat_map(|word| word.to_le_bytes()).collect();
        bytes.extend([0, 0, 0, 0]);
        bytes.extend(300u64.to_le_bytes());
        let mut asked = Vec::new();
        let here = |meaning, value| {
            asked.push((meaning, value));
            Ok(value + 1)
        };
        translate(&layout, &mut bytes, here).unwrap();
        assert_eq!(asked, [(Meaning::Address, 100), (Meaning::GpuHandle, 200), (Meaning::CpuHandle, 300)]);
        let words: Vec<u64> = bytes[..32].as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
        // Null stays null.
        assert_eq!(words, [101, 100, 201, 0]);
        assert_eq!(bytes[36..44], 301u64.to_le_bytes());
    }

    #[test]
    fn an_address_that_is_nowhere_is_named() {
        let layout = meanings(&[desc(8, Type::GPU_VIRTUAL_ADDRESS)]);
        let failed = translate(&layout, &mut [1; 16], |_, _| Err("nowhere".into()));
        assert_eq!(failed, Err("byte 8 of the parameters: nowhere".into()));
    }
}
