//! A pixel shader that tells which primitive a fragment is of, and which face of it: `uint4(SV_PrimitiveID, SV_IsFrontFace, 0, 1)`.
//!
//! It reads system values alone, so that it goes behind any vertex shader; shader model 5, which any runtime takes.

use crate::token_shader::{GLOBAL_FLAGS, PIXEL, RETURN, program, signature};
use reprise_dxbc::container::{Tag, build};

/// `D3D_NAME` of what it reads.
const PRIMITIVE_ID: u32 = 7;
const IS_FRONT_FACE: u32 = 9;
/// `D3D_REGISTER_COMPONENT_TYPE_UINT32`.
const UINT: u32 = 1;

/// Tokens, in the encoding of the driver kit's `d3d11TokenizedProgramFormat.hpp`.
const OUTPUT: &[u32] = &[0x0300_0065, 0x0010_20f2, 0]; // dcl_output o0.xyzw
const REST: &[u32] = &[0x0500_0036, 0x0010_20c2, 0, 0x0000_4001, 1]; // mov o0.zw, l(1)

/// `dcl_input_ps_sgv constant v#.x`.
const fn input(register: u32, name: u32) -> [u32; 4] {
    [0x0400_0863, 0x0010_1012, register, name]
}

/// `mov o0.x, v#.x`, or another component of the output.
const fn moved(register: u32, to: u32) -> [u32; 5] {
    [0x0500_0036, 0x0010_2002 | 0x10 << to, 0, 0x0010_100a, register]
}

/// `mov o0.x, l(0)`.
const NO_PRIMITIVE: [u32; 5] = [0x0500_0036, 0x0010_2012, 0, 0x0000_4001, 0];

/// A pixel shader that gives nothing: without any, lavapipe forgets push constants that later pixel shaders read.
pub(crate) fn nothing() -> Vec<u8> {
    let code = program(PIXEL, &[GLOBAL_FLAGS, RETURN]);
    build(&[(Tag(*b"ISGN"), &signature(&[])), (Tag(*b"OSGN"), &signature(&[])), (Tag::SHEX, &code)])
}

/// A pixel shader that gives a colour.
pub(crate) fn colour() -> Vec<u8> {
    /// `D3D_REGISTER_COMPONENT_FLOAT32`.
    const FLOAT: u32 = 3;
    const ONE: u32 = 0x3f80_0000;
    const WHITE: &[u32] = &[0x0800_0036, 0x0010_20f2, 0, 0x0000_4002, ONE, ONE, ONE, ONE]; // mov o0.xyzw, l(1,1,1,1)
    let code = program(PIXEL, &[GLOBAL_FLAGS, OUTPUT, WHITE, RETURN]);
    let written = [("SV_Target", [0, 0, FLOAT, 0, 0x0f])];
    build(&[(Tag(*b"ISGN"), &signature(&[])), (Tag(*b"OSGN"), &signature(&written)), (Tag::SHEX, &code)])
}

/// The container. Behind geometry and mesh shaders, which give primitives their numbers or none, the primitive is 0.
pub(super) fn make(has_primitives: bool) -> Vec<u8> {
    let row = |name: &'static str, value, register, mask| (name, [0, value, UINT, register, mask]);
    let face = row("SV_IsFrontFace", IS_FRONT_FACE, 1, 0x101);
    let primitive = row("SV_PrimitiveID", PRIMITIVE_ID, 0, 0x101);
    let read = if has_primitives { vec![primitive, face] } else { vec![face] };
    // Targets are no system value there.
    let written = [row("SV_Target", 0, 0, 0x0f)];
    let (declared, first) = match has_primitives {
        true => (input(0, PRIMITIVE_ID).to_vec(), moved(0, 0)),
        false => (Vec::new(), NO_PRIMITIVE),
    };
    let code = program(
        PIXEL,
        &[GLOBAL_FLAGS, &declared, &input(1, IS_FRONT_FACE), OUTPUT, &first, &moved(1, 1), REST, RETURN],
    );
    build(&[(Tag(*b"ISGN"), &signature(&read)), (Tag(*b"OSGN"), &signature(&written)), (Tag::SHEX, &code)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use reprise_dxbc::{Container, signature};

    #[test]
    fn its_signatures_are_read_back() {
        let shader = make(true);
        let container = Container::parse(&shader).unwrap();
        assert_eq!(container.checksum().word(), "valid");
        let part = container.part(Tag(*b"ISGN")).unwrap();
        let rows: Vec<_> = signature::parse(&part).unwrap().into_iter().map(|it| (it.semantic, it.register)).collect();
        assert_eq!(rows, [("SV_PrimitiveID".to_owned(), 0), ("SV_IsFrontFace".to_owned(), 1)]);
        let code = container.part(Tag::SHEX).unwrap().data;
        assert_eq!(code.len(), 4 * u32::from_le_bytes(*code[4..].first_chunk().unwrap()) as usize);
    }
}
