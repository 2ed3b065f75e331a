//! What a build of an acceleration structure reads: its description, rebuilt from the trace, and the addresses in it.
//!
//! Invariant: [`Described::each`] meets every address of inputs that a description has, with at least as many bytes as a build reads there.

use reprise_codec::Arena;
use reprise_codec::rebuild::AsRecorded;
use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{
    D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_DESC as Desc, D3D12_ELEMENTS_LAYOUT as Layout,
    D3D12_RAYTRACING_ACCELERATION_STRUCTURE_BUILD_FLAGS as Flags, D3D12_RAYTRACING_ACCELERATION_STRUCTURE_TYPE as Type,
    D3D12_RAYTRACING_GEOMETRY_DESC as Geometry, D3D12_RAYTRACING_GEOMETRY_TYPE as Shape, DXGI_FORMAT,
};
use reprise_timeline::codec;

pub(crate) const BUILD: MethodId = method("ID3D12GraphicsCommandList4", "BuildRaytracingAccelerationStructure");

/// Bytes of an instance.
pub(crate) const INSTANCE: u64 = 64;
/// Where its structure's address lies in an instance.
pub(crate) const INSTANCE_STRUCTURE: usize = 56;
/// Bytes of a matrix of three rows of four floats, of a box, and of a vertex: no format of vertices has more.
const MATRIX: u64 = 48;
const BOX: u64 = 24;
const VERTEX: u64 = 16;

/// A build as its call describes it. Addresses are the program's.
pub(crate) struct Described {
    /// Owns what the description points to.
    _arena: Arena,
    geometries: Vec<Geometry>,
    desc: Desc,
}

impl Described {
    /// By the payload of the call's enter.
    ///
    /// # Errors
    /// It cannot be read, or has kinds of geometry that are not known.
    pub(crate) fn of(enter: &[u8]) -> Result<Described, String> {
        let mut arena = Arena::default();
        let rebuilt = codec().rebuild(BUILD, enter, &mut AsRecorded, &mut arena).map_err(|error| error.to_string())?;
        let desc = rebuilt.words.first().copied().unwrap_or(0) as *const Desc;
        // SAFETY: null, or the description that the codec rebuilt in the arena.
        let mut desc = *unsafe { desc.as_ref() }.ok_or("it has no description")?;
        let inputs = &mut desc.Inputs;
        let mut geometries = Vec::new();
        match inputs.Type {
            Type::BOTTOM_LEVEL => {
                for at in 0..inputs.NumDescs as usize {
                    // SAFETY: type and layout say which arm is set; the codec rebuilt as many geometries as there are to be.
                    let geometry = unsafe {
                        match inputs.DescsLayout {
                            Layout::ARRAY_OF_POINTERS => *inputs.Anonymous.ppGeometryDescs.add(at),
                            _ => inputs.Anonymous.pGeometryDescs.add(at),
                        }
                    };
                    // SAFETY: a geometry that the codec rebuilt in the arena; a null among pointers is no geometry.
                    let geometry = *unsafe { geometry.as_ref() }.ok_or("one of its geometries is null")?;
                    match geometry.Type {
                        Shape::TRIANGLES | Shape::PROCEDURAL_PRIMITIVE_AABBS => geometries.push(geometry),
                        Shape::OMM_TRIANGLES => return Err("it has opacity micromaps".into()),
                        _ => return Err("it has a kind of geometry that is not known".into()),
                    }
                }
                inputs.DescsLayout = Layout::ARRAY;
            }
            Type::TOP_LEVEL => {}
            Type::OPACITY_MICROMAP_ARRAY => return Err("it is an array of opacity micromaps".into()),
            _ => return Err("it is of a kind that is not known".into()),
        }
        Ok(Described { _arena: arena, geometries, desc })
    }

    pub(crate) fn is_top(&self) -> bool {
        self.desc.Inputs.Type == Type::TOP_LEVEL
    }

    /// Whether it changes an earlier structure.
    pub(crate) fn updates(&self) -> bool {
        self.desc.Inputs.Flags.0 & Flags::PERFORM_UPDATE.0 != 0
    }

    /// Whether instances are named by pointers in memory.
    pub(crate) fn by_pointers(&self) -> bool {
        self.is_top() && self.desc.Inputs.DescsLayout == Layout::ARRAY_OF_POINTERS
    }

    /// Where the structure comes to lie, and where the one lies that is changed.
    pub(crate) fn places(&self) -> (u64, u64) {
        (self.desc.DestAccelerationStructureData, self.desc.SourceAccelerationStructureData)
    }

    /// The description, of inputs that follow each other.
    pub(crate) fn desc(&mut self) -> &mut Desc {
        if !self.is_top() {
            self.desc.Inputs.Anonymous.pGeometryDescs = self.geometries.as_ptr();
        }
        &mut self.desc
    }

    /// Gives each address of inputs that is not null, with the bytes that a build reads there, 0 where it reads none.
    pub(crate) fn each(&mut self, mut give: impl FnMut(&mut u64, u64)) {
        let mut one = |address: &mut u64, bytes: u64| {
            if *address != 0 {
                give(address, bytes);
            }
        };
        if self.is_top() {
            let size = if self.by_pointers() { 8 } else { INSTANCE };
            let bytes = u64::from(self.desc.Inputs.NumDescs) * size;
            // SAFETY: top levels have the instances' address in the union.
            one(unsafe { &mut self.desc.Inputs.Anonymous.InstanceDescs }, bytes);
        }
        let strided = |count: u64, stride: u64, last: u64| match count {
            0 => 0,
            count => (count - 1).saturating_mul(stride).saturating_add(last),
        };
        for geometry in &mut self.geometries {
            if geometry.Type == Shape::TRIANGLES {
                // SAFETY: geometries of triangles have this arm.
                let it = unsafe { &mut geometry.Anonymous.Triangles };
                let index = match it.IndexFormat {
                    DXGI_FORMAT::FORMAT_R16_UINT => 2,
                    DXGI_FORMAT::FORMAT_R32_UINT => 4,
                    _ => 0,
                };
                one(&mut it.Transform3x4, MATRIX);
                one(&mut it.IndexBuffer, u64::from(it.IndexCount) * index);
                let vertices = strided(it.VertexCount.into(), it.VertexBuffer.StrideInBytes, VERTEX);
                one(&mut it.VertexBuffer.StartAddress, vertices);
            } else {
                // SAFETY: of the other shapes only boxes are among them.
                let it = unsafe { &mut geometry.Anonymous.AABBs };
                let boxes = strided(it.AABBCount, it.AABBs.StrideInBytes, BOX);
                one(&mut it.AABBs.StartAddress, boxes);
            }
        }
    }
}
