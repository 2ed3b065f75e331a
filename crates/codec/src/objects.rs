//! What the codec asks of its users about objects, blobs and things the arguments alone do not say.

use reprise_d3d12::model::MethodId;

/// The objects of the captured program, as the call being encoded sees them; made per call, so that it can know `this`.
pub trait Objects {
    /// The id of a program-visible pointer; 0 for null and for what is not known.
    fn id_of(&self, pointer: u64) -> u64;

    /// The runtime's own pointer behind a program-visible one; the pointer itself where it is not ours.
    fn real_of(&self, pointer: u64) -> u64;

    /// The size in bytes of storage that the callee owns and returned as `pointer` (`ID3DBlob::GetBufferPointer`).
    fn owned_size(&self, _method: MethodId, _pointer: u64) -> Option<u64> {
        None
    }

    /// The size in bytes of a record of an entry point, of the work graph that the list `this` dispatches.
    fn record_bytes(&self, _entry: u32) -> Option<u64> {
        None
    }

    /// The extent of a subresource of `this`, for `WriteToSubresource` and `ReadFromSubresource`.
    fn texels(&self, _subresource: u32) -> Option<Texels> {
        None
    }
}

/// Extent of one subresource, as [`Objects::texels`] tells it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Texels {
    /// In texels.
    pub width: u32,
    /// In texels; 1 for one-dimensional textures.
    pub height: u32,
    /// In texels; 1 unless the texture has three dimensions.
    pub depth: u32,
    /// Bytes of one block of the subresource's plane.
    pub block_bytes: u32,
    /// Texels per block, 1 for formats that are not block-compressed.
    pub block_width: u32,
    /// Texels per block, 1 for formats that are not block-compressed.
    pub block_height: u32,
}

/// Where byte buffers of [`BLOB_BYTES`](crate::wire::BLOB_BYTES) and more go.
pub trait BlobSink {
    /// Writes a `Blob` record before the record being encoded and returns its number (per thread, rising).
    fn blob(&mut self, bytes: &[u8]) -> u32;
}
