//! What `reprise state --json` prints: the types are the format.
//!
//! Numbers of calls are those of `dump`; frames count from 1. Addresses and handles are text in hexadecimal, as in `dump`. What
//! is not set is `null` or absent; a setting has `call`, the call that set it.

use serde::Serialize;
use serde_json::{Map, Value as Json};

/// The state as a call found it.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    /// The call.
    pub(crate) call: CallReport,
    /// The list that it was made on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) list: Option<ListReport>,
    /// What the list has set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) bound: Option<BoundReport>,
    /// Of a dispatch of rays: its shader tables, but for those that are not there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) shader_tables: Option<Vec<TableReport>>,
    /// Acceleration structures that it makes, copies, or can reach; then those of their instances.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) structures: Vec<StructureReport>,
    /// The queue that it was made on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) queue: Option<QueueReport>,
    /// The object that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) object: Option<ObjectReport>,
    /// All fences.
    pub(crate) fences: Vec<FenceReport>,
    /// Calls before this one whose arguments could not be read, and the first of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) damaged: Option<Damaged>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Damaged {
    pub(crate) calls: u64,
    pub(crate) first: u64,
    pub(crate) error: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct CallReport {
    pub(crate) call: u64,
    pub(crate) thread: u32,
    pub(crate) frame: u64,
    pub(crate) time_ns: u64,
    pub(crate) method: String,
    pub(crate) this: Option<ObjectRef>,
    pub(crate) args: Map<String, Json>,
}

/// An object by id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct ObjectRef {
    pub(crate) id: u32,
    /// `IUnknown` for objects that do not exist here.
    pub(crate) class: String,
    /// As the program named it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    /// It was released before this call.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) gone: bool,
}

/// An address, and where it lies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct AddressRef {
    pub(crate) address: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) resource: Option<ObjectRef>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) offset: Option<u64>,
}

/// A descriptor handle, and its slot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct HandleRef {
    pub(crate) handle: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) heap: Option<ObjectRef>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) slot: Option<u32>,
}

#[derive(Debug, Serialize)]
pub(crate) struct ListReport {
    pub(crate) list: ObjectRef,
    /// `DIRECT`, `BUNDLE` and so on.
    pub(crate) kind: String,
    pub(crate) open: bool,
    pub(crate) allocator: Option<ObjectRef>,
    /// The call with which the recording began; absent before the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) begun: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) closed: Option<u64>,
    /// Calls recorded so far.
    pub(crate) calls: u64,
    /// First and last number of each run of them.
    pub(crate) call_ranges: Vec<[u64; 2]>,
    /// Events that are open, outermost first.
    pub(crate) markers: Vec<MarkerReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) last_marker: Option<MarkerReport>,
    /// Queries that have begun.
    pub(crate) queries: Vec<QueryReport>,
    /// States of resources by this recording's own barriers.
    pub(crate) barriers: Vec<BarrierReport>,
    /// The first submission that runs this recording.
    pub(crate) submission: Option<SubmissionReport>,
    /// Of a bundle: the lists that run this recording.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) run_by: Vec<RunReport>,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct MarkerReport {
    pub(crate) text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) colour: Option<String>,
    pub(crate) call: u64,
}

#[derive(Debug, Serialize)]
pub(crate) struct QueryReport {
    pub(crate) heap: ObjectRef,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) index: u32,
    pub(crate) call: u64,
}

#[derive(Debug, Serialize)]
pub(crate) struct BarrierReport {
    pub(crate) resource: ObjectRef,
    /// All subresources that are not named apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) subresource: Option<u32>,
    pub(crate) state: String,
    pub(crate) call: u64,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct SubmissionReport {
    /// Among all submissions, from 1.
    pub(crate) number: u64,
    pub(crate) call: u64,
    pub(crate) frame: u64,
    pub(crate) queue: u32,
    pub(crate) lists: Vec<RanReport>,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct RanReport {
    pub(crate) list: u32,
    /// The call with which the recording began.
    pub(crate) begun: u64,
    pub(crate) calls: u64,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct RunReport {
    /// The call of `ExecuteBundle`.
    pub(crate) call: u64,
    pub(crate) list: u32,
    /// The call with which the list's recording began.
    pub(crate) begun: u64,
}

/// A value, and the call that set it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Set<T> {
    pub(crate) value: T,
    pub(crate) call: u64,
}

/// What is set.
#[derive(Debug, Serialize)]
pub(crate) struct BoundReport {
    /// What the call does with it: `draw`, `draw_indexed`, `draw_mesh`, `dispatch`, `dispatch_rays`, `dispatch_graph`, `indirect`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) action: Option<&'static str>,
    /// In a bundle: the run of it whose list's settings are included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) inherited: Option<RunReport>,
    pub(crate) pipeline: Option<PipelineReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) graphics: Option<RootsReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) compute: Option<RootsReport>,
    pub(crate) descriptor_heaps: Option<Set<Vec<ObjectRef>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) output: Option<OutputReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) input: Option<InputReport>,
    pub(crate) predication: Option<Set<PredicationReport>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) protected_session: Option<Set<ObjectRef>>,
}

#[derive(Debug, Serialize)]
pub(crate) struct PipelineReport {
    pub(crate) object: Option<ObjectRef>,
    /// `pipeline`, `state_object` or `program`.
    pub(crate) kind: &'static str,
    pub(crate) call: u64,
    pub(crate) root_signature: Option<ObjectRef>,
    pub(crate) shaders: Vec<ShaderReport>,
}

#[derive(Debug, Serialize)]
pub(crate) struct ShaderReport {
    /// The argument that it is, as in `VS`.
    pub(crate) stage: String,
    /// XXH3-128 of the bytes: the name of its file in `extract`.
    pub(crate) hash: Option<String>,
    pub(crate) bytes: u64,
}

#[derive(Debug, Serialize)]
pub(crate) struct RootsReport {
    pub(crate) signature: Option<Set<ObjectRef>>,
    /// Why the root signature could not be read; arguments then stand alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
    pub(crate) arguments: Vec<ArgumentReport>,
}

#[derive(Debug, Serialize)]
pub(crate) struct ArgumentReport {
    pub(crate) parameter: u32,
    /// The call that set it; null: it is not set.
    pub(crate) call: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) visibility: Option<String>,
    #[serde(flatten)]
    pub(crate) content: ContentReport,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ContentReport {
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
pub(crate) struct RangeReport {
    /// The first register.
    pub(crate) register: String,
    /// Null for a range without an end.
    pub(crate) count: Option<u32>,
    /// The slot of its first descriptor.
    pub(crate) first: Option<u32>,
    /// What its slots hold, but for those that were never written.
    pub(crate) slots: Vec<SlotReport>,
    /// Slots that hold something and are left out here.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) more: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// A slot of a descriptor heap.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct SlotReport {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) register: Option<String>,
    pub(crate) slot: u32,
    #[serde(flatten)]
    pub(crate) descriptor: DescriptorReport,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct DescriptorReport {
    /// `cbv`, `srv`, `uav`, `feedback`, `rtv`, `dsv` or `sampler`.
    pub(crate) view: &'static str,
    /// Null for a null view and for samplers.
    pub(crate) resource: Option<ObjectRef>,
    /// The counter, or the feedback texture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) second: Option<ObjectRef>,
    /// Of constants: where they lie.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) location: Option<AddressRef>,
    /// Null where the program gave none.
    pub(crate) desc: Json,
    /// The call that wrote or copied it.
    pub(crate) call: u64,
    /// The slot that it was copied from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) copied_from: Option<SlotRef>,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct SlotRef {
    pub(crate) heap: u32,
    pub(crate) slot: u32,
}

#[derive(Debug, Serialize)]
pub(crate) struct OutputReport {
    pub(crate) targets: Option<Set<Vec<TargetReport>>>,
    pub(crate) depth: Option<TargetReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) render_pass: Option<Set<PassReport>>,
    /// Left, top, width, height, least and greatest depth.
    pub(crate) viewports: Option<Set<Vec<[f32; 6]>>>,
    /// Left, top, right, bottom.
    pub(crate) scissors: Option<Set<Vec<[i32; 4]>>>,
    pub(crate) blend_factor: Option<Set<[f32; 4]>>,
    /// Of front and back faces.
    pub(crate) stencil_ref: Option<Set<[u32; 2]>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) depth_bounds: Option<Set<[f32; 2]>>,
    /// Constant, clamp, slope.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) depth_bias: Option<Set<[f32; 3]>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) sample_positions: Option<Set<Vec<(i8, i8)>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) view_instances: Option<Set<u32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) shading_rate: Option<Set<(String, [String; 2])>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) shading_rate_image: Option<Set<ObjectRef>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) stream_output: Vec<StreamOutputReport>,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct TargetReport {
    #[serde(flatten)]
    pub(crate) handle: HandleRef,
    /// As it was when the target was set; null where nothing was written there.
    pub(crate) descriptor: Option<DescriptorReport>,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct PassReport {
    pub(crate) flags: String,
    /// How each target begins and ends.
    pub(crate) targets: Vec<[String; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) depth: Option<[String; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) stencil: Option<[String; 2]>,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct StreamOutputReport {
    pub(crate) slot: u32,
    pub(crate) location: AddressRef,
    pub(crate) bytes: u64,
    pub(crate) filled: AddressRef,
    pub(crate) call: u64,
}

#[derive(Debug, Serialize)]
pub(crate) struct InputReport {
    pub(crate) topology: Option<Set<String>>,
    pub(crate) index: Option<IndexReport>,
    pub(crate) vertices: Vec<VertexReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) strip_cut: Option<Set<String>>,
}

#[derive(Debug, Serialize)]
pub(crate) struct IndexReport {
    pub(crate) location: AddressRef,
    pub(crate) bytes: u32,
    pub(crate) format: String,
    pub(crate) call: u64,
}

#[derive(Debug, Serialize)]
pub(crate) struct VertexReport {
    pub(crate) slot: u32,
    pub(crate) location: AddressRef,
    pub(crate) bytes: u32,
    pub(crate) stride: u32,
    pub(crate) call: u64,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct PredicationReport {
    pub(crate) buffer: ObjectRef,
    pub(crate) offset: u64,
    pub(crate) operation: String,
}

/// A shader table.
#[derive(Debug, Serialize)]
pub(crate) struct TableReport {
    /// `ray_generation`, `miss`, `hit` or `callable`.
    pub(crate) table: &'static str,
    pub(crate) location: Option<AddressRef>,
    pub(crate) bytes: u64,
    /// Bytes from one record to the next; 0 where there is only one.
    pub(crate) stride: u64,
    pub(crate) records: Vec<RecordReport>,
    /// Records that are left out here.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) more: u64,
    /// Why no records are told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unknown: Option<&'static str>,
}

/// A record of a shader table.
#[derive(Debug, Serialize)]
pub(crate) struct RecordReport {
    pub(crate) index: u64,
    /// Its 32 bytes in hexadecimal.
    pub(crate) identifier: String,
    /// The identifier is all zeros: nothing is run.
    pub(crate) null: bool,
    /// Null where the identifier is none that the program was told.
    pub(crate) export: Option<String>,
    /// `raygeneration`, `miss`, `callable`, `triangles` or `procedural`.
    pub(crate) kind: Option<&'static str>,
    /// Arguments of the local root signature.
    pub(crate) arguments: Vec<FieldReport>,
}

/// An argument in a record.
#[derive(Debug, Serialize)]
pub(crate) struct FieldReport {
    /// Bytes from the beginning of the record.
    pub(crate) offset: u32,
    #[serde(flatten)]
    pub(crate) value: FieldValue,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FieldValue {
    Constants(Vec<u32>),
    /// Null for the address 0.
    Address(Option<AddressRef>),
    Table(HandleRef),
    /// It lies behind the record's end.
    Outside,
}

/// An acceleration structure, as its inputs.
#[derive(Debug, Serialize)]
pub(crate) struct StructureReport {
    /// By which way the call comes to it: `made here`, `source`, `root parameter 1`, `root parameter 2, slot 3`, `hit record 0, +40`,
    /// `instance 0 of 0x…`.
    #[serde(rename = "use")]
    pub(crate) used_by: String,
    pub(crate) location: AddressRef,
    /// What put it there last, as calls were recorded.
    pub(crate) made: MadeReport,
    /// The build that it goes back to, through copies; null where the trace has none.
    pub(crate) build: Option<u64>,
    /// `top`, `bottom` or `unknown`.
    pub(crate) level: &'static str,
    /// Of a bottom level: geometries; the build's arguments have them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) geometries: Option<u32>,
    /// Of a top level.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) instances: Option<InstancesReport>,
}

#[derive(Debug, Serialize)]
pub(crate) struct MadeReport {
    pub(crate) call: u64,
    /// `built`, `updated`, `cloned`, `compacted`, `serialised`, `deserialised` or `copied for tools`.
    pub(crate) how: &'static str,
    /// What it was updated or copied from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) from: Option<AddressRef>,
}

/// Instances of a top level.
#[derive(Debug, Serialize)]
pub(crate) struct InstancesReport {
    pub(crate) count: u32,
    /// The first of them.
    pub(crate) list: Vec<InstanceReport>,
    /// Why none are told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unknown: Option<&'static str>,
}

/// `D3D12_RAYTRACING_INSTANCE_DESC`.
#[derive(Debug, Serialize)]
pub(crate) struct InstanceReport {
    pub(crate) index: u64,
    pub(crate) id: u32,
    pub(crate) mask: u32,
    /// What it adds to the index of hit records.
    pub(crate) hit_group: u32,
    pub(crate) flags: u32,
    pub(crate) transform: [[f32; 4]; 3],
    /// Null where it has none.
    pub(crate) structure: Option<AddressRef>,
    /// The call that put that structure there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) made: Option<u64>,
    #[serde(skip)]
    pub(crate) at: u64,
}

#[derive(Debug, Serialize)]
pub(crate) struct QueueReport {
    pub(crate) queue: ObjectRef,
    pub(crate) kind: String,
    pub(crate) submissions: u64,
    pub(crate) last: Option<SubmissionReport>,
    pub(crate) signal: Option<SignalReport>,
    /// Waits for values that fences are not known to have reached.
    pub(crate) waits: Vec<WaitReport>,
    pub(crate) markers: Vec<MarkerReport>,
}

#[derive(Debug, Serialize)]
pub(crate) struct SignalReport {
    pub(crate) fence: u32,
    pub(crate) value: u64,
    pub(crate) call: u64,
}

#[derive(Debug, Serialize)]
pub(crate) struct WaitReport {
    pub(crate) fence: u32,
    pub(crate) value: u64,
    pub(crate) call: u64,
    /// Null: the program waits, by an event.
    pub(crate) queue: Option<u32>,
}

#[derive(Debug, Serialize)]
pub(crate) struct FenceReport {
    pub(crate) fence: ObjectRef,
    pub(crate) initial: u64,
    /// It has reached this value at least: it was seen there, or set by the processor.
    pub(crate) reached: u64,
    /// It is at most here when all queues are done.
    pub(crate) promised: u64,
    /// The last signal put into a queue.
    pub(crate) signalled: Option<QueueSignalReport>,
    /// The last signal of the processor.
    pub(crate) set: Option<ValueReport>,
    /// What the program saw last.
    pub(crate) seen: Option<ValueReport>,
    pub(crate) waits: Vec<WaitReport>,
}

#[derive(Debug, Serialize)]
pub(crate) struct QueueSignalReport {
    pub(crate) queue: u32,
    pub(crate) value: u64,
    pub(crate) call: u64,
}

#[derive(Debug, Serialize)]
pub(crate) struct ValueReport {
    pub(crate) value: u64,
    pub(crate) call: u64,
}

/// An object.
#[derive(Debug, Serialize)]
pub(crate) struct ObjectReport {
    pub(crate) object: ObjectRef,
    /// The call that gave it out first.
    pub(crate) created: u64,
    pub(crate) created_by: String,
    /// The object that it was made on.
    pub(crate) parent: Option<ObjectRef>,
    /// The call that released it for good, later than this call.
    pub(crate) released: Option<u64>,
    /// References that the program holds.
    pub(crate) references: u32,
    /// Live objects that need it.
    pub(crate) needed_by: u32,
    /// The arguments of its creation.
    pub(crate) creation: Map<String, Json>,
    /// What it holds, by its class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) descriptor_heap: Option<DescriptorHeapReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) heap: Option<HeapReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) resource: Option<ResourceReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) fence: Option<Vec<FenceEventReport>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) queue: Option<QueueHistoryReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) list: Option<ListReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) pipeline: Option<PipelineReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) root_signature: Option<Json>,
}

#[derive(Debug, Serialize)]
pub(crate) struct DescriptorHeapReport {
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) count: u32,
    /// Slots that were written.
    pub(crate) slots: Vec<SlotReport>,
}

#[derive(Debug, Serialize)]
pub(crate) struct HeapReport {
    pub(crate) bytes: u64,
    pub(crate) resident: bool,
    /// What lies in it, by offset.
    pub(crate) contents: Vec<PlacedReport>,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct PlacedReport {
    pub(crate) offset: u64,
    pub(crate) bytes: u64,
    pub(crate) resource: ObjectRef,
    /// Of a reserved resource: the tile that lies here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tile: Option<u32>,
    /// Others that lie on some of the same bytes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) overlaps: Vec<u32>,
    /// Null where it has its memory alone, and of reserved resources.
    pub(crate) activity: Option<ActivityReport>,
}

/// Whether a resource that shares memory holds contents, once all that was submitted before the call has run.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ActivityReport {
    /// `active`; `inactive`: another one was used in its memory since; `unused`: nothing used it yet; `ambiguous`: a shader picked one of
    /// several by an index or an address, and only the GPU knows which.
    pub(crate) state: &'static str,
    /// The call that made it so; null where it lay there before anything shared its memory.
    pub(crate) call: Option<u64>,
    /// The method of that call: `…::ResourceBarrier` is an aliasing barrier.
    pub(crate) method: Option<String>,
    /// Of an inactive one: what was used in its memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) other: Option<ObjectRef>,
}

#[derive(Debug, Serialize)]
pub(crate) struct ResourceReport {
    /// `committed`, `placed`, `reserved` or `unknown`.
    pub(crate) place: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) heap: Option<ObjectRef>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) offset: Option<u64>,
    pub(crate) bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) address: Option<String>,
    pub(crate) resident: bool,
    /// Tiles that are mapped.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) tiles: Vec<TilesReport>,
    /// Subresources that are mapped.
    pub(crate) mapped: Vec<MappedReport>,
    /// Resources that lie on some of the same bytes.
    pub(crate) overlaps: Vec<OverlapReport>,
    /// Null where it has its memory alone, and of reserved resources.
    pub(crate) activity: Option<ActivityReport>,
    /// Slots of descriptor heaps that hold a view of it.
    pub(crate) views: Vec<ViewedReport>,
}

#[derive(Debug, Serialize)]
pub(crate) struct TilesReport {
    pub(crate) first: u32,
    pub(crate) count: u32,
    pub(crate) heap: u32,
    /// Of the heap.
    pub(crate) tile: u32,
    pub(crate) call: u64,
}

#[derive(Debug, Serialize)]
pub(crate) struct MappedReport {
    pub(crate) subresource: u32,
    pub(crate) address: String,
    pub(crate) bytes: u64,
    pub(crate) maps: u32,
}

#[derive(Debug, Serialize)]
pub(crate) struct OverlapReport {
    pub(crate) resource: ObjectRef,
    pub(crate) heap: u32,
    pub(crate) offset: u64,
    pub(crate) bytes: u64,
}

#[derive(Debug, Serialize)]
pub(crate) struct ViewedReport {
    pub(crate) heap: u32,
    pub(crate) slot: u32,
    pub(crate) view: &'static str,
    pub(crate) call: u64,
}

#[derive(Debug, Serialize)]
pub(crate) struct FenceEventReport {
    pub(crate) call: u64,
    pub(crate) value: u64,
    /// `made`, `signalled`, `set`, `queue_waits`, `program_waits` or `seen`.
    pub(crate) event: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) queue: Option<u32>,
}

#[derive(Debug, Serialize)]
pub(crate) struct QueueHistoryReport {
    #[serde(flatten)]
    pub(crate) now: QueueReport,
    /// Every submission before this call.
    pub(crate) history: Vec<SubmissionReport>,
}
