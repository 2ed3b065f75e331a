//! What becomes of each field, worked out once from the two models.
//!
//! Owns the comparison: a pair of field lists gives [`Fields`], a pair of structures is compared once whatever reaches it.
//! Invariant: what is called *same* is understood by today's walks byte for byte as it stands.

use super::enumeration::Values;
use crate::Codec;
use reprise_d3d12::model::{Arm, Direction, EnumId, Field, Len, Method, Model, Pointee, Rule, Select, StructId, Type};
use std::collections::HashMap;

/// The comparisons of structures and enumerations, by the two models' ids.
#[derive(Debug)]
pub(super) struct Plans {
    theirs: Model,
    ours: Model,
    pairs: Vec<Pair>,
    pair_ids: HashMap<(StructId, StructId), usize>,
    values: Vec<Values>,
    value_ids: HashMap<(EnumId, EnumId), usize>,
}

/// Two structures.
#[derive(Debug)]
pub(super) struct Pair {
    pub(super) theirs: StructId,
    pub(super) ours: StructId,
    pub(super) fields: Fields,
    /// Bytes and children may stay as they are.
    pub(super) same: bool,
}

/// Two lists of fields.
#[derive(Debug, Default)]
pub(super) struct Fields {
    pub(super) steps: Vec<Step>,
    /// Fields that today's model does not have: they must be zero.
    pub(super) gone: Vec<&'static Field>,
    pub(super) unions: Vec<Union>,
    /// Without what is reached through pairs of structures.
    same: bool,
    /// Pairs that lie in the fields or are reached through their pointers.
    reached: Vec<usize>,
}

/// A field that both models have.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) theirs: &'static Field,
    pub(super) ours: &'static Field,
    pub(super) how: How,
    /// Bytes of an element.
    pub(super) sizes: (usize, usize),
    /// A number beside a pointer that must change with what the pointer leads to.
    pub(super) fix: Option<Fix>,
}

/// How an element becomes today's.
#[derive(Clone, Debug)]
pub(super) enum How {
    Bytes,
    /// An integer of another width; whether the trace's has a sign.
    Number(bool),
    Enum(usize),
    Struct(usize),
    /// The address; its child follows.
    Pointer,
    /// Only zero stays what it is.
    Never(String),
}

/// See [`Step::fix`].
#[derive(Clone, Copy, Debug)]
pub(super) enum Fix {
    /// The sibling counts bytes of elements.
    Bytes { sibling: &'static Field, from: u64, to: u64 },
    /// The sibling is the length of a pipeline stream.
    Stream(&'static Field),
    /// The sibling is the size of the structure that a feature chooses.
    Feature(&'static Field),
    /// The pointer's own value depends on the size of subobjects.
    Reference,
}

/// Members of a union: the bytes that they share.
#[derive(Debug)]
pub(super) struct Union {
    pub(super) members: Vec<&'static Field>,
    pub(super) from: usize,
    pub(super) len: usize,
    /// Where today's has them, if all of them are there at the same distance.
    pub(super) to: Option<usize>,
    pairs: Vec<usize>,
}

/// What a field list says of one of the two models.
#[derive(Clone, Copy)]
struct Side {
    fields: &'static [Field],
    size: usize,
}

impl Plans {
    pub(super) fn new(theirs: &Codec, ours: &Codec) -> Plans {
        Plans {
            theirs: *theirs.model(),
            ours: *ours.model(),
            pairs: Vec::new(),
            pair_ids: HashMap::new(),
            values: Vec::new(),
            value_ids: HashMap::new(),
        }
    }

    /// The comparison of a method's parameters. [`Plans::settle`] must follow before [`Plans::are_same`] is asked.
    pub(super) fn parameters(&mut self, theirs: &'static Method, ours: &'static Method) -> Fields {
        let side = |method: &'static Method| Side { fields: method.params, size: method.args_size.into() };
        let mut fields = self.fields(side(theirs), side(ours));
        if let (Type::Pointer(one), Type::Pointer(other)) = (theirs.result, ours.result) {
            let side = |method: &'static Method| Side { fields: method.params, size: 0 };
            let same = self.pointee(one, other, side(theirs), side(ours), &mut fields.reached);
            fields.same &= same;
        }
        fields
    }

    /// The comparison of two results, pointers aside.
    pub(super) fn result(&mut self, theirs: Type, ours: Type) -> How {
        match (theirs, ours) {
            (Type::Pointer(_), Type::Pointer(_)) => How::Pointer,
            (Type::Void, Type::Void) => How::Bytes,
            (Type::Struct(_), Type::Struct(_)) => How::Bytes,
            // A failure leaves outputs without children, so both must know one.
            (Type::Hresult, ours) if !matches!(ours, Type::Hresult) => How::Never("the result was an HRESULT".into()),
            (theirs, Type::Hresult) if !matches!(theirs, Type::Hresult) => {
                How::Never("the result is an HRESULT today".into())
            }
            (theirs, ours) => self.how(theirs, ours, &mut Vec::new()),
        }
    }

    /// Works out which pairs are the same, now that all are known: those that reach no other one.
    pub(super) fn settle(&mut self) {
        loop {
            let lost = |pair: &Pair| pair.same && pair.fields.reached.iter().any(|other| !self.pairs[*other].same);
            let lost: Vec<usize> = (0..self.pairs.len()).filter(|at| lost(&self.pairs[*at])).collect();
            if lost.is_empty() {
                break;
            }
            lost.into_iter().for_each(|at| self.pairs[at].same = false);
        }
        for at in 0..self.pairs.len() {
            let mut unions = std::mem::take(&mut self.pairs[at].fields.unions);
            self.settle_unions(&mut unions);
            self.pairs[at].fields.unions = unions;
        }
    }

    /// A union is copied as it is only where its structures are.
    pub(super) fn settle_unions(&self, unions: &mut [Union]) {
        for union in unions {
            if union.pairs.iter().any(|pair| !self.pairs[*pair].same) {
                union.to = None;
            }
        }
    }

    pub(super) fn are_same(&self, fields: &Fields) -> bool {
        fields.same && fields.reached.iter().all(|pair| self.pairs[*pair].same)
    }

    pub(super) fn pair(&self, at: usize) -> &Pair {
        &self.pairs[at]
    }

    pub(super) fn values(&self, at: usize) -> &Values {
        &self.values[at]
    }

    /// How elements behind pointers become today's; only of types that [`Plans::parameters`] met.
    pub(super) fn elements(&self, theirs: Type, ours: Type) -> How {
        match (theirs, ours) {
            (Type::Struct(one), Type::Struct(other)) => match self.pair_ids.get(&(one, other)) {
                Some(pair) => How::Struct(*pair),
                None => How::Never(format!(
                    "{} where today's model has {}",
                    name(&self.theirs, theirs),
                    name(&self.ours, ours)
                )),
            },
            (Type::Enum(one), Type::Enum(other)) => match self.value_ids.get(&(one, other)) {
                Some(values) if !self.values[*values].are_same() => How::Enum(*values),
                _ => How::Bytes,
            },
            _ => plain(&self.theirs, &self.ours, theirs, ours),
        }
    }

    /// Today's number for a value that chooses a type.
    pub(super) fn choice(&self, theirs: Option<EnumId>, ours: Option<EnumId>, value: u32) -> Result<u32, String> {
        match theirs.zip(ours).and_then(|ids| self.value_ids.get(&ids)) {
            Some(values) => self.values[*values].get(value),
            None => Ok(value),
        }
    }

    fn fields(&mut self, theirs: Side, ours: Side) -> Fields {
        let mut fields = Fields { same: theirs.size == ours.size, ..Fields::default() };
        let mut order = Vec::new();
        for own in theirs.fields {
            let Some(at) = ours.fields.iter().position(|other| other.name == own.name) else {
                fields.gone.push(own);
                fields.same = false;
                continue;
            };
            order.push(at);
            let other = &ours.fields[at];
            let mut how = self.how(own.ty, other.ty, &mut fields.reached);
            let mut same = match (own.ty, other.ty) {
                (Type::Pointer(one), Type::Pointer(other)) => {
                    self.pointee(one, other, theirs, ours, &mut fields.reached)
                }
                _ => matches!(how, How::Bytes | How::Struct(_)),
            };
            same &= (own.offset, own.count, own.direction) == (other.offset, other.count, other.direction);
            same &= same_arm(own.arm, other.arm, theirs, ours);
            if matches!(own.ty, Type::Pointer(_)) && own.direction != other.direction && !matches!(how, How::Never(_)) {
                how = How::Never(format!("{} {}, {} today", own.name, passed(own.direction), passed(other.direction)));
            }
            fields.same &= same;
            let sizes = (own.ty.size(self.theirs.structs) as usize, other.ty.size(self.ours.structs) as usize);
            let fix = self.fix(own, other, theirs, ours);
            fields.steps.push(Step { theirs: own, ours: other, how, sizes, fix });
        }
        fields.same &= order.is_sorted();
        for (at, new) in ours.fields.iter().enumerate().filter(|(at, _)| !order.contains(at)) {
            // A new member of a union is in use only for values that the trace's model does not know.
            let flat = match new.ty {
                Type::Struct(id) => self.ours.structs[usize::from(id.0)].flat,
                Type::Pointer(_) | Type::Object(_) => false,
                _ => true,
            };
            fields.same &= new.arm.is_some() && flat && !chooses(ours.fields, at);
        }
        fields.unions = unions(theirs, &fields.steps, &self.ours);
        fields
    }

    /// How a value becomes today's.
    fn how(&mut self, theirs: Type, ours: Type, reached: &mut Vec<usize>) -> How {
        match (theirs, ours) {
            (Type::Struct(one), Type::Struct(other)) => {
                let pair = self.compare(one, other);
                reached.push(pair);
                How::Struct(pair)
            }
            (Type::Enum(one), Type::Enum(other)) => {
                let values = self.compare_values(one, other);
                if self.values[values].are_same() { How::Bytes } else { How::Enum(values) }
            }
            _ => plain(&self.theirs, &self.ours, theirs, ours),
        }
    }

    fn compare_values(&mut self, theirs: EnumId, ours: EnumId) -> usize {
        *self.value_ids.entry((theirs, ours)).or_insert_with(|| {
            let (one, other) = (&self.theirs.enums[usize::from(theirs.0)], &self.ours.enums[usize::from(ours.0)]);
            self.values.push(Values::new(one, other));
            self.values.len() - 1
        })
    }

    fn compare(&mut self, theirs: StructId, ours: StructId) -> usize {
        if let Some(pair) = self.pair_ids.get(&(theirs, ours)) {
            return *pair;
        }
        let at = self.pairs.len();
        self.pair_ids.insert((theirs, ours), at);
        // Structures may reach themselves through pointers: what is met on the way is taken as the same until it is known.
        self.pairs.push(Pair { theirs, ours, fields: Fields::default(), same: true });
        let side = |model: &Model, id: StructId| {
            let own = &model.structs[usize::from(id.0)];
            Side { fields: own.fields, size: own.size as usize }
        };
        let (one, other) = (side(&self.theirs, theirs), side(&self.ours, ours));
        let fields = self.fields(one, other);
        self.pairs[at].same = fields.same;
        self.pairs[at].fields = fields;
        at
    }

    /// Whether what two pointers lead to is walked alike; compares it on the way.
    fn pointee(&mut self, theirs: &Pointee, ours: &Pointee, from: Side, to: Side, reached: &mut Vec<usize>) -> bool {
        let mut same = match (theirs.ty, ours.ty) {
            (Type::Pointer(one), Type::Pointer(other)) => self.pointee(one, other, from, to, reached),
            (one, other) => matches!(self.how(one, other, reached), How::Bytes | How::Struct(_)),
        };
        // `void` alone is not looked through; with a length it is bytes.
        same &= matches!(theirs.ty, Type::Void) == matches!(ours.ty, Type::Void);
        let sibling = |side: Side, index: u8| side.fields.get(usize::from(index)).map(|field| field.name);
        same &= match (theirs.len, ours.len) {
            (Len::One, Len::One) | (Len::Text, Len::Text) => true,
            (Len::Const(one), Len::Const(other)) => one == other,
            (Len::Field(one), Len::Field(other))
            | (Len::Through(one), Len::Through(other))
            | (Len::Bytes(one), Len::Bytes(other))
            | (Len::BytesThrough(one), Len::BytesThrough(other)) => sibling(from, one) == sibling(to, other),
            (Len::Rule(one), Len::Rule(other)) => one == other,
            _ => false,
        };
        if let (Len::Rule(one), Len::Rule(other)) = (theirs.len, ours.len)
            && one == other
        {
            same &= self.choices(one, from, to, reached);
        }
        same
    }

    /// Compares the types that a rule chooses from; whether they and their numbers are the same.
    fn choices(&mut self, rule: Rule, from: Side, to: Side, reached: &mut Vec<usize>) -> bool {
        let table = |name: &'static str| move |select: &&Select| select.name == name;
        let tables = match rule {
            Rule::PipelineStream => find(&self.theirs, &self.ours, table("PipelineStream")),
            Rule::StateSubobject => find(&self.theirs, &self.ours, table("StateSubobject")),
            Rule::Named("VkNext") => find(&self.theirs, &self.ours, table("VkNext")),
            Rule::FeatureData => (features(&self.theirs, from.fields), features(&self.ours, to.fields)),
            _ => return true,
        };
        let (Some(one), Some(other)) = tables else { return tables.0.is_none() && tables.1.is_none() };
        let values = self.compare_values(one.selector, other.selector);
        let mut same = self.values[values].are_same();
        for (number, ty) in one.cases {
            let today = self.values[values].get(*number as u32).ok();
            let case = today.and_then(|today| other.cases.iter().find(|case| case.0 as u32 == today));
            same &=
                case.is_some_and(|(_, today)| matches!(self.how(*ty, *today, reached), How::Bytes | How::Struct(_)));
        }
        // What the recorder did not know it kept as bytes. Opaque children say so themselves; others are read as bytes only
        // while their type is unknown.
        let new = other.cases.iter().filter(|case| !one.cases.iter().any(|known| known.0 as u32 == case.0 as u32));
        same && match rule {
            Rule::PipelineStream => new.into_iter().all(|case| is_flat(&self.ours, case.1)),
            Rule::FeatureData => new.count() == 0,
            _ => true,
        }
    }

    /// Numbers beside a pointer that depend on sizes.
    fn fix(&self, own: &Field, other: &Field, theirs: Side, ours: Side) -> Option<Fix> {
        let (Type::Pointer(one), Type::Pointer(two)) = (own.ty, other.ty) else { return None };
        let named = |name: &str| ours.fields.iter().find(|field| field.name == name);
        match (one.len, two.len) {
            (Len::Bytes(from), Len::Bytes(to)) => {
                let sibling = ours.fields.get(usize::from(to))?;
                let size = |model: &Model, ty: Type| u64::from(ty.size(model.structs)).max(1);
                let sizes = (size(&self.theirs, one.ty), size(&self.ours, two.ty));
                let matched = theirs.fields.get(usize::from(from))?.name == sibling.name;
                (matched && sizes.0 != sizes.1).then_some(Fix::Bytes { sibling, from: sizes.0, to: sizes.1 })
            }
            (Len::Rule(Rule::PipelineStream), _) => named("SizeInBytes").map(Fix::Stream),
            (Len::Rule(Rule::FeatureData), _) => {
                ours.fields.iter().find(|field| field.name.ends_with("DataSize")).map(Fix::Feature)
            }
            (Len::Rule(Rule::StateSubobjectReference), _) => Some(Fix::Reference),
            _ => None,
        }
    }
}

fn find(
    theirs: &Model,
    ours: &Model,
    wanted: impl Fn(&&Select) -> bool,
) -> (Option<&'static Select>, Option<&'static Select>) {
    (theirs.selects.iter().find(&wanted), ours.selects.iter().find(&wanted))
}

/// The table for the first enumeration among the fields that has one.
fn features(model: &Model, fields: &[Field]) -> Option<&'static Select> {
    fields.iter().find_map(|field| match field.ty {
        Type::Enum(id) => model.selects.iter().find(|select| select.selector == id),
        _ => None,
    })
}

/// Whether a field's value says which member of a union is in use.
fn chooses(fields: &[Field], at: usize) -> bool {
    fields.iter().any(|field| field.arm.is_some_and(|arm| usize::from(arm.selector) == at))
}

fn same_arm(theirs: Option<Arm>, ours: Option<Arm>, from: Side, to: Side) -> bool {
    let selector = |side: Side, arm: Arm| side.fields.get(usize::from(arm.selector)).map(|field| field.name);
    match (theirs, ours) {
        (None, None) => true,
        (Some(one), Some(other)) => {
            (selector(from, one), one.values, one.inverted) == (selector(to, other), other.values, other.inverted)
        }
        _ => false,
    }
}

/// The unions among the trace's fields, by their selectors.
fn unions(theirs: Side, steps: &[Step], ours: &Model) -> Vec<Union> {
    let mut unions: Vec<(u8, Union)> = Vec::new();
    for field in theirs.fields {
        let Some(arm) = field.arm else { continue };
        if !unions.iter().any(|(selector, _)| *selector == arm.selector) {
            let union = Union { members: Vec::new(), from: 0, len: 0, to: None, pairs: Vec::new() };
            unions.push((arm.selector, union));
        }
        unions.iter_mut().filter(|(selector, _)| *selector == arm.selector).for_each(|(_, u)| u.members.push(field));
    }
    for (_, union) in &mut unions {
        let steps: Vec<Option<&Step>> =
            (union.members.iter()).map(|member| steps.iter().find(|step| step.theirs.name == member.name)).collect();
        union.from = union.members.iter().map(|field| field.offset as usize).min().unwrap_or(0);
        let mut end = union.from;
        // Where the whole union lies today if it moved as one. The first member may lie behind the union's beginning.
        let mut to = steps
            .first()
            .copied()
            .flatten()
            .and_then(|step| (step.ours.offset as usize + union.from).checked_sub(step.theirs.offset as usize));
        for (member, step) in union.members.iter().zip(steps) {
            let Some(step) = step else {
                to = None;
                continue;
            };
            end = end.max(member.offset as usize + step.sizes.0 * usize::from(member.count));
            let apart = member.offset as usize - union.from;
            let alike = step.ours.arm.is_some() && step.sizes.0 == step.sizes.1 && member.count == step.ours.count;
            let whole = match &step.how {
                How::Bytes => is_flat(ours, step.ours.ty),
                How::Struct(pair) => {
                    union.pairs.push(*pair);
                    true
                }
                _ => false,
            };
            if to.is_none_or(|to| to + apart != step.ours.offset as usize) || !alike || !whole {
                to = None;
            }
        }
        (union.len, union.to) = (end - union.from, to);
    }
    unions.into_iter().map(|(_, union)| union).collect()
}

/// Whether a value is all in its bytes.
pub(super) fn is_flat(model: &Model, ty: Type) -> bool {
    match ty {
        Type::Struct(id) => model.structs.get(usize::from(id.0)).is_some_and(|own| own.flat),
        Type::Pointer(_) | Type::Object(_) => false,
        _ => true,
    }
}

/// How a value that is neither structure nor enumeration on both sides becomes today's.
fn plain(theirs_model: &Model, ours_model: &Model, theirs: Type, ours: Type) -> How {
    use Type::{Bool, Enum, F32, F64, Guid, Hresult, I8, I16, I32, I64, Object, U8, U16, U32, U64, Void, Word};
    /// Numbers whose bits mean the same, by width.
    fn width(ty: Type) -> Option<(u8, bool)> {
        Some(match ty {
            U8 => (1, false),
            I8 => (1, true),
            U16 => (2, false),
            I16 => (2, true),
            U32 | Bool | Hresult | Enum(_) => (4, false),
            I32 => (4, true),
            U64 | Word => (8, false),
            I64 => (8, true),
            _ => return None,
        })
    }
    match (theirs, ours) {
        (Type::Pointer(_), Type::Pointer(_)) => How::Pointer,
        (Void, Void | U8 | I8) | (U8 | I8, Void) | (F32, F32) | (F64, F64) | (Guid, Guid) | (Object(_), Object(_)) => {
            How::Bytes
        }
        _ => match (width(theirs), width(ours)) {
            (Some((one, _)), Some((other, _))) if one == other => How::Bytes,
            (Some((_, sign)), Some(_)) => How::Number(sign),
            _ => How::Never(format!("{} in the trace, {} today", name(theirs_model, theirs), name(ours_model, ours))),
        },
    }
}

fn passed(direction: Direction) -> &'static str {
    match direction {
        Direction::In => "goes in",
        Direction::Out => "goes out",
        Direction::InOut => "goes in and out",
    }
}

/// A type as people call it.
fn name(model: &Model, ty: Type) -> String {
    match ty {
        Type::Struct(id) => model.structs.get(usize::from(id.0)).map_or("a structure", |own| own.name).into(),
        Type::Enum(id) => model.enums.get(usize::from(id.0)).map_or("an enumeration", |own| own.name).into(),
        Type::Object(id) => model.interfaces.get(usize::from(id.0)).map_or("an object", |own| own.name).into(),
        Type::Pointer(pointee) => format!("a pointer to {}", name(model, pointee.ty)),
        scalar => format!("{scalar:?}").to_lowercase(),
    }
}
