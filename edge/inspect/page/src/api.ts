// The server's answers (edge/inspect/API.md), and how they are asked for.
//
// Invariant: every path is relative to the page's own, which holds the token: the page talks to nobody else.

export interface ObjectName {
  id: number;
  class: string;
  name?: string | null;
  gone?: boolean;
}

export interface Listing<T> {
  total: number;
  first: number;
  items: T[];
}

export interface Trace {
  t: number;
  identity: string;
  file: string;
  path: string;
  bytes: number;
  program: string | null;
  arguments: string[] | null;
  adapter: string | null;
  started_ns: string | null;
  duration_ns: number;
  frames: number;
  /** Nothing ended a frame: `frames` are submissions. */
  divided: boolean;
  /** What ends a frame, where the server was told; else as recorded. */
  frame_boundary: string | null;
  calls: number;
  rows: number;
  threads: { thread: number; name: string | null; calls: number }[];
  complete: boolean;
  /** Why the trace is not complete, and how much of what the program did it has; null where it lacks nothing. */
  part: string | null;
  damage: { places: number; list: { offset: number; place: string; what: string }[]; more: number };
  gaps: { after_call: number; thread: number; frame: number; reason: string; text: string }[];
  surveyed: boolean;
  survey: { done: number; of: number };
  replay: { program: string | null; error: string | null; on: PlayedOn };
  /** `reprise time --save` has left times beside it. */
  measured: boolean;
  /** It was dropped onto a page: it goes with the server. */
  dropped: boolean;
}

/** What a file of times is of. */
export interface OfTimes {
  file: string;
  runs: number;
  frames: [number, number | null];
  serial: boolean;
  by_operation: boolean;
  runtime: string;
  counted: boolean;
  total_ns: number;
  /** Counters of the driver that were asked. */
  driver_counters: DriverCounter[];
  /** Draws and dispatches that the library left out, in words: these are times of less work. */
  left_out: string | null;
  untimed: Missing[];
  uncounted: Missing[];
}

/** Operations and submissions that were not timed or not counted, for a reason. */
export interface Missing {
  reason: string;
  count: number;
  /** The first of them. */
  calls: number[];
}

/** A counter of the driver, by its category and name. */
export interface DriverCounter {
  name: string;
  about: string;
  unit: string;
  /** Sums of several operations mean something. */
  adds: boolean;
}

/** What the driver counted, by the names of its counters: null of several operations without a sum. */
export type DriverCounts = Record<string, number | null>;

/** What was measured of a trace. */
export interface Measured extends Partial<OfTimes> {
  measured: boolean;
  error: string | null;
  /** A second run, which it is compared with. */
  against?: OfTimes | null;
}

/** An operation that was measured. */
export interface Cost {
  call: number;
  method: string;
  kind: string;
  frame: number;
  submission: number;
  list: ObjectName;
  pipeline: ObjectName | null;
  markers: string[];
  gpu_ns: number | null;
  share: number | null;
  counts: Record<string, number>;
  driver_counts: DriverCounts;
  /** Why it was not counted. */
  uncounted: string | null;
}

/** All operations of a frame, or of the trace, as columns. */
export interface HeatAnswer {
  total: number;
  /** So many were left out at the end. */
  more: number;
  total_ns: number;
  methods: string[];
  kinds: string[];
  calls: number[];
  gpu_ns: (number | null)[];
  /** Places in `methods`. */
  method: number[];
  /** Runs of pixel shaders, where they were counted. */
  pixels: (number | null)[] | null;
}

/** A box: depth, begin and end in nanoseconds, kind and text (null: several that are too narrow), call, operations. */
export type FlameBox = [number, number, number, string | null, string | null, number, number];

export interface FlameAnswer {
  total_ns: number;
  begin: number;
  end: number;
  depth: number;
  all: boolean;
  boxes: FlameBox[];
}

/** What a pipeline ran, together. */
export interface PipelineCost {
  pipeline: ObjectName | null;
  what: string;
  gpu_ns: number | null;
  share: number | null;
  operations: number;
  counts: Record<string, number>;
  driver_counts: DriverCounts;
  /** So many of the operations were not counted: what was counted is less than all. */
  uncounted: number;
}

/** A row of two runs that are compared. */
export interface Compared {
  call: number;
  method: string;
  kind: string;
  frame: number;
  submission: number;
  list: ObjectName;
  pipeline: ObjectName | null;
  /** Of rows that stand for a pipeline. */
  what?: string;
  markers: string[];
  operations: number;
  a_ns: number | null;
  b_ns: number | null;
  a_range: [number, number] | null;
  b_range: [number, number] | null;
  difference_ns: number | null;
  /** The second run takes surely longer, or shorter. */
  sure: "longer" | "shorter" | null;
}

export interface Comparison extends Listing<Compared> {
  a_total_ns: number;
  b_total_ns: number;
  total_sure: "longer" | "shorter" | null;
  longer: number;
  shorter: number;
  compared: number;
}

/** A value of a pixel: its channels, and its bytes in hexadecimal. */
export interface PixelValue {
  values: (number | string | null)[];
  bytes: string;
}

export interface PixelFragment {
  primitive: number | null;
  instance: number | null;
  front: boolean | null;
  depth: number | string | null;
  output: PixelValue | null;
}

/** What became of a draw's fragments. */
export interface PixelTests {
  not_tested?: string;
  outcome?: string;
  fragments?: number;
  passed?: number;
  front?: number | null;
  back?: number | null;
  left?: { test: string; left: number }[];
  shown?: PixelFragment[];
  notes?: string[];
}

interface PixelSide {
  before?: PixelValue | null;
  after?: PixelValue | null;
  changed?: boolean | null;
}

export interface PixelEvent extends PixelSide {
  submission: number;
  list: number;
  call: number;
  method: string;
  touch: string;
  slot?: number;
  outside: boolean;
  bundle: number | null;
  pass: number | null;
  depth?: PixelSide & { resource: number };
  stencil?: PixelSide;
  notes: string[];
  failed: string[];
  why?: string | null;
  tests?: PixelTests | null;
  /** Of a dispatch: the thread that writes the pixel, as the processor runs it. */
  dispatch?: { thread: [number, number, number] | null; same: boolean | null; open: boolean | null; number: number | null; groups: number | null; groups_run: number | null; unknown: string | null };
  /** Of a direct dispatch of rays: the thread whose index is the pixel's place, null where its threads are not the texels one by one. */
  rays?: { threads: [number, number, number]; thread: [number, number, number] | null };
}

/** What `reprise pixel --json` prints, with the texture's name. */
export interface PixelHistory {
  frame: number;
  resource: number;
  object?: ObjectName;
  mip: number;
  slice: number;
  plane: number;
  sample: number;
  x: number;
  y: number;
  format: string | null;
  followed: { call: number; to: { resource: number }; from: { resource: number; x: number; y: number } }[];
  events: PixelEvent[];
  last: PixelValue | null;
  unexplained: { after: number; before: number }[];
  left_out: Record<string, number>;
  /** Why something in it is missing. */
  failed?: string;
}

/** What the replays of a trace play on, as `reprise replay` takes it. */
export interface PlayedOn {
  runtime: string | null;
  gpu: string | null;
  env: string[];
  label: string;
}

export interface Traces {
  version: string;
  compare: boolean;
  replays: boolean;
  traces: Trace[];
}

export interface Call {
  row: number;
  call: number;
  thread: number | null;
  frame: number | null;
  time_ns: number | null;
  kind: string;
  interface: string | null;
  method: string | null;
  this: ObjectName | null;
  text: string | null;
  result: string | null;
  returned: boolean | null;
  error: string | null;
}

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export interface Line {
  call: number;
  thread: number;
  frame: number;
  time_ns: number;
  method: string;
  this: ObjectName | null;
  args: { [key: string]: Json };
  outputs?: { [key: string]: Json };
  result: Json;
  returned?: boolean;
}

export interface Detail {
  row: number;
  kind: string;
  line: Line;
  duration_ns: number | null;
  events: { [key: string]: Json }[];
  events_more: number;
  objects: ObjectName[];
}

export interface Frame {
  frame: number;
  first_call: number | null;
  last_call: number | null;
  first_row: number | null;
  calls: number;
  draws: number;
  dispatches: number;
  submissions: number;
  begin_ns: number;
  end_ns: number;
  source: string | null;
  image: { hash: string; width: number; height: number; format: string } | null;
  gpu_ns: number | null;
}

export interface Timeline {
  begin: number;
  end: number;
  bucket_ns: number;
  duration_ns: number;
  threads: {
    thread: number;
    name: string | null;
    buckets: [number, number, number, number, number][] | null;
    calls: [number, number, number, string, string][] | null;
  }[];
  frames: { frame: number; begin: number; end: number }[];
  frames_more: number;
  queues: { queue: ObjectName; type: string | null; more: number; buckets: [number, number, number, number, number][] | null; events: QueueEvent[] }[];
  fences: { fence: ObjectName; more: number; events: FenceEvent[] }[];
  gpu: {
    queue: ObjectName;
    submissions: { call: number; submission: number; begin_ns: number; end_ns: number }[];
    more: number;
    calls: [number, number, number, string, string][] | null;
  }[];
}

export interface QueueEvent {
  kind: string;
  call: number;
  time_ns: number;
  end_ns: number;
  frame: number;
  submission?: number;
  lists?: number;
  fence?: number;
  value?: string;
}

export interface FenceEvent {
  kind: string;
  call: number;
  time_ns: number;
  end_ns?: number;
  value: string;
}

export interface Node {
  id: string;
  kind: string;
  label: string;
  call: number | null;
  children: number | null;
  object?: ObjectName;
  queue?: ObjectName;
  colour?: string | null;
  first_call?: number | null;
  last_call?: number | null;
  draws?: number;
  actions?: number;
  gpu_ns?: number | null;
}

export interface ObjectRow {
  id: number;
  class: string;
  name: string | null;
  created: number | null;
  created_by: string | null;
  released: number | null;
  kind?: string | null;
  bytes?: number | null;
  label?: string | null;
  format?: string | null;
  width?: number | null;
  height?: number | null;
  depth?: number | null;
  mips?: number | null;
  samples?: number | null;
  /** Its last write in the trace, where that is known. */
  written?: { call: number; frame: number; kind: string; method: string | null };
}

export interface ObjectAnswer {
  life: { id: number; class: string; name: string | null; created: number | null; created_by: string | null; released: number | null; frame?: number | null };
  at: number | null;
  report: { [key: string]: Json } | null;
  refused: string | null;
}

/** What `reprise debug --json` prints, but for its steps, and where these are. */
export interface DebugAnswer {
  record: {
    call: number;
    submission: number;
    /** Of rays it has a name in place of the hash: its library has several shaders. */
    shader: { stage: string; hash?: string; name?: string };
    lines_wanting: string | null;
    rays?: Ray[];
    inputs: { name: string; value: string }[];
    steps_cut: boolean;
    check: Json;
    notes?: string[];
    thread?: number[];
    group?: number[];
    lane?: number;
    vertex?: number;
    pixel?: [number, number];
    primitive?: number;
    instance?: number | null;
    fragment?: number;
    fragments?: number;
    discarded?: boolean;
  };
  steps: { total: number; kept: number; page: number; files: string[] };
}

/** A number, or in words what JSON has no number for. */
type Float = number | string;

/** A ray that a thread traced, and what it hit. */
export interface Ray {
  depth: number;
  structure: string;
  origin: [Float, Float, Float];
  direction: [Float, Float, Float];
  least: Float;
  greatest: Float;
  flags: string;
  mask: number;
  candidates: number;
  hit: { kind: string; instance: number; id: number; geometry: number; primitive: number; distance: number } | null;
  record: { table: string; index: number } | null;
  shader: string | null;
  open: string | null;
}

/** What `reprise scene` draws, and its picture. */
export interface SceneAnswer {
  scene: { level: string; triangles: number; boxes: number; instances: unknown[]; left_out: Json[]; rays: Ray[] };
  picture: string;
  width: number;
  height: number;
}

/** A state object of ray tracing. */
export interface RayShadersAnswer {
  call: number;
  /** What of its description cannot be read. */
  problem: string | null;
  exports: RayExport[];
}

/** What has an identifier. */
export interface RayExport {
  name: string;
  kind: "raygeneration" | "miss" | "callable" | "triangles" | "procedural";
  shaders: RayShader[];
}

/** A shader of an export. */
export interface RayShader {
  stage: string;
  name: string;
  /** Its name in its library, and the library's hash; null where no library has it. */
  entry: string | null;
  library: string | null;
}

export interface ShaderAnswer {
  hash: string;
  /** The function of a library that the disassembly is of; null: all. */
  entry: string | null;
  bytes: number;
  kind: string;
  stage: string | null;
  model: string | null;
  exports: { name: string; stage: string | null }[];
  /** Texts of HLSL that the container has. */
  sources: { file: string; text: string }[];
  disassembly: string | null;
  disassembly_error: string | null;
  parts: { name: string; bytes: number }[];
  inputs: Signature[];
  outputs: Signature[];
  patches: Signature[];
  spirv: string | null;
  spirv_error: string | null;
  pipelines: ObjectName[];
}

export interface Signature {
  name: string;
  index: number;
  /** Null: it has no register, as a depth that a pixel shader writes. */
  register: number | null;
  mask: string;
  type: string;
  stream: number;
}

export interface Finding {
  rule: string;
  severity: string;
  call: number | null;
  object: ObjectName | number | null;
  text: string;
  times?: number;
  related?: Json;
  source?: Json;
  submission?: Json;
  list?: Json;
}

/** Subresources: of levels, layers and planes the first one and how many. */
export interface UsePart {
  mip: number;
  mips: number;
  layer: number;
  layers: number;
  plane: number;
  planes: number;
}

/** A use of a resource. */
export interface Use {
  call: number;
  method?: string;
  frame: number;
  resource: number;
  kind: string;
  writes: boolean;
  sure: "certain" | "likely" | "possible";
  list?: number;
  submission?: { number: number; call: number; queue: number };
  parts: UsePart[];
  /** These are all that the resource has. */
  whole: boolean;
  /** The first byte, and how many. */
  bytes?: [number, number];
}

/** How a resource is used around a call. */
export interface UsageReport {
  resource: number;
  at: "submission" | "processor" | "not_run";
  submission?: number;
  /** Why its uses are not told; then the rest says nothing. */
  reason?: string;
  subresources: (UsePart & { kind: "state" | "layout" | "split" | "unknown"; state: string | null; call: number })[];
  previous_write: Use | null;
  next_write: Use | null;
  here: Use[];
  damaged?: number;
}

/** A note that is kept beside the trace. */
export interface Note {
  call?: number;
  object?: number;
  frame?: number;
  text: string;
}

/** What texels of a target are in some respect. */
export interface Overlay {
  overlay: string;
  picture: string;
  width: number;
  height: number;
  counts: Record<string, number>;
  numbers: Record<string, number> | null;
  legend: Record<string, { colour: string; rgb: string; about: string }>;
  notes: string[] | null;
}

export interface Picture {
  resource: ObjectName;
  mip: number;
  slice: number;
  plane: number;
  sample: number;
  mips: number;
  slices: number;
  planes: number;
  samples: number;
  width: number;
  height: number;
  format: string;
  channels: string[];
  least: number[];
  greatest: number[];
  picture: string;
  values: { file: string; type: "f32" | "u32" | "i32"; channels: number; row_bytes: number };
}

/** What edits make of a picture. */
export interface EditAnswer {
  counts: Record<"changed_calls" | "dropped_calls" | "inserted_calls" | "changed_stores", number>;
  /** The call's number in the edited trace; null: it is not there. */
  call: number | null;
  before: Picture;
  after: Picture | null;
  why: string | null;
}

export interface Mesh {
  topology: string;
  stage: string;
  /** The stage that the vertices come out of; only where `stage` is `vertex`. */
  behind?: string;
  notes?: string[];
  vertices: number;
  columns: { name: string; index: number; type: "f32" | "u32" | "i32"; components: number; offset: number }[];
  stride: number;
  file: string;
  indices: { file: string; count: number } | null;
  position: number | null;
  error: string | null;
}

export interface Change {
  path: (string | number)[] | string;
  a: Json;
  b: Json;
  what?: string;
}

export interface Difference {
  difference: string;
  a: Line | null;
  b: Line | null;
  changes: Change[] | null;
  row_a: number | null;
  row_b: number | null;
}

/** Where two replays diverge. */
export type Parting =
  | { what: "frame"; frame: number; pixels?: number; of?: number; columns?: [number, number]; rows?: [number, number]; step?: number | null; shape?: true }
  | { what: "read"; frame: number; call: number; resource: number; offset: number }
  | { what: "alone"; frame: number; runtime: string; why: string }
  | (UnlikeSlot & { what: "operation"; frame: number; call: number; method: string; list: number; submission: number; earlier: number | null });

/** What an operation left unlike: texels, bytes, or something of another size. */
export interface UnlikeSlot {
  slot: string;
  resource: number;
  texels?: number;
  bytes?: number;
  shape?: true;
  of?: number;
  format?: string;
  mip?: number;
  slice?: number;
  columns?: [number, number];
  rows?: [number, number];
  largest?: number | null;
  first?: number | [number, number];
  last?: number;
  values?: (number | null)[][] | [number, number];
  more_subresources?: number;
}

export interface Replayed {
  equal: boolean;
  runtimes: [string, string];
  frames: number;
  reads: number;
  more?: number;
  /** Whether playing again led to the same first difference. */
  steady?: boolean;
  first: Parting | null;
  draw: object | null;
  replays: number;
  not_compared: { what: string; why: string }[];
}

export interface JobState {
  job: string;
  t: number;
  kind: string;
  state: "waiting" | "running" | "done" | "failed" | "cancelled";
  progress: { done: number; of: number; text: string } | null;
  found: number;
  more: boolean;
  error: string | null;
  result: Json;
}

/** What the server says is wrong, or that it cannot be reached. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    text: string,
  ) {
    super(text);
  }
}

async function answer(path: string, options: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, { cache: "no-store", referrerPolicy: "no-referrer", ...options });
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new Refusal(0, "The server does not answer. It may have ended: start `reprise inspect` again.");
  }
  if (response.ok) return response;
  let text = `The server answered ${response.status}.`;
  try {
    const body = (await response.json()) as { error?: unknown };
    if (typeof body.error === "string") text = body.error;
  } catch {
    // An answer without a text: the status says all there is.
  }
  throw new Refusal(response.status, text);
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  const response = await answer(path, signal ? { signal } : {});
  return (await response.json()) as T;
}

export async function post<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
  const options: RequestInit = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const response = await answer(path, signal ? { ...options, signal } : options);
  return (await response.json()) as T;
}

/** Sends a file as it is. */
export async function postFile<T>(path: string, file: Blob): Promise<T> {
  const response = await answer(path, { method: "POST", headers: { "Content-Type": "application/octet-stream" }, body: file });
  return (await response.json()) as T;
}

export async function remove(path: string): Promise<void> {
  // The page may be closing: the request must outlive it.
  await answer(path, { method: "DELETE", keepalive: true });
}

/** Bytes of a file, all of them or a part. */
export async function bytes(path: string, signal?: AbortSignal, range?: [number, number]): Promise<ArrayBuffer> {
  const options: RequestInit = range ? { headers: { Range: `bytes=${range[0]}-${range[0] + range[1] - 1}` } } : {};
  const response = await answer(path, signal ? { ...options, signal } : options);
  return response.arrayBuffer();
}

/** A path with its parameters. */
export function path(name: string, parameters: Readonly<Record<string, string | number | null | undefined>>): string {
  const list = new URLSearchParams();
  for (const [key, value] of Object.entries(parameters)) if (value !== null && value !== undefined) list.set(key, String(value));
  const text = list.toString();
  return text === "" ? name : `${name}?${text}`;
}
