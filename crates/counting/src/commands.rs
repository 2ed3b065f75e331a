//! Commands of command buffers: those that are counted, and queries.

use std::ffi::CStr;

use ash::vk;
use reprise_layer::interface::Function;

use crate::offered::ALL;
use crate::tally::{Buffer, State, Tally, state};

/// Makes a function for each command: `name [names in Vulkan] (arguments) |command buffer| what it does`, which says whether the command
/// goes on to the device below. The names give the function in `find`.
macro_rules! commands {
    ($($own:ident [$($name:literal),+] ($($argument:ident: $kind:ty),* $(,)?) $(-> $result:ty)? |$buffer:ident| $body:block)+) => {
        $(
            unsafe extern "system" fn $own($buffer: vk::CommandBuffer, $($argument: $kind),*) $(-> $result)? {
                type Below = unsafe extern "system" fn(vk::CommandBuffer, $($kind),*) $(-> $result)?;
                let goes_on: bool = $body;
                if !goes_on {
                    return Default::default();
                }
                // SAFETY: the type of the command.
                let below = unsafe { reprise_layer::next::command::<Below>($buffer, &[$($name),+]) };
                let Some(below) = below else { unreachable!("the device has no {:?}", [$($name),+]) };
                // SAFETY: the arguments of this call.
                unsafe { below($buffer, $($argument),*) }
            }
        )+

        /// This layer's function of a name.
        pub(crate) fn find(name: &CStr) -> Option<Function> {
            $(
                if [$($name),+].contains(&name) {
                    type Own = unsafe extern "system" fn(vk::CommandBuffer, $($kind),*) $(-> $result)?;
                    // SAFETY: a pointer to a function; the caller knows its type by the name.
                    return Some(unsafe { std::mem::transmute::<Own, Function>($own) });
                }
            )+
            None
        }
    };
}

fn count(buffer: vk::CommandBuffer, count: impl FnOnce(&mut Tally)) -> bool {
    state().count(buffer, count);
    true
}

impl State {
    fn begin_query(&mut self, buffer: vk::CommandBuffer, pool: vk::QueryPool, query: u32) {
        let scopes = self.pools.get(&pool).map(|pool| pool.counters.clone()).unwrap_or_default();
        let of_passes = scopes.iter().any(|counter| {
            let scope = ALL.get(*counter as usize).map(|one| one.scope);
            scope == Some(vk::PerformanceCounterScopeKHR::RENDER_PASS)
        });
        let known = self.buffers.entry(buffer).or_default();
        let broken = [
            (!known.is_locked, "a command buffer with a query began without the lock"),
            (known.resets.contains(&pool), "a query is reset in the command buffer that begins it"),
            (known.renders && of_passes, "a query of render passes begins within one"),
            (known.open.is_some(), "a query begins within another one"),
        ];
        known.open = Some((pool, query, Tally::default()));
        broken.into_iter().filter(|(is_broken, _)| *is_broken).for_each(|(_, rule)| self.broke(rule));
    }

    fn end_query(&mut self, buffer: vk::CommandBuffer, pool: vk::QueryPool, query: u32) {
        let known = self.buffers.entry(buffer).or_default();
        let renders = known.renders;
        match known.open.take() {
            Some(open) if (open.0, open.1) == (pool, query) => known.ended.push(open),
            _ => self.broke("a query ends that has not begun"),
        }
        if renders {
            self.broke("a query ends within a rendering");
        }
    }
}

commands! {
    begin [c"vkBeginCommandBuffer"] (info: *const vk::CommandBufferBeginInfo<'static>) -> vk::Result |buffer| {
        let mut state = state();
        let is_locked = state.locks > 0;
        state.buffers.insert(buffer, Buffer { is_locked, ..Buffer::default() });
        true
    }
    begin_query [c"vkCmdBeginQuery"] (pool: vk::QueryPool, query: u32, flags: vk::QueryControlFlags) |buffer| {
        let mut state = state();
        let is_own = state.pools.contains_key(&pool);
        if is_own {
            state.begin_query(buffer, pool, query);
        }
        !is_own
    }
    end_query [c"vkCmdEndQuery"] (pool: vk::QueryPool, query: u32) |buffer| {
        let mut state = state();
        let is_own = state.pools.contains_key(&pool);
        if is_own {
            state.end_query(buffer, pool, query);
        }
        !is_own
    }
    reset_query [c"vkCmdResetQueryPool"] (pool: vk::QueryPool, first: u32, count: u32) |buffer| {
        let mut state = state();
        let is_own = state.pools.contains_key(&pool);
        if is_own {
            state.buffers.entry(buffer).or_default().resets.insert(pool);
            state.broke("a query of counters is reset in a command buffer");
        }
        !is_own
    }
    begin_rendering [c"vkCmdBeginRendering", c"vkCmdBeginRenderingKHR"] (info: *const vk::RenderingInfo<'static>) |buffer| {
        state().buffers.entry(buffer).or_default().renders = true;
        count(buffer, |tally| tally.renderings += 1)
    }
    end_rendering [c"vkCmdEndRendering", c"vkCmdEndRenderingKHR"] () |buffer| {
        state().buffers.entry(buffer).or_default().renders = false;
        true
    }
    draw [c"vkCmdDraw"] (vertices: u32, instances: u32, vertex: u32, instance: u32) |buffer| {
        count(buffer, |tally| tally.draws += 1)
    }
    draw_indexed [c"vkCmdDrawIndexed"] (indices: u32, instances: u32, index: u32, vertex: i32, instance: u32) |buffer| {
        count(buffer, |tally| tally.draws += 1)
    }
    draw_indirect [c"vkCmdDrawIndirect"] (from: vk::Buffer, offset: u64, draws: u32, stride: u32) |buffer| {
        count(buffer, |tally| tally.draws += 1)
    }
    draw_indexed_indirect [c"vkCmdDrawIndexedIndirect"] (from: vk::Buffer, offset: u64, draws: u32, stride: u32) |buffer| {
        count(buffer, |tally| tally.draws += 1)
    }
    dispatch [c"vkCmdDispatch"] (x: u32, y: u32, z: u32) |buffer| {
        count(buffer, |tally| {
            tally.dispatches += 1;
            tally.groups += u64::from(x) * u64::from(y) * u64::from(z);
        })
    }
    dispatch_indirect [c"vkCmdDispatchIndirect"] (from: vk::Buffer, offset: u64) |buffer| {
        count(buffer, |tally| tally.dispatches += 1)
    }
}
