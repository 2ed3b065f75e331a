//! The trail of a device: how far the GPU is in each list that it was given, and where objects lie and lay in its memory. DRED answers from it,
//! and the log tells of it when the device is lost.
//!
//! A list records [`Crumbs`]: a number for each operation, which the GPU writes when it begins the operation and when it is done
//! (`reprise_gpu::progress`). A queue that is given the list makes a run of them. Invariants: nothing is kept that nobody [wished](Wishes)
//! for before the device was made; what was reached is read once, when the device is lost, and stays.

pub mod crumbs;
pub mod name;
pub mod nodes;
pub mod ranges;

use core::ffi::c_void;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use reprise_com::{Class, Object};
use reprise_d3d12::types::D3D12_DRED_ALLOCATION_TYPE;
use reprise_gpu::fault;
use reprise_gpu::loss::{Listener, Reason};
use reprise_gpu::progress::Progress;

use crumbs::Crumbs;
use name::Name;
use nodes::{Allocations, Breadcrumbs};
use ranges::{Found, Owner, Ranges};

/// What is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wishes {
    /// Breadcrumbs of lists.
    pub crumbs: bool,
    /// Only those of markers and events.
    pub marks_only: bool,
    /// What markers and events say.
    pub contexts: bool,
    /// Where objects lie, and lay until they were released.
    pub ranges: bool,
}

/// A list that a queue was given.
#[derive(Clone, Debug)]
pub struct Run {
    /// What the list recorded.
    pub crumbs: Arc<Crumbs>,
    /// The list's address and name.
    pub list: (usize, Name),
    /// The queue's address and name.
    pub queue: (usize, Name),
}

/// How far the GPU came in a run.
#[derive(Clone, Debug)]
pub struct Reached {
    /// The run.
    pub run: Run,
    /// Operations that it had begun: the last one's number.
    pub begun: u32,
    /// Operations that it had done.
    pub done: u32,
}

/// What a lost device was at.
#[derive(Debug, Default)]
struct End {
    /// Lists that were not done, in the order in which queues were given them.
    reached: Vec<Reached>,
    /// Where the driver says that memory was missing.
    fault: Option<Found>,
}

/// The trail of a device.
#[derive(Debug)]
pub struct Trail {
    wishes: Wishes,
    device: Arc<reprise_gpu::Device>,
    progress: Progress,
    runs: Mutex<Vec<Run>>,
    ranges: Mutex<Ranges>,
    /// The address of a fault that somebody else knows of.
    known: OnceLock<u64>,
    dump: Option<PathBuf>,
    end: OnceLock<End>,
    breadcrumbs: OnceLock<Breadcrumbs>,
    allocations: OnceLock<Allocations>,
}

/// Lists that the log tells of.
const TOLD: usize = 16;

impl Trail {
    /// The trail of a new device. `dump`: where a driver's dump goes.
    pub fn new(device: &Arc<reprise_gpu::Device>, wishes: Wishes, dump: Option<PathBuf>) -> Arc<Trail> {
        let trail = Arc::new(Trail {
            wishes,
            device: device.clone(),
            progress: Progress::new(&device.memory),
            runs: Mutex::default(),
            ranges: Mutex::default(),
            known: OnceLock::new(),
            dump,
            end: OnceLock::new(),
            breadcrumbs: OnceLock::new(),
            allocations: OnceLock::new(),
        });
        let weak: std::sync::Weak<Trail> = Arc::downgrade(&trail);
        device.loss.listen(weak);
        trail
    }

    /// What is kept.
    #[inline]
    pub fn wishes(&self) -> Wishes {
        self.wishes
    }

    /// Breadcrumbs for a list that begins; `None` where none are wanted.
    pub fn begin(&self) -> Option<Box<Crumbs>> {
        if !self.wishes.crumbs {
            return None;
        }
        match self.progress.words() {
            Ok(words) => Some(Box::new(Crumbs::new(words, self.wishes))),
            Err(error) => {
                reprise_log::warning(format_args!("a command list leaves no breadcrumbs: {error}"));
                None
            }
        }
    }

    fn runs(&self) -> MutexGuard<'_, Vec<Run>> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A queue is about to be given lists.
    pub fn submit(&self, given: impl Iterator<Item = Run>) {
        let mut runs = self.runs();
        runs.retain(|run| !run.crumbs.is_done());
        for run in given.filter(|run| run.crumbs.writes()) {
            // Not done the last time, and given again all the same: its words stay what they are.
            if !runs.iter().any(|other| Arc::ptr_eq(&other.crumbs, &run.crumbs)) {
                run.crumbs.restart();
            }
            runs.push(run);
        }
    }

    fn ranges(&self) -> MutexGuard<'_, Ranges> {
        self.ranges.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An object has these bytes from now on, until [`Trail::release`], which must come before it goes.
    pub fn own<T: Class>(&self, object: &Object<T>, kind: D3D12_DRED_ALLOCATION_TYPE, address: u64, size: u64) {
        if self.wishes.ranges && address != 0 && size != 0 {
            let owner = Owner { start: address, size, kind };
            self.ranges().own(object.pointer() as usize, owner, name_of::<T>);
        }
    }

    /// The program lets go of an object.
    pub fn release<T: Class>(&self, object: &Object<T>) {
        if self.wishes.ranges {
            self.ranges().release(object.pointer() as usize, || Name::of(object.private()));
        }
    }

    /// An address in the middle of the object that was released last.
    pub fn last_released(&self) -> Option<u64> {
        self.ranges().last_released().map(|owner| owner.start + owner.size / 2)
    }

    /// Somebody knows at which address the device faulted; the first one stays.
    pub fn faulted(&self, address: u64) {
        let _ = self.known.set(address);
    }

    /// The address at which the lost device faulted.
    pub fn fault(&self) -> Option<u64> {
        self.end().fault.as_ref().map(|found| found.address)
    }

    /// For a program, of a lost device.
    pub fn breadcrumbs(&self) -> &Breadcrumbs {
        self.breadcrumbs.get_or_init(|| Breadcrumbs::new(&self.end().reached))
    }

    /// For a program, of a lost device.
    pub fn allocations(&self) -> &Allocations {
        self.allocations.get_or_init(|| Allocations::new(self.end().fault.as_ref()))
    }

    /// What the lost device was at.
    fn end(&self) -> &End {
        self.end.get_or_init(|| {
            let reached: Vec<Reached> = self.runs().iter().filter_map(Run::reached).collect();
            for line in reached.iter().take(TOLD) {
                reprise_log::error(format_args!("{}", line.text()));
            }
            if reached.len() > TOLD {
                reprise_log::error(format_args!("{} more lists were not done", reached.len() - TOLD));
            }
            let range = self.known.get().map(|address| (*address, *address..=*address)).or_else(|| self.ask_driver());
            let fault = range.map(|(address, range)| self.ranges().find(address, &range));
            if let Some(fault) = &fault {
                fault.lines().iter().for_each(|line| reprise_log::error(format_args!("{line}")));
            }
            End { reached, fault }
        })
    }

    /// What the driver says of a device that is lost to Vulkan: the address, and all that it may have been.
    fn ask_driver(&self) -> Option<(u64, core::ops::RangeInclusive<u64>)> {
        if self.device.loss.reason() != Some(&Reason::Failed(reprise_gpu::Error::Lost)) {
            return None;
        }
        let report = fault::read(&self.device.logical)?;
        reprise_log::error(format_args!("the driver says of the lost device: {}", report.description));
        for address in &report.addresses {
            let (kind, range) = (address.kind, &address.range);
            reprise_log::error(format_args!(
                "{kind:?} at {:#x} ({:#x} to {:#x})",
                address.reported,
                range.start(),
                range.end()
            ));
        }
        for (text, code, data) in &report.vendor {
            reprise_log::error(format_args!("{text} ({code:#x}, {data:#x})"));
        }
        if let (Some(path), false) = (&self.dump, report.binary.is_empty()) {
            match std::fs::write(path, &report.binary) {
                Ok(()) => reprise_log::error(format_args!("the driver's dump is in {}", path.display())),
                Err(error) => {
                    reprise_log::error(format_args!("{}: the driver's dump is lost: {error}", path.display()))
                }
            }
        }
        report.address().map(|address| (address.reported, address.range.clone()))
    }
}

impl Listener for Trail {
    fn lost(&self) {
        self.end();
    }
}

impl Run {
    /// The run of a list that has left breadcrumbs.
    pub fn new<L: Class, Q: Class>(crumbs: Arc<Crumbs>, list: &Object<L>, queue: &Object<Q>) -> Run {
        let of = |pointer: *mut c_void, name| (pointer as usize, name);
        Run {
            crumbs,
            list: of(list.pointer(), Name::of(list.private())),
            queue: of(queue.pointer(), Name::of(queue.private())),
        }
    }

    /// How far the GPU is; `None` where it is done.
    fn reached(&self) -> Option<Reached> {
        let [begun, done] = self.crumbs.reached();
        (!self.crumbs.is_done()).then(|| Reached { run: self.clone(), begun, done })
    }
}

impl Reached {
    /// In a line of the log.
    fn text(&self) -> String {
        let Reached { run, begun, done } = self;
        let [list, queue] = [&run.list, &run.queue].map(|(address, name)| match name.text() {
            Some(name) => format!("\"{name}\""),
            None => format!("{address:#x}"),
        });
        let count = run.crumbs.ops().len();
        let place = match begun {
            0 => "not begun".to_owned(),
            _ if begun == done => format!("{done} done, the next not begun"),
            _ => format!("{done} done, {} begun and not done: {}", begun - done, run.crumbs.between(*done, *begun)),
        };
        let within = if *begun == 0 { Vec::new() } else { run.crumbs.within(*begun) };
        let within = if within.is_empty() { String::new() } else { format!(", in {}", within.join(" / ")) };
        format!("the GPU stopped in list {list} of queue {queue}: of {count} operations {place}{within}")
    }
}

/// # Safety
/// `pointer` is that of a living object of the class.
unsafe fn name_of<T: Class>(pointer: usize) -> Name {
    // SAFETY: as the caller promises.
    let object = unsafe { Object::<T>::this(core::ptr::with_exposed_provenance_mut(pointer)) };
    Name::of(object.private())
}
