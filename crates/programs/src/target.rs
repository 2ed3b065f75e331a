//! What pipelines draw into: targets of colours or numbers, depth buffers, and their views.

use crate::com::{Com, Null, Word, call};
use crate::descriptor::Heap;
use crate::device::Device;
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::picture::Picture;
use crate::stage::Stage;
use crate::texel::{Texel, texels};
use crate::texture::{Texture, flat};
use reprise_d3d12::types::*;

/// A texture to draw into, with its view. Stays in the state `RENDER_TARGET`.
pub(crate) struct Target {
    pub(crate) texture: Texture,
    pub(crate) heap: Heap,
}

impl Target {
    /// A target of one sample a pixel, to be cleared to zeros.
    pub(crate) fn new(device: &Device, format: DXGI_FORMAT, width: u32, height: u32) -> Result<Self, Failure> {
        Self::sampled(device, format, width, height, 1)
    }

    /// A target of several samples a pixel.
    pub(crate) fn sampled(
        device: &Device,
        format: DXGI_FORMAT,
        width: u32,
        height: u32,
        samples: u32,
    ) -> Result<Self, Failure> {
        let mut desc = flat(format, width, height);
        desc.SampleDesc.Count = samples;
        Self::described(device, desc)
    }

    fn described(device: &Device, mut desc: D3D12_RESOURCE_DESC) -> Result<Self, Failure> {
        desc.Flags = D3D12_RESOURCE_FLAGS::ALLOW_RENDER_TARGET;
        let clear = D3D12_CLEAR_VALUE { Format: desc.Format, ..Default::default() };
        let texture = Texture::new(device, &desc, D3D12_RESOURCE_STATES::RENDER_TARGET, Some(&clear))?;
        let heap = Heap::new(device, D3D12_DESCRIPTOR_HEAP_TYPE::RTV, 1, false)?;
        call!(device.com, "ID3D12Device", "CreateRenderTargetView", &texture.com, Null, heap.cpu(0).ptr);
        Ok(Self { texture, heap })
    }

    /// A target with layers, all of them in the view.
    pub(crate) fn layered(
        device: &Device,
        format: DXGI_FORMAT,
        width: u32,
        height: u32,
        layers: u16,
    ) -> Result<Self, Failure> {
        let mut desc = flat(format, width, height);
        desc.DepthOrArraySize = layers;
        Self::described(device, desc)
    }

    /// The view.
    pub(crate) fn view(&self) -> D3D12_CPU_DESCRIPTOR_HANDLE {
        self.heap.cpu(0)
    }

    /// Reads the target, compares it with the expected picture, and adds it to the digest. The list must be open, and is open
    /// again.
    pub(crate) fn check<T: Texel>(
        &self,
        stage: &Stage,
        list: &mut List,
        what: &str,
        expected: &Picture<T>,
        digest: &mut Digest,
    ) -> Result<(), Failure> {
        let got = self.texture.read(stage, list, D3D12_RESOURCE_STATES::RENDER_TARGET)?;
        expected.check(what, &texels(&got[0]))?;
        digest.add(&got[0]);
        Ok(())
    }
}

/// A depth buffer with its view. Begins in the state `DEPTH_WRITE`.
pub(crate) struct Depth {
    pub(crate) texture: Texture,
    pub(crate) heap: Heap,
}

impl Depth {
    /// A depth buffer whose texture has the format `storage` and whose view has `format`.
    pub(crate) fn new(
        device: &Device,
        storage: DXGI_FORMAT,
        format: DXGI_FORMAT,
        width: u32,
        height: u32,
    ) -> Result<Self, Failure> {
        Self::sampled(device, storage, format, width, height, 1)
    }

    /// A depth buffer of several samples a pixel.
    pub(crate) fn sampled(
        device: &Device,
        storage: DXGI_FORMAT,
        format: DXGI_FORMAT,
        width: u32,
        height: u32,
        samples: u32,
    ) -> Result<Self, Failure> {
        let mut desc = flat(storage, width, height);
        desc.SampleDesc.Count = samples;
        desc.Flags = D3D12_RESOURCE_FLAGS::ALLOW_DEPTH_STENCIL;
        let mut clear = D3D12_CLEAR_VALUE { Format: format, ..Default::default() };
        clear.Anonymous.DepthStencil.Depth = 1.0;
        let texture = Texture::new(device, &desc, D3D12_RESOURCE_STATES::DEPTH_WRITE, Some(&clear))?;
        let heap = Heap::new(device, D3D12_DESCRIPTOR_HEAP_TYPE::DSV, 1, false)?;
        let view = D3D12_DEPTH_STENCIL_VIEW_DESC {
            Format: format,
            ViewDimension: if samples == 1 { D3D12_DSV_DIMENSION::TEXTURE2D } else { D3D12_DSV_DIMENSION::TEXTURE2DMS },
            ..Default::default()
        };
        depth_view(device, &texture.com, &view, heap.cpu(0));
        Ok(Self { texture, heap })
    }

    /// The view.
    pub(crate) fn view(&self) -> D3D12_CPU_DESCRIPTOR_HANDLE {
        self.heap.cpu(0)
    }
}

/// Writes a view of a depth buffer.
pub(crate) fn depth_view(
    device: &Device,
    resource: &Com,
    desc: &D3D12_DEPTH_STENCIL_VIEW_DESC,
    at: D3D12_CPU_DESCRIPTOR_HANDLE,
) {
    let desc = Word::from(&raw const *desc);
    call!(device.com, "ID3D12Device", "CreateDepthStencilView", resource, desc, at.ptr);
}
