//! Maps of sampler feedback: the part has their decoded bytes, and encodes these again.
//!
//! Only its driver understands the bytes of a map. The API defines the decoded bytes: one for each region. Invariant: decoding a map and encoding
//! the result gives a map that decodes to the same bytes.

use super::{ALL, NONE, Restorer, transition};
use crate::Content;
use crate::error::Error;
use crate::output::Output;
use crate::plan::Feedback;
use reprise_d3d12::method;
use reprise_d3d12::types::*;

impl Restorer<'_> {
    /// Encodes a map, which is a resolve's destination.
    pub(super) fn encode(
        &mut self,
        output: &mut Output<'_>,
        map: u32,
        feedback: &Feedback,
        content: &Content<'_>,
    ) -> Result<(), Error> {
        let Some((_, first)) = content.subresources.first() else { return Ok(()) };
        self.make_room(output, content.bytes.len() as u64)?;
        let (staging, at) = self.room(output, content.bytes.len() as u64)?;
        output.memory(staging, at, content.bytes)?;
        let desc = D3D12_RESOURCE_DESC {
            Dimension: D3D12_RESOURCE_DIMENSION::TEXTURE2D,
            Width: first.Footprint.Width.into(),
            Height: first.Footprint.Height,
            DepthOrArraySize: feedback.slices,
            MipLevels: feedback.levels,
            Format: DXGI_FORMAT::FORMAT_R8_UINT,
            SampleDesc: DXGI_SAMPLE_DESC { Count: 1, Quality: 0 },
            ..Default::default()
        };
        let (copied, read) = (D3D12_RESOURCE_STATES::COPY_DEST, D3D12_RESOURCE_STATES::RESOLVE_SOURCE);
        let bytes = self.committed(output, D3D12_HEAP_TYPE::DEFAULT, &desc, copied)?;
        self.keep(bytes);
        for (subresource, footprint) in content.subresources {
            self.copy_texture(output, bytes, *subresource, staging, at, footprint)?;
        }
        self.barriers(output, transition(bytes, ALL, copied.0, read.0, NONE).as_slice())?;
        let (format, mode) = (DXGI_FORMAT::FORMAT_R8_UINT.0, D3D12_RESOLVE_MODE::ENCODE_SAMPLER_FEEDBACK.0);
        let all = u64::from(ALL);
        let words = [map.into(), all, 0, 0, bytes.into(), all, 0, format as u64, mode as u64];
        self.record(output, method("ID3D12GraphicsCommandList1", "ResolveSubresourceRegion"), &words)
    }
}
