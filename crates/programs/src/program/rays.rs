//! `rays`, `rays-bundled`, `rays-counted` and `rays-grown`: pipelines with a ray generation, miss, closest-hit, any-hit, intersection and callable shader trace
//! rays through squares and a box, with arguments in records, and rays within rays. The second program adds a hit group to the state
//! object, keeps the identifiers that it has, and dispatches by a buffer. `rays-bundled` dispatches in a bundle, `rays-counted` by a buffer in
//! one. Of DXIL only.

mod model;

use super::Program;
use crate::acceleration::{self, Flags, GeometryFlags, Inputs, Structure, Vertices};
use crate::buffer::{self, Buffer, bytes_of};
use crate::com::{Null, call};
use crate::descriptor::{Elements, Heap};
use crate::device::Device;
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::root::{Parameter, Range, RootSignature};
use crate::shader::{Shader, shader};
use crate::signature::{CommandSignature, argument};
use crate::stage::Stage;
use crate::state_object::{Part, Records, StateObject, Table, rays};
use model::{BOX, COLUMNS, CORNERS, INSTANCES, MISSES, MORE, NEAR, NUMBERS, ROWS, SIDE, TWICE, expected};
use reprise_d3d12::types::*;

pub(super) const PROGRAM: Program =
    Program { name: "rays", about: "ray tracing pipelines, collections, records with arguments", run };
pub(super) const BUNDLED: Program = Program {
    name: "rays-bundled",
    about: "dispatches of rays in bundles, whose records change from one execution to the next",
    run: |stage| run_bundled(stage, By::List),
};
pub(super) const COUNTED: Program = Program {
    name: "rays-counted",
    about: "indirect dispatches of rays in bundles, with a count that changes from one execution to the next",
    run: |stage| run_bundled(stage, By::Buffer(2)),
};
pub(super) const GROWN: Program = Program {
    name: "rays-grown",
    about: "additions to state objects, and indirect dispatches of rays",
    run: run_grown,
};

const LIBRARY: Shader = shader!("rays.library" dxil);
const COLLECTION: D3D12_STATE_OBJECT_TYPE = D3D12_STATE_OBJECT_TYPE::COLLECTION;
const PIPELINE: D3D12_STATE_OBJECT_TYPE = D3D12_STATE_OBJECT_TYPE::RAYTRACING_PIPELINE;
/// Bytes of payloads and of attributes, in `rays.hlsl`.
const SIZES: Part<'static> = Part::Sizes(16, 8);
const DEPTH: Part<'static> = Part::Depth(2);
/// Bytes by which the stack is made larger than it need be.
const STEP: u64 = 64;
/// Where the table of the box's records leads: not to the beginning of the heap, so that a handle is told from an index.
const SLOT: u32 = 3;

fn run(stage: &Stage) -> Result<Digest, Failure> {
    stage.needs_model(D3D_SHADER_MODEL::SHADER_MODEL_6_3)?;
    acceleration::needs_tier(&stage.device, D3D12_RAYTRACING_TIER::TIER_1_0)?;
    let scene = Scene::new(stage, Instances::Array)?;
    let object = scene.pipeline(stage, D3D12_STATE_OBJECT_FLAGS::NONE)?;
    stacks(&object)?;
    let mut digest = Digest::new();
    for frame in [1, 2] {
        let results = scene.dispatch(stage, &object, frame, By::List)?;
        check(&results, frame, false)?;
        digest.add(&bytes_of(&results));
    }
    let nothing = scene.dispatch(stage, &object, 7, By::Skipped)?;
    Failure::unless(nothing.iter().all(|word| *word == 0), || "a dispatch has run that its predicate skips".into())?;
    Ok(digest)
}

/// Two lists execute one bundle, which reads records that the first changes in between. Where it dispatches by a buffer, a third one finds a
/// count of none.
fn run_bundled(stage: &Stage, by: By) -> Result<Digest, Failure> {
    let indirect = matches!(by, By::Buffer(_));
    stage.needs_model(D3D_SHADER_MODEL::SHADER_MODEL_6_3)?;
    let tier = if indirect { D3D12_RAYTRACING_TIER::TIER_1_1 } else { D3D12_RAYTRACING_TIER::TIER_1_0 };
    acceleration::needs_tier(&stage.device, tier)?;
    let scene = Scene::new(stage, Instances::Array)?;
    let object = scene.pipeline(stage, D3D12_STATE_OBJECT_FLAGS::NONE)?;
    let (device, words) = (&stage.device, COLUMNS * ROWS * 4);
    // The second frame's records name other numbers. Those of the first are zero by then.
    let mut first = Buffer::upload(device, scene.numbers.size)?;
    first.write(0, &bytes_of(&NUMBERS));
    let (records, tables) = scene.records(&object, &first)?;
    let (later, _) = scene.records(&object, &scene.numbers)?;
    let mut source = Buffer::upload(device, records.bytes.len() as u64)?;
    let copied = Buffer::copied(device, source.size)?;
    let results = Buffer::writable(device, u64::from(words) * 4)?;
    let zeros = Buffer::uploaded(device, &vec![0; words as usize])?;

    let mut bundle = List::new(device, D3D12_COMMAND_LIST_TYPE::BUNDLE)?;
    scene.bind(&mut bundle, &object, 1, &results)?;
    let desc = rays(copied.address, tables, [COLUMNS, ROWS]);
    // What the bundle reads lies in the GPU's memory, to which each list copies it.
    let mut arguments = match by {
        By::Buffer(count) => {
            let here = Arguments::new(device, &desc, count)?;
            let there = here.elsewhere(device)?;
            there.execute(&mut bundle);
            Some((here, there))
        }
        _ => {
            bundle.dispatch_rays(&desc)?;
            None
        }
    };
    bundle.close()?;

    let mut digest = Digest::new();
    let frames = if indirect { 3 } else { 2 };
    // A frame's records are copied where nothing was, or where those of the last frame are.
    for (frame, records) in [&records, &later, &later].into_iter().take(frames).enumerate() {
        source.write(0, &records.bytes);
        let mut list = List::direct(device)?;
        buffer::fill(&stage.queue, &mut list, &results, &zeros)?;
        let mut bring = |to: &Buffer, from: &Buffer, read| {
            if frame > 0 {
                list.transition(&to.com, read, D3D12_RESOURCE_STATES::COPY_DEST);
            }
            list.copy_bytes(to, 0, from, 0, from.size);
            list.transition(&to.com, D3D12_RESOURCE_STATES::COPY_DEST, read);
        };
        bring(&copied, &source, D3D12_RESOURCE_STATES::NON_PIXEL_SHADER_RESOURCE);
        if let Some((here, there)) = &mut arguments {
            if frame == 2 {
                here.count.write(0, &bytes_of(&[0]));
            }
            bring(&there.buffer, &here.buffer, D3D12_RESOURCE_STATES::INDIRECT_ARGUMENT);
            bring(&there.count, &here.count, D3D12_RESOURCE_STATES::INDIRECT_ARGUMENT);
        }
        list.set_heap(&scene.heap);
        for _ in 0..=frame % 2 {
            call!(list.com, "ID3D12GraphicsCommandList", "ExecuteBundle", &bundle.com);
        }
        let state = D3D12_RESOURCE_STATES::UNORDERED_ACCESS;
        let results = buffer::fetch(device, &stage.queue, &mut list, &results, state)?.read_u32()?;
        if frame == 2 {
            let none = results.iter().all(|word| *word == 0);
            Failure::unless(none, || "a dispatch beyond the count has run".into())?;
        } else {
            check(&results, 1, false)?;
        }
        digest.add(&bytes_of(&results));
        first.write(0, &bytes_of(&[0; NUMBERS.len()]));
    }
    Ok(digest)
}

fn run_grown(stage: &Stage) -> Result<Digest, Failure> {
    stage.needs_model(D3D_SHADER_MODEL::SHADER_MODEL_6_3)?;
    acceleration::needs_tier(&stage.device, D3D12_RAYTRACING_TIER::TIER_1_1)?;
    let scene = Scene::new(stage, Instances::Pointers)?;
    let additions = D3D12_STATE_OBJECT_FLAGS::ALLOW_STATE_OBJECT_ADDITIONS;
    let object = scene.pipeline(stage, additions)?;
    let parts = [
        Part::Flags(additions),
        Part::Library(&LIBRARY, &[("tardy", "late")]),
        Part::HitGroup("late", ["", "tardy", ""]),
        Part::Global(&scene.root),
        SIZES,
        DEPTH,
    ];
    let grown = StateObject::new(&stage.device, PIPELINE, &parts, Some(&object))?;
    for name in ["generate", "nothing", "near", "box", "twice"] {
        let same = object.identifier(name).is_some() && object.identifier(name) == grown.identifier(name);
        Failure::unless(same, || format!("the identifier of {name} is another in the state object that has grown"))?;
    }
    Failure::unless(object.identifier("late").is_none(), || "an identifier of what was added later".into())?;
    let mut digest = Digest::new();
    for (object, frame, by) in [(&object, 3, By::List), (&grown, 4, By::List), (&grown, 5, By::Buffer(2))] {
        let results = scene.dispatch(stage, object, frame, by)?;
        check(&results, frame, frame != 3)?;
        digest.add(&bytes_of(&results));
    }
    let nothing = scene.dispatch(stage, &grown, 6, By::Buffer(0))?;
    Failure::unless(nothing.iter().all(|word| *word == 0), || "a dispatch beyond the count has run".into())?;
    Ok(digest)
}

fn check(results: &[u32], frame: u32, grown: bool) -> Result<(), Failure> {
    let expected: Vec<[u32; 4]> = expected(frame, grown);
    Failure::unless_equal(&format!("the rays of dispatch {frame}"), results.as_chunks::<4>().0, &expected)
}

/// What a state object says of stacks.
fn stacks(object: &StateObject) -> Result<(), Failure> {
    const UNKNOWN: u64 = 0xffff_ffff;
    for name in ["generate", "nothing", "twice", "near::closesthit", "near::anyhit", "box::intersection"] {
        Failure::unless(object.shader_stack(name) < UNKNOWN, || format!("no size of the stack of {name}"))?;
    }
    for name in ["near", "near::intersection", "nobody", "nobody::anyhit"] {
        Failure::unless(object.shader_stack(name) == UNKNOWN, || format!("a size of the stack of {name}"))?;
    }
    for name in ["nobody", "sieve", ""] {
        Failure::unless(object.identifier(name).is_none(), || format!("an identifier of {name:?}"))?;
    }
    let usual = object.stack();
    object.set_stack(usual + STEP);
    Failure::unless(object.stack() == usual + STEP, || "the size of the stack is not the one that was set".into())
}

/// How a dispatch is asked for.
#[derive(Clone, Copy, Debug)]
enum By {
    List,
    /// By a list whose predicate skips it.
    Skipped,
    /// By arguments in a buffer, and a count of two at most.
    Buffer(u32),
}

/// How a top level is told its instances.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Instances {
    Array,
    /// By pointers to them, which lie in two buffers.
    Pointers,
}

/// What rays are traced through, and what shaders read.
struct Scene {
    root: RootSignature,
    /// Of the misses and of the callable shader; of the squares; of the box.
    locals: [RootSignature; 3],
    heap: Heap,
    numbers: Buffer,
    /// Read through the heap.
    _more: Buffer,
    top: Structure,
    /// What the top level refers to.
    _bottoms: [Structure; 2],
}

impl Scene {
    fn new(stage: &Stage, form: Instances) -> Result<Self, Failure> {
        let device = &stage.device;
        let flags = D3D12_ROOT_SIGNATURE_FLAGS::LOCAL_ROOT_SIGNATURE;
        let local = |parameters: &[Parameter<'_>]| RootSignature::new(device, parameters, &[], flags);
        let constants = |count| Parameter::Constants { register: 1, count };
        let locals = [
            local(&[constants(2)])?,
            local(&[constants(2), Parameter::Srv(2)])?,
            // The address of a table lies at a multiple of 8, behind a word of padding.
            local(&[constants(1), Parameter::Table(&[Range::srv(3, 1)])])?,
        ];
        let frame = Parameter::Constants { register: 0, count: 1 };
        let root = RootSignature::compute(device, &[frame, Parameter::Srv(0), Parameter::Uav(0)])?;
        let heap = Heap::visible(device, SLOT + 1)?;
        let more = Buffer::uploaded(device, &MORE)?;
        heap.buffer_srv(SLOT, &more, Elements::structured(0, MORE.len() as u32, 4));

        let corners: Vec<u32> = CORNERS.as_flattened().iter().map(|value| value.to_bits()).collect();
        let corners = Buffer::uploaded(device, &corners)?;
        let cube: Vec<u32> = BOX.iter().map(|value| value.to_bits()).collect();
        let cube = Buffer::uploaded(device, &cube)?;
        let vertices = Vertices { address: corners.address, stride: 12, count: CORNERS.len() as u32 };
        let square = [acceleration::triangles(vertices, GeometryFlags::NONE)];
        let cube = [acceleration::boxes(cube.address, 1, GeometryFlags::NONE)];
        let mut list = List::direct(device)?;
        let mut build = |inputs: Inputs| -> Result<Structure, Failure> {
            let structure = Structure::new(device, &inputs)?;
            list.build(&inputs, &structure, &[])?;
            Ok(structure)
        };
        let square = build(acceleration::bottom(&square, Flags::PREFER_FAST_TRACE))?;
        let cube = build(acceleration::bottom(&cube, Flags::PREFER_FAST_TRACE))?;
        let instances: Vec<_> = (0u32..)
            .zip(INSTANCES)
            .map(|(number, is_box)| {
                let of = if is_box { &cube } else { &square };
                let matrix = [[1.0, 0.0, 0.0, 4.0 * number as f32], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
                acceleration::instance(matrix, [number, number], 0xff, 0, of.address())
            })
            .collect();
        let bytes = acceleration::bytes_of(&instances);
        let mut placed = Buffer::upload(device, bytes.len() as u64)?;
        placed.write(0, &bytes);
        let size = bytes.len() as u64 / instances.len() as u64;
        let mut again = Buffer::upload(device, bytes.len() as u64)?;
        again.write(0, &bytes);
        // From one buffer and the other, in turn.
        let pointer = |number: u64| [&placed, &again][number as usize % 2].address + number * size;
        let pointers: Vec<u32> =
            (0..instances.len() as u64).map(pointer).flat_map(|at| [at as u32, (at >> 32) as u32]).collect();
        let pointers = Buffer::uploaded(device, &pointers)?;
        let mut inputs = acceleration::top(placed.address, instances.len() as u32, Flags::PREFER_FAST_TRACE);
        if form == Instances::Pointers {
            inputs.DescsLayout = D3D12_ELEMENTS_LAYOUT::ARRAY_OF_POINTERS;
            inputs.Anonymous.InstanceDescs = pointers.address;
        }
        let top = build(inputs)?;
        // Ends the list, after which nobody reads what the structures are built from.
        buffer::fetch(
            device,
            &stage.queue,
            &mut list,
            &Buffer::writable(device, 4)?,
            D3D12_RESOURCE_STATES::UNORDERED_ACCESS,
        )?;
        let numbers = Buffer::uploaded(device, &NUMBERS)?;
        Ok(Scene { root, locals, heap, numbers, _more: more, top, _bottoms: [square, cube] })
    }

    /// A collection of the hit groups, and a pipeline of it and of the other shaders.
    fn pipeline(&self, stage: &Stage, flags: D3D12_STATE_OBJECT_FLAGS) -> Result<StateObject, Failure> {
        let [records, near, side] = &self.locals;
        let renamed = [("closest", "near"), ("sieve", "sieve"), ("cross", "cross"), ("beside", "side")];
        let hits = [
            Part::Flags(flags),
            Part::Library(&LIBRARY, &renamed),
            Part::HitGroup("near", ["sieve", "closest", ""]),
            Part::HitGroup("box", ["", "beside", "cross"]),
            Part::Local(near, &["near"]),
            Part::Local(side, &["beside", "cross"]),
            Part::Global(&self.root),
            SIZES,
            DEPTH,
        ];
        let hits = StateObject::new(&stage.device, COLLECTION, &hits, None)?;
        let parts = [
            Part::Flags(flags),
            Part::Library(&LIBRARY, &[("generate", ""), ("nothing", ""), ("twice", "")]),
            Part::Collection(&hits),
            Part::Local(records, &["nothing", "twice"]),
            Part::Global(&self.root),
            SIZES,
            DEPTH,
        ];
        StateObject::new(&stage.device, PIPELINE, &parts, None)
    }

    /// The records of a state object, which name `numbers`, and where its tables lie among them.
    fn records(&self, object: &StateObject, numbers: &Buffer) -> Result<(Records, [Table; 4]), Failure> {
        let of = |name: &str| {
            let found = object.identifier(name);
            found.ok_or_else(|| Failure::Wrong(format!("no identifier of {name}")))
        };
        let mut records = Records::default();
        let generation = records.table(&[(of("generate")?, Vec::new())]);
        let misses = MISSES.map(|constants| (of("nothing"), bytes_of(&constants)));
        let misses = misses.into_iter().map(|(identifier, bytes)| Ok((identifier?, bytes)));
        let miss = records.table(&misses.collect::<Result<Vec<_>, Failure>>()?);
        let mut near = bytes_of(&NEAR);
        near.extend(numbers.address.to_le_bytes());
        let mut side = bytes_of(&[SIDE, 0]);
        side.extend(self.heap.gpu(SLOT).ptr.to_le_bytes());
        let late = object.identifier("late").unwrap_or_default();
        let hit = records.table(&[(of("near")?, near), (of("box")?, side), (late, Vec::new())]);
        let twice = of("twice")?;
        let callable = records.table(&TWICE.map(|first| (twice, bytes_of(&[first, 0]))));
        Ok((records, [generation, miss, hit, callable]))
    }

    /// Gives a list or a bundle all that a dispatch of rays needs.
    fn bind(&self, list: &mut List, object: &StateObject, frame: u32, results: &Buffer) -> Result<(), Failure> {
        list.set_heap(&self.heap);
        list.set_compute_root(&self.root);
        list.set_state_object(object)?;
        list.compute_constants(0, &[frame]);
        list.compute_srv(1, self.top.address());
        list.compute_uav(2, results.address);
        Ok(())
    }

    /// Dispatches rays, and reads what each gives.
    fn dispatch(&self, stage: &Stage, object: &StateObject, frame: u32, by: By) -> Result<Vec<u32>, Failure> {
        let device = &stage.device;
        let (records, tables) = self.records(object, &self.numbers)?;
        let mut bytes = Buffer::upload(device, records.bytes.len() as u64)?;
        bytes.write(0, &records.bytes);
        let desc = rays(bytes.address, tables, [COLUMNS, ROWS]);

        let results = Buffer::writable(device, u64::from(COLUMNS * ROWS) * 16)?;
        let mut list = List::direct(device)?;
        let zeros = Buffer::uploaded(device, &[0; (COLUMNS * ROWS * 4) as usize])?;
        buffer::fill(&stage.queue, &mut list, &results, &zeros)?;
        self.bind(&mut list, object, frame, &results)?;
        let arguments = match by {
            By::Buffer(count) => Some(Arguments::new(device, &desc, count)?),
            _ => None,
        };
        match by {
            // The second one finds the state of the first: a replay that moves the tables of both has put it back.
            By::List => (0..2).try_for_each(|_| list.dispatch_rays(&desc))?,
            By::Skipped => {
                let skip = D3D12_PREDICATION_OP::EQUAL_ZERO;
                call!(list.com, "ID3D12GraphicsCommandList", "SetPredication", &zeros.com, 0u64, skip.0);
                list.dispatch_rays(&desc)?;
                call!(list.com, "ID3D12GraphicsCommandList", "SetPredication", Null, 0u64, skip.0);
            }
            By::Buffer(_) => arguments.iter().for_each(|arguments| arguments.execute(&mut list)),
        }
        let state = D3D12_RESOURCE_STATES::UNORDERED_ACCESS;
        buffer::fetch(device, &stage.queue, &mut list, &results, state)?.read_u32()
    }
}

/// The same dispatch twice, in a buffer, and how many of them count.
struct Arguments {
    buffer: Buffer,
    count: Buffer,
    signature: CommandSignature,
}

impl Arguments {
    fn new(device: &Device, desc: &D3D12_DISPATCH_RAYS_DESC, count: u32) -> Result<Self, Failure> {
        const SIZE: usize = size_of::<D3D12_DISPATCH_RAYS_DESC>();
        // SAFETY: plain numbers, with four bytes behind the last that nobody reads; the copy is of zeros first.
        let bytes = unsafe {
            let mut bytes = [0u8; SIZE];
            core::ptr::copy_nonoverlapping((&raw const *desc).cast::<u8>(), bytes.as_mut_ptr(), SIZE - 4);
            bytes
        };
        let mut buffer = Buffer::upload(device, 2 * SIZE as u64)?;
        buffer.write(0, &bytes);
        buffer.write(SIZE as u64, &bytes);
        Ok(Self { buffer, count: Buffer::uploaded(device, &[count])?, signature: Self::signature(device)? })
    }

    /// Room for the same in the GPU's memory.
    fn elsewhere(&self, device: &Device) -> Result<Self, Failure> {
        let buffer = Buffer::copied(device, self.buffer.size)?;
        Ok(Self { buffer, count: Buffer::copied(device, self.count.size)?, signature: Self::signature(device)? })
    }

    fn signature(device: &Device) -> Result<CommandSignature, Failure> {
        let kind = argument(D3D12_INDIRECT_ARGUMENT_TYPE::DISPATCH_RAYS);
        CommandSignature::new(device, None, &[kind], size_of::<D3D12_DISPATCH_RAYS_DESC>() as u32)
    }

    fn execute(&self, list: &mut List) {
        list.execute_indirect(&self.signature, 2, (&self.buffer, 0), Some((&self.count, 0)));
    }
}
