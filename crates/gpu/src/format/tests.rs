//! The table against the model's list of formats, and sizes against what the names of both APIs say.
#![allow(clippy::unwrap_used)]

use ash::vk;
use reprise_d3d12::generated::ENUMS;
use reprise_d3d12::types::DXGI_FORMAT;

use super::{Encoding, Format};

/// All formats of the API that have a number of their own, by name without `DXGI_FORMAT_`.
fn all() -> impl Iterator<Item = (String, DXGI_FORMAT)> {
    let list = ENUMS.iter().find(|list| list.name == "DXGI_FORMAT").unwrap();
    let named = list.members.iter().map(|(name, value)| {
        (name.strip_prefix("DXGI_FORMAT_").unwrap().to_owned(), DXGI_FORMAT(i32::try_from(*value).unwrap_or(-1)))
    });
    named.filter(|(name, _)| !matches!(name.as_str(), "UNKNOWN" | "FORCE_UINT"))
}

/// Bits of a texel as a name counts them: each component is letters with their number of bits.
fn bits(components: &str) -> Option<u32> {
    let (mut sum, mut digits, mut letters) = (0, String::new(), 0);
    for character in components.chars().chain(['R']) {
        if character.is_ascii_digit() {
            digits.push(character);
            continue;
        }
        if !"RGBAXDSE".contains(character) {
            return None;
        }
        if letters > 0 || !digits.is_empty() {
            sum += digits.parse::<u32>().ok()?;
        }
        digits.clear();
        letters += 1;
    }
    Some(sum)
}

/// Bytes of a block by a format's name: of components before the first word of another kind.
fn bytes(name: &str) -> Option<u32> {
    let block = |number: &str| match number {
        "1" | "4" => Some(8),
        "2" | "3" | "5" | "6H" | "7" => Some(16),
        _ => None,
    };
    let mut words = name.split('_');
    let first = words.next()?;
    if let Some(number) = first.strip_prefix("BC") {
        return block(number);
    }
    let mut sum = bits(first)?;
    // `D32_SFLOAT_S8_UINT`, `D32_FLOAT_S8X24_UINT`, `X32_TYPELESS_G8X24_UINT`: other components follow.
    sum += words
        .filter_map(|word| if word.contains(|c: char| c.is_ascii_digit()) { bits(word) } else { None })
        .sum::<u32>();
    (sum > 0 && sum.is_multiple_of(8)).then_some(sum / 8)
}

#[test]
fn every_format_of_the_api_has_its_row() {
    let mut count = 0;
    for (name, number) in all() {
        let row = Format::get(number).unwrap_or_else(|| panic!("{name} has no row"));
        assert_eq!(row.dxgi, number, "{name}");
        count += 1;
    }
    assert_eq!(count, super::table::FORMATS.len(), "no row twice");
    for none in [0, -1, 116, 129, 133, 188, 192, i32::MAX, i32::MIN] {
        assert!(Format::get(DXGI_FORMAT(none)).is_none(), "{none}");
    }
}

#[test]
fn sizes_are_what_the_names_say() {
    let mut checked = 0;
    for (name, number) in all() {
        let row = Format::get(number).unwrap();
        if row.block_width == 2 || row.block_width == 8 || name == "R10G10B10_XR_BIAS_A2_UNORM" {
            continue;
        }
        if let Some(bytes) = bytes(&name) {
            assert_eq!(u32::from(row.block_bytes), bytes, "{name}");
            checked += 1;
        }
        let compressed = name.starts_with("BC");
        assert_eq!(
            (row.block_width, row.block_height),
            if compressed { (4, 4) } else { (row.block_width, 1) },
            "{name}"
        );
        assert_eq!(row.is_block_compressed(), compressed, "{name}");
    }
    assert!(checked > 85, "{checked}");
}

#[test]
fn vulkans_formats_are_as_large_and_of_the_same_kind() {
    let mut checked = 0;
    for (name, number) in all() {
        let row = Format::get(number).unwrap();
        let vulkan = format!("{:?}", row.vk);
        if row.vk == vk::Format::UNDEFINED {
            continue;
        }
        let plain = vulkan.split("_PACK").next().unwrap().replace("_BLOCK", "");
        if row.is_video() {
            // One word for each plane: `G8_B8R8_2PLANE_420_UNORM`, whose chroma is half as wide and high.
            let sizes: Vec<_> = plain.split('_').take(2).map(|word| bits(word).unwrap() / 8).collect();
            let planes: Vec<_> = row.planes.iter().map(|plane| u32::from(plane.bytes)).collect();
            assert_eq!((sizes, plain.contains("_2PLANE_420_")), (planes, true), "{name} {vulkan}");
            assert_eq!(row.planes.iter().map(|plane| plane.subsample_log2).collect::<Vec<_>>(), [0, 1], "{name}");
            continue;
        }
        let size = if row.vk == vk::Format::D32_SFLOAT_S8_UINT {
            8
        } else {
            bytes(&plain).unwrap_or_else(|| panic!("{vulkan}"))
        };
        assert_eq!(u32::from(row.block_bytes), size, "{name} {vulkan}");
        let ends = |end: &str| plain.ends_with(end);
        let suits = match row.kind {
            Encoding::Typeless => true,
            Encoding::Float => ends("FLOAT") || row.vk == vk::Format::D32_SFLOAT_S8_UINT,
            Encoding::Unorm => ends("UNORM") || row.vk == vk::Format::D24_UNORM_S8_UINT,
            Encoding::Srgb => ends("SRGB"),
            Encoding::Snorm => ends("SNORM"),
            Encoding::Uint => ends("UINT"),
            Encoding::Sint => ends("SINT"),
            Encoding::Depth => plain.starts_with('D'),
            Encoding::Opaque => false,
        };
        assert!(suits, "{name} {vulkan}");
        checked += 1;
    }
    assert!(checked > 95, "{checked}");
}

#[test]
fn families_are_those_of_the_names() {
    for (name, number) in all() {
        let row = Format::get(number).unwrap();
        let family = Format::get(row.family).unwrap();
        // These name the part that they show.
        let views = ["R32_FLOAT_X8X24_TYPELESS", "R24_UNORM_X8_TYPELESS"];
        let typeless = name.ends_with("_TYPELESS") && !views.contains(&name.as_str());
        assert_eq!(row.kind == Encoding::Typeless, typeless, "{name}");
        assert!(family.dxgi == row.dxgi || family.kind == Encoding::Typeless, "{name}");
        assert_eq!(family.family, family.dxgi, "{name}");
        assert_eq!(family.block_bytes, row.block_bytes, "{name}");
        // A member begins as its family does: R8G8B8A8_UNORM of R8G8B8A8_TYPELESS.
        let of = all().find(|(_, number)| *number == row.family).unwrap().0;
        let stem = of.strip_suffix("_TYPELESS").unwrap_or(&of).to_owned();
        let odd = row.has_depth() || row.has_stencil() || name.contains("XR_BIAS");
        assert!(odd || name.starts_with(&stem), "{name} of {of}");
    }
    let relatives = |number: DXGI_FORMAT| Format::get(number).unwrap().relatives().count();
    assert_eq!(relatives(DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM), 6);
    assert_eq!(relatives(DXGI_FORMAT::FORMAT_D32_FLOAT), 5);
    assert_eq!(relatives(DXGI_FORMAT::FORMAT_D24_UNORM_S8_UINT), 4);
    assert_eq!(relatives(DXGI_FORMAT::FORMAT_R11G11B10_FLOAT), 1);
}

#[test]
fn the_bits_of_a_texel_have_a_format() {
    for (name, number) in all() {
        let row = Format::get(number).unwrap();
        let none = row.vk == vk::Format::UNDEFINED || row.is_video() || row.has_depth() || row.has_stencil();
        if none || row.block_bytes == 12 {
            continue;
        }
        let bits = row.bits().unwrap_or_else(|| panic!("{name}"));
        assert_eq!((bits.kind, bits.block_bytes), (Encoding::Uint, row.block_bytes), "{name}");
    }
}
