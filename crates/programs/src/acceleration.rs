//! Acceleration structures: what they are built from, and the methods about them.

use crate::buffer::Buffer;
use crate::com::{Com, call};
use crate::device::Device;
use crate::failure::Failure;
use crate::list::List;
use reprise_d3d12::interface;
use reprise_d3d12::types::{
    D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_DESC, D3D12_ELEMENTS_LAYOUT, D3D12_FEATURE,
    D3D12_FEATURE_DATA_D3D12_OPTIONS5, D3D12_GPU_VIRTUAL_ADDRESS_AND_STRIDE,
    D3D12_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_DESC, D3D12_RAYTRACING_ACCELERATION_STRUCTURE_TYPE,
    D3D12_RAYTRACING_GEOMETRY_AABBS_DESC, D3D12_RAYTRACING_GEOMETRY_OMM_LINKAGE_DESC,
    D3D12_RAYTRACING_GEOMETRY_OMM_TRIANGLES_DESC, D3D12_RAYTRACING_GEOMETRY_TRIANGLES_DESC,
    D3D12_RAYTRACING_GEOMETRY_TYPE, D3D12_RAYTRACING_TIER, DXGI_FORMAT,
};
pub(crate) use reprise_d3d12::types::{
    D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS as Inputs,
    D3D12_RAYTRACING_ACCELERATION_STRUCTURE_BUILD_FLAGS as Flags,
    D3D12_RAYTRACING_ACCELERATION_STRUCTURE_COPY_MODE as Mode,
    D3D12_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_TYPE as Info,
    D3D12_RAYTRACING_ACCELERATION_STRUCTURE_PREBUILD_INFO as Sizes, D3D12_RAYTRACING_GEOMETRY_DESC as Geometry,
    D3D12_RAYTRACING_GEOMETRY_FLAGS as GeometryFlags, D3D12_RAYTRACING_INSTANCE_DESC as Instance,
};

/// Fails where ray tracing does not go so far.
pub(crate) fn needs_tier(device: &Device, tier: D3D12_RAYTRACING_TIER) -> Result<(), Failure> {
    let mut options = D3D12_FEATURE_DATA_D3D12_OPTIONS5::default();
    match device.feature(D3D12_FEATURE::D3D12_OPTIONS5, &mut options) && options.RaytracingTier >= tier {
        true => Ok(()),
        false => {
            Err(Failure::Cannot(format!("the library has no ray tracing of tier {}.{}", tier.0 / 10, tier.0 % 10)))
        }
    }
}

/// Flags of an instance (`D3D12_RAYTRACING_INSTANCE_FLAGS`).
pub(crate) mod instance_flag {
    pub(crate) const TRIANGLE_CULL_DISABLE: u32 = 1;
    pub(crate) const TRIANGLE_FRONT_COUNTERCLOCKWISE: u32 = 2;
    pub(crate) const FORCE_OPAQUE: u32 = 4;
    pub(crate) const FORCE_NON_OPAQUE: u32 = 8;
}

/// The vertices of a geometry: the address of the first, bytes from one to the next, and their number. Each is three floats.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vertices {
    pub(crate) address: u64,
    pub(crate) stride: u64,
    pub(crate) count: u32,
}

/// Triangles of corners that follow each other.
pub(crate) fn triangles(vertices: Vertices, flags: GeometryFlags) -> Geometry {
    let mut geometry = Geometry { Type: D3D12_RAYTRACING_GEOMETRY_TYPE::TRIANGLES, Flags: flags, ..Default::default() };
    geometry.Anonymous.Triangles = D3D12_RAYTRACING_GEOMETRY_TRIANGLES_DESC {
        VertexFormat: DXGI_FORMAT::FORMAT_R32G32B32_FLOAT,
        VertexCount: vertices.count,
        VertexBuffer: D3D12_GPU_VIRTUAL_ADDRESS_AND_STRIDE {
            StartAddress: vertices.address,
            StrideInBytes: vertices.stride,
        },
        ..Default::default()
    };
    geometry
}

/// The triangles of [`triangles`] alone.
pub(crate) fn plain(vertices: Vertices) -> D3D12_RAYTRACING_GEOMETRY_TRIANGLES_DESC {
    // SAFETY: `triangles` sets this arm.
    unsafe { triangles(vertices, GeometryFlags::NONE).Anonymous.Triangles }
}

/// Triangles with opacity micromaps. The geometry points to both.
pub(crate) fn with_micromaps(
    triangles: &D3D12_RAYTRACING_GEOMETRY_TRIANGLES_DESC,
    linkage: &D3D12_RAYTRACING_GEOMETRY_OMM_LINKAGE_DESC,
    flags: GeometryFlags,
) -> Geometry {
    let shape = D3D12_RAYTRACING_GEOMETRY_TYPE::OMM_TRIANGLES;
    let mut geometry = Geometry { Type: shape, Flags: flags, ..Default::default() };
    geometry.Anonymous.OmmTriangles =
        D3D12_RAYTRACING_GEOMETRY_OMM_TRIANGLES_DESC { pTriangles: triangles, pOmmLinkage: linkage };
    geometry
}

/// The geometry with its triangles changed.
fn changed(mut geometry: Geometry, change: impl FnOnce(&mut D3D12_RAYTRACING_GEOMETRY_TRIANGLES_DESC)) -> Geometry {
    // SAFETY: `triangles` sets this arm, and its members are plain numbers.
    let mut triangles = unsafe { geometry.Anonymous.Triangles };
    change(&mut triangles);
    geometry.Anonymous.Triangles = triangles;
    geometry
}

/// Triangles whose corners are named by `count` indices of 16 bits.
pub(crate) fn indexed(vertices: Vertices, indices: u64, count: u32, flags: GeometryFlags) -> Geometry {
    changed(triangles(vertices, flags), |it| {
        (it.IndexFormat, it.IndexCount, it.IndexBuffer) = (DXGI_FORMAT::FORMAT_R16_UINT, count, indices);
    })
}

/// Triangles whose vertices are R16G16B16A16_FLOAT. The API ignores the fourth component.
pub(crate) fn halves(triangles: Geometry) -> Geometry {
    changed(triangles, |it| it.VertexFormat = DXGI_FORMAT::FORMAT_R16G16B16A16_FLOAT)
}

/// Triangles that a matrix of three rows, at an address, moves.
pub(crate) fn moved(triangles: Geometry, matrix: u64) -> Geometry {
    changed(triangles, |it| it.Transform3x4 = matrix)
}

/// Boxes, each the least and the largest corner in floats, whose meaning is the shader's.
pub(crate) fn boxes(address: u64, count: u64, flags: GeometryFlags) -> Geometry {
    let shape = D3D12_RAYTRACING_GEOMETRY_TYPE::PROCEDURAL_PRIMITIVE_AABBS;
    let mut geometry = Geometry { Type: shape, Flags: flags, ..Default::default() };
    let places = D3D12_GPU_VIRTUAL_ADDRESS_AND_STRIDE { StartAddress: address, StrideInBytes: 24 };
    geometry.Anonymous.AABBs = D3D12_RAYTRACING_GEOMETRY_AABBS_DESC { AABBCount: count, AABBs: places };
    geometry
}

/// An instance of what lies at `of`. `transform` has three rows; `id` and `group` have 24 bits.
pub(crate) fn instance(transform: [[f32; 4]; 3], [id, group]: [u32; 2], mask: u8, flags: u32, of: u64) -> Instance {
    Instance {
        Transform: transform,
        _bitfield1: id | u32::from(mask) << 24,
        _bitfield2: group | flags << 24,
        AccelerationStructure: of,
    }
}

/// Instances as the GPU reads them.
pub(crate) fn bytes_of(instances: &[Instance]) -> Vec<u8> {
    let words = |it: &Instance| {
        let floats = it.Transform.into_iter().flatten().map(f32::to_bits);
        let address = [it.AccelerationStructure as u32, (it.AccelerationStructure >> 32) as u32];
        floats.chain([it._bitfield1, it._bitfield2]).chain(address).flat_map(u32::to_le_bytes).collect::<Vec<u8>>()
    };
    instances.iter().flat_map(words).collect()
}

/// A bottom level of geometries that follow each other. The inputs point to them.
pub(crate) fn bottom(geometries: &[Geometry], flags: Flags) -> Inputs {
    let kind = D3D12_RAYTRACING_ACCELERATION_STRUCTURE_TYPE::BOTTOM_LEVEL;
    let mut inputs = Inputs { Type: kind, Flags: flags, NumDescs: geometries.len() as u32, ..Default::default() };
    inputs.Anonymous.pGeometryDescs = geometries.as_ptr();
    inputs
}

/// A bottom level of geometries by pointers. The inputs point to these.
pub(crate) fn bottom_of(geometries: &[*const Geometry], flags: Flags) -> Inputs {
    let mut inputs = Inputs { DescsLayout: D3D12_ELEMENTS_LAYOUT::ARRAY_OF_POINTERS, ..bottom(&[], flags) };
    inputs.NumDescs = geometries.len() as u32;
    inputs.Anonymous.ppGeometryDescs = geometries.as_ptr();
    inputs
}

/// A top level of `count` instances at an address.
pub(crate) fn top(instances: u64, count: u32, flags: Flags) -> Inputs {
    let kind = D3D12_RAYTRACING_ACCELERATION_STRUCTURE_TYPE::TOP_LEVEL;
    let mut inputs = Inputs { Type: kind, Flags: flags, NumDescs: count, ..Default::default() };
    inputs.Anonymous.InstanceDescs = instances;
    inputs
}

/// Several flags.
pub(crate) fn all(flags: &[Flags]) -> Flags {
    Flags(flags.iter().fold(0, |all, flag| all | flag.0))
}

/// Bytes that a build needs.
pub(crate) fn sizes(device: &Device, inputs: &Inputs) -> Result<Sizes, Failure> {
    let device = device.com.query(interface("ID3D12Device5"));
    let device = device.ok_or_else(|| Failure::Cannot("the device has no ID3D12Device5".into()))?;
    let mut sizes = Sizes::default();
    let out = &raw mut sizes;
    call!(device, "ID3D12Device5", "GetRaytracingAccelerationStructurePrebuildInfo", &raw const *inputs, out);
    Failure::unless(sizes.ResultDataMaxSizeInBytes != 0 && sizes.ScratchDataSizeInBytes != 0, || {
        "an acceleration structure of no size".into()
    })?;
    Ok(sizes)
}

/// Memory of a structure, and for its builds.
pub(crate) struct Structure {
    pub(crate) buffer: Buffer,
    pub(crate) sizes: Sizes,
    scratch: Buffer,
}

impl Structure {
    /// For builds of these inputs, and of updates to them.
    pub(crate) fn new(device: &Device, inputs: &Inputs) -> Result<Self, Failure> {
        let sizes = sizes(device, inputs)?;
        let buffer = Buffer::structure(device, sizes.ResultDataMaxSizeInBytes)?;
        let scratch = sizes.ScratchDataSizeInBytes.max(sizes.UpdateScratchDataSizeInBytes);
        Ok(Self { buffer, sizes, scratch: Buffer::writable(device, scratch)? })
    }

    /// Where it lies.
    pub(crate) fn address(&self) -> u64 {
        self.buffer.address
    }
}

impl List {
    /// The list with the methods about acceleration structures.
    fn tracing(&self) -> Result<Com, Failure> {
        let list = self.com.query(interface("ID3D12GraphicsCommandList4"));
        list.ok_or_else(|| Failure::Cannot("lists have no ID3D12GraphicsCommandList4".into()))
    }

    /// Builds a structure in its memory, or changes it there where the inputs say so, and lets what follows see it. Answers go where
    /// `questions` say.
    pub(crate) fn build(&mut self, inputs: &Inputs, to: &Structure, questions: &[(Info, u64)]) -> Result<(), Failure> {
        self.begin_build(inputs, to, questions)?;
        self.end_build(to);
        Ok(())
    }

    /// Lets what follows see a structure that was built.
    pub(crate) fn end_build(&mut self, to: &Structure) {
        self.uav_barrier(&to.buffer.com);
        self.uav_barrier(&to.scratch.com);
    }

    /// As [`List::build`], before [`List::end_build`].
    pub(crate) fn begin_build(
        &mut self,
        inputs: &Inputs,
        to: &Structure,
        questions: &[(Info, u64)],
    ) -> Result<(), Failure> {
        self.build_at(inputs, to.address(), to.scratch.address, questions)
    }

    /// Builds a structure at an address, or changes it there where the inputs say so, with scratch memory at another. No barrier
    /// follows.
    pub(crate) fn build_at(
        &mut self,
        inputs: &Inputs,
        to: u64,
        scratch: u64,
        questions: &[(Info, u64)],
    ) -> Result<(), Failure> {
        let updates = inputs.Flags.0 & Flags::PERFORM_UPDATE.0 != 0;
        let desc = D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_DESC {
            DestAccelerationStructureData: to,
            Inputs: *inputs,
            SourceAccelerationStructureData: if updates { to } else { 0 },
            ScratchAccelerationStructureData: scratch,
        };
        let questions: Vec<_> = questions.iter().map(|question| describe(*question)).collect();
        call!(
            self.tracing()?,
            "ID3D12GraphicsCommandList4",
            "BuildRaytracingAccelerationStructure",
            &raw const desc,
            questions.len() as u32,
            questions.as_ptr()
        );
        Ok(())
    }

    /// Asks about structures at these addresses.
    pub(crate) fn ask(&mut self, info: Info, answers: u64, about: &[u64]) -> Result<(), Failure> {
        let desc = describe((info, answers));
        call!(
            self.tracing()?,
            "ID3D12GraphicsCommandList4",
            "EmitRaytracingAccelerationStructurePostbuildInfo",
            &raw const desc,
            about.len() as u32,
            about.as_ptr()
        );
        Ok(())
    }

    /// Copies a structure in some form. No barrier follows.
    pub(crate) fn copy_structure(&mut self, to: u64, from: u64, mode: Mode) -> Result<(), Failure> {
        let list = self.tracing()?;
        call!(list, "ID3D12GraphicsCommandList4", "CopyRaytracingAccelerationStructure", to, from, mode.0);
        Ok(())
    }
}

fn describe((info, answers): (Info, u64)) -> D3D12_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_DESC {
    D3D12_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_DESC { DestBuffer: answers, InfoType: info }
}
