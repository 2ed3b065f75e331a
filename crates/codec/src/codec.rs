//! The codec for one model: tables, and what was worked out from them once so that the walks need not.

use crate::decode::is_translated;
use crate::encode::BLOCK_WORDS;
use crate::frame::{Owner, arm_active, read_word};
use crate::rule::feature::{Features, features};
use crate::rule::named::NAMES;
use crate::rule::subobject::Subobjects;
use crate::translate::{Extended, Section};
use reprise_d3d12::model::{
    Arm, Direction, Field, InterfaceId, Len, Method, MethodId, Model, Pointee, Role, Rule, Struct, StructId, Type,
};

/// The native width of `WCHAR`. The wire always holds UTF-16.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wide {
    /// Windows, Wine, and Linux libraries with a 16-bit `WCHAR`.
    Bits16,
    /// Libraries whose `WCHAR` is the Linux `wchar_t` (Debian's libvkd3d).
    Bits32,
}

/// What a method asks of the capture layer; constant per method.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Traits {
    /// Some argument word is itself an object.
    pub object_words: bool,
    /// Objects lie behind pointers that are passed in: structures or arrays need copies to unwrap.
    pub deep_objects: bool,
    /// The enter payload may have children, so the argument words alone are not enough.
    pub enter_children: bool,
    /// The call gives objects out, through a pointer or as its result.
    pub output_objects: bool,
    /// The call fills an array of the program's, and exchanges its room for a number, which may be larger: that of all there are.
    pub rooms: bool,
    /// The call gives out structures of the callee's own memory that hold objects (DRED).
    pub owned_objects: bool,
}

/// Tables plus what was derived from them. Immutable; share one for the process.
pub struct Codec {
    pub(crate) model: Model,
    pub(crate) wide: Wide,
    pub(crate) methods: Box<[MethodPlan]>,
    pub(crate) structs: Box<[StructPlan]>,
    /// Today's tables of choices, which native memory is read by.
    pub(crate) subobjects: Subobjects,
    /// Those of traces whose methods stand behind today's, by their first method and structure.
    sections: Box<[(usize, usize, Subobjects)]>,
    pub(crate) features: Box<[Features]>,
    /// Pointers that share their place and a selector's value, so that nothing here tells which is in use.
    pub(crate) twins: Box<[Twins]>,
}

/// Two pointers of a union that cannot always be told apart.
pub(crate) struct Twins {
    pub(crate) first: &'static Field,
    pub(crate) second: &'static Field,
}

/// One parameter in the packed block.
#[derive(Clone, Copy)]
pub(crate) struct Slot {
    pub(crate) offset: u32,
    pub(crate) size: u32,
    /// The bits of a word that the parameter fills; its place in the block's word; whether it is the first one there.
    pub(crate) mask: u64,
    pub(crate) shift: u32,
    pub(crate) first: bool,
}

impl Slot {
    fn new(offset: u32, size: u32) -> Slot {
        let mask = if size >= 8 { u64::MAX } else { (1 << (size * 8)) - 1 };
        Slot { offset, size, mask, shift: offset % 8 * 8, first: offset.is_multiple_of(8) }
    }
}

pub(crate) struct MethodPlan {
    pub(crate) slots: Box<[Slot]>,
    /// No parameter lies across the block's words.
    pub(crate) aligned: bool,
    pub(crate) steps: Box<[Step]>,
    pub(crate) traits: Traits,
}

#[derive(Default)]
pub(crate) struct StructPlan {
    /// Fields with something to do; empty for flat structures.
    pub(crate) steps: Box<[Step]>,
    /// Objects somewhere inside or behind it, or pointers that a copy must fix.
    pub(crate) objects: bool,
    /// When it holds objects and neither pointers nor arrays of structures: where they are, so that no frame is needed.
    pub(crate) sites: Option<Box<[Site]>>,
    /// Something in it differs at replay: objects, pointers, numbers of a translated role.
    pub(crate) rebuilt: bool,
    /// Offset of the pointer to the next of the same type, in a linked list.
    pub(crate) next: Option<u32>,
}

/// A field that is more than its bytes.
pub(crate) struct Step {
    /// Which parameter or field.
    pub(crate) index: usize,
    pub(crate) field: &'static Field,
    pub(crate) offset: usize,
    pub(crate) count: usize,
    pub(crate) what: What,
    /// Objects somewhere behind the pointer.
    pub(crate) objects: bool,
    pub(crate) direction: Direction,
    arm: Option<StepArm>,
}

#[derive(Clone, Copy)]
pub(crate) enum What {
    Object(InterfaceId),
    Pointer(&'static Pointee),
    Struct(StructId),
}

/// When a member of a union is the one in use, by its selector's place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StepArm {
    offset: usize,
    size: usize,
    values: &'static [i64],
    inverted: bool,
}

impl StepArm {
    /// The arm of one of these fields; `None` where its selector is not among them.
    pub(crate) fn new(arm: &Arm, fields: &[Field], structs: &[Struct]) -> Option<StepArm> {
        let selector = fields.get(arm.selector as usize)?;
        let size = selector.ty.size(structs) as usize;
        Some(StepArm { offset: selector.offset as usize, size, values: arm.values, inverted: arm.inverted })
    }

    /// The same, for a structure that lies at `offset` of another one.
    pub(crate) fn moved(self, offset: usize) -> StepArm {
        StepArm { offset: offset + self.offset, ..self }
    }

    /// # Safety
    /// `base` holds a structure of the type that has the selector.
    #[inline]
    pub(crate) unsafe fn active(&self, base: *const u8) -> bool {
        // SAFETY: selectors lie inside the structure.
        let value = unsafe { read_word(base.add(self.offset), self.size) };
        match self.values {
            [one] if self.size == 4 => (*one as u32 == value as u32) != self.inverted,
            _ => arm_active(value, self.size, self.values, self.inverted),
        }
    }
}

/// An object somewhere inside a structure, nested ones included.
pub(crate) struct Site {
    pub(crate) offset: usize,
    pub(crate) interface: InterfaceId,
    /// All of them must be active.
    arms: Box<[StepArm]>,
}

impl Site {
    /// # Safety
    /// `base` holds a structure of the site's type.
    #[inline]
    pub(crate) unsafe fn active(&self, base: *const u8) -> bool {
        // SAFETY: `base` holds a structure of the site's type, in which the arms' selectors lie.
        self.arms.iter().all(|arm| unsafe { arm.active(base) })
    }
}

/// The objects of a structure at `offset` that is active under `arms`; `None` where that does not say all.
fn sites(id: StructId, offset: usize, arms: &[StepArm], structs: &[Struct]) -> Option<Vec<Site>> {
    let fields = structs[id.0 as usize].fields;
    let mut all = Vec::new();
    for step in all_steps(fields, structs) {
        let offset_of = |at: usize| offset + at;
        let moved = step.arm.map(|arm| arm.moved(offset));
        let arms: Box<[StepArm]> = arms.iter().copied().chain(moved).collect();
        match step.what {
            What::Object(interface) => {
                let at = |i| Site { offset: offset_of(step.offset + i * 8), interface, arms: arms.clone() };
                all.extend((0..step.count).map(at));
            }
            What::Struct(inner) if step.count == 1 => {
                all.extend(sites(inner, offset_of(step.offset), &arms, structs)?);
            }
            What::Struct(_) | What::Pointer(_) => return None,
        }
    }
    Some(all)
}

impl Step {
    fn new(index: usize, fields: &'static [Field], structs: &[Struct]) -> Option<Step> {
        let field = &fields[index];
        let what = match field.ty {
            Type::Object(i) => What::Object(i),
            Type::Pointer(p) => What::Pointer(p),
            Type::Struct(s) if !structs.get(s.0 as usize)?.flat => What::Struct(s),
            _ => return None,
        };
        let arm = field.arm.as_ref().and_then(|arm| StepArm::new(arm, fields, structs));
        Some(Step {
            index,
            field,
            offset: field.offset as usize,
            count: field.count.max(1) as usize,
            what,
            objects: holds_objects(field.ty, structs, 8),
            direction: field.direction,
            arm,
        })
    }

    /// Whether the field is in use, by its union's selector.
    #[inline]
    pub(crate) fn active(&self, frame: &crate::frame::Frame<'_>) -> bool {
        match &self.arm {
            None => true,
            Some(arm) => arm_active(frame.read(arm.offset, arm.size), arm.size, arm.values, arm.inverted),
        }
    }

    /// Whether what the pointer points to is passed in.
    pub(crate) fn enters(&self) -> bool {
        self.direction != Direction::Out
    }

    /// The parameter through which the call is told the room of this array, and tells a number.
    pub(crate) fn room(&self) -> Option<usize> {
        match self.what {
            What::Pointer(pointee) if !self.enters() => match pointee.len {
                Len::Through(through) => Some(usize::from(through)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether what the pointer points to is given out.
    pub(crate) fn leaves(&self) -> bool {
        self.direction != Direction::In
    }
}

fn all_steps(fields: &'static [Field], structs: &[Struct]) -> Box<[Step]> {
    (0..fields.len()).filter_map(|i| Step::new(i, fields, structs)).collect()
}

/// Whether objects, or pointers that a copy of them must fix, lie in or behind a value.
fn holds_objects(ty: Type, structs: &[Struct], depth: u32) -> bool {
    if depth == 0 {
        return false;
    }
    match ty {
        Type::Object(_) => true,
        Type::Struct(s) => structs
            .get(s.0 as usize)
            .is_some_and(|s| !s.flat && s.fields.iter().any(|f| holds_objects(f.ty, structs, depth - 1))),
        Type::Pointer(p) => match p.len {
            Len::Rule(Rule::PipelineStream | Rule::StateSubobject | Rule::StateSubobjectReference) => true,
            Len::Rule(Rule::Mapping) => false,
            _ => holds_objects(p.ty, structs, depth - 1),
        },
        _ => false,
    }
}

impl MethodPlan {
    fn new(method: &'static Method, structs: &[Struct]) -> MethodPlan {
        let slots: Box<[Slot]> = method.params.iter().map(|p| Slot::new(p.offset, p.ty.size(structs))).collect();
        assert!(usize::from(method.args_size) <= BLOCK_WORDS * 8, "the packed block of {} is too large", method.name);
        let steps = all_steps(method.params, structs);
        let mut traits = Traits::default();
        for step in steps.iter() {
            match step.what {
                What::Object(_) | What::Struct(_) => traits.object_words = true,
                What::Pointer(pointee) => {
                    traits.enter_children |= step.enters();
                    let through = step.room().and_then(|through| method.params.get(through));
                    traits.rooms |= through.is_some_and(|param| param.direction == Direction::InOut);
                    traits.deep_objects |= step.enters() && step.objects;
                    if step.leaves() && step.objects {
                        let (slots, owned) = output_objects(pointee.ty, structs);
                        traits.output_objects |= slots;
                        traits.owned_objects |= owned;
                    }
                }
            }
        }
        match method.result {
            Type::Object(_) => traits.output_objects = true,
            Type::Pointer(p) if holds_objects(p.ty, structs, 8) => traits.owned_objects = true,
            _ => {}
        }
        let aligned = slots.iter().all(|s| s.offset % 8 + s.size <= 8 || s.first);
        MethodPlan { slots, aligned, steps, traits }
    }
}

/// Whether an output holds objects in the program's own storage, and whether it leads to objects in the callee's.
fn output_objects(ty: Type, structs: &[Struct]) -> (bool, bool) {
    match ty {
        Type::Object(_) => (true, false),
        Type::Pointer(_) => (false, holds_objects(ty, structs, 8)),
        Type::Struct(s) => structs.get(s.0 as usize).map_or((false, false), |s| {
            s.fields.iter().fold((false, false), |(slots, owned), f| {
                let (s, o) = output_objects(f.ty, structs);
                (slots | s, owned | o)
            })
        }),
        _ => (false, false),
    }
}

impl Codec {
    /// Derives what the walks need. `wide` is the native side's `WCHAR`.
    pub fn new(model: Model, wide: Wide) -> Codec {
        let structs = (model.structs.iter().enumerate())
            .map(|(index, layout)| {
                let id = StructId(index as u16);
                StructPlan {
                    steps: if layout.flat { Box::default() } else { all_steps(layout.fields, model.structs) },
                    objects: holds_objects(Type::Struct(id), model.structs, 8),
                    sites: sites(id, 0, &[], model.structs).map(Vec::into_boxed_slice),
                    rebuilt: is_rebuilt(Type::Struct(id), Role::Plain, model.structs, 8),
                    next: layout.fields.iter().find(|f| is_link(f, id)).map(|f| f.offset),
                }
            })
            .collect();
        Codec {
            model,
            wide,
            methods: model.methods.iter().map(|m| MethodPlan::new(m, model.structs)).collect(),
            structs,
            subobjects: Subobjects::new(model.selects),
            sections: Box::default(),
            features: features(&model),
            twins: model.structs.iter().flat_map(|s| twins(s.fields)).collect(),
        }
    }

    /// The codec for today's tables and those that traces brought.
    pub fn extended(tables: &Extended, wide: Wide) -> Codec {
        let section = |own: &Section| (own.first_method, own.first_struct, Subobjects::new(own.selects));
        Codec { sections: tables.sections.iter().map(section).collect(), ..Codec::new(tables.model, wide) }
    }

    /// The tables of choices of the section that a frame's owner is in.
    pub(crate) fn subobjects(&self, owner: Owner) -> &Subobjects {
        let within = |own: &&(usize, usize, Subobjects)| match owner {
            Owner::Call(method) => usize::from(method.0) >= own.0,
            Owner::Struct(id) => usize::from(id.0) >= own.1,
        };
        self.sections.iter().rev().find(within).map_or(&self.subobjects, |own| &own.2)
    }

    /// The tables this codec works from.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// What `method` asks of the capture layer; a table look-up. Nothing for a method that the model does not have.
    pub fn traits(&self, method: MethodId) -> Traits {
        self.methods.get(method.0 as usize).map_or(Traits::default(), |m| m.traits)
    }

    /// The interface and the method's name, for errors and dumps.
    pub fn method_name(&self, method: MethodId) -> String {
        let Some(m) = self.model.methods.get(method.0 as usize) else { return format!("method {}", method.0) };
        match m.interface.and_then(|i| self.model.interfaces.get(i.0 as usize)) {
            Some(i) => format!("{}::{}", i.name, m.name),
            None => m.name.to_owned(),
        }
    }

    /// Whether a rule of the model is handled; the variants of `Rule` all are, by exhaustive matches.
    pub fn has_rule(rule: Rule) -> bool {
        !matches!(rule, Rule::Named(name) if !NAMES.contains(&name))
    }

    pub(crate) fn size_of(&self, ty: Type) -> u64 {
        u64::from(ty.size(self.model.structs)).max(1)
    }

    /// Whether a copy of such a value would differ: objects, or pointers that a copy must fix, lie in or behind it.
    pub(crate) fn holds_objects(&self, ty: Type) -> bool {
        match ty {
            Type::Struct(id) => self.struct_plan(id).objects,
            other => holds_objects(other, self.model.structs, 8),
        }
    }

    pub(crate) fn struct_plan(&self, id: StructId) -> &StructPlan {
        &self.structs[id.0 as usize]
    }
}

/// Whether a value can differ from its recorded bytes.
fn is_rebuilt(ty: Type, role: Role, structs: &[Struct], depth: u32) -> bool {
    match ty {
        Type::Object(_) | Type::Pointer(_) => true,
        Type::Struct(s) if depth > 0 => {
            is_translated(role)
                || structs[s.0 as usize].fields.iter().any(|f| is_rebuilt(f.ty, f.role, structs, depth - 1))
        }
        _ => is_translated(role),
    }
}

fn twins(fields: &'static [Field]) -> Vec<Twins> {
    let mut twins = Vec::new();
    for (i, first) in fields.iter().enumerate() {
        for second in &fields[i + 1..] {
            let pointers = matches!((first.ty, second.ty), (Type::Pointer(_), Type::Pointer(_)));
            let (Some(one), Some(two)) = (&first.arm, &second.arm) else { continue };
            let share = one.selector == two.selector && one.values.iter().any(|v| two.values.contains(v));
            if pointers && first.offset == second.offset && share {
                twins.push(Twins { first, second });
            }
        }
    }
    twins
}

fn is_link(field: &Field, owner: StructId) -> bool {
    matches!(field.ty, Type::Pointer(Pointee { ty: Type::Struct(s), len: Len::One | Len::Rule(Rule::CalleeOwned) }) if *s == owner)
}
