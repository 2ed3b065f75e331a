//! What `reprise state --json` prints: the types are the format.
//!
//! Numbers of calls are those of `dump`; frames count from 1. Addresses and handles are text in hexadecimal, as in `dump`. What
//! is not set is `null` or absent; a setting has `call`, the call that set it.

use crate::uses::UsageReport;
use serde::Serialize;
use serde_json::{Map, Value as Json};

/// The state as a call found it.
#[derive(Debug, Serialize)]
pub struct Report {
    /// The call.
    pub call: CallReport,
    /// The list that it was made on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub list: Option<ListReport>,
    /// What the list has set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<BoundReport>,
    /// Of a dispatch of rays: its shader tables, but for those that are not there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shader_tables: Option<Vec<TableReport>>,
    /// Acceleration structures that it makes, copies, or can reach; then those of their instances.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub structures: Vec<StructureReport>,
    /// The queue that it was made on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<QueueReport>,
    /// The object that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<ObjectReport>,
    /// How it is used around the call, where that was asked for and it is a resource.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<UsageReport>,
    /// All fences.
    pub fences: Vec<FenceReport>,
    /// Calls before this one whose arguments could not be read, and the first of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub damaged: Option<Damaged>,
}

#[derive(Debug, Serialize)]
pub struct Damaged {
    pub calls: u64,
    pub first: u64,
    pub error: String,
}

#[derive(Debug, Serialize)]
pub struct CallReport {
    pub call: u64,
    pub thread: u32,
    pub frame: u64,
    pub time_ns: u64,
    pub method: String,
    pub this: Option<ObjectRef>,
    pub args: Map<String, Json>,
}

/// An object by id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ObjectRef {
    /// As `dump` numbers objects.
    pub id: u32,
    /// `IUnknown` for objects that do not exist here.
    pub class: String,
    /// As the program named it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// It was released before this call.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub gone: bool,
}

/// An address, and where it lies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AddressRef {
    pub address: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource: Option<ObjectRef>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
}

/// A descriptor handle, and its slot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HandleRef {
    pub handle: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heap: Option<ObjectRef>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slot: Option<u32>,
}

#[derive(Debug, Serialize)]
pub struct ListReport {
    pub list: ObjectRef,
    /// `DIRECT`, `BUNDLE` and so on.
    pub kind: String,
    pub open: bool,
    pub allocator: Option<ObjectRef>,
    /// The call with which the recording began; absent before the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub begun: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed: Option<u64>,
    /// Calls recorded so far.
    pub calls: u64,
    /// First and last number of each run of them.
    pub call_ranges: Vec<[u64; 2]>,
    /// Events that are open, outermost first.
    pub markers: Vec<MarkerReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_marker: Option<MarkerReport>,
    /// Queries that have begun.
    pub queries: Vec<QueryReport>,
    /// States of resources by this recording's own barriers.
    pub barriers: Vec<BarrierReport>,
    /// The first submission that runs this recording.
    pub submission: Option<SubmissionReport>,
    /// Of a bundle: the lists that run this recording.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub run_by: Vec<RunReport>,
}

#[derive(Clone, Debug, Serialize)]
pub struct MarkerReport {
    pub text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub colour: Option<String>,
    pub call: u64,
}

#[derive(Debug, Serialize)]
pub struct QueryReport {
    pub heap: ObjectRef,
    #[serde(rename = "type")]
    pub kind: String,
    pub index: u32,
    pub call: u64,
}

#[derive(Debug, Serialize)]
pub struct BarrierReport {
    pub resource: ObjectRef,
    /// All subresources that are not named apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subresource: Option<u32>,
    pub state: String,
    pub call: u64,
}

#[derive(Clone, Debug, Serialize)]
pub struct SubmissionReport {
    /// Among all submissions, from 1.
    pub number: u64,
    pub call: u64,
    pub frame: u64,
    pub queue: u32,
    pub lists: Vec<RanReport>,
}

#[derive(Clone, Debug, Serialize)]
pub struct RanReport {
    pub list: u32,
    /// The call with which the recording began.
    pub begun: u64,
    pub calls: u64,
}

#[derive(Clone, Debug, Serialize)]
pub struct RunReport {
    /// The call of `ExecuteBundle`.
    pub call: u64,
    pub list: u32,
    /// The call with which the list's recording began.
    pub begun: u64,
}

/// A value, and the call that set it.
#[derive(Clone, Debug, Serialize)]
pub struct Set<T> {
    pub value: T,
    pub call: u64,
}

/// What is set.
#[derive(Debug, Serialize)]
pub struct BoundReport {
    /// What the call does with it: `draw`, `draw_indexed`, `draw_mesh`, `dispatch`, `dispatch_rays`, `dispatch_graph`, `indirect`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<&'static str>,
    /// In a bundle: the run of it whose list's settings are included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inherited: Option<RunReport>,
    pub pipeline: Option<PipelineReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub graphics: Option<RootsReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compute: Option<RootsReport>,
    pub descriptor_heaps: Option<Set<Vec<ObjectRef>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<OutputReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<InputReport>,
    pub predication: Option<Set<PredicationReport>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protected_session: Option<Set<ObjectRef>>,
}

#[derive(Debug, Serialize)]
pub struct PipelineReport {
    pub object: Option<ObjectRef>,
    /// `pipeline`, `state_object` or `program`.
    pub kind: &'static str,
    pub call: u64,
    pub root_signature: Option<ObjectRef>,
    pub shaders: Vec<ShaderReport>,
}

#[derive(Debug, Serialize)]
pub struct ShaderReport {
    /// The argument that it is, as in `VS`.
    pub stage: String,
    /// XXH3-128 of the bytes: the name of its file in `extract`.
    pub hash: Option<String>,
    pub bytes: u64,
}

#[derive(Debug, Serialize)]
pub struct RootsReport {
    pub signature: Option<Set<ObjectRef>>,
    /// Why the root signature could not be read; arguments then stand alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    pub arguments: Vec<ArgumentReport>,
}

#[derive(Debug, Serialize)]
pub struct ArgumentReport {
    pub parameter: u32,
    /// The call that set it; null: it is not set.
    pub call: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visibility: Option<String>,
    #[serde(flatten)]
    pub content: ContentReport,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ContentReport {
    /// Root constants.
    Constants {
        register: Option<String>,
        /// Null where a word is not set.
        words: Vec<Option<u32>>,
    },
    /// A root descriptor.
    Descriptor {
        register: Option<String>,
        /// `cbv`, `srv` or `uav`.
        view: &'static str,
        location: Option<AddressRef>,
    },
    /// A descriptor table.
    Table { start: Option<HandleRef>, ranges: Vec<RangeReport> },
}

#[derive(Debug, Serialize)]
pub struct RangeReport {
    /// The first register.
    pub register: String,
    /// Null for a range without an end.
    pub count: Option<u32>,
    /// The slot of its first descriptor.
    pub first: Option<u32>,
    /// What its slots hold, but for those that were never written.
    pub slots: Vec<SlotReport>,
    /// Slots that hold something and are left out here.
    #[serde(skip_serializing_if = "is_zero")]
    pub more: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// A slot of a descriptor heap.
#[derive(Clone, Debug, Serialize)]
pub struct SlotReport {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub register: Option<String>,
    pub slot: u32,
    #[serde(flatten)]
    pub descriptor: DescriptorReport,
}

#[derive(Clone, Debug, Serialize)]
pub struct DescriptorReport {
    /// `cbv`, `srv`, `uav`, `feedback`, `rtv`, `dsv` or `sampler`.
    pub view: &'static str,
    /// Null for a null view and for samplers.
    pub resource: Option<ObjectRef>,
    /// The counter, or the feedback texture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub second: Option<ObjectRef>,
    /// Of constants: where they lie.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<AddressRef>,
    /// Null where the program gave none.
    pub desc: Json,
    /// The call that wrote or copied it.
    pub call: u64,
    /// The slot that it was copied from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copied_from: Option<SlotRef>,
}

#[derive(Clone, Debug, Serialize)]
pub struct SlotRef {
    pub heap: u32,
    pub slot: u32,
}

#[derive(Debug, Serialize)]
pub struct OutputReport {
    pub targets: Option<Set<Vec<TargetReport>>>,
    pub depth: Option<TargetReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub render_pass: Option<Set<PassReport>>,
    /// Left, top, width, height, least and greatest depth.
    pub viewports: Option<Set<Vec<[f32; 6]>>>,
    /// Left, top, right, bottom.
    pub scissors: Option<Set<Vec<[i32; 4]>>>,
    pub blend_factor: Option<Set<[f32; 4]>>,
    /// Of front and back faces.
    pub stencil_ref: Option<Set<[u32; 2]>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth_bounds: Option<Set<[f32; 2]>>,
    /// Constant, clamp, slope.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth_bias: Option<Set<[f32; 3]>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sample_positions: Option<Set<Vec<(i8, i8)>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub view_instances: Option<Set<u32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shading_rate: Option<Set<(String, [String; 2])>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shading_rate_image: Option<Set<ObjectRef>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stream_output: Vec<StreamOutputReport>,
}

#[derive(Clone, Debug, Serialize)]
pub struct TargetReport {
    #[serde(flatten)]
    pub handle: HandleRef,
    /// As it was when the target was set; null where nothing was written there.
    pub descriptor: Option<DescriptorReport>,
}

#[derive(Clone, Debug, Serialize)]
pub struct PassReport {
    pub flags: String,
    /// How each target begins and ends.
    pub targets: Vec<[String; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<[String; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stencil: Option<[String; 2]>,
}

#[derive(Clone, Debug, Serialize)]
pub struct StreamOutputReport {
    pub slot: u32,
    pub location: AddressRef,
    pub bytes: u64,
    pub filled: AddressRef,
    pub call: u64,
}

#[derive(Debug, Serialize)]
pub struct InputReport {
    pub topology: Option<Set<String>>,
    pub index: Option<IndexReport>,
    pub vertices: Vec<VertexReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strip_cut: Option<Set<String>>,
}

#[derive(Debug, Serialize)]
pub struct IndexReport {
    pub location: AddressRef,
    pub bytes: u32,
    pub format: String,
    pub call: u64,
}

#[derive(Debug, Serialize)]
pub struct VertexReport {
    pub slot: u32,
    pub location: AddressRef,
    pub bytes: u32,
    pub stride: u32,
    pub call: u64,
}

#[derive(Clone, Debug, Serialize)]
pub struct PredicationReport {
    pub buffer: ObjectRef,
    pub offset: u64,
    pub operation: String,
}

/// A shader table.
#[derive(Debug, Serialize)]
pub struct TableReport {
    /// `ray_generation`, `miss`, `hit` or `callable`.
    pub table: &'static str,
    pub location: Option<AddressRef>,
    pub bytes: u64,
    /// Bytes from one record to the next; 0 where there is only one.
    pub stride: u64,
    pub records: Vec<RecordReport>,
    /// Records that are left out here.
    #[serde(skip_serializing_if = "is_zero")]
    pub more: u64,
    /// Why no records are told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unknown: Option<&'static str>,
}

/// A record of a shader table.
#[derive(Debug, Serialize)]
pub struct RecordReport {
    pub index: u64,
    /// Its 32 bytes in hexadecimal.
    pub identifier: String,
    /// The identifier is all zeros: nothing is run.
    pub null: bool,
    /// Null where the identifier is none that the program was told.
    pub export: Option<String>,
    /// `raygeneration`, `miss`, `callable`, `triangles` or `procedural`.
    pub kind: Option<&'static str>,
    /// Arguments of the local root signature.
    pub arguments: Vec<FieldReport>,
}

/// An argument in a record.
#[derive(Debug, Serialize)]
pub struct FieldReport {
    /// Bytes from the beginning of the record.
    pub offset: u32,
    #[serde(flatten)]
    pub value: FieldValue,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FieldValue {
    Constants(Vec<u32>),
    /// Null for the address 0.
    Address(Option<AddressRef>),
    Table(HandleRef),
    /// It lies behind the record's end.
    Outside,
}

/// An acceleration structure, as its inputs.
#[derive(Debug, Serialize)]
pub struct StructureReport {
    /// By which way the call comes to it: `made here`, `source`, `root parameter 1`, `root parameter 2, slot 3`, `hit record 0, +40`,
    /// `instance 0 of 0x…`.
    #[serde(rename = "use")]
    pub used_by: String,
    /// Where it lies.
    pub location: AddressRef,
    /// What put it there last, as calls were recorded.
    pub made: MadeReport,
    /// The build that it goes back to, through copies; null where the trace has none.
    pub build: Option<u64>,
    /// `top`, `bottom` or `unknown`.
    pub level: &'static str,
    /// Of a bottom level: geometries; the build's arguments have them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub geometries: Option<u32>,
    /// Of a top level.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instances: Option<InstancesReport>,
}

#[derive(Debug, Serialize)]
pub struct MadeReport {
    pub call: u64,
    /// `built`, `updated`, `cloned`, `compacted`, `serialised`, `deserialised` or `copied for tools`.
    pub how: &'static str,
    /// What it was updated or copied from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<AddressRef>,
}

/// Instances of a top level.
#[derive(Debug, Serialize)]
pub struct InstancesReport {
    pub count: u32,
    /// The first of them.
    pub list: Vec<InstanceReport>,
    /// Why none are told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unknown: Option<&'static str>,
}

/// `D3D12_RAYTRACING_INSTANCE_DESC`.
#[derive(Debug, Serialize)]
pub struct InstanceReport {
    /// Its number among the instances.
    pub index: u64,
    /// `InstanceID`.
    pub id: u32,
    /// `InstanceMask`.
    pub mask: u32,
    /// What it adds to the index of hit records.
    pub hit_group: u32,
    /// `D3D12_RAYTRACING_INSTANCE_FLAGS`.
    pub flags: u32,
    /// Three rows, from the bottom level's space to the world's.
    pub transform: [[f32; 4]; 3],
    /// Null where it has none.
    pub structure: Option<AddressRef>,
    /// The call that put that structure there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub made: Option<u64>,
    /// The address that it names.
    #[serde(skip)]
    pub at: u64,
}

#[derive(Debug, Serialize)]
pub struct QueueReport {
    pub queue: ObjectRef,
    pub kind: String,
    pub submissions: u64,
    pub last: Option<SubmissionReport>,
    pub signal: Option<SignalReport>,
    /// Waits for values that fences are not known to have reached.
    pub waits: Vec<WaitReport>,
    pub markers: Vec<MarkerReport>,
}

#[derive(Debug, Serialize)]
pub struct SignalReport {
    pub fence: u32,
    pub value: u64,
    pub call: u64,
}

#[derive(Debug, Serialize)]
pub struct WaitReport {
    pub fence: u32,
    pub value: u64,
    pub call: u64,
    /// Null: the program waits, by an event.
    pub queue: Option<u32>,
}

#[derive(Debug, Serialize)]
pub struct FenceReport {
    pub fence: ObjectRef,
    pub initial: u64,
    /// It has reached this value at least: it was seen there, or set by the processor.
    pub reached: u64,
    /// It is at most here when all queues are done.
    pub promised: u64,
    /// The last signal put into a queue.
    pub signalled: Option<QueueSignalReport>,
    /// The last signal of the processor.
    pub set: Option<ValueReport>,
    /// What the program saw last.
    pub seen: Option<ValueReport>,
    pub waits: Vec<WaitReport>,
}

#[derive(Debug, Serialize)]
pub struct QueueSignalReport {
    pub queue: u32,
    pub value: u64,
    pub call: u64,
}

#[derive(Debug, Serialize)]
pub struct ValueReport {
    pub value: u64,
    pub call: u64,
}

/// An object.
#[derive(Debug, Serialize)]
pub struct ObjectReport {
    pub object: ObjectRef,
    /// The call that gave it out first.
    pub created: u64,
    pub created_by: String,
    /// The object that it was made on.
    pub parent: Option<ObjectRef>,
    /// The call that released it for good, later than this call.
    pub released: Option<u64>,
    /// References that the program holds.
    pub references: u32,
    /// Live objects that need it.
    pub needed_by: u32,
    /// The arguments of its creation.
    pub creation: Map<String, Json>,
    /// What it holds, by its class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub descriptor_heap: Option<DescriptorHeapReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heap: Option<HeapReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource: Option<ResourceReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fence: Option<Vec<FenceEventReport>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<QueueHistoryReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub list: Option<ListReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pipeline: Option<PipelineReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root_signature: Option<Json>,
}

#[derive(Debug, Serialize)]
pub struct DescriptorHeapReport {
    #[serde(rename = "type")]
    pub kind: String,
    pub count: u32,
    /// Slots that were written.
    pub slots: Vec<SlotReport>,
}

#[derive(Debug, Serialize)]
pub struct HeapReport {
    pub bytes: u64,
    pub resident: bool,
    /// What lies in it, by offset.
    pub contents: Vec<PlacedReport>,
}

#[derive(Clone, Debug, Serialize)]
pub struct PlacedReport {
    pub offset: u64,
    pub bytes: u64,
    pub resource: ObjectRef,
    /// Of a reserved resource: the tile that lies here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tile: Option<u32>,
    /// Others that lie on some of the same bytes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub overlaps: Vec<u32>,
    /// Null where it has its memory alone, and of reserved resources.
    pub activity: Option<ActivityReport>,
}

/// Whether a resource that shares memory holds contents, once all that was submitted before the call has run.
#[derive(Clone, Debug, Serialize)]
pub struct ActivityReport {
    /// `active`; `inactive`: another one was used in its memory since; `unused`: nothing used it yet; `ambiguous`: a shader picked one of
    /// several by an index or an address, and only the GPU knows which.
    pub state: &'static str,
    /// The call that made it so; null where it lay there before anything shared its memory.
    pub call: Option<u64>,
    /// The method of that call: `…::ResourceBarrier` is an aliasing barrier.
    pub method: Option<String>,
    /// Of an inactive one: what was used in its memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other: Option<ObjectRef>,
}

#[derive(Debug, Serialize)]
pub struct ResourceReport {
    /// `committed`, `placed`, `reserved` or `unknown`.
    pub place: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heap: Option<ObjectRef>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    pub bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    pub resident: bool,
    /// Tiles that are mapped.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tiles: Vec<TilesReport>,
    /// Subresources that are mapped.
    pub mapped: Vec<MappedReport>,
    /// Resources that lie on some of the same bytes.
    pub overlaps: Vec<OverlapReport>,
    /// Null where it has its memory alone, and of reserved resources.
    pub activity: Option<ActivityReport>,
    /// Slots of descriptor heaps that hold a view of it.
    pub views: Vec<ViewedReport>,
}

#[derive(Debug, Serialize)]
pub struct TilesReport {
    pub first: u32,
    pub count: u32,
    pub heap: u32,
    /// Of the heap.
    pub tile: u32,
    pub call: u64,
}

#[derive(Debug, Serialize)]
pub struct MappedReport {
    pub subresource: u32,
    pub address: String,
    pub bytes: u64,
    pub maps: u32,
}

#[derive(Debug, Serialize)]
pub struct OverlapReport {
    pub resource: ObjectRef,
    pub heap: u32,
    pub offset: u64,
    pub bytes: u64,
}

#[derive(Debug, Serialize)]
pub struct ViewedReport {
    pub heap: u32,
    pub slot: u32,
    pub view: &'static str,
    pub call: u64,
}

#[derive(Debug, Serialize)]
pub struct FenceEventReport {
    pub call: u64,
    pub value: u64,
    /// `made`, `signalled`, `set`, `queue_waits`, `program_waits` or `seen`.
    pub event: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<u32>,
}

#[derive(Debug, Serialize)]
pub struct QueueHistoryReport {
    #[serde(flatten)]
    pub now: QueueReport,
    /// Every submission before this call.
    pub history: Vec<SubmissionReport>,
}
