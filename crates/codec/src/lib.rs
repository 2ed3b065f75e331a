//! Native arguments to wire bytes and back, driven by the model.
//!
//! One description, the tables of `reprise_d3d12::model`, serves four walks over a call's arguments:
//! [`encode`] (program's memory to wire), [`unwrap`](mod@unwrap) (program-visible objects to the runtime's, in place or in
//! copies), [`decode`] (wire to [`value`]s, and from there [`json`] or [`text`]) and [`rebuild`] (wire to native memory for a
//! real call). What a sibling field cannot express is a rule, in `shape` and `rule`: each rule is stated once and used by all
//! four. Values that people write become wire bytes in [`amend`].
//!
//! A trace carries the part of the model that it uses as its [`schema`]. Where that is not today's model, [`translate`] makes
//! the trace's payloads today's.
//!
//! Invariant: the walks agree on which pointers have a child on the wire, in which order and of which type, because all
//! of them ask `shape` and nothing else.
//!
//! ```
//! use reprise_codec::json::Namer;
//! use reprise_codec::{Codec, Wide};
//! use reprise_d3d12::{MODEL, method};
//!
//! /// Objects and blobs stay numbers.
//! struct Numbers;
//! impl Namer for Numbers {}
//!
//! // The arguments of a draw on the wire: its packed argument block.
//! let wire: Vec<u8> = [3u32, 1, 0, 0].iter().flat_map(|word| word.to_le_bytes()).collect();
//! let codec = Codec::new(MODEL, Wide::Bits16);
//! let draw = method("ID3D12GraphicsCommandList", "DrawInstanced");
//! let arguments = codec.decode_enter(draw, &wire).expect("the payload is whole");
//! assert_eq!(codec.json_arguments(&arguments, &Numbers)["VertexCountPerInstance"], 3);
//! assert!(codec.decode_enter(draw, &wire[..5]).is_err());
//! ```

pub mod amend;
pub mod arena;
pub mod codec;
mod compose;
pub mod decode;
pub mod encode;
#[cfg(feature = "fabricate")]
pub mod fabricate;
mod frame;
pub mod fuzz;
pub mod json;
pub mod light;
pub mod literal;
pub mod objects;
pub mod outputs;
mod path;
mod places;
mod reader;
pub mod rebuild;
mod rule;
pub mod schema;
mod shape;
pub mod texels;
pub mod text;
pub mod translate;
pub mod unwrap;
pub mod value;
pub mod wire;

pub use arena::Arena;
pub use codec::{Codec, Traits, Wide};
pub use objects::{BlobSink, Objects, Texels};
pub use places::{Place, Placed};
pub use value::Value;
