//! The options of a replay.

use reprise_trace::read::Ends;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::control::Control;
use crate::debug::breakpoint::Breakpoints;
use crate::error::Error;
use crate::leader::Leader;
use crate::measure::Measure;
use crate::observer::Observer;
use crate::picture::Picture;
use crate::picture::screenshot::Screenshots;
use crate::report::diagnosis::Diagnosis;
use crate::report::experiment::ExperimentWish;
use crate::report::mesh::MeshWish;
use crate::report::overdraw::Overdraw;
use crate::report::overlay::OverlayWish;
use crate::report::pixel::PixelDraws;
use crate::report::timing::TimeWish;
use crate::resource_dump::{OnShot, ResourceDumps, Snapshot};
use crate::runtime::{Convention, LinkedRuntime, Runtime};

/// Frames to repeat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LoopFrames {
    /// Frames count from 1; both belong to it.
    pub frames: (u64, u64),
    /// How often they are played, the first time included.
    pub count: u64,
}

/// How far a replay is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// Frames presented so far.
    pub frame: u64,
    /// Calls looked at so far.
    pub calls: u64,
    /// A frame ends here; otherwise one is under way.
    pub ended: bool,
}

/// Takes the number and the picture of a frame.
pub type OnPicture<'a> = Box<dyn FnMut(u64, &Picture) -> std::io::Result<()> + 'a>;

/// Bytes that the GPU wrote, as they are here where the program saw them at capture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Read {
    /// The call after which they are looked at.
    pub call: u64,
    /// Its frame; frames count from 1.
    pub frame: u64,
    /// The mapped resource, by its id in the trace.
    pub resource: u32,
    /// Where they begin in it.
    pub offset: u64,
    /// XXH3-128 of them.
    pub hash: u128,
    /// The same of those that are answers of queries, the others counted as zeros; `None` where there are none.
    pub answers: Option<u128>,
    /// The same of those that are neither answers of queries, times of the GPU's clock nor sizes of structures.
    pub values: Option<u128>,
    /// They are not what the program saw (times of the GPU's clock and sizes of structures do not count).
    pub differs: bool,
}

/// Takes each piece of memory that the program reads back.
pub type OnRead<'a> = Box<dyn FnMut(&Read) + 'a>;

/// Takes how far each queue came, where the replay ended before they were done or lost its device.
pub type OnDiagnosis<'a> = Box<dyn FnMut(Diagnosis) + 'a>;

/// What a replay is asked to do; `Options::default()` replays everything and keeps nothing.
pub struct Options<'a> {
    /// Path or name of the Direct3D 12 library: `ours`, `system` (the first that is installed), `vkd3d`, `vkd3d-proton`,
    /// `null`, or a path or soname. `None`: the linked runtime, or `system` where there is none.
    pub runtime: Option<String>,
    /// The folder with the rings of a capture whose writer died; `None`: beside the trace, if it is there.
    pub rings: Option<PathBuf>,
    /// Frames end with these calls, and not where it was recorded, in a trace that replay opens.
    pub frame_ends: Option<Ends>,
    /// The convention of the library, where its name does not tell it.
    pub convention: Option<Convention>,
    /// Stop after this frame was presented; frames count from 1.
    pub quit_after_frame: Option<u64>,
    /// The frames that are wanted, the last one included: pictures are read back of these only, and the replay stops after
    /// them. Earlier frames are played all the same. `None`: all.
    pub frames: Option<(u64, u64)>,
    /// Frames to play again and again; the replay ends with them.
    pub rounds: Option<LoopFrames>,
    /// Stop before the call after this one, by the numbers that `reprise dump` gives; calls count from 1.
    pub quit_after_call: Option<u64>,
    /// Threads that make calls: with more than one, pipelines are made while the replay goes on, and the trace is read
    /// ahead. 0 is 1.
    pub threads: usize,
    /// Threads beside these that record command lists while the replay goes on; 0 records each where its calls stand, and so
    /// does whatever [`Options::one_by_one`] names.
    pub recorders: usize,
    /// Calls of a list that are worth the way to another thread: shorter lists are recorded by the replay's own. `None`: the
    /// replay measures while it plays whether the way to another thread gains time.
    pub recorded_from: Option<u32>,
    /// Wait on the CPU after each submission and signal, for all queues that can finish.
    pub sync: bool,
    /// Make and ask everything, and play nothing: a call that cannot be made is reported, and the check goes on.
    pub check: bool,
    /// Make heaps, resources, descriptor heaps and state objects twice, so that no address, handle or identifier is what it would be: a test of
    /// how replay translates them.
    pub create_dummy_allocations: bool,
    /// Ask the runtime for the addresses that heaps and buffers had at capture, where the trace keeps them; not together with
    /// [`Options::create_dummy_allocations`].
    pub recorded_addresses: bool,
    /// Take stored values that look like addresses for addresses, and move them: a guess, which is reported.
    pub patch_guess: bool,
    /// Calls to stop before, for a debugger.
    pub break_at: Breakpoints,
    /// Folder with shaders to use in the place of the program's, named after their hashes as `reprise extract` does.
    pub replace_shaders: Option<PathBuf>,
    /// A change that must show in what is compared.
    pub control: Option<Control>,
    /// A frame that RenderDoc, where it is loaded in this process, is told to capture.
    pub renderdoc_frame: Option<u64>,
    /// The folder for that capture, made if absent; `None` leaves it to RenderDoc.
    pub renderdoc_dir: Option<PathBuf>,
    /// Resources to dump as files.
    pub dumps: ResourceDumps,
    /// Called with what each of [`ResourceDumps::shots`] shows; a replay for shots alone ends with the last.
    pub on_shot: Option<OnShot<'a>>,
    /// Draws whose pixels are counted; the replay ends with their frame.
    pub overdraw: Option<Overdraw>,
    /// Draws whose vertices are wanted as the rasteriser gets them; the replay ends with the last.
    pub meshes: Vec<MeshWish>,
    /// Draws whose covered texels are wanted. The replay ends with the last one, unless memory that the program reads is looked at.
    pub overlays: Vec<OverlayWish>,
    /// Draws whose tests at a pixel are wanted; the replay ends with the last, unless memory that the program reads is looked at.
    pub pixel: Option<PixelDraws>,
    /// Frames whose operations are timed on the GPU.
    pub timing: Option<TimeWish>,
    /// What frames are played without, where [`Options::timing`] measures them; what they show is wrong then.
    pub experiment: Option<ExperimentWish>,
    /// Frames to measure.
    pub measure: Option<Measure>,
    /// Frames to write as files.
    pub screenshots: Screenshots,
    /// Hash every presented frame.
    pub frame_hashes: bool,
    /// How long to wait for a value that the program had seen a fence reach.
    pub fence_wait_timeout: Duration,
    /// The runtime that `ours` is, instead of a library beside the program.
    pub linked_runtime: Option<LinkedRuntime>,
    /// Of the frames that are wanted, the first and every so many-th after it are given to `on_picture`; 0 as 1.
    pub picture_interval: u64,
    /// Called with the number and the picture of each frame that is presented; an error of it ends the replay.
    pub on_picture: Option<OnPicture<'a>>,
    /// Marks every operation of the lists, and is called once where the replay ends with a queue that is not done or a device that is lost.
    pub on_diagnosis: Option<OnDiagnosis<'a>>,
    /// With [`Options::on_diagnosis`]: the operations of these calls, first and last, begin once everything before them is done.
    pub diagnose_serially: Option<(u64, u64)>,
    /// Called with the number of each call before it is made, on the thread that makes it, and with 0 after the last.
    pub on_call: Option<fn(u64)>,
    /// Watches each call.
    pub observer: Option<&'a mut dyn Observer>,
    /// Leads the replay from stop to stop.
    pub leader: Option<&'a mut dyn Leader>,
    /// Set from outside to stop the replay after the frame that is presented.
    pub stop: Option<Arc<AtomicBool>>,
    /// Memory that the program read back from the GPU is compared with what is there now. It takes time: where bytes differ the GPU's work is waited for.
    pub compare_reads: bool,
    /// How many steps a channel may be apart in texels that the program reads back. Texels are what lists copied from textures of 8 bits a
    /// channel; all other bytes are compared exactly.
    pub read_steps: u8,
    /// Called for memory that the program reads back from the GPU, where it can be looked at.
    pub on_read: Option<OnRead<'a>>,
    /// Where the replay ends, these contents are given, and what these builds read.
    pub snapshot: Option<Snapshot<'a>>,
    /// Called after each frame, and now and then within a long one.
    pub progress: Option<Box<dyn FnMut(Progress) + 'a>>,
}

impl Options<'_> {
    /// [`Options::fence_wait_timeout`] where nothing else is asked for.
    pub const FENCE_TIMEOUT: Duration = Duration::from_secs(10);

    /// The option because of which every call is made where it stands, on one thread, if there is one.
    pub fn one_by_one(&self) -> Option<&'static str> {
        match (self.sync, self.check) {
            (true, _) => Some("--sync"),
            (_, true) => Some("--check"),
            _ => self.around_calls(),
        }
    }

    /// The option that wants something to happen around single calls, if there is one.
    pub(crate) fn around_calls(&self) -> Option<&'static str> {
        let options = [
            (!self.break_at.is_empty(), "--break-at"),
            (!self.dumps.is_empty(), "a dump"),
            (self.snapshot.as_ref().is_some_and(Snapshot::looks_at_calls), "what a cut looks at"),
            (self.replace_shaders.is_some(), "--replace-shaders"),
            (self.control.is_some(), "--control"),
            (self.renderdoc_frame.is_some(), "--renderdoc-frame"),
            (self.overdraw.is_some(), "overdraw"),
            (!self.meshes.is_empty(), "a mesh"),
            (!self.overlays.is_empty(), "an overlay"),
            (self.pixel.is_some(), "pixel"),
            (self.timing.is_some(), "time"),
            (self.experiment.is_some(), "time --what-if"),
            (self.on_diagnosis.is_some(), "--diagnose"),
            (self.on_call.is_some(), "--check-descriptors"),
            (self.observer.is_some(), "--observer"),
            (self.leader.is_some(), "stops"),
            (self.rounds.is_some(), "--loop-frame"),
        ];
        options.into_iter().find(|(is_set, _)| *is_set).map(|(_, name)| name)
    }

    /// Loads the runtime that plays.
    ///
    /// # Errors
    /// It cannot be loaded.
    pub(crate) fn load_runtime(&self) -> Result<Runtime, Error> {
        Runtime::load(self.runtime.as_deref(), self.convention, self.linked_runtime)
    }
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self {
            runtime: None,
            rings: None,
            frame_ends: None,
            convention: None,
            quit_after_frame: None,
            frames: None,
            rounds: None,
            quit_after_call: None,
            threads: 1,
            recorders: 0,
            recorded_from: None,
            sync: false,
            check: false,
            create_dummy_allocations: false,
            recorded_addresses: true,
            patch_guess: false,
            break_at: Breakpoints::default(),
            replace_shaders: None,
            control: None,
            renderdoc_frame: None,
            renderdoc_dir: None,
            dumps: ResourceDumps::default(),
            on_shot: None,
            overdraw: None,
            meshes: Vec::new(),
            overlays: Vec::new(),
            pixel: None,
            timing: None,
            experiment: None,
            measure: None,
            screenshots: Screenshots::default(),
            frame_hashes: false,
            fence_wait_timeout: Self::FENCE_TIMEOUT,
            linked_runtime: None,
            picture_interval: 1,
            on_picture: None,
            compare_reads: true,
            read_steps: 0,
            on_read: None,
            on_diagnosis: None,
            diagnose_serially: None,
            on_call: None,
            observer: None,
            leader: None,
            stop: None,
            snapshot: None,
            progress: None,
        }
    }
}
