//! What must hold of the tables as a whole, whoever made them.

use reprise_d3d12::generated::{BY_IID, ENUMS, INTERFACES, METHODS, SELECTS, STRUCTS};
use reprise_d3d12::lookup::by_iid;
use reprise_d3d12::model::{Direction, Field, Interface, InterfaceId, Len, Method, MethodId, Order, Role, Rule, Type};
use reprise_d3d12::{function, interface, method, struct_};
use std::collections::BTreeSet;

/// Every field of every structure and every parameter, with its place and its siblings.
fn fields() -> impl Iterator<Item = (String, &'static Field, &'static [Field])> {
    let methods =
        METHODS.iter().flat_map(|m| m.params.iter().map(move |f| (format!("{}.{}", m.name, f.name), f, m.params)));
    let structs =
        STRUCTS.iter().flat_map(|s| s.fields.iter().map(move |f| (format!("{}.{}", s.name, f.name), f, s.fields)));
    methods.chain(structs)
}

fn is_integer(ty: Type) -> bool {
    matches!(ty, Type::U8 | Type::U16 | Type::U32 | Type::I32 | Type::U64 | Type::I64)
}

fn check_type(place: &str, ty: Type) {
    match ty {
        Type::Enum(id) => assert!(usize::from(id.0) < ENUMS.len(), "{place}"),
        Type::Struct(id) => assert!(usize::from(id.0) < STRUCTS.len(), "{place}"),
        Type::Object(id) => assert!(usize::from(id.0) < INTERFACES.len(), "{place}"),
        Type::Pointer(pointee) => {
            assert!(!matches!(pointee.ty, Type::Void), "{place}: pointer to nothing");
            check_type(place, pointee.ty);
        }
        _ => {}
    }
}

fn check_length(place: &str, len: Len, siblings: &[Field]) {
    match len {
        Len::Field(at) | Len::Bytes(at) => {
            let sibling = &siblings[usize::from(at)];
            assert!(is_integer(sibling.ty), "{place}: its count {} is {:?}", sibling.name, sibling.ty);
        }
        Len::Through(at) | Len::BytesThrough(at) => {
            let sibling = &siblings[usize::from(at)];
            let Type::Pointer(count) = sibling.ty else { panic!("{place}: its count {} is no pointer", sibling.name) };
            assert!(is_integer(count.ty), "{place}");
        }
        Len::Const(count) => assert!(count > 0, "{place}"),
        Len::One | Len::Text | Len::Rule(_) => {}
    }
}

#[test]
fn every_reference_resolves() {
    for (place, field, siblings) in fields() {
        check_type(&place, field.ty);
        if let Type::Pointer(pointee) = field.ty {
            check_length(&place, pointee.len, siblings);
            if let Len::Text = pointee.len {
                assert!(matches!(pointee.ty, Type::U8 | Type::U16), "{place}: text of {:?}", pointee.ty);
            }
        }
        if let Some(arm) = field.arm {
            let selector = &siblings[usize::from(arm.selector)];
            assert!(!arm.values.is_empty(), "{place}");
            assert!(
                is_integer(selector.ty) || matches!(selector.ty, Type::Enum(_)),
                "{place}: selector {:?}",
                selector.ty
            );
            assert!(selector.arm.is_none(), "{place}: its selector is in a union itself");
        }
        if let Some(class) = field.class {
            assert_eq!(class, class.family(), "{place}: a class is the newest of its family");
            assert!(matches!(field.ty, Type::Pointer(p) if matches!(p.ty, Type::Object(_))), "{place}");
        }
        if let Some(iid) = field.iid {
            assert_eq!(siblings[usize::from(iid)].role, Role::Iid, "{place}");
        }
        let output = matches!(field.ty, Type::Pointer(_));
        assert!(output || field.direction == Direction::In, "{place}: an output that is no pointer");
        assert!(field.count > 0, "{place}");
    }
    for method in METHODS {
        check_type(method.name, method.result);
    }
    for select in SELECTS {
        assert!(select.cases.is_sorted_by(|a, b| a.0 < b.0), "{}", select.name);
        let selector = &ENUMS[usize::from(select.selector.0)];
        for (value, ty) in select.cases {
            check_type(select.name, *ty);
            assert!(selector.members.iter().any(|(_, member)| member == value), "{}: {value}", select.name);
        }
    }
}

#[test]
fn every_output_object_has_a_class_or_an_interface_id() {
    for (place, field, _) in fields() {
        let output = field.direction == Direction::Out;
        if matches!(field.ty, Type::Pointer(p) if output && matches!(p.ty, Type::Object(_))) {
            assert!(field.class.is_some() || field.iid.is_some(), "{place}");
        }
    }
}

#[test]
fn slots_are_dense_and_methods_know_their_place() {
    for (at, row) in INTERFACES.iter().enumerate() {
        let id = InterfaceId(at as u16);
        assert_eq!(row.first_slot, row.base.map_or(0, InterfaceId::slots), "{}", row.name);
        for slot in 0..id.slots() {
            let found = id.slot(slot).unwrap_or_else(|| panic!("{} has no slot {slot}", row.name)).get();
            assert_eq!(found.slot, slot, "{}::{}", row.name, found.name);
            let owner = found.interface.expect("a method has an interface");
            assert!(id.derives_from(owner), "{}::{}", row.name, found.name);
        }
        assert_eq!(id.slot(id.slots()), None, "{}", row.name);
        assert!(row.family.derives_from(id), "{}: its family does not derive from it", row.name);
        assert_eq!(row.family, row.family.family(), "{}", row.name);
    }
    let methods: u32 = INTERFACES.iter().map(|row| u32::from(row.method_count)).sum();
    let functions = METHODS.iter().filter(|method| method.interface.is_none()).count();
    assert_eq!(methods as usize + functions, METHODS.len());
    assert!(METHODS[methods as usize..].iter().all(|method| method.interface.is_none()), "functions come last");
}

#[test]
fn interface_ids_and_names_are_unique_and_found() {
    let ids: BTreeSet<u128> = INTERFACES.iter().map(|row| row.iid.to_u128()).collect();
    assert_eq!(ids.len(), INTERFACES.len());
    assert_eq!(BY_IID.len(), INTERFACES.len());
    for (at, row) in INTERFACES.iter().enumerate() {
        assert_eq!(by_iid(&row.iid), Some(InterfaceId(at as u16)), "{}", row.name);
        assert_eq!(interface(row.name), InterfaceId(at as u16));
    }
    let unknown: &Interface = interface("IUnknown").get();
    assert_eq!(unknown.iid.to_string(), "00000000-0000-0000-c000-000000000046");
    assert_eq!(interface("ID3D12Device").get().iid.to_string(), "189819f1-1db6-4b57-be54-1821339b85f7");
    assert_eq!(by_iid(&reprise_d3d12::model::Guid::from_u128(1)), None);
    let names: BTreeSet<&str> = STRUCTS.iter().map(|row| row.name).collect();
    assert_eq!(names.len(), STRUCTS.len());
}

#[test]
fn layouts_are_consistent() {
    for structure in STRUCTS {
        let mut end = 0;
        let mut flat = true;
        for field in structure.fields {
            let place = format!("{}.{}", structure.name, field.name);
            let size = field.ty.size(STRUCTS) * u32::from(field.count);
            assert!(field.offset % field.ty.align(STRUCTS) == 0, "{place}");
            assert!(field.offset + size <= structure.size, "{place}");
            assert!(field.arm.is_some() || field.offset >= end, "{place}: overlaps what is before it");
            end = end.max(field.offset + size);
            flat &= match field.ty {
                Type::Pointer(_) | Type::Object(_) => false,
                Type::Struct(inner) => STRUCTS[usize::from(inner.0)].flat,
                _ => true,
            };
        }
        assert_eq!(structure.flat, flat, "{}", structure.name);
        assert!(structure.size.next_multiple_of(u32::from(structure.align)) == structure.size, "{}", structure.name);
        assert!(structure.size - end < u32::from(structure.align).max(9), "{}: a hole at its end", structure.name);
    }
    for method in METHODS {
        let mut end = 0u32;
        for param in method.params {
            let size = param.ty.size(STRUCTS);
            assert_eq!(param.offset, end.next_multiple_of(param.ty.align(STRUCTS)), "{}.{}", method.name, param.name);
            assert_eq!(param.count, 1, "{}.{}", method.name, param.name);
            assert!(size <= 8 || size == 16, "{}.{}", method.name, param.name);
            end = param.offset + size;
        }
        assert_eq!(u32::from(method.args_size), end.next_multiple_of(8), "{}", method.name);
    }
}

#[test]
fn order_says_whether_anything_comes_back() {
    for method in METHODS {
        let silent = matches!(method.result, Type::Void) && method.params.iter().all(|p| p.direction == Direction::In);
        assert_eq!(silent, method.order != Order::EnterLeave, "{}", method.name);
        if method.order == Order::Object {
            let owner = method.interface.expect("only methods are ordered by their object");
            assert!(owner.derives_from(interface("ID3D12CommandList")), "{}", method.name);
        }
        if method.returns_structure {
            let first = &method.params[0];
            assert!(first.direction == Direction::Out && matches!(first.ty, Type::Pointer(_)), "{}", method.name);
        }
    }
    let returning: Vec<&str> = METHODS.iter().filter(|m| m.returns_structure).map(|m| m.name).collect();
    assert!(returning.len() >= 27, "{returning:?}");
}

/// What programs rely on most, stated by hand: if a rule of the generator slips, this is where it shows.
#[test]
fn known_facts() {
    const CREATE: MethodId = method("ID3D12Device14", "CreateCommittedResource");
    let create: &Method = CREATE.get();
    assert_eq!(create.slot, 27);
    let out = create.params.last().expect("parameters");
    assert_eq!(out.class, Some(interface("ID3D12Resource2")));
    assert_eq!(out.iid, Some(5));
    assert!(out.optional);
    const DRAW: MethodId = method("ID3D12GraphicsCommandList", "DrawIndexedInstanced");
    assert_eq!(DRAW.get().order, Order::Object);
    assert_eq!(method("ID3D12GraphicsCommandList10", "Close").get().order, Order::EnterLeave);
    assert_eq!(interface("ID3D12Device").family(), interface("ID3D12Device15"));
    assert_eq!(interface("ID3D12GraphicsCommandList").family(), interface("ID3D12GraphicsCommandList10"));
    assert_eq!(interface("ID3D12CommandQueue").family(), interface("ID3D12CommandQueue1"));
    assert_eq!(interface("IDXGISwapChain1").family(), interface("IDXGISwapChain4"));
    assert_eq!(interface("ID3D12Debug").family(), interface("ID3D12Debug6"));
    assert_eq!(interface("ID3D12Debug1").family(), interface("ID3D12Debug1"), "Debug1 is not a base of Debug3");
    assert_eq!(interface("ID3D12Device14").slots(), 83);
    assert_eq!(interface("ID3D12GraphicsCommandList10").slots(), 86);
    assert_eq!(interface("IDXGISwapChain4").slots(), 41);
    assert_eq!(interface("ID3D12ShaderReflectionType").get().base, None);
    let address = method("ID3D12Resource", "GetGPUVirtualAddress").get();
    assert_eq!(address.result_role, Role::GpuAddress);
    let start = method("ID3D12DescriptorHeap", "GetCPUDescriptorHandleForHeapStart").get();
    assert!(start.returns_structure && start.params[0].role == Role::CpuDescriptor);
    let map = &method("ID3D12Resource", "Map").get().params[2];
    assert!(matches!(map.ty, Type::Pointer(p) if matches!((p.ty, p.len), (Type::Word, Len::Rule(Rule::Mapping)))));
    let present = function("vkQueuePresentKHR").get();
    assert_eq!(present.interface, None);
    const DESC: reprise_d3d12::model::StructId = struct_("D3D12_RESOURCE_DESC");
    assert_eq!(STRUCTS[usize::from(DESC.0)].size, 56);
}

#[test]
fn the_model_covers_what_it_promises() {
    let count = |prefix: &str| INTERFACES.iter().filter(|row| row.name.starts_with(prefix)).count();
    assert!(count("ID3D12") >= 139 + 14, "{}", count("ID3D12"));
    assert!(count("IDXGI") >= 46, "{}", count("IDXGI"));
    assert!(METHODS.len() < usize::from(u16::MAX));
    println!(
        "{} interfaces, {} methods, {} functions, {} structures, {} enumerations, {} members",
        INTERFACES.len(),
        METHODS.iter().filter(|m| m.interface.is_some()).count(),
        METHODS.iter().filter(|m| m.interface.is_none()).count(),
        STRUCTS.len(),
        ENUMS.len(),
        ENUMS.iter().map(|row| row.members.len()).sum::<usize>(),
    );
}
