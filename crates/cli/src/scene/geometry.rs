//! Triangles and boxes of a geometry, from the bytes of its buffers.

use super::build::{Array, Boxes, Geometry, Triangles};
use super::matrix::{Matrix, Point};
use reprise_picture::{Texels, format_number};
use reprise_replay::{Shot, ShotOf};

/// Bytes of a `D3D12_RAYTRACING_AABB`.
const BOX: u64 = 24;
/// Bytes of a transform: three rows of four floats.
const TRANSFORM: u64 = 48;

/// What a geometry has.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shape {
    Triangles(Vec<[Point; 3]>),
    /// The least and the greatest corner.
    Boxes(Vec<[Point; 2]>),
}

/// A geometry that is read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Solid {
    pub(crate) shape: Shape,
    /// The primitives' numbers, as shaders count them: those that cannot be hit count, too.
    pub(crate) numbers: Vec<u32>,
    /// Triangles that rays cannot hit: a corner is NaN, or an index lies behind the vertices.
    pub(crate) inactive: u64,
}

/// The corners of a box's twelve triangles: bits 0 to 2 choose the greatest x, y and z.
const SIDES: [[usize; 3]; 12] = [
    [0, 1, 3],
    [0, 3, 2],
    [4, 6, 7],
    [4, 7, 5],
    [0, 4, 5],
    [0, 5, 1],
    [2, 3, 7],
    [2, 7, 6],
    [0, 2, 6],
    [0, 6, 4],
    [1, 5, 7],
    [1, 7, 3],
];

impl Solid {
    /// Its triangles; those of boxes are their sides.
    pub(crate) fn triangles(&self) -> impl Iterator<Item = [Point; 3]> + '_ {
        let (triangles, boxes) = match &self.shape {
            Shape::Triangles(all) => (all.as_slice(), &[][..]),
            Shape::Boxes(all) => (&[][..], all.as_slice()),
        };
        let sides = boxes.iter().flat_map(|ends| {
            SIDES.map(|corners| corners.map(|corner| core::array::from_fn(|axis| ends[corner >> axis & 1][axis])))
        });
        triangles.iter().copied().chain(sides)
    }
}

/// The buffers of a geometry that a replay reads: in the order in which [`read`] takes their bytes.
///
/// # Errors
/// In words: an address leads nowhere, or a format is not known.
pub(crate) fn shots(build: u64, geometry: &Geometry) -> Result<Vec<Shot>, String> {
    let shot = |(resource, offset): (u32, u64), bytes: u64| Shot {
        call: build,
        before: true,
        submission: None,
        of: ShotOf::Buffer { resource, bytes: Some((offset, bytes)) },
    };
    let mut all = Vec::new();
    match (&geometry.triangles, &geometry.boxes) {
        (Some(triangles), _) => {
            let vertices = triangles.vertex_buffer.start_address.place()?.ok_or("it has no vertices")?;
            let size = vertex_bytes(triangles)?;
            if triangles.vertex_count == 0 {
                return Ok(all);
            }
            let stride = triangles.vertex_buffer.stride_in_bytes;
            all.push(shot(vertices, stride.saturating_mul(u64::from(triangles.vertex_count - 1)).saturating_add(size)));
            if let (Some(bytes), Some(place)) = (index_bytes(triangles)?, triangles.index_buffer.place()?)
                && triangles.index_count > 0
            {
                all.push(shot(place, bytes * u64::from(triangles.index_count)));
            }
            if let Some(place) = triangles.transform.place()? {
                all.push(shot(place, TRANSFORM));
            }
        }
        (None, Some(Boxes { count: count @ 1.., boxes: Array { start_address, stride_in_bytes } })) => {
            let place = start_address.place()?.ok_or("it has no boxes")?;
            all.push(shot(place, stride_in_bytes.saturating_mul(count - 1).saturating_add(BOX)));
        }
        (None, Some(_)) => {}
        (None, None) => return Err(format!("geometries of {} are unsupported", geometry.kind)),
    }
    Ok(all)
}

/// The geometry, from the bytes of its buffers.
///
/// # Errors
/// In words: bytes are missing, or a format is not known.
pub(crate) fn read(geometry: &Geometry, buffers: &[Vec<u8>]) -> Result<Solid, String> {
    if let Some(triangles) = &geometry.triangles {
        return of_triangles(triangles, buffers);
    }
    let boxes = geometry.boxes.as_ref().ok_or("it has neither triangles nor boxes")?;
    let (mut all, mut numbers, mut inactive) = (Vec::new(), Vec::new(), 0);
    let bytes = buffers.first().map_or(&[][..], Vec::as_slice);
    for index in 0..boxes.count {
        let bytes = element(bytes, index, boxes.boxes.stride_in_bytes, BOX).ok_or("bytes of its boxes are missing")?;
        let floats: Vec<f64> = floats(bytes);
        let corners = [[floats[0], floats[1], floats[2]], [floats[3], floats[4], floats[5]]];
        // A box whose least x is NaN is not there, as the API has it.
        match corners.iter().flatten().all(|it| it.is_finite()) {
            true => {
                all.push(corners);
                numbers.push(index as u32);
            }
            false => inactive += 1,
        }
    }
    Ok(Solid { shape: Shape::Boxes(all), numbers, inactive })
}

fn of_triangles(desc: &Triangles, buffers: &[Vec<u8>]) -> Result<Solid, String> {
    let mut buffers = buffers.iter();
    let mut next = || buffers.next().ok_or("the bytes of a buffer are missing");
    if desc.vertex_count == 0 {
        return Ok(Solid { shape: Shape::Triangles(Vec::new()), numbers: Vec::new(), inactive: 0 });
    }
    let vertices = next()?;
    let size = vertex_bytes(desc)?;
    // Values of a format are read as texels are: the vertices beside each other.
    let stride = desc.vertex_buffer.stride_in_bytes;
    let mut packed = Vec::new();
    for index in 0..u64::from(desc.vertex_count) {
        packed.extend(element(vertices, index, stride, size).ok_or("bytes of its vertices are missing")?);
    }
    let texels = Texels::new(vertex_format(desc)?.0, 0, (desc.vertex_count, 1), packed)?;
    let has_z = vertex_format(desc)?.1;
    let mut points: Vec<Point> = texels.iter().map(|[x, y, z, _]| [x, y, if has_z { z } else { 0.0 }]).collect();
    let indices: Option<Vec<usize>> = match index_bytes(desc)? {
        Some(size) if desc.index_buffer.place()?.is_some() && desc.index_count > 0 => {
            let bytes = next()?;
            let number = |bytes: &[u8]| bytes.iter().rev().fold(0usize, |sum, byte| sum << 8 | usize::from(*byte));
            Some(bytes.chunks_exact(size as usize).map(number).collect())
        }
        _ => None,
    };
    if desc.transform.place()?.is_some() {
        let numbers = floats(next()?);
        if numbers.len() < 12 {
            return Err("bytes of its transform are missing".into());
        }
        let row = |at: usize| [numbers[at], numbers[at + 1], numbers[at + 2], numbers[at + 3]];
        let matrix = Matrix([row(0), row(4), row(8)]);
        points.iter_mut().for_each(|point| *point = matrix.apply(*point));
    }
    let order: Vec<usize> = indices.unwrap_or_else(|| (0..points.len()).collect());
    let (mut all, mut numbers, mut inactive) = (Vec::new(), Vec::new(), 0);
    for (number, corners) in (0..).zip(order.as_chunks::<3>().0) {
        let found =
            corners.map(|index| points.get(index).copied().filter(|point| point.iter().all(|it| it.is_finite())));
        match found {
            [Some(a), Some(b), Some(c)] => {
                all.push([a, b, c]);
                numbers.push(number);
            }
            _ => inactive += 1,
        }
    }
    Ok(Solid { shape: Shape::Triangles(all), numbers, inactive })
}

/// The bytes of an element of an array.
fn element(bytes: &[u8], index: u64, stride: u64, size: u64) -> Option<&[u8]> {
    let start = usize::try_from(index.checked_mul(stride)?).ok()?;
    bytes.get(start..)?.get(..size as usize)
}

fn floats(bytes: &[u8]) -> Vec<f64> {
    bytes.as_chunks::<4>().0.iter().map(|word| f64::from(f32::from_le_bytes(*word))).collect()
}

/// The number of the vertices' format, and whether it has a third channel that counts.
fn vertex_format(desc: &Triangles) -> Result<(u32, bool), String> {
    let name = desc.vertex_format.strip_prefix("DXGI_FORMAT_").unwrap_or(&desc.vertex_format);
    let number = format_number(name).ok_or_else(|| format!("vertices of {name} are unsupported"))?;
    Ok((number, name.contains('B')))
}

/// Bytes of a vertex.
fn vertex_bytes(desc: &Triangles) -> Result<u64, String> {
    let (number, _) = vertex_format(desc)?;
    let layout = reprise_picture::Layout::of(number, 0)?;
    Ok(layout.bytes().into())
}

/// Bytes of an index; `None` where there are no indices.
fn index_bytes(desc: &Triangles) -> Result<Option<u64>, String> {
    match desc.index_format.as_str() {
        "DXGI_FORMAT_UNKNOWN" => Ok(None),
        "DXGI_FORMAT_R16_UINT" => Ok(Some(2)),
        "DXGI_FORMAT_R32_UINT" => Ok(Some(4)),
        other => Err(format!("indices of {other} are unsupported")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn geometry(text: &str) -> Geometry {
        serde_json::from_str(text).unwrap()
    }

    fn bytes(values: &[f32]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    const TRIANGLES: &str = r#"{"Type": "D3D12_RAYTRACING_GEOMETRY_TYPE_TRIANGLES", "Flags": "", "Triangles": {
        "Transform3x4": {"object": 3, "offset": 96}, "IndexFormat": "DXGI_FORMAT_R16_UINT", "VertexFormat": "DXGI_FORMAT_R32G32_FLOAT",
        "IndexCount": 6, "VertexCount": 4, "IndexBuffer": {"object": 2, "offset": 4},
        "VertexBuffer": {"StartAddress": {"object": 1, "offset": 16}, "StrideInBytes": 12}}}"#;

    #[test]
    fn triangles_are_indexed_moved_and_left_out_where_they_are_inactive() {
        let geometry = geometry(TRIANGLES);
        let shots = shots(9, &geometry).unwrap();
        let of: Vec<_> = shots.iter().map(|shot| shot.of.clone()).collect();
        let buffer = |resource, offset, bytes| ShotOf::Buffer { resource, bytes: Some((offset, bytes)) };
        assert_eq!(of, [buffer(1, 16, 44), buffer(2, 4, 12), buffer(3, 96, 48)]);
        assert!(shots.iter().all(|shot| shot.call == 9 && shot.before));
        let vertices = bytes(&[0.0, 0.0, 9.0, 1.0, 0.0, 9.0, 0.0, 1.0, 9.0, f32::NAN, 1.0]);
        let indices = [0u16, 1, 2, 1, 2, 3].into_iter().flat_map(u16::to_le_bytes).collect();
        let moves = bytes(&[2.0, 0.0, 0.0, 5.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, -1.0]);
        let solid = read(&geometry, &[vertices, indices, moves]).unwrap();
        assert_eq!(solid.shape, Shape::Triangles(vec![[[5.0, 0.0, -1.0], [7.0, 0.0, -1.0], [5.0, 1.0, -1.0]]]));
        assert_eq!(solid.inactive, 1);
        assert!(read(&geometry, &[vec![0; 8]]).unwrap_err().contains("vertices are missing"));
    }

    #[test]
    fn boxes_are_read_at_their_stride() {
        let geometry = geometry(
            r#"{"Type": "D3D12_RAYTRACING_GEOMETRY_TYPE_PROCEDURAL_PRIMITIVE_AABBS", "Flags": "", "AABBs": {"AABBCount": 2,
            "AABBs": {"StartAddress": {"object": 1, "offset": 0}, "StrideInBytes": 32}}}"#,
        );
        assert_eq!(shots(1, &geometry).unwrap().len(), 1);
        let two = bytes(&[0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 7.0, 7.0, f32::NAN, 0.0, 0.0, 1.0, 1.0, 1.0]);
        let solid = read(&geometry, &[two]).unwrap();
        assert_eq!((solid.shape, solid.inactive), (Shape::Boxes(vec![[[0.0; 3], [1.0, 2.0, 3.0]]]), 1));
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        for (from, to, what) in [
            ("R32G32_FLOAT", "R32G32_STRANGE", "vertices of R32G32_STRANGE"),
            ("R16_UINT", "R8_UINT", "indices of DXGI_FORMAT_R8_UINT"),
            (r#"{"object": 1, "offset": 16}"#, r#""0x1234""#, "address 0x1234"),
        ] {
            let geometry = geometry(&TRIANGLES.replace(from, to));
            assert!(shots(1, &geometry).unwrap_err().contains(what), "{what}");
        }
        let none = geometry(r#"{"Type": "OMM_TRIANGLES", "Flags": ""}"#);
        assert!(shots(1, &none).unwrap_err().contains("OMM_TRIANGLES are unsupported"));
    }
}
