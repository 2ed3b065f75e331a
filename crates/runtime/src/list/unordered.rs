//! Clears of unordered access views.
//!
//! The CPU makes the bits of a texel from the value; a kernel stores them, whatever the format. Rectangles are cut to the view.
//! Invariant: nothing outside of the view is written.

use core::ffi::c_void;

use ash::vk;
use reprise_com::{Object, Slots};
use reprise_d3d12::types::{
    D3D12_CPU_DESCRIPTOR_HANDLE, D3D12_GPU_DESCRIPTOR_HANDLE, D3D12_RECT, D3D12_RESOURCE_DIMENSION as Dimension,
    D3D12_RESOURCE_STATES as States, DXGI_FORMAT,
};

use crate::descriptor::handle::CpuHandle;
use crate::list::array::array;
use crate::list::barrier::scope;
use crate::list::fixed_state::clipped;
use crate::list::recording::Recording;
use crate::resource::object::Resource;
use crate::{Error, Result};
use reprise_gpu::buffer::Buffer;
use reprise_gpu::descriptor::record::Record;
use reprise_gpu::descriptor::record::RecordKind;
use reprise_gpu::descriptor::view::ImageView;
use reprise_gpu::encoder::{Images, push, rows};
use reprise_gpu::format::bits::Values;
use reprise_gpu::format::{Format, is_map};
use reprise_gpu::image::Image;
use reprise_gpu::kernel::Kernel;
use reprise_gpu::scope::Gathered;

/// Methods that clear by unordered access.
pub(super) const LIST_METHODS: &Slots = &[
    ("ClearUnorderedAccessViewUint", clear_uint as *const c_void),
    ("ClearUnorderedAccessViewFloat", clear_float as *const c_void),
];

/// Bytes of a buffer and what to fill them with, as the kernel takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Fill {
    /// Address of the first word that is touched.
    address: u64,
    /// Words that are touched.
    words: u32,
    /// Words after which the pattern begins again.
    period: u32,
    /// Bits of the first word, and of the last one.
    edges: [u32; 2],
    /// The pattern.
    pattern: [u32; 4],
}

impl Fill {
    /// Elements of `bytes` bytes each, from an address on that is a multiple of the smaller of `bytes` and 4. Pure.
    fn new(address: u64, elements: u64, bytes: u32, texel: [u32; 4]) -> Fill {
        let (start, end) = (address, address + elements * u64::from(bytes));
        let first = start & !3;
        let pattern = match bytes {
            1 => [(texel[0] & 0xff) * 0x0101_0101; 4],
            2 => [(texel[0] & 0xffff) * 0x1_0001; 4],
            _ => texel,
        };
        let tail = match end & 3 {
            0 => u32::MAX,
            part => (1 << (8 * part)) - 1,
        };
        Fill {
            address: first,
            words: (end - first).div_ceil(4) as u32,
            period: (bytes / 4).max(1),
            edges: [u32::MAX << (8 * (start & 3)), tail],
            pattern,
        }
    }
}

/// Vulkan's format of unsigned integers for texels of a size.
fn words(bytes: u8) -> Option<vk::Format> {
    Some(match bytes {
        1 => vk::Format::R8_UINT,
        2 => vk::Format::R16_UINT,
        4 => vk::Format::R32_UINT,
        8 => vk::Format::R32G32_UINT,
        16 => vk::Format::R32G32B32A32_UINT,
        _ => return None,
    })
}

const REFUSED: Error = Error::Unsupported("ClearUnorderedAccessView of a view of this format");

impl Recording {
    /// Clears a view; whole when there are no rectangles.
    fn clear_view(
        &mut self,
        record: &Record,
        resource: &Object<Resource>,
        values: Values,
        rects: &[D3D12_RECT],
    ) -> Result<()> {
        // What maps of sampler feedback are cleared to is their own affair: nothing was read, anywhere.
        let map = is_map(resource.desc.Format);
        // Raw and structured views are words.
        let words = DXGI_FORMAT::FORMAT_R32_UINT;
        let format = if record.flags == 0 { words } else { DXGI_FORMAT(record.flags.into()) };
        let format = Format::get(format).ok_or(REFUSED)?;
        let (values, rects) = if map { (Values::Bits([0; 4]), &[][..]) } else { (values, rects) };
        let texel = format.encode(values).ok_or(REFUSED)?;
        // The program's own barriers are for what it does with the view; clears in a row are in order.
        let shaders = scope(States::UNORDERED_ACCESS);
        self.encoder.barriers(&Gathered { before: shaders, after: shaders });
        match (record.kind, resource.buffer(), resource.image()) {
            (RecordKind::WriteBuffer, Some(buffer), _) => self.clear_buffer(record, buffer, format, texel, rects)?,
            (RecordKind::StorageImage, _, Some(image)) => {
                self.clear_image(record, resource, image, format, texel, rects)?
            }
            _ => return Err(Error::Call("ClearUnorderedAccessView: the descriptor is not of this resource")),
        }
        self.encoder.barriers(&Gathered { before: shaders, after: shaders });
        Ok(())
    }

    fn clear_buffer(
        &mut self,
        record: &Record,
        buffer: &Buffer,
        format: &Format,
        texel: [u32; 4],
        rects: &[D3D12_RECT],
    ) -> Result<()> {
        if record.buffer() != buffer.vk() {
            return Err(Error::Call("ClearUnorderedAccessView: the descriptor is not of this resource"));
        }
        // The exact view: the record's window may be wider.
        let bytes = u32::from(format.block_bytes);
        let start = buffer.address - buffer.offset() + record.offset + u64::from(record.entry.byte_offset);
        let elements = record.entry.byte_count / bytes;
        let whole = D3D12_RECT { left: 0, top: 0, right: i32::MAX, bottom: 1 };
        let rects = if rects.is_empty() { core::slice::from_ref(&whole) } else { rects };
        for rect in rects {
            let Some(part) = clipped(rect, elements, 1) else { continue };
            // A whole view may have more elements than a rectangle can say.
            let count = if core::ptr::eq(rect, &whole) { elements } else { part.extent.width };
            let first = start + u64::from(part.offset.x as u32) * u64::from(bytes);
            let fill = Fill::new(first, count.into(), bytes, texel);
            let [a, b, c, d] = fill.pattern;
            let address = [fill.address as u32, (fill.address >> 32) as u32];
            let block =
                push([a, b, c, d, address[0], address[1], fill.words, fill.period, fill.edges[0], fill.edges[1]]);
            self.run(Kernel::Fill, Images::default(), &block, rows(fill.words.into()))?;
        }
        Ok(())
    }

    fn clear_image(
        &mut self,
        record: &Record,
        resource: &Object<Resource>,
        image: &Image,
        format: &Format,
        texel: [u32; 4],
        rects: &[D3D12_RECT],
    ) -> Result<()> {
        if image.samples != vk::SampleCountFlags::TYPE_1 {
            return Err(Error::Unsupported("ClearUnorderedAccessView of textures of several samples"));
        }
        let (kernel, kind) = match resource.desc.Dimension {
            Dimension::TEXTURE1D => (Kernel::Paint1d, vk::ImageViewType::TYPE_1D_ARRAY),
            Dimension::TEXTURE3D => (Kernel::Paint3d, vk::ImageViewType::TYPE_3D),
            _ => (Kernel::Paint2d, vk::ImageViewType::TYPE_2D_ARRAY),
        };
        let level = u32::from(record.mip);
        // The planes of video formats differ in the size of their texels.
        let mut planes =
            resource.format.filter(|format| format.is_video()).map_or(&[][..], |format| format.planes).iter();
        let plane = planes.find(|plane| plane.bytes == format.block_bytes);
        // Places in the kernel's view are those of the whole level.
        let view = ImageView {
            format: words(format.block_bytes).ok_or(REFUSED)?,
            kind,
            aspects: plane.map_or(vk::ImageAspectFlags::COLOR, |plane| plane.aspect),
            usage: vk::ImageUsageFlags::STORAGE,
            first_level: level,
            levels: 1,
            first_layer: 0,
            layers: image.layers,
            components: [0; 4],
            least: 0,
            sliced: false,
        };
        let view = image.view(&view)?;
        self.uses(resource);
        let shift = level + plane.map_or(0, |plane| plane.subsample_log2.into());
        let size = |all: u32| (all >> shift.min(31)).max(1);
        let (width, height) = (size(image.extent.width), size(image.extent.height));
        let (first, count) = (record.range as u32, (record.range >> 32) as u32);
        let whole = D3D12_RECT { left: 0, top: 0, right: i32::MAX, bottom: i32::MAX };
        let rects = if rects.is_empty() { core::slice::from_ref(&whole) } else { rects };
        for rect in rects {
            let Some(part) = clipped(rect, width, height) else { continue };
            let vk::Extent2D { width, height } = part.extent;
            let [a, b, c, d] = texel;
            let (x, y) = (part.offset.x as u32, part.offset.y as u32);
            let block = push([a, b, c, d, x, y, first, 0, width, height, count, 0]);
            self.run(
                kernel,
                Images { written: view, ..Default::default() },
                &block,
                [width.div_ceil(8), height.div_ceil(8), count],
            )?;
        }
        Ok(())
    }
}

/// # Safety
/// A list of ours, the program's arguments.
unsafe fn clear(
    this: *mut c_void,
    cpu: u64,
    resource: *mut c_void,
    values: Values,
    count: u32,
    rects: *const D3D12_RECT,
) {
    // SAFETY: the caller promises: a list of ours, the program's arguments.
    unsafe {
        Recording::outside_pass(this, |list| {
            let resource = Object::<Resource>::from_pointer(resource);
            let resource = resource.ok_or(Error::Call("ClearUnorderedAccessView: no resource"))?;
            let handle = CpuHandle::new(cpu).ok_or(Error::Call("ClearUnorderedAccessView: no descriptor"))?;
            let record = &*core::ptr::with_exposed_provenance::<Record>(handle.record());
            // A null view has nothing that could be cleared.
            if matches!(record.kind, RecordKind::WriteBuffer | RecordKind::StorageImage)
                && record.view == 0
                && record.buffer == 0
            {
                return Ok(());
            }
            list.clear_view(record, resource, values, array(rects, count))
        });
    }
}

unsafe extern "C" fn clear_uint(
    this: *mut c_void,
    _gpu: D3D12_GPU_DESCRIPTOR_HANDLE,
    cpu: D3D12_CPU_DESCRIPTOR_HANDLE,
    resource: *mut c_void,
    values: *const [u32; 4],
    count: u32,
    rects: *const D3D12_RECT,
) {
    // SAFETY: a list of ours, the program's arguments.
    unsafe { clear(this, cpu.ptr, resource, Values::Bits(*values), count, rects) };
}

unsafe extern "C" fn clear_float(
    this: *mut c_void,
    _gpu: D3D12_GPU_DESCRIPTOR_HANDLE,
    cpu: D3D12_CPU_DESCRIPTOR_HANDLE,
    resource: *mut c_void,
    values: *const [f32; 4],
    count: u32,
    rects: *const D3D12_RECT,
) {
    // SAFETY: a list of ours, the program's arguments.
    unsafe { clear(this, cpu.ptr, resource, Values::Numbers(*values), count, rects) };
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// What the kernel does by words is what elements would do one by one.
        #[test]
        fn words_at_the_edges_keep_their_other_bytes(
            place in 0u64..16, elements in 1u64..20, size in 0usize..6, texel: [u32; 4],
        ) {
            let bytes = [1u32, 2, 4, 8, 12, 16][size];
            let place = place * u64::from(bytes.min(4));
            let fill = Fill::new(0x1000 + place, elements, bytes, texel);
            let mut memory = vec![0x5au8; 512];
            for at in 0..fill.words {
                let mut mask = u32::MAX;
                if at == 0 { mask &= fill.edges[0] }
                if at == fill.words - 1 { mask &= fill.edges[1] }
                let start = (fill.address - 0x1000) as usize + 4 * at as usize;
                let old = u32::from_le_bytes(memory[start..start + 4].try_into().unwrap_or_default());
                let word = old & !mask | fill.pattern[(at % fill.period) as usize] & mask;
                memory[start..start + 4].copy_from_slice(&word.to_le_bytes());
            }
            let mut expected = vec![0x5au8; 512];
            let texel: Vec<u8> = texel.iter().flat_map(|word| word.to_le_bytes()).collect();
            for element in 0..elements as usize {
                let at = place as usize + element * bytes as usize;
                expected[at..at + bytes as usize].copy_from_slice(&texel[..bytes as usize]);
            }
            prop_assert_eq!(memory, expected);
        }
    }
}
