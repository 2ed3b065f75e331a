//! Dumps while the trace plays: puts the planned copies where they belong, waits for them, and has the files written.
//!
//! Invariant: before the end of the replay nothing waits for work that only a later call can bring about. Memory that a list copies
//! into lives until the end, because the list can be submitted until then.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{
    D3D12_HEAP_TYPE, D3D12_PLACED_SUBRESOURCE_FOOTPRINT, D3D12_RESOURCE_DESC, D3D12_RESOURCE_DIMENSION,
    D3D12_RESOURCE_STATES, D3D12_SUBRESOURCE_FOOTPRINT,
};
use reprise_d3d12::{interface, method};

use super::contents::Contents;
use super::copy::{Copy, Source};
use super::plan::{Job, Plan, ShotJob};
use super::shot::{ShotContents, ShotPart};
use super::states::States;
use super::views::Part;
use super::{ResourceDumps, files};
use crate::format::planes;
use crate::marks::Look;
use crate::report::Dumped;
use crate::runtime::Runtime;
use crate::runtime::com::Com;
use crate::runtime::fence::{self, Waited};
use crate::runtime::reference;
use crate::runtime::replay_objects;
use crate::world::World;

/// Dumps under way.
pub(crate) struct Dumps {
    plan: Plan,
    dir: PathBuf,
    timeout: Duration,
    /// Recorded, by number of the job.
    copies: HashMap<usize, Copy>,
    waiting: Vec<Waiting>,
    done: HashMap<usize, Vec<PathBuf>>,
    /// What points showed, by their number.
    looks: HashMap<usize, Result<Look, String>>,
    /// Bytes of looks that were recorded and not made yet.
    pending: u64,
    /// What shots showed, by their number, until it is fetched.
    shots: Vec<(usize, Result<ShotContents, String>)>,
    /// Shots that nothing is known of yet.
    open_shots: usize,
    /// Submissions with shots that were not made yet.
    open_submissions: usize,
}

/// What became of all dumps.
pub(crate) struct Outcome {
    pub(crate) dumped: Vec<Dumped>,
    /// What points showed, by their number.
    pub(crate) looks: HashMap<usize, Result<Look, String>>,
    /// What shots showed, by their number, and was not fetched.
    pub(crate) shots: Vec<(usize, Result<ShotContents, String>)>,
}

/// What is asked of a place that the replay has passed.
const PASSED: &str = "the replay has passed this place: it goes forward only";
const NOT_THERE: &str = "the replay ended before the GPU came there";

/// Bytes of looks that may wait for the GPU at once.
const MOST_PENDING: u64 = 2 << 30;
/// How long to wait for them; a submission may wait for a call that comes later.
const ROOM_PATIENCE: Duration = Duration::from_secs(2);

/// A submission with copies in it, and a fence of replay's own behind it.
struct Waiting {
    fence: u64,
    submission: u64,
    jobs: Vec<usize>,
}

/// What becomes of copies whose submission is not done when a wait ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Late {
    /// They are waited for again: the GPU is slow, or the submission waits for a call that comes later.
    Open,
    /// They are given up.
    Lost,
}

impl Dumps {
    pub(crate) fn new(plan: Plan, asked: &ResourceDumps, timeout: Duration) -> Self {
        let (dir, copies) = (asked.dir.clone(), HashMap::new());
        let shots: Vec<_> =
            plan.jobs.iter().filter_map(|job| Some((job.shot.as_ref()?, job.failure.as_ref()?))).collect();
        let shots: Vec<_> = shots.into_iter().map(|(shot, failure)| (shot.index, Err(failure.clone()))).collect();
        Self {
            open_shots: asked.shots.len() - shots.len(),
            open_submissions: plan.submitted.len(),
            shots,
            plan,
            dir,
            timeout,
            copies,
            waiting: Vec::new(),
            done: HashMap::new(),
            looks: HashMap::new(),
            pending: 0,
        }
    }

    /// Nothing yet: what is wanted comes while the trace plays.
    pub(crate) fn none(timeout: Duration) -> Self {
        Self::new(Plan::default(), &ResourceDumps::default(), timeout)
    }

    /// More shots, whose numbers begin at `first`.
    pub(crate) fn add(&mut self, plan: Plan, first: usize) {
        let offset = self.plan.jobs.len();
        for mut job in plan.jobs {
            if let Some(shot) = &mut job.shot {
                shot.index += first;
                match &job.failure {
                    Some(failure) => self.shots.push((shot.index, Err(failure.clone()))),
                    None => self.open_shots += 1,
                }
            }
            self.plan.jobs.push(job);
        }
        let moved = |jobs: Vec<usize>| jobs.into_iter().map(move |job| job + offset);
        for (to, from) in [
            (&mut self.plan.before, plan.before),
            (&mut self.plan.after, plan.after),
            (&mut self.plan.submitted, plan.submitted),
        ] {
            from.into_iter().for_each(|(call, jobs)| to.entry(call).or_default().extend(moved(jobs)));
        }
        self.plan.again.extend(plan.again);
        self.open_submissions = self.plan.submitted.len();
    }

    /// The replay stands right before or right after a call: makes the copies of this place, and gives up those of earlier ones.
    pub(crate) fn take_due(&mut self, world: &mut World, (call, before): (u64, bool)) {
        let late = |(number, is_before): (u64, bool)| number < call || (number == call && is_before && !before);
        for is_before in [true, false] {
            let places = if is_before { &mut self.plan.before } else { &mut self.plan.after };
            let passed: Vec<usize> =
                places.extract_if(|number, _| late((*number, is_before))).flat_map(|(_, jobs)| jobs).collect();
            let due = if is_before == before { places.remove(&call).unwrap_or_default() } else { Vec::new() };
            passed.into_iter().for_each(|job| self.fail(job, PASSED.into()));
            due.into_iter().for_each(|job| self.take(world, job));
        }
    }

    /// Waits for submissions that were made.
    pub(crate) fn settle(&mut self, world: &mut World) {
        self.look(world, self.timeout, Late::Lost);
    }

    /// A list is recorded anew: what it copied before is read, and its memory goes.
    pub(crate) fn release(&mut self, world: &mut World, list: u32) {
        let (jobs, done) = (&self.plan.jobs, &self.done);
        let is_old = |index: &usize| jobs[*index].list == Some(list) && done.contains_key(index);
        let old: Vec<usize> = self.copies.keys().copied().filter(is_old).collect();
        // Other submissions of it may still be under way.
        if !old.is_empty() && world.drain(self.timeout) {
            let copies = old.into_iter().filter_map(|index| self.copies.remove(&index));
            copies.for_each(|copy| copy.release(&world.runtime));
        }
    }

    /// What shots showed since this was asked last.
    pub(crate) fn take_shots(&mut self) -> Vec<(usize, Result<ShotContents, String>)> {
        std::mem::take(&mut self.shots)
    }

    /// Nothing but shots was wanted, and all were given.
    pub(crate) fn are_over(&self) -> bool {
        self.plan.is_shots_only && self.open_shots == 0
    }

    /// Call `number` is made next.
    pub(crate) fn before(&mut self, world: &mut World, number: u64) {
        if self.plan.again.contains(&number) {
            // The copies of the first submission are read before this one makes them anew.
            self.look(world, self.timeout, Late::Lost);
        }
        let jobs = self.plan.before.remove(&number);
        jobs.into_iter().flatten().for_each(|job| self.take(world, job));
    }

    /// Call `number` on `object` was made.
    pub(crate) fn after(&mut self, world: &mut World, number: u64, object: u32) {
        let jobs = self.plan.after.remove(&number);
        jobs.into_iter().flatten().for_each(|job| self.take(world, job));
        if let Some(jobs) = self.plan.submitted.remove(&number) {
            match signal(world, object) {
                Ok(fence) => self.waiting.push(Waiting { fence, submission: number, jobs }),
                Err(failure) => jobs.into_iter().for_each(|job| self.fail(job, failure.clone())),
            }
            self.open_submissions -= 1;
            if self.plan.is_shots_only && self.open_submissions == 0 {
                // Nothing else is to come, unless the submission waits for what comes later.
                self.look(world, ROOM_PATIENCE, Late::Open);
            }
        }
        self.look(world, Duration::ZERO, Late::Open);
    }

    /// A frame ended.
    pub(crate) fn frame(&mut self, world: &mut World, number: u64) {
        let jobs = self.plan.frames.remove(&number);
        jobs.into_iter().flatten().for_each(|job| self.take(world, job));
        self.look(world, Duration::ZERO, Late::Open);
    }

    /// The replay is at its end: the outcome of each dump.
    pub(crate) fn finish(mut self, world: &mut World) -> Outcome {
        self.look(world, self.timeout, Late::Lost);
        // Lists that copy may still be under way where a wait expired: then they are left to the end of the process.
        if self.waiting.is_empty() && world.drain(self.timeout) {
            self.copies.drain().for_each(|(_, copy)| copy.release(&world.runtime));
        }
        let (shots, jobs): (Vec<_>, Vec<_>) =
            self.plan.jobs.into_iter().enumerate().partition(|(_, job)| job.shot.is_some());
        let missing = shots.into_iter().filter(|(index, job)| job.failure.is_none() && !self.done.contains_key(index));
        self.shots.extend(missing.filter_map(|(_, job)| Some((job.shot?.index, Err(NOT_THERE.to_owned())))));
        let (points, jobs): (Vec<_>, Vec<_>) = jobs.into_iter().partition(|(_, job)| job.point.is_some());
        for (point, failure) in points.into_iter().filter_map(|(_, job)| Some((job.point?.0, job.failure))) {
            let failure = failure.unwrap_or_else(|| NOT_THERE.into());
            self.looks.entry(point).or_insert(Err(failure));
        }
        let outcomes = jobs.into_iter().map(|(index, job)| {
            let files = self.done.remove(&index).unwrap_or_default();
            let none = files.is_empty().then(|| NOT_THERE.into());
            Dumped { what: job.what, files, failure: job.failure.or(none) }
        });
        Outcome { dumped: outcomes.collect(), looks: self.looks, shots: self.shots }
    }

    /// The bytes that points kept, by their number, or why there are none. All queues are to be done.
    pub(crate) fn kept(&self, world: &World) -> HashMap<usize, Result<Vec<u8>, String>> {
        let points = self.plan.jobs.iter().enumerate().filter_map(|(index, job)| Some((index, job, job.point?)));
        let read = |index: usize, job: &Job| -> Result<Vec<u8>, String> {
            if let Some(failure) = &job.failure {
                return Err(failure.clone());
            }
            let copy = self.copies.get(&index).ok_or("the replay ended before its list was recorded")?;
            let mut all = Vec::new();
            copy.look(&world.runtime, |bytes, _| {
                all.extend_from_slice(bytes);
                Ok(())
            })?;
            Ok(all)
        };
        let kept = points.filter(|(.., (_, format))| format.is_none());
        kept.map(|(index, job, (point, _))| (point, read(index, job))).collect()
    }

    fn fail(&mut self, job: usize, failure: String) {
        if let Some(shot) = &self.plan.jobs[job].shot {
            self.open_shots = self.open_shots.saturating_sub(1);
            self.shots.push((shot.index, Err(failure.clone())));
        }
        self.plan.jobs[job].failure = Some(failure);
    }

    /// Lets the memory of a shot go that no list copies into.
    fn forget(&mut self, world: &World, index: usize) {
        if self.plan.jobs[index].shot.is_some()
            && let Some(copy) = self.copies.remove(&index)
        {
            copy.release(&world.runtime);
        }
    }

    /// Writes the files of submissions that are done by now, waiting so long for each.
    fn look(&mut self, world: &mut World, patience: Duration, late: Late) {
        for Waiting { fence, submission, jobs } in std::mem::take(&mut self.waiting) {
            let done = fence::completed(&world.runtime, fence) >= 1;
            let failure = match fence::wait(&world.runtime, fence, 1, if done { Duration::ZERO } else { patience }) {
                Waited::Reached => None,
                Waited::Expired(_) if late == Late::Open => {
                    self.waiting.push(Waiting { fence, submission, jobs });
                    continue;
                }
                Waited::Expired(_) => {
                    Some("its submission does not finish here; raise --fence-timeout if the device is slow")
                }
                Waited::Removed => Some("the device was removed"),
            };
            for (turn, job) in jobs.into_iter().enumerate() {
                match failure {
                    Some(failure) => self.fail(job, failure.into()),
                    None if self.plan.jobs[job].marks().is_some() => self.see(world, job, (submission, turn)),
                    // Its bytes are read at the end.
                    None if self.plan.jobs[job].point.is_some() => {}
                    None => self.write(world, job),
                }
            }
            if failure.is_none() {
                world.runtime.release(fence);
            } else {
                self.waiting.push(Waiting { fence, submission, jobs: Vec::new() });
            }
        }
    }

    fn write(&mut self, world: &World, index: usize) {
        let Some(copy) = self.copies.get(&index) else { return };
        let job = &self.plan.jobs[index];
        if let Some(shot) = &job.shot {
            match copy.read(&world.runtime, self.timeout).and_then(|contents| show(job, shot, contents)) {
                Ok(shown) => {
                    self.shots.push((shot.index, Ok(shown)));
                    self.done.insert(index, Vec::new());
                    self.open_shots = self.open_shots.saturating_sub(1);
                }
                Err(failure) => self.fail(index, failure),
            }
            return;
        }
        let written =
            copy.read(&world.runtime, self.timeout).and_then(|contents| files::write(&self.dir, job, &contents));
        match written {
            Ok(files) => _ = self.done.insert(index, files),
            Err(failure) => self.fail(index, failure),
        }
    }

    /// Waits a while for looks that the GPU has not made yet; whether there is room for more then.
    fn make_room(&mut self, world: &mut World) -> bool {
        let end = Instant::now() + ROOM_PATIENCE;
        while self.pending > MOST_PENDING && !self.waiting.is_empty() && Instant::now() < end {
            self.look(world, Duration::ZERO, Late::Open);
            std::thread::sleep(Duration::from_millis(1));
        }
        self.pending <= MOST_PENDING
    }

    /// Looks at what a point's copy brought, and lets its memory go where no submission writes there again.
    fn see(&mut self, world: &World, index: usize, at: (u64, usize)) {
        let job = &self.plan.jobs[index];
        let (Some((point, format)), Some(copy)) = (job.marks(), self.copies.get(&index)) else { return };
        let contents = copy.read(&world.runtime, self.timeout);
        let marks = contents.and_then(|contents| contents.marks(format));
        self.pending = self.pending.saturating_sub(copy.bytes());
        self.looks.insert(point, marks.map(|marks| Look { at, marks }));
        if !job.is_kept
            && let Some(copy) = self.copies.remove(&index)
        {
            copy.release(&world.runtime);
        }
    }

    /// Records the copy of a job, or makes it at once where it belongs to no list.
    fn take(&mut self, world: &mut World, index: usize) {
        let job = &self.plan.jobs[index];
        if job.failure.is_some() {
            return;
        }
        let is_full = job.marks().is_some() && self.pending > MOST_PENDING;
        if is_full && !self.make_room(world) {
            return self.fail(index, "too much memory is waiting to be looked at".into());
        }
        let job = &self.plan.jobs[index];
        let taken = match job.list {
            Some(list) => record(world, job, list),
            None => at_once(world, job, self.timeout),
        };
        let at_rest = job.list.is_none();
        match taken {
            Ok((copy, note)) => {
                if self.plan.jobs[index].marks().is_some() {
                    self.pending += copy.bytes();
                }
                self.copies.insert(index, copy);
                self.plan.jobs[index].notes.extend(note);
                if at_rest {
                    self.write(world, index);
                    self.forget(world, index);
                }
            }
            Err(failure) => self.fail(index, failure),
        }
    }
}

/// What a shot shows, from what its copy brought.
fn show(job: &Job, shot: &ShotJob, contents: Contents) -> Result<ShotContents, String> {
    let (desc, part) = match contents {
        Contents::Buffer { offset, width, bytes } => {
            (D3D12_RESOURCE_DESC { Width: width, ..Default::default() }, ShotPart::Bytes { offset, bytes })
        }
        Contents::Texture { desc, pieces } => {
            let part = shot.part.ok_or("the resource is a texture, and no part of it was asked for")?;
            // What is decoded is decoded as a whole.
            let decoded = job.regions.map(|_| part.subresource(job.resource, &desc)).transpose()?;
            let mut pieces = pieces.into_iter().filter(|piece| decoded.is_none_or(|it| it == piece.subresource));
            let piece = pieces.next().ok_or("the copy brought nothing")?;
            let mut bytes = piece.bytes;
            // Slices of a volume follow each other.
            let slice = bytes.len() / (piece.depth.max(1) as usize);
            if piece.depth > 1 {
                bytes = bytes.chunks_exact(slice.max(1)).nth(part.slice as usize).unwrap_or_default().to_vec();
            }
            let format = if part.format == 0 { desc.Format.0 as u32 } else { part.format };
            let Part { mip, slice, plane, sample, .. } = part;
            let (width, height) = (piece.width, piece.height);
            (desc, ShotPart::Texels { mip, slice, plane, sample, format, width, height, bytes })
        }
    };
    let (resource, submission) = (job.resource, shot.submission);
    Ok(ShotContents { resource, desc, submission, part, notes: job.notes.clone(), moved: job.moved.clone() })
}

/// The job of a shot with the subresource that it is of.
fn of_part(source: &Source, job: &Job) -> Result<Option<Job>, String> {
    let Some(shot) = &job.shot else { return Ok(None) };
    let desc = &source.desc;
    let is_buffer = desc.Dimension == D3D12_RESOURCE_DIMENSION::BUFFER;
    let part = match (shot.part, is_buffer) {
        (None, true) => return Ok(None),
        (Some(_), true) => return Err(format!("resource {} is a buffer: name it by --buffer", job.resource)),
        (None, false) => return Err(format!("resource {} is a texture: name it by --resource", job.resource)),
        (Some(part), false) => part,
    };
    let subresource = part.subresource(job.resource, desc)?;
    Ok(Some(Job { subresource: Some(subresource), ..job.clone() }))
}

/// A copy, and a remark for the reader of its files.
type Taken = Result<(Copy, Option<String>), String>;

fn source(world: &mut World, id: u32) -> Result<Source, String> {
    let pointer = world.pointer(id, interface("ID3D12Resource"))?;
    let resource = world.resources.get(&id).ok_or_else(|| format!("object {id} is no resource"))?;
    Ok(Source { pointer, desc: resource.desc, heap_type: resource.heap_type })
}

fn record(world: &mut World, job: &Job, list: u32) -> Taken {
    let source = source(world, job.resource)?;
    let list = world.pointer(list, interface("ID3D12GraphicsCommandList"))?;
    let predicate = match job.predicate {
        Some((buffer, offset, operation)) => {
            Some((world.pointer(buffer, interface("ID3D12Resource"))?, offset, operation))
        }
        None => None,
    };
    let part = of_part(&source, job)?;
    let job = part.as_ref().unwrap_or(job);
    let device = world.device_of(job.resource)?;
    Copy::record(device.runtime(), device.pointer(), list, &source, job, predicate).map(|copy| (copy, None))
}

/// Everything that was submitted is done, then a list of replay's own copies.
fn at_once(world: &mut World, job: &Job, timeout: Duration) -> Taken {
    let idle = world.drain(timeout);
    let note = (!idle).then(|| "a queue was still waiting for what comes later; its work may be missing".to_owned());
    when_idle(world, job, timeout).map(|copy| (copy, note))
}

/// A list of replay's own copies, after which nothing is pending. The program's queues are to be idle.
pub(super) fn when_idle(world: &mut World, job: &Job, timeout: Duration) -> Result<Copy, String> {
    let source = source(world, job.resource)?;
    let part = of_part(&source, job)?;
    let job = part.as_ref().unwrap_or(job);
    let device = world.device_of(job.resource)?;
    run(device.runtime(), device.pointer(), &source, job, timeout)
}

fn run(runtime: &Runtime, device: u64, source: &Source, job: &Job, timeout: Duration) -> Result<Copy, String> {
    let mut copied = Err(String::new());
    replay_objects::run(runtime, device, timeout, |list| {
        copied = Copy::record(runtime, device, list, source, job, None);
        copied.as_ref().map(|_| ()).map_err(Clone::clone)
    })?;
    copied
}

/// Of a texture with several samples a texel all texels, sample by sample, and where those of each subresource lie; `None` for any other
/// resource. The program's queues are to be idle.
pub(super) fn samples_when_idle(world: &mut World, job: &Job, timeout: Duration) -> Result<Option<AllSamples>, String> {
    let source = source(world, job.resource)?;
    let desc = source.desc;
    if desc.SampleDesc.Count <= 1 {
        return Ok(None);
    }
    let device = world.device_of(job.resource)?;
    let (runtime, device) = (device.runtime(), device.pointer());
    let slices = u32::from(desc.DepthOrArraySize).max(1);
    let (mut all, mut places) = (Vec::new(), Vec::new());
    for subresource in 0..slices * planes(desc.Format.0 as u32) {
        let (plane, slice) = (subresource / slices, subresource % slices);
        let first = all.len();
        for sample in 0..desc.SampleDesc.Count {
            let part = Part { mip: 0, slice, plane, sample, format: 0 };
            let shot = Some(ShotJob { index: 0, part: Some(part), submission: None });
            all.extend(sample_of(
                runtime,
                device,
                &source,
                &Job { subresource: Some(subresource), shot, ..job.clone() },
                timeout,
            )?);
        }
        let rows = u64::from(desc.SampleDesc.Count) * u64::from(desc.Height);
        let footprint = D3D12_SUBRESOURCE_FOOTPRINT {
            Format: desc.Format,
            Width: desc.Width as u32,
            Height: desc.Height,
            Depth: 1,
            RowPitch: ((all.len() - first) as u64 / rows.max(1)) as u32,
        };
        places.push((subresource, D3D12_PLACED_SUBRESOURCE_FOOTPRINT { Offset: first as u64, Footprint: footprint }));
    }
    Ok(Some((all, places)))
}

/// Texels, and by number of the subresource where they lie.
pub(super) type AllSamples = (Vec<u8>, Vec<(u32, D3D12_PLACED_SUBRESOURCE_FOOTPRINT)>);

/// The texels of the sample that a job is of.
fn sample_of(runtime: &Runtime, device: u64, source: &Source, job: &Job, timeout: Duration) -> Result<Vec<u8>, String> {
    let copy = run(runtime, device, source, job, timeout)?;
    let contents = copy.read(runtime, timeout);
    copy.release(runtime);
    let Contents::Texture { pieces, .. } = contents? else { return Err("a texture is no texture".into()) };
    Ok(pieces.into_iter().next().map(|piece| piece.bytes).unwrap_or_default())
}

/// The stencil of a texture of replay's own, which nothing pending writes and which is in the state for writing depth: for each pixel the
/// greatest of its samples.
pub(crate) fn stencil_of(
    runtime: &Runtime,
    texture: u64,
    desc: &D3D12_RESOURCE_DESC,
    timeout: Duration,
) -> Result<Vec<u8>, String> {
    let mut greatest: Vec<u8> = Vec::new();
    for bytes in own_samples(runtime, texture, desc, (1, D3D12_RESOURCE_STATES::DEPTH_WRITE), timeout)? {
        greatest.resize(bytes.len(), 0);
        greatest.iter_mut().zip(bytes).for_each(|(greatest, byte)| *greatest = byte.max(*greatest));
    }
    Ok(greatest)
}

/// The texels of each sample of a texture of replay's own with one level and slice: of a plane, whose number is that of its subresource, too.
/// Nothing pending writes it, and it is in this state.
pub(crate) fn own_samples(
    runtime: &Runtime,
    texture: u64,
    desc: &D3D12_RESOURCE_DESC,
    (plane, state): (u32, D3D12_RESOURCE_STATES),
    timeout: Duration,
) -> Result<Vec<Vec<u8>>, String> {
    let device = reference::device_of(runtime, texture)?;
    let source = Source { pointer: texture, desc: *desc, heap_type: D3D12_HEAP_TYPE::DEFAULT.0 as u32 };
    let of = |sample| {
        let part = Part { mip: 0, slice: 0, plane, sample, format: 0 };
        let job = Job {
            subresource: Some(plane),
            states: States::all(state.0),
            shot: Some(ShotJob { index: 0, part: Some(part), submission: None }),
            ..Job::default()
        };
        sample_of(runtime, device.pointer(), &source, &job, timeout)
    };
    (0..desc.SampleDesc.Count.max(1)).map(of).collect()
}

/// A fence that the queue signals when it has done its work so far.
pub(crate) fn signal(world: &mut World, queue: u32) -> Result<u64, String> {
    const SIGNAL: MethodId = method("ID3D12CommandQueue", "Signal");
    let pointer = world.pointer(queue, interface("ID3D12CommandQueue"))?;
    let device = reference::device_of(&world.runtime, pointer)?;
    let fence = replay_objects::fence(&world.runtime, device.pointer())?;
    // SAFETY: queue and fence are alive.
    unsafe { world.runtime.call(pointer, SIGNAL, &[fence.pointer(), 1]) };
    Ok(fence.into_pointer())
}
