//! Memory and fences that devices share: `shared-devices` two devices of one process, `shared-processes` two processes.
//!
//! The owner makes a buffer, a texture, a heap with a buffer in it, and a fence, and gives each of them content. The other one opens them by
//! handles, finds the content, and gives them another, which the owner finds. Queues wait for each other; no processor does.

use super::Program;
use crate::buffer::{Buffer, description};
use crate::com::{Com, Null, Word, attempt, create};
use crate::device::Device;
use crate::digest::Digest;
use crate::failure::Failure;
use crate::fence::Fence;
use crate::handle::Handle;
use crate::list::List;
use crate::random::Random;
use crate::stage::Stage;
use crate::texture::{Texture, flat};
use core::ffi::c_void;
use reprise_d3d12::model::{InterfaceId, MethodId};
use reprise_d3d12::types::*;
use reprise_d3d12::{interface, method};
use std::process::{Child, Command};

pub(super) const DEVICES: Program =
    Program { name: "shared-devices", about: "memory and a fence of two devices", run: devices };
pub(super) const PROCESSES: Program =
    Program { name: "shared-processes", about: "memory and a fence of two processes", run: processes };

/// Bytes of each buffer.
const SIZE: usize = 100_000;
/// Where the buffer in the heap begins.
const PLACE: u64 = 64 << 10;
/// Texels of a side of the texture.
const SIDE: u32 = 77;
const COMMON: D3D12_RESOURCE_STATES = D3D12_RESOURCE_STATES::COMMON;
const SHARED: D3D12_HEAP_FLAGS = D3D12_HEAP_FLAGS::SHARED;
static DEFAULT: D3D12_HEAP_PROPERTIES = D3D12_HEAP_PROPERTIES {
    Type: D3D12_HEAP_TYPE::DEFAULT,
    CPUPageProperty: D3D12_CPU_PAGE_PROPERTY::UNKNOWN,
    MemoryPoolPreference: D3D12_MEMORY_POOL::UNKNOWN,
    CreationNodeMask: 0,
    VisibleNodeMask: 0,
};
/// In the environment of the other process: the handles.
const HANDLES: &str = "REPRISE_PROGRAMS_HANDLES";

fn picture() -> D3D12_RESOURCE_DESC {
    flat(DXGI_FORMAT::FORMAT_R8G8B8A8_UINT, SIDE, SIDE)
}

/// What is shared, as one device has it.
struct Shared {
    buffer: Buffer,
    heap: Com,
    placed: Buffer,
    texture: Texture,
    fence: Fence,
}

impl Shared {
    fn new(device: &Device) -> Result<Shared, Failure> {
        let committed = |desc: &D3D12_RESOURCE_DESC| {
            create!(
                device.com, "ID3D12Device", "CreateCommittedResource",
                &raw const DEFAULT, SHARED.0, &raw const *desc, COMMON.0, Null; "ID3D12Resource"
            )
        };
        let only = D3D12_HEAP_FLAGS::DENY_RT_DS_TEXTURES.0 | D3D12_HEAP_FLAGS::DENY_NON_RT_DS_TEXTURES.0;
        let desc = D3D12_HEAP_DESC {
            SizeInBytes: 4 * PLACE,
            Properties: DEFAULT,
            Alignment: 0,
            Flags: D3D12_HEAP_FLAGS(SHARED.0 | only),
        };
        let heap: Com = create!(device.com, "ID3D12Device", "CreateHeap", &raw const desc; "ID3D12Heap")?;
        let buffer = committed(&description(SIZE as u64, D3D12_RESOURCE_FLAGS::NONE))?;
        let texture = committed(&picture())?;
        Shared::of(device, buffer, heap, texture, Fence::of(device, 0, D3D12_FENCE_FLAGS::SHARED)?)
    }

    fn of(device: &Device, buffer: Com, heap: Com, texture: Com, fence: Fence) -> Result<Shared, Failure> {
        let desc = description(SIZE as u64, D3D12_RESOURCE_FLAGS::NONE);
        let placed = create!(
            device.com, "ID3D12Device", "CreatePlacedResource",
            &heap, PLACE, &raw const desc, COMMON.0, Null; "ID3D12Resource"
        )?;
        let (buffer, placed) = (Buffer::from_com(buffer, SIZE as u64)?, Buffer::from_com(placed, SIZE as u64)?);
        let texture = Texture::from_com(device, texture, &picture(), 1)?;
        Ok(Shared { buffer, heap, placed, texture, fence })
    }

    /// Handles of all that is shared; children of the process have them, too.
    fn handles(&self, device: &Device) -> Result<[Handle; 4], Failure> {
        const ALL: u32 = 0x1000_0000;
        let rights = SECURITY_ATTRIBUTES {
            nLength: size_of::<SECURITY_ATTRIBUTES>() as u32,
            lpSecurityDescriptor: core::ptr::null_mut(),
            bInheritHandle: 1,
        };
        let handle = |object: &Com| {
            let mut handle: *mut c_void = core::ptr::null_mut();
            attempt!(
                device.com,
                "ID3D12Device",
                "CreateSharedHandle",
                object,
                &raw const rights,
                ALL,
                Null,
                &raw mut handle
            )?;
            // SAFETY: the handle is this program's.
            unsafe { Handle::new(handle) }.ok_or_else(|| Failure::Cannot("the library gives no shared handles".into()))
        };
        Ok([handle(&self.buffer.com)?, handle(&self.heap)?, handle(&self.texture.com)?, handle(&self.fence.com)?])
    }

    fn open(device: &Device, handles: [*mut c_void; 4]) -> Result<Shared, Failure> {
        const OPEN: MethodId = method("ID3D12Device", "OpenSharedHandle");
        let open = |handle: *mut c_void, class: InterfaceId| {
            // SAFETY: the first argument is a handle; the last two parameters are what `create` adds.
            unsafe { device.com.create(OPEN, class, &mut vec![Word::from(handle)]) }
        };
        const RESOURCE: InterfaceId = interface("ID3D12Resource");
        let [buffer, heap, texture, fence] = handles;
        let fence = Fence { com: open(fence, interface("ID3D12Fence"))? };
        Shared::of(
            device,
            open(buffer, RESOURCE)?,
            open(heap, interface("ID3D12Heap"))?,
            open(texture, RESOURCE)?,
            fence,
        )
    }
}

/// What both buffers and the texture hold after a step.
fn content(step: u64) -> [Vec<u8>; 3] {
    let mut random = Random(1200 + step);
    [random.bytes(SIZE), random.bytes(SIZE), random.bytes((4 * SIDE * SIDE) as usize)]
}

/// Work of one side: its list, and what must live until the list is done.
struct Work {
    list: List,
    held: Vec<Buffer>,
    read: Vec<Buffer>,
}

impl Work {
    fn new(stage: &Stage) -> Result<Work, Failure> {
        Ok(Work { list: List::direct(&stage.device)?, held: Vec::new(), read: Vec::new() })
    }

    /// Gives what is shared the content of a step.
    fn write(&mut self, stage: &Stage, shared: &Shared, step: u64) -> Result<(), Failure> {
        let [first, second, texels] = content(step);
        for (to, bytes) in [(&shared.buffer, first), (&shared.placed, second)] {
            let mut from = Buffer::upload(&stage.device, SIZE as u64)?;
            from.write(0, &bytes);
            self.list.transition(&to.com, COMMON, D3D12_RESOURCE_STATES::COPY_DEST);
            self.list.copy_bytes(to, 0, &from, 0, SIZE as u64);
            self.list.transition(&to.com, D3D12_RESOURCE_STATES::COPY_DEST, COMMON);
            self.held.push(from);
        }
        self.list.transition(&shared.texture.com, COMMON, D3D12_RESOURCE_STATES::COPY_DEST);
        self.held.push(shared.texture.fill(&stage.device, &mut self.list, &[texels])?);
        self.list.transition(&shared.texture.com, D3D12_RESOURCE_STATES::COPY_DEST, COMMON);
        Ok(())
    }

    /// Copies what is shared to where the processor reads it.
    fn read(&mut self, stage: &Stage, shared: &Shared) -> Result<(), Failure> {
        for from in [&shared.buffer, &shared.placed] {
            let to = Buffer::readback(&stage.device, SIZE as u64)?;
            self.list.transition(&from.com, COMMON, D3D12_RESOURCE_STATES::COPY_SOURCE);
            self.list.copy_bytes(&to, 0, from, 0, SIZE as u64);
            self.list.transition(&from.com, D3D12_RESOURCE_STATES::COPY_SOURCE, COMMON);
            self.read.push(to);
        }
        Ok(())
    }

    /// Submits the list, which waits for one value of the fence and gives it the next.
    fn submit(&mut self, stage: &Stage, shared: &Shared, after: u64) -> Result<(), Failure> {
        self.list.close()?;
        stage.queue.wait(&shared.fence, after)?;
        stage.queue.execute(&[&self.list]);
        stage.queue.signal(&shared.fence, after + 1)
    }

    /// Compares what was read with the content of a step. The texture is read here, when nobody writes it.
    fn check(
        mut self,
        stage: &Stage,
        shared: &Shared,
        step: u64,
        who: &str,
        digest: &mut Digest,
    ) -> Result<(), Failure> {
        stage.queue.finish()?;
        self.list.reset()?;
        let [first, second, texels] = content(step);
        for ((what, read), expected) in ["buffer", "buffer in a heap"].iter().zip(&self.read).zip([first, second]) {
            let got = read.read()?;
            Failure::unless_equal(&format!("{who}: {what}, step {step}"), &got, &expected)?;
            digest.add(&got);
        }
        if let Some(got) = shared.texture.read(stage, &mut self.list, COMMON)?.first() {
            Failure::unless_equal(&format!("{who}: texture, step {step}"), got, &texels)?;
            digest.add(got);
        }
        Ok(())
    }
}

/// Handles are files: of Windows' own there is no library here to compare with.
fn with_files() -> Result<(), Failure> {
    match cfg!(unix) {
        true => Ok(()),
        false => Err(Failure::Cannot("handles of other devices are files here".into())),
    }
}

fn devices(stage: &Stage) -> Result<Digest, Failure> {
    with_files()?;
    let other = stage.on(Device::beside(stage.device.com.runtime())?)?;
    let shared = Shared::new(&stage.device)?;
    let handles = shared.handles(&stage.device)?;
    let opened = Shared::open(&other.device, handles.each_ref().map(Handle::raw))?;
    drop(handles);
    let mut digest = Digest::new();
    // The other device waits before anything was done.
    let mut reads = Work::new(&other)?;
    reads.read(&other, &opened)?;
    reads.submit(&other, &opened, 1)?;
    let mut writes = Work::new(stage)?;
    writes.write(stage, &shared, 1)?;
    writes.submit(stage, &shared, 0)?;
    reads.check(&other, &opened, 1, "the other device", &mut digest)?;
    // And back.
    let mut again = Work::new(stage)?;
    again.read(stage, &shared)?;
    again.submit(stage, &shared, 3)?;
    let mut back = Work::new(&other)?;
    back.write(&other, &opened, 2)?;
    back.submit(&other, &opened, 2)?;
    again.check(stage, &shared, 2, "the owner", &mut digest)?;
    Failure::unless_equal("the fence", &[shared.fence.completed(), opened.fence.completed()], &[4, 4])?;
    // Fences fall, too, and processors signal them.
    opened.fence.signal(2)?;
    Failure::unless_equal("the fence, set by hand", &[shared.fence.completed(), opened.fence.completed()], &[2, 2])?;
    stage.queue.finish()?;
    other.queue.finish()?;
    Ok(digest)
}

fn processes(stage: &Stage) -> Result<Digest, Failure> {
    with_files()?;
    match std::env::var(HANDLES) {
        Ok(handles) => child(stage, &handles),
        Err(_) => parent(stage),
    }
}

fn parent(stage: &Stage) -> Result<Digest, Failure> {
    let shared = Shared::new(&stage.device)?;
    let handles = shared.handles(&stage.device)?;
    let numbers: Vec<String> = handles.iter().map(|handle| (handle.raw() as usize).to_string()).collect();
    let failed = |error: std::io::Error| Failure::Cannot(format!("no process of its own: {error}"));
    let program = std::env::current_exe().map_err(failed)?;
    let mut command = Command::new(program);
    command.args(std::env::args_os().skip(1)).env(HANDLES, numbers.join(",")).stdout(std::process::Stdio::null());
    let mut writes = Work::new(stage)?;
    writes.write(stage, &shared, 1)?;
    let mut reads = Work::new(stage)?;
    reads.read(stage, &shared)?;
    // The queue waits for the other process; it does not wait for the queue.
    reads.submit(stage, &shared, 2)?;
    // So the first content comes by a queue of its own.
    let first = stage.on(Device { com: stage.device.com.clone() })?;
    let child: Child = command.spawn().map_err(failed)?;
    writes.submit(&first, &shared, 0)?;
    finish(child, &shared.fence)?;
    let mut digest = Digest::new();
    reads.check(stage, &shared, 2, "the owner", &mut digest)?;
    first.queue.finish()?;
    Failure::unless_equal("the fence", &[shared.fence.completed()], &[3])?;
    Ok(digest)
}

/// Waits for the other process. If it fails, nobody else signals what this process waits for.
fn finish(mut child: Child, fence: &Fence) -> Result<(), Failure> {
    let status =
        child.wait().map_err(|error| Failure::Wrong(format!("the other process cannot be waited for: {error}")));
    if status.as_ref().is_ok_and(std::process::ExitStatus::success) {
        return Ok(());
    }
    fence.signal(2)?;
    Err(Failure::Wrong(format!("the other process: {}", status?)))
}

fn child(stage: &Stage, handles: &str) -> Result<Digest, Failure> {
    let numbers: Vec<*mut c_void> = handles
        .split(',')
        .filter_map(|number| number.parse::<usize>().ok())
        .map(|number| number as *mut c_void)
        .collect();
    let numbers = numbers.try_into().map_err(|_| Failure::Wrong(format!("{HANDLES} has not four handles")))?;
    let shared = Shared::open(&stage.device, numbers)?;
    let mut digest = Digest::new();
    let mut reads = Work::new(stage)?;
    reads.read(stage, &shared)?;
    reads.list.close()?;
    stage.queue.wait(&shared.fence, 1)?;
    stage.queue.execute(&[&reads.list]);
    reads.check(stage, &shared, 1, "the other process", &mut digest)?;
    let mut writes = Work::new(stage)?;
    writes.write(stage, &shared, 2)?;
    writes.submit(stage, &shared, 1)?;
    stage.queue.finish()?;
    Ok(digest)
}
