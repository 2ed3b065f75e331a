//! What an acceleration structure is built from, without places: all that its size depends on. Pure but for the question.
//!
//! The size of a structure depends on counts, formats and flags, and on whether there are indices and a matrix, not on where they lie
//! (DXR specification, "GetRaytracingAccelerationStructurePrebuildInfo").

use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{
    D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS as Description, D3D12_ELEMENTS_LAYOUT as Layout,
    D3D12_RAYTRACING_ACCELERATION_STRUCTURE_BUILD_FLAGS as Flags,
    D3D12_RAYTRACING_ACCELERATION_STRUCTURE_PREBUILD_INFO as Sizes,
    D3D12_RAYTRACING_ACCELERATION_STRUCTURE_TYPE as Type, D3D12_RAYTRACING_GEOMETRY_AABBS_DESC,
    D3D12_RAYTRACING_GEOMETRY_DESC as Geometry, D3D12_RAYTRACING_GEOMETRY_FLAGS,
    D3D12_RAYTRACING_GEOMETRY_TRIANGLES_DESC, D3D12_RAYTRACING_GEOMETRY_TYPE as Shape, DXGI_FORMAT,
};

use crate::runtime::Runtime;

/// What a structure is built from.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Inputs {
    kind: i32,
    /// Without `PERFORM_UPDATE`: an update needs the room of what it changes.
    flags: u32,
    /// Instances; for a bottom level the number of geometries.
    count: u32,
    shapes: Vec<Mesh>,
}

/// A geometry.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Mesh {
    shape: i32,
    flags: u32,
    /// Formats of indices and vertices; 0 for boxes.
    formats: [i32; 2],
    /// Indices and vertices, or boxes and 0.
    counts: [u64; 2],
    stride: u64,
    has_indices: bool,
    has_matrix: bool,
}

/// An address that is not null, where only that matters.
const SOMEWHERE: u64 = 0x1_0000;

impl Inputs {
    /// Whether a description changes an earlier structure.
    pub(crate) fn updates(desc: &Description) -> bool {
        desc.Flags.0 & Flags::PERFORM_UPDATE.0 != 0
    }

    /// The inputs of a description; `None` for kinds of geometry that are not known.
    ///
    /// # Safety
    /// The description's pointers lead to as many geometries as it says.
    pub(crate) unsafe fn of(desc: &Description) -> Option<Inputs> {
        let mut shapes = Vec::new();
        if desc.Type == Type::BOTTOM_LEVEL {
            for at in 0..desc.NumDescs as usize {
                // SAFETY: type and layout say which arm is set; the caller promises so many geometries.
                let geometry = unsafe {
                    match desc.DescsLayout {
                        Layout::ARRAY_OF_POINTERS => *desc.Anonymous.ppGeometryDescs.add(at),
                        _ => desc.Anonymous.pGeometryDescs.add(at),
                    }
                };
                // SAFETY: as above; a null among pointers is no geometry.
                shapes.push(Mesh::of(unsafe { geometry.as_ref() }?)?);
            }
        } else if desc.Type != Type::TOP_LEVEL {
            return None;
        }
        let flags = desc.Flags.0 & !Flags::PERFORM_UPDATE.0;
        Some(Inputs { kind: desc.Type.0, flags, count: desc.NumDescs, shapes })
    }

    /// What a device says of them; zeros where it has no such structures.
    ///
    /// # Safety
    /// `device` is an `ID3D12Device5` of the runtime.
    pub(crate) unsafe fn sizes(&self, runtime: &Runtime, device: u64) -> Sizes {
        const ASK: MethodId = method("ID3D12Device5", "GetRaytracingAccelerationStructurePrebuildInfo");
        let geometries: Vec<Geometry> = self.shapes.iter().map(Mesh::desc).collect();
        let mut desc =
            Description { Type: Type(self.kind), Flags: Flags(self.flags), NumDescs: self.count, ..Default::default() };
        match desc.Type {
            Type::BOTTOM_LEVEL => desc.Anonymous.pGeometryDescs = geometries.as_ptr(),
            _ => desc.Anonymous.InstanceDescs = SOMEWHERE,
        }
        let mut sizes = Sizes::default();
        let words = [core::ptr::from_ref(&desc) as u64, core::ptr::from_mut(&mut sizes) as u64];
        // SAFETY: the device is alive, says the caller; the structures are of the method, and the GPU reads nothing.
        unsafe { runtime.call(device, ASK, &words) };
        sizes
    }
}

impl Mesh {
    fn of(geometry: &Geometry) -> Option<Mesh> {
        let (shape, flags) = (geometry.Type.0, geometry.Flags.0);
        match geometry.Type {
            Shape::TRIANGLES => {
                // SAFETY: geometries of triangles have this arm.
                let it = unsafe { geometry.Anonymous.Triangles };
                Some(Mesh {
                    shape,
                    flags,
                    formats: [it.IndexFormat.0, it.VertexFormat.0],
                    counts: [it.IndexCount.into(), it.VertexCount.into()],
                    stride: it.VertexBuffer.StrideInBytes,
                    has_indices: it.IndexBuffer != 0,
                    has_matrix: it.Transform3x4 != 0,
                })
            }
            Shape::PROCEDURAL_PRIMITIVE_AABBS => {
                // SAFETY: geometries of boxes have this arm.
                let it = unsafe { geometry.Anonymous.AABBs };
                let (formats, counts) = ([0; 2], [it.AABBCount, 0]);
                let stride = it.AABBs.StrideInBytes;
                Some(Mesh { shape, flags, formats, counts, stride, has_indices: false, has_matrix: false })
            }
            _ => None,
        }
    }

    fn desc(&self) -> Geometry {
        let flags = D3D12_RAYTRACING_GEOMETRY_FLAGS(self.flags);
        let mut geometry = Geometry { Type: Shape(self.shape), Flags: flags, ..Default::default() };
        let there = |is: bool| if is { SOMEWHERE } else { 0 };
        if geometry.Type == Shape::TRIANGLES {
            let mut it = D3D12_RAYTRACING_GEOMETRY_TRIANGLES_DESC {
                Transform3x4: there(self.has_matrix),
                IndexFormat: DXGI_FORMAT(self.formats[0]),
                VertexFormat: DXGI_FORMAT(self.formats[1]),
                IndexCount: self.counts[0] as u32,
                VertexCount: self.counts[1] as u32,
                IndexBuffer: there(self.has_indices),
                ..Default::default()
            };
            (it.VertexBuffer.StartAddress, it.VertexBuffer.StrideInBytes) = (SOMEWHERE, self.stride);
            geometry.Anonymous.Triangles = it;
        } else {
            let mut it = D3D12_RAYTRACING_GEOMETRY_AABBS_DESC { AABBCount: self.counts[0], ..Default::default() };
            (it.AABBs.StartAddress, it.AABBs.StrideInBytes) = (SOMEWHERE, self.stride);
            geometry.Anonymous.AABBs = it;
        }
        geometry
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn triangles(address: u64, indices: u64, matrix: u64) -> Geometry {
        let mesh = Mesh {
            shape: Shape::TRIANGLES.0,
            flags: 1,
            formats: [DXGI_FORMAT::FORMAT_R16_UINT.0, DXGI_FORMAT::FORMAT_R32G32B32_FLOAT.0],
            counts: [6, 4],
            stride: 12,
            has_indices: false,
            has_matrix: false,
        };
        let mut geometry = mesh.desc();
        // SAFETY: a geometry of triangles.
        let mut it = unsafe { geometry.Anonymous.Triangles };
        (it.VertexBuffer.StartAddress, it.IndexBuffer, it.Transform3x4) = (address, indices, matrix);
        geometry.Anonymous.Triangles = it;
        geometry
    }

    fn inputs(geometries: &[Geometry], flags: u32) -> Inputs {
        let mut desc = Description {
            Type: Type::BOTTOM_LEVEL,
            Flags: Flags(flags),
            NumDescs: geometries.len() as u32,
            ..Default::default()
        };
        desc.Anonymous.pGeometryDescs = geometries.as_ptr();
        // SAFETY: as many geometries as it says.
        unsafe { Inputs::of(&desc) }.expect("known shapes")
    }

    /// Addresses do not count, and whether there are some does; nor does whether a structure is updated.
    #[test]
    fn inputs_are_the_same_wherever_they_lie() {
        let one = inputs(&[triangles(0x100, 0x200, 0)], 1);
        assert_eq!(one, inputs(&[triangles(0x900, 0xa00, 0)], 1 | Flags::PERFORM_UPDATE.0));
        assert_ne!(one, inputs(&[triangles(0x100, 0x200, 0x300)], 1));
        assert_ne!(one, inputs(&[triangles(0x100, 0, 0)], 1));
        assert_ne!(one, inputs(&[triangles(0x100, 0x200, 0); 2], 1));
        assert_ne!(one, inputs(&[triangles(0x100, 0x200, 0)], 2));
    }

    /// What is asked of a device is what the program described.
    #[test]
    fn a_description_is_made_from_inputs() {
        let all = [triangles(0x100, 0x200, 0x300), triangles(0x100, 0, 0)];
        let made = inputs(&all, 0);
        let again: Vec<Geometry> = made.shapes.iter().map(Mesh::desc).collect();
        assert_eq!(made, inputs(&again, 0));
    }
}
