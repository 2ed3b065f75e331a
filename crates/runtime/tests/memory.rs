//! Heaps, resources and their sizes, called the way a C program does; where libvkd3d answers the same question, its answer
//! is the expectation. Needs a Vulkan 1.3 driver (lavapipe does).
#![allow(clippy::unwrap_used)]
#![cfg(unix)]

use core::ffi::c_void;
use core::ptr::{null, null_mut};

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use reprise_com::result::*;
use reprise_d3d12::abi::{Convention, call};
use reprise_d3d12::model::Guid;
use reprise_d3d12::types::*;
use reprise_d3d12::{description, interface, method};

/// A COM pointer with its reference, and how its methods are called.
struct Com {
    object: *mut c_void,
    convention: Convention,
}

impl Com {
    /// Calls a method with one word per parameter.
    fn call(&self, owner: &str, name: &str, words: &[u64]) -> u64 {
        let method = method(owner, name).get();
        // SAFETY: the object has the interface; the words are the method's.
        unsafe {
            let function = *(*self.object.cast::<*const *const c_void>()).add(method.slot.into());
            call(self.convention, function, Some(self.object), words, method)
        }
    }

    /// As [`Com::call`], of a method that gives a result code.
    fn result(&self, owner: &str, name: &str, words: &[u64]) -> i32 {
        self.call(owner, name, words) as u32 as i32
    }

    fn adopt(&self, object: *mut c_void) -> Com {
        Com { object, convention: self.convention }
    }
}

impl Drop for Com {
    fn drop(&mut self) {
        self.call("IUnknown", "Release", &[]);
    }
}

fn word<T>(place: &T) -> u64 {
    core::ptr::from_ref(place) as u64
}

fn iid(name: &str) -> u64 {
    word(&interface(name).get().iid)
}

fn ours() -> Com {
    let mut out = null_mut();
    // SAFETY: null is allowed.
    let made = unsafe { reprise_runtime::entry::device::create(core::ptr::null_mut(), false) };
    let made = made.expect("is there a Vulkan 1.3 driver?");
    // SAFETY: the place is writable.
    assert_eq!(unsafe { made.give(&interface("ID3D12Device").get().iid, &mut out) }, S_OK);
    Com { object: out, convention: Convention::SystemV }
}

/// Debian's libvkd3d; `None` where it is not installed.
fn vkd3d() -> Option<Com> {
    const PATH: &str = "/usr/lib/x86_64-linux-gnu/libvkd3d-utils.so.1";
    type Create = unsafe extern "win64" fn(*mut c_void, i32, *const Guid, *mut *mut c_void) -> i32;
    reprise_testing::require(reprise_testing::missing::file(&[PATH], "libvkd3d-utils1"))?;
    let mut out = null_mut();
    // SAFETY: a well-behaved library that stays loaded; the function has this shape.
    unsafe {
        let library = libc::dlopen(c"libvkd3d-utils.so.1".as_ptr(), libc::RTLD_NOW);
        let function = libc::dlsym(library, c"D3D12CreateDevice".as_ptr());
        assert!(!function.is_null());
        let create: Create = core::mem::transmute(function);
        assert_eq!(create(null_mut(), 0xb000, &interface("ID3D12Device").get().iid, &mut out), S_OK);
    }
    Some(Com { object: out, convention: Convention::Win64 })
}

fn buffer(size: u64) -> D3D12_RESOURCE_DESC {
    description::buffer(size, D3D12_RESOURCE_FLAGS::NONE)
}

fn heap_properties(kind: D3D12_HEAP_TYPE) -> D3D12_HEAP_PROPERTIES {
    D3D12_HEAP_PROPERTIES { Type: kind, ..Default::default() }
}

fn texture(width: u64, height: u32, format: DXGI_FORMAT, flags: D3D12_RESOURCE_FLAGS) -> D3D12_RESOURCE_DESC {
    D3D12_RESOURCE_DESC {
        Dimension: D3D12_RESOURCE_DIMENSION::TEXTURE2D,
        Width: width,
        Height: height,
        DepthOrArraySize: 1,
        MipLevels: 1,
        Format: format,
        SampleDesc: DXGI_SAMPLE_DESC { Count: 1, Quality: 0 },
        Flags: flags,
        ..Default::default()
    }
}

const RGBA: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM;
const NO_FLAGS: D3D12_RESOURCE_FLAGS = D3D12_RESOURCE_FLAGS::NONE;
const TARGET: D3D12_RESOURCE_FLAGS = D3D12_RESOURCE_FLAGS::ALLOW_RENDER_TARGET;
const COMMON: D3D12_RESOURCE_STATES = D3D12_RESOURCE_STATES::COMMON;
const READ: D3D12_RESOURCE_STATES = D3D12_RESOURCE_STATES::GENERIC_READ;
const DEST: D3D12_RESOURCE_STATES = D3D12_RESOURCE_STATES::COPY_DEST;

impl Com {
    fn committed(
        &self,
        heap: &D3D12_HEAP_PROPERTIES,
        desc: &D3D12_RESOURCE_DESC,
        state: D3D12_RESOURCE_STATES,
        clear: *const D3D12_CLEAR_VALUE,
    ) -> Result<Com, i32> {
        self.committed_with(heap, D3D12_HEAP_FLAGS::NONE, desc, state, clear)
    }

    fn committed_with(
        &self,
        heap: &D3D12_HEAP_PROPERTIES,
        flags: D3D12_HEAP_FLAGS,
        desc: &D3D12_RESOURCE_DESC,
        state: D3D12_RESOURCE_STATES,
        clear: *const D3D12_CLEAR_VALUE,
    ) -> Result<Com, i32> {
        let mut out: *mut c_void = null_mut();
        let flags = flags.0.into();
        let words =
            [word(heap), flags, word(desc), state.0.into(), clear as u64, iid("ID3D12Resource"), &raw mut out as u64];
        let result = self.result("ID3D12Device", "CreateCommittedResource", &words);
        if result == S_OK { Ok(self.adopt(out)) } else { Err(result) }
    }

    fn heap(&self, desc: &D3D12_HEAP_DESC) -> Result<Com, i32> {
        let mut out: *mut c_void = null_mut();
        let words = [word(desc), iid("ID3D12Heap"), &raw mut out as u64];
        let result = self.result("ID3D12Device", "CreateHeap", &words);
        if result == S_OK { Ok(self.adopt(out)) } else { Err(result) }
    }

    fn placed(
        &self,
        heap: &Com,
        offset: u64,
        desc: &D3D12_RESOURCE_DESC,
        state: D3D12_RESOURCE_STATES,
    ) -> Result<Com, i32> {
        let mut out: *mut c_void = null_mut();
        let words =
            [heap.object as u64, offset, word(desc), state.0.into(), 0, iid("ID3D12Resource"), &raw mut out as u64];
        let result = self.result("ID3D12Device", "CreatePlacedResource", &words);
        if result == S_OK { Ok(self.adopt(out)) } else { Err(result) }
    }

    fn desc(&self) -> D3D12_RESOURCE_DESC {
        let mut desc = D3D12_RESOURCE_DESC::default();
        self.call("ID3D12Resource", "GetDesc", &[&raw mut desc as u64]);
        desc
    }

    fn map(&self, subresource: u64) -> Result<*mut u8, i32> {
        let mut data: *mut u8 = null_mut();
        let result = self.result("ID3D12Resource", "Map", &[subresource, 0, &raw mut data as u64]);
        if result == S_OK { Ok(data) } else { Err(result) }
    }

    fn address(&self) -> u64 {
        self.call("ID3D12Resource", "GetGPUVirtualAddress", &[])
    }

    fn info(&self, descs: &[D3D12_RESOURCE_DESC]) -> (u64, u64) {
        let mut info = D3D12_RESOURCE_ALLOCATION_INFO::default();
        let words = [&raw mut info as u64, 0, descs.len() as u64, descs.as_ptr() as u64];
        self.call("ID3D12Device", "GetResourceAllocationInfo", &words);
        (info.SizeInBytes, info.Alignment)
    }

    /// Footprints as numbers: offset, format, width, height, depth, pitch, rows, row size each; then the total.
    fn footprints(&self, desc: &D3D12_RESOURCE_DESC, first: u32, count: u32, base: u64) -> (Vec<[u64; 8]>, u64) {
        let n = count as usize;
        let mut layouts = vec![D3D12_PLACED_SUBRESOURCE_FOOTPRINT::default(); n];
        let (mut rows, mut sizes, mut total) = (vec![0u32; n], vec![0u64; n], 0u64);
        let words = [
            word(desc),
            first.into(),
            count.into(),
            base,
            layouts.as_mut_ptr() as u64,
            rows.as_mut_ptr() as u64,
            sizes.as_mut_ptr() as u64,
            &raw mut total as u64,
        ];
        self.call("ID3D12Device", "GetCopyableFootprints", &words);
        let numbers = (0..n).map(|at| {
            let (offset, shape) = (layouts[at].Offset, layouts[at].Footprint);
            let format = u64::from(shape.Format.0 as u32);
            let [width, height, depth, pitch, rows] =
                [shape.Width, shape.Height, shape.Depth, shape.RowPitch, rows[at]].map(u64::from);
            [offset, format, width, height, depth, pitch, rows, sizes[at]]
        });
        (numbers.collect(), total)
    }
}

/// Always the same cases.
fn runner(cases: u32) -> TestRunner {
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    TestRunner::new_with_rng(Config { cases, failure_persistence: None, ..Config::default() }, rng)
}

#[test]
fn buffers_are_mapped_zeroed_and_addressed() {
    let device = ours();
    for (kind, state) in
        [(D3D12_HEAP_TYPE::UPLOAD, READ), (D3D12_HEAP_TYPE::READBACK, DEST), (D3D12_HEAP_TYPE::DEFAULT, COMMON)]
    {
        for size in [1, 256, 65536, 65537, 3 << 20] {
            let first = device.committed(&heap_properties(kind), &buffer(size), state, null()).unwrap();
            let second = device.committed(&heap_properties(kind), &buffer(size), state, null()).unwrap();
            let (a, b) = (first.address(), second.address());
            assert!(a != 0 && a.is_multiple_of(256) && a.abs_diff(b) >= size, "{a:#x} {b:#x}");
            let desc = first.desc();
            assert_eq!((desc.Width, desc.Alignment, desc.Flags), (size, 65536, NO_FLAGS));
            if kind == D3D12_HEAP_TYPE::DEFAULT {
                assert_eq!(first.map(0), Err(E_INVALIDARG));
                continue;
            }
            assert_eq!(first.map(1), Err(E_INVALIDARG));
            let place = first.map(0).unwrap();
            assert_eq!(first.map(0), Ok(place), "the same place again");
            // SAFETY: mapped, of that size.
            unsafe {
                assert!(core::slice::from_raw_parts(place, size as usize).iter().all(|byte| *byte == 0));
                place.write_bytes(0xab, size as usize);
                let other = core::slice::from_raw_parts(second.map(0).unwrap(), size as usize);
                assert!(other.iter().all(|byte| *byte == 0), "not the other's bytes");
            }
            first.call("ID3D12Resource", "Unmap", &[0, 0]);
        }
    }
}

#[test]
fn memory_given_back_is_zero_again() {
    let device = ours();
    let upload = heap_properties(D3D12_HEAP_TYPE::UPLOAD);
    // Keeps the chunk.
    let _other = device.committed(&upload, &buffer(4096), READ, null()).unwrap();
    let mut places = std::collections::BTreeSet::new();
    for round in 0..20 {
        let made = device.committed(&upload, &buffer(4096), READ, null()).unwrap();
        let place = made.map(0).unwrap();
        // SAFETY: mapped, of that size.
        unsafe {
            assert!(core::slice::from_raw_parts(place, 4096).iter().all(|byte| *byte == 0), "{round}");
            place.write_bytes(0xff, 4096);
        }
        places.insert(place);
    }
    assert!(places.len() < 20, "memory is used again, so that this test means something");
}

#[test]
fn what_the_api_refuses_is_refused() {
    use D3D12_HEAP_TYPE as Type;
    let device = ours();
    let clear = |format| D3D12_CLEAR_VALUE { Format: format, ..Default::default() };
    let refused = |kind, desc: &D3D12_RESOURCE_DESC, state, clear: Option<&D3D12_CLEAR_VALUE>| {
        let clear = clear.map_or(null(), core::ptr::from_ref);
        device.committed(&heap_properties(kind), desc, state, clear).err() == Some(E_INVALIDARG)
    };
    let uav = D3D12_RESOURCE_FLAGS::ALLOW_UNORDERED_ACCESS;
    let with = |mut desc: D3D12_RESOURCE_DESC, change: &dyn Fn(&mut D3D12_RESOURCE_DESC)| {
        change(&mut desc);
        desc
    };
    let plain = texture(32, 32, RGBA, NO_FLAGS);
    assert!(refused(Type::DEFAULT, &buffer(256), COMMON, Some(&clear(RGBA))), "buffers are not cleared to a value");
    assert!(refused(Type::DEFAULT, &plain, COMMON, Some(&clear(RGBA))), "only targets are");
    let target = texture(32, 32, RGBA, TARGET);
    assert!(refused(Type::DEFAULT, &target, COMMON, Some(&clear(DXGI_FORMAT::FORMAT_R32_FLOAT))));
    assert!(!refused(Type::DEFAULT, &target, COMMON, Some(&clear(RGBA))));
    for kind in [Type::UPLOAD, Type::READBACK] {
        let state = if kind == Type::UPLOAD { READ } else { DEST };
        assert!(refused(kind, &plain, state, None), "no textures there");
        assert!(refused(kind, &with(buffer(256), &|desc| desc.Flags = uav), state, None));
        let other = if kind == Type::UPLOAD { DEST } else { READ };
        assert!(refused(kind, &buffer(256), other, None), "the GPU only reads the one and only writes the other");
        assert!(!refused(kind, &buffer(256), COMMON, None));
    }
    assert!(refused(Type::DEFAULT, &plain, D3D12_RESOURCE_STATES::RENDER_TARGET, None));
    assert!(refused(Type::DEFAULT, &plain, D3D12_RESOURCE_STATES::UNORDERED_ACCESS, None));
    assert!(refused(Type::DEFAULT, &target, D3D12_RESOURCE_STATES(0x4 | 0x800), None), "written and read");
    assert!(refused(Type(0), &plain, COMMON, None));
    let changes: [&dyn Fn(&mut D3D12_RESOURCE_DESC); 14] = [
        &|desc| desc.Width = 0,
        &|desc| desc.Height = 0,
        &|desc| desc.DepthOrArraySize = 0,
        &|desc| (desc.Width, desc.Alignment) = (1024, 4096),
        &|desc| desc.Format = DXGI_FORMAT::FORMAT_UNKNOWN,
        &|desc| desc.Format = DXGI_FORMAT(4000),
        &|desc| desc.SampleDesc.Count = 0,
        &|desc| desc.SampleDesc.Count = 3,
        &|desc| desc.SampleDesc.Count = 4,
        &|desc| desc.Layout = D3D12_TEXTURE_LAYOUT::LAYOUT_ROW_MAJOR,
        &|desc| desc.Alignment = 3,
        &|desc| desc.Width = 1 << 40,
        &|desc| desc.Flags = D3D12_RESOURCE_FLAGS(TARGET.0 | D3D12_RESOURCE_FLAGS::ALLOW_DEPTH_STENCIL.0),
        &|desc| desc.Flags = D3D12_RESOURCE_FLAGS::DENY_SHADER_RESOURCE,
    ];
    assert!(!refused(Type::DEFAULT, &plain, COMMON, None));
    for (number, change) in changes.iter().enumerate() {
        assert!(refused(Type::DEFAULT, &with(plain, *change), COMMON, None), "{number}");
        assert_eq!(device.info(&[with(plain, *change)]), (u64::MAX, 65536), "{number}");
    }
    let changes: [&dyn Fn(&mut D3D12_RESOURCE_DESC); 8] = [
        &|desc| desc.Width = 0,
        &|desc| desc.Height = 2,
        &|desc| desc.DepthOrArraySize = 2,
        &|desc| desc.MipLevels = 0,
        &|desc| desc.Format = RGBA,
        &|desc| desc.SampleDesc.Count = 2,
        &|desc| desc.Layout = D3D12_TEXTURE_LAYOUT::LAYOUT_UNKNOWN,
        &|desc| desc.Alignment = 256,
    ];
    for (number, change) in changes.iter().enumerate() {
        assert!(refused(Type::DEFAULT, &with(buffer(256), *change), COMMON, None), "{number}");
    }
}

#[test]
fn a_texture_completes_its_description() {
    let device = ours();
    let default = heap_properties(D3D12_HEAP_TYPE::DEFAULT);
    let mut desc = texture(200, 70, RGBA, NO_FLAGS);
    desc.MipLevels = 0;
    let made = device.committed(&default, &desc, COMMON, null()).unwrap();
    assert_eq!((made.desc().MipLevels, made.desc().Alignment), (8, 65536));
    assert_eq!(made.address(), 0, "textures have no address");
    assert_eq!(made.map(0), Err(E_INVALIDARG));
    let (mut properties, mut flags) = (D3D12_HEAP_PROPERTIES::default(), 77u32);
    let words = [&raw mut properties as u64, &raw mut flags as u64];
    assert_eq!(made.result("ID3D12Resource", "GetHeapProperties", &words), S_OK);
    assert_eq!((properties.Type, flags), (D3D12_HEAP_TYPE::DEFAULT, 0));
}

#[test]
fn heaps_hold_what_they_say() {
    let device = ours();
    let desc = |size, flags| D3D12_HEAP_DESC {
        SizeInBytes: size,
        Properties: heap_properties(D3D12_HEAP_TYPE::UPLOAD),
        Alignment: 0,
        Flags: flags,
    };
    assert_eq!(device.heap(&desc(0, D3D12_HEAP_FLAGS::NONE)).err(), Some(E_INVALIDARG));
    let mut odd = desc(1 << 20, D3D12_HEAP_FLAGS::NONE);
    odd.Alignment = 4096;
    assert_eq!(device.heap(&odd).err(), Some(E_INVALIDARG));
    let heap = device.heap(&desc(1 << 20, D3D12_HEAP_FLAGS::ALLOW_ONLY_BUFFERS)).unwrap();
    let mut said = D3D12_HEAP_DESC::default();
    heap.call("ID3D12Heap", "GetDesc", &[&raw mut said as u64]);
    assert_eq!((said.SizeInBytes, said.Alignment, said.Flags.0), (1 << 20, 65536, 0xc0));
    // Two resources at the same bytes see each other's; the memory outlives the heap.
    let first = device.placed(&heap, 65536, &buffer(1000), READ).unwrap();
    let alias = device.placed(&heap, 65536, &buffer(65536), READ).unwrap();
    let beside = device.placed(&heap, 131072, &buffer(65536), READ).unwrap();
    assert_eq!(device.placed(&heap, 100, &buffer(1000), READ).err(), Some(E_INVALIDARG), "alignment");
    assert_eq!(device.placed(&heap, 983_040, &buffer(65537), READ).err(), Some(E_INVALIDARG), "too long");
    assert_eq!(device.placed(&heap, 1 << 20, &buffer(1), READ).err(), Some(E_INVALIDARG), "beyond");
    assert_eq!(device.placed(&heap, u64::MAX - 65535, &buffer(1 << 20), READ).err(), Some(E_INVALIDARG), "wraps");
    drop(heap);
    assert_eq!(first.address(), alias.address());
    assert_eq!(beside.address(), first.address() + 65536);
    // SAFETY: mapped, of at least these sizes.
    unsafe {
        first.map(0).unwrap().write_bytes(0x5a, 1000);
        let bytes = core::slice::from_raw_parts(alias.map(0).unwrap(), 65536);
        assert!(bytes[..1000].iter().all(|byte| *byte == 0x5a) && bytes[1000..].iter().all(|byte| *byte == 0));
    }
}

/// Flags of sharing refuse nothing; those of adapters belong to heap and resource alike, and hide both from the CPU.
#[test]
fn what_may_be_shared_is_made() {
    use {D3D12_HEAP_FLAGS as Heap, D3D12_HEAP_TYPE as Type};
    let device = ours();
    let across = Heap(Heap::SHARED.0 | Heap::SHARED_CROSS_ADAPTER.0);
    let plain = texture(64, 64, RGBA, TARGET);
    let crossing = D3D12_RESOURCE_FLAGS::ALLOW_CROSS_ADAPTER;
    let mut rows = texture(64, 64, RGBA, D3D12_RESOURCE_FLAGS(TARGET.0 | crossing.0));
    rows.Layout = D3D12_TEXTURE_LAYOUT::LAYOUT_ROW_MAJOR;
    let mut bytes = buffer(1000);
    bytes.Flags = crossing;
    let mut levels = rows;
    levels.MipLevels = 2;
    let mut unknown = rows;
    unknown.Layout = D3D12_TEXTURE_LAYOUT::LAYOUT_UNKNOWN;
    let cases = [
        (Type::DEFAULT, Heap::SHARED, plain, true),
        (Type::DEFAULT, across, rows, true),
        (Type::DEFAULT, across, bytes, true),
        (Type::DEFAULT, across, plain, false),
        (Type::DEFAULT, Heap::SHARED, rows, false),
        (Type::DEFAULT, across, levels, false),
        (Type::DEFAULT, across, unknown, false),
        (Type::READBACK, across, bytes, false),
    ];
    for (number, (kind, flags, desc, made)) in cases.iter().enumerate() {
        let properties = heap_properties(*kind);
        let resource = device.committed_with(&properties, *flags, desc, COMMON, null());
        assert_eq!(resource.as_ref().err(), if *made { None } else { Some(&E_INVALIDARG) }, "{number}");
        if let Ok(resource) = resource {
            assert_eq!((resource.desc().Flags, resource.desc().Layout), (desc.Flags, desc.Layout), "{number}");
        }
        let heap = D3D12_HEAP_DESC { SizeInBytes: 1 << 20, Properties: properties, Alignment: 0, Flags: *flags };
        let placed = device.heap(&heap).and_then(|heap| device.placed(&heap, 0, desc, COMMON));
        assert_eq!(placed.err(), if *made { None } else { Some(E_INVALIDARG) }, "{number}, placed");
    }
}

#[test]
fn textures_of_every_kind_are_placed_by_their_info() {
    let device = ours();
    let depth = D3D12_RESOURCE_FLAGS::ALLOW_DEPTH_STENCIL;
    let uav = D3D12_RESOURCE_FLAGS::ALLOW_UNORDERED_ACCESS;
    let mut descs = vec![
        texture(64, 64, RGBA, TARGET),
        texture(64, 64, DXGI_FORMAT::FORMAT_R32_TYPELESS, depth),
        texture(100, 30, DXGI_FORMAT::FORMAT_D24_UNORM_S8_UINT, depth),
        texture(100, 30, DXGI_FORMAT::FORMAT_D32_FLOAT_S8X24_UINT, depth),
        texture(256, 256, DXGI_FORMAT::FORMAT_BC1_UNORM, NO_FLAGS),
        texture(256, 256, DXGI_FORMAT::FORMAT_R8G8B8A8_TYPELESS, uav),
        texture(256, 256, DXGI_FORMAT::FORMAT_A8_UNORM, NO_FLAGS),
        buffer(12345),
    ];
    let mut samples = texture(64, 64, RGBA, TARGET);
    samples.SampleDesc.Count = 4;
    descs.push(samples);
    let mut volume = texture(16, 16, RGBA, TARGET);
    (volume.Dimension, volume.DepthOrArraySize, volume.MipLevels) = (D3D12_RESOURCE_DIMENSION::TEXTURE3D, 16, 0);
    descs.push(volume);
    let mut line = texture(300, 1, DXGI_FORMAT::FORMAT_R16G16B16A16_FLOAT, NO_FLAGS);
    (line.Dimension, line.DepthOrArraySize) = (D3D12_RESOURCE_DIMENSION::TEXTURE1D, 6);
    descs.push(line);
    let mut small = texture(16, 16, RGBA, NO_FLAGS);
    small.Alignment = 4096;
    descs.push(small);
    for (number, desc) in descs.iter().enumerate() {
        let (size, alignment) = device.info(&[*desc]);
        let expected = match number {
            8 => 4 << 20,
            11 => 4096,
            _ => 65536,
        };
        assert_eq!((alignment, size % alignment), (expected, 0), "{number}");
        let made = D3D12_HEAP_DESC {
            SizeInBytes: (2 * size).next_multiple_of(65536),
            Properties: heap_properties(D3D12_HEAP_TYPE::DEFAULT),
            Alignment: alignment.max(65536),
            ..Default::default()
        };
        let heap = device.heap(&made).unwrap();
        for offset in [0, size] {
            device.placed(&heap, offset, desc, COMMON).unwrap_or_else(|error| panic!("{number}: {error:#x}"));
        }
        device
            .committed(&heap_properties(D3D12_HEAP_TYPE::DEFAULT), desc, COMMON, null())
            .unwrap_or_else(|error| panic!("{number}: {error:#x}"));
    }
    let (all, alignment) = device.info(&descs);
    assert!(all > 8 << 20 && alignment == 4 << 20, "{all} {alignment}");
}

/// Writes through boxes and reads back, against an array.
#[test]
fn texels_are_written_and_read_in_place() {
    let device = ours();
    let custom = D3D12_HEAP_PROPERTIES {
        Type: D3D12_HEAP_TYPE::CUSTOM,
        CPUPageProperty: D3D12_CPU_PAGE_PROPERTY::WRITE_BACK,
        MemoryPoolPreference: D3D12_MEMORY_POOL::L0,
        ..Default::default()
    };
    let texture = device.committed(&custom, &texture(40, 24, RGBA, NO_FLAGS), COMMON, null()).unwrap();
    assert_eq!(texture.map(0), Err(E_INVALIDARG), "no address of an unknown layout");
    assert_eq!(texture.result("ID3D12Resource", "Map", &[0, 0, 0]), S_OK);
    let model = std::cell::RefCell::new(vec![0u32; 40 * 24]);
    let strategy = (0u32..40, 0u32..24, 1u32..40, 1u32..24, any::<u32>());
    runner(64)
        .run(&strategy, |(left, top, width, height, seed)| {
            let (right, bottom) = ((left + width).min(40), (top + height).min(24));
            let within = D3D12_BOX { left, top, front: 0, right, bottom, back: 1 };
            let source: Vec<u32> = (0..(right - left) * (bottom - top)).map(|at| seed.wrapping_add(at)).collect();
            let pitch = u64::from(right - left) * 4;
            let words = [0, word(&within), source.as_ptr() as u64, pitch, 0];
            prop_assert_eq!(texture.result("ID3D12Resource", "WriteToSubresource", &words), S_OK);
            for y in top..bottom {
                for x in left..right {
                    // The same texture for all cases, so the model is, too.
                    let at = (y - top) * (right - left) + (x - left);
                    model.borrow_mut()[(y * 40 + x) as usize] = source[at as usize];
                }
            }
            let mut back = vec![0u32; 40 * 24];
            let words = [back.as_mut_ptr() as u64, 160, 0, 0, 0];
            prop_assert_eq!(texture.result("ID3D12Resource", "ReadFromSubresource", &words), S_OK);
            prop_assert_eq!(&back, &*model.borrow());
            Ok(())
        })
        .unwrap();
    let outside = D3D12_BOX { left: 0, top: 0, front: 0, right: 41, bottom: 1, back: 1 };
    let mut row = [0u32; 64];
    let words = [row.as_mut_ptr() as u64, 256, 0, 0, word(&outside)];
    assert_eq!(texture.result("ID3D12Resource", "ReadFromSubresource", &words), E_INVALIDARG);
}

/// What a description is made of: dimension, width, height, layers, mip levels, format.
type Numbers = (i32, u64, u32, u16, u16, i32);

/// Descriptions that both runtimes accept, and subresources that may be too many. libvkd3d knows neither planes nor some packed
/// formats, nor counts it mip levels.
fn descriptions() -> impl Strategy<Value = Numbers> {
    let unknown = |format: &i32| !matches!(format, 19..=22 | 44..=47 | 66..=69 | 85 | 86 | 89);
    let dimension = prop_oneof![Just(1), Just(2), Just(3), Just(3), Just(4)];
    let format = (1i32..100).prop_filter("not in libvkd3d", unknown);
    (dimension, 1u64..600, 1u32..300, 1u16..9, 0u16..6, format)
        .prop_filter("volumes have no depth", |(dimension, .., format)| *dimension != 4 || !matches!(format, 40 | 55))
}

fn describe((kind, width, height, layers, mips, format): Numbers) -> D3D12_RESOURCE_DESC {
    let dimension = D3D12_RESOURCE_DIMENSION(kind);
    if dimension == D3D12_RESOURCE_DIMENSION::BUFFER {
        return buffer(width * u64::from(height));
    }
    let line = dimension == D3D12_RESOURCE_DIMENSION::TEXTURE1D;
    let mut desc = texture(width, if line { 1 } else { height }, DXGI_FORMAT(format), NO_FLAGS);
    if (70..85).contains(&format) || (94..100).contains(&format) {
        (desc.Width, desc.Height) = (desc.Width.next_multiple_of(4), desc.Height.next_multiple_of(4));
    }
    let depth = if dimension == D3D12_RESOURCE_DIMENSION::TEXTURE3D { layers } else { 1 };
    let chain = desc.Width.max(desc.Height.into()).max(depth.into()).ilog2() as u16 + 1;
    (desc.Dimension, desc.DepthOrArraySize, desc.MipLevels) = (dimension, layers, mips % chain + 1);
    desc
}

#[test]
fn footprints_are_as_libvkd3d_has_them() {
    let (Some(theirs), ours) = (vkd3d(), ours()) else { return };
    let compared = std::cell::Cell::new(0);
    runner(3000)
        .run(&(descriptions(), 0u32..3, 1u32..12, 0u64..3), |(numbers, first, count, base)| {
            let (desc, base) = (describe(numbers), base * 512);
            let (expected, found) =
                (theirs.footprints(&desc, first, count, base), ours.footprints(&desc, first, count, base));
            prop_assert_eq!(&found, &expected);
            if found.1 != u64::MAX {
                compared.set(compared.get() + 1);
            }
            Ok(())
        })
        .unwrap();
    assert!(compared.get() > 1200, "{}", compared.get());
}

#[test]
fn sizes_in_heaps_are_as_libvkd3d_has_them() {
    let (Some(theirs), ours) = (vkd3d(), ours()) else { return };
    let compared = std::cell::Cell::new(0);
    runner(1000)
        .run(&descriptions(), |numbers| {
            let desc = describe(numbers);
            let (expected, found) = (theirs.info(&[desc]), ours.info(&[desc]));
            prop_assert_eq!(found, expected);
            if found.0 != u64::MAX {
                compared.set(compared.get() + 1);
            }
            Ok(())
        })
        .unwrap();
    assert!(compared.get() > 900, "{}", compared.get());
}

#[test]
fn residency_is_answered() {
    let device = ours();
    let made = device.committed(&heap_properties(D3D12_HEAP_TYPE::DEFAULT), &buffer(64), COMMON, null()).unwrap();
    let objects = [made.object, null_mut()];
    for name in ["MakeResident", "Evict"] {
        assert_eq!(device.result("ID3D12Device", name, &[1, objects.as_ptr() as u64]), S_OK);
        assert_eq!(device.result("ID3D12Device", name, &[2, objects.as_ptr() as u64]), E_INVALIDARG);
    }
    let mut properties = D3D12_HEAP_PROPERTIES::default();
    for kind in [D3D12_HEAP_TYPE::DEFAULT, D3D12_HEAP_TYPE::UPLOAD, D3D12_HEAP_TYPE::READBACK] {
        let words = [&raw mut properties as u64, 0, kind.0 as u64];
        device.call("ID3D12Device", "GetCustomHeapProperties", &words);
        assert_eq!(properties.Type, D3D12_HEAP_TYPE::CUSTOM);
        device.committed(&properties, &buffer(64), COMMON, null()).unwrap();
    }
}
