//! Shader model and feature level: which one is reported, and why not the next. Pure.
//!
//! Each level is a row of what it adds; a device has the highest one up to which all rows are met. A shader model's row asks the
//! Vulkan device what generated code needs. A feature level's row asks what `CheckFeatureSupport` answers, so that no level can
//! be reported whose features are not.
//!
//! What a shader model leaves to a feature of its own (16 and 64-bit types, barycentrics, mesh shaders, ray tracing) is no part
//! of its row. Modes of denormals are not either: a device that has only one of them refuses the shaders that ask for the other
//! (see `pipeline::shader`), which are few, and has all else.

use std::sync::Once;

use ash::vk;
use reprise_d3d12::types::*;
use reprise_gpu::caps::Caps;

use crate::environment::settings;

/// What shader models ask of a device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Shaders {
    /// Vote, arithmetic, ballot, shuffle and quad operations of at least 4 lanes, in pixel and compute shaders.
    pub(super) waves: bool,
    /// 16-bit integers, which the translator makes of minimum precision.
    pub(super) int16: bool,
    /// 64-bit atomics on raw and structured buffers.
    pub(super) atomics_64: bool,
    /// 8-bit integers, for packed arithmetic.
    pub(super) int8: bool,
    /// Derivatives in compute shaders, over lanes in a row.
    pub(super) compute_derivatives: bool,
    /// Compute shaders say how many lanes a wave has.
    pub(super) wave_size: bool,
    /// Quad operations where lanes diverge.
    pub(super) quad_control: bool,
    /// Lanes come together again where the source says.
    pub(super) reconvergence: bool,
}

/// What `CheckFeatureSupport` answers, as far as feature levels ask.
#[derive(Clone, Copy, Default)]
pub(super) struct Reported {
    pub(super) shader_model: i32,
    pub(super) root_signature: i32,
    pub(super) address_bits: D3D12_FEATURE_DATA_GPU_VIRTUAL_ADDRESS_SUPPORT,
    pub(super) options: D3D12_FEATURE_DATA_D3D12_OPTIONS,
    pub(super) options1: D3D12_FEATURE_DATA_D3D12_OPTIONS1,
    pub(super) options2: D3D12_FEATURE_DATA_D3D12_OPTIONS2,
    pub(super) options3: D3D12_FEATURE_DATA_D3D12_OPTIONS3,
    pub(super) options5: D3D12_FEATURE_DATA_D3D12_OPTIONS5,
    pub(super) options6: D3D12_FEATURE_DATA_D3D12_OPTIONS6,
    pub(super) options7: D3D12_FEATURE_DATA_D3D12_OPTIONS7,
    pub(super) options8: D3D12_FEATURE_DATA_D3D12_OPTIONS8,
    /// Unordered access views that a stage can have without a heap's help.
    pub(super) views: u32,
}

/// What a level asks: its name, and whether it is there.
type Needs<Of> = &'static [(&'static str, fn(&Of) -> bool)];

/// Shader models above 5.1, which the required rows of `requirements` give.
const MODELS: &[(D3D_SHADER_MODEL, Needs<Shaders>)] = &[
    (D3D_SHADER_MODEL::SHADER_MODEL_6_0, &[("wave operations", |has| has.waves), ("16-bit integers", |has| has.int16)]),
    (D3D_SHADER_MODEL::SHADER_MODEL_6_1, &[]),
    (D3D_SHADER_MODEL::SHADER_MODEL_6_2, &[]),
    (D3D_SHADER_MODEL::SHADER_MODEL_6_3, &[]),
    (D3D_SHADER_MODEL::SHADER_MODEL_6_4, &[]),
    (D3D_SHADER_MODEL::SHADER_MODEL_6_5, &[]),
    (
        D3D_SHADER_MODEL::SHADER_MODEL_6_6,
        &[
            ("64-bit atomics on buffers", |has| has.atomics_64),
            ("8-bit integers", |has| has.int8),
            (
                "derivatives in compute shaders (VK_KHR_compute_shader_derivatives or VK_NV_compute_shader_derivatives)",
                |has| has.compute_derivatives,
            ),
            ("waves of a given size", |has| has.wave_size),
        ],
    ),
    (
        D3D_SHADER_MODEL::SHADER_MODEL_6_7,
        &[
            ("quad operations of diverged lanes", |has| has.quad_control),
            ("reconvergence (VK_KHR_shader_maximal_reconvergence)", |has| has.reconvergence),
        ],
    ),
    (D3D_SHADER_MODEL::SHADER_MODEL_6_8, &[]),
];

/// Feature levels above 11_0, which the required rows of `requirements` give.
const LEVELS: &[(D3D_FEATURE_LEVEL, Needs<Reported>)] = &[
    (
        D3D_FEATURE_LEVEL::LEVEL_11_1,
        &[
            ("logical operations", |is| yes(is.options.OutputMergerLogicOp)),
            ("64 unordered views", |is| is.views >= 64),
        ],
    ),
    (
        D3D_FEATURE_LEVEL::LEVEL_12_0,
        &[
            ("tiled resources of tier 2", |is| is.options.TiledResourcesTier.0 >= 2),
            ("resource binding of tier 2", |is| is.options.ResourceBindingTier.0 >= 2),
            ("typed loads of more formats", |is| yes(is.options.TypedUAVLoadAdditionalFormats)),
        ],
    ),
    (
        D3D_FEATURE_LEVEL::LEVEL_12_1,
        &[
            ("conservative rasterisation", |is| is.options.ConservativeRasterizationTier.0 >= 1),
            ("rasteriser-ordered views", |is| yes(is.options.ROVsSupported)),
        ],
    ),
    (
        D3D_FEATURE_LEVEL::LEVEL_12_2,
        &[
            ("shader model 6.5", |is| is.shader_model >= 0x65),
            ("ray tracing of tier 1.1", |is| is.options5.RaytracingTier.0 >= 11),
            ("variable shading rates of tier 2", |is| is.options6.VariableShadingRateTier.0 >= 2),
            ("mesh shaders", |is| is.options7.MeshShaderTier.0 >= 10),
            ("sampler feedback of tier 0.9", |is| is.options7.SamplerFeedbackTier.0 >= 90),
            ("resource binding of tier 3", |is| is.options.ResourceBindingTier.0 >= 3),
            ("tiled resources of tier 3", |is| is.options.TiledResourcesTier.0 >= 3),
            ("conservative rasterisation of tier 3", |is| is.options.ConservativeRasterizationTier.0 >= 3),
            ("root signatures 1.1", |is| is.root_signature >= D3D_ROOT_SIGNATURE_VERSION::VERSION_1_1.0),
            ("depth bounds", |is| yes(is.options2.DepthBoundsTestSupported)),
            ("immediate writes", |is| {
                use D3D12_COMMAND_LIST_SUPPORT_FLAGS as Kinds;
                let all = Kinds::DIRECT.0 | Kinds::COMPUTE.0 | Kinds::BUNDLE.0;
                is.options3.WriteBufferImmediateSupportFlags.0 & all == all
            }),
            ("40 bits of addresses", |is| {
                is.address_bits
                    .MaxGPUVirtualAddressBitsPerResource
                    .min(is.address_bits.MaxGPUVirtualAddressBitsPerProcess)
                    >= 40
            }),
            ("wave operations", |is| yes(is.options1.WaveOps)),
            ("logical operations", |is| yes(is.options.OutputMergerLogicOp)),
            ("layers and viewports from any stage", |is| {
                yes(is.options.VPAndRTArrayIndexFromAnyShaderFeedingRasterizerSupportedWithoutGSEmulation)
            }),
            ("timestamps on copy queues", |is| yes(is.options3.CopyQueueTimestampQueriesSupported)),
            ("casting of typed formats", |is| yes(is.options3.CastingFullyTypedFormatSupported)),
            ("unaligned block textures", |is| yes(is.options8.UnalignedBlockTexturesSupported)),
            ("64-bit integers", |is| yes(is.options1.Int64ShaderOps)),
        ],
    ),
];

fn yes(flag: BOOL) -> bool {
    flag != 0
}

/// The last level whose needs, and those of all before it, are met; and what the next one lacks.
fn highest<Level: Copy, Of>(least: Level, levels: &[(Level, Needs<Of>)], has: &Of) -> (Level, Vec<&'static str>) {
    let mut best = least;
    for (level, needs) in levels {
        let missing: Vec<_> = needs.iter().filter(|(_, met)| !met(has)).map(|(name, _)| *name).collect();
        if !missing.is_empty() {
            return (best, missing);
        }
        best = *level;
    }
    (best, Vec::new())
}

/// The shader model to report, and what the next one lacks.
pub(super) fn shader_model(has: &Shaders) -> (D3D_SHADER_MODEL, Vec<&'static str>) {
    highest(D3D_SHADER_MODEL::SHADER_MODEL_5_1, MODELS, has)
}

/// The feature level to report, and what the next one lacks.
pub(super) fn feature_level(reported: &Reported) -> (D3D_FEATURE_LEVEL, Vec<&'static str>) {
    highest(D3D_FEATURE_LEVEL::LEVEL_11_0, LEVELS, reported)
}

/// What of a Vulkan device shader models ask for.
fn shaders(caps: &Caps) -> Shaders {
    let (features, v11, v13) = (&caps.features, &caps.v11, &caps.v13);
    type Ops = vk::SubgroupFeatureFlags;
    let operations = Ops::BASIC | Ops::VOTE | Ops::ARITHMETIC | Ops::BALLOT | Ops::SHUFFLE | Ops::QUAD;
    let compute = vk::ShaderStageFlags::COMPUTE;
    let has = |feature: vk::Bool32| feature != 0;
    Shaders {
        waves: v11.subgroup_supported_operations.contains(operations)
            && v11.subgroup_supported_stages.contains(compute | vk::ShaderStageFlags::FRAGMENT)
            && v13.min_subgroup_size >= 4,
        int16: has(features.base.shader_int16),
        atomics_64: has(features.v12.shader_buffer_int64_atomics) && has(features.base.shader_int64),
        int8: has(features.v12.shader_int8),
        compute_derivatives: caps.has_compute_derivatives(),
        wave_size: v13.min_subgroup_size == v13.max_subgroup_size
            || v13.required_subgroup_size_stages.contains(compute) && has(features.v13.compute_full_subgroups),
        quad_control: caps.keeps_quads_together(),
        reconvergence: caps.reconverges(),
    }
}

/// Why a program may get an older shader model under Wine than natively.
fn below_native(model: D3D_SHADER_MODEL, missing: &[&str]) -> String {
    format!(
        "shader model {}.{}: Vulkan lacks {} here; an old Wine passes on only the extensions that it knows, so a newer one may have more",
        model.0 >> 4,
        model.0 & 0xf,
        missing.join(", ")
    )
}

/// The shader model of a Vulkan device.
pub(crate) fn of_device(caps: &Caps) -> D3D_SHADER_MODEL {
    let (model, missing) = shader_model(&shaders(caps));
    reprise_log::debug(|| format!("shader model {:#x}; the next one lacks {missing:?}", model.0));
    if cfg!(windows) && !missing.is_empty() {
        static TOLD: Once = Once::new();
        TOLD.call_once(|| reprise_log::info(below_native(model, &missing)));
    }
    settings().shader_model.map_or(model, |limit| model.min(D3D_SHADER_MODEL(limit)))
}

#[cfg(test)]
#[path = "levels_tests.rs"]
mod tests;
