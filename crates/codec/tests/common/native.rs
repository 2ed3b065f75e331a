//! A reader of native memory that shares no code with the codec: the expectation for decoded values.
#![allow(clippy::unwrap_used, dead_code, missing_docs, unreachable_pub)]

use super::{Blobs, World};
use reprise_codec::fabricate::{RECORD, TEXELS};
use reprise_codec::value::{Member, Value};
use reprise_codec::wire::Reason;
use reprise_codec::{Objects, Wide};
use reprise_d3d12::MODEL;
use reprise_d3d12::model::{Direction, Field, Len, Pointee, Role, Rule, Type};

pub struct Native<'w> {
    pub world: World,
    pub blobs: &'w Blobs,
    pub wide: Wide,
    /// After the call: outputs inside structures are compared too.
    pub leave: bool,
}

/// The structure or argument block around a pointer.
#[derive(Clone, Copy)]
struct Around<'a> {
    fields: &'static [Field],
    base: *const u8,
    /// Where the array begins that holds the structure.
    array: u64,
    outer: Option<&'a Around<'a>>,
}

fn load(at: *const u8, size: usize) -> u64 {
    let mut bytes = [0u8; 8];
    // SAFETY: the tests only pass memory that they made, as the model describes it.
    unsafe { at.copy_to_nonoverlapping(bytes.as_mut_ptr(), size.min(8)) };
    u64::from_le_bytes(bytes)
}

fn size(ty: Type) -> usize {
    ty.size(MODEL.structs).max(1) as usize
}

impl Around<'_> {
    fn at(&self, field: &Field) -> *const u8 {
        self.base.wrapping_add(field.offset as usize)
    }
    fn number(&self, index: usize) -> u64 {
        load(self.at(&self.fields[index]), size(self.fields[index].ty))
    }
    fn by_name(&self, name: &str) -> u64 {
        self.number(self.fields.iter().position(|f| f.name == name).unwrap_or_else(|| panic!("no {name}")))
    }
    fn in_use(&self, field: &Field) -> bool {
        let Some(arm) = field.arm else { return true };
        let value = self.number(arm.selector.into()) as u32;
        arm.values.iter().any(|v| *v as u32 == value) ^ arm.inverted
    }
}

impl Native<'_> {
    /// Compares parameters; `block` is the packed argument block.
    pub fn arguments(&self, params: &'static [Field], block: *const u8, members: &[Member<'_>]) {
        let around = Around { fields: params, base: block, array: 0, outer: None };
        for member in members {
            let field = params.iter().find(|p| p.name == member.field.name).unwrap();
            if field.direction == Direction::Out && !self.leave {
                assert!(matches!(member.value, Value::Word(..) | Value::Null), "{}", field.name);
                continue;
            }
            self.member(field, &around, &member.value);
        }
    }

    fn member(&self, field: &'static Field, around: &Around<'_>, value: &Value<'_>) {
        let (count, step) = (field.count.max(1) as usize, size(field.ty));
        let at = around.at(field);
        match (value, count) {
            (value, 1) => self.value(field.ty, field, around, at, 0, value),
            (Value::Bytes(bytes), _) => {
                assert!((0..count).all(|i| bytes[i] == load(at.wrapping_add(i), 1) as u8), "{}", field.name);
            }
            (Value::Array(values), _) => {
                assert_eq!(values.len(), count);
                for (i, value) in values.iter().enumerate() {
                    self.value(field.ty, field, around, at.wrapping_add(i * step), i, value);
                }
            }
            (Value::Text(text), _) if size(field.ty) == 2 => {
                let units: Vec<u16> = (0..count).map(|i| load(at.wrapping_add(i * 2), 2) as u16).collect();
                let end = units.iter().position(|u| *u == 0).unwrap_or(count);
                assert_eq!(*text, String::from_utf16_lossy(&units[..end]));
            }
            (Value::Text(text), _) => {
                let bytes: Vec<u8> = (0..count).map(|i| load(at.wrapping_add(i), 1) as u8).collect();
                let end = bytes.iter().position(|u| *u == 0).unwrap_or(count);
                assert_eq!(*text, String::from_utf8_lossy(&bytes[..end]));
            }
            other => panic!("{}: {other:?}", field.name),
        }
    }

    fn value(
        &self,
        ty: Type,
        field: &'static Field,
        around: &Around<'_>,
        at: *const u8,
        index: usize,
        value: &Value<'_>,
    ) {
        let bits = load(at, size(ty));
        match (ty, value) {
            // What an output gives is shown in its place: a null pointer given out looks as one passed in.
            (Type::Pointer(Pointee { ty: Type::Pointer(_), len: Len::One }), Value::Null) if bits != 0 => {
                assert_eq!(load(bits as *const u8, 8), 0, "{}", field.name);
            }
            (Type::Pointer(_), Value::Null) => assert_eq!(bits, 0, "{}", field.name),
            (Type::Pointer(p), value) => self.pointer(p, field, around, bits, index, false, value),
            (Type::Struct(id), Value::Struct(found, members)) => {
                assert_eq!(id, *found);
                self.structure(Type::Struct(id), at, 0, Some(around), members);
            }
            (Type::Guid, Value::Guid(guid)) => {
                assert_eq!(guid.to_u128() >> 96, u128::from(load(at, 4)));
                assert_eq!(guid.data4[7], load(at.wrapping_add(15), 1) as u8);
            }
            (Type::Object(interface), Value::Object(id, found)) => {
                assert_eq!((interface, self.world.id_of(bits)), (*found, u64::from(*id)));
            }
            (_, Value::Word(_, v) | Value::Unsigned(v) | Value::F64(v)) => assert_eq!(*v, bits, "{}", field.name),
            (_, Value::Enum(_, v) | Value::F32(v) | Value::Bool(v) | Value::Hresult(v)) => {
                assert_eq!(*v, bits as u32, "{}", field.name);
            }
            (_, Value::Signed(v)) => {
                let shift = 64 - 8 * size(ty) as u32;
                assert_eq!(*v, (bits << shift) as i64 >> shift, "{}", field.name);
            }
            other => panic!("{}: {other:?}", field.name),
        }
    }

    fn structure(&self, ty: Type, at: *const u8, array: u64, outer: Option<&Around<'_>>, members: &[Member<'_>]) {
        let Type::Struct(id) = ty else { panic!("{ty:?}") };
        let around = Around { fields: MODEL.structs[id.0 as usize].fields, base: at, array, outer };
        let names: Vec<_> = around.fields.iter().filter(|f| around.in_use(f)).map(|f| f.name).collect();
        assert_eq!(members.iter().map(|m| m.field.name).collect::<Vec<_>>(), names);
        for member in members {
            let field = around.fields.iter().find(|f| f.name == member.field.name).unwrap();
            if field.direction == Direction::Out && !self.leave {
                continue;
            }
            self.member(field, &around, &member.value);
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn pointer(
        &self,
        pointee: &'static Pointee,
        field: &'static Field,
        around: &Around<'_>,
        pointer: u64,
        index: usize,
        inner: bool,
        value: &Value<'_>,
    ) {
        let at = pointer as *const u8;
        let through = |i: u8| {
            let Type::Pointer(p) = around.fields[usize::from(i)].ty else { panic!() };
            load(around.number(i.into()) as *const u8, size(p.ty))
        };
        if let Value::Absent(found, Reason::NoCount) = value {
            let counts = |i: u8| around.number(i.into()) == 0;
            let next = around.fields.iter().position(|f| std::ptr::eq(f, field)).map(|i| i as u8 + 1);
            assert_eq!(*found, pointer);
            return assert!(match pointee.len {
                Len::Through(i) | Len::BytesThrough(i) => counts(i),
                _ => counts(next.unwrap()),
            });
        }
        let mut ty = pointee.ty;
        let unit = size(ty) as u64;
        let text = |width: usize| {
            let units = (0..).map(|i| load(at.wrapping_add(i * width), width) as u32).take_while(|u| *u != 0);
            units.collect::<Vec<u32>>()
        };
        let count = match pointee.len {
            Len::One if matches!(ty, Type::Void) => return assert!(matches!(value, Value::Word(..))),
            Len::One => 1,
            Len::Const(n) => n.into(),
            Len::Field(i) => around.number(i.into()),
            Len::Bytes(i) => around.number(i.into()) / unit,
            Len::Through(i) => through(i),
            Len::BytesThrough(i) => through(i) / unit,
            Len::Text => {
                let Value::Text(found) = value else { panic!("{value:?}") };
                let expected = match (ty, self.wide) {
                    (Type::U16, Wide::Bits16) => {
                        String::from_utf16(&text(2).iter().map(|u| *u as u16).collect::<Vec<_>>()).unwrap()
                    }
                    (Type::U16, Wide::Bits32) => text(4).iter().map(|u| char::from_u32(*u).unwrap()).collect(),
                    _ => String::from_utf8(text(1).iter().map(|u| *u as u8).collect()).unwrap(),
                };
                return assert_eq!(*found, expected);
            }
            Len::Rule(rule) => match rule {
                Rule::PipelineStream => return self.stream(at, around.by_name("SizeInBytes"), value),
                Rule::StateSubobject => {
                    ty = choice("StateSubobject", around.by_name("Type"));
                    1
                }
                Rule::StateSubobjectReference => {
                    let Value::Reference(Some(found)) = value else { panic!("{value:?}") };
                    let array = around.outer.unwrap();
                    return assert_eq!(array.array + found * 16, pointer);
                }
                Rule::FeatureData => {
                    let select =
                        MODEL.selects.iter().find(|s| matches!(around.fields[0].ty, Type::Enum(e) if e == s.selector));
                    ty = choice(select.unwrap().name, around.number(0));
                    1
                }
                Rule::RenderTargets => {
                    let all = around.by_name("NumRenderTargetDescriptors");
                    if around.by_name("RTsSingleHandleToDescriptorRange") != 0 { all.min(1) } else { all }
                }
                Rule::SubresourceData => {
                    let pitch =
                        |name| around.fields.iter().position(|f| f.name.ends_with(name)).map(|i| around.number(i));
                    3 * pitch("RowPitch").unwrap() + u64::from(TEXELS.width * TEXELS.block_bytes)
                }
                Rule::ElementsLayout => {
                    let pointers = around.by_name("DescsLayout") == 1;
                    let Value::Array(values) = value else { panic!("{value:?}") };
                    assert_eq!(values.len() as u64, around.by_name("NumDescs"));
                    for (i, value) in values.iter().enumerate() {
                        let element = if pointers {
                            load(at.wrapping_add(i * 8), 8) as *const u8
                        } else {
                            at.wrapping_add(i * size(ty))
                        };
                        self.value(ty, field, around, element, i, value);
                    }
                    return;
                }
                Rule::CastableFormats => {
                    load((around.by_name("pNumCastableFormats") as *const u8).wrapping_add(index * 4), 4)
                }
                Rule::Mapping => 1,
                Rule::Named("SamplePositions") => around.by_name("NumSamplesPerPixel") * around.by_name("NumPixels"),
                Rule::Named("NodeRecords") => match around.by_name("NumRecords") {
                    0 => 0,
                    records => (records - 1) * around.by_name("RecordStrideInBytes") + RECORD,
                },
                Rule::Named("NodeInputs") => {
                    let (count, step) = (around.by_name("NumNodeInputs"), around.by_name("NodeInputStrideInBytes"));
                    let Value::Array(values) = value else { panic!("{value:?}") };
                    assert_eq!(values.len() as u64, count);
                    for (i, value) in values.iter().enumerate() {
                        self.element(ty, field, around, at.wrapping_add(i * step as usize), pointer, i, value);
                    }
                    return;
                }
                Rule::Named("ExperimentalConfiguration") => match around.by_name("pConfigurationStructSizes") {
                    0 => return assert!(matches!(value, Value::Word(..))),
                    sizes => (0..around.by_name("NumFeatures") as usize)
                        .map(|i| load((sizes as *const u8).wrapping_add(i * 4), 4))
                        .sum(),
                },
                Rule::Named("QueryData") => match value {
                    // An enumeration has kinds of queries that the runtime's own interface does not resolve.
                    Value::Absent(..) => return,
                    _ => {
                        ty = Type::U64;
                        let kind = around.by_name("Type");
                        let bytes = match kind {
                            0..3 => 8,
                            3 => 88,
                            4..8 => 16,
                            8 => 32,
                            10 => 112,
                            _ => panic!("{kind}"),
                        };
                        around.by_name("NumQueries") * bytes / 8
                    }
                },
                Rule::Named("OneInBuffer") => {
                    let own = around.fields.iter().position(|f| std::ptr::eq(f, field)).unwrap();
                    u64::from(through(own as u8 + 1) >= unit)
                }
                other => panic!("{}: {other:?} has no reader here", field.name),
            },
        };
        let _ = inner;
        match value {
            Value::Blob(number, _, bytes) => {
                assert_eq!(*bytes, count);
                let blob = &self.blobs.0[*number as usize - 1];
                assert!((0..count as usize).all(|i| blob[i] == load(at.wrapping_add(i), 1) as u8));
            }
            Value::Bytes(bytes) => {
                assert_eq!(bytes.len() as u64, count, "{}", field.name);
                assert!(bytes.iter().enumerate().all(|(i, b)| *b == load(at.wrapping_add(i), 1) as u8));
            }
            Value::Text(_) if field.role == Role::Text => {}
            Value::Array(values) => {
                assert_eq!(values.len() as u64, count, "{}", field.name);
                for (i, value) in values.iter().enumerate() {
                    self.element(ty, field, around, at.wrapping_add(i * size(ty)), pointer, i, value);
                }
            }
            value => {
                assert_eq!(count, 1, "{}", field.name);
                self.element(ty, field, around, at, pointer, 0, value);
            }
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn element(
        &self,
        ty: Type,
        field: &'static Field,
        around: &Around<'_>,
        at: *const u8,
        array: u64,
        index: usize,
        value: &Value<'_>,
    ) {
        match (ty, value) {
            (Type::Struct(_), Value::Struct(_, members)) => self.structure(ty, at, array, Some(around), members),
            (Type::Pointer(_), Value::Null) => assert_eq!(load(at, 8), 0),
            (Type::Pointer(p), value) => self.pointer(p, field, around, load(at, 8), index, true, value),
            _ => self.value(ty, field, around, at, index, value),
        }
    }

    fn stream(&self, at: *const u8, length: u64, value: &Value<'_>) {
        let Value::Stream(subobjects) = value else { panic!("{value:?}") };
        let mut offset = 0;
        for (number, value) in subobjects {
            assert_eq!(u64::from(*number), load(at.wrapping_add(offset), 4));
            let ty = choice("PipelineStream", (*number).into());
            let align = ty.align(MODEL.structs).max(4) as usize;
            offset = (offset + 4).next_multiple_of(align);
            let inner = at.wrapping_add(offset);
            match value {
                Value::Struct(_, members) => self.structure(ty, inner, 0, None, members),
                Value::Object(id, _) => assert_eq!(u64::from(*id), self.world.id_of(load(inner, 8))),
                Value::Enum(_, v) => assert_eq!(u64::from(*v), load(inner, 4)),
                Value::Unsigned(v) => assert_eq!(*v, load(inner, 4)),
                other => panic!("{other:?}"),
            }
            offset = (offset + size(ty)).next_multiple_of(8);
        }
        assert_eq!(offset as u64, length);
    }
}

fn choice(table: &str, value: u64) -> Type {
    let select = MODEL.selects.iter().find(|s| s.name == table).unwrap();
    select.cases.iter().find(|c| c.0 as u32 == value as u32).unwrap_or_else(|| panic!("{table} {value}")).1
}
