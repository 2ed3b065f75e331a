//! Root arguments in shader records, as the translator wants to be told of them.

use dxil_spirv_sys as sys;

use crate::TranslateError;
use crate::error::check;
use crate::interface::{Local, LocalParameter, LocalRange};

/// Declares the parameters of a local root signature. The translator then finds their registers by itself.
///
/// # Errors
/// The translator does not take the parameters.
pub(crate) fn declare(local: &Local, converter: sys::dxil_spv_converter) -> Result<(), TranslateError> {
    const STEP: &str = "declaring local root arguments";
    for parameter in &local.parameters {
        // SAFETY: the converter is alive and has not run; a table that is begun is ended.
        unsafe {
            match parameter {
                LocalParameter::Constants { space, register, words } => {
                    sys::dxil_spv_converter_add_local_root_constants(converter, *space, *register, *words);
                }
                LocalParameter::Descriptor { class, space, register } => {
                    sys::dxil_spv_converter_add_local_root_descriptor(converter, *class as u32, *space, *register);
                }
                LocalParameter::Table(ranges) => {
                    check(STEP, sys::dxil_spv_converter_begin_local_root_descriptor_table(converter))?;
                    for LocalRange { class, space, register, count, offset } in ranges {
                        let class = *class as u32;
                        sys::dxil_spv_converter_add_local_root_descriptor_table(
                            converter, class, *space, *register, *count, *offset,
                        );
                    }
                    check(STEP, sys::dxil_spv_converter_end_local_root_descriptor_table(converter))?;
                }
            }
        }
    }
    Ok(())
}
