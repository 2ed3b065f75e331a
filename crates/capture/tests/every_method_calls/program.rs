//! The program's side: wrappers of objects of the null runtime, and calls through their tables.

use core::ffi::c_void;
use reprise_capture::entry;
use reprise_d3d12::abi::{self, Convention};
use reprise_d3d12::model::MethodId;
use reprise_d3d12::{interface, method};

/// An object of the null runtime, as the program of a captured run (`wrapped`) or of a bare one sees it.
pub fn object(convention: Convention, class: &str, wrapped: bool) -> *mut c_void {
    let real = reprise_null::new_object(convention, interface(class));
    // SAFETY: a fresh object of this class; its reference goes to the wrapper.
    if wrapped { unsafe { entry::attach(real, interface(class), convention) } } else { real }
}

/// Calls a method on a live object of this convention that has it.
pub fn call(convention: Convention, this: *mut c_void, id: MethodId, words: &[u64]) -> u64 {
    // SAFETY: tests call what the object has, with valid arguments.
    unsafe {
        let slot = *(*this.cast::<*const *const c_void>()).add(id.get().slot as usize);
        abi::call(convention, slot, Some(this), words, id.get())
    }
}

pub const DRAW: MethodId = method("ID3D12GraphicsCommandList", "DrawInstanced");
pub const CREATE_FENCE: MethodId = method("ID3D12Device", "CreateFence");

/// `DrawInstanced(vertices, 1, 0, 0)`.
pub fn draw(convention: Convention, list: *mut c_void, vertices: u64) {
    call(convention, list, DRAW, &[vertices, 1, 0, 0]);
}

/// `CreateFence`: the result, and the fence.
pub fn create_fence(convention: Convention, device: *mut c_void, initial: u64) -> (u64, *mut c_void) {
    let iid = interface("ID3D12Fence").get().iid;
    let mut out: *mut c_void = core::ptr::null_mut();
    let result = call(convention, device, CREATE_FENCE, &[initial, 0, &raw const iid as u64, &raw mut out as u64]);
    (result, out)
}
