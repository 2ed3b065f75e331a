//! A report for people: a line a fact, names first, aligned.
//!
//! Invariant: says nothing that the report does not say. Text from a trace is escaped, so that it cannot steer a terminal.

use super::report::{
    ActivityReport, AddressRef, ArgumentReport, BoundReport, ContentReport, DescriptorReport, FenceReport, FieldReport,
    FieldValue, HandleRef, ListReport, MarkerReport, ObjectRef, ObjectReport, PipelineReport, QueueReport, Report,
    RootsReport, Set, SlotReport, StructureReport, TableReport, TargetReport,
};
use crate::count::{bytes, plural};
use crate::dump;
use crate::paint::{Paint, painted};
use crate::uses::{UsageReport, part_in_words, use_in_words};
use serde_json::{Map, Value as Json};

/// Width of the column of names.
const NAMES: usize = 16;
/// Slots, placements and events of one thing that are shown; `--json` has all.
const MOST: usize = 64;

/// The lines of a report.
pub fn write(report: &Report, colour: bool) -> Vec<String> {
    let mut text = Text { lines: Vec::new(), colour };
    text.call(report);
    if let Some(object) = &report.object {
        text.object(object);
        text.usage(report.usage.as_ref());
        return text.lines;
    }
    if let Some(list) = &report.list {
        text.list(list);
    }
    if let Some(bound) = &report.bound {
        text.bound(bound);
    }
    for table in report.shader_tables.iter().flatten() {
        text.table(table);
    }
    text.structures(&report.structures);
    if let Some(queue) = &report.queue {
        text.queue(queue);
    }
    text.fences(&report.fences);
    if let Some(damaged) = &report.damaged {
        let count = plural(damaged.calls, "call");
        text.alarm(&format!(
            "{count} before this one cannot be read, the first is call {}: {}",
            damaged.first, damaged.error
        ));
    }
    text.lines
}

/// Whether a resource that shares memory holds contents, and since when.
fn activity(report: &ActivityReport) -> String {
    let method = report.method.as_deref().map(|method| format!(" {method}")).unwrap_or_default();
    let call = report.call.map(|call| format!("call {call}{method}")).unwrap_or_default();
    match (report.state, &report.other, report.call) {
        ("unused", ..) => "not used yet".to_owned(),
        ("inactive", Some(other), _) => format!("inactive since {call} used {}", object(other)),
        ("ambiguous", ..) => format!("ambiguous since {call}: only the GPU knows what it used"),
        (state, _, Some(_)) => format!("{state} since {call}"),
        (state, _, None) => state.to_owned(),
    }
}

/// The lines that say what a call of a list works with: markers, pipeline, root arguments, targets, buffers; `most` of them at most.
pub fn in_short(report: &Report, most: usize, colour: bool) -> Vec<String> {
    let mut text = Text { lines: Vec::new(), colour };
    if let Some(list) = &report.list {
        text.markers(&list.markers);
    }
    if let Some(bound) = &report.bound {
        text.bound(bound);
    }
    let count = text.lines.len();
    text.lines.truncate(most);
    if count > most {
        text.put("", &format!("and {} more: reprise state", plural((count - most) as u64, "line")));
    }
    text.lines
}

struct Text {
    lines: Vec<String>,
    colour: bool,
}

impl Text {
    fn call(&mut self, report: &Report) {
        let mut line = Map::new();
        let call = &report.call;
        line.insert("call".into(), call.call.into());
        line.insert("thread".into(), call.thread.into());
        line.insert("frame".into(), call.frame.into());
        line.insert("method".into(), call.method.clone().into());
        line.insert(
            "this".into(),
            call.this.as_ref().map_or(Json::Null, |this| serde_json::json!({ "id": this.id, "class": this.class })),
        );
        line.insert("args".into(), call.args.clone().into());
        let line = if self.colour { dump::in_colour(&line) } else { dump::for_people(&line) };
        self.lines.push(line);
    }

    /// A line with a name before it.
    fn put(&mut self, name: &str, value: &str) {
        self.put_within(0, name, value);
    }

    /// The same, further in.
    fn put_within(&mut self, depth: usize, name: &str, value: &str) {
        let name = format!("{}{}", "  ".repeat(depth), clean(name));
        let gap = " ".repeat(NAMES.saturating_sub(name.chars().count()).max(1));
        self.lines.push(format!("{}{gap}{value}", painted(self.colour, Paint::Field, &name)));
    }

    fn alarm(&mut self, text: &str) {
        let line = painted(self.colour, Paint::Alarm, &clean(text));
        self.lines.push(line);
    }

    /// The number of the call that did something.
    fn by(&self, call: u64) -> String {
        painted(self.colour, Paint::Place, &format!("  (call {call})"))
    }

    fn set<T>(&mut self, name: &str, setting: &Option<Set<T>>, show: impl Fn(&T) -> String) {
        if let Some(setting) = setting {
            let line = format!("{}{}", show(&setting.value), self.by(setting.call));
            self.put(name, &line);
        }
    }

    fn list(&mut self, list: &ListReport) {
        let state = match (list.begun, list.open, list.closed) {
            (None, ..) => "never reset".to_owned(),
            (Some(begun), true, _) => format!("recording since call {begun}, {} so far", plural(list.calls, "call")),
            (Some(begun), false, Some(closed)) => {
                format!("closed by call {closed}, {} since call {begun}", plural(list.calls, "call"))
            }
            (Some(begun), false, None) => format!("closed, {} since call {begun}", plural(list.calls, "call")),
        };
        let kind = list.kind.trim_start_matches("D3D12_COMMAND_LIST_TYPE_").to_lowercase();
        self.put("list", &format!("{}, {kind}, {state}", object(&list.list)));
        if let Some(allocator) = &list.allocator {
            self.put("allocator", &object(allocator));
        }
        match &list.submission {
            Some(submission) => self.put(
                "runs in",
                &format!(
                    "submission {} by call {}, frame {}, queue {}",
                    submission.number, submission.call, submission.frame, submission.queue
                ),
            ),
            None if list.run_by.is_empty() => self.put("runs in", "no submission that the trace has"),
            None => {}
        }
        for run in list.run_by.iter().take(MOST) {
            self.put("run by", &format!("list {} with call {}", run.list, run.call));
        }
        self.more(list.run_by.len());
        self.markers(&list.markers);
        if let Some(marker) = &list.last_marker {
            let line = format!("{}{}", clean(&marker.text), self.by(marker.call));
            self.put("last marker", &line);
        }
        for query in &list.queries {
            let line = format!("{} {}[{}]{}", query.kind, object(&query.heap), query.index, self.by(query.call));
            self.put("open query", &line);
        }
    }

    fn markers(&mut self, markers: &[MarkerReport]) {
        if !markers.is_empty() {
            let texts: Vec<String> = markers.iter().map(|marker| clean(&marker.text)).collect();
            self.put("markers", &texts.join(" > "));
        }
    }

    fn bound(&mut self, bound: &BoundReport) {
        if let Some(run) = &bound.inherited {
            self.put(
                "inherits",
                &format!("what list {} has set at call {}, which runs the bundle", run.list, run.call),
            );
        }
        match &bound.pipeline {
            Some(pipeline) => self.pipeline(pipeline),
            None => self.put("pipeline", "none"),
        }
        for (name, roots) in [("graphics", &bound.graphics), ("compute", &bound.compute)] {
            if let Some(roots) = roots {
                self.roots(name, roots);
            }
        }
        let objects = |all: &Vec<ObjectRef>| all.iter().map(object).collect::<Vec<_>>().join(", ");
        self.set("heaps", &bound.descriptor_heaps, objects);
        if let Some(output) = &bound.output {
            if let Some(targets) = &output.targets {
                for (slot, target) in targets.value.iter().enumerate() {
                    self.target(&format!("target {slot}"), target, targets.call);
                }
                if let Some(depth) = &output.depth {
                    self.target("depth", depth, targets.call);
                }
            }
            self.set("render pass", &output.render_pass, |pass| {
                let accesses = |accesses: &[String; 2]| {
                    let short = |name: &str| name.rsplit("TYPE_").next().unwrap_or(name).to_lowercase();
                    format!("{} to {}", short(&accesses[0]), short(&accesses[1]))
                };
                pass.targets.iter().chain(&pass.depth).chain(&pass.stencil).map(accesses).collect::<Vec<_>>().join(", ")
            });
            self.set("viewports", &output.viewports, |all| {
                let one = |v: &[f32; 6]| format!("{}x{} at {},{} depth {}..{}", v[2], v[3], v[0], v[1], v[4], v[5]);
                all.iter().map(one).collect::<Vec<_>>().join("; ")
            });
            self.set("scissors", &output.scissors, |all| {
                let one = |r: &[i32; 4]| format!("{},{}..{},{}", r[0], r[1], r[2], r[3]);
                all.iter().map(one).collect::<Vec<_>>().join("; ")
            });
            self.set("blend factor", &output.blend_factor, |factor| format!("{factor:?}"));
            self.set("stencil ref", &output.stencil_ref, |stencil| match stencil {
                [front, back] if front == back => front.to_string(),
                [front, back] => format!("{front} (front), {back} (back)"),
            });
            self.set("depth bounds", &output.depth_bounds, |bounds| format!("{}..{}", bounds[0], bounds[1]));
            self.set("depth bias", &output.depth_bias, |bias| {
                format!("{}, clamp {}, slope {}", bias[0], bias[1], bias[2])
            });
            self.set("samples", &output.sample_positions, |positions| format!("{positions:?}"));
            self.set("view instances", &output.view_instances, |mask| format!("{mask:#x}"));
            self.set("shading rate", &output.shading_rate, |(rate, combiners)| {
                format!("{rate}, {}, {}", combiners[0], combiners[1])
            });
            self.set("shading image", &output.shading_rate_image, object);
            for buffer in &output.stream_output {
                let place = address(&buffer.location);
                let line = format!(
                    "{place}, {}, filled {}{}",
                    bytes(buffer.bytes),
                    address(&buffer.filled),
                    self.by(buffer.call)
                );
                self.put(&format!("stream out {}", buffer.slot), &line);
            }
        }
        if let Some(input) = &bound.input {
            self.set("topology", &input.topology, |topology| {
                topology.trim_start_matches("D3D_PRIMITIVE_TOPOLOGY_").to_lowercase()
            });
            if let Some(index) = &input.index {
                let format = index.format.trim_start_matches("DXGI_FORMAT_");
                let line = format!(
                    "{}, {}, {format}{}",
                    address(&index.location),
                    bytes(index.bytes.into()),
                    self.by(index.call)
                );
                self.put("indices", &line);
            }
            for buffer in &input.vertices {
                let place = address(&buffer.location);
                let line = format!(
                    "{place}, {}, stride {}{}",
                    bytes(buffer.bytes.into()),
                    buffer.stride,
                    self.by(buffer.call)
                );
                self.put(&format!("vertices {}", buffer.slot), &line);
            }
            self.set("strip cut", &input.strip_cut, Clone::clone);
        }
        self.set("predicate", &bound.predication, |predicate| {
            format!("{}+{:#x}, {}", object(&predicate.buffer), predicate.offset, predicate.operation)
        });
        self.set("protected", &bound.protected_session, object);
    }

    fn pipeline(&mut self, pipeline: &PipelineReport) {
        let object = pipeline.object.as_ref().map_or_else(|| pipeline.kind.to_owned(), object);
        let line = format!("{object}{}", self.by(pipeline.call));
        self.put("pipeline", &line);
        for shader in &pipeline.shaders {
            let hash = shader.hash.as_deref().unwrap_or("(cannot be read)");
            self.put_within(1, &shader.stage, &format!("{hash}  {}", bytes(shader.bytes)));
        }
    }

    fn roots(&mut self, side: &str, roots: &RootsReport) {
        if roots.signature.is_none() && roots.arguments.is_empty() {
            return;
        }
        let name = format!("{side} roots");
        match &roots.signature {
            Some(signature) => {
                let line = format!("{}{}", object(&signature.value), self.by(signature.call));
                self.put(&name, &line);
            }
            None => self.put(&name, "no root signature"),
        }
        if let Some(error) = &roots.error {
            self.alarm(&format!("  the root signature cannot be read: {error}"));
        }
        for argument in &roots.arguments {
            self.argument(argument);
        }
    }

    fn argument(&mut self, argument: &ArgumentReport) {
        let by = argument.call.map(|call| self.by(call)).unwrap_or_default();
        let name = |register: &Option<String>| {
            let register = register.as_deref().unwrap_or_default();
            format!("{} {register}", argument.parameter)
        };
        match &argument.content {
            ContentReport::Constants { register, words } => {
                let word = |word: &Option<u32>| word.map_or_else(|| "unset".to_owned(), |word| format!("{word:#x}"));
                let words: Vec<String> = words.iter().map(word).collect();
                self.put_within(1, &name(register), &format!("constants {}{by}", words.join(" ")));
            }
            ContentReport::Descriptor { register, view, location } => {
                let place = match (location, argument.call) {
                    (Some(location), _) => address(location),
                    (None, Some(_)) => "null".to_owned(),
                    (None, None) => "not set".to_owned(),
                };
                self.put_within(1, &name(register), &format!("{view} {place}{by}"));
            }
            ContentReport::Table { start, ranges } => {
                let start = start.as_ref().map_or_else(|| "not set".to_owned(), handle);
                self.put_within(1, &name(&None), &format!("table at {start}{by}"));
                for range in ranges {
                    if range.slots.is_empty() {
                        let count = range
                            .count
                            .map_or_else(|| "without an end".to_owned(), |count| plural(count.into(), "descriptor"));
                        self.put_within(2, &range.register, &format!("nothing was written ({count})"));
                    }
                    for slot in range.slots.iter().take(MOST) {
                        self.slot(slot);
                    }
                    self.more(range.slots.len() + range.more as usize);
                }
            }
        }
    }

    fn slot(&mut self, slot: &SlotReport) {
        let name = slot.register.clone().unwrap_or_else(|| format!("[{}]", slot.slot));
        let place = if slot.register.is_some() { format!("[{}] ", slot.slot) } else { String::new() };
        let line = format!("{place}{}{}", descriptor(&slot.descriptor), self.by(slot.descriptor.call));
        self.put_within(2, &name, &line);
    }

    fn target(&mut self, name: &str, target: &TargetReport, call: u64) {
        let held = target.descriptor.as_ref().map_or_else(|| "nothing was written there".to_owned(), descriptor);
        let line = format!("{held}, {}{}", handle(&target.handle), self.by(call));
        self.put(name, &line);
    }

    fn queue(&mut self, queue: &QueueReport) {
        let kind = queue.kind.trim_start_matches("D3D12_COMMAND_LIST_TYPE_").to_lowercase();
        self.put("queue", &format!("{}, {kind}, {}", object(&queue.queue), plural(queue.submissions, "submission")));
        if let Some(last) = &queue.last {
            let lists: Vec<String> = last.lists.iter().map(|ran| ran.list.to_string()).collect();
            let line = format!("{} of lists {}{}", last.number, lists.join(", "), self.by(last.call));
            self.put("last submission", &line);
        }
        if let Some(signal) = &queue.signal {
            let line = format!("fence {} to {}{}", signal.fence, signal.value, self.by(signal.call));
            self.put("last signal", &line);
        }
        for wait in &queue.waits {
            let line = format!("for fence {} at {}{}", wait.fence, wait.value, self.by(wait.call));
            self.put("waits", &line);
        }
        self.markers(&queue.markers);
    }

    fn fences(&mut self, fences: &[FenceReport]) {
        if fences.is_empty() {
            return;
        }
        let row = |cells: [&str; 6]| {
            format!(
                "{:<28} {:>12} {:>12}  {:<26} {:<20} {}",
                cells[0], cells[1], cells[2], cells[3], cells[4], cells[5]
            )
            .trim_end()
            .to_owned()
        };
        let head = row(["fence", "reached", "promised", "last signal", "last seen", "waits"]);
        let head = painted(self.colour, Paint::Field, &head);
        self.lines.push(head);
        for fence in fences {
            let by_queue = fence
                .signalled
                .as_ref()
                .map(|s| (s.call, format!("{} by queue {} (call {})", s.value, s.queue, s.call)));
            let by_cpu = fence.set.as_ref().map(|s| (s.call, format!("{} set (call {})", s.value, s.call)));
            let signal = by_queue
                .into_iter()
                .chain(by_cpu)
                .max_by_key(|(call, _)| *call)
                .map_or_else(String::new, |(_, text)| text);
            let seen =
                fence.seen.as_ref().map_or_else(String::new, |seen| format!("{} (call {})", seen.value, seen.call));
            let waits: Vec<String> = fence
                .waits
                .iter()
                .take(4)
                .map(|wait| {
                    let by = wait.queue.map_or_else(|| "the program".to_owned(), |queue| format!("queue {queue}"));
                    format!("{by} for {}", wait.value)
                })
                .collect();
            let line = row([
                &object(&fence.fence),
                &fence.reached.to_string(),
                &fence.promised.to_string(),
                &signal,
                &seen,
                &waits.join(", "),
            ]);
            self.lines.push(line);
        }
    }

    fn object(&mut self, about: &ObjectReport) {
        self.put("object", &object(&about.object));
        let life = match about.released {
            Some(released) => format!("from call {} to call {released}", about.created),
            None => format!("from call {} to the end of the trace", about.created),
        };
        self.put("lives", &life);
        let on = about.parent.as_ref().map(|parent| format!(" on {}", object(parent))).unwrap_or_default();
        self.put("made by", &format!("{}{on}", about.created_by));
        let held = plural(about.references.into(), "reference");
        self.put("held by", &format!("{held} of the program, {} of objects that need it", about.needed_by));
        for (name, value) in &about.creation {
            if !value.is_null() {
                self.put_within(1, name, &dump::value_for_people(value));
            }
        }
        if let Some(heap) = &about.descriptor_heap {
            let kind = heap.kind.trim_start_matches("D3D12_DESCRIPTOR_HEAP_TYPE_");
            self.put("slots", &format!("{} of {} written, {kind}", heap.slots.len(), heap.count));
            for slot in heap.slots.iter().take(MOST) {
                self.slot(slot);
            }
            self.more(heap.slots.len());
        }
        if let Some(heap) = &about.heap {
            let resident = if heap.resident { "" } else { ", evicted" };
            self.put("memory", &format!("{}{resident}", bytes(heap.bytes)));
            for placed in heap.contents.iter().take(MOST) {
                let tile = placed.tile.map(|tile| format!(", tile {tile}")).unwrap_or_default();
                let overlaps = if placed.overlaps.is_empty() {
                    String::new()
                } else {
                    format!(", overlaps {:?}", placed.overlaps)
                };
                let active = placed.activity.as_ref().map(|it| format!(", {}", activity(it))).unwrap_or_default();
                let line = format!("{} {}{tile}{overlaps}{active}", bytes(placed.bytes), object(&placed.resource));
                self.put_within(1, &format!("{:#x}", placed.offset), &line);
            }
            self.more(heap.contents.len());
        }
        if let Some(resource) = &about.resource {
            let place = match (&resource.heap, resource.offset) {
                (Some(heap), Some(offset)) => format!("in {}+{offset:#x}", object(heap)),
                _ => resource.place.to_owned(),
            };
            let address = resource.address.as_ref().map(|address| format!(", address {address}")).unwrap_or_default();
            let resident = if resource.resident { "" } else { ", evicted" };
            self.put("memory", &format!("{place}, {}{address}{resident}", bytes(resource.bytes)));
            for tiles in resource.tiles.iter().take(MOST) {
                let line = format!(
                    "{} from tile {} of heap {}{}",
                    plural(tiles.count.into(), "tile"),
                    tiles.tile,
                    tiles.heap,
                    self.by(tiles.call)
                );
                self.put_within(1, &format!("tile {}", tiles.first), &line);
            }
            self.more(resource.tiles.len());
            for mapped in &resource.mapped {
                let line = format!(
                    "subresource {} at {}, {}, {}",
                    mapped.subresource,
                    mapped.address,
                    bytes(mapped.bytes),
                    plural(mapped.maps.into(), "map")
                );
                self.put("mapped", &line);
            }
            for overlap in resource.overlaps.iter().take(MOST) {
                let line = format!("{} at {:#x} of heap {}", object(&overlap.resource), overlap.offset, overlap.heap);
                self.put("overlaps", &line);
            }
            self.more(resource.overlaps.len());
            if let Some(it) = &resource.activity {
                self.put("contents", &activity(it));
            }
            for view in resource.views.iter().take(MOST) {
                let line = format!("{} in heap {}[{}]{}", view.view, view.heap, view.slot, self.by(view.call));
                self.put("view", &line);
            }
            self.more(resource.views.len());
        }
        if let Some(events) = &about.fence {
            let skipped = events.len().saturating_sub(MOST);
            if skipped > 0 {
                self.put("history", &format!("the last {MOST} of {}; --json has all", events.len()));
            }
            for event in events.iter().skip(skipped) {
                let queue = event.queue.map(|queue| format!(" queue {queue}")).unwrap_or_default();
                self.put_within(
                    1,
                    &format!("call {}", event.call),
                    &format!("{}{queue} {}", event.event.replace('_', " "), event.value),
                );
            }
        }
        if let Some(queue) = &about.queue {
            self.queue(&queue.now);
            let skipped = queue.history.len().saturating_sub(MOST);
            for one in queue.history.iter().skip(skipped) {
                let lists: Vec<String> = one.lists.iter().map(|ran| ran.list.to_string()).collect();
                self.put_within(
                    1,
                    &format!("call {}", one.call),
                    &format!("submission {}, frame {}: lists {}", one.number, one.frame, lists.join(", ")),
                );
            }
        }
        if let Some(list) = &about.list {
            self.list(list);
        }
        if let Some(pipeline) = &about.pipeline {
            self.pipeline(pipeline);
            if let Some(signature) = &pipeline.root_signature {
                self.put_within(1, "root signature", &object(signature));
            }
        }
        if let Some(signature) = &about.root_signature {
            for (index, parameter) in signature["parameters"].as_array().into_iter().flatten().enumerate() {
                self.put_within(1, &format!("parameter {index}"), &dump::value_for_people(parameter));
            }
        }
    }

    /// A shader table: where it lies, and a line for each record.
    fn table(&mut self, table: &TableReport) {
        let place = table.location.as_ref().map_or("null".to_owned(), address);
        let stride = if table.stride == 0 { String::new() } else { format!(", {} apart", bytes(table.stride)) };
        let unknown = table.unknown.map(|why| format!(": {why}")).unwrap_or_default();
        let name = format!("{} table", table.table.replace('_', " "));
        self.put(&name, &format!("{place}, {}{stride}{unknown}", bytes(table.bytes)));
        for record in table.records.iter().take(MOST) {
            let what = match (&record.export, record.kind) {
                (Some(export), Some(kind)) => format!("{} ({kind})", clean(export)),
                _ if record.null => "nothing".to_owned(),
                _ => format!("an identifier that the program was never told: {}", record.identifier),
            };
            let arguments: String = record.arguments.iter().map(|it| format!("; {}", field(it))).collect();
            self.put_within(1, &format!("record {}", record.index), &format!("{what}{arguments}"));
        }
        self.more(table.records.len().saturating_add(usize::try_from(table.more).unwrap_or(usize::MAX)));
    }

    /// Acceleration structures, as their inputs.
    fn structures(&mut self, all: &[StructureReport]) {
        for structure in all.iter().take(MOST) {
            let made = &structure.made;
            let from = made.from.as_ref().map(|from| format!(" from {}", address(from))).unwrap_or_default();
            let build = match structure.build {
                Some(build) if build != made.call => format!(", built by call {build}"),
                _ => String::new(),
            };
            let inputs = match (&structure.instances, structure.geometries) {
                (Some(instances), _) => {
                    let unknown = instances.unknown.map(|why| format!(" ({why})")).unwrap_or_default();
                    format!("top level of {}{unknown}", plural(instances.count.into(), "instance"))
                }
                (None, Some(1)) => "bottom level of 1 geometry".to_owned(),
                (None, Some(count)) => format!("bottom level of {count} geometries"),
                (None, None) => "of a build that is not in the trace".to_owned(),
            };
            let what = format!(
                "{}: {}, {} by call {}{from}{build}, {inputs}",
                structure.used_by,
                address(&structure.location),
                made.how,
                made.call
            );
            self.put("structure", &what);
            let instances = structure.instances.as_ref();
            for instance in instances.iter().flat_map(|all| &all.list).take(MOST) {
                let place = instance.structure.as_ref().map_or("nothing".to_owned(), address);
                let made = instance.made.map(|call| format!(" (call {call})")).unwrap_or_default();
                let what = format!(
                    "{place}{made}, id {}, mask {:#04x}, hit group {}",
                    instance.id, instance.mask, instance.hit_group
                );
                self.put_within(1, &format!("instance {}", instance.index), &what);
            }
            self.more(instances.map_or(0, |all| if all.list.is_empty() { 0 } else { all.count as usize }));
        }
        self.more(all.len());
    }

    /// How a resource is used around the call.
    fn usage(&mut self, usage: Option<&UsageReport>) {
        let Some(usage) = usage else { return };
        if let Some(reason) = usage.reason {
            return self.put("uses", reason);
        }
        let at = match (usage.at, usage.submission) {
            ("submission", Some(call)) => format!("as the call finds it in submission {call}"),
            ("not_run", _) => "behind what was submitted before the call, whose list no submission runs".to_owned(),
            _ => "behind what was submitted before the call".to_owned(),
        };
        self.put("subresources", &at);
        if usage.subresources.is_empty() {
            self.put_within(1, "unknown", "its states are not followed");
        }
        for stand in usage.subresources.iter().take(MOST) {
            let state = stand.state.as_deref().unwrap_or("unknown");
            let split = if stand.kind == "split" { "a split barrier from " } else { "" };
            let line = format!("{}: {split}{state}{}", part_in_words(&stand.part), self.by(stand.call));
            self.put_within(1, "", &line);
        }
        self.more(usage.subresources.len());
        for (name, it) in [("previous write", &usage.previous_write), ("next write", &usage.next_write)] {
            let line = it.as_ref().map_or_else(|| "none".to_owned(), use_in_words);
            self.put(name, &line);
        }
        for it in usage.here.iter().take(MOST) {
            self.put("this call", &use_in_words(it));
        }
        self.more(usage.here.len());
        if let Some(damaged) = usage.damaged {
            self.alarm(&format!("{} cannot be read: their uses are missing", plural(damaged, "call")));
        }
    }

    /// Says how many are left out.
    fn more(&mut self, count: usize) {
        if count > MOST {
            self.put("", &format!("and {} more; --json has all", count - MOST));
        }
    }
}

/// `ID3D12Resource(12) "albedo"`.
pub fn object(object: &ObjectRef) -> String {
    let name = object.name.as_ref().map(|name| format!(" \"{}\"", clean(name))).unwrap_or_default();
    let gone = if object.gone { " (released)" } else { "" };
    format!("{}({}){name}{gone}", clean(&object.class), object.id)
}

fn address(at: &AddressRef) -> String {
    match (&at.resource, at.offset) {
        (Some(resource), Some(offset)) => format!("{}+{offset:#x}", object(resource)),
        _ => at.address.clone(),
    }
}

fn handle(at: &HandleRef) -> String {
    match (&at.heap, at.slot) {
        (Some(heap), Some(slot)) => format!("{}[{slot}]", object(heap)),
        _ => at.handle.clone(),
    }
}

/// An argument in a record: `+32 constants 0x7 0x0`, `+40 ID3D12Resource(12)+0x100`.
fn field(field: &FieldReport) -> String {
    let value = match &field.value {
        FieldValue::Constants(words) => {
            let words: Vec<String> = words.iter().map(|word| format!("{word:#x}")).collect();
            format!("constants {}", words.join(" "))
        }
        FieldValue::Address(Some(at)) => address(at),
        FieldValue::Address(None) => "null".to_owned(),
        FieldValue::Table(at) => format!("table {}", handle(at)),
        FieldValue::Outside => "behind the end of the record".to_owned(),
    };
    format!("+{} {value}", field.offset)
}

/// What a slot holds, in short: the view, the resource, format and dimension.
fn descriptor(held: &DescriptorReport) -> String {
    let of = match (&held.resource, &held.location) {
        (Some(resource), _) => format!(" {}", object(resource)),
        (None, Some(location)) => format!(" {}", address(location)),
        (None, None) if held.view == "sampler" => String::new(),
        (None, None) => " null".to_owned(),
    };
    let mut text = format!("{}{of}", held.view);
    for (name, prefix) in
        [("Format", "DXGI_FORMAT_"), ("ViewDimension", "_DIMENSION_"), ("Filter", "D3D12_FILTER_"), ("SizeInBytes", "")]
    {
        let value = match &held.desc[name] {
            Json::String(value) => {
                value.rsplit(prefix).next().filter(|_| !prefix.is_empty()).unwrap_or(value).to_owned()
            }
            Json::Number(value) => value.to_string(),
            _ => continue,
        };
        text.push(' ');
        text.push_str(&clean(&value));
    }
    if let Some(from) = &held.copied_from {
        text.push_str(&format!(", copied from heap {}[{}]", from.heap, from.slot));
    }
    text
}

/// Control characters as escapes; everything else as it is.
pub fn clean(text: &str) -> String {
    text.chars().flat_map(|c| if c.is_control() { c.escape_default().collect() } else { vec![c] }).collect()
}
