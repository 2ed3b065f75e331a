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
    /// Geometry, hull and domain: the primitives that come out, as far as this shader says.
    pub gives: Option<Primitive>,
    /// Pixel: the shader says which samples are covered.
    pub writes_coverage: bool,
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
        const OUTPUT: u32 = 3;
        const DENORM_PRESERVE: u32 = 4459;
        const DENORM_FLUSH_TO_ZERO: u32 = 4460;
        let mut facts = Facts::default();
        let mut masks = Vec::new();
        for (opcode, operands) in instructions(&self.words) {
            match (opcode, operands) {
                (EXECUTION_MODE, [_, DENORM_PRESERVE, 32, ..]) => facts.keeps_denormals = true,
                (EXECUTION_MODE, [_, DENORM_FLUSH_TO_ZERO, 32, ..]) => facts.flushes_denormals = true,
                (EXECUTION_MODE, [_, mode, ..]) => facts.mode(self.stage, *mode),
                (DECORATE, [variable, BUILT_IN, SAMPLE_MASK, ..]) => masks.push(*variable),
                (VARIABLE, [_, variable, OUTPUT, ..]) => facts.writes_coverage |= masks.contains(variable),
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
            28 => self.gives = Some(Primitive::Lines),
            29 => self.gives = Some(Primitive::Triangles),
            _ => {}
        }
    }
}

/// The instructions of a module: opcode and operands.
pub(crate) fn instructions(words: &[u32]) -> impl Iterator<Item = (u32, &[u32])> {
    const HEADER: usize = 5;
    let mut rest = words.get(HEADER..).unwrap_or_default();
    core::iter::from_fn(move || {
        let (head, _) = rest.split_first()?;
        let (this, next) = rest.split_at_checked((head >> 16).max(1) as usize)?;
        rest = next;
        Some((head & 0xffff, &this[1..]))
    })
}
