//! Rays of pipelines: a shader traces one, and the shaders of the records that it comes to run within it, each to its end.
//!
//! A ray calls shaders as the DirectX Raytracing functional specification says: any-hit shaders for triangles that are not opaque, intersection
//! shaders for boxes, and in the end one closest-hit or miss shader.

use crate::fault::Fault;
use crate::group::{Group, Opens, Ran, Task};
use crate::kind::Kind;
use crate::memory::part_mut;
use crate::module::{Instruction, Module, Variable};
use crate::number;
use crate::open::{Open, either};
use crate::pointer::Place;
use crate::ray_query::{EDGE, FIRST, ORDER, TIE, UNDEFINED};
use crate::rays::{
    Doubt, End, Meeting, Numbers, Ray, RayHit, Record, Reports, Scene, Stand, Struck, Table, arrange, ray_flag,
};
use crate::resources::Resources;
use crate::value::Value;
use spirv::{BuiltIn, Decoration, Op, StorageClass};
use std::rc::Rc;

/// Calls of shaders in calls of shaders, whatever the pipeline allows: rays 31, and callable shaders beside.
const DEEPEST: u32 = 48;
/// Rays of a lane that are kept.
const MOST_RAYS: usize = 4096;
/// `HIT_KIND_TRIANGLE_FRONT_FACE` and that of the back.
const FRONT: u32 = 254;
const BACK: u32 = 255;

/// Runs one thread of a dispatch of rays: `task` has its index as the group, and the dimensions as groups. `most_rays` is how deep rays may
/// lie in rays.
///
/// # Errors
/// As [`run`](crate::run), and where a record is missing or cannot be read.
pub fn run_rays(task: Task, most_rays: u32, resources: &mut dyn Resources, opens: &mut Opens) -> Result<Ran, Fault> {
    let missing = |what: String| Fault::Resource { offset: 0, what };
    let record = resources.record(Table::RayGeneration, 0).map_err(missing)?;
    let Some(module) = record.general.clone() else { return Ok(Ran::default()) };
    let stand = Stand {
        launch: [task.group, task.groups],
        record,
        rays: 0,
        depth: 0,
        most_rays,
        ray: None,
        struck: None,
        reports: None,
        incoming: Numbers::new(),
        way: 0,
        end: End::default(),
    };
    opens.module = module.number;
    let mut group = Group::of_ray(&module, Task { wave: 1, ..task }, resources, opens, stand)?;
    group.run().map_err(|fault| within(fault, &module.label))?;
    Ok(group.ran)
}

/// A fault, with the shader in which it is.
fn within(mut fault: Fault, shader: &str) -> Fault {
    match &mut fault {
        Fault::Malformed { what, .. } | Fault::Unsupported { what, .. } | Fault::Resource { what, .. } => {
            *what = format!("{shader}: {what}");
        }
        Fault::Budget { .. } | Fault::Barrier { .. } => {}
    }
    fault
}

/// The numbers of a value, one after the other.
fn flatten(value: &Value, numbers: &mut Numbers) {
    match value {
        Value::Number(bits, open) => numbers.push((*bits, *open)),
        Value::Composite(parts) => parts.iter().for_each(|part| flatten(part, numbers)),
        _ => {}
    }
}

/// The value of a type whose numbers these are. What is missing is 0.
fn filled(module: &Module, kind: u32, numbers: &mut impl Iterator<Item = (u64, Open)>) -> Result<Value, Fault> {
    let parts: Vec<u32> = match module.kind(kind, 0)? {
        Kind::Vector { of, count, .. } | Kind::Array { of, count: Some(count) } => vec![*of; *count as usize],
        Kind::Structure { members } => members.clone(),
        _ => {
            let (bits, open) = numbers.next().unwrap_or_default();
            return Ok(Value::Number(bits, open));
        }
    };
    let parts = parts.into_iter().map(|of| filled(module, of, numbers));
    Ok(Value::of_parts(parts.collect::<Result<_, _>>()?))
}

/// Where the search for a ray's hit stands.
struct Search {
    scene: Rc<Scene>,
    ray: Ray,
    /// What is open about the ray, and about the order of what it meets.
    open: Open,
    hit: Option<Struck>,
    payload: Numbers,
}

impl Search {
    fn end(&self) -> f64 {
        self.hit.as_ref().map_or(f64::INFINITY, distance)
    }
}

fn distance(of: &Struck) -> f64 {
    of.given.map_or(of.meeting.distance, |(bits, _)| number::real(bits, 32))
}

impl Group<'_> {
    /// What a shader's record has at a place.
    pub(crate) fn record_bytes(&self, at: u64, bytes: &mut [u8]) {
        let all = self.stand.as_ref().map_or(&[][..], |stand| &stand.record.arguments);
        let from = usize::try_from(at).ok().and_then(|at| all.get(at..)).unwrap_or_default();
        bytes.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
    }

    /// A variable that passes something on, or has it from the shader that calls.
    pub(crate) fn ray_variable(&mut self, class: StorageClass, variable: &Variable) -> Result<Value, Fault> {
        let kind = self.target(variable.kind, 0)?;
        let none = Numbers::new();
        let stand = self.stand.as_deref();
        let numbers = match class {
            StorageClass::IncomingRayPayloadKHR | StorageClass::IncomingCallableDataKHR => {
                stand.map_or(&none, |stand| &stand.incoming)
            }
            StorageClass::HitAttributeKHR => {
                stand.and_then(|stand| stand.struck.as_ref()).map_or(&none, |it| &it.attributes)
            }
            _ => return self.module.zero(kind, 0),
        };
        let value = filled(self.module, kind, &mut numbers.iter().copied())?;
        let mut own = Numbers::new();
        flatten(&value, &mut own);
        if !numbers.is_empty() && own.len() != numbers.len() {
            let (from, to) = (numbers.len(), own.len());
            let what = format!("{class:?} of {to} numbers, of which the shader before gives {from}");
            return Err(Fault::Unsupported { offset: 0, what });
        }
        Ok(value)
    }

    /// What an input of a shader of rays holds.
    pub(crate) fn ray_input(&mut self, variable: u32) -> Result<Value, Fault> {
        let built_in = self.module.decoration(variable, Decoration::BuiltIn).and_then(BuiltIn::from_u32);
        let Some(stand) = self.stand.clone() else { return Ok(Value::Nothing) };
        let name = built_in.map_or_else(|| self.module.name(variable), |it| format!("{it:?}"));
        let unsupported = || Fault::Unsupported { offset: 0, what: format!("the input {name}") };
        let Some(built_in) = built_in else { return Err(unsupported()) };
        let whole = |of: u32| Value::Number(of.into(), 0);
        let three = |of: [u32; 3]| Value::of_parts(of.map(whole).to_vec());
        match built_in {
            BuiltIn::LaunchIdKHR => return Ok(three(stand.launch[0])),
            BuiltIn::LaunchSizeKHR => return Ok(three(stand.launch[1])),
            BuiltIn::SubgroupSize => return Ok(whole(1)),
            BuiltIn::SubgroupLocalInvocationId => return Ok(whole(0)),
            _ => {}
        }
        let ray = stand.ray.ok_or_else(unsupported)?;
        // The input is no instruction: what is open about it is at no word.
        let at = Instruction { offset: 0, op: Op::TraceRayKHR, kind: 0, result: 0, operands: Vec::new() };
        match built_in {
            BuiltIn::WorldRayOriginKHR => return Ok(self.exact(ray.origin, stand.way)),
            BuiltIn::WorldRayDirectionKHR => return Ok(self.exact(ray.direction, stand.way)),
            BuiltIn::RayTminKHR => return Ok(Value::Number((ray.least as f32).to_bits().into(), stand.way)),
            BuiltIn::IncomingRayFlagsKHR => return Ok(Value::Number(ray.flags.into(), stand.way)),
            BuiltIn::CullMaskKHR => return Ok(Value::Number(ray.mask.into(), stand.way)),
            BuiltIn::RayTmaxKHR => {
                let end = stand.reports.as_ref().map(|reports| reports.end);
                return Ok(match (&stand.struck, end) {
                    (Some(struck), None) => match struck.given {
                        Some((bits, open)) => Value::Number(bits, either(open, stand.way)),
                        None => self.near(&at, (struck.meeting.distance, struck.meeting.error), stand.way),
                    },
                    (_, Some(end)) if end < ray.greatest => self.near(&at, (end, 0.0), stand.way),
                    _ => Value::Number((ray.greatest as f32).to_bits().into(), stand.way),
                });
            }
            _ => {}
        }
        let struck = stand.struck.as_ref().ok_or_else(unsupported)?;
        let (of, instance) = (struck.meeting, struck.instance.clone());
        let open = stand.way;
        let opened = |of: u32| Value::Number(of.into(), open);
        let back = instance.back.ok_or_else(unsupported)?;
        Ok(match built_in {
            BuiltIn::HitKindKHR => Value::Number(struck.kind.0.into(), either(struck.kind.1, open)),
            BuiltIn::InstanceId => opened(of.instance),
            BuiltIn::InstanceCustomIndexKHR => opened(instance.id),
            BuiltIn::PrimitiveId => opened(of.primitive),
            BuiltIn::RayGeometryIndexKHR => opened(of.geometry),
            BuiltIn::ObjectRayOriginKHR => self.moved(&at, &back, (ray.origin, true), open),
            BuiltIn::ObjectRayDirectionKHR => self.moved(&at, &back, (ray.direction, false), open),
            BuiltIn::ObjectToWorldKHR => self.columns(&at, (&instance.transform, false), open),
            BuiltIn::WorldToObjectKHR => self.columns(&at, (&back, true), open),
            _ => return Err(unsupported()),
        })
    }

    /// An any-hit shader ends with a verdict.
    pub(crate) fn end_hit(&mut self, instruction: &Instruction) {
        if let Some(stand) = &mut self.stand {
            stand.end = if instruction.op == Op::TerminateRayKHR { End::Last } else { End::Ignored };
        }
    }

    fn record(&mut self, table: Table, index: u64, instruction: &Instruction) -> Result<Rc<Record>, Fault> {
        let found = self.resources.record(table, index);
        found.map_err(|what| Fault::Resource { offset: instruction.offset, what })
    }

    /// Runs a shader within this one, to its end. Gives where it stands then, and what it left in its attributes.
    fn shade(&mut self, lane: usize, module: &Module, stand: Stand) -> Result<Stand, Fault> {
        if stand.depth > DEEPEST {
            let what = format!("more than {DEEPEST} calls of shaders within each other");
            return Err(Fault::Unsupported { offset: 0, what });
        }
        let watched = (Some(lane as u32) == self.task.watched).then_some(0);
        let ran = std::mem::take(&mut self.ran);
        let before = std::mem::replace(&mut self.opened.module, module.number);
        let task = Task { watched, wave: 1, ..self.task };
        let inner = Group::of_ray(module, task, &mut *self.resources, &mut *self.opened, stand);
        let (ran, left) = match inner {
            Ok(mut inner) => {
                inner.ran = ran;
                let done = inner.run().map_err(|fault| within(fault, &module.label));
                (inner.ran, done.map(|()| (inner.stand, inner.lanes)))
            }
            Err(fault) => (ran, Err(fault)),
        };
        self.ran = ran;
        self.opened.module = before;
        let (stand, lanes) = left?;
        let Some(mut stand) = stand else { return Err(Fault::Malformed { offset: 0, what: "no shader".to_owned() }) };
        if let Some(lane) = lanes.first() {
            let incoming = [StorageClass::IncomingRayPayloadKHR, StorageClass::IncomingCallableDataKHR];
            for (id, variable) in &module.variables {
                let class = StorageClass::from_u32(variable.class);
                if let (true, Some(value)) = (class.is_some_and(|it| incoming.contains(&it)), lane.variables.get(id)) {
                    stand.incoming.clear();
                    flatten(value, &mut stand.incoming);
                }
            }
            stand.way = lane.way;
        }
        Ok(*stand)
    }

    /// The variable that an operand points to: what lies there.
    fn passed(&mut self, lane: usize, instruction: &Instruction, at: usize) -> Result<Numbers, Fault> {
        let pointer = self.pointer(lane, instruction, at)?;
        let value = self.load(lane, &pointer, instruction)?;
        let mut numbers = Numbers::new();
        flatten(&value, &mut numbers);
        Ok(numbers)
    }

    /// Puts what a shader left there again.
    fn return_to(
        &mut self,
        lane: usize,
        instruction: &Instruction,
        at: usize,
        (numbers, open): (Numbers, Open),
    ) -> Result<(), Fault> {
        let pointer = self.pointer(lane, instruction, at)?;
        let value = filled(self.module, pointer.to, &mut numbers.into_iter())?.opened(open);
        match &pointer.place {
            Place::Variable { variable, shared: false, path } => {
                let whole = self.lanes[lane].variables.get_mut(variable);
                let place = whole.and_then(|whole| part_mut(whole, path));
                *place.ok_or_else(|| self.module.malformed(instruction.offset, "a payload that is none".into()))? =
                    value;
                Ok(())
            }
            _ => Err(self.unsupported(instruction)),
        }
    }

    fn stand_of(&self, instruction: &Instruction) -> Result<Stand, Fault> {
        self.stand.as_deref().cloned().ok_or_else(|| self.unsupported(instruction))
    }

    /// `OpTraceRayKHR` and `OpExecuteCallableKHR`.
    pub(crate) fn call_shader(&mut self, lane: usize, instruction: &Instruction) -> Result<(), Fault> {
        let own = self.stand_of(instruction)?;
        if instruction.op == Op::TraceRayKHR {
            return self.trace_ray(lane, instruction, own);
        }
        let (index, open) = self.number(lane, instruction, 0)?;
        let incoming = self.passed(lane, instruction, 1)?;
        let record = self.record(Table::Callable, index, instruction)?;
        let Some(module) = record.general.clone() else { return Ok(()) };
        let way = either(self.lanes[lane].way, open);
        let (depth, end, ray, struck, reports) = (own.depth + 1, End::default(), None, None, None);
        let stand =
            self.shade(lane, &module, Stand { record, depth, incoming, way, end, ray, struck, reports, ..own })?;
        self.return_to(lane, instruction, 1, (stand.incoming, open))
    }

    fn trace_ray(&mut self, lane: usize, instruction: &Instruction, own: Stand) -> Result<(), Fault> {
        const PAYLOAD: usize = 10;
        if own.rays >= own.most_rays {
            let what = format!("a ray within {} others, where the pipeline allows {}", own.rays, own.most_rays);
            return Err(Fault::Resource { offset: instruction.offset, what });
        }
        let (ray, mut told, mut open) = self.ray_of(lane, instruction, [0, 1, 2, 6, 7, 8, 9])?;
        let mut low = |group: &Self, at: usize, bits: u32| -> Result<u64, Fault> {
            let (number, own) = group.number(lane, instruction, at)?;
            open = either(open, own);
            Ok(number & ((1 << bits) - 1))
        };
        // The bits that the API looks at.
        let (behind, stride, miss) = (low(self, 3, 4)?, low(self, 4, 4)?, low(self, 5, 16)?);
        let scene = self.scene_at(told.structure, instruction)?;
        let mut met = scene.meetings(&ray, open != 0);
        let records = self.records(&scene, &mut met, (behind, stride), instruction)?;
        if !ray.is_defined() {
            open = either(open, self.opens(instruction, UNDEFINED));
        }
        if met.iter().any(|it| !it.is_automatic() && !it.sure) {
            open = either(open, self.opens(instruction, EDGE));
        }
        if met.iter().any(|it| !it.is_automatic()) && met.len() > 1 {
            open = either(open, self.opens_last_bits(instruction, ORDER));
        }
        let lean = self.opened.leans();
        let mut both: Vec<(Meeting, Rc<Record>)> = met.iter().copied().zip(records).collect();
        arrange(&mut met, lean);
        both.sort_by_key(|(it, _)| met.iter().position(|other| other.order() == it.order()));
        told.depth = own.depth;
        told.candidates = both.iter().filter(|(it, _)| it.exact && !it.is_automatic()).count() as u32;
        let is_told = Some(lane as u32) == self.task.watched && self.ran.rays.len() < MOST_RAYS;
        let place = is_told.then(|| {
            self.ran.rays.push(told);
            self.ran.rays.len() - 1
        });
        let payload = self.passed(lane, instruction, PAYLOAD)?;
        let mut search = Search { scene, ray, open, hit: None, payload };
        for (meeting, record) in &both {
            let nearer = meeting.distance < search.end() || !meeting.is_triangle() && meeting.distance <= search.end();
            if meeting.exact && nearer && self.candidate(lane, (meeting, record), &own, &mut search)? {
                break;
            }
        }
        let hit = search.hit.as_ref().map(|it| (it.meeting, distance(it)));
        let doubt = Doubt::of(&ray, &met, hit);
        let mut all = search.open;
        for (is, why) in [(doubt.edge, EDGE), (doubt.tie, TIE), (doubt.first, FIRST)] {
            if is {
                all = either(all, self.opens(instruction, why));
            }
        }
        let (table, index) = match &search.hit {
            Some(struck) => (Table::Hit, record_of(struck, (behind, stride))),
            None => (Table::Miss, miss),
        };
        let skips = search.hit.is_some() && ray.flags & ray_flag::SKIP_CLOSEST_HIT != 0;
        let record = if skips { Rc::default() } else { self.record(table, index, instruction)? };
        if let Some(told) = place.and_then(|place| self.ran.rays.get_mut(place)) {
            told.hit = search.hit.as_ref().map(seen);
            told.record = Some((table.name(), index as u32));
            told.shader = record.name.clone();
            told.open = self.opened.get(all).map(|it| it.what.clone());
        }
        let module = match table {
            Table::Hit => record.closest_hit.clone(),
            _ => record.general.clone(),
        };
        let (mut numbers, way) = (search.payload, either(self.lanes[lane].way, all));
        if let Some(module) = module {
            let (rays, depth, ray) = (own.rays + 1, own.depth + 1, Some(ray));
            let (struck, incoming, reports, end) = (search.hit, numbers, None, End::default());
            let stand = Stand { record, rays, depth, ray, struck, incoming, reports, way, end, ..own };
            numbers = self.shade(lane, &module, stand)?.incoming;
        }
        self.return_to(lane, instruction, PAYLOAD, (numbers, all))
    }

    /// The hit records of what a ray meets. What has no any-hit shader counts without being asked.
    fn records(
        &mut self,
        scene: &Scene,
        met: &mut [Meeting],
        by: (u64, u64),
        instruction: &Instruction,
    ) -> Result<Vec<Rc<Record>>, Fault> {
        let mut all = Vec::with_capacity(met.len());
        for it in met {
            if it.is_automatic() || !it.exact && it.is_triangle() {
                all.push(Rc::default());
                continue;
            }
            let added = scene.instances.get(it.instance as usize).map_or(0, |instance| u64::from(instance.record));
            let index = by.0 + by.1 * u64::from(it.geometry) + added;
            let record = self.record(Table::Hit, index, instruction)?;
            it.opaque |= it.is_triangle() && record.any_hit.is_none();
            all.push(record);
        }
        Ok(all)
    }

    /// What a ray meets is hit, or a shader is asked. Says whether the search is over.
    fn candidate(
        &mut self,
        lane: usize,
        (meeting, record): (&Meeting, &Rc<Record>),
        own: &Stand,
        search: &mut Search,
    ) -> Result<bool, Fault> {
        let Some(instance) = search.scene.instances.get(meeting.instance as usize).cloned() else { return Ok(false) };
        let first = search.ray.flags & ray_flag::ACCEPT_FIRST != 0;
        let kind = (if meeting.front { FRONT } else { BACK }, 0);
        let attributes = self.attributes(meeting, search.open);
        let struck = Struck { meeting: *meeting, instance, kind, given: None, attributes };
        if meeting.is_automatic() {
            search.hit = Some(struck);
            return Ok(first);
        }
        let way = either(self.lanes[lane].way, search.open);
        let (rays, depth) = (own.rays + 1, own.depth + 1);
        let stand = Stand {
            record: Rc::clone(record),
            rays,
            depth,
            ray: Some(search.ray),
            struck: Some(struck.clone()),
            reports: None,
            incoming: search.payload.clone(),
            way,
            end: End::default(),
            ..own.clone()
        };
        if meeting.is_triangle() {
            let Some(module) = record.any_hit.clone() else { return Ok(false) };
            let left = self.shade(lane, &module, stand)?;
            search.payload = left.incoming;
            // Whether it counts is as open as the way to there.
            search.open = either(search.open, left.way);
            if left.end != End::Ignored {
                search.hit = Some(struck);
            }
            return Ok(left.end == End::Last || left.end == End::Accepted && first);
        }
        let Some(module) = record.intersection.clone() else { return Ok(false) };
        let payload = search.payload.clone();
        let reports = Reports { end: search.end().min(search.ray.greatest), committed: None, over: false, payload };
        let left = self.shade(lane, &module, Stand { reports: Some(reports), ..stand })?;
        search.open = either(search.open, left.way);
        let Some(reports) = left.reports else { return Ok(false) };
        search.payload = reports.payload;
        if reports.committed.is_some() {
            search.hit = reports.committed;
        }
        Ok(reports.over)
    }

    /// The attributes of a triangle: its barycentric coordinates.
    fn attributes(&mut self, meeting: &Meeting, open: Open) -> Numbers {
        let Some(both) = meeting.barycentrics else { return Numbers::new() };
        let at = Instruction { offset: 0, op: Op::TraceRayKHR, kind: 0, result: 0, operands: Vec::new() };
        let value = self.all_near(&at, both.map(|it| (it, meeting.spread)), open);
        let mut numbers = Numbers::new();
        flatten(&value, &mut numbers);
        numbers
    }

    /// `OpReportIntersectionKHR`: whether the hit counts.
    pub(crate) fn report_hit(&mut self, lane: usize, instruction: &Instruction) -> Result<Value, Fault> {
        let own = self.stand_of(instruction)?;
        let (bits, open) = self.number(lane, instruction, 0)?;
        let kind = self.number(lane, instruction, 1)?;
        let (Some(mut reports), Some(ray), Some(mut struck)) = (own.reports.clone(), own.ray, own.struck.clone())
        else {
            return Err(self.unsupported(instruction));
        };
        let reported = number::real(bits, 32);
        let open = either(open, self.lanes[lane].way);
        let no = Value::Number(0, open);
        if !(ray.least <= reported && reported <= reports.end) || reports.over {
            return Ok(no);
        }
        struck.attributes.clear();
        for (id, variable) in &self.module.variables {
            if variable.class == StorageClass::HitAttributeKHR as u32
                && let Some(value) = self.lanes[lane].variables.get(id)
            {
                flatten(value, &mut struck.attributes);
            }
        }
        struck.kind = (kind.0 as u32, kind.1);
        struck.given = Some((bits, open));
        struck.meeting.error = if open == 0 { 0.0 } else { reported.abs() * number::error_of(32) };
        let mut end = End::Accepted;
        let mut way = self.lanes[lane].way;
        if let (false, Some(module)) = (struck.meeting.opaque, own.record.any_hit.clone()) {
            let (depth, incoming) = (own.depth + 1, reports.payload.clone());
            let hit = Some(struck.clone());
            let stand = Stand { depth, incoming, struck: hit, reports: None, way, end, ..own.clone() };
            let left = self.shade(lane, &module, stand)?;
            (reports.payload, end) = (left.incoming, left.end);
            way = either(way, left.way);
        }
        if end != End::Ignored {
            reports.end = reported;
            reports.committed = Some(struck);
            reports.over = end == End::Last || ray.flags & ray_flag::ACCEPT_FIRST != 0;
        }
        let is_over = reports.over;
        if let Some(stand) = &mut self.stand {
            stand.reports = Some(reports);
        }
        if is_over {
            // The shader ends where it reports the last hit.
            self.end_at_report(lane);
        }
        Ok(Value::Number(u64::from(end != End::Ignored), either(open, way)))
    }
}

fn record_of(struck: &Struck, (behind, stride): (u64, u64)) -> u64 {
    behind + stride * u64::from(struck.meeting.geometry) + u64::from(struck.instance.record)
}

/// A hit as people ask for it.
fn seen(struck: &Struck) -> RayHit {
    let of = struck.meeting;
    RayHit {
        triangle: of.is_triangle(),
        instance: of.instance,
        id: struck.instance.id,
        geometry: of.geometry,
        primitive: of.primitive,
        distance: distance(struck),
        barycentrics: of.barycentrics,
        front: of.front,
        record: struck.instance.record,
    }
}
