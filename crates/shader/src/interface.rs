//! What a shader's registers mean: the binding model, in the words of a root signature and of descriptor sets.
//!
//! All root arguments lie in one block of push constants: first `root_descriptors` device addresses of 8 bytes, then
//! `root_words` words of 4 (constants, then one word per descriptor table: its offset into the bound heap). A descriptor in
//! a table is found at `table word + (register - range's register) + range's offset + dynamic index` in an array that holds
//! the whole heap. A register belongs to the *first* binding that covers it, as in D3D12.

mod local;

pub use local::{Local, LocalParameter, LocalRange};

/// What kind of register a binding is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Class {
    /// `t` registers.
    Srv = 0,
    /// `u` registers.
    Uav = 1,
    /// `b` registers.
    Cbv = 2,
    /// `s` registers.
    Sampler = 3,
}

impl Class {
    /// The class by its number.
    pub fn from_number(number: u32) -> Option<Class> {
        [Class::Srv, Class::Uav, Class::Cbv, Class::Sampler].into_iter().find(|class| *class as u32 == number)
    }

    /// The letter of the class's registers.
    pub fn letter(self) -> char {
        ['t', 'u', 'b', 's'][self as usize]
    }
}

/// A place among descriptor sets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Slot {
    /// Number of the set.
    pub set: u32,
    /// Number of the binding in it.
    pub binding: u32,
}

/// Where what is bound to a range of registers is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// In a descriptor table.
    Table {
        /// Which of the `root_words` holds the table's offset into the heap.
        word: u32,
        /// Where the range begins in the table, in descriptors.
        offset: u32,
    },
    /// A root descriptor: which of the `root_descriptors` is its address.
    Address(u32),
    /// Root constants: the first of the `root_words` that hold them.
    Constants(u32),
    /// A descriptor of its own, for static samplers.
    Fixed(Slot),
}

/// A range of registers and where it leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Binding {
    /// What kind of register.
    pub class: Class,
    /// Register space.
    pub space: u32,
    /// First register.
    pub register: u32,
    /// Number of registers; `u32::MAX` is unbounded.
    pub count: u32,
    /// `D3D12_SHADER_VISIBILITY`.
    pub visibility: u32,
    /// Where the range leads.
    pub place: Place,
}

/// Where the arrays are that hold the bound heaps, one per type of descriptor. With mutable descriptors several may share
/// one slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Heaps {
    /// Sampled images.
    pub sampled_image: Slot,
    /// Storage images.
    pub storage_image: Slot,
    /// Typed buffers that are read.
    pub uniform_texel: Slot,
    /// Typed buffers that are written.
    pub storage_texel: Slot,
    /// Constant buffers.
    pub uniform_buffer: Slot,
    /// Raw and structured buffers, read or written.
    pub storage_buffer: Slot,
    /// Samplers.
    pub sampler: Slot,
    /// A storage buffer with 64 bits per descriptor: the address of a UAV's counter or of an acceleration structure, or the number of a
    /// view of 64-bit texels.
    pub addresses: Slot,
    /// A storage buffer with 16 bytes per descriptor, for buffers whose start is finer than the device's alignment:
    /// (first element, number of elements) of the raw view, then of the typed one.
    pub offsets: Slot,
    /// Textures of 64-bit texels, which are in no heap; see [`crate::wide`].
    pub wide_image: Slot,
    /// Typed buffers of 64-bit texels, likewise.
    pub wide_texel: Slot,
    /// How many there are of each; 0 on devices without atomics on them.
    pub wide_count: u32,
}

/// What a root signature says about registers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Interface {
    /// Number of root descriptors.
    pub root_descriptors: u32,
    /// Number of words behind them.
    pub root_words: u32,
    /// Where the block is when it is a uniform buffer, because it does not fit into push constants.
    pub overflow: Option<Slot>,
    /// In the root signature's order.
    pub bindings: Vec<Binding>,
    /// Where the bound heaps are.
    pub heaps: Heaps,
    /// Whether shaders may index the resource heap without a table (shader model 6.6).
    pub direct_resources: bool,
    /// The same for the sampler heap.
    pub direct_samplers: bool,
}

impl Interface {
    /// The binding that covers a register for a stage, and how far behind its start the register lies.
    pub fn find(&self, stage: crate::Stage, class: Class, space: u32, register: u32) -> Option<(&Binding, u32)> {
        self.bindings.iter().find_map(|binding| {
            let behind = register.checked_sub(binding.register)?;
            let here = binding.class == class
                && binding.space == space
                && behind < binding.count
                && stage.sees(binding.visibility);
            here.then_some((binding, behind))
        })
    }
}

/// Where an output of the last stage before the rasteriser, or a part of it, goes in stream output.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StreamOutput {
    /// Semantic name, without its index; compared without case.
    pub semantic: String,
    /// Semantic index.
    pub index: u32,
    /// Stream of a geometry shader.
    pub stream: u32,
    /// The first component that goes there, and how many do. Clip distances are counted over all of their indices, and have index 0;
    /// so are cull distances.
    pub first: u32,
    /// See `first`.
    pub count: u32,
    /// Where it begins in a vertex of the buffer, in bytes.
    pub offset: u32,
    /// Size of a vertex in the buffer, in bytes.
    pub stride: u32,
    /// Which of the four buffers.
    pub buffer: u32,
}

/// Where a value lies on its way from a mesh shader to the pixel shader.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Varying {
    /// Semantic name, without its index; compared without case.
    pub semantic: String,
    /// Semantic index.
    pub index: u32,
    /// Location.
    pub location: u32,
    /// First component in it, from 0 to 3.
    pub component: u32,
    /// It is a primitive's, not a vertex's.
    pub primitive: bool,
}

/// A layer or viewport index that the stage before a geometry shader writes, and the location at which that shader reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Passed {
    /// SPIR-V's number: 9 is the layer, 10 the viewport.
    pub built_in: u32,
    /// Location.
    pub location: u32,
    /// Component in it, from 0 to 3.
    pub component: u32,
}

/// How a stage takes part in view instances.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ViewInstances {
    /// It is the last stage before the rasteriser, which says where a view is drawn to.
    pub last: bool,
    /// Views have viewports other than the first one.
    pub viewports: bool,
}

/// What a pipeline says about the translation of one of its stages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Link {
    /// The entry point; needed for libraries only.
    pub entry: Option<String>,
    /// Pixel shader: two outputs are blended as two sources.
    pub dual_source: bool,
    /// Pixel shader: per target, which component of the output (2 bits each, red lowest) goes to red, green, blue, alpha.
    /// Empty leaves all as they are.
    pub swizzles: Vec<u32>,
    /// Pixel shader: the number of samples of the targets; 0 says nothing.
    pub samples: u32,
    /// Domain shader: [`crate::Spirv::patch_location_offset`] of the hull shader.
    pub patch_location_offset: u32,
    /// Last stage before the rasteriser: stream output.
    pub stream_outputs: Vec<StreamOutput>,
    /// Mesh shader, and the pixel shader behind it: what lies where on the way. Empty leaves everything in its register.
    pub varyings: Vec<Varying>,
    /// Geometry shader, and the stage before it: layers and viewports that are no more than values between them.
    pub passed: Vec<Passed>,
    /// Draws are for views: see [`crate::views`].
    pub views: Option<ViewInstances>,
    /// Ray tracing: what the local root signature says about registers.
    pub local: Option<Local>,
    /// Ray tracing: the pipeline's rays meet opacity micromaps.
    pub micromaps: bool,
}
