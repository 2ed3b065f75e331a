//! Submissions that replay's own work of a list is awaited from: a fence of replay's own stands behind each.
//!
//! Invariant: what is awaited ends once, done or with the reason why it is not.

use std::time::Duration;

use crate::resource_dump::signal;
use crate::runtime::Runtime;
use crate::runtime::com::Com;
use crate::runtime::fence::{self, Waited};
use crate::world::World;

/// How long a submission is waited for before later calls are made, which it may wait for.
pub(crate) const PATIENCE: Duration = Duration::from_secs(2);
/// Why there is nothing of what was never submitted.
pub(crate) const NOT_THERE: &str = "the replay ended before the GPU came there";
/// Why there is nothing of what the GPU does not finish.
pub(crate) const UNFINISHED: &str = "the queues do not finish; raise --fence-timeout if the device is slow";
const REMOVED: &str = "the device was removed";

/// Submitted, and a fence of replay's own behind it.
struct Waiting<T> {
    fence: u64,
    submission: u64,
    of: T,
}

/// A submission that is not awaited any more.
pub(crate) struct Ended<T> {
    pub(crate) submission: u64,
    /// What it brings.
    pub(crate) of: T,
    /// Why it brings nothing.
    pub(crate) failure: Option<&'static str>,
}

/// Submissions that the GPU is not known to have done.
pub(crate) struct Awaited<T> {
    waiting: Vec<Waiting<T>>,
}

impl<T> Default for Awaited<T> {
    fn default() -> Self {
        Self { waiting: Vec::new() }
    }
}

impl<T> Awaited<T> {
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Call `submission` was made on a queue.
    ///
    /// # Errors
    /// There is no fence: why, and what would have been brought.
    pub(crate) fn submitted(
        &mut self,
        world: &mut World,
        submission: u64,
        queue: u32,
        of: T,
    ) -> Result<(), (T, String)> {
        match signal(world, queue) {
            Ok(fence) => self.waiting.push(Waiting { fence, submission, of }),
            Err(reason) => return Err((of, reason)),
        }
        Ok(())
    }

    /// What is done by now, waiting so long for each. The others stay: a later call may be what they wait for.
    pub(crate) fn done(&mut self, runtime: &Runtime, patience: Duration) -> Vec<Ended<T>> {
        let waiting = std::mem::take(&mut self.waiting);
        waiting
            .into_iter()
            .filter_map(|it| it.wait(runtime, patience).map_err(|it| self.waiting.push(it)).ok())
            .collect()
    }

    /// Ends those that are meant, waiting so long for each: no call may come before that they wait for.
    pub(crate) fn end(&mut self, runtime: &Runtime, timeout: Duration, is_meant: impl Fn(&T) -> bool) -> Vec<Ended<T>> {
        let meant = self.waiting.extract_if(.., |it| is_meant(&it.of));
        let ended = |it: Waiting<T>| {
            it.wait(runtime, timeout).unwrap_or_else(|Waiting { submission, of, .. }| Ended {
                submission,
                of,
                failure: Some(UNFINISHED),
            })
        };
        meant.map(ended).collect()
    }
}

impl<T> Waiting<T> {
    /// Itself, where it is not done by then.
    fn wait(self, runtime: &Runtime, patience: Duration) -> Result<Ended<T>, Self> {
        let done = fence::completed(runtime, self.fence) >= 1;
        let failure = match fence::wait(runtime, self.fence, 1, if done { Duration::ZERO } else { patience }) {
            Waited::Reached => None,
            Waited::Expired(_) => return Err(self),
            Waited::Removed => Some(REMOVED),
        };
        if failure.is_none() {
            runtime.release(self.fence);
        }
        Ok(Ended { submission: self.submission, of: self.of, failure })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::Options;
    use crate::runtime::replay_objects;
    use crate::tests::program::iid;
    use crate::tests::script::null;
    use reprise_d3d12::{function, interface};

    /// A later call may signal what another queue waits for: a wait for all before it would be for what only that call brings about.
    #[test]
    fn only_what_is_meant_is_ended() {
        let runtime = Options { linked_runtime: Some(null()), ..Options::default() }.load_runtime().unwrap();
        let mut device = 0u64;
        let words = [0, 0xb000, iid(interface("ID3D12Device")), &raw mut device as u64];
        // SAFETY: the words are those of the function, and what they point to is alive.
        let made = unsafe { runtime.call_function(function("D3D12CreateDevice"), &words) };
        assert_eq!(made, Some(0));
        let mut awaited = Awaited::default();
        for (submission, of) in [(10, vec![0]), (20, vec![1, 2]), (30, vec![3])] {
            let fence = replay_objects::fence(&runtime, device).unwrap().into_pointer();
            awaited.waiting.push(Waiting { fence, submission, of });
        }
        // The GPU does none of them: none is done, and all stay.
        assert!(awaited.done(&runtime, Duration::ZERO).is_empty());
        let ended = awaited.end(&runtime, Duration::from_millis(1), |of| of.contains(&2));
        let told = |all: &[Ended<Vec<usize>>]| all.iter().map(|it| (it.submission, it.failure)).collect::<Vec<_>>();
        assert_eq!(told(&ended), [(20, Some(UNFINISHED))]);
        // The GPU comes to the last one.
        let signal = reprise_d3d12::method("ID3D12Fence", "Signal");
        // SAFETY: the fence is alive.
        unsafe { runtime.call(awaited.waiting[1].fence, signal, &[1]) };
        assert_eq!(told(&awaited.done(&runtime, Duration::ZERO)), [(30, None)]);
        assert_eq!(told(&awaited.end(&runtime, Duration::ZERO, |_| true)), [(10, Some(UNFINISHED))]);
        assert!(awaited.is_empty());
    }
}
