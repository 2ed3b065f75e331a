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
    D3D12_RAYTRACING_GEOMETRY_OMM_LINKAGE_DESC as Linkage,
    D3D12_RAYTRACING_GEOMETRY_OMM_TRIANGLES_DESC as LinkedTriangles,
    D3D12_RAYTRACING_GEOMETRY_TRIANGLES_DESC as Triangles, D3D12_RAYTRACING_GEOMETRY_TYPE as Shape,
    D3D12_RAYTRACING_OPACITY_MICROMAP_ARRAY_DESC as Micromaps,
    D3D12_RAYTRACING_OPACITY_MICROMAP_FORMAT as MicromapFormat,
    D3D12_RAYTRACING_OPACITY_MICROMAP_HISTOGRAM_ENTRY as MicromapCount, DXGI_FORMAT,
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
    /// Of opacity micromaps: how many there are of each subdivision level and format.
    micromaps: Vec<[u32; 3]>,
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
    /// Opacity micromaps: the format of their indices, bytes between these, and whether there are some.
    micromaps: Option<(i32, u64, bool)>,
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
        let (mut shapes, mut micromaps) = (Vec::new(), Vec::new());
        if desc.Type == Type::OPACITY_MICROMAP_ARRAY {
            // SAFETY: the type says which arm is set, and that it leads to a description, or is null.
            let array = unsafe { desc.Anonymous.pOpacityMicromapArrayDesc.as_ref() }?;
            for at in 0..array.NumOmmHistogramEntries as usize {
                // SAFETY: the description promises so many entries.
                let entry = unsafe { *array.pOmmHistogram.add(at) };
                micromaps.push([entry.Count, entry.SubdivisionLevel, entry.Format.0 as u32]);
            }
        } else if desc.Type == Type::BOTTOM_LEVEL {
            for at in 0..desc.NumDescs as usize {
                // SAFETY: type and layout say which arm is set; the caller promises so many geometries.
                let geometry = unsafe {
                    match desc.DescsLayout {
                        Layout::ARRAY_OF_POINTERS => *desc.Anonymous.ppGeometryDescs.add(at),
                        _ => desc.Anonymous.pGeometryDescs.add(at),
                    }
                };
                // SAFETY: the caller promises geometries that live meanwhile; a null among pointers is no geometry.
                shapes.push(unsafe { Mesh::of(geometry.as_ref()?) }?);
            }
        } else if desc.Type != Type::TOP_LEVEL {
            return None;
        }
        let flags = desc.Flags.0 & !Flags::PERFORM_UPDATE.0;
        Some(Inputs { kind: desc.Type.0, flags, count: desc.NumDescs, shapes, micromaps })
    }

    /// What a device says of them; zeros where it has no such structures.
    ///
    /// # Safety
    /// `device` is an `ID3D12Device5` of the runtime.
    pub(crate) unsafe fn sizes(&self, runtime: &Runtime, device: u64) -> Sizes {
        const ASK: MethodId = method("ID3D12Device5", "GetRaytracingAccelerationStructurePrebuildInfo");
        let parts: Vec<(Triangles, Linkage)> = self.shapes.iter().map(Mesh::parts).collect();
        let geometries: Vec<Geometry> = self.shapes.iter().zip(&parts).map(|(mesh, parts)| mesh.desc(parts)).collect();
        let count = |[count, level, format]: &[u32; 3]| MicromapCount {
            Count: *count,
            SubdivisionLevel: *level,
            Format: MicromapFormat(*format as i32),
        };
        let counts: Vec<MicromapCount> = self.micromaps.iter().map(count).collect();
        let mut array = Micromaps {
            NumOmmHistogramEntries: counts.len() as u32,
            pOmmHistogram: counts.as_ptr(),
            InputBuffer: SOMEWHERE,
            ..Default::default()
        };
        (array.PerOmmDescs.StartAddress, array.PerOmmDescs.StrideInBytes) = (SOMEWHERE, 8);
        let mut desc =
            Description { Type: Type(self.kind), Flags: Flags(self.flags), NumDescs: self.count, ..Default::default() };
        match desc.Type {
            Type::BOTTOM_LEVEL => desc.Anonymous.pGeometryDescs = geometries.as_ptr(),
            Type::OPACITY_MICROMAP_ARRAY => desc.Anonymous.pOpacityMicromapArrayDesc = &array,
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
    /// # Safety
    /// The geometry's pointers lead to what its type says, or are null.
    unsafe fn of(geometry: &Geometry) -> Option<Mesh> {
        let (shape, flags) = (geometry.Type.0, geometry.Flags.0);
        let of = |it: &Triangles, micromaps| Mesh {
            shape,
            flags,
            formats: [it.IndexFormat.0, it.VertexFormat.0],
            counts: [it.IndexCount.into(), it.VertexCount.into()],
            stride: it.VertexBuffer.StrideInBytes,
            has_indices: it.IndexBuffer != 0,
            has_matrix: it.Transform3x4 != 0,
            micromaps,
        };
        match geometry.Type {
            // SAFETY: geometries of triangles have this arm.
            Shape::TRIANGLES => Some(of(unsafe { &geometry.Anonymous.Triangles }, None)),
            Shape::OMM_TRIANGLES => {
                // SAFETY: geometries of triangles with micromaps have this arm; the caller promises what it leads to.
                let (triangles, linkage) = unsafe {
                    let both = geometry.Anonymous.OmmTriangles;
                    (both.pTriangles.as_ref()?, both.pOmmLinkage.as_ref()?)
                };
                let stride = linkage.OpacityMicromapIndexBuffer.StrideInBytes;
                let micromaps = (linkage.OpacityMicromapIndexFormat.0, stride, linkage.OpacityMicromapArray != 0);
                Some(of(triangles, Some(micromaps)))
            }
            Shape::PROCEDURAL_PRIMITIVE_AABBS => {
                // SAFETY: geometries of boxes have this arm.
                let it = unsafe { geometry.Anonymous.AABBs };
                let (formats, counts) = ([0; 2], [it.AABBCount, 0]);
                let stride = it.AABBs.StrideInBytes;
                let (has_indices, has_matrix, micromaps) = (false, false, None);
                Some(Mesh { shape, flags, formats, counts, stride, has_indices, has_matrix, micromaps })
            }
            _ => None,
        }
    }

    /// The triangles, and how they name micromaps.
    fn parts(&self) -> (Triangles, Linkage) {
        let there = |is: bool| if is { SOMEWHERE } else { 0 };
        let mut it = Triangles {
            Transform3x4: there(self.has_matrix),
            IndexFormat: DXGI_FORMAT(self.formats[0]),
            VertexFormat: DXGI_FORMAT(self.formats[1]),
            IndexCount: self.counts[0] as u32,
            VertexCount: self.counts[1] as u32,
            IndexBuffer: there(self.has_indices),
            ..Default::default()
        };
        (it.VertexBuffer.StartAddress, it.VertexBuffer.StrideInBytes) = (SOMEWHERE, self.stride);
        let mut linkage = Linkage::default();
        if let Some((format, stride, has_array)) = self.micromaps {
            linkage.OpacityMicromapIndexFormat = DXGI_FORMAT(format);
            linkage.OpacityMicromapIndexBuffer.StartAddress = SOMEWHERE;
            linkage.OpacityMicromapIndexBuffer.StrideInBytes = stride;
            linkage.OpacityMicromapArray = there(has_array);
        }
        (it, linkage)
    }

    /// The geometry, which may point to its parts.
    fn desc(&self, parts: &(Triangles, Linkage)) -> Geometry {
        let flags = D3D12_RAYTRACING_GEOMETRY_FLAGS(self.flags);
        let mut geometry = Geometry { Type: Shape(self.shape), Flags: flags, ..Default::default() };
        if geometry.Type == Shape::TRIANGLES {
            geometry.Anonymous.Triangles = parts.0;
        } else if geometry.Type == Shape::OMM_TRIANGLES {
            geometry.Anonymous.OmmTriangles = LinkedTriangles { pTriangles: &parts.0, pOmmLinkage: &parts.1 };
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
            micromaps: None,
        };
        let mut geometry = mesh.desc(&mesh.parts());
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
        let parts: Vec<_> = made.shapes.iter().map(Mesh::parts).collect();
        let again: Vec<Geometry> = made.shapes.iter().zip(&parts).map(|(mesh, parts)| mesh.desc(parts)).collect();
        assert_eq!(made, inputs(&again, 0));
    }

    /// Micromaps count by the form of their indices, not by where they lie; an array of them counts by its histogram.
    #[test]
    fn micromaps_are_inputs_too() {
        // SAFETY: a geometry of triangles.
        let it = unsafe { triangles(0x100, 0, 0).Anonymous.Triangles };
        let of = |array: u64, base: u32, format: DXGI_FORMAT| {
            let mut linkage =
                Linkage { OpacityMicromapArray: array, OpacityMicromapBaseLocation: base, ..Default::default() };
            linkage.OpacityMicromapIndexFormat = format;
            let mut geometry = Geometry { Type: Shape::OMM_TRIANGLES, ..Default::default() };
            geometry.Anonymous.OmmTriangles = LinkedTriangles { pTriangles: &it, pOmmLinkage: &linkage };
            inputs(&[geometry], 0)
        };
        let one = of(0x900, 3, DXGI_FORMAT::FORMAT_R16_UINT);
        assert_eq!(one, of(0xa00, 4, DXGI_FORMAT::FORMAT_R16_UINT));
        assert_ne!(one, of(0, 3, DXGI_FORMAT::FORMAT_R16_UINT));
        assert_ne!(one, of(0x900, 3, DXGI_FORMAT::FORMAT_R32_UINT));
        let parts: Vec<_> = one.shapes.iter().map(Mesh::parts).collect();
        assert_eq!(one, inputs(&[one.shapes[0].desc(&parts[0])], 0), "asked of a device as it was described");

        let count = |count: u32| {
            let counts = [MicromapCount { Count: count, SubdivisionLevel: 2, Format: MicromapFormat::OC1_4_STATE }];
            let array = Micromaps { NumOmmHistogramEntries: 1, pOmmHistogram: counts.as_ptr(), ..Default::default() };
            let mut desc = Description { Type: Type::OPACITY_MICROMAP_ARRAY, NumDescs: 1, ..Default::default() };
            desc.Anonymous.pOpacityMicromapArrayDesc = &array;
            // SAFETY: as many entries as it says.
            unsafe { Inputs::of(&desc) }.expect("micromaps are known")
        };
        assert_eq!(count(7).micromaps, [[7, 2, 2]]);
        assert_ne!(count(7), count(8));
    }
}
