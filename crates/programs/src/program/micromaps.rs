//! `micromaps`: rays through triangles with opacity micromaps of two and of four states, by indices of several kinds, without indices, and
//! with indices that say what a whole triangle is. The arrays are built, compacted, copied and serialised; an update gives the triangles
//! others. Instances and rays force two states, or ask for none. The processor knows what each ray meets. Of DXIL only.

mod model;

use super::Program;
use crate::acceleration::{self, Flags, Geometry, GeometryFlags, Info, Inputs, Mode, Structure, Vertices};
use crate::buffer::{self, Buffer, bytes_of};
use crate::com::call;
use crate::device::Device;
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::root::{Parameter, RootSignature};
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use crate::state_object::{Part, Records, StateObject, rays};
use model::{GEOMETRIES, INSTANCE_PITCH, INSTANCES, MAPS, TWO_STATES};
use reprise_d3d12::interface;
use reprise_d3d12::types::*;

pub(super) const PROGRAM: Program =
    Program { name: "micromaps", about: "rays through triangles with opacity micromaps", run };

const LIBRARY: Shader = shader!("micromaps.library" dxil);
const WRITTEN: D3D12_RESOURCE_STATES = D3D12_RESOURCE_STATES::UNORDERED_ACCESS;

fn run(stage: &Stage) -> Result<Digest, Failure> {
    stage.needs_model(D3D_SHADER_MODEL::SHADER_MODEL_6_3)?;
    needs_micromaps(&stage.device)?;
    let scene = Scene::new(stage)?;
    let mut digest = Digest::new();
    let mut list = List::direct(&stage.device)?;

    let [first, second] = [Arrays::new(stage, 0)?, Arrays::new(stage, 1)?];
    let answers = Buffer::writable(&stage.device, 32)?;
    let at = |word: u64| answers.address + 8 * word;
    let questions = [(Info::COMPACTED_SIZE, at(0)), (Info::SERIALIZATION, at(1)), (Info::CURRENT_SIZE, at(3))];
    first.build(&mut list, &questions)?;
    second.build(&mut list, &[])?;
    let words = buffer::fetch(&stage.device, &stage.queue, &mut list, &answers, WRITTEN)?.read_u32()?;
    let words: Vec<u64> = words.chunks(2).map(|pair| u64::from(pair[0]) | u64::from(pair[1]) << 32).collect();
    let [compact, serial, named, current] = words[..] else {
        return Err(Failure::Wrong("answers of other sizes".into()));
    };
    let most = first.built.sizes.ResultDataMaxSizeInBytes;
    let right = compact != 0 && compact <= most && serial > 48 && named == 0 && current != 0 && current <= most;
    Failure::unless(right, || format!("sizes of micromaps: {words:?}, with room of {most} bytes"))?;

    let compacted = Buffer::structure(&stage.device, compact)?;
    let clone = Buffer::structure(&stage.device, most)?;
    let serialised = Buffer::writable(&stage.device, serial)?;
    let again = Buffer::structure(&stage.device, most)?;
    let copies = [
        (&compacted, first.built.address(), Mode::COMPACT),
        (&clone, compacted.address, Mode::CLONE),
        (&serialised, first.built.address(), Mode::SERIALIZE),
        (&again, serialised.address, Mode::DESERIALIZE),
    ];
    for (to, from, mode) in copies {
        list.copy_structure(to.address, from, mode)?;
        list.uav_barrier(&to.com);
    }
    let bottom = scene.bottom(stage, first.built.address())?;
    for array in [first.built.address(), compacted.address, clone.address, again.address] {
        scene.build(&mut list, &bottom, array, Flags::NONE)?;
        scene.trace(stage, &mut list, &bottom, 0, &mut digest)?;
    }
    scene.build(&mut list, &bottom, second.built.address(), Flags::PERFORM_UPDATE)?;
    scene.trace(stage, &mut list, &bottom, 1, &mut digest)?;
    Ok(digest)
}

/// Fails where there are no micromaps: neither in the tier, nor as what NVIDIA's library asks vkd3d-proton's interface for.
fn needs_micromaps(device: &Device) -> Result<(), Failure> {
    let tier = acceleration::needs_tier(device, D3D12_RAYTRACING_TIER::TIER_1_2);
    if tier.is_err()
        && let Some(ext) = device.com.query(interface("ID3D12DeviceExt"))
    {
        let asked = D3D12_VK_EXTENSION::EXT_OPACITY_MICROMAP;
        if call!(ext, "ID3D12DeviceExt", "GetExtensionSupport", asked.0) as u32 != 0 {
            return acceleration::needs_tier(device, D3D12_RAYTRACING_TIER::TIER_1_0);
        }
    }
    tier
}

/// Micromaps in a version, and what they are built from.
struct Arrays {
    data: Buffer,
    descriptions: Buffer,
    counts: Vec<D3D12_RAYTRACING_OPACITY_MICROMAP_HISTOGRAM_ENTRY>,
    built: Structure,
}

impl Arrays {
    fn new(stage: &Stage, version: u32) -> Result<Self, Failure> {
        let (mut data, mut descriptions, mut counts) = (Vec::new(), Vec::new(), Vec::new());
        for (number, map) in MAPS.iter().enumerate() {
            let format = match map.four_states {
                true => D3D12_RAYTRACING_OPACITY_MICROMAP_FORMAT::OC1_4_STATE,
                false => D3D12_RAYTRACING_OPACITY_MICROMAP_FORMAT::OC1_2_STATE,
            };
            descriptions.extend([data.len() as u32, map.level | (format.0 as u32) << 16]);
            data.extend(map.bytes(number, version));
            counts.push(D3D12_RAYTRACING_OPACITY_MICROMAP_HISTOGRAM_ENTRY {
                Count: 1,
                SubdivisionLevel: map.level,
                Format: format,
            });
        }
        data.resize(data.len().next_multiple_of(4), 0);
        let words: Vec<u32> = data.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
        let data = Buffer::uploaded(&stage.device, &words)?;
        let descriptions = Buffer::uploaded(&stage.device, &descriptions)?;
        let array = Self::describe(&counts, &data, &descriptions);
        let built = Structure::new(&stage.device, &Self::inputs_of(&array))?;
        Ok(Arrays { data, descriptions, counts, built })
    }

    fn build(&self, list: &mut List, questions: &[(Info, u64)]) -> Result<(), Failure> {
        let array = Self::describe(&self.counts, &self.data, &self.descriptions);
        list.build(&Self::inputs_of(&array), &self.built, questions)
    }

    fn describe(
        counts: &[D3D12_RAYTRACING_OPACITY_MICROMAP_HISTOGRAM_ENTRY],
        data: &Buffer,
        descriptions: &Buffer,
    ) -> D3D12_RAYTRACING_OPACITY_MICROMAP_ARRAY_DESC {
        D3D12_RAYTRACING_OPACITY_MICROMAP_ARRAY_DESC {
            NumOmmHistogramEntries: counts.len() as u32,
            pOmmHistogram: counts.as_ptr(),
            InputBuffer: data.address,
            PerOmmDescs: D3D12_GPU_VIRTUAL_ADDRESS_AND_STRIDE { StartAddress: descriptions.address, StrideInBytes: 8 },
        }
    }

    fn inputs_of(array: &D3D12_RAYTRACING_OPACITY_MICROMAP_ARRAY_DESC) -> Inputs {
        let kind = D3D12_RAYTRACING_ACCELERATION_STRUCTURE_TYPE::OPACITY_MICROMAP_ARRAY;
        let mut inputs = Inputs { Type: kind, Flags: Flags::ALLOW_COMPACTION, NumDescs: 1, ..Default::default() };
        inputs.Anonymous.pOpacityMicromapArrayDesc = array;
        inputs
    }
}

/// What rays are traced through, and what traces them.
struct Scene {
    root: RootSignature,
    object: StateObject,
    corners: Vec<Buffer>,
    /// Indices of micromaps of 32 bits, and of 16 bits four bytes apart.
    indices: [Buffer; 2],
}

/// Structures of the scene.
struct Levels {
    bottom: Structure,
    top: Structure,
    instances: Buffer,
}

impl Scene {
    fn new(stage: &Stage) -> Result<Self, Failure> {
        let device = &stage.device;
        let frame = Parameter::Constants { register: 0, count: 1 };
        let root = RootSignature::compute(device, &[frame, Parameter::Srv(0), Parameter::Srv(1), Parameter::Uav(0)])?;
        let parts = [
            Part::Library(&LIBRARY, &[]),
            Part::HitGroup("hit", ["ask", "near", ""]),
            Part::Global(&root),
            Part::Sizes(8, 8),
            Part::Config(1, D3D12_RAYTRACING_PIPELINE_FLAGS::ALLOW_OPACITY_MICROMAPS),
        ];
        let object = StateObject::new(device, D3D12_STATE_OBJECT_TYPE::RAYTRACING_PIPELINE, &parts, None)?;
        let corners = (0..GEOMETRIES.len()).map(|number| Buffer::uploaded(device, &model::corners(number)));
        let wide: Vec<u32> = GEOMETRIES[0].iter().map(|map| *map as u32).collect();
        // The base is added to what is not negative.
        let less_one = |map: &i32| if *map < 0 { *map } else { map - 1 };
        let narrow: Vec<u32> = GEOMETRIES[1].iter().map(|map| u32::from(less_one(map) as u16)).collect();
        let indices = [Buffer::uploaded(device, &wide)?, Buffer::uploaded(device, &narrow)?];
        Ok(Scene { root, object, corners: corners.collect::<Result<_, _>>()?, indices })
    }

    /// Calls `with` with the inputs of the bottom level whose micromaps lie at an address.
    fn with_inputs<T>(&self, array: u64, more: Flags, with: impl FnOnce(&Inputs) -> T) -> T {
        let vertices = |number: usize| Vertices {
            address: self.corners[number].address,
            stride: 12,
            count: 3 * GEOMETRIES[number].len() as u32,
        };
        let linkage = |indices: u64, format, stride, base| D3D12_RAYTRACING_GEOMETRY_OMM_LINKAGE_DESC {
            OpacityMicromapIndexBuffer: D3D12_GPU_VIRTUAL_ADDRESS_AND_STRIDE {
                StartAddress: indices,
                StrideInBytes: stride,
            },
            OpacityMicromapIndexFormat: format,
            OpacityMicromapBaseLocation: base,
            OpacityMicromapArray: array,
        };
        let [wide, narrow] = self.indices.each_ref().map(|indices| indices.address);
        let linkages = [
            linkage(wide, DXGI_FORMAT::FORMAT_R32_UINT, 4, 0),
            linkage(narrow, DXGI_FORMAT::FORMAT_R16_UINT, 4, 1),
            linkage(0, DXGI_FORMAT::FORMAT_UNKNOWN, 0, 0),
        ];
        let triangles = [0, 1, 2].map(|number| acceleration::plain(vertices(number)));
        let flags = GeometryFlags::NO_DUPLICATE_ANYHIT_INVOCATION;
        let geometries: Vec<Geometry> = triangles
            .iter()
            .zip(&linkages)
            .map(|(it, linkage)| acceleration::with_micromaps(it, linkage, flags))
            .collect();
        let flags = [Flags::ALLOW_UPDATE, Flags::ALLOW_OMM_UPDATE, Flags::ALLOW_DISABLE_OMMS, more];
        with(&acceleration::bottom(&geometries, acceleration::all(&flags)))
    }

    fn bottom(&self, stage: &Stage, array: u64) -> Result<Levels, Failure> {
        let device = &stage.device;
        let bottom = self.with_inputs(array, Flags::NONE, |inputs| Structure::new(device, inputs))?;
        let instances: Vec<_> = (0u32..)
            .zip(INSTANCES)
            .map(|(number, flags)| {
                let y = number as f32 * INSTANCE_PITCH;
                let matrix = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, y], [0.0, 0.0, 1.0, 0.0]];
                acceleration::instance(matrix, [number, 0], 0xff, flags, bottom.address())
            })
            .collect();
        let bytes = acceleration::bytes_of(&instances);
        let mut placed = Buffer::upload(device, bytes.len() as u64)?;
        placed.write(0, &bytes);
        let inputs = acceleration::top(placed.address, INSTANCES.len() as u32, Flags::NONE);
        Ok(Levels { bottom, top: Structure::new(device, &inputs)?, instances: placed })
    }

    /// Builds both levels, or changes the lower and builds the upper one.
    fn build(&self, list: &mut List, levels: &Levels, array: u64, more: Flags) -> Result<(), Failure> {
        self.with_inputs(array, more, |inputs| list.build(inputs, &levels.bottom, &[]))?;
        let inputs = acceleration::top(levels.instances.address, INSTANCES.len() as u32, Flags::NONE);
        list.build(&inputs, &levels.top, &[])
    }

    /// Traces rays that force two states, and rays that do not.
    fn trace(
        &self,
        stage: &Stage,
        list: &mut List,
        levels: &Levels,
        version: u32,
        digest: &mut Digest,
    ) -> Result<(), Failure> {
        let (device, all) = (&stage.device, model::rays(version));
        let origins: Vec<u32> = all.iter().flat_map(|ray| ray.origin.map(f32::to_bits)).collect();
        let origins = Buffer::uploaded(device, &origins)?;
        let mut records = Records::default();
        let mut table = |names: &[&str]| {
            let of = |name: &&str| self.object.identifier(name).map(|found| (found, Vec::new()));
            let found: Option<Vec<_>> = names.iter().map(of).collect();
            found
                .map(|found| records.table(&found))
                .ok_or_else(|| Failure::Wrong(format!("no identifier of {names:?}")))
        };
        let tables = [table(&["generate"])?, table(&["nothing"])?, table(&["hit"])?, table(&[])?];
        let mut bytes = Buffer::upload(device, records.bytes.len() as u64)?;
        bytes.write(0, &records.bytes);
        for flags in [0, TWO_STATES] {
            let results = Buffer::writable(device, 8 * all.len() as u64)?;
            list.set_compute_root(&self.root);
            list.set_state_object(&self.object)?;
            list.compute_constants(0, &[flags]);
            list.compute_srv(1, levels.top.address());
            list.compute_srv(2, origins.address);
            list.compute_uav(3, results.address);
            list.dispatch_rays(&rays(bytes.address, tables, [all.len() as u32, 1]))?;
            let got = buffer::fetch(device, &stage.queue, list, &results, WRITTEN)?.read_u32()?;
            for (number, (got, ray)) in got.as_chunks::<2>().0.iter().zip(&all).enumerate() {
                let name = || format!("version {version}, rays with flags {flags:#x}, ray {number}: {ray:?}");
                Failure::unless_equal(&name(), got, &ray.expected(flags))?;
            }
            digest.add(&bytes_of(&got));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No device of the tests has micromaps, so the hash in the list is of what the processor expects.
    #[test]
    fn the_listed_hash_is_of_what_the_processor_expects() {
        let mut digest = Digest::new();
        for version in [0, 0, 0, 0, 1] {
            for flags in [0, TWO_STATES] {
                let rays = model::rays(version);
                digest.add(&bytes_of(rays.iter().map(|ray| ray.expected(flags)).collect::<Vec<_>>().as_flattened()));
            }
        }
        let list = include_str!("../../expected.txt");
        let listed = list.lines().find_map(|line| line.strip_prefix("micromaps "));
        assert_eq!(listed.and_then(|line| line.split(' ').next()), Some(&*digest.to_string()));
    }
}
