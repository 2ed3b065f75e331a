//! The triangles of a draw on the pixels of its target, computed here from the vertices that the GPU made.

use super::evidence::Evidence;
use super::raster::{Culled, Grid, Triangle, Vertex};
use anyhow::{Result, anyhow, bail};
use reprise_replay::{Mesh, OverlayCull, OverlayLayer};

/// What the GPU says that the draw covers, to compare with.
pub(super) const LAYERS: [OverlayLayer; 1] =
    [OverlayLayer { scissor: true, cull: OverlayCull::Program, depth_clip: true, ..OverlayLayer::COVERAGE }];

/// `D3D_NAME`: of places, and of numbers of slices and viewports that shaders choose.
const POSITION: u32 = 1;
const CHOSEN: [u32; 2] = [4, 5];

/// Gives each triangle that is not culled, one after the other; then remarks.
///
/// # Errors
/// The draw has no triangles, or they cannot be placed.
pub(super) fn triangles(evidence: &Evidence<'_>, mut each: impl FnMut(Triangle<'_>)) -> Result<Vec<String>> {
    let mesh = evidence.mesh.ok_or_else(|| anyhow!("the vertices of the draw were not asked for"))?;
    let (layers, rectangles) = (evidence.layers(&LAYERS)?, evidence.rectangles()?);
    if mesh.primitive != Some(3) {
        bail!("the draw is of no triangles");
    }
    if mesh.columns.iter().any(|column| CHOSEN.contains(&column.system_value)) {
        bail!("its shaders choose slices or viewports, which is not followed here");
    }
    let position = mesh.columns.iter().find(|column| column.system_value == POSITION && column.components == 4);
    let position = position.ok_or_else(|| anyhow!("its vertices have no place"))?.offset as usize;
    let (width, height) = evidence.size();
    let overlay = layers.overlay;
    let culled = match overlay.cull {
        OverlayCull::FrontFaces => Culled::Front,
        OverlayCull::BackFaces => Culled::Back,
        _ => Culled::Nothing,
    };
    let counter_clockwise = overlay.counter_clockwise;
    let grid = Grid { size: (width, height), rectangles, culled, counter_clockwise };
    let mut here = vec![false; width as usize * height as usize];
    let mut room = Vec::new();
    for corners in corners(mesh, position) {
        let Some(triangle) = grid.draw(corners, &mut room) else { continue };
        for (x, y) in triangle.pixels {
            here[*y as usize * width as usize + *x as usize] = true;
        }
        each(triangle);
    }
    let mut notes = mesh.notes.clone();
    notes.push("computed from the vertices, at the middles of pixels, without tests of depth and stencil".into());
    let covered = overlay.layers.first().map_or(&[][..], Vec::as_slice);
    let apart = here.iter().zip(covered).filter(|(one, other)| one != other).count();
    if overlay.samples > 1 {
        notes.push(format!("the target has {} samples a texel, which lie elsewhere than its middle", overlay.samples));
    } else if apart > 0 {
        notes.push(format!("{apart} texels are covered here and not by the GPU, or the other way around"));
    }
    Ok(notes)
}

/// The corners of each triangle.
fn corners(mesh: &Mesh, position: usize) -> impl Iterator<Item = [Vertex; 3]> {
    let word = |vertex: &[u8], at: usize| {
        let bytes = vertex.get(at..).and_then(|bytes| bytes.first_chunk::<4>());
        bytes.map_or(f64::NAN, |bytes| f64::from(f32::from_le_bytes(*bytes)))
    };
    let stride = mesh.stride.max(1) as usize;
    let corner = move |vertex: &[u8]| std::array::from_fn(|axis| word(vertex, position + axis * 4));
    let triangles = mesh.bytes.chunks_exact(3 * stride);
    triangles.map(move |triangle| std::array::from_fn(|at| corner(&triangle[at * stride..(at + 1) * stride])))
}
