//! A Direct3D 12 runtime that does nothing but log.
//!
//! It implements every interface of the model in all calling conventions, logs each call's arguments with a reader of
//! its own, fills outputs with distinct made-up values, and can be told to fail, crash, block or call back. It is the
//! independent expectation for capture and decode (it shares the model's tables with them, and no code), the fixture
//! that makes every interface testable on any machine, and, with the log off, the floor for measuring cost.
//!
//! Linked as a library it is driven through [`call_function`], [`control`] and [`log`]; `null/sysv`, `null/itanium` and `null/win64`
//! wrap it as shared libraries with the exports of a D3D12 library.
//!
//! Invariant: what the log says comes from no code of `codec`.
//!
//! ```
//! use reprise_d3d12::interface;
//! use reprise_null::{Convention, call_function, log, method_named};
//!
//! let create = method_named("D3D12CreateDevice").expect("the model has it");
//! let (iid, mut device) = (interface("ID3D12Device").get().iid, 0u64);
//! let level = 0xb000; // D3D_FEATURE_LEVEL_11_0
//! let words = [0, level, &raw const iid as u64, &raw mut device as u64];
//! // SAFETY: the words are the function's arguments.
//! let result = unsafe { call_function(Convention::SystemV, create, &words) };
//! assert!(result == 0 && device != 0);
//! assert_eq!(log::take()[0].method, create);
//! ```

pub mod chains;
mod context;
pub mod control;
mod convention;
mod event;
mod live;
mod lock;
pub mod log;
mod make;
mod memory;
mod object;
mod outputs;
mod read;
mod runtime;
mod special;
mod state;
mod value;
mod vtables;

pub use live::{live, serial_of};
pub use make::{Arena, Maker, Objects};
pub use reprise_d3d12::abi::Convention;
pub use value::Value;
pub use vtables::Null;

use core::ffi::c_void;
use core::sync::atomic::{AtomicU8, Ordering};
use reprise_d3d12::model::{InterfaceId, MethodId, Model};

/// The model that the runtime implements.
pub fn model() -> &'static Model {
    &reprise_d3d12::MODEL
}

static WIDE: AtomicU8 = AtomicU8::new(2);

/// Bytes of a `WCHAR`: 2 (the default), or 4 for callers built with Linux's own `wchar_t`.
pub fn set_wide(bytes: u8) {
    WIDE.store(bytes, Ordering::Relaxed);
}

pub(crate) fn wide() -> usize {
    usize::from(WIDE.load(Ordering::Relaxed))
}

/// `Interface::Method`, or a function's name.
pub fn full_name(method: MethodId) -> String {
    let method = &model().methods[method.0 as usize];
    match method.interface {
        Some(interface) => format!("{}::{}", model().interfaces[interface.0 as usize].name, method.name),
        None => method.name.to_owned(),
    }
}

/// The method with this name, as [`full_name`] gives it.
pub fn method_named(name: &str) -> Option<MethodId> {
    (0..model().methods.len()).map(|i| MethodId(i as u16)).find(|&m| full_name(m) == name)
}

/// Calls an exported function of the runtime. The objects that it makes are of `convention`.
///
/// # Safety
/// The words must be valid arguments of the function.
pub unsafe fn call_function(convention: Convention, method: MethodId, words: &[u64]) -> u64 {
    object::fill_with(vtables::vtable);
    // SAFETY: the words are valid arguments of the function, as the caller says.
    unsafe { runtime::call(convention, method, core::ptr::null_mut::<c_void>(), words) }
}

/// Makes an object of any class with one reference, without a parent: what no function of the API gives out. A resource
/// is a texture of 4 by 4 texels of 4 bytes.
pub fn new_object(convention: Convention, class: InterfaceId) -> *mut c_void {
    use reprise_d3d12::types::{D3D12_RESOURCE_DESC, D3D12_RESOURCE_DIMENSION, DXGI_FORMAT, DXGI_SAMPLE_DESC};
    object::fill_with(vtables::vtable);
    let mut state = state::State { bytes: 40, ..Default::default() };
    if class.derives_from(reprise_d3d12::interface("ID3D12Resource")) {
        let description = D3D12_RESOURCE_DESC {
            Dimension: D3D12_RESOURCE_DIMENSION(3),
            Width: 4,
            Height: 4,
            DepthOrArraySize: 1,
            MipLevels: 1,
            Format: DXGI_FORMAT(28),
            SampleDesc: DXGI_SAMPLE_DESC { Count: 1, Quality: 0 },
            ..Default::default()
        };
        let at = (&raw const description).cast::<u8>();
        // SAFETY: the structure's own bytes, zeroed where it has padding.
        let bytes = unsafe { core::slice::from_raw_parts(at, size_of::<D3D12_RESOURCE_DESC>()) };
        state.descriptions.insert("D3D12_RESOURCE_DESC", bytes.to_vec());
    }
    object::Object::create(convention, class, core::ptr::null(), state)
}
