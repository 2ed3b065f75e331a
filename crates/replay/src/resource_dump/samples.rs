//! Samples of a multisampled texture, one by one: nothing of the API copies them to a buffer, so a shader of replay's own does.
//!
//! The program's list only copies the subresource to a texture of replay's own, which changes nothing that is bound there. When that is
//! done, a list of replay's own reads a sample of it. Invariant: the bits are those of the texture, in its format: texels are read as
//! whole numbers where the format has such a view, and otherwise as floats that hold every step of it.

use std::ops::Range;
use std::time::Duration;

use reprise_d3d12::types::{
    D3D12_DESCRIPTOR_HEAP_TYPE, D3D12_GPU_DESCRIPTOR_HANDLE, D3D12_HEAP_TYPE, D3D12_RESOURCE_DESC,
    D3D12_RESOURCE_FLAGS, D3D12_RESOURCE_STATES as State, D3D12_SHADER_RESOURCE_VIEW_DESC, D3D12_SRV_DIMENSION,
    DXGI_FORMAT,
};
use reprise_d3d12::{description, method};
use reprise_picture::samples::{Access, Channels};

use crate::indirect::Program;
use crate::runtime::Runtime;
use crate::runtime::barrier::{barriers, transition};
use crate::runtime::com::Com;
use crate::runtime::reference::{self, Reference};
use crate::runtime::replay_objects::{self, committed};

/// Shader model 5, with its root signature: any runtime takes it.
const WORDS: &[u8] = include_bytes!("../../shaders/samples.words.dxbc");
const FLOATS: &[u8] = include_bytes!("../../shaders/samples.floats.dxbc");
/// `D3D12_DEFAULT_SHADER_4_COMPONENT_MAPPING`.
const AS_THEY_ARE: u32 = 0x1688;
/// Bytes of a texel as the shader writes it.
const TEXEL: u64 = 16;
/// Threads of a group, in each direction.
const GROUP: u32 = 8;

/// A copy of a subresource, with all its samples. The pointer is a reference held.
pub(crate) struct Samples {
    texture: u64,
    plane: u32,
    size: (u32, u32),
    access: Access,
}

impl Samples {
    /// For a plane of one subresource of a texture with this description.
    ///
    /// # Errors
    /// Samples of the format cannot be read, or there is no memory for them.
    pub(crate) fn new(runtime: &Runtime, device: u64, desc: &D3D12_RESOURCE_DESC, plane: u32) -> Result<Self, String> {
        let format = desc.Format.0 as u32;
        let is_depth = desc.Flags.0 & D3D12_RESOURCE_FLAGS::ALLOW_DEPTH_STENCIL.0 != 0;
        let access = Access::of(format, is_depth, plane);
        let access = access.ok_or_else(|| format!("samples of DXGI format {format} are not read yet"))?;
        let width = u32::try_from(desc.Width).map_err(|_| "the texture is wider than any".to_owned())?;
        let own = D3D12_RESOURCE_DESC {
            Alignment: 0,
            DepthOrArraySize: 1,
            MipLevels: 1,
            Format: DXGI_FORMAT(access.family as _),
            Flags: match is_depth {
                true => D3D12_RESOURCE_FLAGS::ALLOW_DEPTH_STENCIL,
                false => D3D12_RESOURCE_FLAGS::ALLOW_RENDER_TARGET,
            },
            ..*desc
        };
        let texture = committed(runtime, device, D3D12_HEAP_TYPE::DEFAULT, &own, State::COPY_DEST);
        let texture = texture.map_err(|reason| {
            let (count, family) = (desc.SampleDesc.Count, access.family);
            format!(
                "samples of DXGI format {format} need a texture of {count} samples of DXGI format {family}: {reason}"
            )
        })?;
        Ok(Self { texture: texture.into_pointer(), plane, size: (width, desc.Height), access })
    }

    /// Where the subresource is copied to: texture and subresource.
    pub(crate) fn place(&self) -> (u64, u32) {
        (self.texture, self.plane)
    }

    /// The texels of a sample, row by row; the copy is done.
    ///
    /// # Errors
    /// The runtime refuses an object that is needed, or does not finish.
    pub(super) fn read(&self, runtime: &Runtime, sample: u32, timeout: Duration) -> Result<Vec<u8>, String> {
        self.some(runtime, sample, 0..self.bytes(), timeout)
    }

    /// Bytes of all texels as the shader writes them: four words each.
    fn bytes(&self) -> u64 {
        let (width, height) = self.size;
        u64::from(width) * u64::from(height) * TEXEL
    }

    /// The texels of a sample whose words lie in a range of what the shader writes.
    fn some(&self, runtime: &Runtime, sample: u32, range: Range<u64>, timeout: Duration) -> Result<Vec<u8>, String> {
        let device = reference::device_of(runtime, self.texture)?;
        let device = device.pointer();
        let as_words = matches!(self.access.channels, Channels::Words | Channels::Stencil);
        let program = Program::new(runtime, device, if as_words { WORDS } else { FLOATS })?;
        let read = self.run(runtime, device, &program, (sample, range), timeout);
        program.release(runtime);
        read
    }

    /// The last texel of a sample; the copy is done.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub(crate) fn last(&self, runtime: &Runtime, sample: u32, timeout: Duration) -> Result<Vec<u8>, String> {
        let bytes = self.bytes();
        self.some(runtime, sample, bytes.saturating_sub(TEXEL)..bytes, timeout)
    }

    fn run(
        &self,
        runtime: &Runtime,
        device: u64,
        program: &Program,
        (sample, range): (u32, Range<u64>),
        timeout: Duration,
    ) -> Result<Vec<u8>, String> {
        let (width, height) = self.size;
        let bytes = range.end - range.start;
        let desc = description::buffer(self.bytes(), D3D12_RESOURCE_FLAGS::ALLOW_UNORDERED_ACCESS);
        let written = committed(runtime, device, D3D12_HEAP_TYPE::DEFAULT, &desc, State::UNORDERED_ACCESS)?;
        let back = replay_objects::readback_buffer(runtime, device, bytes)?;
        let (heap, handles) = self.view(runtime, device)?;
        let queue = replay_objects::queue(runtime, device)?;
        let (allocator, list) = replay_objects::list(runtime, device)?;
        let fence = replay_objects::fence(runtime, device)?;
        let heaps = [heap.pointer()];
        let constants = [width, height, sample];
        // SAFETY: a buffer of ours; there are no arguments.
        let address = unsafe { runtime.call(written.pointer(), method("ID3D12Resource", "GetGPUVirtualAddress"), &[]) };
        let of = |name| method("ID3D12GraphicsCommandList", name);
        let this = list.pointer();
        barriers(
            runtime,
            this,
            &[transition(self.texture, self.plane, State::COPY_DEST, State::NON_PIXEL_SHADER_RESOURCE)],
        );
        let after = [
            transition(written.pointer(), 0, State::UNORDERED_ACCESS, State::COPY_SOURCE),
            transition(self.texture, self.plane, State::NON_PIXEL_SHADER_RESOURCE, State::COPY_DEST),
        ];
        // SAFETY: the list is recording; all objects are alive, and the arrays are ours.
        unsafe {
            runtime.call(this, of("SetDescriptorHeaps"), &[1, heaps.as_ptr() as u64]);
            runtime.call(this, of("SetComputeRootSignature"), &[program.root]);
            runtime.call(this, of("SetPipelineState"), &[program.pipeline]);
            runtime.call(this, of("SetComputeRoot32BitConstants"), &[0, 3, constants.as_ptr() as u64, 0]);
            runtime.call(this, of("SetComputeRootDescriptorTable"), &[1, handles.ptr]);
            runtime.call(this, of("SetComputeRootUnorderedAccessView"), &[2, address]);
            let groups = [width, height].map(|side| u64::from(side.div_ceil(GROUP)));
            runtime.call(this, of("Dispatch"), &[groups[0], groups[1], 1]);
            barriers(runtime, this, &after);
            runtime.call(this, of("CopyBufferRegion"), &[back.pointer(), 0, written.pointer(), range.start, bytes]);
        }
        replay_objects::close(runtime, this)?;
        let lists = [this];
        // SAFETY: queue and list are alive; the array is ours.
        unsafe {
            let execute = method("ID3D12CommandQueue", "ExecuteCommandLists");
            runtime.call(queue.pointer(), execute, &[1, lists.as_ptr() as u64]);
        }
        if let Err(failure) = replay_objects::signal_and_wait(runtime, queue.pointer(), (fence.pointer(), 1), timeout) {
            // Its work may be pending: left to the end of the process.
            let _left = [queue, allocator, list, fence, written, back, heap].map(Reference::into_pointer);
            return Err(failure);
        }
        replay_objects::mapped(runtime, back.pointer(), bytes, |bytes| {
            let words = bytes.as_chunks::<16>().0.iter().map(|texel| {
                let word = |at: usize| u32::from_le_bytes([texel[at], texel[at + 1], texel[at + 2], texel[at + 3]]);
                [word(0), word(4), word(8), word(12)]
            });
            let mut packed = Vec::new();
            words.for_each(|words| pack(&self.access, words, &mut packed));
            Ok(packed)
        })
    }

    /// A heap with the view, and where the GPU finds it.
    fn view<'r>(
        &self,
        runtime: &'r Runtime,
        device: u64,
    ) -> Result<(Reference<'r>, D3D12_GPU_DESCRIPTOR_HANDLE), String> {
        let (heap, cpu, gpu) = replay_objects::descriptor(runtime, device, D3D12_DESCRIPTOR_HEAP_TYPE::CBV_SRV_UAV)?;
        let view = D3D12_SHADER_RESOURCE_VIEW_DESC {
            Format: DXGI_FORMAT(self.access.read as _),
            ViewDimension: D3D12_SRV_DIMENSION::TEXTURE2DMS,
            Shader4ComponentMapping: AS_THEY_ARE,
            ..Default::default()
        };
        let words = [self.texture, core::ptr::from_ref(&view) as u64, cpu.ptr];
        // SAFETY: device, heap and texture are alive; the description is ours.
        unsafe { runtime.call(device, method("ID3D12Device", "CreateShaderResourceView"), &words) };
        Ok((heap, gpu))
    }

    /// Gives the reference back; no work is pending.
    pub(super) fn release(self, runtime: &Runtime) {
        runtime.release(self.texture);
    }
}

/// Appends a texel.
fn pack(access: &Access, words: [u32; 4], out: &mut Vec<u8>) {
    let [r, g, b, a] = words;
    let steps = |words: [u32; 4]| {
        let mut values = [0; 4];
        let scale =
            |word: u32, bits: u32| (f64::from(f32::from_bits(word)) * ((1u64 << bits) - 1) as f64).round() as u32;
        values.iter_mut().zip(access.widths).zip(words).for_each(|((value, bits), word)| *value = scale(word, *bits));
        values
    };
    let values = match access.channels {
        Channels::Words => words,
        Channels::BlueFirst => steps([b, g, r, a]),
        Channels::Alpha => steps([a, 0, 0, 0]),
        Channels::SmallFloats => [small_float(r, 6), small_float(g, 6), small_float(b, 5), 0],
        Channels::Depth if access.widths == [32] => words,
        Channels::Depth => steps(words),
        Channels::Stencil => [g, 0, 0, 0],
    };
    let (mut all, mut at) = (0u128, 0u32);
    for (bits, value) in access.widths.iter().zip(values) {
        all |= (u128::from(value) & ((1 << bits) - 1)) << at;
        at += bits;
    }
    out.extend(&all.to_le_bytes()[..access.bits() as usize / 8]);
}

/// The bits of a float that has five bits of exponent and so many behind the point, from the 32 bits of the same value.
fn small_float(bits: u32, fraction: u32) -> u32 {
    let exponent = bits >> 23 & 0xff;
    match exponent {
        255 => 31 << fraction | u32::from(bits & 0x7f_ffff != 0),
        113..=142 => (exponent - 112) << fraction | (bits & 0x7f_ffff) >> (23 - fraction),
        // Less than the least with an exponent of its own.
        _ => (f64::from(f32::from_bits(bits)) * f64::from(14 + fraction).exp2()).round() as u32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of a colour's or a depth's first plane, or of a stencil.
    fn packed(format: DXGI_FORMAT, plane: u32, words: [u32; 4]) -> Vec<u8> {
        let mut out = Vec::new();
        pack(&Access::of(format.0 as u32, false, plane).unwrap(), words, &mut out);
        out
    }

    #[test]
    fn texels_are_packed_as_formats_have_them() {
        assert_eq!(packed(DXGI_FORMAT::FORMAT_R8G8B8A8_UINT, 0, [1, 2, 3, 4]), [1, 2, 3, 4]);
        assert_eq!(
            packed(DXGI_FORMAT::FORMAT_R10G10B10A2_UNORM, 0, [1023, 0, 1, 3]),
            (0x3ffu32 | 1 << 20 | 3 << 30).to_le_bytes()
        );
        let floats = [0.2f32, 0.4, 1.0, 0.0].map(f32::to_bits);
        assert_eq!(packed(DXGI_FORMAT::FORMAT_B8G8R8A8_UNORM, 0, floats), [255, 102, 51, 0]);
        assert_eq!(
            packed(DXGI_FORMAT::FORMAT_B5G6R5_UNORM, 0, [1.0f32, 0.0, 0.0, 0.0].map(f32::to_bits)),
            0xf800u16.to_le_bytes()
        );
        for step in (0..1 << 24).step_by(977) {
            let depth = (f64::from(step) / f64::from((1 << 24) - 1)) as f32;
            assert_eq!(
                packed(DXGI_FORMAT::FORMAT_D24_UNORM_S8_UINT, 0, [depth.to_bits(), 0, 0, 0]),
                (step as u32).to_le_bytes()
            );
        }
        assert_eq!(packed(DXGI_FORMAT::FORMAT_D24_UNORM_S8_UINT, 1, [0, 7, 0, 0]), [7]);
    }

    #[test]
    fn small_floats_keep_their_bits() {
        for (fraction, count) in [(6, 1u32 << 11), (5, 1 << 10)] {
            for bits in (0..count).filter(|bits| bits >> fraction < 31 || bits & ((1 << fraction) - 1) == 0) {
                let (exponent, rest) =
                    (bits >> fraction, f64::from(bits & ((1 << fraction) - 1)) / f64::from(1 << fraction));
                let value = match exponent {
                    0 => rest * (-14f64).exp2(),
                    31 => f64::INFINITY,
                    exponent => (1.0 + rest) * (f64::from(exponent) - 15.0).exp2(),
                };
                assert_eq!(small_float((value as f32).to_bits(), fraction), bits);
            }
        }
    }
}
