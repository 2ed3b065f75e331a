//! The engine mix: frames as a Direct3D 12 engine records them, on one thread or on several at once.
//!
//! *Frame*, about 8,000 calls: `Reset` of allocator and list; 64 × (`CreateConstantBufferView`, `CopyDescriptorsSimple` of 1
//! to 8 descriptors); `SetDescriptorHeaps`; 4 passes; `Close`, `ExecuteCommandLists`, `Signal`, `GetCompletedValue`; and
//! `ID3D12SharingContract::Present`, which ends the frame.
//! *Pass*: `ResourceBarrier` of 3 transitions, `OMSetRenderTargets` of 3 and a depth target, `RSSetViewports`,
//! `RSSetScissorRects`, `ClearRenderTargetView`, `ClearDepthStencilView`, `SetGraphicsRootSignature`,
//! `IASetPrimitiveTopology`, the draws, `ResourceBarrier` of 3 transitions back.
//! *Draw*: `SetPipelineState` where it is another than the draw's before, `SetGraphicsRootDescriptorTable` where the material
//! is, `IASetVertexBuffers` of 2 views and `IASetIndexBuffer` where the mesh is;
//! `SetGraphicsRootConstantBufferView` at the next 256 bytes of a ring of three frames; `SetGraphicsRoot32BitConstants`
//! of object, material, level of detail and draw; `DrawIndexedInstanced` with the mesh's numbers.
//!
//! The scene has 2,500 objects, sorted by pipeline (24), material (400) and mesh (300), of which four fifths are seen; from
//! frame to frame one object in fifty appears or disappears and one in a hundred changes its level of detail, by a generator
//! with a fixed start. Nothing runs on a GPU: this mix is for the null runtime, whose calls do nothing.

use crate::com::{Library, iid, slot};
use crate::make::{self, Maker};
use crate::{call, clock};
use anyhow::Result;
use core::ffi::c_void;
use reprise_d3d12::types::*;

const OBJECTS: u32 = 2500;
const PASSES: usize = 4;
const VIEWS: u32 = 64;
const PIPELINES: u32 = 24;
const MATERIALS: u32 = 400;
const MESHES: u32 = 300;
/// Descriptors in the heap that copies go to.
const HEAP: u32 = 16_384;
/// Bytes of constants of one frame.
const CONSTANTS: u64 = (OBJECTS as u64) * PASSES as u64 * 256;

/// A generator of numbers that are the same in every run (xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self, below: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 32) % u64::from(below)) as u32
    }
}

/// Something that is drawn.
struct Object {
    id: u32,
    pipeline: u32,
    material: u32,
    mesh: u32,
    detail: u32,
    seen: bool,
}

/// What the draws of a mesh say.
struct Mesh {
    views: [D3D12_VERTEX_BUFFER_VIEW; 2],
    indices: D3D12_INDEX_BUFFER_VIEW,
    count: u32,
    first: u32,
    base: i32,
}

macro_rules! slots {
    ($($name:ident: $interface:literal, $method:literal;)*) => {
        /// Slots of the methods that a frame calls.
        struct Slots { $($name: usize),* }
        impl Slots {
            fn find() -> Result<Slots> {
                Ok(Slots { $($name: slot($interface, $method)?),* })
            }
        }
    };
}

slots! {
    reset: "ID3D12GraphicsCommandList", "Reset";
    close: "ID3D12GraphicsCommandList", "Close";
    heaps: "ID3D12GraphicsCommandList", "SetDescriptorHeaps";
    barrier: "ID3D12GraphicsCommandList", "ResourceBarrier";
    targets: "ID3D12GraphicsCommandList", "OMSetRenderTargets";
    viewports: "ID3D12GraphicsCommandList", "RSSetViewports";
    scissors: "ID3D12GraphicsCommandList", "RSSetScissorRects";
    clear: "ID3D12GraphicsCommandList", "ClearRenderTargetView";
    clear_depth: "ID3D12GraphicsCommandList", "ClearDepthStencilView";
    root_signature: "ID3D12GraphicsCommandList", "SetGraphicsRootSignature";
    topology: "ID3D12GraphicsCommandList", "IASetPrimitiveTopology";
    pipeline: "ID3D12GraphicsCommandList", "SetPipelineState";
    table: "ID3D12GraphicsCommandList", "SetGraphicsRootDescriptorTable";
    vertex_buffers: "ID3D12GraphicsCommandList", "IASetVertexBuffers";
    index_buffer: "ID3D12GraphicsCommandList", "IASetIndexBuffer";
    constant_buffer: "ID3D12GraphicsCommandList", "SetGraphicsRootConstantBufferView";
    constants: "ID3D12GraphicsCommandList", "SetGraphicsRoot32BitConstants";
    draw: "ID3D12GraphicsCommandList", "DrawIndexedInstanced";
    allocator_reset: "ID3D12CommandAllocator", "Reset";
    view: "ID3D12Device", "CreateConstantBufferView";
    copy: "ID3D12Device", "CopyDescriptorsSimple";
    execute: "ID3D12CommandQueue", "ExecuteCommandLists";
    signal: "ID3D12CommandQueue", "Signal";
    completed: "ID3D12Fence", "GetCompletedValue";
    present: "ID3D12SharingContract", "Present";
    query: "IUnknown", "QueryInterface";
}

/// The objects of one thread's frames. Nothing is released: the process ends after the measurement.
pub struct Engine<const WIN64: bool> {
    slots: Slots,
    device: *mut c_void,
    allocator: *mut c_void,
    list: *mut c_void,
    queue: *mut c_void,
    contract: *mut c_void,
    fence: *mut c_void,
    root_signature: *mut c_void,
    pipelines: Vec<*mut c_void>,
    textures: Vec<*mut c_void>,
    heap: *mut c_void,
    source: u64,
    cpu: u64,
    gpu: u64,
    increment: u64,
    target: u64,
    target_increment: u64,
    depth: u64,
    constants: u64,
    meshes: Vec<Mesh>,
    objects: Vec<Object>,
    random: Random,
    frame: u64,
}

/// A device that several threads record with.
pub struct Shared<const WIN64: bool>(Maker<WIN64>);

// SAFETY: devices may be used from any thread.
unsafe impl<const WIN64: bool> Sync for Shared<WIN64> {}

impl<const WIN64: bool> Shared<WIN64> {
    /// Makes the device.
    ///
    /// # Errors
    /// A call that failed.
    ///
    /// # Safety
    /// As [`Maker::new`].
    pub unsafe fn new(library: Library) -> Result<Self> {
        // SAFETY: the caller passes a library of this convention.
        Ok(Self(unsafe { Maker::new(library)? }))
    }

    /// Makes one thread's objects.
    ///
    /// # Errors
    /// A call that failed.
    ///
    /// # Safety
    /// As [`Maker::new`].
    pub unsafe fn engine(&self) -> Result<Engine<WIN64>> {
        let make = self.0;
        // SAFETY: all calls follow the API, on objects that they made.
        unsafe {
            let increment = |kind: i32| -> Result<u64> {
                let slot = slot("ID3D12Device", "GetDescriptorHandleIncrementSize")?;
                Ok(call!(WIN64, make.device, slot, (i32) -> u32, (kind)).into())
            };
            let (_, source, _) = make.heap(0, HEAP, false)?;
            let (heap, cpu, gpu) = make.heap(0, HEAP, true)?;
            let (_, target, _) = make.heap(2, 16, false)?;
            let (_, depth, _) = make.heap(3, 1, false)?;
            let desc = make::texture_desc(1024, D3D12_RESOURCE_FLAGS::ALLOW_RENDER_TARGET);
            let textures = (0..12).map(|_| make.resource(1, &desc)).collect::<Result<_>>()?;
            let constants = make.address(make.resource(2, &make::buffer_desc(3 * CONSTANTS))?)?;
            let geometry = make.address(make.resource(2, &make::buffer_desc(64 << 20))?)?;
            let range = make::range();
            let root_signature =
                make.root_signature(&[make::table(&range), make::constants(), make::constant_buffer()])?;
            let pipelines = (0..PIPELINES).map(|_| make.pipeline(root_signature, true)).collect::<Result<_>>()?;
            let allocator = make.create("CreateCommandAllocator", "ID3D12CommandAllocator", 0)?;
            let list = make.list(allocator, core::ptr::null_mut())?;
            let slots = Slots::find()?;
            call!(WIN64, list, slots.close, () -> i32, ());
            let (queue, contract, fence) = queue(make, slots.query)?;
            let mut random = Random(0x9e37_79b9_7f4a_7c15);
            let meshes = (0..MESHES).map(|_| mesh(geometry, &mut random)).collect();
            Ok(Engine {
                slots,
                device: make.device,
                allocator,
                list,
                queue,
                contract,
                fence,
                root_signature,
                pipelines,
                textures,
                heap,
                source,
                cpu,
                gpu,
                increment: increment(0)?,
                target,
                target_increment: increment(2)?,
                depth,
                constants,
                meshes,
                objects: objects(&mut random),
                random,
                frame: 0,
            })
        }
    }
}

/// A queue, its sharing contract, and a fence.
unsafe fn queue<const WIN64: bool>(
    make: Maker<WIN64>,
    query: usize,
) -> Result<(*mut c_void, *mut c_void, *mut c_void)> {
    let desc = D3D12_COMMAND_QUEUE_DESC::default();
    let (mut queue, mut contract, mut fence) = (core::ptr::null_mut(), core::ptr::null_mut(), core::ptr::null_mut());
    let ids = (iid("ID3D12CommandQueue")?, iid("ID3D12SharingContract")?, iid("ID3D12Fence")?);
    // SAFETY: by the caller's promise; everything pointed to is ours.
    unsafe {
        let result = call!(WIN64, make.device, slot("ID3D12Device", "CreateCommandQueue")?,
            (*const D3D12_COMMAND_QUEUE_DESC, *const reprise_d3d12::model::Guid, *mut *mut c_void) -> i32,
            (&raw const desc, &raw const ids.0, &raw mut queue));
        make::check("CreateCommandQueue", result)?;
        let result = call!(WIN64, queue, query, (*const reprise_d3d12::model::Guid, *mut *mut c_void) -> i32,
            (&raw const ids.1, &raw mut contract));
        make::check("QueryInterface of a queue for ID3D12SharingContract", result)?;
        let result = call!(WIN64, make.device, slot("ID3D12Device", "CreateFence")?,
            (u64, i32, *const reprise_d3d12::model::Guid, *mut *mut c_void) -> i32,
            (0, 0, &raw const ids.2, &raw mut fence));
        make::check("CreateFence", result)?;
    }
    Ok((queue, contract, fence))
}

fn mesh(geometry: u64, random: &mut Random) -> Mesh {
    let vertices = 100 + random.next(4000);
    let at = geometry + u64::from(random.next(1 << 20)) * 32;
    let view = |offset: u64, stride: u32| D3D12_VERTEX_BUFFER_VIEW {
        BufferLocation: at + offset,
        SizeInBytes: vertices * stride,
        StrideInBytes: stride,
    };
    let indices = D3D12_INDEX_BUFFER_VIEW {
        BufferLocation: at + u64::from(vertices) * 36,
        SizeInBytes: vertices * 12,
        Format: DXGI_FORMAT::FORMAT_R16_UINT,
    };
    Mesh {
        views: [view(0, 12), view(u64::from(vertices) * 12, 24)],
        indices,
        count: vertices * 6,
        first: random.next(16) * 96,
        base: random.next(4) as i32 * 64,
    }
}

fn objects(random: &mut Random) -> Vec<Object> {
    let mut objects: Vec<Object> = (0..OBJECTS)
        .map(|id| {
            let material = random.next(MATERIALS);
            let mesh = random.next(MESHES);
            Object {
                id,
                pipeline: material % PIPELINES,
                material,
                mesh,
                detail: random.next(4),
                seen: random.next(5) > 0,
            }
        })
        .collect();
    objects.sort_by_key(|object| (object.pipeline, object.material, object.mesh));
    objects
}

impl<const WIN64: bool> Engine<WIN64> {
    /// Records one frame; gives how many calls that were and the thread's CPU time for them, in nanoseconds.
    ///
    /// # Safety
    /// The objects are of this convention.
    pub unsafe fn frame(&mut self) -> (u64, u64) {
        for _ in 0..OBJECTS / 50 {
            let at = self.random.next(OBJECTS) as usize;
            self.objects[at].seen ^= true;
        }
        for _ in 0..OBJECTS / 100 {
            let at = self.random.next(OBJECTS) as usize;
            self.objects[at].detail = (self.objects[at].detail + 1) % 4;
        }
        let before = clock::thread();
        // SAFETY: the objects are of this convention, as the caller says.
        let calls = unsafe { self.record() };
        (calls, clock::passed(before, clock::thread()))
    }

    unsafe fn record(&mut self) -> u64 {
        let (list, device, slots) = (self.list, self.device, &self.slots);
        let mut calls = 2;
        // SAFETY: calls of the API, on live objects.
        unsafe {
            call!(WIN64, self.allocator, slots.allocator_reset, () -> i32, ());
            call!(WIN64, list, slots.reset, (*mut c_void, *mut c_void) -> i32, (self.allocator, core::ptr::null_mut()));
            let ring = self.constants + self.frame % 3 * CONSTANTS;
            for view in 0..u64::from(VIEWS) {
                let at = (self.frame * u64::from(VIEWS) + view) % u64::from(HEAP - 8) * self.increment;
                let desc = D3D12_CONSTANT_BUFFER_VIEW_DESC { BufferLocation: ring + view * 256, SizeInBytes: 256 };
                call!(WIN64, device, slots.view, (*const D3D12_CONSTANT_BUFFER_VIEW_DESC, u64) -> (),
                    (&raw const desc, self.source + at));
                let number = 1 + view as u32 % 8;
                call!(WIN64, device, slots.copy, (u32, u64, u64, i32) -> (), (number, self.cpu + at, self.source + at, 0));
                calls += 2;
            }
            call!(WIN64, list, slots.heaps, (u32, *const *mut c_void) -> (), (1, &raw const self.heap));
            calls += 1;
            let mut draw = 0;
            for pass in 0..PASSES {
                calls += self.pass(pass, ring, &mut draw);
            }
            call!(WIN64, list, slots.close, () -> i32, ());
            call!(WIN64, self.queue, slots.execute, (u32, *const *mut c_void) -> (), (1, &raw const list));
            call!(WIN64, self.queue, slots.signal, (*mut c_void, u64) -> i32, (self.fence, self.frame + 1));
            call!(WIN64, self.fence, slots.completed, () -> u64, ());
            call!(WIN64, self.contract, slots.present, (*mut c_void, u32, *mut c_void) -> (),
                (self.textures[0], 0, core::ptr::null_mut()));
        }
        self.frame += 1;
        calls + 5
    }

    unsafe fn pass(&self, pass: usize, ring: u64, draw: &mut u32) -> u64 {
        let (list, slots) = (self.list, &self.slots);
        let textures = &self.textures[pass * 3..pass * 3 + 3];
        let barriers = |before: D3D12_RESOURCE_STATES, after: D3D12_RESOURCE_STATES| -> [D3D12_RESOURCE_BARRIER; 3] {
            core::array::from_fn(|at| {
                let mut barrier = D3D12_RESOURCE_BARRIER::default();
                barrier.Anonymous.Transition = D3D12_RESOURCE_TRANSITION_BARRIER {
                    pResource: textures[at],
                    Subresource: u32::MAX,
                    StateBefore: before,
                    StateAfter: after,
                };
                barrier
            })
        };
        let (shown, drawn) = (D3D12_RESOURCE_STATES::PIXEL_SHADER_RESOURCE, D3D12_RESOURCE_STATES::RENDER_TARGET);
        let viewport = D3D12_VIEWPORT { Width: 1024.0, Height: 1024.0, MaxDepth: 1.0, ..Default::default() };
        let scissor = RECT { left: 0, top: 0, right: 1024, bottom: 1024 };
        let targets: [u64; 3] = core::array::from_fn(|at| self.target + (pass * 3 + at) as u64 * self.target_increment);
        let mut calls = 9;
        // SAFETY: calls of the API, on live objects.
        unsafe {
            let to = barriers(shown, drawn);
            call!(WIN64, list, slots.barrier, (u32, *const D3D12_RESOURCE_BARRIER) -> (), (3, to.as_ptr()));
            call!(WIN64, list, slots.targets, (u32, *const u64, i32, *const u64) -> (),
                (3, targets.as_ptr(), 0, &raw const self.depth));
            call!(WIN64, list, slots.viewports, (u32, *const D3D12_VIEWPORT) -> (), (1, &raw const viewport));
            call!(WIN64, list, slots.scissors, (u32, *const RECT) -> (), (1, &raw const scissor));
            call!(WIN64, list, slots.clear, (u64, *const [f32; 4], u32, *const RECT) -> (),
                (targets[0], &raw const CLEAR, 0, core::ptr::null()));
            call!(WIN64, list, slots.clear_depth, (u64, u32, f32, u8, u32, *const RECT) -> (),
                (self.depth, 1, 1.0, 0, 0, core::ptr::null()));
            call!(WIN64, list, slots.root_signature, (*mut c_void) -> (), (self.root_signature));
            call!(WIN64, list, slots.topology, (i32) -> (), (4));
            calls += self.draws(pass, ring, draw);
            let back = barriers(drawn, shown);
            call!(WIN64, list, slots.barrier, (u32, *const D3D12_RESOURCE_BARRIER) -> (), (3, back.as_ptr()));
        }
        calls
    }

    unsafe fn draws(&self, pass: usize, ring: u64, draw: &mut u32) -> u64 {
        let (list, slots) = (self.list, &self.slots);
        let mut calls = 0;
        let (mut pipeline, mut material, mut mesh) = (u32::MAX, u32::MAX, u32::MAX);
        for object in self.objects.iter().skip(pass).step_by(PASSES).filter(|object| object.seen) {
            // SAFETY: calls of the API, on live objects.
            unsafe {
                if pipeline != object.pipeline {
                    pipeline = object.pipeline;
                    let state = self.pipelines[pipeline as usize];
                    call!(WIN64, list, slots.pipeline, (*mut c_void) -> (), (state));
                    calls += 1;
                }
                if material != object.material {
                    material = object.material;
                    let at = self.gpu + u64::from(material * 16) * self.increment;
                    call!(WIN64, list, slots.table, (u32, u64) -> (), (0, at));
                    calls += 1;
                }
                let of = &self.meshes[object.mesh as usize];
                if mesh != object.mesh {
                    mesh = object.mesh;
                    call!(WIN64, list, slots.vertex_buffers, (u32, u32, *const D3D12_VERTEX_BUFFER_VIEW) -> (),
                        (0, 2, of.views.as_ptr()));
                    call!(WIN64, list, slots.index_buffer, (*const D3D12_INDEX_BUFFER_VIEW) -> (), (&raw const of.indices));
                    calls += 2;
                }
                call!(WIN64, list, slots.constant_buffer, (u32, u64) -> (), (2, ring + u64::from(*draw) * 256));
                let constants = [object.id, material, object.detail, *draw];
                call!(WIN64, list, slots.constants, (u32, u32, *const u32, u32) -> (), (1, 4, constants.as_ptr(), 0));
                call!(WIN64, list, slots.draw, (u32, u32, u32, i32, u32) -> (),
                    (of.count >> object.detail, 1, of.first, of.base, 0));
            }
            *draw += 1;
            calls += 3;
        }
        calls
    }
}

static CLEAR: [f32; 4] = [0.0, 0.25, 0.5, 1.0];
