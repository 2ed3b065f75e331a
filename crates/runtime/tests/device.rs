//! The device, used the way a C program uses it: through its vtable. Needs a Vulkan 1.3 driver (lavapipe does).
#![allow(clippy::unwrap_used)]

use core::ffi::c_void;
use core::ptr::{null, null_mut};

use reprise_com::result::*;
use reprise_d3d12::model::Guid;
use reprise_d3d12::types::*;
use reprise_d3d12::{interface, method};
use reprise_runtime::entry;

/// Serialises the tests: they count references of the one device of the process.
static ALONE: std::sync::Mutex<()> = std::sync::Mutex::new(());

type Count = unsafe extern "C" fn(*mut c_void) -> u32;
type Query = unsafe extern "C" fn(*mut c_void, *const Guid, *mut *mut c_void) -> i32;

/// A method's function as the type that a C program sees.
///
/// # Safety
/// `F` is the method's type, `object` has the interface.
unsafe fn slot<F: Copy>(object: *mut c_void, owner: &str, name: &str) -> F {
    let slot = usize::from(method(owner, name).get().slot);
    // SAFETY: the caller promises: `F` is the method's type, `object` has the interface.
    unsafe { core::mem::transmute_copy(&*(*object.cast::<*const *const c_void>()).add(slot)) }
}

fn release(object: *mut c_void) -> u32 {
    // SAFETY: every object has it.
    unsafe { slot::<Count>(object, "IUnknown", "Release")(object) }
}

fn query(object: *mut c_void, name: &str) -> (i32, *mut c_void) {
    let mut out = object;
    // SAFETY: every object has it.
    let result =
        unsafe { slot::<Query>(object, "IUnknown", "QueryInterface")(object, &interface(name).get().iid, &mut out) };
    (result, out)
}

fn device() -> *mut c_void {
    let mut out = null_mut();
    // SAFETY: no adapter is named, the id is of the model and lives as long as the process, and the place is a local.
    let made = unsafe {
        entry::create_device(null_mut(), D3D_FEATURE_LEVEL::LEVEL_11_0, &interface("ID3D12Device").get().iid, &mut out)
    };
    assert_eq!(made, S_OK, "is there a Vulkan 1.3 driver?");
    out
}

/// Asks about a feature.
fn check<T>(device: *mut c_void, feature: D3D12_FEATURE, data: &mut T, size: usize) -> i32 {
    type Check = unsafe extern "C" fn(*mut c_void, D3D12_FEATURE, *mut c_void, u32) -> i32;
    // SAFETY: the structure is as large as said, or the call fails for that.
    unsafe {
        slot::<Check>(device, "ID3D12Device", "CheckFeatureSupport")(
            device,
            feature,
            core::ptr::from_mut(data).cast(),
            size as u32,
        )
    }
}

#[test]
fn there_is_one_device_for_an_adapter() {
    let _alone = ALONE.lock();
    let first = device();
    assert_eq!(device(), first);
    // SAFETY: calls as a program makes them.
    unsafe {
        assert_eq!(slot::<Count>(first, "ID3D12Device", "GetNodeCount")(first), 1);
        let removed: unsafe extern "C" fn(*mut c_void) -> i32 = slot(first, "ID3D12Device", "GetDeviceRemovedReason");
        assert_eq!(removed(first), S_OK);
        let mut luid = LUID { LowPart: 7, HighPart: 7 };
        let get: unsafe extern "C" fn(*mut c_void, *mut LUID) -> *mut LUID =
            slot(first, "ID3D12Device", "GetAdapterLuid");
        assert_eq!(get(first, &mut luid), &raw mut luid, "the place is given back");
    }
    assert_eq!((release(first), release(first)), (1, 0));
    // Made anew, with everything that belongs to it.
    let again = device();
    assert_eq!(release(again), 0);
}

#[test]
fn a_removed_device_is_not_found_again() {
    let _alone = ALONE.lock();
    let first = device();
    // SAFETY: calls as a program makes them.
    unsafe {
        let (result, newest) = query(first, "ID3D12Device5");
        assert_eq!((result, newest), (S_OK, first));
        slot::<unsafe extern "C" fn(*mut c_void)>(first, "ID3D12Device5", "RemoveDevice")(first);
        let removed: unsafe extern "C" fn(*mut c_void) -> i32 = slot(first, "ID3D12Device", "GetDeviceRemovedReason");
        assert_eq!(removed(first), DXGI_ERROR_DEVICE_REMOVED);
        let mut out = null_mut();
        let iid = &interface("ID3D12Device").get().iid;
        let made = entry::create_device(null_mut(), D3D_FEATURE_LEVEL::LEVEL_11_0, iid, &mut out);
        assert_eq!((made, out), (DXGI_ERROR_DEVICE_REMOVED, null_mut()));
    }
    assert_eq!((release(first), release(first)), (1, 0));
    assert_eq!(release(device()), 0, "a new one when the removed one is gone");
}

#[test]
fn creation_refuses_what_the_api_refuses() {
    let _alone = ALONE.lock();
    let iid = &interface("ID3D12Device").get().iid;
    let mut out = null_mut();
    // SAFETY: no adapter is named but null, ids live as long as the process, and each place is null or a local.
    unsafe {
        for level in [0, -1, 0x9100, 0xa000, 0xb001] {
            assert_eq!(
                entry::create_device(null_mut(), D3D_FEATURE_LEVEL(level), iid, &mut out),
                E_INVALIDARG,
                "{level:#x}"
            );
        }
        let level = D3D_FEATURE_LEVEL::LEVEL_11_0;
        for asked in [null(), &raw const *iid, &interface("ID3D12DeviceChild").get().iid] {
            assert_eq!(entry::create_device(null_mut(), level, asked, null_mut()), S_FALSE, "a question only");
        }
        let other = &interface("ID3D12Fence").get().iid;
        assert_eq!(entry::create_device(null_mut(), level, other, &mut out), E_NOINTERFACE);
        assert!(out.is_null());
        assert_eq!(entry::create_device(null_mut(), level, null(), &mut out), E_INVALIDARG);
    }
}

#[test]
fn every_version_of_the_interface_is_the_device() {
    let _alone = ALONE.lock();
    let device = device();
    for name in ["IUnknown", "ID3D12Object", "ID3D12Device"]
        .map(str::to_owned)
        .into_iter()
        .chain((1..=15).map(|n| format!("ID3D12Device{n}")))
    {
        assert_eq!(query(device, &name), (S_OK, device), "{name}");
        release(device);
    }
    for name in ["ID3D12DeviceChild", "ID3D12Pageable", "ID3D12Resource", "ID3D12InfoQueue"] {
        assert_eq!(query(device, name), (E_NOINTERFACE, null_mut()), "{name}");
    }
    assert_eq!(release(device), 0);
}

/// Every feature that the model knows and this runtime answers: right size works, any other size does not.
#[test]
fn features_want_their_own_size() {
    let _alone = ALONE.lock();
    let device = device();
    let mut answered = 0;
    for number in 0..80 {
        let feature = D3D12_FEATURE(number);
        // All bytes zero is a valid question for those that answer at all.
        let mut data = [0u64; 64];
        let sizes: Vec<usize> = (0..=256).filter(|size| check(device, feature, &mut data, *size) == S_OK).collect();
        assert!(sizes.len() <= 1, "feature {number} has one size: {sizes:?}");
        answered += sizes.len();
    }
    // Those that want a question that is not zero: feature levels, shader model, root signature, and formats.
    assert!(answered >= 38, "{answered}");
    assert_eq!(release(device), 0);
}

/// Which lists may put textures into a layout, by "Command Queue Layout Compatibility" of the API's specification of enhanced barriers.
#[test]
fn layouts_belong_to_kinds_of_lists() {
    let _alone = ALONE.lock();
    let device = device();
    const DIRECT: i32 = D3D12_COMMAND_LIST_TYPE::DIRECT.0;
    const COMPUTE: i32 = D3D12_COMMAND_LIST_TYPE::COMPUTE.0;
    // The last is of direct lists and compute lists, though its name says only what a direct list does with it.
    let both = [1, 3, 6, 7, 8, 31];
    let direct = [2, 4, 5, 9, 10, 11, 18, 19, 20, 21, 22, 23];
    let compute = [24, 25, 26, 27, 28, 29];
    for layout in -2..=100 {
        for list in [DIRECT, COMPUTE, D3D12_COMMAND_LIST_TYPE::COPY.0] {
            let expected = layout == 0
                || (both.contains(&layout) && (list == DIRECT || list == COMPUTE))
                || (direct.contains(&layout) && list == DIRECT)
                || (compute.contains(&layout) && list == COMPUTE);
            let mut data = D3D12_FEATURE_DATA_BARRIER_LAYOUT {
                CommandListType: D3D12_COMMAND_LIST_TYPE(list),
                Layout: D3D12_BARRIER_LAYOUT(layout),
                Supported: -1,
            };
            assert_eq!(check(device, D3D12_FEATURE::BARRIER_LAYOUT, &mut data, 12), S_OK);
            assert_eq!(data.Supported, i32::from(expected), "layout {layout}, lists of kind {list}");
        }
    }
    assert_eq!(release(device), 0);
}

/// What programs of shader models 6.9 and 6.10 ask for is answered, also where the answer is no.
#[test]
fn newer_shader_models_have_their_answers() {
    let _alone = ALONE.lock();
    let device = device();
    let mut options22 =
        D3D12_FEATURE_DATA_D3D12_OPTIONS22 { ShaderExecutionReorderingActuallyReorders: 1, ..Default::default() };
    assert_eq!(check(device, D3D12_FEATURE::D3D12_OPTIONS22, &mut options22, 16), S_OK);
    assert_eq!((options22.ShaderExecutionReorderingActuallyReorders, options22.CreateByteOffsetViewsSupported), (0, 0));
    // The least that the proposal of shader model 6.10 allows.
    let mut preview = D3D12_FEATURE_DATA_D3D12_OPTIONS_PREVIEW { UAVOfDepthStencilSupported: 1, ..Default::default() };
    assert_eq!(check(device, D3D12_FEATURE::D3D12_OPTIONS_PREVIEW, &mut preview, 20), S_OK);
    let shared = [
        preview.MaxGroupSharedMemoryPerGroupCS,
        preview.MaxGroupSharedMemoryPerGroupAS,
        preview.MaxGroupSharedMemoryPerGroupMS,
    ];
    assert_eq!(
        (shared, preview.UAVOfDepthStencilSupported, preview.D32S8Interleaved),
        ([32_768, 32_768, 28_672], 0, 0)
    );
    // Shaders of DXC's without a checksum are taken.
    let mut bypass = D3D12_FEATURE_DATA_BYTECODE_BYPASS_HASH_SUPPORTED::default();
    assert_eq!(check(device, D3D12_FEATURE::BYTECODE_BYPASS_HASH_SUPPORTED, &mut bypass, 4), S_OK);
    assert_eq!(bypass.Supported, 1);
    // The newest shader model is a question, and no more than there is comes back.
    let mut model = D3D12_FEATURE_DATA_SHADER_MODEL { HighestShaderModel: D3D_SHADER_MODEL::SHADER_MODEL_6_10 };
    assert_eq!(check(device, D3D12_FEATURE::SHADER_MODEL, &mut model, 4), S_OK);
    assert!(model.HighestShaderModel <= D3D_SHADER_MODEL::SHADER_MODEL_6_8);
    // Numbers that only preview headers have or none: as from a runtime that is older than the program.
    for number in [-1, 9, 13, 14, 55, 59, 60, 63, 66, 67, 68, 69, 70, 71, 73, 74, 77, 78, 100, i32::MAX] {
        for size in [0, 1, 4, 8, 12, 16, 20, 24, 64] {
            let mut data = [0u64; 8];
            assert_eq!(check(device, D3D12_FEATURE(number), &mut data, size), E_INVALIDARG, "{number}, {size} bytes");
        }
    }
    assert_eq!(release(device), 0);
}

/// What pipelines and shaders have, where Vulkan has it, is said.
#[test]
fn depth_bounds_and_barycentrics_are_there_where_vulkan_has_them() {
    let _alone = ALONE.lock();
    let device = device();
    let mut options2 = D3D12_FEATURE_DATA_D3D12_OPTIONS2::default();
    let mut options3 = D3D12_FEATURE_DATA_D3D12_OPTIONS3::default();
    let sizes = (size_of_val(&options2), size_of_val(&options3));
    assert_eq!(check(device, D3D12_FEATURE::D3D12_OPTIONS2, &mut options2, sizes.0), S_OK);
    assert_eq!(check(device, D3D12_FEATURE::D3D12_OPTIONS3, &mut options3, sizes.1), S_OK);
    // SAFETY: a device of ours that lives.
    let features = unsafe { &reprise_com::Object::<reprise_runtime::Device>::this(device).caps.features };
    assert_eq!(options2.DepthBoundsTestSupported as u32, features.base.depth_bounds);
    assert_eq!(options3.BarycentricsSupported as u32, features.barycentric.fragment_shader_barycentric);
    assert_eq!(release(device), 0);
}

/// What feature levels 12_0 and 12_1 and shader models 6.7 and 6.8 ask for, where Vulkan has it, is said, and not elsewhere.
#[test]
fn tiles_order_and_coverage_are_there_where_vulkan_has_them() {
    let _alone = ALONE.lock();
    let device = device();
    let mut options = D3D12_FEATURE_DATA_D3D12_OPTIONS::default();
    let mut options14 = D3D12_FEATURE_DATA_D3D12_OPTIONS14::default();
    let mut options21 = D3D12_FEATURE_DATA_D3D12_OPTIONS21::default();
    let sizes = [size_of_val(&options), size_of_val(&options14), size_of_val(&options21)];
    assert_eq!(check(device, D3D12_FEATURE::D3D12_OPTIONS, &mut options, sizes[0]), S_OK);
    assert_eq!(check(device, D3D12_FEATURE::D3D12_OPTIONS14, &mut options14, sizes[1]), S_OK);
    assert_eq!(check(device, D3D12_FEATURE::D3D12_OPTIONS21, &mut options21, sizes[2]), S_OK);
    // SAFETY: a device of ours that lives.
    let caps = unsafe { &reprise_com::Object::<reprise_runtime::Device>::this(device).caps };
    let strict = caps.sparse.residency_non_resident_strict != 0;
    assert!(strict || options.TiledResourcesTier < D3D12_TILED_RESOURCES_TIER::TIER_2);
    assert_eq!(options.ROVsSupported != 0, caps.features.interlock.fragment_shader_sample_interlock != 0);
    assert_eq!(options.ConservativeRasterizationTier.0 != 0, caps.extensions.conservative);
    let computed_offsets = caps.features.maintenance8.maintenance8 != 0;
    assert!(computed_offsets || options14.AdvancedTextureOpsSupported == 0);
    assert!(options14.AdvancedTextureOpsSupported != 0 || options21.SampleCmpGradientAndBiasSupported == 0);
    assert_eq!(release(device), 0);
}

#[test]
fn levels_and_models_are_the_lower_of_asked_and_there() {
    let _alone = ALONE.lock();
    let device = device();
    let asked = [D3D_FEATURE_LEVEL::LEVEL_9_1, D3D_FEATURE_LEVEL::LEVEL_11_0, D3D_FEATURE_LEVEL(0xf000)];
    let mut levels = D3D12_FEATURE_DATA_FEATURE_LEVELS {
        NumFeatureLevels: 3,
        pFeatureLevelsRequested: asked.as_ptr(),
        MaxSupportedFeatureLevel: D3D_FEATURE_LEVEL(0),
    };
    assert_eq!(check(device, D3D12_FEATURE::FEATURE_LEVELS, &mut levels, 24), S_OK);
    assert_eq!(levels.MaxSupportedFeatureLevel, D3D_FEATURE_LEVEL::LEVEL_11_0);
    levels.NumFeatureLevels = 0;
    assert_eq!(check(device, D3D12_FEATURE::FEATURE_LEVELS, &mut levels, 24), E_INVALIDARG);
    let mut model = D3D12_FEATURE_DATA_SHADER_MODEL { HighestShaderModel: D3D_SHADER_MODEL::SHADER_MODEL_5_1 };
    assert_eq!(check(device, D3D12_FEATURE::SHADER_MODEL, &mut model, 4), S_OK);
    assert_eq!(model.HighestShaderModel, D3D_SHADER_MODEL::SHADER_MODEL_5_1);
    model.HighestShaderModel = D3D_SHADER_MODEL(0x7f);
    assert_eq!(check(device, D3D12_FEATURE::SHADER_MODEL, &mut model, 4), E_INVALIDARG);
    for (asked, given) in [(1, 1), (2, 2), (3, 3)] {
        let mut root = D3D12_FEATURE_DATA_ROOT_SIGNATURE { HighestVersion: D3D_ROOT_SIGNATURE_VERSION(asked) };
        assert_eq!(check(device, D3D12_FEATURE::ROOT_SIGNATURE, &mut root, 4), S_OK);
        assert!(root.HighestVersion.0 <= given && root.HighestVersion.0 >= given.min(2));
    }
    assert_eq!(release(device), 0);
}

#[test]
fn what_is_not_there_fails_and_leaves_no_object() {
    let _alone = ALONE.lock();
    let device = device();
    type Open = unsafe extern "C" fn(*mut c_void, *const c_void, *const Guid, *mut *mut c_void) -> i32;
    let mut out = device;
    // SAFETY: a call as a program makes it.
    let opened = unsafe {
        let open: Open = slot(device, "ID3D12Device3", "OpenExistingHeapFromFileMapping");
        open(device, null(), &interface("ID3D12Heap").get().iid, &mut out)
    };
    assert_eq!((opened, out), (E_NOTIMPL, null_mut()));
    assert_eq!(release(device), 0);
}

#[test]
fn private_data_goes_with_the_device() {
    let _alone = ALONE.lock();
    let first = device();
    let name = interface("ID3D12Fence").get().iid;
    type Get = unsafe extern "C" fn(*mut c_void, *const Guid, *mut u32, *mut u8) -> i32;
    type Set = unsafe extern "C" fn(*mut c_void, *const Guid, u32, *const u8) -> i32;
    // SAFETY: calls as a program makes them.
    unsafe {
        assert_eq!(slot::<Set>(first, "ID3D12Object", "SetPrivateData")(first, &name, 2, [5, 6].as_ptr()), S_OK);
        let (mut size, mut bytes) = (8, [0; 8]);
        let get = slot::<Get>(first, "ID3D12Object", "GetPrivateData");
        assert_eq!(get(first, &name, &mut size, bytes.as_mut_ptr()), S_OK);
        assert_eq!((size, bytes[0], bytes[1]), (2, 5, 6));
        assert_eq!(release(first), 0);
        let second = device();
        size = 8;
        let get = slot::<Get>(second, "ID3D12Object", "GetPrivateData");
        assert_eq!(get(second, &name, &mut size, bytes.as_mut_ptr()), DXGI_ERROR_NOT_FOUND);
        assert_eq!(release(second), 0);
    }
}

#[test]
fn factories_make_devices_of_their_own() {
    let _alone = ALONE.lock();
    let class = |data1, data2, data3, data4| Guid { data1, data2, data3, data4 };
    let factory_class = class(0x1148_63bf, 0xc386, 0x4aee, [0xb3, 0x9d, 0x8f, 0x0b, 0xbb, 0x06, 0x29, 0x55]);
    let shared = device();
    // SAFETY: calls as a program makes them.
    unsafe {
        let mut factory = null_mut();
        let iid = &interface("ID3D12DeviceFactory").get().iid;
        assert_eq!(entry::get_interface(&factory_class, iid, &mut factory), S_OK);
        type Create =
            unsafe extern "C" fn(*mut c_void, *mut c_void, D3D_FEATURE_LEVEL, *const Guid, *mut *mut c_void) -> i32;
        let create: Create = slot(factory, "ID3D12DeviceFactory", "CreateDevice");
        let iid = &interface("ID3D12Device").get().iid;
        let (mut own, mut other) = (null_mut(), null_mut());
        assert_eq!(create(factory, null_mut(), D3D_FEATURE_LEVEL::LEVEL_11_0, iid, &mut own), S_OK);
        assert_eq!(create(factory, null_mut(), D3D_FEATURE_LEVEL::LEVEL_11_0, iid, &mut other), S_OK);
        assert!(own != shared && other != shared && own != other);
        for object in [own, factory] {
            let (found, configuration) = query(object, "ID3D12DeviceConfiguration1");
            assert_eq!(found, S_OK);
            assert_eq!(query(object, "ID3D12DeviceConfiguration"), (S_OK, configuration), "one and the same");
            type Get = unsafe extern "C" fn(
                *mut c_void,
                *mut D3D12_DEVICE_CONFIGURATION_DESC,
            ) -> *mut D3D12_DEVICE_CONFIGURATION_DESC;
            let mut desc = D3D12_DEVICE_CONFIGURATION_DESC { GpuBasedValidationFlags: 9, ..Default::default() };
            slot::<Get>(configuration, "ID3D12DeviceConfiguration", "GetDesc")(configuration, &mut desc);
            assert_eq!((desc.Flags.0, desc.GpuBasedValidationFlags, desc.NumEnabledExperimentalFeatures), (0, 0, 0));
            assert_eq!((release(configuration), release(configuration)), (2, 1));
        }
        assert_eq!((release(own), release(other), release(shared), release(factory)), (0, 0, 0, 0));
    }
}

fn format_support(device: *mut c_void, format: DXGI_FORMAT) -> (i32, u32, u32) {
    let mut data = D3D12_FEATURE_DATA_FORMAT_SUPPORT { Format: format, ..Default::default() };
    let code = check(device, D3D12_FEATURE::FORMAT_SUPPORT, &mut data, size_of::<D3D12_FEATURE_DATA_FORMAT_SUPPORT>());
    (code, data.Support1.0, data.Support2.0)
}

/// What feature level 11_0 demands of every device, and what no device may say.
#[test]
fn formats_say_what_the_level_demands() {
    use D3D12_FORMAT_SUPPORT1 as One;
    let _alone = ALONE.lock();
    let device = device();
    let sampled = One::TEXTURE2D.0 | One::SHADER_LOAD.0 | One::SHADER_SAMPLE.0 | One::MIP.0 | One::TEXTURECUBE.0;
    let drawn = One::RENDER_TARGET.0 | One::BLENDABLE.0 | One::MULTISAMPLE_RENDERTARGET.0 | One::MULTISAMPLE_RESOLVE.0;
    for (format, demanded, refused) in [
        (DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM, sampled | drawn | One::BUFFER.0 | One::DISPLAY.0, One::DEPTH_STENCIL.0),
        (
            DXGI_FORMAT::FORMAT_R16G16B16A16_FLOAT,
            sampled | drawn | One::TYPED_UNORDERED_ACCESS_VIEW.0,
            One::DEPTH_STENCIL.0,
        ),
        (
            DXGI_FORMAT::FORMAT_R32_UINT,
            One::IA_INDEX_BUFFER.0 | One::RENDER_TARGET.0,
            One::BLENDABLE.0 | One::SHADER_SAMPLE.0,
        ),
        (
            DXGI_FORMAT::FORMAT_D32_FLOAT,
            One::DEPTH_STENCIL.0 | One::TEXTURE2D.0,
            One::RENDER_TARGET.0 | One::SHADER_LOAD.0,
        ),
        (DXGI_FORMAT::FORMAT_D24_UNORM_S8_UINT, One::DEPTH_STENCIL.0, One::RENDER_TARGET.0),
        (
            DXGI_FORMAT::FORMAT_X24_TYPELESS_G8_UINT,
            One::SHADER_LOAD.0 | One::MULTISAMPLE_LOAD.0,
            One::RENDER_TARGET.0 | One::DEPTH_STENCIL.0,
        ),
        (
            DXGI_FORMAT::FORMAT_BC1_UNORM,
            sampled,
            One::RENDER_TARGET.0 | One::TEXTURE1D.0 | One::TYPED_UNORDERED_ACCESS_VIEW.0,
        ),
        (DXGI_FORMAT::FORMAT_R8G8B8A8_TYPELESS, One::TEXTURE2D.0, One::RENDER_TARGET.0 | One::SHADER_SAMPLE.0),
    ] {
        let (code, has, _) = format_support(device, format);
        assert_eq!(code, S_OK, "{format:?}");
        assert_eq!(has & demanded, demanded, "{format:?} lacks {:#x}", demanded & !has);
        assert_eq!(has & refused, 0, "{format:?} has {:#x}", has & refused);
    }
    assert_eq!(format_support(device, DXGI_FORMAT(9999)), (E_FAIL, 0, 0));
    let levels = |format, count| {
        let mut data =
            D3D12_FEATURE_DATA_MULTISAMPLE_QUALITY_LEVELS { Format: format, SampleCount: count, ..Default::default() };
        let code = check(device, D3D12_FEATURE::MULTISAMPLE_QUALITY_LEVELS, &mut data, 16);
        (code, data.NumQualityLevels)
    };
    let colour = DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM;
    assert_eq!([levels(colour, 1), levels(colour, 4), levels(colour, 3)], [(S_OK, 1), (S_OK, 1), (S_OK, 0)]);
    assert_eq!([levels(colour, 0), levels(DXGI_FORMAT(9999), 4)], [(E_FAIL, 0), (S_OK, 0)]);
    assert_eq!(format_support(device, DXGI_FORMAT::FORMAT_UNKNOWN), (S_OK, One::BUFFER.0, 0));
    let planes = |format| {
        let mut data = D3D12_FEATURE_DATA_FORMAT_INFO { Format: format, PlaneCount: 9 };
        (check(device, D3D12_FEATURE::FORMAT_INFO, &mut data, 8), data.PlaneCount)
    };
    assert_eq!([planes(colour), planes(DXGI_FORMAT::FORMAT_D24_UNORM_S8_UINT)], [(S_OK, 1), (S_OK, 2)]);
    assert_eq!((planes(DXGI_FORMAT::FORMAT_UNKNOWN), planes(DXGI_FORMAT(9999)).0), ((S_OK, 1), E_INVALIDARG));
    assert_eq!(release(device), 0);
}

/// What is said of the GPU itself agrees with itself: nothing else can be measured from here.
#[test]
fn lanes_are_whole_waves_and_memory_is_where_the_architecture_says() {
    let _alone = ALONE.lock();
    let device = device();
    let mut lanes = D3D12_FEATURE_DATA_D3D12_OPTIONS1::default();
    let size = size_of_val(&lanes);
    assert_eq!(check(device, D3D12_FEATURE::D3D12_OPTIONS1, &mut lanes, size), S_OK);
    let (least, most, all) = (lanes.WaveLaneCountMin, lanes.WaveLaneCountMax, lanes.TotalLaneCount);
    assert!(least >= 4 && least.is_power_of_two() && most.is_power_of_two() && least <= most, "{least} to {most}");
    assert!(all >= most && all.is_multiple_of(least), "{all} lanes");

    let mut older = D3D12_FEATURE_DATA_ARCHITECTURE::default();
    let size = size_of_val(&older);
    assert_eq!(check(device, D3D12_FEATURE::ARCHITECTURE, &mut older, size), S_OK);
    let mut newer = D3D12_FEATURE_DATA_ARCHITECTURE1::default();
    let size = size_of_val(&newer);
    assert_eq!(check(device, D3D12_FEATURE::ARCHITECTURE1, &mut newer, size), S_OK);
    assert_eq!((older.UMA, older.CacheCoherentUMA), (newer.UMA, newer.CacheCoherentUMA));
    assert!(older.UMA != 0 || older.CacheCoherentUMA == 0);
    // Where memory is one, the API has one pool.
    type Properties = unsafe extern "C" fn(
        *mut c_void,
        *mut D3D12_HEAP_PROPERTIES,
        u32,
        D3D12_HEAP_TYPE,
    ) -> *mut D3D12_HEAP_PROPERTIES;
    let pool = |kind| {
        let mut told = D3D12_HEAP_PROPERTIES::default();
        // SAFETY: the method's type; the place is writable.
        unsafe {
            slot::<Properties>(device, "ID3D12Device", "GetCustomHeapProperties")(device, &mut told, 0, kind);
        }
        told.MemoryPoolPreference
    };
    let own = if older.UMA != 0 { D3D12_MEMORY_POOL::L0 } else { D3D12_MEMORY_POOL::L1 };
    assert_eq!(pool(D3D12_HEAP_TYPE::DEFAULT), own);
    assert_eq!([pool(D3D12_HEAP_TYPE::UPLOAD), pool(D3D12_HEAP_TYPE::READBACK)], [D3D12_MEMORY_POOL::L0; 2]);
    assert_eq!(release(device), 0);
}
