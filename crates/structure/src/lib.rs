//! Structures as HLSL declares them: their layout in memory, and the values that bytes have by it.
//!
//! Bytes of a buffer mean what the shaders that read them declare. People have that declaration as text, and paste it here; traces seldom
//! have it.
//!
//! Invariant: a declaration is either understood whole or refused with its line and column. No member is guessed, left out or laid out by
//! another rule than that of its [`Packing`].
//!
//! The rules are those of Microsoft's compilers: what fxc 10.1 prints of the structures in `layout`'s tests.
//!
//! ```
//! use reprise_structure::{Packing, Structure, Value};
//!
//! let light = Structure::parse("struct Light { float3 place; uint kind; };", None, Packing::Structured)?;
//! assert_eq!(light.stride(), 16);
//! let bytes = [0, 0, 128, 63, 0, 0, 0, 64, 0, 0, 64, 64, 7, 0, 0, 0];
//! let Value::Fields(fields) = light.read(&bytes)? else { unreachable!() };
//! assert_eq!(fields[1], ("kind".into(), Value::Unsigned(7)));
//! assert!(Structure::parse("struct Light { float3 place; colour kind; };", None, Packing::Structured).is_err());
//! # Ok::<(), reprise_structure::Error>(())
//! ```

mod declaration;
mod error;
mod layout;
mod scalar;
mod token;
mod value;

pub use error::Error;
pub use layout::{Leaf, Member, Packing, Structure, Type};
pub use scalar::Scalar;
pub use value::Value;
