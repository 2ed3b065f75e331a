//! Handles of shader groups that a later process can have again (`rayTracingPipelineShaderGroupHandleCaptureReplay`).
//!
//! Where the device keeps addresses for a later process, state objects say by private data which handles the driver needs to give their
//! groups the same identifiers ([`reprise_d3d12::place`] has the protocol), and a creation can be asked to have those of an earlier process.
//! Handles go by the names of groups, so no group ever gets that of another. Invariant: handles that cannot be had change nothing but
//! identifiers. What a trace keeps may be a stranger's; it is checked here, and by the driver.

use core::sync::atomic::{AtomicU8, Ordering};
use std::sync::{PoisonError, RwLock};

use reprise_com::result::S_OK;
use reprise_d3d12::model::Guid;
use reprise_d3d12::place::{GROUPS, ID};
use reprise_gpu::memory::place::{self, Driver, HEADER};
use reprise_gpu::settings::Addresses;
use xxhash_rust::xxh3::xxh3_64;

use crate::Device;
use crate::wish::{Next, Wish};

/// No driver's handles are longer, in bytes.
const LONGEST: usize = 256;

/// The groups of one of Vulkan's pipelines: the hash of the name, and the handle.
type Groups = Vec<(u64, Vec<u8>)>;

/// Handles of a state object's groups, by pipeline in the order in which they are made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Handles {
    /// Bytes of each.
    size: usize,
    pipelines: Vec<Groups>,
}

impl Handles {
    /// For a trace: header, [`GROUPS`] u32, bytes of a handle u32, pipelines u32, 0 u32. Then for each pipeline: groups u32, 0 u32, and for each group
    /// XXH3 of its name u64 and the handle.
    pub fn bytes(&self, driver: &Driver) -> Vec<u8> {
        let mut bytes = place::header(driver).to_vec();
        let words = [GROUPS, self.size as u32, self.pipelines.len() as u32, 0];
        bytes.extend(words.into_iter().flat_map(u32::to_le_bytes));
        for groups in &self.pipelines {
            bytes.extend([groups.len() as u32, 0].into_iter().flat_map(u32::to_le_bytes));
            for (name, handle) in groups {
                bytes.extend(name.to_le_bytes());
                bytes.extend(handle);
            }
        }
        bytes
    }

    /// What a trace kept, where this runtime wrote it on this driver. What follows it does not count.
    pub fn of(bytes: &[u8], driver: &Driver) -> Option<Handles> {
        let mut rest = bytes.strip_prefix(&place::header(driver)[..])?;
        if word(&mut rest)? != GROUPS {
            return None;
        }
        let (size, pipelines, _) = (word(&mut rest)? as usize, word(&mut rest)?, word(&mut rest)?);
        if !(1..=LONGEST).contains(&size) {
            return None;
        }
        let mut found = Handles { size, pipelines: Vec::new() };
        // Bounded: each turn takes bytes off the front, or ends.
        for _ in 0..pipelines {
            let (groups, _) = (word(&mut rest)?, word(&mut rest)?);
            let mut all = Vec::new();
            for _ in 0..groups {
                let name = u64::from_le_bytes(*take(&mut rest, 8)?.first_chunk()?);
                all.push((name, take(&mut rest, size)?.to_vec()));
            }
            found.pipelines.push(all);
        }
        Some(found)
    }
}

fn take<'b>(rest: &mut &'b [u8], count: usize) -> Option<&'b [u8]> {
    let (taken, left) = rest.split_at_checked(count)?;
    *rest = left;
    Some(taken)
}

fn word(rest: &mut &[u8]) -> Option<u32> {
    Some(u32::from_le_bytes(*take(rest, 4)?.first_chunk()?))
}

const _: () = assert!(HEADER == reprise_d3d12::place::HEADER);

thread_local! {
    /// The handles that this thread's next state object is to have.
    static NEXT: Next<Handles> = const { Next::new(None) };
}
static WISH: Wish<Handles> = Wish::new(&NEXT);

/// `SetPrivateData` of a device, where it asks for handles; `None` where it asks for something else.
pub fn ask(device: &Device, id: &Guid, bytes: Option<&[u8]>) -> Option<i32> {
    if *id != ID {
        return None;
    }
    let handles = bytes.and_then(|bytes| Handles::of(bytes, &device.caps.driver_build()));
    let asked = handles.is_some();
    WISH.set(device, handles);
    asked.then_some(S_OK)
}

/// What the creation that begins now is to have, and what it makes.
pub fn next(device: &Device) -> Making {
    let caps = &device.caps;
    let size = caps.rays.shader_group_handle_capture_replay_size as usize;
    if !caps.repeats_groups() || !(1..=LONGEST).contains(&size) {
        return Making::default();
    }
    let asked = WISH.take(device).filter(|handles| handles.size == size);
    let repeats = asked.is_some() || device.instance.settings.addresses == Addresses::Repeatable;
    let wanted = asked.map(|handles| handles.pipelines.into_iter());
    Making { repeats, wanted, made: Handles { size, pipelines: Vec::new() } }
}

/// Handles of a state object that is being made.
#[derive(Debug, Default)]
pub struct Making {
    /// Whether a later process shall be able to have its handles.
    pub repeats: bool,
    /// Those of the pipelines to come, from an earlier process.
    wanted: Option<std::vec::IntoIter<Groups>>,
    made: Handles,
}

impl Making {
    /// Bytes of a handle.
    pub fn size(&self) -> usize {
        self.made.size
    }

    /// The handles that the groups of the next pipeline are to have, one for each name; `None` where not all of them are known.
    pub fn wanted<'n>(&mut self, names: impl Iterator<Item = &'n str>) -> Option<Vec<Vec<u8>>> {
        let mut known = self.wanted.as_mut()?.next()?;
        let mut find = |name: &str| {
            let at = known.iter().position(|(known, _)| *known == hash(name))?;
            Some(known.swap_remove(at).1)
        };
        let found = names.map(&mut find).collect::<Option<Vec<_>>>()?;
        (!found.is_empty()).then_some(found)
    }

    /// The groups of a pipeline have these handles.
    pub fn keep<'n>(&mut self, names: impl Iterator<Item = &'n str>, handles: &[u8]) {
        let each = handles.chunks_exact(self.made.size.max(1)).map(<[u8]>::to_vec);
        self.made.pipelines.push(names.map(hash).zip(each).collect());
    }

    /// The handles of all pipelines; `None` where no later process can have any.
    pub fn finish(self) -> Option<Handles> {
        (self.repeats && !self.made.pipelines.is_empty()).then_some(self.made)
    }
}

fn hash(name: &str) -> u64 {
    xxh3_64(name.as_bytes())
}

/// Creations of pipelines with and without handles of an earlier process: while one kind runs, the other does not. By Vulkan's rules
/// (VUID-VkRayTracingShaderGroupCreateInfoKHR-rtPipelineShaderGroupHandleCaptureReplayMixed-03603 and 03604) a device that does not mix them
/// takes handles only if its first pipeline has them.
struct Turns {
    /// What the first pipeline of the process had.
    first: AtomicU8,
    /// Read by creations with handles, written by those without.
    turn: RwLock<()>,
}

const WITH: u8 = 1;
const WITHOUT: u8 = 2;

static TURNS: Turns = Turns { first: AtomicU8::new(0), turn: RwLock::new(()) };

/// Makes a pipeline, which is told whether it may have the handles that are wanted for it.
pub fn in_turn<R>(device: &Device, wanted: bool, make: impl FnOnce(bool) -> R) -> R {
    let features = &device.caps.features.ray_pipeline;
    let mixes = features.ray_tracing_pipeline_shader_group_handle_capture_replay_mixed != 0;
    if mixes || !device.caps.repeats_groups() {
        return make(wanted);
    }
    TURNS.take(wanted, WISH.was_asked(), make)
}

impl Turns {
    fn take<R>(&self, wanted: bool, asked: bool, make: impl FnOnce(bool) -> R) -> R {
        let kind = if wanted { WITH } else { WITHOUT };
        let first =
            self.first.compare_exchange(0, kind, Ordering::Relaxed, Ordering::Relaxed).unwrap_or_else(|first| first);
        if wanted && first != WITHOUT {
            let _turn = self.turn.read().unwrap_or_else(PoisonError::into_inner);
            return make(true);
        }
        let _turn = asked.then(|| self.turn.write().unwrap_or_else(PoisonError::into_inner));
        make(false)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const DRIVER: Driver = [7; 16];

    fn handles() -> impl Strategy<Value = Handles> {
        let all = (1usize..40).prop_flat_map(|size| {
            let group = (any::<u64>(), proptest::collection::vec(any::<u8>(), size));
            let pipelines = proptest::collection::vec(proptest::collection::vec(group, 0..5), 0..4);
            (Just(size), pipelines)
        });
        all.prop_map(|(size, pipelines)| Handles { size, pipelines })
    }

    proptest! {
        #[test]
        fn what_is_kept_is_found(handles in handles(), padding in 0usize..8, cut in any::<proptest::sample::Index>()) {
            let bytes = handles.bytes(&DRIVER);
            // A trace's facts are padded.
            let padded = [&bytes[..], &vec![0; padding]].concat();
            prop_assert_eq!(Handles::of(&padded, &DRIVER), Some(handles));
            prop_assert_eq!(Handles::of(&bytes, &[8; 16]), None, "another driver");
            prop_assert_eq!(Handles::of(&bytes[..cut.index(bytes.len())], &DRIVER), None, "cut short");
            prop_assert_eq!(place::Place::of(&padded, &DRIVER), None, "no place of memory");
        }

        #[test]
        fn no_bytes_take_more_memory_than_they_are(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let all = [&place::header(&DRIVER)[..], &GROUPS.to_le_bytes(), &bytes].concat();
            if let Some(found) = Handles::of(&all, &DRIVER) {
                let groups = found.pipelines.iter().map(Vec::len).sum::<usize>();
                prop_assert!(groups * (8 + found.size) + found.pipelines.len() * 8 <= all.len());
            }
        }
    }

    fn making(pipelines: &[&[(&str, u8)]]) -> Making {
        let groups = |all: &&[(&str, u8)]| all.iter().map(|(name, byte)| (hash(name), vec![*byte; 2])).collect();
        let pipelines: Vec<Groups> = pipelines.iter().map(groups).collect();
        let made = Handles { size: 2, pipelines: Vec::new() };
        Making { repeats: true, wanted: Some(pipelines.into_iter()), made }
    }

    #[test]
    fn handles_go_by_name_and_all_or_none() {
        let mut making =
            making(&[&[("one", 1), ("two", 2)], &[("one", 3)], &[("three", 4), ("twice", 5), ("twice", 6)]]);
        assert_eq!(making.wanted(["two", "one"].into_iter()), Some(vec![vec![2; 2], vec![1; 2]]));
        assert_eq!(making.wanted(["one", "other"].into_iter()), None, "one of them is not known");
        let last = making.wanted(["twice", "three", "twice"].into_iter()).unwrap();
        assert_eq!((last[1].as_slice(), last[0] != last[2]), (&[4; 2][..], true));
        assert_eq!(making.wanted(["one"].into_iter()), None, "there are no more pipelines");
        making.keep(["a", "b"].into_iter(), &[1, 2, 3, 4]);
        making.keep([].into_iter(), &[]);
        let made = making.finish().unwrap();
        assert_eq!(made.pipelines, [vec![(hash("a"), vec![1, 2]), (hash("b"), vec![3, 4])], vec![]]);
        assert_eq!(Making::default().finish(), None);
    }

    #[test]
    fn handles_come_first_or_never() {
        let turns = || Turns { first: AtomicU8::new(0), turn: RwLock::new(()) };
        let with = turns();
        assert!(with.take(true, true, |may| may) && with.take(true, true, |may| may));
        assert!(!with.take(false, true, |may| may) && with.take(true, true, |may| may));
        let without = turns();
        assert!(!without.take(false, false, |may| may) && !without.take(true, true, |may| may));
        // Those of one kind run beside each other, those of the other alone.
        assert!(with.take(true, true, |_| with.turn.try_read().is_ok() && with.turn.try_write().is_err()));
        assert!(with.take(false, true, |_| with.turn.try_read().is_err()));
    }
}
