//! The commands that wait, and those before which others must not.

mod barriers;
mod builds;
mod copies;
mod dispatches;
mod state;

use std::ffi::CStr;

use ash::vk;

/// A command of this layer.
type Command = unsafe extern "system" fn();

/// Makes a function for each command: `name [names in Vulkan] (arguments) |command buffer, function below| what it does`. The names
/// give the function in `find`.
macro_rules! commands {
    ($($own:ident [$($name:literal),+] ($($argument:ident: $kind:ty),* $(,)?) $(-> $result:ty)?
        |$buffer:ident, $below:ident| $body:block)+) => {
        $(
            unsafe extern "system" fn $own($buffer: ash::vk::CommandBuffer, $($argument: $kind),*) $(-> $result)? {
                type Below = unsafe extern "system" fn(ash::vk::CommandBuffer, $($kind),*) $(-> $result)?;
                // SAFETY: the type of the command.
                let $below = unsafe { reprise_layer::next::command::<Below>($buffer, &[$($name),+]) };
                let Some($below) = $below else { unreachable!("the device has no {:?}", [$($name),+]) };
                $body
            }
        )+

        /// This layer's function of a name.
        pub(super) fn find(name: &std::ffi::CStr) -> Option<super::Command> {
            $(
                if [$($name),+].contains(&name) {
                    type Own = unsafe extern "system" fn(ash::vk::CommandBuffer, $($kind),*) $(-> $result)?;
                    // SAFETY: a pointer to a function; the caller knows its type by the name.
                    return Some(unsafe { std::mem::transmute::<Own, super::Command>($own) });
                }
            )+
            None
        }
    };
}
use commands;

/// This layer's function of a name.
pub(crate) fn find(name: &CStr) -> Option<Command> {
    [barriers::find, builds::find, copies::find, dispatches::find, state::find].iter().find_map(|find| find(name))
}

/// A copy of an array of the program's.
///
/// # Safety
/// There are so many.
unsafe fn array<T: Clone>(count: u32, first: *const T) -> Vec<T> {
    if count == 0 {
        return Vec::new();
    }
    // SAFETY: as the caller says.
    unsafe { std::slice::from_raw_parts(first, count as usize) }.to_vec()
}

/// What transfers of buffers are for barriers.
const TRANSFER: vk::PipelineStageFlags2 = vk::PipelineStageFlags2::from_raw(
    vk::PipelineStageFlags2::ALL_TRANSFER.as_raw()
        | vk::PipelineStageFlags2::COPY.as_raw()
        | vk::PipelineStageFlags2::CLEAR.as_raw(),
);
