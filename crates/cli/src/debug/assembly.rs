//! Which vertices a primitive of a draw has: those of lists, strips and fans, with neighbours, and patches; and where indices cut strips.
//!
//! Places count the vertices or indices that the draw reads, from 0. The leading vertex of a primitive comes first, as the API's figures have it
//! ("Primitive topologies"). Of a triangle with neighbours every second vertex is its own, and its neighbour across an edge stands behind the
//! edge's first vertex.

use super::draw::Draw;
use super::store::Store;

/// `DXGI_FORMAT_R16_UINT`.
const R16_UINT: u32 = 57;

/// `D3D_PRIMITIVE_TOPOLOGY`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Topology(pub(crate) u32);

impl Topology {
    const LINE_STRIP: u32 = 3;
    const TRIANGLE_STRIP: u32 = 5;
    const TRIANGLE_FAN: u32 = 6;
    const LINE_STRIP_NEIGHBOURS: u32 = 11;
    const TRIANGLE_STRIP_NEIGHBOURS: u32 = 13;

    /// Vertices of the first primitive, and how many more each of the next ones takes.
    fn steps(self) -> Option<(u32, u32)> {
        Some(match self.0 {
            1 => (1, 1),
            2 => (2, 2),
            Self::LINE_STRIP => (2, 1),
            4 => (3, 3),
            Self::TRIANGLE_STRIP | Self::TRIANGLE_FAN => (3, 1),
            10 => (4, 4),
            Self::LINE_STRIP_NEIGHBOURS => (4, 1),
            12 => (6, 6),
            Self::TRIANGLE_STRIP_NEIGHBOURS => (6, 2),
            patch @ 33..=64 => (patch - 32, patch - 32),
            _ => return None,
        })
    }

    /// Whether primitives share vertices, so that an index may cut them.
    pub(crate) fn is_strip(self) -> bool {
        self.steps().is_some_and(|(first, step)| first != step)
    }

    /// Whether a primitive has other vertices where it is the last one of its strip.
    fn knows_its_end(self) -> bool {
        self.0 == Self::TRIANGLE_STRIP_NEIGHBOURS
    }

    /// Primitives of so many vertices.
    pub(crate) fn primitives(self, vertices: u32) -> u32 {
        let Some((first, step)) = self.steps() else { return 0 };
        vertices.checked_sub(first).map_or(0, |more| more / step + 1)
    }

    /// Vertices that so many primitives take.
    pub(crate) fn vertices(self, primitives: u32) -> u32 {
        let (first, step) = self.steps().unwrap_or_default();
        match primitives {
            0 => 0,
            many => first.saturating_add(step.saturating_mul(many - 1)),
        }
    }

    /// The places of a primitive's vertices, in the order in which shaders have them. There are so many vertices.
    fn corners(self, primitive: u32, vertices: u32) -> Option<Vec<u32>> {
        let count = self.primitives(vertices);
        if primitive >= count {
            return None;
        }
        let (first, step) = self.steps()?;
        let begin = primitive * step;
        let (is_odd, is_last) = (primitive % 2 == 1, primitive + 1 == count);
        Some(match self.0 {
            Self::TRIANGLE_STRIP if is_odd => vec![begin, begin + 2, begin + 1],
            Self::TRIANGLE_FAN => vec![begin + 1, begin + 2, 0],
            Self::TRIANGLE_STRIP_NEIGHBOURS => {
                let before = if primitive == 0 { 1 } else { begin - 2 };
                let behind = if is_last { begin + 5 } else { begin + 6 };
                match is_odd {
                    true => vec![begin, begin + 3, begin + 4, behind, begin + 2, before],
                    false => vec![begin, before, begin + 2, behind, begin + 4, begin + 3],
                }
            }
            _ => (begin..begin + first).collect(),
        })
    }
}

/// A primitive of each instance of a draw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Assembled {
    /// Places of its vertices.
    pub(crate) corners: Vec<u32>,
    /// Vertices that all primitives up to it read, and those before it.
    pub(crate) up_to: u32,
    pub(crate) before: u32,
    /// It would have other vertices if no more came behind it.
    pub(crate) knows_its_end: bool,
}

/// What there is at a number of a primitive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    Primitive(Assembled),
    /// There are so many.
    Absent(u32),
    /// What tells it is not here, which is noted.
    Missing,
}

/// What the draw reads.
pub(crate) fn topology(draw: &Draw) -> Topology {
    Topology(draw.bound().topology.as_ref().map_or(0, |set| set.value))
}

/// The primitive of a number, as `SV_PrimitiveID` counts.
///
/// # Errors
/// In words: what primitives there are is not known.
pub(crate) fn primitive(draw: &Draw, number: u32, store: &mut Store<'_>) -> Result<Found, String> {
    let topology = topology(draw);
    if topology.steps().is_none() {
        return Err(format!("unsupported: primitives of the topology {}", topology.0));
    }
    let vertices = draw.counts().vertices;
    let runs = match cuts(draw, store)? {
        None => return Ok(Found::Missing),
        Some(cuts) if cuts.is_empty() => vec![(0, vertices)],
        Some(_) if !topology.is_strip() => {
            return Err("unsupported: indices that cut primitives of lists".to_owned());
        }
        Some(cuts) => runs(&cuts, vertices),
    };
    Ok(among(topology, &runs, number))
}

/// The vertices between cuts: where they begin, and how many there are.
fn runs(cuts: &[u32], vertices: u32) -> Vec<(u32, u32)> {
    let begins = [0].into_iter().chain(cuts.iter().map(|cut| cut + 1));
    let ends = cuts.iter().copied().chain([vertices]);
    begins.zip(ends).map(|(begin, end)| (begin, end.saturating_sub(begin))).collect()
}

fn among(topology: Topology, runs: &[(u32, u32)], number: u32) -> Found {
    let (mut before, mut end) = (0, 0);
    for (begin, count) in runs {
        let own = topology.primitives(*count);
        if let Some(within) = number.checked_sub(before).filter(|within| *within < own)
            && let Some(corners) = topology.corners(within, *count)
        {
            let corners = corners.into_iter().map(|corner| begin + corner).collect();
            let before = if within == 0 { end } else { begin + topology.vertices(within) };
            let up_to = begin + topology.vertices(within + 1);
            let knows_its_end = topology.knows_its_end() && within + 1 != own;
            return Found::Primitive(Assembled { corners, up_to, before, knows_its_end });
        }
        before += own;
        if own != 0 {
            end = begin + topology.vertices(own);
        }
    }
    Found::Absent(before)
}

/// The places of indices that cut. `None`, and noted, where the index buffer is not here.
fn cuts(draw: &Draw, store: &mut Store<'_>) -> Result<Option<Vec<u32>>, String> {
    let counts = draw.counts();
    let cut = draw.bound().strip_cut.as_ref().map_or(draw.raster.strip_cut, |set| set.value);
    if counts.base.is_none() || cut == 0 {
        return Ok(Some(Vec::new()));
    }
    let view = draw.bound().index.as_ref().and_then(|set| set.value).ok_or("no index buffer is set")?;
    let size: usize = if view.format == R16_UINT { 2 } else { 4 };
    // `0xFFFF` is 1, and `0xFFFFFFFF` 2.
    if cut as usize != size / 2 {
        return Err("unsupported: a cut of strips by a value of another width than the indices".to_owned());
    }
    let begin = u64::from(counts.start) * size as u64;
    let count = (u64::from(view.size).saturating_sub(begin) / size as u64).min(counts.vertices.into()) as usize;
    if count == 0 {
        return Ok(Some(Vec::new()));
    }
    let Some(bytes) = store.bytes_at(view.address, begin, count * size)? else { return Ok(None) };
    let all = bytes.chunks_exact(size).enumerate();
    Ok(Some(all.filter(|(_, index)| index.iter().all(|byte| *byte == 0xff)).map(|(at, _)| at as u32).collect()))
}

#[cfg(test)]
mod tests;
