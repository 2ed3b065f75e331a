//! Rules of resource descriptions. Pure.
//!
//! What is refused here is what the API refuses with `E_INVALIDARG`, and what this runtime does not have.

pub use reprise_d3d12::description::{newer, older};
use reprise_d3d12::types::{
    D3D12_CLEAR_VALUE, D3D12_HEAP_PROPERTIES, D3D12_HEAP_TYPE, D3D12_RESOURCE_DESC1,
    D3D12_RESOURCE_DIMENSION as Dimension, D3D12_RESOURCE_FLAGS as Flags, D3D12_RESOURCE_STATES as States,
    D3D12_TEXTURE_LAYOUT as Layout, DXGI_FORMAT,
};

use crate::resource::feedback;
use crate::{Error, Result};
use reprise_gpu::format::{Format, is_map};

/// Placement of nearly everything.
pub const ALIGNMENT: u64 = 64 << 10;
/// Placement of textures of several samples.
pub const ALIGNMENT_MULTISAMPLED: u64 = 4 << 20;
/// Placement of small textures that ask for it.
pub const ALIGNMENT_SMALL: u64 = 4 << 10;
/// Of buffers that are aligned tightly: constant buffers begin at its multiples, and nothing of Vulkan's wants more.
pub const ALIGNMENT_BUFFER: u64 = 256;

/// Limits of the API at feature level 11 and above.
const MAX_EXTENT: u64 = 16384;
const MAX_VOLUME: u64 = 2048;
const MAX_LAYERS: u16 = 2048;

/// Array layers in Vulkan's sense: 1 for volumes.
pub fn layers(desc: &D3D12_RESOURCE_DESC1) -> u32 {
    if desc.Dimension == Dimension::TEXTURE3D { 1 } else { desc.DepthOrArraySize.into() }
}

/// Slices of mip 0: 1 unless a volume.
pub fn depth(desc: &D3D12_RESOURCE_DESC1) -> u32 {
    if desc.Dimension == Dimension::TEXTURE3D { desc.DepthOrArraySize.into() } else { 1 }
}

/// Planes of the format; 1 for buffers.
pub fn planes(desc: &D3D12_RESOURCE_DESC1) -> u32 {
    Format::get(desc.Format).map_or(1, |format| format.planes.len().max(1) as u32)
}

/// Subresources of all planes.
pub fn subresources(desc: &D3D12_RESOURCE_DESC1) -> u32 {
    u32::from(desc.MipLevels) * layers(desc) * planes(desc)
}

/// Whether a resource has all these flags.
pub fn has(desc: &D3D12_RESOURCE_DESC1, flags: Flags) -> bool {
    desc.Flags.0 & flags.0 == flags.0
}

/// Whether a texture is a render target or has depth.
pub fn is_target(desc: &D3D12_RESOURCE_DESC1) -> bool {
    desc.Flags.0 & (Flags::ALLOW_RENDER_TARGET.0 | Flags::ALLOW_DEPTH_STENCIL.0) != 0
}

/// Whether a texture can be an image of shading rates. The API's specification excludes render targets, its drivers do not.
pub fn is_of_rates(desc: &D3D12_RESOURCE_DESC1) -> bool {
    let others = Flags::ALLOW_DEPTH_STENCIL.0 | Flags::ALLOW_CROSS_ADAPTER.0 | Flags::ALLOW_SIMULTANEOUS_ACCESS.0;
    desc.Dimension == Dimension::TEXTURE2D
        && desc.Format == DXGI_FORMAT::FORMAT_R8_UINT
        && (desc.DepthOrArraySize, desc.MipLevels, desc.SampleDesc.Count) == (1, 1, 1)
        && desc.Layout == Layout::LAYOUT_UNKNOWN
        && desc.Flags.0 & others == 0
}

/// All mip levels that a texture can have.
pub fn full_chain(desc: &D3D12_RESOURCE_DESC1) -> u16 {
    let largest = desc.Width.max(desc.Height.into()).max(depth(desc).into()).max(1);
    (largest.ilog2() + 1) as u16
}

/// A copy of the description, made complete as by [`fill_in`].
///
/// # Errors
/// As [`fill_in`].
pub fn complete(desc: &D3D12_RESOURCE_DESC1, casts: &[DXGI_FORMAT]) -> Result<D3D12_RESOURCE_DESC1> {
    let mut desc = *desc;
    fill_in(&mut desc, casts)?;
    Ok(desc)
}

/// Counts the mip levels and fills in the alignment of a description, when the API allows it. More levels than the size has are
/// allowed; they are one texel large, and only in the description. `casts`: formats that views may have beyond its family.
///
/// # Errors
/// The API does not allow the description; the error says what of it.
pub fn fill_in(desc: &mut D3D12_RESOURCE_DESC1, casts: &[DXGI_FORMAT]) -> Result<()> {
    let known = Flags::ALLOW_RENDER_TARGET.0
        | Flags::ALLOW_DEPTH_STENCIL.0
        | Flags::ALLOW_UNORDERED_ACCESS.0
        | Flags::DENY_SHADER_RESOURCE.0
        | Flags::ALLOW_SIMULTANEOUS_ACCESS.0
        | Flags::ALLOW_CROSS_ADAPTER.0
        | Flags::RAYTRACING_ACCELERATION_STRUCTURE.0
        | Flags::USE_TIGHT_ALIGNMENT.0;
    if desc.Flags.0 & !known != 0 {
        return Err(Error::Invalid("resource flags that this runtime does not have"));
    }
    let structures = has(desc, Flags::RAYTRACING_ACCELERATION_STRUCTURE);
    if structures && (desc.Dimension != Dimension::BUFFER || !has(desc, Flags::ALLOW_UNORDERED_ACCESS)) {
        return Err(Error::Invalid("acceleration structures are for buffers that shaders may write"));
    }
    let tight = has(desc, Flags::USE_TIGHT_ALIGNMENT);
    if tight && desc.Alignment != 0 {
        return Err(Error::Invalid("a resource that is aligned tightly says no alignment of its own"));
    }
    let structures = has(desc, Flags::RAYTRACING_ACCELERATION_STRUCTURE);
    if structures && !(desc.Dimension == Dimension::BUFFER && has(desc, Flags::ALLOW_UNORDERED_ACCESS)) {
        return Err(Error::Invalid("acceleration structures lie in buffers that shaders may write"));
    }
    if desc.Width == 0 || desc.Height == 0 || desc.DepthOrArraySize == 0 {
        return Err(Error::Invalid("a resource has no extent"));
    }
    if desc.Dimension == Dimension::BUFFER {
        if casts.iter().any(|cast| *cast != DXGI_FORMAT::FORMAT_UNKNOWN) {
            return Err(Error::Invalid("a buffer is not cast"));
        }
        buffer(desc)?;
    } else {
        texture(desc, casts)?;
    }
    if desc.Alignment == 0 {
        desc.Alignment = match (desc.SampleDesc.Count > 1, tight) {
            (true, false) => ALIGNMENT_MULTISAMPLED,
            (false, true) => tightest(desc),
            _ => ALIGNMENT,
        };
    }
    Ok(())
}

/// The least alignment of a resource of one sample that any device can keep; images that want more have room for it.
fn tightest(desc: &D3D12_RESOURCE_DESC1) -> u64 {
    match Format::get(desc.Format).filter(|_| desc.Dimension != Dimension::BUFFER) {
        None => ALIGNMENT_BUFFER,
        Some(format) if !is_target(desc) && first_mip(desc, format) <= ALIGNMENT => ALIGNMENT_SMALL,
        Some(_) => ALIGNMENT,
    }
}

fn buffer(desc: &D3D12_RESOURCE_DESC1) -> Result<()> {
    let plain = desc.Height == 1
        && desc.DepthOrArraySize == 1
        && desc.MipLevels == 1
        && desc.Format == DXGI_FORMAT::FORMAT_UNKNOWN
        && (desc.SampleDesc.Count, desc.SampleDesc.Quality) == (1, 0)
        && desc.Layout == Layout::LAYOUT_ROW_MAJOR;
    if !plain {
        return Err(Error::Invalid("a buffer has one row, one level, one sample, no format, and lies row by row"));
    }
    if desc.Alignment != 0 && desc.Alignment != ALIGNMENT {
        return Err(Error::Invalid("a buffer's alignment is 64 KiB"));
    }
    // `DENY_SHADER_RESOURCE` is allowed on buffers, and says nothing there.
    if desc.Flags.0 & (Flags::ALLOW_DEPTH_STENCIL.0 | Flags::ALLOW_SIMULTANEOUS_ACCESS.0) != 0 {
        return Err(Error::Invalid("a buffer has no depth, and all queues may use it anyway"));
    }
    Ok(())
}

/// Textures lie in tiles exactly when they are reserved.
///
/// # Errors
/// The layout is not one of such a resource.
pub fn layout(desc: &D3D12_RESOURCE_DESC1, reserved: bool) -> Result<()> {
    let tiles = desc.Layout == Layout::LAYOUT_64KB_UNDEFINED_SWIZZLE;
    if desc.Dimension != Dimension::BUFFER && tiles != reserved {
        return Err(Error::Invalid("a texture's layout is in tiles if it is reserved, and unknown otherwise"));
    }
    Ok(())
}

fn texture(desc: &mut D3D12_RESOURCE_DESC1, casts: &[DXGI_FORMAT]) -> Result<()> {
    let format = Format::get(desc.Format).ok_or(Error::Invalid("a texture has a format"))?;
    for cast in casts {
        casts_to(format, *cast)?;
    }
    if is_map(desc.Format) {
        feedback::check(desc)?;
    }
    let (extent, count) = (desc.Width.max(desc.Height.into()), desc.DepthOrArraySize);
    let allowed = match desc.Dimension {
        Dimension::TEXTURE1D => desc.Height == 1 && extent <= MAX_EXTENT && count <= MAX_LAYERS,
        Dimension::TEXTURE2D => extent <= MAX_EXTENT && count <= MAX_LAYERS,
        Dimension::TEXTURE3D => extent.max(count.into()) <= MAX_VOLUME,
        _ => return Err(Error::Invalid("unknown dimension")),
    };
    if !allowed {
        return Err(Error::Invalid("a texture is larger than the API allows"));
    }
    rows(desc)?;
    let chain = full_chain(desc);
    if desc.MipLevels == 0 {
        desc.MipLevels = if desc.SampleDesc.Count > 1 { 1 } else { chain };
    }
    samples(desc)?;
    uses(desc, format, casts)?;
    video(desc, format)?;
    let alignments: &[u64] = match (desc.SampleDesc.Count > 1, is_target(desc)) {
        (true, _) => &[0, ALIGNMENT_MULTISAMPLED, ALIGNMENT],
        (false, true) => &[0, ALIGNMENT],
        (false, false) => &[0, ALIGNMENT, ALIGNMENT_SMALL],
    };
    let small = desc.Alignment == ALIGNMENT_SMALL && first_mip(desc, format) > ALIGNMENT;
    if small || !alignments.contains(&desc.Alignment) {
        return Err(Error::Invalid("such a texture cannot have this alignment"));
    }
    Ok(())
}

/// Textures lie in rows exactly where other adapters are to read them. No other adapter does here, and no CPU, so only the
/// description says so.
fn rows(desc: &D3D12_RESOURCE_DESC1) -> Result<()> {
    match (desc.Layout, has(desc, Flags::ALLOW_CROSS_ADAPTER)) {
        (Layout::LAYOUT_UNKNOWN | Layout::LAYOUT_64KB_UNDEFINED_SWIZZLE, false) => Ok(()),
        (Layout::LAYOUT_ROW_MAJOR, true) => {
            let plain = desc.Dimension == Dimension::TEXTURE2D
                && (desc.MipLevels, desc.DepthOrArraySize, desc.SampleDesc.Count) == (1, 1, 1);
            if !plain || has(desc, Flags::ALLOW_DEPTH_STENCIL) {
                return Err(Error::Invalid(
                    "a texture that adapters share has one level, layer and sample, and no depth",
                ));
            }
            Ok(())
        }
        _ => Err(Error::Invalid("a texture lies in rows exactly where adapters share it")),
    }
}

/// Bytes of a layer's mip 0, tightly packed: what decides whether a texture is small.
fn first_mip(desc: &D3D12_RESOURCE_DESC1, format: &Format) -> u64 {
    let columns = desc.Width.div_ceil(format.block_width.into());
    let rows = u64::from(desc.Height.div_ceil(format.block_height.into())) * u64::from(depth(desc));
    match format.is_video() {
        false => columns * rows * u64::from(format.block_bytes),
        true => format
            .planes
            .iter()
            .map(|plane| ((columns * rows) >> (2 * plane.subsample_log2)) * u64::from(plane.bytes))
            .sum(),
    }
}

/// Chroma has a texel for two by two of luma, in one level.
fn video(desc: &D3D12_RESOURCE_DESC1, format: &Format) -> Result<()> {
    if !format.is_video() {
        return Ok(());
    }
    let even = desc.Width.is_multiple_of(2) && desc.Height.is_multiple_of(2);
    if desc.Dimension != Dimension::TEXTURE2D || desc.MipLevels != 1 || desc.SampleDesc.Count != 1 || !even {
        return Err(Error::Invalid("video textures have two dimensions, even sizes, one level and one sample"));
    }
    if has(desc, Flags::ALLOW_DEPTH_STENCIL) {
        return Err(Error::Invalid("video textures have no depth"));
    }
    Ok(())
}

/// `DXGI_STANDARD_MULTISAMPLE_QUALITY_PATTERN`: samples lie where the API has them, as they do in quality 0 here.
const STANDARD_PATTERN: u32 = u32::MAX;
/// `DXGI_CENTER_MULTISAMPLE_QUALITY_PATTERN`: all samples lie in the middle of their pixel.
const CENTRE_PATTERN: u32 = u32::MAX - 1;

fn samples(desc: &D3D12_RESOURCE_DESC1) -> Result<()> {
    let (count, quality) = (desc.SampleDesc.Count, desc.SampleDesc.Quality);
    if quality == CENTRE_PATTERN {
        return Err(Error::Unsupported("samples that all lie in the middle of their pixel"));
    }
    // Skia states the standard pattern for textures of one sample, too.
    if !matches!(count, 1 | 2 | 4 | 8 | 16 | 32) || !matches!(quality, 0 | STANDARD_PATTERN) {
        return Err(Error::Invalid("sample counts are powers of two, of quality 0 or the standard pattern"));
    }
    if count == 1 {
        return Ok(());
    }
    if desc.Dimension != Dimension::TEXTURE2D || desc.MipLevels != 1 {
        return Err(Error::Invalid("only textures of one level and two dimensions have several samples"));
    }
    if !is_target(desc) || has(desc, Flags::ALLOW_SIMULTANEOUS_ACCESS) {
        return Err(Error::Invalid(
            "textures of several samples are render targets or have depth, and serve one queue at a time",
        ));
    }
    Ok(())
}

/// Whether views of a texture may have another format: texels, or blocks and texels, of one size.
fn casts_to(own: &Format, cast: DXGI_FORMAT) -> Result<()> {
    let cast = Format::get(cast).ok_or(Error::Invalid("a texture is not cast to a format that is none"))?;
    if cast.block_bytes != own.block_bytes {
        return Err(Error::Invalid("a texture cannot be cast to formats of other sizes"));
    }
    if cast.is_block_compressed() && !own.is_block_compressed() {
        return Err(Error::Invalid("a texture of texels cannot be cast to blocks"));
    }
    if cast.is_block_compressed() && cast.family != own.family {
        return Err(Error::Unsupported("casts between kinds of blocks: Vulkan has none"));
    }
    Ok(())
}

/// Whether a texture of blocks is also seen as texels.
pub fn is_seen_as_texels(format: &Format, casts: &[DXGI_FORMAT]) -> bool {
    let texels = |cast: &DXGI_FORMAT| Format::get(*cast).is_some_and(|cast| !cast.is_block_compressed());
    format.is_block_compressed() && casts.iter().any(texels)
}

fn uses(desc: &D3D12_RESOURCE_DESC1, format: &Format, casts: &[DXGI_FORMAT]) -> Result<()> {
    let depth = has(desc, Flags::ALLOW_DEPTH_STENCIL);
    let others = Flags::ALLOW_RENDER_TARGET.0 | Flags::ALLOW_UNORDERED_ACCESS.0 | Flags::ALLOW_SIMULTANEOUS_ACCESS.0;
    if depth && desc.Flags.0 & others != 0 {
        return Err(Error::Invalid("a texture with depth cannot be a render target, a UAV or shared between queues"));
    }
    if has(desc, Flags::DENY_SHADER_RESOURCE) && !depth {
        return Err(Error::Invalid("DENY_SHADER_RESOURCE is for textures with depth"));
    }
    if depth && (desc.Dimension == Dimension::TEXTURE3D || depth_variant(format).is_none()) {
        return Err(Error::Invalid("no depth in such a texture"));
    }
    let writes = Flags::ALLOW_RENDER_TARGET.0 | Flags::ALLOW_UNORDERED_ACCESS.0;
    // A use that one of the formats has is enough.
    let blocks = format.is_block_compressed() && !is_seen_as_texels(format, casts);
    if desc.Flags.0 & writes != 0 && (blocks || format.has_depth() || format.has_stencil()) {
        return Err(Error::Invalid("neither a render target nor a UAV has such a format"));
    }
    if format.is_block_compressed() && desc.Dimension == Dimension::TEXTURE1D {
        return Err(Error::Invalid("blocks have two dimensions"));
    }
    if (format.has_depth() || format.has_stencil()) && desc.Dimension == Dimension::TEXTURE3D {
        return Err(Error::Invalid("volumes have no depth format"));
    }
    Ok(())
}

/// The depth format of a format's family, for textures with `ALLOW_DEPTH_STENCIL`. Formats that have depth are allowed there,
/// typeless ones, and those that show depth to shaders.
pub fn depth_variant(format: &Format) -> Option<&'static Format> {
    let shows = matches!(format.dxgi, DXGI_FORMAT::FORMAT_R32_FLOAT | DXGI_FORMAT::FORMAT_R16_UNORM);
    if !format.has_depth() && !format.is_typeless() && !shows {
        return None;
    }
    format.relatives().find(|other| other.kind == reprise_gpu::format::Encoding::Depth)
}

/// Whether a resource may begin in a state, in a heap of that type.
///
/// # Errors
/// It may not.
pub fn initial_state(desc: &D3D12_RESOURCE_DESC1, heap: &D3D12_HEAP_PROPERTIES, state: States) -> Result<()> {
    const READS: u32 = States::GENERIC_READ.0
        | States::DEPTH_READ.0
        | States::RESOLVE_SOURCE.0
        | States::SHADING_RATE_SOURCE.0
        | States::VIDEO_DECODE_READ.0
        | States::VIDEO_PROCESS_READ.0
        | States::VIDEO_ENCODE_READ.0;
    const WRITES: u32 = States::RENDER_TARGET.0
        | States::UNORDERED_ACCESS.0
        | States::DEPTH_WRITE.0
        | States::STREAM_OUT.0
        | States::COPY_DEST.0
        | States::RESOLVE_DEST.0;
    if state == States::RAYTRACING_ACCELERATION_STRUCTURE {
        // Without acceleration structures a device refuses what builds them.
        let fits = desc.Dimension == Dimension::BUFFER && desc.Flags.0 & Flags::ALLOW_UNORDERED_ACCESS.0 != 0;
        let own = heap.Type != D3D12_HEAP_TYPE::UPLOAD && heap.Type != D3D12_HEAP_TYPE::READBACK;
        return match fits && own {
            true => Ok(()),
            false => Err(Error::Invalid("the state of acceleration structures is for buffers that shaders may write")),
        };
    }
    if state.0 & !(READS | WRITES) != 0 {
        return Err(Error::Invalid("a state that this runtime does not have"));
    }
    // Depth may be written and read at once only as the API says: never in one state with others.
    if state.0 & WRITES != 0 && !state.0.is_power_of_two() {
        return Err(Error::Invalid("a state that writes stands alone"));
    }
    // Buffers begin in COMMON, whatever the program names.
    let texture = desc.Dimension != Dimension::BUFFER;
    let need = |states: u32, flag: Flags| texture && state.0 & states != 0 && !has(desc, flag);
    if need(States::RENDER_TARGET.0, Flags::ALLOW_RENDER_TARGET)
        || need(States::UNORDERED_ACCESS.0, Flags::ALLOW_UNORDERED_ACCESS)
        || need(States::DEPTH_WRITE.0 | States::DEPTH_READ.0, Flags::ALLOW_DEPTH_STENCIL)
    {
        return Err(Error::Invalid("the state needs a flag that the resource does not have"));
    }
    match heap.Type {
        D3D12_HEAP_TYPE::UPLOAD if state.0 & !States::GENERIC_READ.0 != 0 => {
            Err(Error::Invalid("resources in upload heaps begin in a state that only reads"))
        }
        D3D12_HEAP_TYPE::READBACK if state != States::COPY_DEST && state != States::COMMON => {
            Err(Error::Invalid("resources in readback heaps begin in COPY_DEST or COMMON"))
        }
        _ => Ok(()),
    }
}

/// Whether a resource may lie in a heap of that type.
///
/// # Errors
/// It may not.
pub fn heap_type(desc: &D3D12_RESOURCE_DESC1, heap: &D3D12_HEAP_PROPERTIES) -> Result<()> {
    if !matches!(heap.Type, D3D12_HEAP_TYPE::UPLOAD | D3D12_HEAP_TYPE::READBACK) {
        return Ok(());
    }
    if desc.Dimension != Dimension::BUFFER {
        return Err(Error::Invalid("upload and readback heaps hold buffers only"));
    }
    if desc.Flags.0 & (Flags::ALLOW_UNORDERED_ACCESS.0 | Flags::ALLOW_RENDER_TARGET.0) != 0 {
        return Err(Error::Invalid(
            "the GPU does not write resources in upload heaps, but by copies to readback heaps",
        ));
    }
    Ok(())
}

/// Whether a clear value suits a resource.
///
/// # Errors
/// It does not.
pub fn clear_value(desc: &D3D12_RESOURCE_DESC1, value: Option<&D3D12_CLEAR_VALUE>) -> Result<()> {
    let Some(value) = value else { return Ok(()) };
    if desc.Dimension == Dimension::BUFFER || !is_target(desc) {
        return Err(Error::Invalid("a clear value is for render targets and textures with depth"));
    }
    match (Format::get(value.Format), Format::get(desc.Format)) {
        (Some(clear), Some(own)) if clear.family == own.family && !clear.is_typeless() => Ok(()),
        _ => Err(Error::Invalid("the clear value's format is not one of the resource's views")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_buffers_that_shaders_write_hold_acceleration_structures() {
        let (structures, written) = (Flags::RAYTRACING_ACCELERATION_STRUCTURE, Flags::ALLOW_UNORDERED_ACCESS);
        let mut buffer = reprise_d3d12::description::buffer(65536, Flags(structures.0 | written.0));
        assert!(complete(&newer(&buffer), &[]).is_ok());
        buffer.Flags = structures;
        assert!(complete(&newer(&buffer), &[]).is_err());
        buffer.Flags = Flags(structures.0 | written.0);
        buffer.Dimension = Dimension::TEXTURE2D;
        (buffer.Layout, buffer.Format) = (Layout::LAYOUT_UNKNOWN, DXGI_FORMAT::FORMAT_R8_UNORM);
        assert!(complete(&newer(&buffer), &[]).is_err());
    }

    /// As the specification of tight alignment has it: none is said, and none is greater than without.
    #[test]
    fn tight_alignment_is_never_greater_and_never_chosen() {
        let texture = D3D12_RESOURCE_DESC1 {
            Dimension: Dimension::TEXTURE2D,
            Width: 16,
            Height: 16,
            DepthOrArraySize: 1,
            MipLevels: 1,
            Format: DXGI_FORMAT::FORMAT_R8_UNORM,
            SampleDesc: reprise_d3d12::types::DXGI_SAMPLE_DESC { Count: 1, Quality: 0 },
            ..Default::default()
        };
        let buffer = D3D12_RESOURCE_DESC1 {
            Dimension: Dimension::BUFFER,
            Height: 1,
            Format: DXGI_FORMAT::FORMAT_UNKNOWN,
            Layout: Layout::LAYOUT_ROW_MAJOR,
            ..texture
        };
        let large = D3D12_RESOURCE_DESC1 { Width: 512, Height: 512, ..texture };
        let target = D3D12_RESOURCE_DESC1 { Flags: Flags::ALLOW_RENDER_TARGET, ..texture };
        let samples = D3D12_RESOURCE_DESC1 {
            SampleDesc: reprise_d3d12::types::DXGI_SAMPLE_DESC { Count: 4, Quality: 0 },
            ..target
        };
        let rows =
            [(buffer, 256), (texture, ALIGNMENT_SMALL), (large, ALIGNMENT), (target, ALIGNMENT), (samples, ALIGNMENT)];
        for (desc, expected) in rows {
            let loose = complete(&desc, &[]).map(|desc| desc.Alignment);
            let mut tight = desc;
            tight.Flags.0 |= Flags::USE_TIGHT_ALIGNMENT.0;
            let found = complete(&tight, &[]).map(|desc| desc.Alignment);
            assert_eq!(found, Ok(expected));
            assert!(found.ok() <= loose.ok());
            tight.Alignment = ALIGNMENT;
            assert!(complete(&tight, &[]).is_err(), "an alignment of its own");
        }
    }

    /// The standard pattern is a quality of any count of samples (`DXGI_SAMPLE_DESC`), and stays in the description.
    #[test]
    fn qualities_are_the_first_and_the_standard_pattern() {
        let rows = [(0, true), (u32::MAX, true), (u32::MAX - 1, false), (1, false)];
        for (quality, allowed) in rows {
            for (count, flags) in [(1, Flags::NONE), (1, Flags::ALLOW_RENDER_TARGET), (4, Flags::ALLOW_RENDER_TARGET)] {
                let desc = D3D12_RESOURCE_DESC1 {
                    Dimension: Dimension::TEXTURE2D,
                    Width: 16,
                    Height: 16,
                    DepthOrArraySize: 1,
                    MipLevels: 1,
                    Format: DXGI_FORMAT::FORMAT_R8_UNORM,
                    SampleDesc: reprise_d3d12::types::DXGI_SAMPLE_DESC { Count: count, Quality: quality },
                    Flags: flags,
                    ..Default::default()
                };
                let found = complete(&desc, &[]).map(|desc| desc.SampleDesc.Quality).ok();
                assert_eq!(found, allowed.then_some(quality), "{count} of quality {quality}");
            }
        }
    }

    /// The API's rules: sizes agree, blocks may be seen as texels and not the other way round, one format with a use is enough.
    #[test]
    fn casts_keep_sizes_and_lend_their_uses() {
        type F = DXGI_FORMAT;
        let desc = |format: F, flags: Flags| D3D12_RESOURCE_DESC1 {
            Dimension: Dimension::TEXTURE2D,
            Width: 64,
            Height: 64,
            DepthOrArraySize: 1,
            MipLevels: 1,
            Format: format,
            SampleDesc: reprise_d3d12::types::DXGI_SAMPLE_DESC { Count: 1, Quality: 0 },
            Flags: flags,
            ..Default::default()
        };
        let (none, target, depth) = (Flags::NONE, Flags::ALLOW_RENDER_TARGET, Flags::ALLOW_DEPTH_STENCIL);
        let rows: [(F, Flags, &[F], bool); 10] = [
            (F::FORMAT_R32_UINT, none, &[F::FORMAT_R16G16_FLOAT, F::FORMAT_R9G9B9E5_SHAREDEXP], true),
            (F::FORMAT_R32_UINT, none, &[F::FORMAT_R16_FLOAT], false),
            (F::FORMAT_R32_UINT, none, &[F::FORMAT_UNKNOWN], false),
            (F::FORMAT_R32G32_UINT, none, &[F::FORMAT_BC1_UNORM], false),
            (F::FORMAT_BC1_UNORM, none, &[F::FORMAT_R32G32_UINT], true),
            (F::FORMAT_BC1_UNORM, target, &[F::FORMAT_BC1_UNORM_SRGB], false),
            (F::FORMAT_BC1_UNORM, target, &[F::FORMAT_R32G32_UINT], true),
            (F::FORMAT_R32_FLOAT, depth, &[], true),
            (F::FORMAT_R16_UNORM, depth, &[F::FORMAT_D16_UNORM], true),
            (F::FORMAT_R8G8B8A8_UINT, depth, &[], false),
        ];
        for (format, flags, casts, allowed) in rows {
            assert_eq!(complete(&desc(format, flags), casts).is_ok(), allowed, "{format:?} {flags:?} to {casts:?}");
        }
    }
}
