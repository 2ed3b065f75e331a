//! What overlays, upscalers and other layers do inside a program, each checked from the layer's own point of view.

use crate::com;
use crate::device::{Create, Device};
use crate::kernel;
use reprise_d3d12::generated::types::*;
use reprise_d3d12::model::Guid;
use reprise_d3d12::{interface, method};
use std::arch::naked_asm;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};

#[link(name = "kernel32")]
unsafe extern "system" {
    fn VirtualProtect(start: *mut c_void, len: usize, protection: u32, before: *mut u32) -> i32;
}

#[link(name = "user32")]
unsafe extern "system" {
    fn CreateWindowExA(
        style: u32,
        class: *const u8,
        name: *const u8,
        kind: u32,
        x: i32,
        y: i32,
        width: i32,
        height: i32,
        parent: *mut c_void,
        menu: *mut c_void,
        instance: *mut c_void,
        data: *mut c_void,
    ) -> *mut c_void;
}

const EVERYTHING: u32 = 0x40;
const E_NOINTERFACE: i32 = 0x8000_4002_u32 as i32;

/// Does one of these things; `None` where the outcome is not what the layer expects.
pub(crate) fn act(what: &str, device: &Device) -> Option<()> {
    match what {
        "hook" => hook(),
        "queue" => queue(device),
        "factory" => presented(device, Queue::Own, true),
        "swapchain" => presented(device, Queue::Own, false),
        "wrapped" => presented(device, Queue::Wrapped, false),
        "private" => private(device),
        "raw" => raw(device),
        "attach" => (ATTACHED.load(Ordering::Acquire) == 1).then_some(()),
        _ => None,
    }
}

/// The bytes of a jump to an address, as hooks write it.
fn jump(to: *const c_void) -> [u8; 14] {
    let mut bytes = [0xff, 0x25, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    bytes[6..].copy_from_slice(&(to as u64).to_le_bytes());
    bytes
}

static HOOKED: AtomicPtr<[u8; 14]> = AtomicPtr::new(null_mut());
static BEGAN_WITH: std::sync::Mutex<[u8; 14]> = std::sync::Mutex::new([0; 14]);
static CALLS: AtomicU64 = AtomicU64::new(0);

/// A hook on the export: the function's first bytes become a jump.
fn hook() -> Option<()> {
    let function = kernel::function(c"d3d12.dll", c"D3D12CreateDevice")?;
    let place = function.cast_mut().cast::<[u8; 14]>();
    let mut before = 0;
    // SAFETY: the function's own code, which is longer than a jump.
    unsafe {
        if VirtualProtect(place.cast(), 14, EVERYTHING, &raw mut before) == 0 {
            return None;
        }
        *BEGAN_WITH.lock().ok()? = place.read();
        HOOKED.store(place, Ordering::Release);
        place.write(jump(hooked as *const c_void));
    }
    // SAFETY: the exported function of that name has this type.
    let create = unsafe { std::mem::transmute::<*const c_void, Create>(function) };
    let made = Device::new(create).and_then(|device| device.fence(3));
    // SAFETY: the same bytes as before.
    unsafe { place.write(*BEGAN_WITH.lock().ok()?) };
    (made == Some(3) && CALLS.load(Ordering::Relaxed) == 1).then_some(())
}

unsafe extern "system" fn hooked(adapter: *mut c_void, level: i32, iid: *const c_void, out: *mut *mut c_void) -> i32 {
    CALLS.fetch_add(1, Ordering::Relaxed);
    let place = HOOKED.load(Ordering::Acquire);
    // SAFETY: the function's own bytes are put back for the call, as simple hooks do; no other thread calls it.
    unsafe {
        if let Ok(bytes) = BEGAN_WITH.lock() {
            place.write(*bytes);
        }
        let function = std::mem::transmute::<*mut [u8; 14], Create>(place);
        let made = function(adapter, level, iid, out);
        place.write(jump(hooked as *const c_void));
        made
    }
}

static COUNTS: [AtomicU64; 4] = [const { AtomicU64::new(0) }; 4];
static ORIGINALS: [AtomicUsize; 4] = [const { AtomicUsize::new(0) }; 4];

macro_rules! counters {
    ($($name:ident $index:literal),*) => {$(
        /// Counts a call and goes on with the function that was in the slot.
        #[unsafe(naked)]
        unsafe extern "system" fn $name() {
            naked_asm!(
                "lock inc qword ptr [rip + {counts} + 8*{index}]",
                "jmp qword ptr [rip + {originals} + 8*{index}]",
                counts = sym COUNTS,
                originals = sym ORIGINALS,
                index = const $index,
            )
        }
    )*};
}
counters!(first 0, second 1, third 2, fourth 3);

const COUNTERS: [unsafe extern "system" fn(); 4] = [first, second, third, fourth];

/// Slots of an object's table, replaced by functions that count.
struct Slots {
    table: *mut *const c_void,
    slots: Vec<usize>,
}

impl Slots {
    fn replace(object: *mut c_void, slots: &[usize]) -> Option<Slots> {
        // SAFETY: the object is alive; its table has these slots; one word of it is changed at a time.
        unsafe {
            let table = com::table(object);
            for (index, slot) in slots.iter().enumerate() {
                let (place, mut before) = (table.add(*slot), 0);
                if VirtualProtect(place.cast(), 8, 4, &raw mut before) == 0 {
                    return None;
                }
                ORIGINALS[index].store(place.read() as usize, Ordering::Release);
                COUNTS[index].store(0, Ordering::Release);
                place.write(COUNTERS[index] as *const c_void);
            }
            Some(Slots { table, slots: slots.to_vec() })
        }
    }

    fn count(&self, index: usize) -> u64 {
        COUNTS[index].load(Ordering::Acquire)
    }
}

impl Drop for Slots {
    fn drop(&mut self) {
        for (index, slot) in self.slots.iter().enumerate() {
            // SAFETY: the slots were made writable when they were replaced.
            unsafe { self.table.add(*slot).write(ORIGINALS[index].load(Ordering::Acquire) as *const c_void) };
        }
    }
}

/// An overlay counts submissions by the queue's table.
fn queue(device: &Device) -> Option<()> {
    let desc = D3D12_COMMAND_QUEUE_DESC::default();
    let queue = device.make("CreateCommandQueue", &[(&raw const desc) as u64], "ID3D12CommandQueue")?;
    let execute = method("ID3D12CommandQueue", "ExecuteCommandLists");
    let slots = Slots::replace(queue, &[execute.get().slot.into()])?;
    let allocator = device.make("CreateCommandAllocator", &[0], "ID3D12CommandAllocator")?;
    let list = device.make("CreateCommandList", &[0, 0, allocator as u64, 0], "ID3D12GraphicsCommandList")?;
    let lists = [list];
    // SAFETY: the list is closed before it is submitted; the array outlives the call.
    unsafe {
        com::call(list, method("ID3D12GraphicsCommandList", "Close"), &[]);
        com::call(queue, execute, &[1, lists.as_ptr() as u64]);
    }
    (slots.count(0) == 1).then_some(())
}

/// Which queue a swap chain is made for.
#[derive(Clone, Copy, PartialEq)]
enum Queue {
    /// As the device gave it.
    Own,
    /// A layer's object in front of it, which passes every question on.
    Wrapped,
}

/// Makes a swap chain for a window and presents once. With `counted`, four slots of the factory are replaced, as Streamline does.
fn presented(device: &Device, kind: Queue, counted: bool) -> Option<()> {
    let create = kernel::function(c"dxgi.dll", c"CreateDXGIFactory1")?;
    let (mut factory, mut chain): (*mut c_void, *mut c_void) = (null_mut(), null_mut());
    let iid = interface("IDXGIFactory2").get().iid;
    // SAFETY: the exported function of that name has this type; id and place outlive the call.
    let made = unsafe {
        let create: unsafe extern "system" fn(*const Guid, *mut *mut c_void) -> i32 = std::mem::transmute(create);
        create(&raw const iid, &raw mut factory)
    };
    if made < 0 || factory.is_null() {
        return None;
    }
    let slots = if counted { Some(Slots::replace(factory, &[10, 15, 16, 24])?) } else { None };
    let desc = D3D12_COMMAND_QUEUE_DESC::default();
    let queue = device.make("CreateCommandQueue", &[(&raw const desc) as u64], "ID3D12CommandQueue")?;
    let mut layer = Layer { vtable: &LAYER, inner: queue };
    let given = if kind == Queue::Wrapped { (&raw mut layer).cast() } else { queue };
    // SAFETY: a class of the system's, and a name; all else may be null.
    let window = unsafe {
        let (class, none) = (c"STATIC".as_ptr().cast(), null_mut());
        CreateWindowExA(0, class, class, 0, 0, 0, 64, 64, none, none, none, none)
    };
    let desc = DXGI_SWAP_CHAIN_DESC1 {
        Width: 64,
        Height: 64,
        Format: DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM,
        SampleDesc: DXGI_SAMPLE_DESC { Count: 1, Quality: 0 },
        // `DXGI_USAGE_RENDER_TARGET_OUTPUT`.
        BufferUsage: 32,
        BufferCount: 2,
        SwapEffect: DXGI_SWAP_EFFECT::FLIP_DISCARD,
        ..Default::default()
    };
    let words = [given as u64, window as u64, (&raw const desc) as u64, 0, 0, (&raw mut chain) as u64];
    // SAFETY: the factory, the queue and the window are alive; desc and place outlive the call.
    let made = unsafe { com::call(factory, method("IDXGIFactory2", "CreateSwapChainForHwnd"), &words) } as i32;
    if made < 0 || chain.is_null() {
        return None;
    }
    // SAFETY: the swap chain is alive; it is released once.
    let shown = unsafe {
        let shown = com::call(chain, method("IDXGISwapChain", "Present"), &[0, 0]) as i32;
        com::release(chain);
        shown
    };
    (shown >= 0 && slots.is_none_or(|slots| slots.count(1) == 1)).then_some(())
}

/// A layer's object in front of another's: it answers nothing by itself.
#[repr(C)]
struct Layer {
    vtable: &'static LayerVtable,
    inner: *mut c_void,
}

#[repr(C)]
struct LayerVtable {
    query: unsafe extern "system" fn(*mut Layer, *const Guid, *mut *mut c_void) -> i32,
    add_ref: unsafe extern "system" fn(*mut Layer) -> u32,
    release: unsafe extern "system" fn(*mut Layer) -> u32,
}

static LAYER: LayerVtable = LayerVtable { query: layer_query, add_ref: layer_add_ref, release: layer_release };

unsafe extern "system" fn layer_query(this: *mut Layer, iid: *const Guid, out: *mut *mut c_void) -> i32 {
    let query = method("IUnknown", "QueryInterface");
    // SAFETY: the inner object is alive as long as the layer; the arguments are the caller's.
    unsafe { com::call((*this).inner, query, &[iid as u64, out as u64]) as i32 }
}

unsafe extern "system" fn layer_add_ref(this: *mut Layer) -> u32 {
    // SAFETY: the inner object is alive as long as the layer.
    unsafe { com::call((*this).inner, method("IUnknown", "AddRef"), &[]) as u32 }
}

unsafe extern "system" fn layer_release(this: *mut Layer) -> u32 {
    // SAFETY: the caller gives a reference back that it took through the layer.
    unsafe { com::release((*this).inner) }
}

/// Interfaces that nobody has, and the one by which vendors reach the object below a wrapper.
fn private(device: &Device) -> Option<()> {
    let nobody = Guid { data1: 0xdead_beef, data2: 1, data3: 2, data4: [3; 8] };
    let query = |iid: &Guid| {
        let mut out = core::ptr::dangling_mut::<c_void>();
        let words = [core::ptr::from_ref(iid) as u64, (&raw mut out) as u64];
        // SAFETY: the device is alive; id and place outlive the call.
        let result = unsafe { com::call(device.0, method("IUnknown", "QueryInterface"), &words) } as i32;
        (result, out)
    };
    if query(&nobody) != (E_NOINTERFACE, null_mut()) {
        return None;
    }
    let (result, below) = query(&interface("ID3D12ExtDummyInterface").get().iid);
    if result >= 0 {
        // SAFETY: the answer brought a reference.
        unsafe { com::release(below) };
    }
    Some(())
}

/// A layer that goes past us to the system's own library, and has objects of its own beside the program's.
fn raw(device: &Device) -> Option<()> {
    let function = kernel::function(c"C:\\windows\\system32\\d3d12.dll", c"D3D12CreateDevice")?;
    // SAFETY: the exported function of that name has this type.
    let create = unsafe { std::mem::transmute::<*const c_void, Create>(function) };
    let own = Device::new(create)?;
    (own.fence(11) == Some(11) && device.fence(12) == Some(12)).then_some(())
}

static ATTACHED: AtomicU64 = AtomicU64::new(0);

/// The loader calls this before the program begins, with its lock held, as it calls a DLL's `DllMain`.
#[used]
#[unsafe(link_section = ".CRT$XLD")]
static ATTACH: unsafe extern "system" fn(*mut c_void, u32, *mut c_void) = attach;

unsafe extern "system" fn attach(_module: *mut c_void, reason: u32, _reserved: *mut c_void) {
    const PROCESS_ATTACH: u32 = 1;
    if reason == PROCESS_ATTACH && std::env::var_os("WINDOWS_PROGRAM_ATTACH").is_some() {
        let made = crate::device::late().and_then(Device::new).and_then(|device| device.fence(5));
        ATTACHED.store(u64::from(made == Some(5)), Ordering::Release);
    }
}
