//! From view descriptions of buffers to records.
//!
//! A buffer is written raw and typed, whatever the description says, so that shaders find it under either declaration. Typed
//! views are raw bytes. Raw views are typed as words. Structured views are typed as NVIDIA's driver of the API does, because
//! programs rely on it: to read, as vectors of as many words as divide the structure; to write, as words.

use ash::vk;
use ash::vk::Handle;
use reprise_d3d12::types::{
    D3D12_SHADER_RESOURCE_VIEW_DESC, D3D12_SRV_DIMENSION as Srv, D3D12_UAV_DIMENSION as Uav,
    D3D12_UNORDERED_ACCESS_VIEW_DESC, DXGI_FORMAT,
};

use crate::device::Device;
use crate::resource::pieces::Run;
use crate::{Error, Result};
use reprise_gpu::buffer::Buffer;
use reprise_gpu::descriptor::offset::{self, Entry};
use reprise_gpu::descriptor::publish::Spans;
use reprise_gpu::descriptor::record::{Record, RecordKind};
use reprise_gpu::descriptor::view::TexelView;
use reprise_gpu::format::{Format, Swizzle};
use reprise_gpu::settings::Descriptors;

/// What a view shows of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// First byte.
    pub start: u64,
    /// Bytes.
    pub size: u64,
    /// Bytes of a typed element; the first byte is a multiple.
    pub element: u64,
    /// Vulkan's format of a typed element.
    pub format: vk::Format,
}

const RAW: u32 = 1;

impl Span {
    /// Of a description's numbers, in elements.
    fn elements(format: DXGI_FORMAT, first: u64, count: u64, stride: u32, flags: u32) -> Result<Span> {
        let bytes = element_bytes(format, stride, flags)?;
        let (start, size) = (first.checked_mul(bytes.0), count.checked_mul(bytes.0));
        let (Some(start), Some(size)) = (start, size) else {
            return Err(Error::Invalid("view: outside of the buffer"));
        };
        Span::bytes_of(bytes, start, size)
    }

    /// The same span, its typed elements the largest vector of words that divides structures of `stride` bytes and the span's
    /// beginning. `triples`: whether there are typed buffers of three words.
    fn vectors(self, stride: u32, triples: bool) -> Span {
        let divides = |bytes: u64| u64::from(stride).is_multiple_of(bytes) && self.start.is_multiple_of(bytes);
        let (element, format) = match stride {
            _ if divides(16) => (16, vk::Format::R32G32B32A32_UINT),
            _ if triples && divides(12) => (12, vk::Format::R32G32B32_UINT),
            _ if divides(8) => (8, vk::Format::R32G32_UINT),
            _ => return self,
        };
        Span { element, format, ..self }
    }

    /// Of a description's numbers, in bytes.
    fn bytes(format: DXGI_FORMAT, start: u64, size: u64, stride: u32, flags: u32) -> Result<Span> {
        Span::bytes_of(element_bytes(format, stride, flags)?, start, size)
    }

    fn bytes_of((_, element, format): (u64, u64, vk::Format), start: u64, size: u64) -> Result<Span> {
        if offset::elements(start, element) * element != start {
            return Err(Error::Unsupported("buffer views that begin between elements"));
        }
        Ok(Span { start, size, element, format })
    }

    /// Of a view to read. `triples`: whether there are typed buffers of three words.
    ///
    /// # Errors
    /// The description is none of a buffer, or its format is not one of typed buffers.
    pub fn shader_resource(desc: &D3D12_SHADER_RESOURCE_VIEW_DESC, triples: bool) -> Result<Span> {
        // SAFETY: all members of the union are plain numbers; the dimension tells which one counts.
        unsafe {
            match desc.ViewDimension {
                Srv::BUFFER => {
                    let it = &desc.Anonymous.Buffer;
                    let (count, stride, flags) = (it.NumElements.into(), it.StructureByteStride, it.Flags.0);
                    let span = Span::elements(desc.Format, it.FirstElement, count, stride, flags)?;
                    Ok(if is_structured(stride, flags) { span.vectors(stride, triples) } else { span })
                }
                Srv::BUFFER_BYTE_OFFSET => {
                    let it = &desc.Anonymous.BufferByteOffset;
                    let (stride, flags) = (it.StructureByteStride, it.Flags.0);
                    let span = Span::bytes(desc.Format, it.Offset, it.Size, stride, flags)?;
                    Ok(if is_structured(stride, flags) { span.vectors(stride, triples) } else { span })
                }
                _ => Err(Error::Invalid("view: not a dimension of buffers")),
            }
        }
    }

    /// Of a view to write, and the counter's place in its buffer.
    ///
    /// # Errors
    /// The description is none of a buffer, or its format is not one of typed buffers.
    pub fn unordered_access(desc: &D3D12_UNORDERED_ACCESS_VIEW_DESC) -> Result<(Span, u64)> {
        // SAFETY: all members of the union are plain numbers; the dimension tells which one counts.
        unsafe {
            match desc.ViewDimension {
                Uav::BUFFER => {
                    let it = &desc.Anonymous.Buffer;
                    let count = it.NumElements.into();
                    let span = Span::elements(desc.Format, it.FirstElement, count, it.StructureByteStride, it.Flags.0)?;
                    Ok((span, it.CounterOffsetInBytes))
                }
                Uav::BUFFER_BYTE_OFFSET => Err(Error::Unsupported("byte-offset views to write")),
                _ => Err(Error::Invalid("view: not a dimension of buffers")),
            }
        }
    }
}

/// Whether a view is of structures of whole words.
fn is_structured(stride: u32, flags: u32) -> bool {
    flags & RAW == 0 && stride != 0 && stride.is_multiple_of(4)
}

/// Bytes of an element of the description, bytes and Vulkan format of an element of the typed view.
fn element_bytes(format: DXGI_FORMAT, stride: u32, flags: u32) -> Result<(u64, u64, vk::Format)> {
    if flags & RAW != 0 {
        return Ok((4, 4, vk::Format::R32_UINT));
    }
    // Structures may be of 16-bit parts, and begin at any of them.
    if stride % 4 == 2 {
        return Ok((stride.into(), 2, vk::Format::R16_UINT));
    }
    if stride != 0 {
        return Ok((stride.into(), 4, vk::Format::R32_UINT));
    }
    let format =
        Format::get(format).ok_or(Error::Invalid("view: a buffer needs a format, a stride or the raw flag"))?;
    if format.vk == vk::Format::UNDEFINED || format.planes.len() > 1 || format.block_width != 1 {
        return Err(Error::Invalid("view: not a format of buffers"));
    }
    if format.swizzle != Swizzle::Identity {
        return Err(Error::Unsupported("typed buffers whose components are not as stored"));
    }
    Ok((format.block_bytes.into(), format.block_bytes.into(), format.vk))
}

/// Makes the record of a span; null when nothing of it lies in the buffer. The texels lie in `run` where there is one.
///
/// # Errors
/// The device has no such views, or no memory for one more.
pub fn record(
    out: &mut Record,
    spans: &mut Spans,
    device: &Device,
    buffer: &Buffer,
    run: Option<&Run>,
    span: &Span,
    kind: RecordKind,
) -> Result<()> {
    let size = span.size.min(buffer.size.saturating_sub(span.start));
    if size == 0 {
        *out = Record::null(kind);
        return Ok(());
    }
    let limits = &device.caps.limits;
    let (raw, byte_offset, byte_count) = offset::raw(
        buffer.offset() + span.start,
        size,
        device.bindings.raw_alignment().into(),
        limits.max_storage_buffer_range.into(),
    );
    let written = kind == RecordKind::WriteBuffer;
    let first = offset::elements(span.start, span.element);
    let count = offset::elements(size, span.element);
    let (mut wide, mut lifetime) = (0, 0);
    let (view, typed, element_offset, element_count) = match device.bindings.descriptors() {
        Descriptors::Sets => {
            lifetime = buffer.lifetime();
            let most = limits.max_texel_buffer_elements.into();
            let (start, whole, base) = match run {
                Some(run) => (run.start, run.size.min(buffer.size - run.start), run.offset),
                None => (0, buffer.size, buffer.offset()),
            };
            let first = offset::elements(span.start - start, span.element);
            let (window, offset, count) = offset::typed(first, count, span.element, whole, most);
            let place = base + window.offset;
            let view = TexelView { format: span.format, offset: place, size: window.size, written };
            let pair = matches!(span.format, vk::Format::R32G32_UINT | vk::Format::R32G32_SINT);
            if device.logical.wide.is_some() && written && pair && window.size != 0 {
                wide = match run {
                    Some(run) => run.views().wide_texels(run.buffer(), &view)?,
                    None => buffer.wide_texels(&view)?,
                };
            }
            let texels = match run {
                _ if window.size == 0 => 0,
                Some(run) => run.views().texels(run.buffer(), &view)?.as_raw(),
                None => buffer.texels(&view)?.as_raw(),
            };
            (texels, window, offset, count)
        }
        // Made of addresses, without a view.
        Descriptors::Buffers => {
            if !device.bindings.has_texels(span.format, written) {
                return Err(Error::Unsupported("typed buffers of this format on this device"));
            }
            let unit = device.bindings.texel_unit(span.element, written);
            let (window, offset, count) = offset::typed_alone(first, count, span.element, buffer.size, unit);
            (0, window, offset, count)
        }
    };
    *spans = Spans {
        raw: (buffer.address - buffer.offset() + raw.offset, raw.size),
        typed: (buffer.address + typed.offset, typed.size),
        format: span.format,
        ..*spans
    };
    *out = Record {
        first: wide,
        view,
        word: lifetime as i32,
        kind,
        buffer: buffer.vk().as_raw(),
        offset: raw.offset,
        range: raw.size,
        entry: Entry { byte_offset, byte_count, element_offset, element_count },
        ..Record::EMPTY
    };
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use reprise_d3d12::types::D3D12_BUFFER_SRV_FLAGS;

    use super::*;

    fn desc(format: DXGI_FORMAT, first: u64, count: u32, stride: u32, raw: bool) -> D3D12_SHADER_RESOURCE_VIEW_DESC {
        let mut desc =
            D3D12_SHADER_RESOURCE_VIEW_DESC { Format: format, ViewDimension: Srv::BUFFER, ..Default::default() };
        desc.Anonymous.Buffer.FirstElement = first;
        // SAFETY: all members are plain numbers.
        let buffer = unsafe { &mut desc.Anonymous.Buffer };
        (buffer.NumElements, buffer.StructureByteStride) = (count, stride);
        buffer.Flags = D3D12_BUFFER_SRV_FLAGS(raw.into());
        desc
    }

    #[test]
    fn elements_are_those_of_the_format_the_stride_or_words() {
        let span = |format, stride, raw| Span::shader_resource(&desc(format, 3, 5, stride, raw), true);
        let expect = |start, size, element, format| Ok(Span { start, size, element, format });
        use DXGI_FORMAT as D;
        assert_eq!(span(D::FORMAT_R32_TYPELESS, 0, true), expect(12, 20, 4, vk::Format::R32_UINT));
        assert_eq!(span(D::FORMAT_UNKNOWN, 20, false), expect(60, 100, 4, vk::Format::R32_UINT));
        assert_eq!(span(D::FORMAT_UNKNOWN, 6, false), expect(18, 30, 2, vk::Format::R16_UINT));
        assert_eq!(span(D::FORMAT_R16G16B16A16_FLOAT, 0, false), expect(24, 40, 8, vk::Format::R16G16B16A16_SFLOAT));
        assert_eq!(span(D::FORMAT_R32G32B32_FLOAT, 0, false), expect(36, 60, 12, vk::Format::R32G32B32_SFLOAT));
        assert!(span(D::FORMAT_UNKNOWN, 0, false).is_err(), "neither");
        assert!(span(D::FORMAT_BC1_UNORM, 0, false).is_err(), "blocks");
        assert!(span(D::FORMAT_D24_UNORM_S8_UINT, 0, false).is_err(), "depth");
        assert!(span(D::FORMAT_A8_UNORM, 0, false).is_err(), "another component");
        assert!(Span::shader_resource(&desc(D::FORMAT_R32_UINT, u64::MAX / 2, 5, 0, false), true).is_err(), "overflow");
    }

    /// By what NVIDIA's driver of the API does.
    #[test]
    fn structures_that_are_read_are_typed_as_the_largest_vector_that_divides_them() {
        let read = |stride: u32, triples: bool| {
            let span = Span::shader_resource(&desc(DXGI_FORMAT::FORMAT_UNKNOWN, 1, 5, stride, false), triples).unwrap();
            assert_eq!((span.start, span.size), (stride.into(), u64::from(stride) * 5), "the same bytes");
            (span.element, span.format)
        };
        let words = [vk::Format::R32_UINT, vk::Format::R32G32_UINT, vk::Format::R32G32B32_UINT];
        let words = |count: u64| (4 * count, *words.get(count as usize - 1).unwrap_or(&vk::Format::R32G32B32A32_UINT));
        for (stride, count) in [(4, 1), (8, 2), (12, 3), (16, 4), (20, 1), (24, 3), (28, 1), (32, 4), (40, 2), (48, 4)]
        {
            assert_eq!(read(stride, true), words(count), "{stride}");
        }
        assert_eq!((read(12, false), read(24, false)), (words(1), words(2)), "no vectors of three");
    }

    /// Views by bytes may begin between the structures that a vector divides.
    #[test]
    fn vectors_begin_where_the_view_does() {
        let span = |start: u64| Span { start, size: 64, element: 4, format: vk::Format::R32_UINT }.vectors(16, true);
        assert_eq!([0, 4, 8, 16].map(|start| span(start).element), [16, 4, 8, 16]);
    }
}
