//! Acceleration structures: built, asked about, copied and serialised, called the way a C program does. Needs a Vulkan 1.3 driver
//! (lavapipe does); where it has no acceleration structures, the tests are about what is refused.
#![allow(clippy::unwrap_used)]

use core::ffi::c_void;
use core::ptr::null_mut;

use reprise_com::result::{E_NOTIMPL, S_OK};
use reprise_com::{Object, Public};
use reprise_d3d12::description;
use reprise_d3d12::method;
use reprise_d3d12::types::{
    D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_DESC as Build,
    D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS as Inputs,
    D3D12_RAYTRACING_ACCELERATION_STRUCTURE_BUILD_FLAGS as Flags,
    D3D12_RAYTRACING_ACCELERATION_STRUCTURE_COPY_MODE as Mode,
    D3D12_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_DESC as Question,
    D3D12_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_TYPE as Info,
    D3D12_RAYTRACING_ACCELERATION_STRUCTURE_PREBUILD_INFO as Sizes,
    D3D12_RAYTRACING_ACCELERATION_STRUCTURE_TYPE as Type, D3D12_RAYTRACING_GEOMETRY_DESC as Geometry,
    D3D12_RAYTRACING_GEOMETRY_TYPE as Shape, D3D12_RESOURCE_STATES as State, *,
};
use reprise_runtime::Device;
use reprise_runtime::list::{CommandAllocator, CommandList};
use reprise_runtime::queue::CommandQueue;
use reprise_runtime::resource::create::{Initial, Wanted, committed};
use reprise_runtime::resource::object::Resource;

const LIST: &str = "ID3D12GraphicsCommandList4";

/// A method's function as the type that a C program sees.
///
/// # Safety
/// `F` is the method's type, `object` has the interface.
unsafe fn slot<F: Copy>(object: *mut c_void, owner: &str, name: &str) -> F {
    let slot = usize::from(method(owner, name).get().slot);
    // SAFETY: the caller promises: `F` is the method's type, `object` has the interface.
    unsafe { core::mem::transmute_copy(&*(*object.cast::<*const *const c_void>()).add(slot)) }
}

/// Bytes that a build needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Needs {
    result: u64,
    scratch: u64,
    update: u64,
}

/// A device, an open list, and a queue.
struct Stage {
    list: Public<CommandList>,
    _allocator: Public<CommandAllocator>,
    queue: Public<CommandQueue>,
    device: Public<Device>,
}

impl Stage {
    fn new() -> Stage {
        let device = reprise_runtime::entry::device::independent().unwrap();
        let kind = D3D12_COMMAND_LIST_TYPE::COMPUTE;
        let allocator = Object::make(CommandAllocator::new(&device, kind).unwrap());
        let list = Object::make(CommandList::new(&device, kind));
        type Reset = unsafe extern "C" fn(*mut c_void, *mut c_void, *mut c_void) -> i32;
        // SAFETY: a closed list and its allocator.
        let open =
            unsafe { slot::<Reset>(list.pointer(), LIST, "Reset")(list.pointer(), allocator.pointer(), null_mut()) };
        assert_eq!(open, S_OK);
        let desc = D3D12_COMMAND_QUEUE_DESC { Type: kind, ..Default::default() };
        let queue = Object::make(CommandQueue::new(&device, &desc, reprise_runtime::queue::facets()).unwrap());
        Stage { list, _allocator: allocator, queue, device }
    }

    fn has(&self) -> bool {
        self.device.ext.acceleration.is_some()
    }

    fn close(&self) -> i32 {
        type Close = unsafe extern "C" fn(*mut c_void) -> i32;
        // SAFETY: an open list.
        unsafe { slot::<Close>(self.list.pointer(), LIST, "Close")(self.list.pointer()) }
    }

    fn buffer(&self, kind: D3D12_HEAP_TYPE, size: u64, state: State) -> Public<Resource> {
        let properties = D3D12_HEAP_PROPERTIES { Type: kind, ..Default::default() };
        let flags = match kind {
            D3D12_HEAP_TYPE::DEFAULT => D3D12_RESOURCE_FLAGS::ALLOW_UNORDERED_ACCESS,
            _ => D3D12_RESOURCE_FLAGS::NONE,
        };
        let old = description::buffer(size, flags);
        let mut desc = D3D12_RESOURCE_DESC1 {
            Dimension: old.Dimension,
            Width: old.Width,
            Height: 1,
            DepthOrArraySize: 1,
            MipLevels: 1,
            SampleDesc: old.SampleDesc,
            Layout: old.Layout,
            Flags: flags,
            ..Default::default()
        };
        let initial = Initial::State(state);
        let mut wanted = Wanted { desc: &mut desc, initial, clear: None, castable: &[] };
        committed(&self.device, &properties, D3D12_HEAP_FLAGS::NONE, &mut wanted).unwrap()
    }

    fn room(&self, size: u64) -> Public<Resource> {
        self.buffer(D3D12_HEAP_TYPE::DEFAULT, size, State::UNORDERED_ACCESS)
    }

    fn structure(&self, size: u64) -> Public<Resource> {
        self.buffer(D3D12_HEAP_TYPE::DEFAULT, size, State::RAYTRACING_ACCELERATION_STRUCTURE)
    }

    fn uploaded<T: Copy>(&self, values: &[T]) -> Public<Resource> {
        let size = size_of_val(values);
        let made = self.buffer(D3D12_HEAP_TYPE::UPLOAD, size as u64, State::GENERIC_READ);
        let to = made.buffer().unwrap().slice.mapped().unwrap();
        // SAFETY: the buffer has as many bytes, and nothing reads it yet.
        unsafe { to.as_ptr().copy_from_nonoverlapping(values.as_ptr().cast(), size) };
        made
    }

    fn sizes(&self, inputs: &Inputs) -> Needs {
        type Ask = unsafe extern "C" fn(*mut c_void, *const Inputs, *mut Sizes);
        let mut sizes =
            Sizes { ResultDataMaxSizeInBytes: 77, ScratchDataSizeInBytes: 77, UpdateScratchDataSizeInBytes: 77 };
        let (this, name) = (self.device.pointer(), "GetRaytracingAccelerationStructurePrebuildInfo");
        // SAFETY: the type is that of the slot, the device lives in `self`, the inputs lead to arrays that the caller holds, and the sizes
        // are a local.
        unsafe { slot::<Ask>(this, "ID3D12Device5", name)(this, inputs, &mut sizes) };
        let Sizes {
            ResultDataMaxSizeInBytes: result,
            ScratchDataSizeInBytes: scratch,
            UpdateScratchDataSizeInBytes: update,
        } = sizes;
        Needs { result, scratch, update }
    }

    fn build(&self, inputs: Inputs, to: u64, from: u64, scratch: u64, questions: &[Question]) {
        type Call = unsafe extern "C" fn(*mut c_void, *const Build, u32, *const Question);
        let desc = Build {
            DestAccelerationStructureData: to,
            Inputs: inputs,
            SourceAccelerationStructureData: from,
            ScratchAccelerationStructureData: scratch,
        };
        let (this, count) = (self.list.pointer(), questions.len() as u32);
        // SAFETY: the type is that of the slot, the list lives in `self` and is open, and the descriptions are a local and a slice of that
        // length; addresses lie in buffers that live until the list has run.
        unsafe {
            slot::<Call>(this, LIST, "BuildRaytracingAccelerationStructure")(this, &desc, count, questions.as_ptr());
        }
        self.barrier();
    }

    /// Waits for everything that was written.
    fn barrier(&self) {
        type Call = unsafe extern "C" fn(*mut c_void, u32, *const D3D12_RESOURCE_BARRIER);
        let barrier = D3D12_RESOURCE_BARRIER { Type: D3D12_RESOURCE_BARRIER_TYPE::UAV, ..Default::default() };
        let this = self.list.pointer();
        // SAFETY: an open list, and a barrier without a resource.
        unsafe { slot::<Call>(this, LIST, "ResourceBarrier")(this, 1, &barrier) };
    }

    fn emit(&self, info: Info, to: u64, structures: &[u64]) {
        type Call = unsafe extern "C" fn(*mut c_void, *const Question, u32, *const u64);
        let question = Question { DestBuffer: to, InfoType: info };
        let (this, count) = (self.list.pointer(), structures.len() as u32);
        let name = "EmitRaytracingAccelerationStructurePostbuildInfo";
        // SAFETY: an open list, and as many structures.
        unsafe { slot::<Call>(this, LIST, name)(this, &question, count, structures.as_ptr()) };
        self.barrier();
    }

    fn copy(&self, to: u64, from: u64, mode: Mode) {
        type Call = unsafe extern "C" fn(*mut c_void, u64, u64, Mode);
        let this = self.list.pointer();
        // SAFETY: the type is that of the slot, the list lives in `self` and is open, and both addresses are of structures in buffers that
        // live until the list has run.
        unsafe { slot::<Call>(this, LIST, "CopyRaytracingAccelerationStructure")(this, to, from, mode) };
        self.barrier();
    }

    /// Executes the list, and reads words of 64 bits from the beginning of a buffer.
    fn read(&self, from: &Object<Resource>, words: usize) -> Vec<u64> {
        type Copy = unsafe extern "C" fn(*mut c_void, *mut c_void, u64, *mut c_void, u64, u64);
        let size = words as u64 * 8;
        let back = self.buffer(D3D12_HEAP_TYPE::READBACK, size, State::COPY_DEST);
        let this = self.list.pointer();
        // SAFETY: an open list, and buffers with as many bytes.
        unsafe { slot::<Copy>(this, LIST, "CopyBufferRegion")(this, back.pointer(), 0, from.pointer(), 0, size) };
        assert_eq!(self.close(), S_OK);
        self.queue.execute(vec![self.list.recorded().unwrap()]);
        self.queue.drain();
        let at = back.buffer().unwrap().slice.mapped().unwrap();
        // SAFETY: the GPU is done with the buffer, which has as many words.
        unsafe { core::slice::from_raw_parts(at.as_ptr().cast::<u64>(), words) }.to_vec()
    }
}

fn address(resource: &Object<Resource>) -> u64 {
    resource.buffer().unwrap().address
}

fn bottom(geometries: &[Geometry], flags: Flags) -> Inputs {
    let mut inputs =
        Inputs { Type: Type::BOTTOM_LEVEL, Flags: flags, NumDescs: geometries.len() as u32, ..Default::default() };
    inputs.Anonymous.pGeometryDescs = geometries.as_ptr();
    inputs
}

fn top(instances: u64, count: u32, layout: D3D12_ELEMENTS_LAYOUT) -> Inputs {
    let mut inputs = Inputs { Type: Type::TOP_LEVEL, NumDescs: count, DescsLayout: layout, ..Default::default() };
    inputs.Anonymous.InstanceDescs = instances;
    inputs
}

fn triangles(vertices: u64, count: u32) -> Geometry {
    let mut geometry = Geometry { Type: Shape::TRIANGLES, ..Default::default() };
    geometry.Anonymous.Triangles = D3D12_RAYTRACING_GEOMETRY_TRIANGLES_DESC {
        VertexFormat: DXGI_FORMAT::FORMAT_R32G32B32_FLOAT,
        VertexCount: count,
        VertexBuffer: D3D12_GPU_VIRTUAL_ADDRESS_AND_STRIDE { StartAddress: vertices, StrideInBytes: 12 },
        ..Default::default()
    };
    geometry
}

fn boxes(at: u64, count: u64) -> Geometry {
    let mut geometry = Geometry { Type: Shape::PROCEDURAL_PRIMITIVE_AABBS, ..Default::default() };
    let places = D3D12_GPU_VIRTUAL_ADDRESS_AND_STRIDE { StartAddress: at, StrideInBytes: 24 };
    geometry.Anonymous.AABBs = D3D12_RAYTRACING_GEOMETRY_AABBS_DESC { AABBCount: count, AABBs: places };
    geometry
}

const VERTICES: [[f32; 3]; 6] =
    [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 5.0], [1.0, 0.0, 5.0], [0.0, 1.0, 5.0]];

fn instance(of: u64) -> D3D12_RAYTRACING_INSTANCE_DESC {
    let mut transform = [[0.0; 4]; 3];
    (0..3).for_each(|at| transform[at][at] = 1.0);
    let mask = 0xff << 24;
    D3D12_RAYTRACING_INSTANCE_DESC { Transform: transform, _bitfield1: mask, _bitfield2: 0, AccelerationStructure: of }
}

#[test]
fn a_device_without_them_refuses_each_call_by_name() {
    let stage = Stage::new();
    if stage.has() {
        return;
    }
    assert_eq!(stage.sizes(&bottom(&[], Flags::NONE)), Needs { result: 0, scratch: 0, update: 0 });
    stage.copy(256, 512, Mode::CLONE);
    assert_eq!(stage.close(), E_NOTIMPL);
}

#[test]
fn what_a_level_names_survives_serialisation_and_both_forms_of_instances() {
    let stage = Stage::new();
    if !stage.has() {
        return;
    }
    let vertices = stage.uploaded(&VERTICES);
    let places = stage.uploaded(&[[0.0f32, 0.0, 0.0, 1.0, 1.0, 1.0], [2.0, 2.0, 2.0, 3.0, 3.0, 3.0]]);
    let shapes = [triangles(address(&vertices), 6), boxes(address(&places), 2)];
    let lower: Vec<_> = shapes
        .iter()
        .map(|shape| {
            let inputs = bottom(core::slice::from_ref(shape), Flags::ALLOW_COMPACTION);
            let sizes = stage.sizes(&inputs);
            assert!(sizes.result >= 256 && sizes.result.is_multiple_of(256), "{sizes:?}");
            let made = stage.structure(sizes.result);
            let scratch = stage.room(sizes.scratch.max(256));
            stage.build(inputs, address(&made), 0, address(&scratch), &[]);
            (made, scratch)
        })
        .collect();
    let lower_at = [address(&lower[0].0), address(&lower[1].0)];
    let instances = stage.uploaded(&[instance(lower_at[0]), instance(lower_at[1]), instance(lower_at[0])]);
    // Pointers name the instances in another order.
    let pointers = [2u64, 1, 0].map(|at| address(&instances) + at * 64);
    let pointers = stage.uploaded(&pointers);
    let answers = stage.room(256);
    let (mut kept, mut serialised) = (Vec::new(), Vec::new());
    for (at, layout, round) in [
        (address(&instances), D3D12_ELEMENTS_LAYOUT::ARRAY, 0u64),
        (address(&pointers), D3D12_ELEMENTS_LAYOUT::ARRAY_OF_POINTERS, 1),
    ] {
        let inputs = top(at, 3, layout);
        let sizes = stage.sizes(&inputs);
        let upper = stage.structure(sizes.result);
        let scratch = stage.room(sizes.scratch.max(256));
        let to = address(&answers) + 64 * round;
        let question = |place: u64, info: Info| Question { DestBuffer: to + place, InfoType: info };
        let questions = [question(0, Info::SERIALIZATION), question(16, Info::CURRENT_SIZE)];
        stage.build(inputs, address(&upper), 0, address(&scratch), &questions);
        let written = stage.room(64 << 10);
        stage.copy(address(&written), address(&upper), Mode::SERIALIZE);
        let again = stage.structure(sizes.result);
        stage.copy(address(&again), address(&written), Mode::DESERIALIZE);
        kept.push((upper, scratch, again, sizes));
        serialised.push(written);
    }
    type Copy = unsafe extern "C" fn(*mut c_void, *mut c_void, u64, *mut c_void, u64, u64);
    for (at, from) in serialised.iter().enumerate() {
        let this = stage.list.pointer();
        // SAFETY: an open list, and buffers with as many bytes.
        unsafe {
            let copy = slot::<Copy>(this, LIST, "CopyBufferRegion");
            copy(this, answers.pointer(), 128 + 64 * at as u64, from.pointer(), 0, 64);
        }
    }
    let words = stage.read(&answers, 32);
    for (round, (.., sizes)) in kept.iter().enumerate() {
        let [size, named, current] = [words[8 * round], words[8 * round + 1], words[8 * round + 2]];
        assert_eq!(named, 3, "a place for each instance's structure");
        assert!(current != 0 && current <= sizes.result, "{current} of {sizes:?}");
        // The header: an identifier of 32 bytes, sizes, the number of structures, their addresses.
        let header = &words[16 + 8 * round..24 + 8 * round];
        assert_eq!((header[4], header[6]), (size, named));
        assert!(header[5] != 0 && header[5] <= sizes.result);
        assert_eq!(header[7], lower_at[0], "the first and the last instance are of one structure");
        let identifier: [u64; 4] = header[..4].try_into().unwrap();
        assert_eq!(matches(&stage, &identifier), D3D12_DRIVER_MATCHING_IDENTIFIER_STATUS::COMPATIBLE_WITH_DEVICE);
        // Lavapipe compares the first half only.
        let other = [!identifier[0], identifier[1], identifier[2], identifier[3]];
        assert_eq!(matches(&stage, &other), D3D12_DRIVER_MATCHING_IDENTIFIER_STATUS::UNRECOGNIZED);
    }
}

fn matches(stage: &Stage, identifier: &[u64; 4]) -> D3D12_DRIVER_MATCHING_IDENTIFIER_STATUS {
    type Ask = unsafe extern "C" fn(
        *mut c_void,
        D3D12_SERIALIZED_DATA_TYPE,
        *const c_void,
    ) -> D3D12_DRIVER_MATCHING_IDENTIFIER_STATUS;
    let kind = D3D12_SERIALIZED_DATA_TYPE::RAYTRACING_ACCELERATION_STRUCTURE;
    let (this, identifier) = (stage.device.pointer(), core::ptr::from_ref(identifier).cast());
    // SAFETY: a device, and an identifier of 32 bytes.
    unsafe { slot::<Ask>(this, "ID3D12Device5", "CheckDriverMatchingIdentifier")(this, kind, identifier) }
}

#[test]
fn copies_updates_and_sizes() {
    let stage = Stage::new();
    if !stage.has() {
        return;
    }
    let vertices = stage.uploaded(&VERTICES);
    let shape = [triangles(address(&vertices), 6)];
    let inputs = bottom(&shape, Flags(Flags::ALLOW_COMPACTION.0 | Flags::ALLOW_UPDATE.0));
    let sizes = stage.sizes(&inputs);
    let made: Vec<_> = (0..3).map(|_| stage.structure(sizes.result)).collect();
    let at = |which: usize| address(&made[which]);
    let scratch = stage.room(sizes.scratch.max(sizes.update).max(256));
    let answers = stage.room(256);
    stage.build(inputs, at(0), 0, address(&scratch), &[]);
    let mut update = inputs;
    update.Flags.0 |= Flags::PERFORM_UPDATE.0;
    stage.build(update, at(0), at(0), address(&scratch), &[]);
    stage.copy(at(1), at(0), Mode::CLONE);
    stage.copy(at(2), at(0), Mode::COMPACT);
    let all = [at(0), at(1), at(2)];
    stage.emit(Info::COMPACTED_SIZE, address(&answers), &all);
    stage.emit(Info::SERIALIZATION, address(&answers) + 64, &all);
    let words = stage.read(&answers, 16);
    assert!(words[0] != 0 && words[0] <= sizes.result, "{words:?} of {sizes:?}");
    assert_eq!(words[1], words[0], "a clone is as large");
    assert!(words[2] <= words[0], "{words:?}");
    assert_eq!([words[9], words[11], words[13]], [0; 3], "the lower level names nothing");
    assert!(words[8] > 56 && words[10] == words[8], "{words:?}");
}

#[test]
fn what_cannot_be_built_is_refused() {
    let stage = Stage::new();
    if !stage.has() {
        return;
    }
    let room = stage.structure(4096);
    stage.copy(address(&room), address(&room), Mode::VISUALIZATION_DECODE_FOR_TOOLS);
    assert_eq!(stage.close(), E_NOTIMPL, "the form for tools");
}

/// Micromaps, triangles that have some, and structures that may lose theirs: the device has all of it, or refuses each by name.
#[test]
fn micromaps_have_sizes_or_are_refused() {
    let stage = Stage::new();
    if !stage.has() {
        return;
    }
    let vertices = stage.uploaded(&VERTICES);
    let count = [D3D12_RAYTRACING_OPACITY_MICROMAP_HISTOGRAM_ENTRY {
        Count: 1,
        SubdivisionLevel: 2,
        Format: D3D12_RAYTRACING_OPACITY_MICROMAP_FORMAT::OC1_4_STATE,
    }];
    let opacities = stage.uploaded(&[0x1234_5678u32]);
    let descriptions = stage.uploaded(&[0u32, 2 | 2 << 16]);
    let array = D3D12_RAYTRACING_OPACITY_MICROMAP_ARRAY_DESC {
        NumOmmHistogramEntries: 1,
        pOmmHistogram: count.as_ptr(),
        InputBuffer: address(&opacities),
        PerOmmDescs: D3D12_GPU_VIRTUAL_ADDRESS_AND_STRIDE { StartAddress: address(&descriptions), StrideInBytes: 8 },
    };
    let mut micromaps = Inputs { Type: Type::OPACITY_MICROMAP_ARRAY, NumDescs: 1, ..Default::default() };
    micromaps.Anonymous.pOpacityMicromapArrayDesc = &array;
    let plain = triangles(address(&vertices), 6);
    // SAFETY: `triangles` sets this arm.
    let both = unsafe { plain.Anonymous.Triangles };
    let linkage = D3D12_RAYTRACING_GEOMETRY_OMM_LINKAGE_DESC::default();
    let mut shape = Geometry { Type: Shape::OMM_TRIANGLES, ..Default::default() };
    shape.Anonymous.OmmTriangles =
        D3D12_RAYTRACING_GEOMETRY_OMM_TRIANGLES_DESC { pTriangles: &both, pOmmLinkage: &linkage };
    let (linked, plain) = ([shape], [plain]);
    let has = stage.device.caps.has_micromaps();
    for inputs in [micromaps, bottom(&linked, Flags::NONE), bottom(&plain, Flags::ALLOW_DISABLE_OMMS)] {
        let sizes = stage.sizes(&inputs);
        assert_eq!((sizes.result != 0, sizes.scratch != 0), (has, has), "{sizes:?}");
    }
    let wrong = Inputs { Flags: Flags::ALLOW_UPDATE, ..micromaps };
    assert_eq!(stage.sizes(&wrong).result, 0, "micromaps are not updated");
    if !has {
        let room = stage.structure(4096);
        stage.build(micromaps, address(&room), 0, address(&room), &[]);
        assert_eq!(stage.close(), E_NOTIMPL);
    }
}
