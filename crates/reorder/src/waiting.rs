//! Commands of a command buffer that wait to be recorded.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use ash::vk;

use crate::order::Order;
use crate::said::{self, MOVED, WAITED};

pub(crate) type Stages = vk::PipelineStageFlags2;

/// What is known of a command that waits.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct About {
    /// Its stages: a barrier that names one keeps it before itself.
    pub(crate) stages: Stages,
    /// It builds a top level.
    pub(crate) is_top: bool,
    /// It reads the state of the command buffer.
    pub(crate) reads_state: bool,
    /// Vulkan orders commands of one query by itself.
    pub(crate) pool: vk::QueryPool,
}

/// A command that waits.
struct Waiting {
    about: About,
    /// Its place in the order of the program.
    number: u64,
    record: Box<dyn FnOnce()>,
}

// SAFETY: what a command holds is its own copy of the program's structures; whoever records it has the command buffer to itself.
unsafe impl Send for Waiting {}

/// A command buffer.
#[derive(Default)]
struct Buffer {
    waiting: Vec<Waiting>,
    /// Commands that were numbered.
    numbered: u64,
    /// The largest number that was recorded.
    recorded: u64,
    /// Within a render pass no command that waits can be recorded.
    rendering: bool,
}

impl Buffer {
    fn number(&mut self) -> u64 {
        self.numbered += 1;
        self.numbered
    }

    /// Takes some of the commands that wait, in the order in which they are to be recorded.
    fn take(&mut self, order: Order, wanted: impl FnMut(&mut Waiting) -> bool) -> Vec<Waiting> {
        let mut taken: Vec<Waiting> = self.waiting.extract_if(.., wanted).collect();
        order.arrange(&mut taken, |one| one.about.is_top);
        for one in &taken {
            said::add(&MOVED, u64::from(one.number < self.recorded));
            self.recorded = self.recorded.max(one.number);
        }
        taken
    }

    /// Those that must not wait for a change of state, and by chance what would run before them.
    fn before_state(&mut self, order: Order) -> Vec<Waiting> {
        let Some(first) = self.waiting.iter().find(|one| one.about.reads_state).map(|one| one.number) else {
            return Vec::new();
        };
        self.take(order, |one| one.about.reads_state || one.number > first && order.now())
    }
}

fn with<R>(buffer: vk::CommandBuffer, act: impl FnOnce(&mut Buffer) -> R) -> R {
    static BUFFERS: Mutex<Option<HashMap<vk::CommandBuffer, Buffer>>> = Mutex::new(None);
    let mut buffers = BUFFERS.lock().unwrap_or_else(PoisonError::into_inner);
    act(buffers.get_or_insert_default().entry(buffer).or_default())
}

fn record(all: Vec<Waiting>) {
    all.into_iter().for_each(|one| (one.record)());
}

/// Recording begins anew.
pub(crate) fn begin(buffer: vk::CommandBuffer) {
    with(buffer, |it| *it = Buffer::default());
}

/// A command waits.
pub(crate) fn wait(buffer: vk::CommandBuffer, about: About, record: impl FnOnce() + 'static) {
    said::add(&WAITED, 1);
    with(buffer, |it| {
        let number = it.number();
        it.waiting.push(Waiting { about, number, record: Box::new(record) });
    });
}

/// Before a command that is recorded at once, and moves nothing.
pub(crate) fn pass(buffer: vk::CommandBuffer) {
    with(buffer, |it| it.recorded = it.number());
}

/// Before a command that changes what dispatches read.
pub(crate) fn state(buffer: vk::CommandBuffer) {
    record(with(buffer, |it| it.before_state(Order::get())));
}

/// Before a command that orders these stages.
pub(crate) fn stages(buffer: vk::CommandBuffer, stages: Stages) {
    let all = stages.intersects(Stages::ALL_COMMANDS | Stages::BOTTOM_OF_PIPE);
    record(with(buffer, |it| match it.rendering {
        true => Vec::new(),
        false => it.take(Order::get(), |one| all || one.about.stages.intersects(stages)),
    }));
}

/// Before a command that orders all others.
pub(crate) fn everything(buffer: vk::CommandBuffer) {
    stages(buffer, Stages::ALL_COMMANDS);
}

/// Before a command of queries.
pub(crate) fn queries(buffer: vk::CommandBuffer, pool: vk::QueryPool) {
    let order = Order::get();
    record(with(buffer, |it| match it.waiting.iter().any(|one| one.about.pool == pool) {
        true => it.take(order, |_| true),
        false => Vec::new(),
    }));
}

/// Before rendering begins. What waits goes on to wait, unless the rendering has a part elsewhere.
pub(crate) fn render(buffer: vk::CommandBuffer, has_parts: bool) {
    if has_parts {
        everything(buffer)
    } else {
        state(buffer)
    }
    pass(buffer);
    with(buffer, |it| it.rendering = true);
}

/// Behind rendering.
pub(crate) fn end_rendering(buffer: vk::CommandBuffer) {
    with(buffer, |it| it.rendering = false);
}

#[cfg(test)]
mod tests {
    use super::*;
    use ash::vk::Handle;
    use std::cell::RefCell;
    use std::rc::Rc;

    /// A command buffer of the test, and what was recorded in it.
    struct Recorded(vk::CommandBuffer, Rc<RefCell<Vec<&'static str>>>);

    impl Recorded {
        fn new(handle: u64) -> Recorded {
            let buffer = vk::CommandBuffer::from_raw(handle);
            begin(buffer);
            Recorded(buffer, Rc::default())
        }

        fn wait(&self, name: &'static str, stages: Stages, reads_state: bool) {
            let all = Rc::clone(&self.1);
            let about = About { stages, is_top: name.starts_with("top"), reads_state, ..About::default() };
            wait(self.0, about, move || all.borrow_mut().push(name));
        }

        fn take(&self) -> Vec<&'static str> {
            self.1.take()
        }
    }

    const BUILD: Stages = Stages::ACCELERATION_STRUCTURE_BUILD_KHR;

    #[test]
    fn a_barrier_keeps_those_whose_stages_it_names_before_itself() {
        let it = Recorded::new(1);
        it.wait("bottom", BUILD, false);
        it.wait("copy", Stages::COPY, false);
        it.wait("top", BUILD, false);
        stages(it.0, Stages::FRAGMENT_SHADER);
        assert_eq!(it.take(), [""; 0]);
        stages(it.0, BUILD);
        assert_eq!(it.take(), ["top", "bottom"]);
        everything(it.0);
        assert_eq!(it.take(), ["copy"]);
    }

    #[test]
    fn a_dispatch_is_recorded_before_its_state_changes_and_builds_move_past_it() {
        let it = Recorded::new(2);
        it.wait("before", BUILD, false);
        state(it.0);
        it.wait("dispatch", Stages::COMPUTE_SHADER, true);
        it.wait("behind", BUILD, false);
        state(it.0);
        assert_eq!(it.take(), ["behind", "dispatch"]);
        render(it.0, false);
        everything(it.0);
        assert_eq!(it.take(), [""; 0], "not within rendering");
        end_rendering(it.0);
        everything(it.0);
        assert_eq!(it.take(), ["before"]);
    }

    #[test]
    fn what_was_recorded_before_is_gone_with_its_command_buffer() {
        let it = Recorded::new(3);
        it.wait("build", BUILD, false);
        begin(it.0);
        everything(it.0);
        assert_eq!(it.take(), [""; 0]);
    }
}
