//! Today's tables with those of a trace behind them: what only the trace knows has numbers of its own there.
//!
//! Invariant: today's ids mean what they mean in today's tables. What is behind refers to itself, and to today's interfaces
//! where it has those of the same name.

use reprise_d3d12::model::{
    EnumId, Field, Interface, InterfaceId, Method, Model, Pointee, Select, Struct, StructId, Type,
};

/// Tables in sections: today's, and one for each trace that has calls of its own.
#[derive(Clone, Debug)]
pub struct Extended {
    pub(crate) model: Model,
    pub(crate) sections: Vec<Section>,
}

/// Tables that came from a trace.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Section {
    pub(crate) first_method: usize,
    pub(crate) first_struct: usize,
    /// The trace's own tables of choices.
    pub(crate) selects: &'static [Select],
}

impl Extended {
    /// Today's tables alone.
    pub fn new(model: Model) -> Extended {
        Extended { model, sections: Vec::new() }
    }

    /// All tables.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Appends methods of a trace, by their numbers there, and all its types. `None` when there are too many for their numbers.
    /// The tables live as long as the process.
    pub(super) fn append(&self, theirs: &Model, methods: &[u16]) -> Option<Extended> {
        let ours = &self.model;
        let named = |name: &str| ours.interfaces.iter().position(|own| own.name == name);
        let mut new: Vec<&Interface> = Vec::new();
        let mut interfaces = Vec::with_capacity(theirs.interfaces.len());
        for own in theirs.interfaces {
            let at = named(own.name).unwrap_or_else(|| {
                new.push(own);
                ours.interfaces.len() + new.len() - 1
            });
            interfaces.push(InterfaceId(u16::try_from(at).ok()?));
        }
        let last = |ours: usize, theirs: usize| u16::try_from(ours + theirs).is_ok();
        let fits = last(ours.structs.len(), theirs.structs.len())
            && last(ours.enums.len(), theirs.enums.len())
            // The last number stands for calls that have none.
            && ours.methods.len() + methods.len() < usize::from(u16::MAX);
        let moved = Moved { structs: ours.structs.len(), enums: ours.enums.len(), interfaces };
        fits.then(|| {
            let section = Section {
                first_method: ours.methods.len(),
                first_struct: ours.structs.len(),
                selects: theirs.selects.iter().map(|own| moved.select(own)).collect::<Vec<_>>().leak(),
            };
            let kept = |of: &'static [Interface]| of.iter().map(copy);
            let new =
                new.into_iter().map(|own| Interface { family: moved.interface(own.family), base: None, ..copy(own) });
            let model = Model {
                interfaces: kept(ours.interfaces).chain(new).collect::<Vec<_>>().leak(),
                methods: (ours.methods.iter().map(copy_method))
                    .chain(methods.iter().map(|number| moved.method(&theirs.methods[usize::from(*number)])))
                    .collect::<Vec<_>>()
                    .leak(),
                structs: (ours.structs.iter().map(copy_struct))
                    .chain(theirs.structs.iter().map(|own| moved.structure(own)))
                    .collect::<Vec<_>>()
                    .leak(),
                enums: (ours.enums.iter().chain(theirs.enums))
                    .map(|own| reprise_d3d12::model::Enum { name: own.name, flags: own.flags, members: own.members })
                    .collect::<Vec<_>>()
                    .leak(),
                selects: (ours.selects.iter().chain(section.selects))
                    .map(|own| Select { name: own.name, selector: own.selector, cases: own.cases })
                    .collect::<Vec<_>>()
                    .leak(),
            };
            let sections = self.sections.iter().copied().chain([section]).collect();
            Extended { model, sections }
        })
    }
}

fn copy(own: &Interface) -> Interface {
    Interface {
        name: own.name,
        iid: own.iid,
        base: own.base,
        first_slot: own.first_slot,
        first_method: own.first_method,
        method_count: own.method_count,
        family: own.family,
    }
}

fn copy_method(own: &Method) -> Method {
    Method {
        name: own.name,
        interface: own.interface,
        slot: own.slot,
        params: own.params,
        result: own.result,
        result_role: own.result_role,
        args_size: own.args_size,
        returns_structure: own.returns_structure,
        order: own.order,
    }
}

fn copy_struct(own: &Struct) -> Struct {
    Struct { name: own.name, size: own.size, align: own.align, flat: own.flat, fields: own.fields }
}

/// Where a trace's ids lie in the whole.
struct Moved {
    structs: usize,
    enums: usize,
    interfaces: Vec<InterfaceId>,
}

impl Moved {
    fn interface(&self, id: InterfaceId) -> InterfaceId {
        self.interfaces.get(usize::from(id.0)).copied().unwrap_or(InterfaceId(0))
    }

    fn enumeration(&self, id: EnumId) -> EnumId {
        EnumId((self.enums + usize::from(id.0)) as u16)
    }

    fn ty(&self, ty: Type) -> Type {
        match ty {
            Type::Struct(id) => Type::Struct(StructId((self.structs + usize::from(id.0)) as u16)),
            Type::Enum(id) => Type::Enum(self.enumeration(id)),
            Type::Object(id) => Type::Object(self.interface(id)),
            Type::Pointer(own) => Type::Pointer(Box::leak(Box::new(Pointee { ty: self.ty(own.ty), len: own.len }))),
            scalar => scalar,
        }
    }

    fn fields(&self, fields: &[Field]) -> &'static [Field] {
        let moved = fields.iter().map(|own| Field {
            name: own.name,
            ty: self.ty(own.ty),
            offset: own.offset,
            count: own.count,
            direction: own.direction,
            optional: own.optional,
            role: own.role,
            arm: own.arm,
            iid: own.iid,
            class: own.class.map(|class| self.interface(class)),
        });
        moved.collect::<Vec<_>>().leak()
    }

    fn structure(&self, own: &Struct) -> Struct {
        Struct { fields: self.fields(own.fields), ..copy_struct(own) }
    }

    fn method(&self, own: &Method) -> Method {
        Method {
            interface: own.interface.map(|id| self.interface(id)),
            params: self.fields(own.params),
            result: self.ty(own.result),
            ..copy_method(own)
        }
    }

    fn select(&self, own: &Select) -> Select {
        let cases: Vec<(i64, Type)> = own.cases.iter().map(|(value, ty)| (*value, self.ty(*ty))).collect();
        Select { name: own.name, selector: self.enumeration(own.selector), cases: cases.leak() }
    }
}
