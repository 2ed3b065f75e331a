//! What a state object of ray tracing consists of, computed from its description alone.
//!
//! The runtime reads descriptions from memory, the timeline from a trace; both tell a [`Reader`] what they find, in the order of the
//! subobjects. [`Plan`] resolves names of exports, hit groups and collections, and [`association`] which subobject is for which export.
//! [`RecordLayout`] says what lies in the record of an export.
//!
//! Pure: no objects, no device, no GPU. Invariant: what is said here about an export is the same on every runtime.
//!
//! ```
//! use reprise_state_object::{IDENTIFIER, RecordLayout};
//!
//! // The record of a shader without a local root signature is its identifier.
//! let layout = RecordLayout::new(None);
//! assert_eq!((layout.size as usize, layout.fields.len()), (IDENTIFIER, 0));
//! ```

pub mod association;
pub mod plan;
pub mod reader;
mod record;

pub use plan::{Invalid, Plan};
pub use reader::Reader;
pub use record::{Field, IDENTIFIER, RecordLayout};
