//! Models that differ from the built-in one as models of other days do: other numbers, layouts and values.
//!
//! The built-in tables are taken apart, changed, and put together again. A codec over such a model records calls from memory
//! laid out by it, as a build of that day would have.

use reprise_d3d12::MODEL;
use reprise_d3d12::model::{
    Arm, Direction, Enum, EnumId, Field, Interface, InterfaceId, Len, Method, Model, Pointee, Role, Rule, Select,
    Struct, StructId, Type,
};
use std::collections::{HashMap, HashSet};

/// Tables that can be changed.
pub struct Doctor {
    pub interfaces: Vec<Interface>,
    pub methods: Vec<Method>,
    pub structs: Vec<Struct>,
    pub enums: Vec<Enum>,
    pub selects: Vec<Select>,
}

/// Structures whose layout the codec or the calling convention knows by itself.
fn fixed(doctor: &Doctor) -> HashSet<usize> {
    let mut fixed: HashSet<usize> = HashSet::new();
    let by_value = |ty: &Type| if let Type::Struct(id) = ty { Some(usize::from(id.0)) } else { None };
    for method in &doctor.methods {
        fixed.extend(method.params.iter().map(|field| &field.ty).chain([&method.result]).filter_map(by_value));
    }
    for select in doctor.selects.iter().filter(|select| select.name == "VkNext") {
        fixed.extend(select.cases.iter().filter_map(|case| by_value(&case.1)));
    }
    fixed.extend(doctor.structs.iter().position(|own| own.name == "D3D12_BOX"));
    // What lies in them is fixed with them.
    loop {
        let inner: Vec<usize> =
            fixed.iter().flat_map(|at| doctor.structs[*at].fields.iter().filter_map(|f| by_value(&f.ty))).collect();
        let before = fixed.len();
        fixed.extend(inner);
        if fixed.len() == before {
            return fixed;
        }
    }
}

pub fn copy_field(own: &Field) -> Field {
    Field {
        name: own.name,
        ty: own.ty,
        offset: own.offset,
        count: own.count,
        direction: own.direction,
        optional: own.optional,
        role: own.role,
        arm: own.arm,
        iid: own.iid,
        class: own.class,
    }
}

/// A field that no build has.
pub fn field(name: &'static str, ty: Type, role: Role) -> Field {
    let direction = Direction::In;
    Field { name, ty, offset: 0, count: 1, direction, optional: false, role, arm: None, iid: None, class: None }
}

impl Doctor {
    pub fn new() -> Doctor {
        let fields = |of: &[Field]| -> &'static [Field] { of.iter().map(copy_field).collect::<Vec<_>>().leak() };
        Doctor {
            interfaces: (MODEL.interfaces.iter())
                .map(|own| Interface {
                    name: own.name,
                    iid: own.iid,
                    base: own.base,
                    first_slot: own.first_slot,
                    first_method: own.first_method,
                    method_count: own.method_count,
                    family: own.family,
                })
                .collect(),
            methods: (MODEL.methods.iter())
                .map(|own| Method {
                    name: own.name,
                    interface: own.interface,
                    slot: own.slot,
                    params: fields(own.params),
                    result: own.result,
                    result_role: own.result_role,
                    args_size: own.args_size,
                    returns_structure: own.returns_structure,
                    order: own.order,
                })
                .collect(),
            structs: (MODEL.structs.iter())
                .map(|own| Struct {
                    name: own.name,
                    size: own.size,
                    align: own.align,
                    flat: own.flat,
                    fields: fields(own.fields),
                })
                .collect(),
            enums: (MODEL.enums.iter())
                .map(|own| Enum { name: own.name, flags: own.flags, members: own.members })
                .collect(),
            selects: (MODEL.selects.iter())
                .map(|own| Select { name: own.name, selector: own.selector, cases: own.cases })
                .collect(),
        }
    }

    /// The tables. They live as long as the test.
    pub fn model(self) -> Model {
        Model {
            interfaces: self.interfaces.leak(),
            methods: self.methods.leak(),
            structs: self.structs.leak(),
            enums: self.enums.leak(),
            selects: self.selects.leak(),
        }
    }

    pub fn structure(&mut self, name: &str) -> &mut Struct {
        self.structs.iter_mut().find(|own| own.name == name).unwrap()
    }

    pub fn enumeration(&self, name: &str) -> EnumId {
        EnumId(self.enums.iter().position(|own| own.name == name).unwrap() as u16)
    }

    pub fn method(&mut self, interface: &str, name: &str) -> &mut Method {
        let interfaces = &self.interfaces;
        let is = |own: &Method| own.interface.is_some_and(|id| interfaces[usize::from(id.0)].name == interface);
        self.methods.iter_mut().find(|own| own.name == name && is(own)).unwrap()
    }

    /// Turns all tables around, so that nothing has its number.
    pub fn renumber(&mut self) {
        let last = (self.structs.len() - 1, self.enums.len() - 1, self.interfaces.len() - 1);
        let turn = Turn { last };
        let fields = |own: &[Field]| -> &'static [Field] {
            let turned = own.iter().map(|own| Field {
                ty: turn.ty(own.ty),
                class: own.class.map(|id| turn.interface(id)),
                ..copy_field(own)
            });
            turned.collect::<Vec<_>>().leak()
        };
        for own in &mut self.methods {
            own.params = fields(own.params);
            own.result = turn.ty(own.result);
            own.interface = own.interface.map(|id| turn.interface(id));
        }
        for own in &mut self.structs {
            own.fields = fields(own.fields);
        }
        for own in &mut self.selects {
            own.selector = turn.enumeration(own.selector);
            own.cases = own.cases.iter().map(|case| (case.0, turn.ty(case.1))).collect::<Vec<_>>().leak();
        }
        for own in &mut self.interfaces {
            (own.family, own.base) = (turn.interface(own.family), own.base.map(|id| turn.interface(id)));
        }
        self.methods.reverse();
        self.structs.reverse();
        self.enums.reverse();
        self.interfaces.reverse();
        self.selects.reverse();
    }

    /// Puts a field before the others of every structure that may grow.
    pub fn grow(&mut self, name: &'static str, role: Role) {
        let fixed = fixed(self);
        for (_, own) in self.structs.iter_mut().enumerate().filter(|(at, _)| !fixed.contains(at)) {
            let shifted = own.fields.iter().map(|own| Field {
                arm: own.arm.map(|arm| Arm { selector: arm.selector + 1, ..arm }),
                iid: own.iid.map(|iid| iid + 1),
                ty: indices(own.ty, &|index| index + 1),
                ..copy_field(own)
            });
            own.fields = [field(name, Type::U32, role)].into_iter().chain(shifted).collect::<Vec<_>>().leak();
        }
        self.lay_out(false);
    }

    /// Turns the fields of structures and of methods around, and lays them out anew.
    pub fn move_fields(&mut self) {
        let fixed = fixed(self);
        for (_, own) in self.structs.iter_mut().enumerate().filter(|(at, _)| !fixed.contains(at)) {
            own.fields = turned(own.fields);
        }
        for own in self.methods.iter_mut().filter(|own| !own.returns_structure && !has_rule(own.params)) {
            own.params = turned(own.params);
        }
        self.lay_out(true);
    }

    /// Gives every field a place by its order, and structures the size that this takes. Fields that shared a place share one.
    fn lay_out(&mut self, methods: bool) {
        let fixed = fixed(self);
        let mut done: HashMap<usize, (u32, u8)> =
            fixed.into_iter().map(|at| (at, (self.structs[at].size, self.structs[at].align))).collect();
        for at in 0..self.structs.len() {
            self.lay_out_structure(at, &mut done);
        }
        for at in (0..self.methods.len()).filter(|_| methods) {
            if self.methods[at].returns_structure || has_rule(self.methods[at].params) {
                continue;
            }
            let (fields, size, _) = self.placed(self.methods[at].params, &mut done);
            self.methods[at].params = fields;
            self.methods[at].args_size = size.next_multiple_of(8) as u16;
        }
    }

    fn lay_out_structure(&mut self, at: usize, done: &mut HashMap<usize, (u32, u8)>) -> (u32, u8) {
        if let Some(known) = done.get(&at) {
            return *known;
        }
        let (fields, size, align) = self.placed(self.structs[at].fields, done);
        let own = &mut self.structs[at];
        (own.fields, own.size, own.align) = (fields, size.next_multiple_of(align).max(1), align as u8);
        done.insert(at, (own.size, own.align));
        (own.size, own.align)
    }

    fn placed(
        &mut self,
        fields: &'static [Field],
        done: &mut HashMap<usize, (u32, u8)>,
    ) -> (&'static [Field], u32, u32) {
        let mut places: HashMap<u32, u32> = HashMap::new();
        let (mut end, mut most) = (0u32, 1);
        let mut sizes = Vec::new();
        for own in fields {
            let (size, align) = match own.ty {
                Type::Struct(id) => {
                    let (size, align) = self.lay_out_structure(id.0.into(), done);
                    (size, u32::from(align))
                }
                ty => (ty.size(&self.structs), ty.align(&self.structs)),
            };
            sizes.push((size * u32::from(own.count), align));
        }
        let mut moved = Vec::new();
        for (own, (_, align)) in fields.iter().zip(&sizes) {
            let shares = own.arm.is_some();
            let offset = match places.get(&own.offset).filter(|_| shares) {
                Some(place) => *place,
                None => {
                    // The members of a union that share a place: as long and as aligned as the one that needs most.
                    let sharing = || {
                        fields.iter().zip(&sizes).filter(|(f, _)| shares && f.arm.is_some() && f.offset == own.offset)
                    };
                    let align = sharing().map(|(_, size)| size.1).max().unwrap_or(*align);
                    let length = sharing().map(|(_, size)| size.0).max();
                    let length = length.unwrap_or_else(|| sizes[moved.len()].0);
                    let place = end.next_multiple_of(align);
                    end = place + length;
                    if shares {
                        places.insert(own.offset, place);
                    }
                    place
                }
            };
            most = most.max(*align);
            moved.push(Field { offset, ..copy_field(own) });
        }
        (moved.leak(), end, most)
    }

    /// Gives the values of enumerations to other names, in turn, and what chooses by them with it.
    pub fn renumber_values(&mut self) {
        /// The codec's rules know their numbers.
        const KNOWN: [&str; 3] = ["D3D12_ELEMENTS_LAYOUT", "D3D12_QUERY_TYPE", "VkStructureType"];
        let mut moved: Vec<Values> = Vec::new();
        for own in &mut self.enums {
            let mut values: Vec<i64> = own.members.iter().map(|member| member.1).collect();
            values.sort_unstable();
            values.dedup();
            let bits: Vec<i64> = values.iter().copied().filter(|value| (*value as u32).count_ones() == 1).collect();
            let all = bits.iter().fold(0, |all, bit| all | bit);
            let in_bits = values.iter().all(|value| *value as u32 & !(all as u32) == 0);
            let turned = match own.flags {
                _ if KNOWN.contains(&own.name) => Values::default(),
                true if !in_bits => Values::default(),
                true => Values { flags: true, turned: turned_values(&bits) },
                false => Values { flags: false, turned: turned_values(&values) },
            };
            own.members = own.members.iter().map(|member| (member.0, turned.get(member.1))).collect::<Vec<_>>().leak();
            moved.push(turned);
        }
        for own in &mut self.structs {
            own.fields = chosen(own.fields, &moved);
        }
        for own in &mut self.methods {
            own.params = chosen(own.params, &moved);
        }
        for own in &mut self.selects {
            let values = &moved[usize::from(own.selector.0)];
            let mut cases: Vec<(i64, Type)> = own.cases.iter().map(|case| (values.get(case.0), case.1)).collect();
            cases.sort_by_key(|case| case.0);
            own.cases = cases.leak();
        }
    }

    /// Leaves methods out.
    pub fn keep(&mut self, mut wanted: impl FnMut(usize) -> bool) {
        let mut at = 0;
        self.methods.retain(|_| {
            at += 1;
            wanted(at - 1)
        });
    }
}

/// New values for those of an enumeration.
#[derive(Default)]
struct Values {
    flags: bool,
    turned: HashMap<i64, i64>,
}

impl Values {
    fn get(&self, value: i64) -> i64 {
        match self.flags {
            true => self.turned.iter().filter(|bit| value & bit.0 != 0).fold(0, |all, bit| all | bit.1),
            false => self.turned.get(&value).copied().unwrap_or(value),
        }
    }
}

/// Each value's successor.
fn turned_values(values: &[i64]) -> HashMap<i64, i64> {
    values.iter().copied().zip(values.iter().copied().cycle().skip(1)).collect()
}

/// Fields whose arms choose by the values that were moved.
fn chosen(fields: &'static [Field], moved: &[Values]) -> &'static [Field] {
    let chosen = fields.iter().map(|own| {
        let arm = own.arm.map(|arm| {
            let Type::Enum(id) = fields[usize::from(arm.selector)].ty else { return arm };
            let values = &moved[usize::from(id.0)];
            let values: Vec<i64> = arm.values.iter().map(|value| values.get(*value)).collect();
            Arm { values: values.leak(), ..arm }
        });
        Field { arm, ..copy_field(own) }
    });
    chosen.collect::<Vec<_>>().leak()
}

fn has_rule(fields: &[Field]) -> bool {
    fields.iter().any(|field| {
        let mut ty = field.ty;
        while let Type::Pointer(pointee) = ty {
            if matches!(pointee.len, Len::Rule(rule) if rule != Rule::CalleeOwned) {
                return true;
            }
            ty = pointee.ty;
        }
        false
    })
}

fn turned(fields: &'static [Field]) -> &'static [Field] {
    let last = fields.len().saturating_sub(1) as u8;
    let turned = fields.iter().rev().map(|own| Field {
        arm: own.arm.map(|arm| Arm { selector: last - arm.selector, ..arm }),
        iid: own.iid.map(|iid| last - iid),
        ty: indices(own.ty, &|index| last - index),
        ..copy_field(own)
    });
    turned.collect::<Vec<_>>().leak()
}

/// A type whose lengths name siblings by other places.
fn indices(ty: Type, moved: &dyn Fn(u8) -> u8) -> Type {
    let Type::Pointer(own) = ty else { return ty };
    let len = match own.len {
        Len::Field(index) => Len::Field(moved(index)),
        Len::Through(index) => Len::Through(moved(index)),
        Len::Bytes(index) => Len::Bytes(moved(index)),
        Len::BytesThrough(index) => Len::BytesThrough(moved(index)),
        other => other,
    };
    Type::Pointer(Box::leak(Box::new(Pointee { ty: indices(own.ty, moved), len })))
}

struct Turn {
    last: (usize, usize, usize),
}

impl Turn {
    fn interface(&self, id: InterfaceId) -> InterfaceId {
        InterfaceId(self.last.2 as u16 - id.0)
    }
    fn enumeration(&self, id: EnumId) -> EnumId {
        EnumId(self.last.1 as u16 - id.0)
    }
    fn ty(&self, ty: Type) -> Type {
        match ty {
            Type::Struct(id) => Type::Struct(StructId(self.last.0 as u16 - id.0)),
            Type::Enum(id) => Type::Enum(self.enumeration(id)),
            Type::Object(id) => Type::Object(self.interface(id)),
            Type::Pointer(own) => Type::Pointer(Box::leak(Box::new(Pointee { ty: self.ty(own.ty), len: own.len }))),
            scalar => scalar,
        }
    }
}
