//! The entry points of `d3d12.dll`, each forwarded and recorded, and two of our own for the probe.

use std::ffi::c_void;
use std::sync::Mutex;

use reprise_trace::record::Kind;

use crate::{forward, kernel, recorder, watch::Watch};

/// What a caller gets for a function that the real library does not have.
const E_NOTIMPL: i32 = 0x8000_4001_u32 as i32;

macro_rules! forwarded {
    ($($number:literal $name:ident($($argument:ident),*))*) => {$(
        /// The function of Direct3D 12 with this name; all arguments are one word each.
        ///
        /// # Safety
        /// As the API says.
        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "win64" fn $name($($argument: usize),*) -> i32 {
            const NAME: &std::ffi::CStr = match std::ffi::CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                Ok(name) => name,
                Err(_) => panic!("no zero inside a name"),
            };
            recorder::function(Kind::Enter, $number, 0);
            let function = forward::find(NAME);
            let result = if function.is_null() {
                E_NOTIMPL
            } else {
                // SAFETY: the real function of this name takes these words and returns an HRESULT.
                unsafe {
                    let function: unsafe extern "win64" fn($($argument: usize),*) -> i32 = std::mem::transmute::<*const c_void, _>(function);
                    function($($argument),*)
                }
            };
            recorder::function(Kind::Leave, $number, result as u32 as u64);
            result
        }
    )*};
}

forwarded! {
    1 D3D12CreateDevice(adapter, level, iid, device)
    2 D3D12GetDebugInterface(iid, debug)
    3 D3D12SerializeRootSignature(desc, version, blob, error)
    4 D3D12SerializeVersionedRootSignature(desc, blob, error)
    5 D3D12CreateRootSignatureDeserializer(data, size, iid, deserializer)
    6 D3D12CreateVersionedRootSignatureDeserializer(data, size, iid, deserializer)
    7 D3D12EnableExperimentalFeatures(count, iids, structures, sizes)
    8 D3D12GetInterface(class, iid, interface)
}

static WATCH: Mutex<Option<(u64, Watch)>> = Mutex::new(None);

/// Watches mapped memory for stores. 0 when it is armed, otherwise Linux's error number, -1 outside Wine.
#[unsafe(no_mangle)]
extern "win64" fn reprise_spike_watch(address: u64, len: u64) -> i32 {
    if !kernel::available() {
        return -1;
    }
    match Watch::arm(address, len) {
        Ok(watch) => {
            *WATCH.lock().unwrap_or_else(|e| e.into_inner()) = Some((address, watch));
            0
        }
        Err((what, error)) => {
            eprintln!("reprise: {what}: error {error}");
            error
        }
    }
}

/// Records the pages stored to since the last flush, with their contents. Gives their number, or -1.
#[unsafe(no_mangle)]
extern "win64" fn reprise_spike_flush() -> i32 {
    let place = WATCH.lock().unwrap_or_else(|e| e.into_inner());
    let Some((address, watch)) = place.as_ref() else { return -1 };
    let mut pages = 0;
    let scanned = watch.written(|start, end| {
        pages += ((end - start) / 4096) as i32;
        // SAFETY: the range lies within the memory that the program maps until it says otherwise.
        let bytes = unsafe { std::slice::from_raw_parts(start as *const u8, (end - start) as usize) };
        recorder::with(|ring| {
            ring.memory(1, 0, start - address, bytes);
        });
    });
    if scanned.is_ok() { pages } else { -1 }
}
