//! `CheckFeatureSupport`: one row per feature, with what this runtime has, not with what Vulkan could have.
//!
//! A feature that no row names is not known to us: the program gets `E_INVALIDARG`, as from an older runtime. Fields that a
//! row does not mention are zero, which means "no" for all of them.

use core::ffi::c_void;

use reprise_com::result::{E_FAIL, E_INVALIDARG, E_NOTIMPL, S_OK};
use reprise_d3d12::types::*;

use crate::decompression::question;
use crate::device::lines::Abilities as LineAbilities;
use crate::device::object::Device;
use crate::device::{formats, levels, tiles};
use crate::environment::settings;
use reprise_gpu::architecture::Architecture;
use reprise_gpu::caps::Caps;
use reprise_gpu::descriptor::table::{SAMPLERS, VIEWS};
use reprise_gpu::rates::Rates;

/// What the other modules have. A name is switched on by whoever lands the thing, with a test.
mod has {
    /// `OMSetDepthBounds` (list) and the bounds test in pipelines.
    pub(super) const DEPTH_BOUNDS: bool = true;
    /// `BeginRenderPass` and `EndRenderPass` (list).
    pub(super) const RENDER_PASSES: bool = true;
    /// `RSSetDepthBias` (list) and pipelines whose bias is dynamic.
    pub(super) const DYNAMIC_DEPTH_BIAS: bool = true;
    /// `IASetIndexBufferStripCutValue` (list) and pipelines whose value is dynamic.
    pub(super) const DYNAMIC_STRIP_CUT: bool = true;
    /// `Barrier` (list) and creation with layouts (resource).
    pub(super) const ENHANCED_BARRIERS: bool = true;
    /// `WriteBufferImmediate` on direct, compute and copy lists and in bundles.
    pub(super) const WRITE_BUFFER_IMMEDIATE: bool = true;
    /// Flags of static samplers (root).
    pub(super) const ROOT_SIGNATURE_1_2: bool = true;
    /// `OMSetFrontAndBackStencilRef` (list) and masks of each face in pipelines.
    pub(super) const TWO_STENCIL_FACES: bool = true;
    /// Cached blobs of pipelines, and pipeline libraries.
    pub(super) const CACHED_BLOBS: bool = true;
    /// Lists of formats that views may have (resource, descriptor).
    pub(super) const CASTS: bool = true;
    /// Typed reads of any format from unordered access views, also from images without a format in the shader.
    pub(super) const TYPED_LOADS: bool = true;
}

/// Whether state objects of work graphs can be made: shader model 6.8, and what code of nodes uses.
pub(crate) fn has_work_graphs(device: &Device) -> bool {
    device.shader_model >= D3D_SHADER_MODEL::SHADER_MODEL_6_8 && device.caps.runs_nodes()
}

/// Nothing, or the code that the program gets.
type Answer = Result<(), i32>;

/// A feature: its number, the size of its structure, and what fills that in.
struct Row(D3D12_FEATURE, usize, unsafe fn(&Device, *mut c_void) -> i32);

macro_rules! rows {
    ($($feature:ident: $data:ident, |$device:ident, $out:ident| $body:expr;)*) => {
        &[$(Row(D3D12_FEATURE::$feature, size_of::<$data>(), {
            unsafe fn answer(device: &Device, data: *mut c_void) -> i32 {
                fn fill($device: &Device, $out: &mut $data) -> Answer {
                    $body
                }
                // SAFETY: the caller has checked the size; the API demands the alignment.
                let data = unsafe { &mut *data.cast::<$data>() };
                match fill(device, data) {
                    Ok(()) => S_OK,
                    Err(code) => code,
                }
            }
            answer
        }),)*]
    };
}

fn yes(what: bool) -> BOOL {
    what.into()
}

fn vulkan(feature: u32) -> bool {
    feature != 0
}

/// Fills in a structure of which nothing comes in.
fn set<T>(place: &mut T, value: T) -> Answer {
    *place = value;
    Ok(())
}

const ROWS: &[Row] = rows! {
    D3D12_OPTIONS: D3D12_FEATURE_DATA_D3D12_OPTIONS, |device, out| {
        let features = &device.caps.features;
        set(out, D3D12_FEATURE_DATA_D3D12_OPTIONS {
            DoublePrecisionFloatShaderOps: yes(vulkan(features.base.shader_float64)),
            OutputMergerLogicOp: yes(vulkan(features.base.logic_op)),
            // Unlike native 16-bit types these need not keep denormals (Direct3D 11.3's functional specification).
            MinPrecisionSupport: match device.caps.computes_narrowly() {
                true => D3D12_SHADER_MIN_PRECISION_SUPPORT::SUPPORT_16_BIT,
                false => D3D12_SHADER_MIN_PRECISION_SUPPORT::SUPPORT_NONE,
            },
            ResourceBindingTier: binding_tier(device.bindings.view_limit()),
            PSSpecifiedStencilRefSupported: yes(device.caps.extensions.stencil_export),
            TypedUAVLoadAdditionalFormats:
                yes(has::TYPED_LOADS && vulkan(features.base.shader_storage_image_read_without_format)),
            ROVsSupported: yes(vulkan(features.interlock.fragment_shader_pixel_interlock)
                && vulkan(features.interlock.fragment_shader_sample_interlock)),
            ConservativeRasterizationTier: conservative_tier(device),
            TiledResourcesTier: tiles::tier(device),
            MaxGPUVirtualAddressBitsPerResource: ADDRESS_BITS,
            VPAndRTArrayIndexFromAnyShaderFeedingRasterizerSupportedWithoutGSEmulation: yes(
                vulkan(features.v12.shader_output_viewport_index) && vulkan(features.v12.shader_output_layer)),
            ResourceHeapTier: heap_tier(device),
            ..Default::default()
        })
    };
    ARCHITECTURE: D3D12_FEATURE_DATA_ARCHITECTURE, |device, out| {
        let node = only_node(out.NodeIndex)?;
        let (unified, coherent) = architecture(device);
        set(out, D3D12_FEATURE_DATA_ARCHITECTURE {
            NodeIndex: node, TileBasedRenderer: 0, UMA: unified, CacheCoherentUMA: coherent,
        })
    };
    ARCHITECTURE1: D3D12_FEATURE_DATA_ARCHITECTURE1, |device, out| {
        let node = only_node(out.NodeIndex)?;
        let (unified, coherent) = architecture(device);
        set(out, D3D12_FEATURE_DATA_ARCHITECTURE1 {
            NodeIndex: node,
            TileBasedRenderer: 0,
            UMA: unified,
            CacheCoherentUMA: coherent,
            // Protections of the process's pages hold for what runs on the CPU, and for no GPU: it has page tables of its own.
            IsolatedMMU: yes(!device.caps.software),
        })
    };
    FEATURE_LEVELS: D3D12_FEATURE_DATA_FEATURE_LEVELS, |device, out| {
        if out.NumFeatureLevels == 0 || out.pFeatureLevelsRequested.is_null() {
            return Err(E_INVALIDARG);
        }
        // SAFETY: the program says that there are so many.
        let asked = unsafe {
            core::slice::from_raw_parts(out.pFeatureLevelsRequested, out.NumFeatureLevels as usize)
        };
        let highest = feature_level(device);
        let best = asked.iter().filter(|level| **level <= highest).max();
        out.MaxSupportedFeatureLevel = best.copied().unwrap_or_default();
        Ok(())
    };
    FORMAT_SUPPORT: D3D12_FEATURE_DATA_FORMAT_SUPPORT, |device, out| formats::support(device, out);
    MULTISAMPLE_QUALITY_LEVELS: D3D12_FEATURE_DATA_MULTISAMPLE_QUALITY_LEVELS, |device, out| formats::quality_levels(device, out);
    FORMAT_INFO: D3D12_FEATURE_DATA_FORMAT_INFO, |_device, out| formats::info(out);
    GPU_VIRTUAL_ADDRESS_SUPPORT: D3D12_FEATURE_DATA_GPU_VIRTUAL_ADDRESS_SUPPORT, |_device, out| {
        out.MaxGPUVirtualAddressBitsPerResource = ADDRESS_BITS;
        out.MaxGPUVirtualAddressBitsPerProcess = ADDRESS_BITS;
        Ok(())
    };
    SHADER_MODEL: D3D12_FEATURE_DATA_SHADER_MODEL, |device, out| {
        let known = (0x60..=D3D_SHADER_MODEL::SHADER_MODEL_6_10.0).contains(&out.HighestShaderModel.0)
            || out.HighestShaderModel == D3D_SHADER_MODEL::SHADER_MODEL_5_1;
        known.then_some(()).ok_or(E_INVALIDARG)?;
        out.HighestShaderModel = out.HighestShaderModel.min(device.shader_model);
        Ok(())
    };
    D3D12_OPTIONS1: D3D12_FEATURE_DATA_D3D12_OPTIONS1, |device, out| {
        let wave = device.shader_model >= D3D_SHADER_MODEL::SHADER_MODEL_6_0;
        let lanes = |count: u32| if wave { count } else { 0 };
        set(out, D3D12_FEATURE_DATA_D3D12_OPTIONS1 {
            WaveOps: yes(wave),
            WaveLaneCountMin: lanes(device.caps.v13.min_subgroup_size),
            WaveLaneCountMax: lanes(device.caps.v13.max_subgroup_size),
            // Elsewhere Vulkan does not say how many lanes there are in all; this is a lower bound for any GPU.
            TotalLaneCount: lanes(device.caps.lanes.max(device.caps.v13.max_subgroup_size)),
            ExpandedComputeResourceStates: 1,
            Int64ShaderOps: yes(wave && vulkan(device.caps.features.base.shader_int64)),
        })
    };
    PROTECTED_RESOURCE_SESSION_SUPPORT: D3D12_FEATURE_DATA_PROTECTED_RESOURCE_SESSION_SUPPORT, |_device, out| {
        only_node(out.NodeIndex)?;
        out.Support = D3D12_PROTECTED_RESOURCE_SESSION_SUPPORT_FLAGS::NONE;
        Ok(())
    };
    PROTECTED_RESOURCE_SESSION_TYPE_COUNT: D3D12_FEATURE_DATA_PROTECTED_RESOURCE_SESSION_TYPE_COUNT, |_device, out| {
        only_node(out.NodeIndex)?;
        out.Count = 0;
        Ok(())
    };
    ROOT_SIGNATURE: D3D12_FEATURE_DATA_ROOT_SIGNATURE, |_device, out| {
        let best = if has::ROOT_SIGNATURE_1_2 {
            D3D_ROOT_SIGNATURE_VERSION::VERSION_1_2
        } else {
            D3D_ROOT_SIGNATURE_VERSION::VERSION_1_1
        };
        reprise_dxbc::root_signature::Version::from_number(out.HighestVersion.0 as u32).ok_or(E_INVALIDARG)?;
        out.HighestVersion = out.HighestVersion.min(best);
        Ok(())
    };
    D3D12_OPTIONS2: D3D12_FEATURE_DATA_D3D12_OPTIONS2, |device, out| set(out, D3D12_FEATURE_DATA_D3D12_OPTIONS2 {
        DepthBoundsTestSupported: yes(has::DEPTH_BOUNDS && vulkan(device.caps.features.base.depth_bounds)),
        ProgrammableSamplePositionsTier: positions_tier(device),
    });
    SHADER_CACHE: D3D12_FEATURE_DATA_SHADER_CACHE, |_device, out| {
        use D3D12_SHADER_CACHE_SUPPORT_FLAGS as Flags;
        let blobs = if has::CACHED_BLOBS { Flags::SINGLE_PSO.0 | Flags::LIBRARY.0 } else { 0 };
        // Translated shaders are kept by the process, and on disk where the user names a folder.
        let disk = if settings().shader_cache.is_some() { Flags::AUTOMATIC_DISK_CACHE.0 } else { 0 };
        out.SupportFlags = Flags(blobs | Flags::AUTOMATIC_INPROC_CACHE.0 | disk);
        Ok(())
    };
    COMMAND_QUEUE_PRIORITY: D3D12_FEATURE_DATA_COMMAND_QUEUE_PRIORITY, |_device, out| {
        const GLOBAL_REALTIME: u32 = 10_000;
        let kinds = [
            D3D12_COMMAND_LIST_TYPE::DIRECT,
            D3D12_COMMAND_LIST_TYPE::COMPUTE,
            D3D12_COMMAND_LIST_TYPE::COPY,
        ];
        out.PriorityForTypeIsSupported = yes(kinds.contains(&out.CommandListType) && out.Priority < GLOBAL_REALTIME);
        Ok(())
    };
    D3D12_OPTIONS3: D3D12_FEATURE_DATA_D3D12_OPTIONS3, |device, out| {
        use D3D12_COMMAND_LIST_SUPPORT_FLAGS as Kinds;
        let all = Kinds(Kinds::DIRECT.0 | Kinds::BUNDLE.0 | Kinds::COMPUTE.0 | Kinds::COPY.0);
        set(out, D3D12_FEATURE_DATA_D3D12_OPTIONS3 {
            CopyQueueTimestampQueriesSupported: yes(device.families.copies_are_timed()),
            CastingFullyTypedFormatSupported: 1,
            WriteBufferImmediateSupportFlags: if has::WRITE_BUFFER_IMMEDIATE { all } else { Kinds::NONE },
            BarycentricsSupported: yes(vulkan(device.caps.features.barycentric.fragment_shader_barycentric)),
            // In tier 2 shaders choose viewports and layers, too. Draws are repeated for views, as both tiers allow.
            ViewInstancingTier: match has_views(&device.caps) {
                true => D3D12_VIEW_INSTANCING_TIER::TIER_2,
                false => D3D12_VIEW_INSTANCING_TIER::TIER_NOT_SUPPORTED,
            },
        })
    };
    QUERY_META_COMMAND: D3D12_FEATURE_DATA_QUERY_META_COMMAND, |device, out| {
        // SAFETY: the program says that there are so many bytes.
        unsafe { question::answer(device.caps.inflates(), out) }
    };
    EXISTING_HEAPS: D3D12_FEATURE_DATA_EXISTING_HEAPS, |_device, out| set(out, Default::default());
    D3D12_OPTIONS4: D3D12_FEATURE_DATA_D3D12_OPTIONS4, |device, out| set(out, D3D12_FEATURE_DATA_D3D12_OPTIONS4 {
        Native16BitShaderOpsSupported: yes(has_native_16(device)),
        ..Default::default()
    });
    SERIALIZATION: D3D12_FEATURE_DATA_SERIALIZATION, |_device, out| {
        only_node(out.NodeIndex)?;
        out.HeapSerializationTier = Default::default();
        Ok(())
    };
    CROSS_NODE: D3D12_FEATURE_DATA_CROSS_NODE, |_device, out| set(out, Default::default());
    D3D12_OPTIONS5: D3D12_FEATURE_DATA_D3D12_OPTIONS5, |device, out| set(out, D3D12_FEATURE_DATA_D3D12_OPTIONS5 {
        SRVOnlyTiledResourceTier3: yes(tiles::tier(device) >= D3D12_TILED_RESOURCES_TIER::TIER_3),
        RaytracingTier: ray_tracing_tier(device),
        ..Default::default()
    });
    DISPLAYABLE: D3D12_FEATURE_DATA_DISPLAYABLE, |_device, out| set(out, Default::default());
    D3D12_OPTIONS6: D3D12_FEATURE_DATA_D3D12_OPTIONS6, |device, out| {
        use D3D12_VARIABLE_SHADING_RATE_TIER as Tier;
        let (tier, rates) = (rates_tier(&device.caps.rates), &device.caps.rates);
        set(out, D3D12_FEATURE_DATA_D3D12_OPTIONS6 {
            VariableShadingRateTier: tier,
            AdditionalShadingRatesSupported: yes(tier >= Tier::TIER_1 && rates.large),
            PerPrimitiveShadingRateSupportedWithViewportIndexing: yes(tier >= Tier::TIER_2 && rates.viewports),
            ShadingRateImageTileSize: if tier >= Tier::TIER_2 { rates.tile } else { 0 },
            // Vulkan has nothing like it.
            BackgroundProcessingSupported: 0,
        })
    };
    D3D12_OPTIONS7: D3D12_FEATURE_DATA_D3D12_OPTIONS7, |device, out| set(out, D3D12_FEATURE_DATA_D3D12_OPTIONS7 {
        MeshShaderTier: match has_meshes(device) {
            true => D3D12_MESH_SHADER_TIER::TIER_1,
            false => D3D12_MESH_SHADER_TIER::TIER_NOT_SUPPORTED,
        },
        // Tier 1.0 adds views of some levels or layers, and addresses other than wrapped and clamped ones: shaders do not know
        // of these.
        SamplerFeedbackTier: match device.shader_model >= D3D_SHADER_MODEL::SHADER_MODEL_6_5
            && device.caps.has_sampler_feedback()
        {
            true => D3D12_SAMPLER_FEEDBACK_TIER::TIER_0_9,
            false => D3D12_SAMPLER_FEEDBACK_TIER::TIER_NOT_SUPPORTED,
        },
    });
    D3D12_OPTIONS8: D3D12_FEATURE_DATA_D3D12_OPTIONS8, |_device, out| set(out, D3D12_FEATURE_DATA_D3D12_OPTIONS8 {
        // Vulkan's sizes of compressed images need be no multiples of their blocks.
        UnalignedBlockTexturesSupported: 1,
    });
    D3D12_OPTIONS9: D3D12_FEATURE_DATA_D3D12_OPTIONS9, |device, out| set(out, D3D12_FEATURE_DATA_D3D12_OPTIONS9 {
        MeshShaderSupportsFullRangeRenderTargetArrayIndex:
            yes(has_meshes(device) && device.caps.mesh.max_mesh_output_layers >= LAYERS),
        AtomicInt64OnTypedResourceSupported: yes(device.shader_model >= D3D_SHADER_MODEL::SHADER_MODEL_6_6
            && device.logical.wide.is_some()),
        AtomicInt64OnGroupSharedSupported: yes(device.shader_model >= D3D_SHADER_MODEL::SHADER_MODEL_6_6
            && vulkan(device.caps.features.v12.shader_shared_int64_atomics)),
        DerivativesInMeshAndAmplificationShadersSupported: yes(has_meshes(device)
            && device.shader_model >= D3D_SHADER_MODEL::SHADER_MODEL_6_6
            && device.caps.mesh_derivatives),
        MeshShaderPipelineStatsSupported: yes(has_meshes(device)
            && vulkan(device.caps.features.mesh.mesh_shader_queries)
            && vulkan(device.caps.features.base.pipeline_statistics_query)),
        ..Default::default()
    });
    D3D12_OPTIONS10: D3D12_FEATURE_DATA_D3D12_OPTIONS10, |device, out| {
        let whole = rates_tier(&device.caps.rates) >= D3D12_VARIABLE_SHADING_RATE_TIER::TIER_2;
        set(out, D3D12_FEATURE_DATA_D3D12_OPTIONS10 {
            VariableRateShadingSumCombinerSupported: yes(whole && device.caps.rates.products),
            MeshShaderPerPrimitiveShadingRateSupported: yes(whole && has_meshes(device) && device.caps.rates.meshes),
        })
    };
    D3D12_OPTIONS11: D3D12_FEATURE_DATA_D3D12_OPTIONS11, |device, out| set(out, D3D12_FEATURE_DATA_D3D12_OPTIONS11 {
        AtomicInt64OnDescriptorHeapResourceSupported: yes(device.shader_model >= D3D_SHADER_MODEL::SHADER_MODEL_6_6
            && vulkan(device.caps.features.v12.shader_buffer_int64_atomics)),
    });
    D3D12_OPTIONS12: D3D12_FEATURE_DATA_D3D12_OPTIONS12, |_device, out| set(out, D3D12_FEATURE_DATA_D3D12_OPTIONS12 {
        // Vulkan does not say whether its query counts primitives that a shader culls.
        MSPrimitivesPipelineStatisticIncludesCulledPrimitives: D3D12_TRI_STATE::UNKNOWN,
        EnhancedBarriersSupported: yes(has::ENHANCED_BARRIERS),
        RelaxedFormatCastingSupported: yes(has::CASTS),
    });
    D3D12_OPTIONS13: D3D12_FEATURE_DATA_D3D12_OPTIONS13, |device, out| set(out, D3D12_FEATURE_DATA_D3D12_OPTIONS13 {
        // Where Vulkan wants more alignment than a texel's, copies go through a buffer.
        UnrestrictedBufferTextureCopyPitchSupported: 1,
        // Without it draws want each buffer by itself aligned for the components that lie in it (`VertexBuffers::fit`).
        UnrestrictedVertexElementAlignmentSupported:
            yes(vulkan(device.caps.features.legacy_vertices.legacy_vertex_attributes)),
        // Before `VK_KHR_maintenance5` one-dimensional images are copied to their like only.
        TextureCopyBetweenDimensionsSupported: yes(vulkan(device.caps.features.maintenance5.maintenance5)),
        InvertedViewportHeightFlipsYSupported: 1,
        InvertedViewportDepthFlipsZSupported: 1,
        AlphaBlendFactorSupported: 1,
    });
    D3D12_OPTIONS14: D3D12_FEATURE_DATA_D3D12_OPTIONS14, |device, out| set(out, D3D12_FEATURE_DATA_D3D12_OPTIONS14 {
        AdvancedTextureOpsSupported: yes(has_advanced_reads(device)),
        // Compilers mark shaders that write them with both.
        WriteableMSAATexturesSupported: yes(has_advanced_reads(device)
            && vulkan(device.caps.features.base.shader_storage_image_multisample)),
        IndependentFrontAndBackStencilRefMaskSupported: yes(has::TWO_STENCIL_FACES),
    });
    D3D12_OPTIONS15: D3D12_FEATURE_DATA_D3D12_OPTIONS15, |_device, out| set(out, D3D12_FEATURE_DATA_D3D12_OPTIONS15 {
        TriangleFanSupported: 1,
        DynamicIndexBufferStripCutSupported: yes(has::DYNAMIC_STRIP_CUT),
    });
    D3D12_OPTIONS16: D3D12_FEATURE_DATA_D3D12_OPTIONS16, |device, out| set(out, D3D12_FEATURE_DATA_D3D12_OPTIONS16 {
        DynamicDepthBiasSupported: yes(has::DYNAMIC_DEPTH_BIAS),
        GPUUploadHeapSupported: yes(device.caps.maps_local_memory()),
    });
    D3D12_OPTIONS17: D3D12_FEATURE_DATA_D3D12_OPTIONS17, |_device, out| set(out, D3D12_FEATURE_DATA_D3D12_OPTIONS17 {
        NonNormalizedCoordinateSamplersSupported: 1,
        ..Default::default()
    });
    D3D12_OPTIONS18: D3D12_FEATURE_DATA_D3D12_OPTIONS18, |_device, out| {
        out.RenderPassesValid = yes(has::RENDER_PASSES);
        Ok(())
    };
    D3D12_OPTIONS19: D3D12_FEATURE_DATA_D3D12_OPTIONS19, |device, out| set(out, D3D12_FEATURE_DATA_D3D12_OPTIONS19 {
        // Draws reach what all targets have.
        MismatchingOutputDimensionsSupported: 1,
        AnisoFilterWithPointMipSupported: 1,
        RasterizerDesc2Supported: yes(LineAbilities::of(&device.caps).all()),
        NarrowQuadrilateralLinesSupported: yes(vulkan(device.caps.features.lines.rectangular_lines)),
        SupportedSampleCountsWithNoOutputs:
            device.caps.limits.framebuffer_no_attachments_sample_counts.as_raw() & SAMPLE_COUNTS,
        MaxSamplerDescriptorHeapSize: SAMPLERS,
        MaxSamplerDescriptorHeapSizeWithStaticSamplers: SAMPLERS,
        // Shaders reach views of every kind at each place of such a heap.
        MaxViewDescriptorHeapSize: device.bindings.raw_limit(),
        PointSamplingAddressesNeverRoundUp: yes(device.caps.samples_points_exactly()),
        ..Default::default()
    });
    D3D12_OPTIONS20: D3D12_FEATURE_DATA_D3D12_OPTIONS20, |_device, out| set(out, Default::default());
    D3D12_OPTIONS21: D3D12_FEATURE_DATA_D3D12_OPTIONS21, |device, out| set(out, D3D12_FEATURE_DATA_D3D12_OPTIONS21 {
        WorkGraphsTier: match has_work_graphs(device) {
            true => D3D12_WORK_GRAPHS_TIER::TIER_1_0,
            false => D3D12_WORK_GRAPHS_TIER::TIER_NOT_SUPPORTED,
        },
        ExecuteIndirectTier: match has_numbers(device) {
            true => D3D12_EXECUTE_INDIRECT_TIER::TIER_1_1,
            false => D3D12_EXECUTE_INDIRECT_TIER::TIER_1_0,
        },
        // These reads clamp levels, too.
        SampleCmpGradientAndBiasSupported: yes(device.shader_model >= D3D_SHADER_MODEL::SHADER_MODEL_6_8
            && has_advanced_reads(device)
            && vulkan(device.caps.features.base.shader_resource_min_lod)),
        ExtendedCommandInfoSupported: yes(device.shader_model >= D3D_SHADER_MODEL::SHADER_MODEL_6_8),
    });
    D3D12_OPTIONS22: D3D12_FEATURE_DATA_D3D12_OPTIONS22, |device, out| set(out, D3D12_FEATURE_DATA_D3D12_OPTIONS22 {
        Max1DDispatchSize: 65_535,
        // Groups of amplification shaders, or of mesh shaders without them.
        Max1DDispatchMeshSize: match has_meshes(device) {
            true => device.caps.mesh.max_mesh_work_group_count[0].min(device.caps.mesh.max_task_work_group_count[0]),
            false => 0,
        },
        ..Default::default()
    });
    // Predication is no option; the API's own runtime does not answer either.
    PREDICATION: D3D12_FEATURE_DATA_PREDICATION, |_device, _out| Err(E_NOTIMPL);
    HARDWARE_COPY: D3D12_FEATURE_DATA_HARDWARE_COPY, |_device, _out| Err(E_NOTIMPL);
    BARRIER_LAYOUT: D3D12_FEATURE_DATA_BARRIER_LAYOUT, |_device, out| {
        out.Supported = yes(has::ENHANCED_BARRIERS && may_use(out.CommandListType, out.Layout));
        Ok(())
    };
    // There is no compiler that could be named.
    SHADER_CACHE_ABI_SUPPORT: D3D12_FEATURE_DATA_SHADERCACHE_ABI_SUPPORT, |_device, _out| Err(E_FAIL);
    D3D12_TIGHT_ALIGNMENT: D3D12_FEATURE_DATA_TIGHT_ALIGNMENT, |_device, out| {
        out.SupportTier = D3D12_TIGHT_ALIGNMENT_TIER::TIER_1;
        Ok(())
    };
    APPLICATION_SPECIFIC_DRIVER_STATE: D3D12_FEATURE_DATA_APPLICATION_SPECIFIC_DRIVER_STATE, |_device, out| {
        set(out, Default::default())
    };
    // Shaders without a checksum are translated as others are (`reprise_shader::verify`).
    BYTECODE_BYPASS_HASH_SUPPORTED: D3D12_FEATURE_DATA_BYTECODE_BYPASS_HASH_SUPPORTED, |_device, out| {
        out.Supported = 1;
        Ok(())
    };
    // What shader model 6.10 can have more of: as much as older models may always use.
    D3D12_OPTIONS_PREVIEW: D3D12_FEATURE_DATA_D3D12_OPTIONS_PREVIEW, |_device, out| {
        set(out, D3D12_FEATURE_DATA_D3D12_OPTIONS_PREVIEW {
            MaxGroupSharedMemoryPerGroupCS: 32 << 10,
            MaxGroupSharedMemoryPerGroupAS: 32 << 10,
            MaxGroupSharedMemoryPerGroupMS: 28 << 10,
            ..Default::default()
        })
    };
};

/// Bits of a GPU virtual address: those of a process on the platforms that we run on.
const ADDRESS_BITS: u32 = 48;

/// Which kinds of command lists may have textures in a layout.
fn may_use(list: D3D12_COMMAND_LIST_TYPE, layout: D3D12_BARRIER_LAYOUT) -> bool {
    use D3D12_BARRIER_LAYOUT as Layout;
    use D3D12_COMMAND_LIST_TYPE as List;
    let kinds: &[List] = match layout {
        Layout::GENERIC_READ
        | Layout::UNORDERED_ACCESS
        | Layout::SHADER_RESOURCE
        | Layout::COPY_SOURCE
        | Layout::COPY_DEST => &[List::DIRECT, List::COMPUTE],
        Layout::RENDER_TARGET
        | Layout::DEPTH_STENCIL_WRITE
        | Layout::DEPTH_STENCIL_READ
        | Layout::RESOLVE_SOURCE
        | Layout::RESOLVE_DEST
        | Layout::SHADING_RATE_SOURCE => &[List::DIRECT],
        Layout(18..=23) => &[List::DIRECT],
        Layout(24..=29) => &[List::COMPUTE],
        Layout::DIRECT_QUEUE_GENERIC_READ_COMPUTE_QUEUE_ACCESSIBLE => &[List::DIRECT, List::COMPUTE],
        Layout::VIDEO_DECODE_READ | Layout::VIDEO_DECODE_WRITE => &[List::VIDEO_DECODE],
        Layout::VIDEO_PROCESS_READ | Layout::VIDEO_PROCESS_WRITE => &[List::VIDEO_PROCESS],
        Layout::VIDEO_ENCODE_READ | Layout::VIDEO_ENCODE_WRITE => &[List::VIDEO_ENCODE],
        Layout::VIDEO_QUEUE_COMMON => &[List::VIDEO_DECODE, List::VIDEO_PROCESS, List::VIDEO_ENCODE],
        Layout::COMMON => return true,
        _ => &[],
    };
    kinds.contains(&list)
}

/// There is one node.
fn only_node(index: u32) -> Result<u32, i32> {
    (index == 0).then_some(index).ok_or(E_INVALIDARG)
}

/// The answer of a feature that asks nothing of the program. `T` is the feature's structure, or nothing is filled in.
pub(crate) fn answer<T: Default + Copy>(device: &Device, feature: D3D12_FEATURE) -> T {
    let mut data = T::default();
    // SAFETY: a structure of ours; a feature of another size is not answered.
    unsafe { check(device, feature, (&raw mut data).cast(), size_of::<T>()) };
    data
}

/// The feature level: by [`levels`], from the answers above.
pub(crate) fn feature_level(device: &Device) -> D3D_FEATURE_LEVEL {
    let limits = &device.caps.limits;
    let mut model = D3D12_FEATURE_DATA_SHADER_MODEL { HighestShaderModel: D3D_SHADER_MODEL::SHADER_MODEL_6_10 };
    let mut root = D3D12_FEATURE_DATA_ROOT_SIGNATURE { HighestVersion: D3D_ROOT_SIGNATURE_VERSION::VERSION_1_2 };
    // SAFETY: structures of the features.
    unsafe {
        check(device, D3D12_FEATURE::SHADER_MODEL, (&raw mut model).cast(), size_of_val(&model));
        check(device, D3D12_FEATURE::ROOT_SIGNATURE, (&raw mut root).cast(), size_of_val(&root));
    }
    let reported = levels::Reported {
        shader_model: model.HighestShaderModel.0,
        root_signature: root.HighestVersion.0,
        address_bits: answer(device, D3D12_FEATURE::GPU_VIRTUAL_ADDRESS_SUPPORT),
        options: answer(device, D3D12_FEATURE::D3D12_OPTIONS),
        options1: answer(device, D3D12_FEATURE::D3D12_OPTIONS1),
        options2: answer(device, D3D12_FEATURE::D3D12_OPTIONS2),
        options3: answer(device, D3D12_FEATURE::D3D12_OPTIONS3),
        options5: answer(device, D3D12_FEATURE::D3D12_OPTIONS5),
        options6: answer(device, D3D12_FEATURE::D3D12_OPTIONS6),
        options7: answer(device, D3D12_FEATURE::D3D12_OPTIONS7),
        options8: answer(device, D3D12_FEATURE::D3D12_OPTIONS8),
        views: limits.max_per_stage_descriptor_storage_buffers.min(limits.max_per_stage_descriptor_storage_images),
    };
    let (level, missing) = levels::feature_level(&reported);
    reprise_log::debug(|| format!("feature level {:#x}; the next one lacks {missing:?}", level.0));
    settings().feature_level.map_or(level, |limit| level.min(D3D_FEATURE_LEVEL(limit)))
}

/// Whether CPU and GPU share all memory, and whether all of it is in the CPU's caches.
fn architecture(device: &Device) -> (BOOL, BOOL) {
    let architecture = device.caps.architecture;
    (yes(architecture.is_unified()), yes(architecture == Architecture::CacheCoherent))
}

/// Views of a heap that tier 3 needs at least: half of what the API names, because Vulkan's limits count textures and typed
/// buffers together. `OPTIONS19` says how many there are.
const WHOLE_HEAP: u32 = VIEWS / 2;

/// The tier of a device whose shaders reach so many views of a heap. In tiers 2 and 3 tables are as large as heaps; in tier 1
/// they have 128 views at most.
fn binding_tier(views: u32) -> D3D12_RESOURCE_BINDING_TIER {
    match views {
        WHOLE_HEAP.. => D3D12_RESOURCE_BINDING_TIER::TIER_3,
        _ => D3D12_RESOURCE_BINDING_TIER::TIER_1,
    }
}

/// How far conservative rasterisation goes. In tier 1 a triangle may grow by half a pixel, in the others by 1/256; tier 2 draws
/// triangles without area, and tier 3 tells shaders which pixels a triangle covers whole (the API's specification of
/// conservative rasterisation).
fn conservative_tier(device: &Device) -> D3D12_CONSERVATIVE_RASTERIZATION_TIER {
    use D3D12_CONSERVATIVE_RASTERIZATION_TIER as Tier;
    let it = &device.caps.conservative;
    if !device.caps.extensions.conservative || it.primitive_overestimation_size > 0.5 {
        Tier::TIER_NOT_SUPPORTED
    } else if it.degenerate_triangles_rasterized == 0 || it.primitive_overestimation_size > 1.0 / 256.0 {
        Tier::TIER_1
    } else if it.fully_covered_fragment_shader_input_variable == 0 {
        Tier::TIER_2
    } else {
        Tier::TIER_3
    }
}

/// Tier 1 is a rate of the list's; tier 2 adds those of primitives and of images, and all ways to combine them but sums.
fn rates_tier(rates: &Rates) -> D3D12_VARIABLE_SHADING_RATE_TIER {
    use D3D12_VARIABLE_SHADING_RATE_TIER as Tier;
    match (rates.lists, rates.primitives && rates.tile != 0 && rates.combined) {
        (false, _) => Tier::TIER_NOT_SUPPORTED,
        (true, false) => Tier::TIER_1,
        (true, true) => Tier::TIER_2,
    }
}

/// Tier 1 is one pattern for all pixels of 2, 4 and 8 samples. Tier 2 is for targets of any samples, with patterns of two by two
/// pixels up to 16 positions (the API's specification of programmable sample positions).
fn positions_tier(device: &Device) -> D3D12_PROGRAMMABLE_SAMPLE_POSITIONS_TIER {
    use D3D12_PROGRAMMABLE_SAMPLE_POSITIONS_TIER as Tier;
    let limits = &device.caps.limits;
    let counts = (limits.framebuffer_color_sample_counts & limits.framebuffer_depth_sample_counts).as_raw();
    let there = |samples: &u32| counts & samples != 0;
    let all = |side: u32, samples: &[u32]| {
        samples.iter().filter(|it| there(it)).all(|it| device.caps.positions.has(*it, side))
    };
    match all(1, &[2, 4, 8]) && there(&4) {
        false if crate::environment::settings().reports_positions => Tier::TIER_1,
        false => Tier::TIER_NOT_SUPPORTED,
        true if all(1, &[1, 16]) && all(2, &[1, 2, 4]) => Tier::TIER_2,
        true => Tier::TIER_1,
    }
}

/// Whether any stage before the rasteriser can say which viewport and layer a view is drawn to.
pub(crate) fn has_views(caps: &Caps) -> bool {
    vulkan(caps.features.v12.shader_output_viewport_index) && vulkan(caps.features.v12.shader_output_layer)
}

/// Tier 2 where buffers, textures and targets share one heap.
fn heap_tier(device: &Device) -> D3D12_RESOURCE_HEAP_TIER {
    match device.caps.mixed_memory {
        true => D3D12_RESOURCE_HEAP_TIER::TIER_2,
        false => D3D12_RESOURCE_HEAP_TIER::TIER_1,
    }
}

/// Whether shaders may compute with 16-bit types. The API's keep denormals, and lie in buffers of any kind.
fn has_native_16(device: &Device) -> bool {
    let caps = &device.caps;
    device.shader_model >= D3D_SHADER_MODEL::SHADER_MODEL_6_2
        && caps.computes_narrowly()
        && vulkan(caps.v12.shader_denorm_preserve_float16)
}

/// Samples of a pixel in the API, one bit for each number: up to 16.
const SAMPLE_COUNTS: u32 = 0x1f;

/// Layers of a texture in the API.
const LAYERS: u32 = 2048;

/// Whether indirect commands can set root constants to their numbers: Vulkan generates them, or root arguments may lie in memory.
fn has_numbers(device: &Device) -> bool {
    device.ext.generated_commands.is_some() || device.ext.push_descriptor.is_some()
}

/// Whether there are mesh and amplification shaders, which shader model 6.5 has.
fn has_meshes(device: &Device) -> bool {
    device.shader_model >= D3D_SHADER_MODEL::SHADER_MODEL_6_5 && device.caps.has_mesh_shaders()
}

/// How far ray tracing goes: pipelines in tier 1.0, of shader model 6.3. Tier 1.1 adds queries in shaders of every stage, of shader
/// model 6.5, indirect dispatches and additions to state objects, which keep their identifiers. Tier 1.2 adds opacity micromaps.
fn ray_tracing_tier(device: &Device) -> D3D12_RAYTRACING_TIER {
    let (caps, features) = (&device.caps, &device.caps.features);
    if device.shader_model < D3D_SHADER_MODEL::SHADER_MODEL_6_3 || !caps.has_ray_pipelines() {
        return D3D12_RAYTRACING_TIER::TIER_NOT_SUPPORTED;
    }
    let newer = device.shader_model >= D3D_SHADER_MODEL::SHADER_MODEL_6_5
        && caps.has_ray_queries()
        && caps.traces_rays_indirectly()
        && caps.keeps_group_handles()
        && vulkan(features.ray_pipeline.ray_traversal_primitive_culling);
    match (newer, caps.has_all_of_micromaps()) {
        (true, true) => D3D12_RAYTRACING_TIER::TIER_1_2,
        (true, false) => D3D12_RAYTRACING_TIER::TIER_1_1,
        (false, _) => D3D12_RAYTRACING_TIER::TIER_1_0,
    }
}

/// Shader model 6.7's reads of textures: offsets that shaders compute, integers through samplers, raw gathers, comparisons at a
/// level of the shader's choice. Of these Vulkan makes only the offsets a feature.
fn has_advanced_reads(device: &Device) -> bool {
    device.shader_model >= D3D_SHADER_MODEL::SHADER_MODEL_6_7 && device.caps.reads_at_computed_offsets()
}

/// `CheckFeatureSupport`.
///
/// # Safety
/// `data` is null or leads to `size` bytes, aligned for the feature's structure.
pub(crate) unsafe fn check(device: &Device, feature: D3D12_FEATURE, data: *mut c_void, size: usize) -> i32 {
    match ROWS.iter().find(|row| row.0 == feature) {
        // SAFETY: as large as the row's structure.
        Some(row) if row.1 == size && !data.is_null() => unsafe { (row.2)(device, data) },
        _ => E_INVALIDARG,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_as_large_as_heaps_need_as_many_views() {
        assert_eq!(binding_tier(1_000_000), D3D12_RESOURCE_BINDING_TIER::TIER_3);
        assert_eq!(binding_tier(500_000), D3D12_RESOURCE_BINDING_TIER::TIER_3);
        assert_eq!(binding_tier(499_999), D3D12_RESOURCE_BINDING_TIER::TIER_1);
    }
}
