//! `ray-queries`: shaders of four kinds trace rays inline through triangles and boxes, whose outcome the processor knows.
//!
//! The scene's structures are built from geometries in both layouts, changed in place, compacted, cloned, and restored from their
//! serialised form. Shaders find the scene by an address, and through descriptors that were written, copied and overwritten.
//! Of DXIL only.

mod scene;
mod unordered;

use super::{Program, mesh};
use crate::acceleration::{self, Flags, Geometry, GeometryFlags, Info, Inputs, Mode, Structure, Vertices};
use crate::buffer::{self, Buffer, bytes_of};
use crate::com::call;
use crate::descriptor::{Elements, Heap};
use crate::device::Device;
use crate::digest::Digest;
use crate::draw::Rectangle;
use crate::failure::Failure;
use crate::graphics::plain;
use crate::list::List;
use crate::picture::{Area, Picture};
use crate::pipeline::Pipeline;
use crate::root::{Parameter, Range, RootSignature};
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use crate::target::Target;
use reprise_d3d12::interface;
use reprise_d3d12::types::*;
use scene::{BOXES, CORNERS, INDICES, MOVED, Object, Pose, RAYS, Ray, SQUARE, WORDS};

pub(super) const PROGRAM: Program =
    Program { name: "ray-queries", about: "acceleration structures, and rays that shaders trace inline", run };

pub(super) const UNORDERED: Program = unordered::PROGRAM;

const COMPUTE: Shader = shader!("ray_queries.compute" dxil);
const COVER: Shader = shader!("ray_queries.cover" dxil);
const PIXEL: Shader = shader!("ray_queries.pixel" dxil);
const VERTEX: Shader = shader!("ray_queries.vertex" dxil);
const MESH: Shader = shader!("ray_queries.mesh" dxil);
const FOUND: Shader = shader!("ray_queries.found" dxil);

/// Bytes from one corner to the next in memory. The square's corners are three floats. Other corners are four floats of 16 bits, and the
/// API ignores the fourth. Nothing reads the bytes behind them.
const CORNER: u64 = 24;
/// Corners of the square.
const SQUARE_CORNERS: usize = 4;
/// The scene before it is changed.
const BEFORE: Pose = Pose { lift: 0.0, raise: 0.0 };
const AFTER: Pose = Pose { lift: 0.5, raise: 0.5 };

/// Places in the heap.
mod slot {
    pub(super) const SCENE: u32 = 0;
    pub(super) const NULL: u32 = 1;
    /// A copy of a descriptor of another heap.
    pub(super) const COPIED: u32 = 2;
    /// A buffer's view lay here before.
    pub(super) const OVERWRITTEN: u32 = 3;
    pub(super) const COUNT: u32 = 4;
}

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let device = &stage.device;
    stage.needs_model(D3D_SHADER_MODEL::SHADER_MODEL_6_5)?;
    acceleration::needs_tier(device, D3D12_RAYTRACING_TIER::TIER_1_1)?;
    let mut digest = Digest::new();
    let mut list = List::direct(device)?;
    let data = Data::new(device)?;
    let tracer = Tracer::new(stage)?;
    let heap = &tracer.heap;
    heap.structure(slot::NULL, 0);
    heap.buffer_srv(slot::OVERWRITTEN, &tracer.rays, Elements::raw(0, 16));

    // The triangles by one layout, the boxes by the other.
    let geometries = [data.triangles(0), data.triangles(1)];
    let flags = acceleration::all(&[Flags::ALLOW_UPDATE, Flags::ALLOW_COMPACTION, Flags::PREFER_FAST_TRACE]);
    let shapes = [data.boxes(), data.opaque_box()];
    let pointers = [&raw const shapes[0], &raw const shapes[1]];
    let from_triangles = acceleration::bottom(&geometries[0], flags);
    let from_boxes = acceleration::bottom_of(&pointers, Flags::PREFER_FAST_BUILD);
    let (triangles, boxes) = (Structure::new(device, &from_triangles)?, Structure::new(device, &from_boxes)?);
    // Draws that need no structure may lie between a build and its barrier.
    tracer.draw_number(stage, &mut list, &mut digest, (&from_triangles, &triangles))?;
    list.build(&from_boxes, &boxes, &[])?;
    let of = |pose: Pose, triangles: u64, boxes: u64| Instances::new(device, pose, triangles, boxes);
    let instances = of(BEFORE, triangles.address(), boxes.address())?;
    let from_instances = instances.inputs(Flags::ALLOW_UPDATE);
    let top = Structure::new(device, &from_instances)?;
    list.build(&from_instances, &top, &[])?;
    heap.structure(slot::SCENE, top.address());
    tracer.trace(stage, &mut list, By::Table(slot::SCENE), Some(BEFORE), &mut digest)?;
    tracer.trace(stage, &mut list, By::Table(slot::NULL), None, &mut digest)?;
    tracer.draw(stage, &mut list, BEFORE, &mut digest)?;

    // Both levels are changed in place.
    let answers = Buffer::writable(device, 64)?;
    let updates = acceleration::all(&[flags, Flags::PERFORM_UPDATE]);
    let question = (Info::COMPACTED_SIZE, answers.address);
    list.build(&acceleration::bottom(&geometries[1], updates), &triangles, &[question])?;
    let instances = of(AFTER, triangles.address(), boxes.address())?;
    list.build(&instances.inputs(acceleration::all(&[Flags::ALLOW_UPDATE, Flags::PERFORM_UPDATE])), &top, &[])?;
    list.ask(Info::CURRENT_SIZE, answers.address + 8, &[triangles.address(), top.address()])?;
    list.ask(Info::SERIALIZATION, answers.address + 24, &[boxes.address(), top.address()])?;
    tracer.trace(stage, &mut list, By::Address(top.address()), Some(AFTER), &mut digest)?;
    heap.structure(slot::OVERWRITTEN, top.address());
    tracer.trace(stage, &mut list, By::Table(slot::OVERWRITTEN), Some(AFTER), &mut digest)?;

    let answers = buffer::fetch(device, &stage.queue, &mut list, &answers, D3D12_RESOURCE_STATES::UNORDERED_ACCESS)?;
    let answers: Vec<u64> =
        answers.read()?.chunks_exact(8).map(|bytes| u64::from_le_bytes(bytes.try_into().unwrap_or_default())).collect();
    let [compacted, current, current_top, serialised, no_pointers, serialised_top, pointers, _] = answers[..] else {
        return Err(Failure::Wrong("not all answers were read".into()));
    };
    let within = |size: u64, of: &Structure| size != 0 && size <= of.sizes.ResultDataMaxSizeInBytes;
    let sound = within(compacted, &triangles)
        && within(current, &triangles)
        && within(current_top, &top)
        && serialised > HEADER
        && serialised_top > HEADER + 8 * pointers
        && no_pointers == 0
        // Of seven instances one has no structure, and two structures are all others'. The API does not say how often each counts.
        && (2..=7).contains(&pointers);
    Failure::unless(sound, || format!("sizes of structures are {answers:?}"))?;

    // A compact copy of the triangles, and boxes out of their serialised form.
    let compact = Buffer::structure(device, compacted)?;
    list.copy_structure(compact.address, triangles.address(), Mode::COMPACT)?;
    let stored = Stored::new(stage, &mut list, boxes.address(), serialised)?;
    let restored = Buffer::structure(device, boxes.sizes.ResultDataMaxSizeInBytes)?;
    list.copy_structure(restored.address, stored.0.address, Mode::DESERIALIZE)?;
    list.uav_barrier(&compact.com);
    list.uav_barrier(&restored.com);
    let instances = of(AFTER, compact.address, restored.address)?;
    let inputs = instances.inputs(Flags::PREFER_FAST_TRACE);
    let second = Structure::new(device, &inputs)?;
    list.build(&inputs, &second, &[])?;
    let staging = Heap::staging(device, 1)?;
    staging.structure(0, second.address());
    heap.copy(slot::COPIED, &staging, 0, 1);
    tracer.trace(stage, &mut list, By::Table(slot::COPIED), Some(AFTER), &mut digest)?;

    // A clone of the top level, and the first one out of its serialised form.
    let clone = Buffer::structure(device, second.sizes.ResultDataMaxSizeInBytes)?;
    list.copy_structure(clone.address, second.address(), Mode::CLONE)?;
    list.uav_barrier(&clone.com);
    tracer.trace(stage, &mut list, By::Address(clone.address), Some(AFTER), &mut digest)?;
    let stored = Stored::new(stage, &mut list, top.address(), serialised_top)?;
    let restored = Buffer::structure(device, top.sizes.ResultDataMaxSizeInBytes)?;
    list.copy_structure(restored.address, stored.0.address, Mode::DESERIALIZE)?;
    list.uav_barrier(&restored.com);
    tracer.trace(stage, &mut list, By::Address(restored.address), Some(AFTER), &mut digest)?;
    Ok(digest)
}

/// What the geometries are built from.
struct Data {
    /// Those of both poses, one after the other.
    corners: Buffer,
    indices: Buffer,
    /// A matrix of three rows.
    matrix: Buffer,
    boxes: Buffer,
}

impl Data {
    fn new(device: &Device) -> Result<Self, Failure> {
        let corner = |pose: Pose| {
            CORNERS.iter().enumerate().flat_map(move |(at, &[x, y, z])| {
                let [x, y, z] = [x, y, z + pose.lift].map(|value| value as f32);
                match at < SQUARE_CORNERS {
                    true => [x.to_bits(), y.to_bits(), z.to_bits(), 7, 7, 7],
                    false => [half(x) | half(y) << 16, half(z) | half(7.0) << 16, 7, 7, 7, 7],
                }
            })
        };
        let corners: Vec<u32> = [BEFORE, AFTER].into_iter().flat_map(corner).collect();
        let indices: Vec<u32> = INDICES.chunks(2).map(|pair| u32::from(pair[0]) | u32::from(pair[1]) << 16).collect();
        let matrix: Vec<u32> = (0..3)
            .flat_map(|row| {
                let mut values = [0.0; 4];
                (values[row], values[3]) = (1.0, MOVED[row] as f32);
                values.map(f32::to_bits)
            })
            .collect();
        Ok(Data {
            corners: Buffer::uploaded(device, &corners)?,
            indices: Buffer::uploaded(device, &indices)?,
            matrix: Buffer::uploaded(device, &matrix)?,
            boxes: Buffer::uploaded(device, &box_words())?,
        })
    }

    /// Both geometries of triangles, in a pose.
    fn triangles(&self, pose: u64) -> [Geometry; 2] {
        let first = self.corners.address + pose * CORNER * CORNERS.len() as u64;
        let square = Vertices { address: first, stride: CORNER, count: SQUARE_CORNERS as u32 };
        let square = acceleration::indexed(square, self.indices.address, INDICES.len() as u32, GeometryFlags::OPAQUE);
        let others = Vertices { address: first + SQUARE_CORNERS as u64 * CORNER, stride: CORNER, count: 6 };
        let others = acceleration::halves(acceleration::triangles(others, GeometryFlags::NONE));
        [square, acceleration::moved(others, self.matrix.address)]
    }

    fn boxes(&self) -> Geometry {
        acceleration::boxes(self.boxes.address, 2, GeometryFlags::NO_DUPLICATE_ANYHIT_INVOCATION)
    }

    fn opaque_box(&self) -> Geometry {
        acceleration::boxes(self.boxes.address + 48, 1, GeometryFlags::OPAQUE)
    }
}

/// A float of 16 bits. The value is 0, or has few bits and an exponent that these have.
fn half(value: f32) -> u32 {
    let bits = value.to_bits();
    match bits {
        0 => 0,
        _ => bits >> 16 & 0x8000 | ((bits >> 23 & 0xff) - 112) << 10 | bits >> 13 & 0x3ff,
    }
}

/// The boxes as builds and shaders read them.
fn box_words() -> Vec<u32> {
    BOXES.as_flattened().as_flattened().iter().map(|value| (*value as f32).to_bits()).collect()
}

/// Instances in memory.
struct Instances {
    buffer: Buffer,
    count: u32,
}

impl Instances {
    fn new(device: &Device, pose: Pose, triangles: u64, boxes: u64) -> Result<Self, Failure> {
        let instances = pose.instances().map(|placed| {
            let of = match placed.object {
                Object::Triangles => triangles,
                Object::Boxes => boxes,
                Object::Nothing => 0,
            };
            acceleration::instance(placed.matrix(), [placed.id, placed.group], placed.mask, placed.flags, of)
        });
        let bytes = acceleration::bytes_of(&instances);
        let mut buffer = Buffer::upload(device, bytes.len() as u64)?;
        buffer.write(0, &bytes);
        Ok(Instances { buffer, count: instances.len() as u32 })
    }

    fn inputs(&self, flags: Flags) -> Inputs {
        acceleration::top(self.buffer.address, self.count, flags)
    }
}

/// Bytes of the header of a serialised structure.
const HEADER: u64 = 56;

/// A serialised structure, to be read.
struct Stored(Buffer);

impl Stored {
    /// Serialises a structure, and checks that the device knows the form.
    fn new(stage: &Stage, list: &mut List, from: u64, size: u64) -> Result<Self, Failure> {
        use D3D12_RESOURCE_STATES as State;
        let buffer = Buffer::writable(&stage.device, size)?;
        list.copy_structure(buffer.address, from, Mode::SERIALIZE)?;
        // What lies behind the header is the driver's own, and holds addresses.
        let header = Buffer::readback(&stage.device, HEADER)?;
        list.transition(&buffer.com, State::UNORDERED_ACCESS, State::COPY_SOURCE);
        list.copy_bytes(&header, 0, &buffer, 0, HEADER);
        stage.queue.run(list)?;
        let bytes = header.read()?;
        let written = u64::from_le_bytes(bytes[32..40].try_into().unwrap_or_default());
        Failure::unless(written == size, || {
            format!("a structure of {size} serialised bytes says that it has {written}")
        })?;
        let device = stage.device.com.query(interface("ID3D12Device5"));
        let device = device.ok_or_else(|| Failure::Cannot("the device has no ID3D12Device5".into()))?;
        let kind = D3D12_SERIALIZED_DATA_TYPE::RAYTRACING_ACCELERATION_STRUCTURE;
        let identifier = bytes.as_ptr().cast::<D3D12_SERIALIZED_DATA_DRIVER_MATCHING_IDENTIFIER>();
        let status = call!(device, "ID3D12Device5", "CheckDriverMatchingIdentifier", kind.0, identifier) as i32;
        let status = D3D12_DRIVER_MATCHING_IDENTIFIER_STATUS(status);
        let known = status == D3D12_DRIVER_MATCHING_IDENTIFIER_STATUS::COMPATIBLE_WITH_DEVICE;
        Failure::unless(known, || format!("the device does not know its own serialised structure: {status:?}"))?;
        list.transition(&buffer.com, State::COPY_SOURCE, State::NON_PIXEL_SHADER_RESOURCE);
        Ok(Stored(buffer))
    }
}

/// How shaders find the scene.
#[derive(Clone, Copy, Debug)]
enum By {
    /// Through a slot of the heap.
    Table(u32),
    Address(u64),
}

/// What traces rays.
struct Tracer {
    heap: Heap,
    rays: Buffer,
    boxes: Buffer,
    results: Buffer,
    by_table: (RootSignature, Pipeline),
    by_address: (RootSignature, Pipeline),
    graphics: RootSignature,
    /// Each kind of graphics shaders, and what it is.
    pipelines: [(&'static str, Pipeline); 3],
    target: Target,
}

const FORMAT: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R32G32B32A32_UINT;

/// Compares what all rays found with a scene; `None`: with nothing.
fn compare(got: &[u32], what: &str, expected: Option<Pose>, digest: &mut Digest) -> Result<(), Failure> {
    let find = |number: u32| expected.map_or([0; WORDS], |pose| pose.find(number));
    for (number, got) in (0..RAYS).zip(got.chunks(WORDS)) {
        Failure::unless_equal(&format!("ray {number} {what} {expected:?}"), got, &find(number))?;
    }
    digest.add(&bytes_of(got));
    Ok(())
}

impl Tracer {
    fn new(stage: &Stage) -> Result<Self, Failure> {
        let device = &stage.device;
        let table = Parameter::Table(&[Range::srv(2, 1)]);
        let which = Parameter::Constants { register: 0, count: 1 };
        let compute = |scene: Parameter<'_>| {
            let parameters = [which, Parameter::Srv(0), Parameter::Srv(1), scene, Parameter::Uav(0)];
            let root = RootSignature::compute(device, &parameters)?;
            let pipeline = Pipeline::compute(stage, &root, &COMPUTE)?;
            Ok((root, pipeline))
        };
        let graphics = RootSignature::graphics(device, &[which, Parameter::Srv(0), Parameter::Srv(1), table], &[])?;
        let desc = |vertex: &Shader, pixel: &Shader| plain(stage, &graphics, vertex, pixel, &[FORMAT]);
        let pipelines = [
            ("pixel", Pipeline::graphics(stage, &desc(&COVER, &PIXEL))?),
            ("vertex", Pipeline::graphics(stage, &desc(&VERTEX, &FOUND))?),
            match mesh::supported(stage) {
                Ok(()) => ("mesh", Pipeline::of_meshes(stage, &desc(&VERTEX, &FOUND), None, &MESH)?),
                // Rays do not need them: vertex shaders trace the same ones.
                Err(_) => ("vertex", Pipeline::graphics(stage, &desc(&VERTEX, &FOUND))?),
            },
        ];
        let rays: Vec<u32> = (0..RAYS).flat_map(|number| Ray::of(number).words()).collect();
        Ok(Tracer {
            heap: Heap::visible(device, slot::COUNT)?,
            rays: Buffer::uploaded(device, &rays)?,
            boxes: Buffer::uploaded(device, &box_words())?,
            results: Buffer::writable(device, u64::from(RAYS) * WORDS as u64 * 4)?,
            by_table: compute(table)?,
            by_address: compute(Parameter::Srv(2))?,
            graphics,
            pipelines,
            target: Target::new(device, FORMAT, 8, 8)?,
        })
    }

    /// Traces all rays, and compares what they find with a scene; `None`: with nothing.
    fn trace(
        &self,
        stage: &Stage,
        list: &mut List,
        by: By,
        expected: Option<Pose>,
        digest: &mut Digest,
    ) -> Result<(), Failure> {
        // What an earlier dispatch found must not pass for what this one finds.
        buffer::clear(&stage.device, &stage.queue, &self.results)?;
        self.dispatch(list, by, self.results.address);
        let state = D3D12_RESOURCE_STATES::UNORDERED_ACCESS;
        let got = buffer::fetch(&stage.device, &stage.queue, list, &self.results, state)?.read_u32()?;
        compare(&got, &format!("{by:?}"), expected, digest)
    }

    /// Traces all rays; what they find goes to an address.
    fn dispatch(&self, list: &mut List, by: By, results: u64) {
        list.set_heap(&self.heap);
        let (root, pipeline) = match by {
            By::Table(_) => &self.by_table,
            By::Address(_) => &self.by_address,
        };
        list.set_compute_root(root);
        list.set_pipeline(pipeline);
        list.compute_constants(0, &[0]);
        list.compute_srv(1, self.rays.address);
        list.compute_srv(2, self.boxes.address);
        match by {
            By::Table(slot) => list.compute_table(3, self.heap.gpu(slot)),
            By::Address(address) => list.compute_srv(3, address),
        }
        list.compute_uav(4, results);
        list.dispatch(RAYS / SQUARE, 1, 1);
    }

    /// Draws a number without rays, between a build and its barrier.
    fn draw_number(
        &self,
        stage: &Stage,
        list: &mut List,
        digest: &mut Digest,
        (inputs, to): (&Inputs, &Structure),
    ) -> Result<(), Failure> {
        let root = RootSignature::graphics(&stage.device, &[Rectangle::PARAMETER], &[])?;
        let (vertex, number) = (shader!("rectangle.vertex"), shader!("rectangle.number"));
        let pipeline = Pipeline::graphics(stage, &plain(stage, &root, &vertex, &number, &[FORMAT]))?;
        let (area, value) = (Area::at(0, 0, 8, 8), [3, 1, 4, 1]);
        list.set_graphics_root(&root);
        list.set_pipeline(&pipeline);
        list.targets(&[&self.target], None);
        list.square(8);
        list.begin_build(inputs, to, &[])?;
        list.rectangle(&Rectangle::new(area, 8, value));
        list.end_build(to);
        let mut picture = Picture::new(8, 8, [0; 4]);
        picture.fill(area, value);
        self.target.check(stage, list, "a draw before the barrier of a build", &picture, digest)
    }

    /// Traces rays in graphics shaders, a square after the other.
    fn draw(&self, stage: &Stage, list: &mut List, pose: Pose, digest: &mut Digest) -> Result<(), Failure> {
        for ((name, pipeline), first) in self.pipelines.iter().zip([0, 2 * SQUARE, 4 * SQUARE]) {
            list.set_heap(&self.heap);
            list.set_graphics_root(&self.graphics);
            list.set_pipeline(pipeline);
            list.graphics_constants(0, &[first]);
            list.graphics_srv(1, self.rays.address);
            list.graphics_srv(2, self.boxes.address);
            list.graphics_table(3, self.heap.gpu(slot::SCENE));
            list.targets(&[&self.target], None);
            list.square(8);
            list.clear_target(&self.target, [0.0; 4], &[]);
            match *name {
                "mesh" => list.dispatch_mesh(SQUARE, 1, 1)?,
                "vertex" => {
                    list.topology(D3D_PRIMITIVE_TOPOLOGY::D3D_PRIMITIVE_TOPOLOGY_TRIANGLESTRIP);
                    list.draw(4, SQUARE, 0, 0);
                }
                _ => {
                    list.topology(D3D_PRIMITIVE_TOPOLOGY::D3D_PRIMITIVE_TOPOLOGY_TRIANGLELIST);
                    list.draw(3, 1, 0, 0);
                }
            }
            let mut picture = Picture::new(8, 8, [0; 4]);
            for number in 0..SQUARE {
                let [x, y, z, w, ..] = pose.find(first + number);
                picture.fill(Area::at(number % 8, number / 8, 1, 1), [x, y, z, w]);
            }
            self.target.check(stage, list, &format!("rays of {name} shaders"), &picture, digest)?;
        }
        Ok(())
    }
}
