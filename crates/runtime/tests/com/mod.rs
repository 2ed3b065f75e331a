//! COM pointers for tests, called through their vtables by the model's names.
#![allow(dead_code, reason = "each test uses some")]

use core::ffi::c_void;
use core::ptr::null_mut;

use reprise_com::result::S_OK;
use reprise_d3d12::abi::{Convention, call};
use reprise_d3d12::types::*;
use reprise_d3d12::{interface, method};

/// A COM pointer with its reference.
#[derive(Debug)]
pub(crate) struct Com(pub(crate) *mut c_void);

// SAFETY: objects of the API may be used from any thread.
unsafe impl Send for Com {}
// SAFETY: objects of the API may be used from any thread.
unsafe impl Sync for Com {}

/// The word of a pointer.
pub(crate) fn at<T>(pointer: *const T) -> u64 {
    pointer as usize as u64
}

/// The word of the place of a result.
pub(crate) fn place<T>(place: &mut T) -> u64 {
    at(core::ptr::from_mut(place))
}

/// The word of an interface's id.
pub(crate) fn iid(name: &str) -> u64 {
    at(&raw const interface(name).get().iid)
}

impl Com {
    /// Calls a method; the words are its arguments.
    pub(crate) fn call(&self, owner: &str, name: &str, words: &[u64]) -> u64 {
        let method = method(owner, name).get();
        let convention = if cfg!(windows) { Convention::Win64 } else { Convention::SystemV };
        // SAFETY: the tests name an interface that the object has, and pass valid arguments.
        unsafe {
            let function = *(*self.0.cast::<*const *const c_void>()).add(method.slot.into());
            call(convention, function, Some(self.0), words, method)
        }
    }

    /// As [`Com::call`], of a method with a result code.
    pub(crate) fn code(&self, owner: &str, name: &str, words: &[u64]) -> i32 {
        self.call(owner, name, words) as u32 as i32
    }

    /// An object that a method makes: its last argument is the place.
    pub(crate) fn make(&self, owner: &str, name: &str, words: &[u64]) -> Result<Com, i32> {
        let mut made = null_mut();
        let code = self.code(owner, name, &[words, &[place::<*mut c_void>(&mut made)]].concat());
        match code {
            S_OK => Ok(Com(made)),
            _ => {
                assert_eq!(made, null_mut(), "{owner}::{name} failed and left something");
                Err(code)
            }
        }
    }

    /// Another interface.
    pub(crate) fn query(&self, name: &str) -> Result<Com, i32> {
        self.make("IUnknown", "QueryInterface", &[iid(name)])
    }

    /// References that the program has.
    pub(crate) fn count(&self) -> u64 {
        self.call("IUnknown", "AddRef", &[]);
        self.call("IUnknown", "Release", &[])
    }
}

impl Drop for Com {
    fn drop(&mut self) {
        self.call("IUnknown", "Release", &[]);
    }
}

/// A device of the test's own.
pub(crate) fn device() -> Com {
    let made = reprise_runtime::entry::device::independent().expect("is there a Vulkan 1.3 driver?");
    let mut out = null_mut();
    // SAFETY: the place is writable.
    assert_eq!(unsafe { made.give(&interface("ID3D12Device").get().iid, &mut out) }, S_OK);
    Com(out)
}

/// A direct queue.
pub(crate) fn queue(device: &Com) -> Com {
    let desc = D3D12_COMMAND_QUEUE_DESC { Type: D3D12_COMMAND_LIST_TYPE::DIRECT, ..Default::default() };
    device.make("ID3D12Device", "CreateCommandQueue", &[at(&desc), iid("ID3D12CommandQueue")]).unwrap()
}

/// A fence with its flags.
pub(crate) fn fence(device: &Com, flags: D3D12_FENCE_FLAGS) -> Com {
    device.make("ID3D12Device", "CreateFence", &[0, flags.0.into(), iid("ID3D12Fence")]).unwrap()
}

/// A buffer's description.
pub(crate) fn buffer(size: u64) -> D3D12_RESOURCE_DESC {
    D3D12_RESOURCE_DESC {
        Dimension: D3D12_RESOURCE_DIMENSION::BUFFER,
        Width: size,
        Height: 1,
        DepthOrArraySize: 1,
        MipLevels: 1,
        SampleDesc: DXGI_SAMPLE_DESC { Count: 1, Quality: 0 },
        Layout: D3D12_TEXTURE_LAYOUT::LAYOUT_ROW_MAJOR,
        ..Default::default()
    }
}

/// A texture's description.
pub(crate) fn texture() -> D3D12_RESOURCE_DESC {
    D3D12_RESOURCE_DESC {
        Dimension: D3D12_RESOURCE_DIMENSION::TEXTURE2D,
        Width: 64,
        Height: 64,
        DepthOrArraySize: 1,
        MipLevels: 1,
        Format: DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM,
        SampleDesc: DXGI_SAMPLE_DESC { Count: 1, Quality: 0 },
        ..Default::default()
    }
}

/// A committed resource in a heap of a type.
pub(crate) fn committed(
    device: &Com,
    kind: D3D12_HEAP_TYPE,
    flags: D3D12_HEAP_FLAGS,
    desc: &D3D12_RESOURCE_DESC,
) -> Com {
    let heap = D3D12_HEAP_PROPERTIES { Type: kind, ..Default::default() };
    let state = match kind {
        D3D12_HEAP_TYPE::READBACK => D3D12_RESOURCE_STATES::COPY_DEST,
        _ => D3D12_RESOURCE_STATES::COMMON,
    };
    let words = [at(&heap), flags.0.into(), at(desc), state.0.into(), 0, iid("ID3D12Resource")];
    device.make("ID3D12Device", "CreateCommittedResource", &words).unwrap()
}
