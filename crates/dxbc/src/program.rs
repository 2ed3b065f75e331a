//! What the code in a container says of itself in its first word: the stage, and the shader model it is of.

use crate::{Bytes, Container, Malformed, Tag};

/// The code of a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Program {
    /// The part that holds it: [`Tag::DXIL`], [`Tag::SHEX`] or [`Tag::SHDR`].
    pub tag: Tag,
    /// What it runs as: `pixel`, `library` and so on.
    pub stage: &'static str,
    /// Shader model, as in 6.5.
    pub model: (u32, u32),
}

/// By the number in the version word. The first six are those of `D3D11_SHADER_VERSION_TYPE`, the others come with DXIL.
const STAGES: [&str; 15] = [
    "pixel",
    "vertex",
    "geometry",
    "hull",
    "domain",
    "compute",
    "library",
    "raygeneration",
    "intersection",
    "anyhit",
    "closesthit",
    "miss",
    "callable",
    "mesh",
    "amplification",
];

/// The stage of a number.
pub(crate) fn stage(number: u32) -> Option<&'static str> {
    STAGES.get(number as usize).copied()
}

impl Program {
    /// Looks for code; DXIL is taken where there is older code too, as runtimes do.
    ///
    /// # Errors
    /// When there is none, or its version word is cut or of a stage that is not known.
    pub fn of(container: &Container<'_>) -> Result<Program, Malformed> {
        let part = [Tag::DXIL, Tag::SHEX, Tag::SHDR].into_iter().find_map(|tag| container.part(tag));
        let part = part.ok_or_else(|| Malformed::new(0, "the container has no code (part DXIL, SHEX or SHDR)"))?;
        let at = |error: Malformed| Malformed::new(error.offset + part.offset, error.what);
        let word = Bytes(part.data).u32(0, "the code's version").map_err(at)?;
        let number = word >> 16;
        let stage =
            stage(number).ok_or_else(|| Malformed::new(part.offset, format!("shader stage {number} is not known")))?;
        Ok(Program { tag: part.tag, stage, model: (word >> 4 & 0xf, word & 0xf) })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::container::build;

    fn of(parts: &[(Tag, &[u8])]) -> Result<Program, Malformed> {
        Program::of(&Container::parse(&build(parts)).unwrap())
    }

    #[test]
    fn the_first_word_tells_stage_and_model() {
        let program = |tag, stage, model| Ok(Program { tag, stage, model });
        assert_eq!(of(&[(Tag::SHEX, &0x0005_0051u32.to_le_bytes())]), program(Tag::SHEX, "compute", (5, 1)));
        let both: [(Tag, &[u8]); 2] = [(Tag::SHDR, &[0x40, 0, 1, 0]), (Tag::DXIL, &[0x65, 0, 13, 0])];
        assert_eq!(of(&both), program(Tag::DXIL, "mesh", (6, 5)));
    }

    #[test]
    fn what_is_no_code_is_named() {
        assert!(of(&[(Tag::RTS0, &[0; 8])]).unwrap_err().what.contains("no code"));
        assert!(of(&[(Tag::DXIL, &[])]).unwrap_err().what.contains("version"));
        assert_eq!(of(&[(Tag::DXIL, &[0, 0, 99, 0])]).unwrap_err().what, "shader stage 99 is not known");
    }
}
