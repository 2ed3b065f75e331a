//! Markers: the text of `BeginEvent` and `SetMarker`.

use reprise_d3d12::pix;
use reprise_trace::read::Trace;
use serde::{Deserialize, Serialize};

/// Deepest nesting of events that is kept.
pub const MOST_DEPTH: usize = 1024;

/// A `BeginEvent` or `SetMarker`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marker {
    /// In words.
    pub text: String,
    /// `0xAARRGGBB`, where the program gave a colour.
    pub colour: Option<u32>,
    /// Number of the call.
    pub call: u64,
    /// The data is in this blob of the trace, written in this way, and the text is not known yet ([`Marker::resolved`]).
    pub stored: Option<(u64, u32)>,
}

impl Marker {
    /// From the arguments of a call.
    pub fn new(metadata: u32, data: &[u8], call: u64) -> Marker {
        let (text, colour) = pix::text(metadata, data);
        Marker { text, colour, call, stored: None }
    }

    /// One whose data is in a blob.
    pub(super) fn stored(metadata: u32, blob: u64, call: u64) -> Marker {
        Marker { text: String::new(), colour: None, call, stored: Some((blob, metadata)) }
    }

    /// The same with its text, if that is in a blob.
    pub fn resolved(&self, trace: &Trace) -> Marker {
        let Some((blob, metadata)) = self.stored else { return self.clone() };
        match trace.blob_by_id(blob) {
            Ok(data) => Marker::new(metadata, &data, self.call),
            Err(error) => Marker { text: format!("({error})"), stored: None, ..self.clone() },
        }
    }
}
