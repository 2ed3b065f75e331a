//! What shaders of models above 6.8 may have that is unsupported, named before the translator meets it.
//!
//! A vector of more than four components the translator fails at without naming it, or it ends the process. Operations for the reordering of shaders it turns into an
//! extension of SPIR-V that devices of ours do not have. So a shader of a newer model is looked through first, and what has none of this
//! is translated as any other.

use reprise_dxbc::{Container, Program};

use crate::{TranslateError, disassemble};

/// The last model whose shaders have nothing of the kind.
const LAST: (u32, u32) = (6, 8);
/// Components that a vector of SPIR-V has at most.
const MOST: u32 = 4;
/// The last operation of that model, and newer ones that say the same of vectors as older ones of numbers.
const LAST_OPERATION: u32 = 258;
const OF_VECTORS: [u32; 5] = [303, 304, 309, 310, 311];

/// Refuses a shader with something that is unsupported.
///
/// # Errors
/// What it is, by name; what disassembling says of code that it cannot read.
pub(crate) fn check(blob: &[u8]) -> Result<(), TranslateError> {
    let program = Container::parse(blob).and_then(|container| Program::of(&container));
    let Ok(Program { model, .. }) = program else { return Ok(()) };
    if model <= LAST {
        return Ok(());
    }
    let code = disassemble(blob)?;
    let vector = long_vector(&code).map(|vector| format!("vectors of more than {MOST} components ({vector})"));
    match vector.or_else(|| operation(&code)) {
        None => Ok(()),
        Some(what) => {
            let log = format!("{what} of shader model {}.{} are unsupported", model.0, model.1);
            Err(TranslateError::Rejected { step: "looking through a newer shader", code: 0, log })
        }
    }
}

/// The first type of a long vector, in the notation of the disassembly: `floatx8`.
fn long_vector(code: &str) -> Option<&str> {
    code.split(|c: char| !c.is_ascii_alphanumeric()).find(|word| {
        let Some((of, count)) = word.split_once('x') else { return false };
        let is_integer = of.strip_prefix('i').is_some_and(|width| width.parse::<u32>().is_ok());
        let is_type = is_integer || ["half", "float", "double"].contains(&of);
        is_type && count.parse::<u32>().is_ok_and(|count| count == 1 || count > MOST)
    })
}

/// The first operation that is too new: its function and its number, which is the function's first argument.
fn operation(code: &str) -> Option<String> {
    code.split("@dx.op.").skip(1).find_map(|call| {
        let (name, arguments) = call.split_once("(i32 ")?;
        let number = arguments.split([',', ')']).next()?.parse::<i32>().ok()? as u32;
        let newer = number > LAST_OPERATION && !OF_VECTORS.contains(&number);
        newer.then(|| format!("operations like {name} (number {number})"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_new_is_found() {
        let known = "%6 = call { floatx4, i32 } @dx.op.rawBufferVectorLoad.v4f32(i32 303, %5)\n %0xff = [8 x float] i32x2 \
                     call i32 @dx.op.threadId.i32(i32 93, i32 0) call { i8* } @dx.op.allocateRayQuery2(i32 258, i32 0)";
        assert_eq!((long_vector(known), operation(known)), (None, None));
        assert_eq!(long_vector("extractvalue floatx8 %6, 0"), Some("floatx8"));
        assert_eq!(long_vector("{ i16x1 }"), Some("i16x1"));
        let reorder = "call void @dx.op.maybeReorderThread(i32 268, %10, i32 undef)";
        assert_eq!(operation(reorder).as_deref(), Some("operations like maybeReorderThread (number 268)"));
        // Of models that are not final.
        let trial = "call i32 @dx.op.nop(i32 -2147483648)";
        assert_eq!(operation(trial).as_deref(), Some("operations like nop (number 2147483648)"));
    }
}
