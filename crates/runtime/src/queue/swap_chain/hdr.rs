//! What a display is told of the frames' brightness.

use reprise_d3d12::types::DXGI_HDR_METADATA_HDR10;
use reprise_gpu::present::Hdr;

/// Chromaticities are in units of 0.00002, the least luminance in units of 0.0001 nits, as `DXGI_HDR_METADATA_HDR10` says;
/// Vulkan has both in whole units.
pub(super) fn of(data: &DXGI_HDR_METADATA_HDR10) -> Hdr {
    let point = |[x, y]: [u16; 2]| [f32::from(x) / 50_000.0, f32::from(y) / 50_000.0];
    Hdr {
        primaries: [data.RedPrimary, data.GreenPrimary, data.BluePrimary, data.WhitePoint].map(point),
        luminance: [data.MinMasteringLuminance as f32 / 10_000.0, data.MaxMasteringLuminance as f32],
        content: data.MaxContentLightLevel.into(),
        frame: data.MaxFrameAverageLightLevel.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of BT.2020 with D65, as CTA-861.3 has them.
    #[test]
    fn numbers_are_whole_units() {
        let data = DXGI_HDR_METADATA_HDR10 {
            RedPrimary: [35_400, 14_600],
            GreenPrimary: [8_500, 39_850],
            BluePrimary: [6_550, 2_300],
            WhitePoint: [15_635, 16_450],
            MaxMasteringLuminance: 1_000,
            MinMasteringLuminance: 50,
            MaxContentLightLevel: 1_500,
            MaxFrameAverageLightLevel: 400,
        };
        let hdr = of(&data);
        assert_eq!(hdr.primaries, [[0.708, 0.292], [0.17, 0.797], [0.131, 0.046], [0.3127, 0.329]]);
        assert_eq!((hdr.luminance, hdr.content, hdr.frame), ([0.005, 1_000.0], 1_500.0, 400.0));
    }
}
