//! Queues and fences: submissions of an empty list, signals, and a round trip through the GPU.

use super::{Operation, WIN64};
use crate::call;
use crate::make::Maker;
use crate::queue::Queue;
use crate::stage::Stage;
use anyhow::Result;

pub(super) unsafe fn all(stage: &'static Stage, make: &Maker<WIN64>) -> Result<Vec<Operation>> {
    // SAFETY: a System V runtime's device, by the caller's promise.
    let queue = unsafe { Queue::new(stage, make)? };
    let idle = {
        let queue = queue.clone();
        move || queue.idle()
    };
    let rounds = |run: fn(&Queue)| {
        let queue = queue.clone();
        move |number| (0..number).for_each(|_| run(&queue))
    };
    let (all_threads, caller) = (200, 200);
    Ok(vec![
        Operation::new("ExecuteCommandLists of an empty list, caller", caller, rounds(Queue::execute))
            .after(idle.clone()),
        Operation::new("ExecuteCommandLists + Signal + wait, caller", caller, rounds(trip)).after(idle.clone()),
        Operation::new("ExecuteCommandLists + Signal + wait, all threads", all_threads, rounds(trip))
            .after(idle.clone())
            .of_all_threads(),
        Operation::new("Signal + wait, all threads", all_threads, rounds(signalled)).after(idle).of_all_threads(),
        Operation::new(
            "GetCompletedValue",
            20_000,
            rounds(|queue| {
                // SAFETY: a fence.
                core::hint::black_box(unsafe { call!(WIN64, queue.fence, queue.completed, () -> u64, ()) });
            }),
        ),
    ])
}

fn trip(queue: &Queue) {
    queue.execute();
    signalled(queue);
}

fn signalled(queue: &Queue) {
    queue.signal();
    queue.wait();
}
