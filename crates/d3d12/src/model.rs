//! The vocabulary of the model: what a method, a parameter and a structure can be.
//!
//! Tables of these types are generated (`src/generated/`); they are plain constants, so that a calling-convention thunk
//! can be specialised on its method at compile time, and a tool can walk them at run time.
//!
//! All offsets and sizes are bytes of the x86-64 layout, which is the same on Windows, Wine and Linux for everything in
//! the model: `LONG` and `BOOL` are 32 bit, text units are stated by [`Len::Text`].

#![allow(missing_docs)] // Names of fields and variants say it; where they do not, a comment does.

/// An interface id, in the field order of the Windows `GUID`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct Guid {
    pub data1: u32,
    pub data2: u16,
    pub data3: u16,
    pub data4: [u8; 8],
}

/// Index into the table of interfaces.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct InterfaceId(pub u16);
/// Index into the one flat table of methods and functions; written to traces.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct MethodId(pub u16);
/// Index into the table of structures.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct StructId(pub u16);
/// Index into the table of enumerations.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct EnumId(pub u16);

/// A COM interface. Slots `0..first_slot` belong to its bases.
#[derive(Debug)]
pub struct Interface {
    pub name: &'static str,
    pub iid: Guid,
    /// `None` for `IUnknown` and for the few interfaces that have no `IUnknown` (shader reflection).
    pub base: Option<InterfaceId>,
    /// Number of vtable slots inherited.
    pub first_slot: u16,
    /// Own methods: `METHODS[first_method..first_method + method_count]`, in slot order.
    pub first_method: MethodId,
    pub method_count: u16,
    /// The newest interface of the same chain of versions (`ID3D12Device` → `ID3D12Device15`); itself where none is newer.
    pub family: InterfaceId,
}

/// A method of an interface, or an exported function (`interface` is `None`).
#[derive(Debug)]
pub struct Method {
    pub name: &'static str,
    pub interface: Option<InterfaceId>,
    /// Slot in the vtable; 0 for functions.
    pub slot: u16,
    /// Without `this`. A method that returns a structure has the hidden out pointer as parameter 0
    /// ([`Method::returns_structure`]) and returns that pointer. `offset` is the place in the packed argument block.
    pub params: &'static [Field],
    pub result: Type,
    /// What the result means; `result` has no field of its own to say so.
    pub result_role: Role,
    /// Bytes of the packed argument block (natural alignment, in declared order), a multiple of 8.
    pub args_size: u16,
    pub returns_structure: bool,
    pub order: Order,
}

/// How a call takes its place in the order of the trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// The API demands external synchronisation on the object and the call returns nothing, neither by value nor through
    /// a pointer: the object's own plain ordinal is the order, and only an enter record is written.
    Object,
    /// A global sequence number at enter; it returns nothing, so there is no leave record.
    Enter,
    /// A global sequence number at enter and at leave.
    EnterLeave,
}

/// The type of a parameter, field, element or result.
#[derive(Clone, Copy, Debug)]
pub enum Type {
    Void,
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    U64,
    I64,
    F32,
    F64,
    /// 32-bit boolean.
    Bool,
    Hresult,
    Guid,
    /// 32-bit enumeration or flag set.
    Enum(EnumId),
    /// By value (16 bytes or less when it is a parameter), or an element.
    Struct(StructId),
    /// A COM pointer: 8 bytes in memory, an object id in the trace.
    Object(InterfaceId),
    /// Pointer to data that belongs to the call.
    Pointer(&'static Pointee),
    /// A pointer-sized value that the call does not look through: handle, callback, context, address.
    Word,
}

#[derive(Debug)]
pub struct Pointee {
    pub ty: Type,
    pub len: Len,
}

/// How many elements a pointer points to. Indices name sibling parameters or fields of the same structure.
#[derive(Clone, Copy, Debug)]
pub enum Len {
    One,
    Const(u32),
    /// The value of a sibling.
    Field(u8),
    /// The sibling is itself a pointer to the count (in, out or both): its value after the call for outputs.
    Through(u8),
    /// The value of a sibling, in bytes (not elements).
    Bytes(u8),
    /// The sibling points to the count in bytes.
    BytesThrough(u8),
    /// Zero-terminated text; the element type (`U8`, `U16`) gives the unit.
    Text,
    /// Not expressible by a sibling: hand-written in the codec.
    Rule(Rule),
}

/// Lengths and formats that only code can tell. Each has one arm in the codec.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    /// `D3D12_PIPELINE_STATE_STREAM_DESC`: typed subobjects (`Model::selects`, "PipelineStream"), each aligned to 8 bytes.
    PipelineStream,
    /// `D3D12_STATE_SUBOBJECT::pDesc`: the structure named by `Type` (`Model::selects`, "StateSubobject").
    StateSubobject,
    /// Points at an element of the array that holds the parent's parent (`pSubobjectToAssociate`).
    StateSubobjectReference,
    /// `CheckFeatureSupport`: the structure named by the feature, `FeatureSupportDataSize` bytes. The table of choices is the
    /// one of `Model::selects` whose selector is the enumeration of parameter 0.
    FeatureData,
    /// `OMSetRenderTargets`: [`render_target_handles`].
    RenderTargets,
    /// `WriteToSubresource` / `ReadFromSubresource`: pitches, box and the resource's description.
    SubresourceData,
    /// `Map`: the mapped pointer, whose bytes are recorded as memory events.
    Mapping,
    /// `GetResourceAllocationInfo3`: an array of arrays.
    CastableFormats,
    /// Returned storage that the callee owns, of a size found elsewhere (`GetBufferPointer`, DRED lists).
    CalleeOwned,
    /// Array of pointers to structures, selected by a layout field (`D3D12_ELEMENTS_LAYOUT`).
    ElementsLayout,
    /// Everything else: the codec matches on the owner's name. A missing arm fails the coverage test.
    Named(&'static str),
}

/// How many handles `OMSetRenderTargets` reads behind `pRenderTargetDescriptors` ([`Rule::RenderTargets`]), by
/// `NumRenderTargetDescriptors` and `RTsSingleHandleToDescriptorRange`: the first of a range stands for all of it.
pub const fn render_target_handles(count: u64, single_range: bool) -> u64 {
    if single_range && count > 1 { 1 } else { count }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    In,
    Out,
    InOut,
}

/// A parameter, or a field of a structure.
#[derive(Debug)]
pub struct Field {
    pub name: &'static str,
    pub ty: Type,
    /// In the packed argument block or the structure.
    pub offset: u32,
    /// Inline array length; 1 for a plain field.
    pub count: u16,
    /// Of what the pointer points to; `In` for everything inside a structure that is passed in.
    pub direction: Direction,
    pub optional: bool,
    pub role: Role,
    /// Member of a union: active when the selector matches.
    pub arm: Option<Arm>,
    /// For an output object of type `void **`: the parameter that holds the interface id, and the class of what comes out
    /// (`None` where any object may: `GetDevice` and the like are stated, `QueryInterface` is not). The class is a family's
    /// newest interface. It can be a base of what really comes out (`CreateCommandList`): when the interface that was asked
    /// for derives from the class, its family is the better answer.
    pub iid: Option<u8>,
    pub class: Option<InterfaceId>,
}

/// When a member of a union is the one in use.
#[derive(Clone, Copy, Debug)]
pub struct Arm {
    /// Sibling field (same structure).
    pub selector: u8,
    pub values: &'static [i64],
    /// Active when the selector is *not* among the values.
    pub inverted: bool,
}

/// What a value means beyond its type; on a pointer, what its elements mean.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    Plain,
    CpuDescriptor,
    GpuDescriptor,
    GpuAddress,
    /// Bytes or elements of GPU memory.
    Size,
    /// Event handle that the runtime signals.
    Event,
    /// Handle to an object shared between processes.
    SharedHandle,
    Callback,
    /// Given back to a callback as it is.
    Context,
    Text,
    Blob(BlobKind),
    Iid,
    /// An address in the program's own memory, of no meaning elsewhere.
    CpuAddress,
    /// A window or a Vulkan handle: named in dumps, never passed on at replay.
    Foreign,
    /// Reserved; must be null.
    Reserved,
    /// Colours, factors: floats that a dump prints as an array.
    Color,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BlobKind {
    Bytes,
    Shader,
    RootSignature,
    CachedPipeline,
    PrivateData,
    Marker,
    Texels,
}

/// A structure or union; members of anonymous unions are flattened into their parent, each with an [`Arm`].
#[derive(Debug)]
pub struct Struct {
    pub name: &'static str,
    pub size: u32,
    pub align: u8,
    /// Neither pointers nor objects anywhere inside: its bytes are the whole value.
    pub flat: bool,
    pub fields: &'static [Field],
}

/// How the Rust compiler lays a binary type out; compared with [`Struct`] by a test.
#[derive(Debug)]
pub struct Layout {
    pub name: &'static str,
    pub size: usize,
    pub align: usize,
    pub fields: &'static [(&'static str, usize)],
}

#[derive(Debug)]
pub struct Enum {
    pub name: &'static str,
    pub flags: bool,
    pub members: &'static [(&'static str, i64)],
}

/// A table from an enumeration to types: what a tagged untyped pointer points to (`FeatureData`, `StateSubobject`, ..).
#[derive(Debug)]
pub struct Select {
    pub name: &'static str,
    /// The enumeration whose value selects.
    pub selector: EnumId,
    /// By rising value; a value that is missing selects nothing that is known.
    pub cases: &'static [(i64, Type)],
}

/// The tables together: the built-in model, or one read from a trace.
#[derive(Clone, Copy, Debug)]
pub struct Model {
    pub interfaces: &'static [Interface],
    pub methods: &'static [Method],
    pub structs: &'static [Struct],
    pub enums: &'static [Enum],
    pub selects: &'static [Select],
}

impl Guid {
    /// From the 32 hexadecimal digits of its text form, read as one number.
    pub const fn from_u128(digits: u128) -> Self {
        let b = digits.to_be_bytes();
        Self {
            data1: (digits >> 96) as u32,
            data2: (digits >> 80) as u16,
            data3: (digits >> 64) as u16,
            data4: [b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]],
        }
    }

    /// The inverse of [`Guid::from_u128`]; also the order of the table by interface id.
    pub const fn to_u128(self) -> u128 {
        let head = ((self.data1 as u128) << 96) | ((self.data2 as u128) << 80) | ((self.data3 as u128) << 64);
        head | u64::from_be_bytes(self.data4) as u128
    }
}

impl core::fmt::Debug for Guid {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        core::fmt::Display::fmt(self, f)
    }
}

impl core::fmt::Display for Guid {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let d = &self.data4;
        write!(f, "{:08x}-{:04x}-{:04x}-{:02x}{:02x}-", self.data1, self.data2, self.data3, d[0], d[1])?;
        d[2..].iter().try_for_each(|b| write!(f, "{b:02x}"))
    }
}

impl Type {
    /// Size in bytes within memory of the program.
    pub const fn size(self, structs: &[Struct]) -> u32 {
        match self {
            Type::Void => 0,
            Type::U8 | Type::I8 => 1,
            Type::U16 | Type::I16 => 2,
            Type::U32 | Type::I32 | Type::F32 | Type::Bool | Type::Hresult | Type::Enum(_) => 4,
            Type::U64 | Type::I64 | Type::F64 | Type::Object(_) | Type::Pointer(_) | Type::Word => 8,
            Type::Guid => 16,
            Type::Struct(s) => structs[s.0 as usize].size,
        }
    }

    /// Alignment in bytes.
    pub const fn align(self, structs: &[Struct]) -> u32 {
        match self {
            Type::Void => 1,
            Type::Guid => 4,
            Type::Struct(s) => structs[s.0 as usize].align as u32,
            other => other.size(structs),
        }
    }
}
