//! `presents`: swap chains of the queue's own factory (`IDXGIVkSwapChainFactory`) on a surface without a window, as native programs
//! written for vkd3d-proton present: the program makes the surface, buffers go round, properties change, and frame latency is an event.
//!
//! Every frame is a picture of its own, which is read back before it is presented.

use super::Program;
use crate::com::{Com, Null, attempt, call, create};
use crate::descriptor::Heap;
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::picture::{Area, Picture};
use crate::stage::Stage;
use crate::texel::texels;
use crate::texture::{Texture, flat};
use core::ffi::{c_char, c_void};
use core::sync::atomic::{AtomicU32, Ordering};
use reprise_d3d12::abi::Convention;
use reprise_d3d12::library::{Library, Scope};
use reprise_d3d12::model::{Guid, InterfaceId, MethodId};
use reprise_d3d12::types::*;
use reprise_d3d12::{interface, method};

pub(super) const PROGRAM: Program =
    Program { name: "presents", about: "swap chains of the queue's factory, on a surface without a window", run };

const WAITABLE: u32 = 0x40;
const INVALID_CALL: u64 = 0x887a_0001;
const INVALID_ARGUMENT: u64 = 0x8007_0057;
const TEST: u32 = 1;
const STATE: D3D12_RESOURCE_STATES = D3D12_RESOURCE_STATES::PRESENT;

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let chain = Chain::new(stage, &desc(64, 48, 3))?;
    let (mut list, mut digest) = (List::direct(&stage.device)?, Digest::new());
    chain.settings()?;
    let frames = stage.frames(7);
    chain.frames(stage, &mut list, &mut digest, 0..frames)?;
    chain.change(&desc(40, 56, 2))?;
    chain.frames(stage, &mut list, &mut digest, frames..2 * frames)?;
    chain.counts(stage, 2 * frames)?;
    Ok(digest)
}

pub(super) fn desc(width: u32, height: u32, buffers: u32) -> DXGI_SWAP_CHAIN_DESC1 {
    DXGI_SWAP_CHAIN_DESC1 {
        Width: width,
        Height: height,
        Format: DXGI_FORMAT::FORMAT_B8G8R8A8_UNORM,
        SampleDesc: DXGI_SAMPLE_DESC { Count: 1, Quality: 0 },
        // DXGI_USAGE_RENDER_TARGET_OUTPUT
        BufferUsage: 0x20,
        BufferCount: buffers,
        SwapEffect: DXGI_SWAP_EFFECT::FLIP_DISCARD,
        AlphaMode: DXGI_ALPHA_MODE::IGNORE,
        Flags: WAITABLE,
        ..Default::default()
    }
}

/// The swap chain, and what paces it.
pub(super) struct Chain {
    com: Com,
    /// Each present lets one more frame begin.
    #[cfg(unix)]
    event: std::fs::File,
}

impl Chain {
    pub(super) fn new(stage: &Stage, desc: &DXGI_SWAP_CHAIN_DESC1) -> Result<Self, Failure> {
        const FACTORY: InterfaceId = interface("IDXGIVkSwapChainFactory");
        let queue = &stage.queue.com;
        let factory = queue.query(FACTORY).ok_or_else(|| Failure::Cannot("queues make no swap chains".into()))?;
        let native = if cfg!(windows) { Convention::Win64 } else { Convention::SystemV };
        if queue.runtime().convention != native {
            return Err(Failure::Cannot("the library does not call this program's objects natively".into()));
        }
        let surfaces = Surfaces::new()?;
        let mut made: *mut c_void = core::ptr::null_mut();
        const CREATE: MethodId = method("IDXGIVkSwapChainFactory", "CreateSwapChain");
        let surfaces_com = surfaces.com(queue);
        let created = attempt!(
            factory,
            "IDXGIVkSwapChainFactory",
            "CreateSwapChain",
            &surfaces_com,
            &raw const *desc,
            &raw mut made
        );
        if surfaces.failed.load(Ordering::Relaxed) != 0 {
            return Err(Failure::Cannot("the library's Vulkan instance has no surfaces without windows".into()));
        }
        created?;
        drop(surfaces_com);
        let left = surfaces.references.load(Ordering::Relaxed);
        Failure::unless(left == 1, || format!("the library keeps {left} references to the surface factory"))?;
        // SAFETY: the call succeeded, so this is null or a swap chain with a reference for us.
        let com = unsafe { Com::new(queue.runtime(), interface("IDXGIVkSwapChain"), made) };
        let com = com.ok_or_else(|| Failure::Wrong(format!("{} succeeds and gives nothing", CREATE.get().name)))?;
        let event = call!(com, "IDXGIVkSwapChain", "GetFrameLatencyEvent");
        Failure::unless(event != 0, || "a chain with a waitable object gives none".into())?;
        #[cfg(unix)]
        // SAFETY: a descriptor that the library made for this program.
        let event = unsafe { std::os::fd::FromRawFd::from_raw_fd(event as i32) };
        Ok(Self {
            com,
            #[cfg(unix)]
            event,
        })
    }

    /// Waits until another frame may begin.
    fn wait(&self) -> Result<(), Failure> {
        #[cfg(unix)]
        {
            use std::io::Read;
            let mut word = [0; 8];
            let read =
                (&self.event).read_exact(&mut word).map_err(|error| Failure::Wrong(format!("the event: {error}")));
            read?;
            Failure::unless(u64::from_ne_bytes(word) == 1, || format!("the event counts {word:?} at once"))?;
        }
        Ok(())
    }

    /// What is asked and set before the first frame.
    fn settings(&self) -> Result<(), Failure> {
        let chain = &self.com;
        let expect = |what: &str, got: u64, expected: u64| {
            Failure::unless(got == expected, || format!("{what}: 0x{got:x} instead of 0x{expected:x}"))
        };
        expect("frame latency", call!(chain, "IDXGIVkSwapChain", "GetFrameLatency"), 1)?;
        for (latency, expected) in [(0u32, INVALID_CALL), (17, INVALID_CALL), (2, 0)] {
            expect("SetFrameLatency", call!(chain, "IDXGIVkSwapChain", "SetFrameLatency", latency), expected)?;
        }
        expect("frame latency", call!(chain, "IDXGIVkSwapChain", "GetFrameLatency"), 2)?;
        // The first frame of the two that may be under way.
        self.wait()?;
        let srgb = DXGI_COLOR_SPACE_TYPE::RGB_FULL_G22_NONE_P709.0;
        let video = DXGI_COLOR_SPACE_TYPE::YCBCR_FULL_G22_LEFT_P709.0;
        expect("sRGB", call!(chain, "IDXGIVkSwapChain", "CheckColorSpaceSupport", srgb), 1)?;
        expect("video", call!(chain, "IDXGIVkSwapChain", "CheckColorSpaceSupport", video), 0)?;
        expect("sRGB", call!(chain, "IDXGIVkSwapChain", "SetColorSpace", srgb), 0)?;
        expect("video", call!(chain, "IDXGIVkSwapChain", "SetColorSpace", video), INVALID_ARGUMENT)?;
        expect("a test", call!(chain, "IDXGIVkSwapChain", "Present", 0u32, TEST, Null), 0)
    }

    /// Renders, reads and presents frames of these numbers.
    pub(super) fn frames(
        &self,
        stage: &Stage,
        list: &mut List,
        digest: &mut Digest,
        numbers: std::ops::Range<u32>,
    ) -> Result<(), Failure> {
        let chain = &self.com;
        let mut desc = DXGI_SWAP_CHAIN_DESC1::default();
        attempt!(chain, "IDXGIVkSwapChain", "GetDesc", &raw mut desc)?;
        let heap = Heap::new(&stage.device, D3D12_DESCRIPTOR_HEAP_TYPE::RTV, 1, false)?;
        let mut before = None;
        for number in numbers {
            let index = call!(chain, "IDXGIVkSwapChain", "GetImageIndex") as u32;
            let next = before.map_or(index, |before| (before + 1) % desc.BufferCount);
            Failure::unless(index == next && index < desc.BufferCount, || format!("buffer {index} after {before:?}"))?;
            before = Some(index);
            let image = create!(chain, "IDXGIVkSwapChain", "GetImage", index; "ID3D12Resource")?;
            let texture = Texture::from_com(&stage.device, image, &flat(desc.Format, desc.Width, desc.Height), 1)?;
            let view = heap.cpu(0);
            call!(stage.device.com, "ID3D12Device", "CreateRenderTargetView", &texture.com, Null, view.ptr);
            // Each frame has a ground and a bar of its own, of colours that eight bits hold.
            let bar = Area::at(number % desc.Width, 3, 5, 20).within(Area::at(0, 0, desc.Width, desc.Height));
            let (ground, mark) = ([0, number as u8, 255, 255], [255, 0, number as u8 * 2, 255]);
            let colour = |bgra: [u8; 4]| [2, 1, 0, 3].map(|at: usize| f32::from(bgra[at]) / 255.0);
            let target = D3D12_RESOURCE_STATES::RENDER_TARGET;
            list.transition(&texture.com, STATE, target);
            list.clear_view(view, colour(ground), &[]);
            list.clear_view(view, colour(mark), &[bar]);
            list.transition(&texture.com, target, STATE);
            let got = texture.read(stage, list, STATE)?;
            let mut expected = Picture::new(desc.Width, desc.Height, ground);
            expected.fill(bar, mark);
            expected.check(&format!("frame {number}"), &texels(&got[0]))?;
            digest.add(&got[0]);
            drop(texture);
            attempt!(chain, "IDXGIVkSwapChain", "Present", number % 3, 0u32, Null)?;
            self.wait()?;
        }
        Ok(())
    }

    /// Asks for other buffers, which no one may hold then.
    fn change(&self, desc: &DXGI_SWAP_CHAIN_DESC1) -> Result<(), Failure> {
        let chain = &self.com;
        let ask = || call!(chain, "IDXGIVkSwapChain", "ChangeProperties", &raw const *desc, Null, Null);
        let held = create!(chain, "IDXGIVkSwapChain", "GetImage", 0u32; "ID3D12Resource")?;
        let refused = ask();
        Failure::unless(refused == INVALID_CALL, || format!("changed to 0x{refused:x} while a buffer is held"))?;
        drop(held);
        let changed = ask();
        Failure::unless(changed == 0, || format!("ChangeProperties answers 0x{changed:x}"))?;
        let mut got = DXGI_SWAP_CHAIN_DESC1::default();
        attempt!(chain, "IDXGIVkSwapChain", "GetDesc", &raw mut got)?;
        let size = [got.Width, got.Height, got.BufferCount];
        Failure::unless_equal("the new description", &size, &[desc.Width, desc.Height, desc.BufferCount])
    }

    /// Every frame is counted, when it was presented and when it was done.
    fn counts(&self, stage: &Stage, frames: u32) -> Result<(), Failure> {
        const NEWEST: InterfaceId = interface("IDXGIVkSwapChain2");
        let newest = self.com.query(NEWEST).ok_or_else(|| Failure::Wrong("there is no IDXGIVkSwapChain2".into()))?;
        call!(newest, "IDXGIVkSwapChain2", "SetTargetFrameRate", 0f64);
        let mut presented = 0u64;
        call!(newest, "IDXGIVkSwapChain1", "GetLastPresentCount", &raw mut presented);
        Failure::unless(presented == frames.into(), || format!("{presented} presents of {frames}"))?;
        stage.queue.finish()?;
        let mut statistics = DXGI_VK_FRAME_STATISTICS::default();
        for _ in 0..1000 {
            call!(newest, "IDXGIVkSwapChain1", "GetFrameStatistics", &raw mut statistics);
            if statistics.PresentCount == u64::from(frames) {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        let DXGI_VK_FRAME_STATISTICS { PresentCount: done, PresentQPCTime: time } = statistics;
        Failure::unless(done == frames.into() && time > 0, || format!("{done} frames of {frames} are done, at {time}"))
    }
}

/// An object of the program, which makes surfaces: an `IDXGIVkSurfaceFactory`.
#[repr(C)]
struct Surfaces {
    vtable: *const Vtable,
    references: AtomicU32,
    /// Whether a surface could not be made.
    failed: AtomicU32,
    find: Find,
}

#[repr(C)]
struct Vtable {
    query: unsafe extern "C" fn(*mut Surfaces, *const Guid, *mut *mut c_void) -> i32,
    add: unsafe extern "C" fn(*mut Surfaces) -> u32,
    release: unsafe extern "C" fn(*mut Surfaces) -> u32,
    create: unsafe extern "C" fn(*mut Surfaces, *mut c_void, *mut c_void, *mut u64) -> i32,
}

/// `vkGetInstanceProcAddr`.
type Find = unsafe extern "C" fn(*mut c_void, *const c_char) -> *const c_void;

static VTABLE: Vtable = Vtable { query, add, release, create: create_surface };

impl Surfaces {
    /// Lives as long as the process: a library that keeps it too long must not find other memory.
    fn new() -> Result<&'static Self, Failure> {
        let names = ["libvulkan.so.1", "vulkan-1.dll"].map(str::to_owned);
        let (_, vulkan) = Library::open_first(&names, Scope::Local).map_err(Failure::Cannot)?;
        let find = vulkan.symbol("vkGetInstanceProcAddr");
        let find = find.ok_or_else(|| Failure::Cannot("Vulkan's loader has no vkGetInstanceProcAddr".into()))?;
        // SAFETY: the function of this name has this type.
        let find = unsafe { core::mem::transmute::<*const c_void, Find>(find) };
        let (references, failed) = (AtomicU32::new(1), AtomicU32::new(0));
        Ok(Box::leak(Box::new(Self { vtable: &VTABLE, references, failed, find })))
    }

    /// As the library gets it, with a reference.
    fn com(&'static self, queue: &Com) -> Com {
        self.references.fetch_add(1, Ordering::Relaxed);
        let pointer = core::ptr::from_ref(self).cast_mut().cast();
        // SAFETY: an object of this interface, by the library's convention, with a reference for it.
        let com = unsafe { Com::new(queue.runtime(), interface("IDXGIVkSurfaceFactory"), pointer) };
        com.unwrap_or_else(|| unreachable!("a reference is not null"))
    }
}

unsafe extern "C" fn query(this: *mut Surfaces, iid: *const Guid, out: *mut *mut c_void) -> i32 {
    // SAFETY: the object lives as long as the process; the library passes an id and a place.
    unsafe {
        let known = ["IUnknown", "IDXGIVkSurfaceFactory"].map(|name| interface(name).get().iid);
        if !known.contains(&*iid) {
            return 0x8000_4002_u32 as i32;
        }
        add(this);
        out.write(this.cast());
    }
    0
}

unsafe extern "C" fn add(this: *mut Surfaces) -> u32 {
    // SAFETY: the object lives as long as the process.
    unsafe { &*this }.references.fetch_add(1, Ordering::Relaxed) + 1
}

unsafe extern "C" fn release(this: *mut Surfaces) -> u32 {
    // SAFETY: the object lives as long as the process.
    unsafe { &*this }.references.fetch_sub(1, Ordering::Relaxed) - 1
}

/// `VkHeadlessSurfaceCreateInfoEXT`.
#[repr(C)]
struct CreateInfo {
    kind: i32,
    next: *const c_void,
    flags: u32,
}

unsafe extern "C" fn create_surface(
    this: *mut Surfaces,
    instance: *mut c_void,
    _adapter: *mut c_void,
    out: *mut u64,
) -> i32 {
    const STRUCTURE: i32 = 1_000_256_000;
    const NOT_PRESENT: i32 = -7;
    type Create = unsafe extern "C" fn(*mut c_void, *const CreateInfo, *const c_void, *mut u64) -> i32;
    // SAFETY: the object lives as long as the process; the instance is the library's, and the place its own; the function of this
    // name has this type.
    unsafe {
        let this = &*this;
        let create = (this.find)(instance, c"vkCreateHeadlessSurfaceEXT".as_ptr());
        if create.is_null() {
            this.failed.store(1, Ordering::Relaxed);
            return NOT_PRESENT;
        }
        let create = core::mem::transmute::<*const c_void, Create>(create);
        let info = CreateInfo { kind: STRUCTURE, next: core::ptr::null(), flags: 0 };
        create(instance, &raw const info, core::ptr::null(), out)
    }
}

// SAFETY: the vtable is constant, the counts are atomic.
unsafe impl Sync for Surfaces {}
