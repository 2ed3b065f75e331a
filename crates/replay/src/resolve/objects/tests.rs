//! Tests of `resolve::objects`.
#![allow(clippy::unwrap_used)]

use std::cell::RefCell;

use reprise_d3d12::interface;
use reprise_d3d12::model::Guid;

use super::*;

const OBJECT: InterfaceId = interface("ID3D12Object");
const DEVICE: InterfaceId = interface("ID3D12Device");
const DEVICE1: InterfaceId = interface("ID3D12Device1");
const DEBUG: InterfaceId = interface("ID3D12DebugDevice");
const BASE: u64 = 1 << 32;

/// Counts references by pointer; an object's interfaces lie side by side, by the first word of their ids.
#[derive(Default)]
struct Counting {
    references: RefCell<HashMap<u64, i64>>,
    refuse: Option<u32>,
}

impl Counting {
    fn give(&self, pointer: u64) -> u64 {
        *self.references.borrow_mut().entry(pointer).or_default() += 1;
        pointer
    }
}

impl Com for Counting {
    fn query(&self, pointer: u64, iid: &Guid) -> Option<u64> {
        (self.refuse != Some(iid.data1)).then(|| self.give(pointer / BASE * BASE + u64::from(iid.data1)))
    }

    fn release(&self, pointer: u64) {
        *self.references.borrow_mut().get_mut(&pointer).unwrap() -= 1;
    }
}

fn pointer(object: u64, interface: InterfaceId) -> u64 {
    object * BASE + u64::from(interface.get().iid.data1)
}

#[test]
fn references_are_neither_lost_nor_taken_twice() {
    let com = Counting::default();
    let mut objects = Objects::default();
    assert!(objects.given(&com, 7, DEVICE, com.give(pointer(1, DEVICE))));
    // GetDevice gives out what is known already.
    assert!(!objects.given(&com, 7, DEVICE, com.give(pointer(1, DEVICE))));
    assert_eq!(com.references.borrow()[&pointer(1, DEVICE)], 1);
    // Bases are reached through the pointer held; others are asked for once.
    assert_eq!(objects.pointer(&com, 7, OBJECT), Ok(pointer(1, DEVICE)));
    assert_eq!(objects.pointer(&com, 7, DEVICE1), Ok(pointer(1, DEVICE1)));
    assert_eq!(objects.pointer(&com, 7, DEVICE1), Ok(pointer(1, DEVICE1)));
    assert_eq!(objects.pointer(&com, 7, DEBUG), Ok(pointer(1, DEBUG)));
    assert_eq!(com.references.borrow()[&pointer(1, DEVICE1)], 1);
    assert!(objects.gone(&com, 7));
    assert!(!objects.gone(&com, 7));
    assert!(com.references.borrow().values().all(|&count| count == 0), "{:?}", com.references);
    assert_eq!(objects.pointer(&com, 7, OBJECT), Err(ObjectError::Dangling(7)));
}

#[test]
fn an_id_out_of_turn_costs_no_more_than_others() {
    let com = Counting::default();
    let mut objects = Objects::default();
    for id in [u32::MAX, 3, u32::MAX - 1, 1 << 16] {
        assert!(objects.given(&com, id, DEVICE, com.give(pointer(u64::from(id), DEVICE))));
        assert_eq!(objects.pointer(&com, id, OBJECT), Ok(pointer(u64::from(id), DEVICE)));
    }
    assert!(objects.near.len() <= Objects::NEAR + 1, "{}", objects.near.len());
    // What was far stays there, even when there are so many objects that a new id of its size would be near.
    for id in 5..1 << 15 {
        objects.given_virtual(id, Virtual::Dxgi);
    }
    assert!(!objects.given(&com, 1 << 16, DEVICE, com.give(pointer(1 << 16, DEVICE))));
    assert!(objects.gone(&com, 1 << 16) && !objects.contains(1 << 16));
    objects.clear(&com);
    assert!(objects.ids().is_empty());
    assert!(com.references.borrow().values().all(|&count| count == 0), "{:?}", com.references);
}

#[test]
fn what_cannot_be_passed_is_named() {
    let com = Counting { refuse: Some(DEBUG.get().iid.data1), ..Counting::default() };
    let mut objects = Objects::default();
    objects.given(&com, 1, DEVICE, com.give(pointer(1, DEVICE)));
    objects.given_virtual(2, Virtual::SwapChain);
    assert_eq!(objects.pointer(&com, 1, DEBUG), Err(ObjectError::NoInterface(1, DEBUG)));
    assert_eq!(objects.pointer(&com, 2, OBJECT), Err(ObjectError::Virtual(2, Virtual::SwapChain)));
    objects.clear(&com);
    assert!(objects.ids().is_empty());
    assert!(com.references.borrow().values().all(|&count| count == 0));
}
