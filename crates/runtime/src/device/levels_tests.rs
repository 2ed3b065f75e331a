//! The tables against the specification's, written down once more from there.

use super::*;

const ALL: Shaders = Shaders {
    waves: true,
    int16: true,
    atomics_64: true,
    int8: true,
    compute_derivatives: true,
    wave_size: true,
    quad_control: true,
    reconvergence: true,
};

fn model(has: Shaders) -> i32 {
    shader_model(&has).0.0
}

#[test]
fn shader_models_end_before_what_a_device_lacks() {
    assert_eq!(model(ALL), 0x68);
    type Field = fn(&mut Shaders) -> &mut bool;
    let without: [(Field, i32); 8] = [
        (|has| &mut has.waves, 0x51),
        (|has| &mut has.int16, 0x51),
        (|has| &mut has.atomics_64, 0x65),
        (|has| &mut has.int8, 0x65),
        (|has| &mut has.compute_derivatives, 0x65),
        (|has| &mut has.wave_size, 0x65),
        (|has| &mut has.quad_control, 0x66),
        (|has| &mut has.reconvergence, 0x66),
    ];
    for (field, expected) in without {
        let mut has = ALL;
        *field(&mut has) = false;
        assert_eq!(model(has), expected, "{:?}", shader_model(&has).1);
        assert_eq!(shader_model(&has).1.len(), 1, "one thing is missing, and named");
    }
    assert_eq!(model(Shaders::default()), 0x51);
}

/// Wine 8.0 on a driver with all of 6.8: it does not pass on two extensions.
#[test]
fn a_program_is_told_why_it_gets_an_older_shader_model() {
    let mut has = ALL;
    (has.compute_derivatives, has.reconvergence) = (false, false);
    let (model, missing) = shader_model(&has);
    let said = below_native(model, &missing);
    assert!(said.starts_with("shader model 6.5: Vulkan lacks "), "{said}");
    assert!(said.contains("VK_KHR_compute_shader_derivatives"), "{said}");
}

/// Exactly what the specification asks of feature level 12_2.
fn least_of_12_2() -> Reported {
    const DIRECT: u32 = 1;
    const BUNDLE: u32 = 2;
    const COMPUTE: u32 = 4;
    let mut is = Reported { shader_model: 0x65, root_signature: 2, views: 64, ..Reported::default() };
    is.address_bits.MaxGPUVirtualAddressBitsPerResource = 40;
    is.address_bits.MaxGPUVirtualAddressBitsPerProcess = 40;
    is.options.OutputMergerLogicOp = 1;
    is.options.TiledResourcesTier = D3D12_TILED_RESOURCES_TIER(3);
    is.options.ResourceBindingTier = D3D12_RESOURCE_BINDING_TIER(3);
    is.options.TypedUAVLoadAdditionalFormats = 1;
    is.options.ConservativeRasterizationTier = D3D12_CONSERVATIVE_RASTERIZATION_TIER(3);
    is.options.ROVsSupported = 1;
    is.options.VPAndRTArrayIndexFromAnyShaderFeedingRasterizerSupportedWithoutGSEmulation = 1;
    is.options1.WaveOps = 1;
    is.options1.Int64ShaderOps = 1;
    is.options2.DepthBoundsTestSupported = 1;
    is.options3.WriteBufferImmediateSupportFlags = D3D12_COMMAND_LIST_SUPPORT_FLAGS(DIRECT | BUNDLE | COMPUTE);
    is.options3.CopyQueueTimestampQueriesSupported = 1;
    is.options3.CastingFullyTypedFormatSupported = 1;
    is.options5.RaytracingTier = D3D12_RAYTRACING_TIER(11);
    is.options6.VariableShadingRateTier = D3D12_VARIABLE_SHADING_RATE_TIER(2);
    is.options7.MeshShaderTier = D3D12_MESH_SHADER_TIER(10);
    is.options7.SamplerFeedbackTier = D3D12_SAMPLER_FEEDBACK_TIER(90);
    is.options8.UnalignedBlockTexturesSupported = 1;
    is
}

#[test]
fn each_row_of_the_specification_decides() {
    const L11_0: i32 = 0xb000;
    const L11_1: i32 = 0xb100;
    const L12_0: i32 = 0xc000;
    const L12_1: i32 = 0xc100;
    const L12_2: i32 = 0xc200;
    let level = |is: &Reported| feature_level(is).0.0;
    assert_eq!(level(&least_of_12_2()), L12_2);
    assert_eq!(level(&Reported::default()), L11_0);
    type Lower = fn(&mut Reported);
    let lowered: [(Lower, i32); 26] = [
        (|is| is.options.OutputMergerLogicOp = 0, L11_0),
        (|is| is.views = 63, L11_0),
        (|is| is.options.TiledResourcesTier.0 = 1, L11_1),
        (|is| is.options.ResourceBindingTier.0 = 1, L11_1),
        (|is| is.options.TypedUAVLoadAdditionalFormats = 0, L11_1),
        (|is| is.options.ConservativeRasterizationTier.0 = 0, L12_0),
        (|is| is.options.ROVsSupported = 0, L12_0),
        (|is| is.options.TiledResourcesTier.0 = 2, L12_1),
        (|is| is.options.ResourceBindingTier.0 = 2, L12_1),
        (|is| is.options.ConservativeRasterizationTier.0 = 2, L12_1),
        (|is| is.shader_model = 0x64, L12_1),
        (|is| is.options5.RaytracingTier.0 = 10, L12_1),
        (|is| is.options6.VariableShadingRateTier.0 = 1, L12_1),
        (|is| is.options7.MeshShaderTier.0 = 0, L12_1),
        (|is| is.options7.SamplerFeedbackTier.0 = 0, L12_1),
        (|is| is.root_signature = 1, L12_1),
        (|is| is.options2.DepthBoundsTestSupported = 0, L12_1),
        (|is| is.options3.WriteBufferImmediateSupportFlags.0 = 1, L12_1),
        (|is| is.address_bits.MaxGPUVirtualAddressBitsPerResource = 39, L12_1),
        (|is| is.address_bits.MaxGPUVirtualAddressBitsPerProcess = 39, L12_1),
        (|is| is.options1.WaveOps = 0, L12_1),
        (|is| is.options.VPAndRTArrayIndexFromAnyShaderFeedingRasterizerSupportedWithoutGSEmulation = 0, L12_1),
        (|is| is.options3.CopyQueueTimestampQueriesSupported = 0, L12_1),
        (|is| is.options3.CastingFullyTypedFormatSupported = 0, L12_1),
        (|is| is.options8.UnalignedBlockTexturesSupported = 0, L12_1),
        (|is| is.options1.Int64ShaderOps = 0, L12_1),
    ];
    for (at, (lower, expected)) in lowered.into_iter().enumerate() {
        let mut is = least_of_12_2();
        lower(&mut is);
        assert_eq!(level(&is), expected, "row {at}: {:?}", feature_level(&is).1);
        assert!(!feature_level(&is).1.is_empty(), "row {at} names what is missing");
    }
}
