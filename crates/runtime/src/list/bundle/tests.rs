//! Tests of bundles' commands. They need a Vulkan 1.3 driver (lavapipe does).
#![allow(clippy::unwrap_used)]

use core::ffi::c_void;

use reprise_com::Object;
use reprise_com::result::S_OK;
use reprise_d3d12::types::{
    D3D12_COMMAND_LIST_TYPE, D3D12_WRITEBUFFERIMMEDIATE_MODE as Mode, D3D12_WRITEBUFFERIMMEDIATE_PARAMETER,
};
use reprise_d3d12::{interface, method};

use crate::list::command::Command;
use crate::list::{CommandAllocator, CommandList};

/// A marker in a bundle is as good as one in a list: what the bundle keeps of it says when it is written.
#[test]
fn a_bundle_keeps_the_modes_of_writes() {
    let device = crate::entry::device::independent().unwrap();
    let bundle = D3D12_COMMAND_LIST_TYPE::BUNDLE;
    let allocator = Object::make(CommandAllocator::new(&device, bundle).unwrap());
    let list = Object::make(CommandList::new(&device, bundle));
    let this = list.pointer();
    let slot = |owner: &str, name: &str| {
        let slot = usize::from(method(owner, name).get().slot);
        // SAFETY: the object's vtable has the slot.
        unsafe { (*this.cast::<*const *const c_void>()).add(slot).read() }
    };
    let parameters = [0x1000u64, 0x1004, 0x1008]
        .map(|place| D3D12_WRITEBUFFERIMMEDIATE_PARAMETER { Dest: place, Value: place as u32 });
    let modes = [Mode::MARKER_OUT, Mode::DEFAULT, Mode::MARKER_IN];
    type Reset = unsafe extern "C" fn(*mut c_void, *mut c_void, *mut c_void) -> i32;
    type Write = unsafe extern "C" fn(*mut c_void, u32, *const D3D12_WRITEBUFFERIMMEDIATE_PARAMETER, *const Mode);
    type Close = unsafe extern "C" fn(*mut c_void) -> i32;
    let name = interface("ID3D12GraphicsCommandList2").get().name;
    // SAFETY: the types are those of the slots; list and allocator live here, and both arrays have three elements. Nothing runs the list,
    // so the addresses are never looked through.
    unsafe {
        let reset: Reset = core::mem::transmute(slot("ID3D12GraphicsCommandList", "Reset"));
        let write: Write = core::mem::transmute(slot(name, "WriteBufferImmediate"));
        let close: Close = core::mem::transmute(slot("ID3D12GraphicsCommandList", "Close"));
        assert_eq!(reset(this, allocator.pointer(), core::ptr::null_mut()), S_OK);
        write(this, 3, parameters.as_ptr(), modes.as_ptr());
        write(this, 1, parameters.as_ptr(), core::ptr::null());
        assert_eq!(close(this), S_OK);
    }
    let kept = list.bundle().unwrap();
    let kept: Vec<(u64, Mode)> = kept
        .iter()
        .map(|command| match command {
            Command::WriteImmediate { address, mode, .. } => (*address, *mode),
            _ => panic!("another command"),
        })
        .collect();
    assert_eq!(
        kept,
        [(0x1000, Mode::MARKER_OUT), (0x1004, Mode::DEFAULT), (0x1008, Mode::MARKER_IN), (0x1000, Mode::DEFAULT)]
    );
}
