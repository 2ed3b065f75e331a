//! Native arguments to wire bytes.

use crate::outputs::Before;
use crate::{BlobSink, Codec, Objects};
use reprise_d3d12::model::MethodId;

impl Codec {
    /// Appends the enter payload of a call to `out`.
    ///
    /// # Safety
    /// `words` are the arguments of a call of `method` as the program made it: pointers are valid as the API demands.
    pub unsafe fn encode_enter(
        &self,
        _method: MethodId,
        _words: &[u64],
        _objects: &impl Objects,
        _out: &mut Vec<u8>,
        _blobs: &mut impl BlobSink,
    ) {
        unimplemented!()
    }

    /// Appends the leave payload of a call to `out`. Output slots already hold what the program will see.
    ///
    /// # Safety
    /// As for [`Codec::encode_enter`], after the call returned `result`.
    #[allow(clippy::too_many_arguments)]
    pub unsafe fn encode_leave(
        &self,
        _method: MethodId,
        _words: &[u64],
        _result: u64,
        _before: &Before,
        _objects: &impl Objects,
        _out: &mut Vec<u8>,
        _blobs: &mut impl BlobSink,
    ) {
        unimplemented!()
    }
}
