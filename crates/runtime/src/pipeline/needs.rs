//! What a shader says that it needs of a device: refused where `CheckFeatureSupport` does not report it, as by the API's own
//! runtime. So a shader never runs on what is not there.

use reprise_d3d12::types::*;
use reprise_dxbc::{Container, Tag};

use crate::device::{Device, answer};
use crate::{Error, Result};

/// The part with the flags, 64 bits.
const FEATURES: Tag = Tag(*b"SFI0");

/// A flag of the container, what it means, and whether the device reports it.
type Row = (u64, &'static str, fn(&Device) -> bool);

macro_rules! rows {
    ($($bit:literal $what:literal $feature:ident $data:ident |$is:ident| $reported:expr;)*) => {
        &[$((1 << $bit, $what, |device| {
            let $is: $data = answer(device, D3D12_FEATURE::$feature);
            $reported
        }),)*]
    };
}

/// Flags that are not here ask for what every device has.
const ROWS: &[Row] = rows! {
    0 "64-bit floats" D3D12_OPTIONS D3D12_FEATURE_DATA_D3D12_OPTIONS |is| is.DoublePrecisionFloatShaderOps != 0;
    5 "64-bit floats" D3D12_OPTIONS D3D12_FEATURE_DATA_D3D12_OPTIONS |is| is.DoublePrecisionFloatShaderOps != 0;
    9 "stencil values" D3D12_OPTIONS D3D12_FEATURE_DATA_D3D12_OPTIONS |is| is.PSSpecifiedStencilRefSupported != 0;
    10 "inner coverage" D3D12_OPTIONS D3D12_FEATURE_DATA_D3D12_OPTIONS |is| is.ConservativeRasterizationTier.0 >= 3;
    11 "typed loads of more formats" D3D12_OPTIONS D3D12_FEATURE_DATA_D3D12_OPTIONS
        |is| is.TypedUAVLoadAdditionalFormats != 0;
    12 "ordered views" D3D12_OPTIONS D3D12_FEATURE_DATA_D3D12_OPTIONS |is| is.ROVsSupported != 0;
    13 "layers and viewports from any stage" D3D12_OPTIONS D3D12_FEATURE_DATA_D3D12_OPTIONS
        |is| is.VPAndRTArrayIndexFromAnyShaderFeedingRasterizerSupportedWithoutGSEmulation != 0;
    14 "wave operations" D3D12_OPTIONS1 D3D12_FEATURE_DATA_D3D12_OPTIONS1 |is| is.WaveOps != 0;
    15 "64-bit integers" D3D12_OPTIONS1 D3D12_FEATURE_DATA_D3D12_OPTIONS1 |is| is.Int64ShaderOps != 0;
    17 "barycentric coordinates" D3D12_OPTIONS3 D3D12_FEATURE_DATA_D3D12_OPTIONS3 |is| is.BarycentricsSupported != 0;
    18 "16-bit types" D3D12_OPTIONS4 D3D12_FEATURE_DATA_D3D12_OPTIONS4 |is| is.Native16BitShaderOpsSupported != 0;
    19 "shading rates" D3D12_OPTIONS6 D3D12_FEATURE_DATA_D3D12_OPTIONS6 |is| is.VariableShadingRateTier.0 >= 2;
    20 "ray queries" D3D12_OPTIONS5 D3D12_FEATURE_DATA_D3D12_OPTIONS5 |is| is.RaytracingTier.0 >= 11;
    21 "sampler feedback" D3D12_OPTIONS7 D3D12_FEATURE_DATA_D3D12_OPTIONS7 |is| is.SamplerFeedbackTier.0 != 0;
    22 "64-bit atomics on typed resources" D3D12_OPTIONS9 D3D12_FEATURE_DATA_D3D12_OPTIONS9
        |is| is.AtomicInt64OnTypedResourceSupported != 0;
    23 "64-bit atomics on group memory" D3D12_OPTIONS9 D3D12_FEATURE_DATA_D3D12_OPTIONS9
        |is| is.AtomicInt64OnGroupSharedSupported != 0;
    24 "derivatives in mesh shaders" D3D12_OPTIONS9 D3D12_FEATURE_DATA_D3D12_OPTIONS9
        |is| is.DerivativesInMeshAndAmplificationShadersSupported != 0;
    28 "64-bit atomics through the heap" D3D12_OPTIONS11 D3D12_FEATURE_DATA_D3D12_OPTIONS11
        |is| is.AtomicInt64OnDescriptorHeapResourceSupported != 0;
    29 "advanced texture operations" D3D12_OPTIONS14 D3D12_FEATURE_DATA_D3D12_OPTIONS14
        |is| is.AdvancedTextureOpsSupported != 0;
    30 "writes to textures of several samples" D3D12_OPTIONS14 D3D12_FEATURE_DATA_D3D12_OPTIONS14
        |is| is.WriteableMSAATexturesSupported != 0;
    31 "comparison with a gradient or bias" D3D12_OPTIONS21 D3D12_FEATURE_DATA_D3D12_OPTIONS21
        |is| is.SampleCmpGradientAndBiasSupported != 0;
};

/// The flags of a shader; none where it has no such part.
fn flags(blob: &[u8]) -> u64 {
    let part = Container::parse(blob).ok().and_then(|container| container.part(FEATURES));
    let bytes = part.and_then(|part| part.data.first_chunk().copied());
    bytes.map_or(0, u64::from_le_bytes)
}

/// Whether the device reports all that a shader needs.
///
/// # Errors
/// [`Error::Invalid`]; the log names what is missing.
pub(super) fn check(device: &Device, blob: &[u8]) -> Result<()> {
    let asked = flags(blob);
    match ROWS.iter().find(|(bit, _, reported)| asked & bit != 0 && !reported(device)) {
        None => Ok(()),
        Some((_, what, _)) => {
            reprise_log::warning(format!("a shader is refused: it needs {what}, which the device does not report"));
            Err(Error::Invalid("a shader needs what the device does not report"))
        }
    }
}

#[cfg(test)]
mod tests {
    use reprise_dxbc::container::build;

    use super::*;

    #[test]
    fn flags_are_read_where_they_are() {
        assert_eq!(flags(&build(&[(Tag::DXIL, &[0; 4]), (FEATURES, &[0, 0, 4, 0, 1, 0, 0, 0])])), 1 << 18 | 1 << 32);
        assert_eq!(flags(&build(&[(Tag::DXIL, &[0; 4])])), 0);
        assert_eq!(flags(&build(&[(FEATURES, &[1; 4])])), 0, "cut off");
        assert_eq!(flags(b"nothing"), 0);
        let once: std::collections::BTreeSet<u64> = ROWS.iter().map(|row| row.0).collect();
        assert_eq!(once.len(), ROWS.len());
    }
}
