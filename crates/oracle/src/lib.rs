//! Random compute shaders, and what the processor makes of them.
//!
//! A shader translator is right when its output computes what the HLSL says. This crate makes a program as a tree ([`generate`]), writes
//! it as HLSL for compilers ([`hlsl`]), and runs the tree itself ([`interpret`]). No part of the translator, of a compiler or of a
//! driver takes part in that. Invariant: a program has one result. What the language leaves open
//! does not happen in it, and floating point is exact or is compared with a tolerance.
//!
//! ```
//! use reprise_oracle::{generate, hlsl, interpret};
//!
//! let program = generate(7);
//! assert!(hlsl(&program).contains("void main("));
//! assert_eq!(interpret(&program, None), interpret(&program, None));
//! ```

mod compare;
mod compiler;
pub mod corpus;
mod exact;
mod form;
mod generate;
mod hlsl;
mod interpret;
mod layout;
mod machine;
mod program;
mod random;
mod reduce;
mod value;

pub use compare::{Difference, compare};
pub use compiler::{Compiler, Task};
pub use form::Form;
pub use generate::{generate, generate_narrow};
pub use hlsl::hlsl;
pub use interpret::{Undefined, Word, interpret};
pub use layout::{inputs, output_words};
pub use machine::{Machine, Outcome};
pub use program::{Binary, Operation, Program, Ternary, Unary};
pub use reduce::reduce;
