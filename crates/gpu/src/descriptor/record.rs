//! Descriptors as plain data.

use core::ffi::c_void;

use ash::vk;
use ash::vk::Handle;

use crate::descriptor::offset::Entry;
use crate::lifetime;

/// What a record is. Numbers are kept as bytes; 0 is what new heaps hold.
#[repr(u8)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RecordKind {
    /// Nothing yet; reads as null.
    #[default]
    Empty,
    /// Constant buffer: `buffer`, `offset`, `range`.
    ConstantBuffer,
    /// Texture that is read: `view`, `layout`.
    SampledImage,
    /// Texture that is written: `view`, `layout`.
    StorageImage,
    /// Buffer that is read: raw `buffer`, `offset`, `range`; typed `view`; `entry`.
    ReadBuffer,
    /// Buffer that is written: as `ReadBuffer`, and `first` is the address of the counter.
    WriteBuffer,
    /// Sampler: `view`.
    Sampler,
    /// Render target: `view` and the rest in `target`.
    RenderTarget,
    /// Depth-stencil target: `view` and the rest in `target`.
    DepthStencil,
    /// Acceleration structure: `first` is its address, 0 is null.
    Acceleration,
}

/// A descriptor. In heaps of render and depth targets the record is all there is; in others it is what
/// [`publish`](crate::descriptor::publish) writes into sets.
///
/// The fields lie so that Vulkan's structures are parts of a record: `first` to `word` are a `VkDescriptorImageInfo`, `view`
/// is a texel buffer's `VkBufferView`, and `buffer` to `range` are a `VkDescriptorBufferInfo`.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
pub struct Record {
    /// `VkSampler` of samplers; device address of the counter, or 0, of written buffers; device address of acceleration
    /// structures; the caller's number of the resource of targets. Of what is written in texels of 64 bits, the number of the view
    /// for atomics on them, or 0.
    pub first: u64,
    /// `VkImageView` or `VkBufferView`; 0 is null.
    pub view: u64,
    /// `VkImageLayout` of textures, `VkFormat` of targets; the number of a buffer's lifetime, where Vulkan's handles are copied.
    pub word: i32,
    /// What it is.
    pub kind: RecordKind,
    /// Targets: `D3D12_DSV_FLAGS`. What is written by shaders: number of the view's `DXGI_FORMAT`, 0 for words.
    pub flags: u8,
    /// Targets, and textures that are written: mip level.
    pub mip: u8,
    /// Targets: samples of a texel.
    pub samples: u8,
    /// `VkBuffer` of raw and constant buffers, 0 is null; `VkImage` of targets.
    pub buffer: u64,
    /// Bytes from the buffer's beginning; width and height (high half) of targets; the number of a texture's lifetime.
    pub offset: u64,
    /// Bytes; first layer and number of layers (high half) of targets and of textures that are written; `VkSampler` that does as a
    /// sampler does, but for its comparison.
    pub range: u64,
    /// Exact place of buffer views.
    pub entry: Entry,
}

impl RecordKind {
    /// Kinds.
    pub const COUNT: usize = RecordKind::ALL.len();
    /// All kinds, in the order of their numbers.
    pub const ALL: [RecordKind; 10] = [
        RecordKind::Empty,
        RecordKind::ConstantBuffer,
        RecordKind::SampledImage,
        RecordKind::StorageImage,
        RecordKind::ReadBuffer,
        RecordKind::WriteBuffer,
        RecordKind::Sampler,
        RecordKind::RenderTarget,
        RecordKind::DepthStencil,
        RecordKind::Acceleration,
    ];
}

impl Record {
    /// Nothing.
    pub const EMPTY: Record = Record {
        first: 0,
        view: 0,
        word: 0,
        kind: RecordKind::Empty,
        flags: 0,
        mip: 0,
        samples: 0,
        buffer: 0,
        offset: 0,
        range: 0,
        entry: Entry { byte_offset: 0, byte_count: 0, element_offset: 0, element_count: 0 },
    };

    /// Null of a kind.
    pub const fn null(kind: RecordKind) -> Record {
        // As Vulkan wants null buffers to be described.
        Record { kind, range: vk::WHOLE_SIZE, ..Record::EMPTY }
    }

    /// What the record puts into the side buffer, or 0: the address of a counter or of an acceleration structure, which have no other
    /// descriptor; or the number of a view of 64-bit texels ([`wide`](crate::wide)).
    #[inline(always)]
    pub fn address(&self) -> u64 {
        match self.kind {
            RecordKind::WriteBuffer | RecordKind::StorageImage | RecordKind::Acceleration => self.first,
            _ => 0,
        }
    }

    /// Whether a texture or buffer is null. Acceleration structures always are: Vulkan has no descriptor of them here.
    #[inline(always)]
    pub fn is_null(&self) -> bool {
        self.view | self.buffer == 0
    }

    /// The number of the lifetime of what the record names; 0 where it is not known.
    #[inline(always)]
    fn lifetime(&self) -> u32 {
        match self.kind {
            RecordKind::ConstantBuffer | RecordKind::ReadBuffer | RecordKind::WriteBuffer => self.word as u32,
            RecordKind::SampledImage | RecordKind::StorageImage => self.offset as u32,
            _ => 0,
        }
    }

    /// The record, or null of its kind where what it names is gone: Vulkan does not take handles of what is gone.
    #[inline(always)]
    pub(super) fn lasting(self) -> Record {
        if lifetime::lasts(self.lifetime()) { self } else { self.gone() }
    }

    #[cold]
    fn gone(self) -> Record {
        reprise_log::warning_once("a copied descriptor is null:", "its resource is released");
        Record::null(self.kind)
    }

    /// The image view of textures and targets.
    #[inline(always)]
    pub fn image_view(&self) -> vk::ImageView {
        vk::ImageView::from_raw(self.view)
    }

    /// The texel view of buffers.
    #[inline(always)]
    pub fn buffer_view(&self) -> vk::BufferView {
        vk::BufferView::from_raw(self.view)
    }

    /// The sampler.
    #[inline(always)]
    pub fn sampler(&self) -> vk::Sampler {
        vk::Sampler::from_raw(self.first)
    }

    /// The raw or constant buffer.
    #[inline(always)]
    pub fn buffer(&self) -> vk::Buffer {
        vk::Buffer::from_raw(self.buffer)
    }

    /// The layout of a texture.
    #[inline(always)]
    pub fn layout(&self) -> vk::ImageLayout {
        vk::ImageLayout::from_raw(self.word)
    }

    /// A render or depth-stencil target; `None` for other records, `Some` with a null view for null targets.
    pub fn target(&self) -> Option<Target> {
        matches!(self.kind, RecordKind::RenderTarget | RecordKind::DepthStencil).then(|| Target {
            view: self.image_view(),
            resource: self.first as *mut c_void,
            image: vk::Image::from_raw(self.buffer),
            format: vk::Format::from_raw(self.word),
            width: self.offset as u32,
            height: (self.offset >> 32) as u32,
            mip: self.mip.into(),
            first_layer: self.range as u32,
            layers: (self.range >> 32) as u32,
            samples: self.samples.into(),
            flags: self.flags.into(),
        })
    }
}

/// What a command list needs of a target.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The view; null for null targets.
    pub view: vk::ImageView,
    /// The caller's number of the resource, and then its pointer to it: this crate looks at neither. Null for null targets.
    pub resource: *mut c_void,
    /// The resource's image.
    pub image: vk::Image,
    /// The view's format.
    pub format: vk::Format,
    /// Texels of the mip level.
    pub width: u32,
    /// Texels of the mip level.
    pub height: u32,
    /// The mip level.
    pub mip: u32,
    /// First array layer; first depth slice of 3D textures.
    pub first_layer: u32,
    /// Layers or depth slices.
    pub layers: u32,
    /// Samples of a texel.
    pub samples: u32,
    /// `D3D12_DSV_FLAGS`: 1 depth is only read, 2 stencil is only read.
    pub flags: u32,
}

const _: () = assert!(size_of::<Record>() == 64);
const _: () =
    assert!(core::mem::offset_of!(Record, view) == core::mem::offset_of!(vk::DescriptorImageInfo, image_view));
const _: () =
    assert!(core::mem::offset_of!(Record, word) == core::mem::offset_of!(vk::DescriptorImageInfo, image_layout));
const _: () = assert!(size_of::<vk::DescriptorImageInfo>() == core::mem::offset_of!(Record, buffer));
const _: () = assert!(core::mem::offset_of!(Record, range) - core::mem::offset_of!(Record, buffer) == 16);
