//! What a pipeline must know of a translated shader beyond its code, read from the module itself.
//!
//! The module is what the driver gets, so what it says is true wherever it came from: this process, another one or the disk.

use crate::{Spirv, Stage};

/// A kind of primitives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Primitive {
    /// Points.
    Points,
    /// Lines.
    Lines,
    /// Lines, each with one more vertex at either end.
    LinesAdjacency,
    /// Triangles.
    Triangles,
    /// Triangles, each with one more vertex beside each edge.
    TrianglesAdjacency,
}

/// See [`Spirv::facts`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Geometry: the primitives that go in.
    pub takes: Option<Primitive>,
    /// Geometry, mesh, hull and domain: the primitives that come out, as far as this shader says.
    pub gives: Option<Primitive>,
    /// Pixel: the shader says which samples are covered.
    pub writes_coverage: bool,
    /// Pixel: every pixel is shaded by itself, as the API says, because the shader gives depth or stencil, orders its accesses, or
    /// runs for each sample.
    pub shades_finely: bool,
    /// The shader gives a shading rate with each primitive.
    pub gives_rate: bool,
    /// The shader chooses the viewport.
    pub gives_viewport: bool,
    /// Descriptor sets that the shader names, one bit each; those from number 32 on are left out.
    pub sets: u32,
    /// The shader asks for 32-bit denormals to be kept.
    pub keeps_denormals: bool,
    /// The shader asks for 32-bit denormals to be zero.
    pub flushes_denormals: bool,
}

impl Spirv {
    /// Reads what the module says of itself. A module that is cut says less.
    pub fn facts(&self) -> Facts {
        // Numbers of the SPIR-V specification.
        const EXECUTION_MODE: u32 = 16;
        const VARIABLE: u32 = 59;
        const DECORATE: u32 = 71;
        const FUNCTION: u32 = 54;
        const BUILT_IN: u32 = 11;
        const SAMPLE_MASK: u32 = 20;
        const DESCRIPTOR_SET: u32 = 34;
        const OUTPUT: u32 = 3;
        const VIEWPORT_INDEX: u32 = 10;
        const SAMPLE_ID: u32 = 18;
        const SAMPLE_POSITION: u32 = 19;
        const PRIMITIVE_RATE: u32 = 4432;
        const SAMPLE: u32 = 17;
        const DENORM_PRESERVE: u32 = 4459;
        const DENORM_FLUSH_TO_ZERO: u32 = 4460;
        let mut facts = Facts::default();
        let (mut masks, mut rates, mut viewports) = (Vec::new(), Vec::new(), Vec::new());
        for (opcode, operands) in instructions(&self.words) {
            match (opcode, operands) {
                (EXECUTION_MODE, [_, DENORM_PRESERVE, 32, ..]) => facts.keeps_denormals = true,
                (EXECUTION_MODE, [_, DENORM_FLUSH_TO_ZERO, 32, ..]) => facts.flushes_denormals = true,
                (EXECUTION_MODE, [_, mode, ..]) => facts.mode(self.stage, *mode),
                (DECORATE, [_, DESCRIPTOR_SET, set, ..]) => facts.sets |= 1u32.checked_shl(*set).unwrap_or(0),
                (DECORATE, [variable, BUILT_IN, SAMPLE_MASK, ..]) => masks.push(*variable),
                (DECORATE, [variable, BUILT_IN, PRIMITIVE_RATE, ..]) => rates.push(*variable),
                (DECORATE, [variable, BUILT_IN, VIEWPORT_INDEX, ..]) => viewports.push(*variable),
                (DECORATE, [_, SAMPLE, ..] | [_, BUILT_IN, SAMPLE_ID | SAMPLE_POSITION, ..]) => {
                    facts.shades_finely = true;
                }
                (VARIABLE, [_, variable, OUTPUT, ..]) => {
                    facts.writes_coverage |= masks.contains(variable);
                    facts.gives_rate |= rates.contains(variable);
                    facts.gives_viewport |= viewports.contains(variable);
                }
                (FUNCTION, _) => break,
                _ => {}
            }
        }
        facts
    }
}

impl Facts {
    /// Takes in an execution mode, by its number in the SPIR-V specification.
    fn mode(&mut self, stage: Stage, mode: u32) {
        let geometry = stage == Stage::Geometry;
        match mode {
            19 => self.takes = Some(Primitive::Points),
            20 => self.takes = Some(Primitive::Lines),
            21 => self.takes = Some(Primitive::LinesAdjacency),
            22 if geometry => self.takes = Some(Primitive::Triangles),
            23 => self.takes = Some(Primitive::TrianglesAdjacency),
            // Points in place of what the domain's shape gives.
            10 | 27 => self.gives = Some(Primitive::Points),
            // Shapes of domains: triangles, quadrilaterals, lines.
            22 | 24 => self.gives = self.gives.or(Some(Primitive::Triangles)),
            25 => self.gives = self.gives.or(Some(Primitive::Lines)),
            // Depth or stencil is given; accesses are ordered.
            12 | 5027 | 5366..=5371 => self.shades_finely = true,
            28 | 5269 => self.gives = Some(Primitive::Lines),
            29 | 5298 => self.gives = Some(Primitive::Triangles),
            _ => {}
        }
    }
}

/// Words of a module before its instructions (SPIR-V specification 2.3).
pub(crate) const HEADER: usize = 5;
/// The word of the header that is larger than every number of a result.
pub(crate) const BOUND: usize = 3;

/// Appends an instruction.
pub(crate) fn emit(out: &mut Vec<u32>, opcode: u32, operands: &[u32]) {
    out.push((operands.len() as u32 + 1) << 16 | opcode);
    out.extend(operands);
}

/// The instructions of a module: opcode and operands.
pub(crate) fn instructions(words: &[u32]) -> impl Iterator<Item = (u32, &[u32])> {
    let mut rest = words.get(HEADER..).unwrap_or_default();
    core::iter::from_fn(move || {
        let (head, _) = rest.split_first()?;
        let (this, next) = rest.split_at_checked((head >> 16).max(1) as usize)?;
        rest = next;
        Some((head & 0xffff, &this[1..]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A module of these instructions: opcode and operands.
    fn spirv(stage: Stage, instructions: &[(u32, &[u32])]) -> Spirv {
        let mut words = vec![0x0723_0203, 0x0001_0600, 0, 100, 0];
        instructions.iter().for_each(|(opcode, operands)| emit(&mut words, *opcode, operands));
        Spirv {
            words,
            stage,
            entry: "main".to_owned(),
            group: [0; 3],
            wave: [0; 3],
            uses_wave_size: false,
            patch_vertices: 0,
            patch_location_offset: 0,
        }
    }

    const MODE: u32 = 16;

    #[test]
    fn primitives_are_those_of_the_stage() {
        let of = |stage, modes: &[u32]| {
            let all: Vec<[u32; 2]> = modes.iter().map(|mode| [1, *mode]).collect();
            let all: Vec<(u32, &[u32])> = all.iter().map(|operands| (MODE, &operands[..])).collect();
            let facts = spirv(stage, &all).facts();
            (facts.takes, facts.gives)
        };
        use Primitive::*;
        // Triangles in, lines out, in either order.
        assert_eq!(of(Stage::Geometry, &[22, 28]), (Some(Triangles), Some(Lines)));
        assert_eq!(of(Stage::Geometry, &[28, 22]), (Some(Triangles), Some(Lines)));
        assert_eq!(of(Stage::Geometry, &[23, 27]), (Some(TrianglesAdjacency), Some(Points)));
        // A domain of triangles that gives points, in either order.
        assert_eq!(of(Stage::Domain, &[22, 10]), (None, Some(Points)));
        assert_eq!(of(Stage::Hull, &[10, 22]), (None, Some(Points)));
        assert_eq!(of(Stage::Domain, &[24]), (None, Some(Triangles)));
        assert_eq!(of(Stage::Domain, &[25]), (None, Some(Lines)));
        assert_eq!(of(Stage::Mesh, &[5269]), (None, Some(Lines)));
        assert_eq!(of(Stage::Mesh, &[5298]), (None, Some(Triangles)));
        assert_eq!(of(Stage::Vertex, &[]), (None, None));
    }

    #[test]
    fn some_pixel_shaders_run_for_every_pixel() {
        let fine = |instruction: (u32, &[u32])| spirv(Stage::Pixel, &[instruction]).facts().shades_finely;
        // Depth replaced, stencil replaced, ordered by pixel; sample number, sample position, interpolated by sample.
        for mode in [12, 5027, 5366] {
            assert!(fine((MODE, &[1, mode])), "{mode}");
        }
        for decoration in [&[7, 11, 18][..], &[7, 11, 19], &[7, 17]] {
            assert!(fine((71, decoration)), "{decoration:?}");
        }
        // Early tests, the origin, a position.
        assert!(!fine((MODE, &[1, 9])) && !fine((MODE, &[1, 7])) && !fine((71, &[7, 11, 15])));
    }

    #[test]
    fn rates_and_viewports_count_as_outputs() {
        let of = |built_in: u32, class: u32| {
            let facts = spirv(Stage::Vertex, &[(71, &[7, 11, built_in]), (59, &[3, 7, class])]).facts();
            (facts.gives_rate, facts.gives_viewport)
        };
        assert_eq!((of(4432, 3), of(4432, 1)), ((true, false), (false, false)));
        assert_eq!((of(10, 3), of(10, 1)), ((false, true), (false, false)));
    }

    #[test]
    fn coverage_counts_as_an_output_and_denormals_by_width() {
        let decoration: (u32, &[u32]) = (71, &[7, 11, 20]);
        let of = |class: u32| spirv(Stage::Pixel, &[decoration, (59, &[3, 7, class])]).facts().writes_coverage;
        assert!(of(3) && !of(1), "outputs, not inputs");
        let denormals = |mode: u32, width: u32| {
            let facts = spirv(Stage::Compute, &[(MODE, &[1, mode, width])]).facts();
            (facts.keeps_denormals, facts.flushes_denormals)
        };
        assert_eq!(denormals(4459, 32), (true, false));
        assert_eq!(denormals(4460, 32), (false, true));
        assert_eq!(denormals(4459, 16), (false, false));
        let sets = [(71, &[7, 34, 0][..]), (71, &[8, 34, 3]), (71, &[9, 34, 40]), (71, &[9, 33, 2])];
        assert_eq!(spirv(Stage::Vertex, &sets).facts().sets, 0b1001, "bindings are no sets");
        // Whatever is cut off says less, and harms nobody.
        let whole = spirv(Stage::Compute, &[(MODE, &[1, 4459, 32])]);
        for length in 0..whole.words.len() {
            let cut = Spirv { words: whole.words[..length].to_vec(), ..whole.clone() };
            assert_eq!(cut.facts(), Facts::default());
        }
    }
}
