//! Ray queries: a lane goes from candidate to candidate, and asks about the last one and about what is committed.
//!
//! In which order candidates come, no rule says. So runs that [lean](crate::Lean) take other orders, and where what a shader makes of the
//! candidates depends on it, the runs show that.

use crate::fault::Fault;
use crate::group::Group;
use crate::module::Instruction;
use crate::number::{self, Number};
use crate::open::{Open, either};
use crate::pointer::Place;
use crate::rays::vector::{place, products, turn};
use crate::rays::{Doubt, Hit, InstancePlace, Matrix, Meeting, Query, Ray, Scene, TracedRay, arrange};
use crate::value::Value;
use spirv::Op;
use std::rc::Rc;

pub(crate) const ORDER: &str = "Op: in which order candidates come";
pub(crate) const EDGE: &str = "Op: which primitive is hit at an edge";
pub(crate) const TIE: &str = "Op: which of two hits at one distance it is";
pub(crate) const FIRST: &str = "Op: which hit is found first";
const NOTHING: &str = "Op: a hit or candidate that there is none of";
pub(crate) const UNDEFINED: &str = "Op: a ray that the API does not allow";
const BEHIND: &str = "Op: a hit that is reported beyond the ray's range";
/// Rays of a lane that are kept.
const MOST_RAYS: usize = 4096;

/// Whether an instruction is of ray queries.
pub(crate) fn is_query(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        RayQueryInitializeKHR
            | RayQueryTerminateKHR
            | RayQueryGenerateIntersectionKHR
            | RayQueryConfirmIntersectionKHR
            | RayQueryProceedKHR
            | RayQueryGetIntersectionTypeKHR
            | RayQueryGetRayTMinKHR
            | RayQueryGetRayFlagsKHR
            | RayQueryGetIntersectionTKHR
            | RayQueryGetIntersectionInstanceCustomIndexKHR
            | RayQueryGetIntersectionInstanceIdKHR
            | RayQueryGetIntersectionInstanceShaderBindingTableRecordOffsetKHR
            | RayQueryGetIntersectionGeometryIndexKHR
            | RayQueryGetIntersectionPrimitiveIndexKHR
            | RayQueryGetIntersectionBarycentricsKHR
            | RayQueryGetIntersectionFrontFaceKHR
            | RayQueryGetIntersectionCandidateAABBOpaqueKHR
            | RayQueryGetIntersectionObjectRayDirectionKHR
            | RayQueryGetIntersectionObjectRayOriginKHR
            | RayQueryGetWorldRayDirectionKHR
            | RayQueryGetWorldRayOriginKHR
            | RayQueryGetIntersectionObjectToWorldKHR
            | RayQueryGetIntersectionWorldToObjectKHR
    )
}

/// Three numbers of an operand, with what is open about them.
fn three(value: &Value) -> Option<[f32; 3]> {
    let numbers: Vec<f32> = value.numbers().iter().map(|bits| f32::from_bits(*bits as u32)).collect();
    numbers.try_into().ok()
}

impl Group<'_> {
    fn variable_of(&self, lane: usize, instruction: &Instruction) -> Result<(u32, Vec<u32>), Fault> {
        // The result of a getter is no operand.
        match &self.pointer(lane, instruction, 0)?.place {
            Place::Variable { variable, path, .. } => Ok((*variable, path.clone())),
            _ => Err(self.unsupported(instruction)),
        }
    }

    fn float_at(&self, lane: usize, instruction: &Instruction, at: usize) -> Result<(f32, Open), Fault> {
        let (bits, open) = self.number(lane, instruction, at)?;
        Ok((f32::from_bits(bits as u32), open))
    }

    /// An instruction of a ray query.
    pub(crate) fn ray_query(&mut self, lane: usize, instruction: &Instruction) -> Result<Option<Value>, Fault> {
        let at = self.variable_of(lane, instruction)?;
        if instruction.op == Op::RayQueryInitializeKHR {
            let query = self.begin_query(lane, instruction)?;
            self.lanes[lane].queries.insert(at, query);
            return Ok(None);
        }
        let taken = self.lanes[lane].queries.remove(&at);
        let Some(mut query) = taken else {
            let what = "a ray query is used before it traces a ray".to_owned();
            return Err(Fault::Malformed { offset: instruction.offset, what });
        };
        let value = self.of_query(lane, instruction, &mut query);
        self.lanes[lane].queries.insert(at, query);
        value
    }

    /// The ray of an instruction: structure, flags and mask, range, origin and direction are at these places of its operands.
    pub(crate) fn ray_of(
        &mut self,
        lane: usize,
        instruction: &Instruction,
        [structure, flags, mask, origin, least, direction, greatest]: [usize; 7],
    ) -> Result<(Ray, TracedRay, Open), Fault> {
        let (address, mut open) = self.number(lane, instruction, structure)?;
        let mut take = |(bits, own): (u64, Open)| {
            open = either(open, own);
            bits as u32
        };
        let flags = take(self.number(lane, instruction, flags)?);
        let mask = take(self.number(lane, instruction, mask)?) & 0xff;
        let least = f32::from_bits(take(self.number(lane, instruction, least)?));
        let greatest = f32::from_bits(take(self.number(lane, instruction, greatest)?));
        let (from, along) = (self.operand(lane, instruction, origin)?, self.operand(lane, instruction, direction)?);
        open = either(open, either(from.open(), along.open()));
        let open = self.opened.plain(either(open, self.lanes[lane].way));
        let short = || self.short(instruction);
        let (origin, direction) = (three(&from).ok_or_else(short)?, three(&along).ok_or_else(short)?);
        let ray = Ray {
            origin: origin.map(f64::from),
            direction: direction.map(f64::from),
            least: least.into(),
            greatest: greatest.into(),
            flags,
            mask,
        };
        let (offset, structure) = (instruction.offset, address);
        let (hit, record, shader, open_words) = (None, None, None, None);
        let (depth, candidates) = (0, 0);
        let told = TracedRay {
            offset,
            depth,
            structure,
            origin,
            direction,
            least,
            greatest,
            flags,
            mask,
            candidates,
            hit,
            open: open_words,
            record,
            shader,
        };
        Ok((ray, told, open))
    }

    /// The scene at an address.
    pub(crate) fn scene_at(&mut self, address: u64, instruction: &Instruction) -> Result<Rc<Scene>, Fault> {
        if address == 0 {
            return Ok(Rc::default());
        }
        let found = self.resources.scene(address);
        found.map_err(|what| Fault::Resource { offset: instruction.offset, what })
    }

    fn begin_query(&mut self, lane: usize, instruction: &Instruction) -> Result<Query, Fault> {
        let (ray, told, mut open) = self.ray_of(lane, instruction, [1, 2, 3, 4, 5, 6, 7])?;
        let scene = self.scene_at(told.structure, instruction)?;
        let mut met = scene.meetings(&ray, open != 0);
        if !ray.is_defined() {
            let undefined = self.opens(instruction, UNDEFINED);
            open = either(open, undefined);
        }
        if met.iter().any(|it| !it.is_automatic() && !it.sure) {
            let edge = self.opens(instruction, EDGE);
            open = either(open, edge);
        }
        let asks = met.iter().any(|it| !it.is_automatic());
        let order = if asks && met.len() > 1 { self.opens_last_bits(instruction, ORDER) } else { 0 };
        arrange(&mut met, self.opened.leans());
        let is_told = Some(lane as u32) == self.task.watched && self.ran.rays.len() < MOST_RAYS;
        let told = is_told.then(|| {
            self.ran.rays.push(told);
            self.ran.rays.len() - 1
        });
        let (next, candidate, committed, over) = (0, None, None, false);
        Ok(Query { scene, ray, met, next, candidate, committed, over, open, order, which: 0, whether: 0, told })
    }

    /// What is committed is told, and what is open about it.
    fn settle(&mut self, instruction: &Instruction, query: &mut Query) {
        let hit = query.committed.map(|hit| (hit.meeting, hit.distance()));
        let doubt = Doubt::of(&query.ray, &query.met, hit);
        let mut which = 0;
        for (is, why) in [(doubt.edge, EDGE), (doubt.tie, TIE), (doubt.first, FIRST)] {
            if is {
                which = either(which, self.opens(instruction, why));
            }
        }
        query.which = which;
        query.whether = if doubt.whether { which } else { 0 };
        if let Some(told) = query.told {
            let all = either(either(query.open, query.order), which);
            let open = self.opened.get(all).map(|it| it.what.clone());
            if let Some(ray) = self.ran.rays.get_mut(told) {
                (ray.hit, ray.open) = (query.hit(), open);
            }
        }
    }

    fn of_query(&mut self, lane: usize, instruction: &Instruction, query: &mut Query) -> Result<Option<Value>, Fault> {
        use Op::*;
        let truth = |is: bool, open: Open| Value::Number(is.into(), open);
        match instruction.op {
            RayQueryProceedKHR => {
                let more = query.proceed();
                if let (true, Some(ray)) = (more, query.told.and_then(|told| self.ran.rays.get_mut(told))) {
                    ray.candidates += 1;
                }
                self.settle(instruction, query);
                return Ok(Some(truth(more, either(query.open, query.order))));
            }
            RayQueryTerminateKHR => {
                query.over = true;
                return Ok(None);
            }
            RayQueryConfirmIntersectionKHR => {
                match query.candidate.filter(Meeting::is_triangle) {
                    Some(meeting) => query.commit(Hit { meeting, given: None }),
                    None => query.open = either(query.open, self.opens(instruction, NOTHING)),
                }
                self.settle(instruction, query);
                return Ok(None);
            }
            RayQueryGenerateIntersectionKHR => {
                let (distance, open) = self.float_at(lane, instruction, 1)?;
                let end = query.committed.map_or(query.ray.greatest, |hit| hit.distance());
                let within = query.ray.least <= f64::from(distance) && f64::from(distance) <= end;
                match query.candidate.filter(|it| !it.is_triangle()) {
                    Some(meeting) => {
                        let (open, error) =
                            (either(open, self.lanes[lane].way), f64::from(distance).abs() * number::error_of(32));
                        // It is as exact as the shader makes it.
                        let meeting = Meeting { error: if open == 0 { 0.0 } else { error }, ..meeting };
                        query.commit(Hit { meeting, given: Some((distance.to_bits().into(), open)) });
                    }
                    None => query.open = either(query.open, self.opens(instruction, NOTHING)),
                }
                if !within {
                    query.open = either(query.open, self.opens(instruction, BEHIND));
                }
                self.settle(instruction, query);
                return Ok(None);
            }
            RayQueryGetRayTMinKHR => {
                return Ok(Some(Value::Number((query.ray.least as f32).to_bits().into(), query.open)));
            }
            RayQueryGetRayFlagsKHR => return Ok(Some(Value::Number(query.ray.flags.into(), query.open))),
            RayQueryGetWorldRayOriginKHR => return Ok(Some(self.exact(query.ray.origin, query.open))),
            RayQueryGetWorldRayDirectionKHR => return Ok(Some(self.exact(query.ray.direction, query.open))),
            RayQueryGetIntersectionCandidateAABBOpaqueKHR => {
                let opaque = query.candidate.is_some_and(|it| it.opaque);
                return Ok(Some(truth(opaque, either(query.open, query.order))));
            }
            _ => {}
        }
        // The others ask about the candidate, or about what is committed.
        let committed = self.number(lane, instruction, 1)?.0 != 0;
        let open = either(query.open, query.order);
        if instruction.op == RayQueryGetIntersectionTypeKHR {
            let (kind, open) = match (committed, query.committed, query.candidate) {
                (true, None, _) => (0, either(open, query.whether)),
                (true, Some(hit), _) => (if hit.meeting.is_triangle() { 1 } else { 2 }, either(open, query.whether)),
                (false, _, Some(of)) => (u64::from(!of.is_triangle()), open),
                (false, ..) => (0, either(open, self.opens(instruction, NOTHING))),
            };
            return Ok(Some(Value::Number(kind, open)));
        }
        let asked =
            if committed { query.committed } else { query.candidate.map(|meeting| Hit { meeting, given: None }) };
        let open = if committed { either(open, query.which) } else { open };
        if committed && query.committed.is_none() && instruction.op == RayQueryGetIntersectionTKHR {
            // HLSL: TMax, as long as nothing is committed.
            return Ok(Some(Value::Number((query.ray.greatest as f32).to_bits().into(), open)));
        }
        let Some(hit) = asked else {
            let none = self.opens(instruction, NOTHING);
            return Ok(Some(self.module.zero(instruction.kind, instruction.offset)?.opened(none)));
        };
        let Some(instance) = query.instance(&hit.meeting).cloned() else { return Err(self.short(instruction)) };
        let of = hit.meeting;
        let whole = |number: u32| Value::Number(number.into(), open);
        Ok(Some(match instruction.op {
            RayQueryGetIntersectionTKHR => match hit.given {
                Some((bits, own)) => Value::Number(bits, either(own, open)),
                None if !of.is_triangle() => {
                    let none = self.opens(instruction, NOTHING);
                    Value::Number((of.distance as f32).to_bits().into(), none)
                }
                None => self.near(instruction, (of.distance, of.error), open),
            },
            RayQueryGetIntersectionInstanceCustomIndexKHR => whole(instance.id),
            RayQueryGetIntersectionInstanceIdKHR => whole(of.instance),
            RayQueryGetIntersectionInstanceShaderBindingTableRecordOffsetKHR => whole(instance.record),
            RayQueryGetIntersectionGeometryIndexKHR => whole(of.geometry),
            RayQueryGetIntersectionPrimitiveIndexKHR => whole(of.primitive),
            RayQueryGetIntersectionFrontFaceKHR if of.is_triangle() => whole(of.front.into()),
            RayQueryGetIntersectionBarycentricsKHR => match of.barycentrics {
                Some(both) => self.all_near(instruction, both.map(|it| (it, of.spread)), open),
                None => {
                    let none = self.opens(instruction, NOTHING);
                    self.module.zero(instruction.kind, instruction.offset)?.opened(none)
                }
            },
            RayQueryGetIntersectionObjectRayOriginKHR
            | RayQueryGetIntersectionObjectRayDirectionKHR
            | RayQueryGetIntersectionObjectToWorldKHR
            | RayQueryGetIntersectionWorldToObjectKHR => self.in_object(instruction, &query.ray, &instance, open)?,
            _ => {
                let none = self.opens(instruction, NOTHING);
                self.module.zero(instruction.kind, instruction.offset)?.opened(none)
            }
        }))
    }

    /// What an instance makes of a ray, and what it is moved by.
    pub(crate) fn in_object(
        &mut self,
        instruction: &Instruction,
        ray: &Ray,
        instance: &InstancePlace,
        open: Open,
    ) -> Result<Value, Fault> {
        use Op::*;
        let Some(back) = instance.back else { return Err(self.unsupported(instruction)) };
        Ok(match instruction.op {
            RayQueryGetIntersectionObjectRayOriginKHR => self.moved(instruction, &back, (ray.origin, true), open),
            RayQueryGetIntersectionObjectRayDirectionKHR => {
                self.moved(instruction, &back, (ray.direction, false), open)
            }
            RayQueryGetIntersectionObjectToWorldKHR => self.columns(instruction, (&instance.transform, false), open),
            _ => self.columns(instruction, (&back, true), open),
        })
    }

    /// A place, or a direction, in another space.
    pub(crate) fn moved(
        &mut self,
        instruction: &Instruction,
        by: &Matrix,
        (of, is_place): ([f64; 3], bool),
        open: Open,
    ) -> Value {
        let (to, error) = if is_place { (place(by, of), products(by, of)) } else { (turn(by, of), products(by, of)) };
        self.all_near(instruction, to.map(|it| (it, error * number::error_of(32))), open)
    }

    /// A matrix, column by column. One that a device computes is open in its last bits.
    pub(crate) fn columns(
        &mut self,
        instruction: &Instruction,
        (matrix, computed): (&Matrix, bool),
        open: Open,
    ) -> Value {
        let columns = [0, 1, 2, 3].map(|column| {
            let of = [0, 1, 2].map(|row: usize| matrix[row][column]);
            let most = matrix.iter().map(|row| row[column].abs()).fold(0.0, f64::max);
            match computed {
                true => self.all_near(instruction, of.map(|it| (it, most * number::error_of(32))), open),
                false => self.exact(of, open),
            }
        });
        Value::of_parts(columns.to_vec())
    }

    /// Floats that are those of the program.
    pub(crate) fn exact<const N: usize>(&self, of: [f64; N], open: Open) -> Value {
        Value::of_parts(of.map(|it| Value::Number((it as f32).to_bits().into(), open)).to_vec())
    }

    /// A float whose last bits are open.
    pub(crate) fn near(&mut self, instruction: &Instruction, (number, error): (f64, f64), open: Open) -> Value {
        let mut bits = number::bits(number, 32);
        let error = error + number.abs() * number::error_of(32);
        let own = self.named(instruction, (number::PRECISION, Some(error)), &mut bits, Number::Float(32));
        Value::Number(bits, either(own, open))
    }

    /// Several such.
    pub(crate) fn all_near<const N: usize>(
        &mut self,
        instruction: &Instruction,
        of: [(f64, f64); N],
        open: Open,
    ) -> Value {
        Value::of_parts(of.map(|it| self.near(instruction, it, open)).to_vec())
    }
}
