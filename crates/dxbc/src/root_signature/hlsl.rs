//! A root signature in the words of HLSL, as the attribute `[RootSignature("…")]` and `#define`s of it have it.
//!
//! Invariant: everything the model holds is said, also where it is HLSL's default; a number without a name is a number.

use super::{
    APPEND, Constants, Content, Descriptor, Kind, Parameter, Range, RootSignature, StaticSampler, UNBOUNDED, Version,
};

const FLAGS: [&str; 12] = [
    "ALLOW_INPUT_ASSEMBLER_INPUT_LAYOUT",
    "DENY_VERTEX_SHADER_ROOT_ACCESS",
    "DENY_HULL_SHADER_ROOT_ACCESS",
    "DENY_DOMAIN_SHADER_ROOT_ACCESS",
    "DENY_GEOMETRY_SHADER_ROOT_ACCESS",
    "DENY_PIXEL_SHADER_ROOT_ACCESS",
    "ALLOW_STREAM_OUTPUT",
    "LOCAL_ROOT_SIGNATURE",
    "DENY_AMPLIFICATION_SHADER_ROOT_ACCESS",
    "DENY_MESH_SHADER_ROOT_ACCESS",
    "CBV_SRV_UAV_HEAP_DIRECTLY_INDEXED",
    "SAMPLER_HEAP_DIRECTLY_INDEXED",
];
/// From bit 0; of root descriptors and of ranges.
const DATA_FLAGS: [&str; 4] =
    ["DESCRIPTORS_VOLATILE", "DATA_VOLATILE", "DATA_STATIC_WHILE_SET_AT_EXECUTE", "DATA_STATIC"];
const KEEPING_BOUNDS_CHECKS: (u32, &str) = (0x1_0000, "DESCRIPTORS_STATIC_KEEPING_BUFFER_BOUNDS_CHECKS");
const SAMPLER_FLAGS: [&str; 2] = ["UINT_BORDER_COLOR", "NON_NORMALIZED_COORDINATES"];
const VISIBILITIES: [&str; 8] = ["ALL", "VERTEX", "HULL", "DOMAIN", "GEOMETRY", "PIXEL", "AMPLIFICATION", "MESH"];
const FILTERS: [(u32, &str); 10] = [
    (0, "MIN_MAG_MIP_POINT"),
    (0x1, "MIN_MAG_POINT_MIP_LINEAR"),
    (0x4, "MIN_POINT_MAG_LINEAR_MIP_POINT"),
    (0x5, "MIN_POINT_MAG_MIP_LINEAR"),
    (0x10, "MIN_LINEAR_MAG_MIP_POINT"),
    (0x11, "MIN_LINEAR_MAG_POINT_MIP_LINEAR"),
    (0x14, "MIN_MAG_LINEAR_MIP_POINT"),
    (0x15, "MIN_MAG_MIP_LINEAR"),
    (0x54, "MIN_MAG_ANISOTROPIC_MIP_POINT"),
    (0x55, "ANISOTROPIC"),
];
/// By bits 7 and 8.
const REDUCTIONS: [&str; 4] = ["", "COMPARISON_", "MINIMUM_", "MAXIMUM_"];
const ADDRESSES: [&str; 5] = ["WRAP", "MIRROR", "CLAMP", "BORDER", "MIRROR_ONCE"];
const COMPARISONS: [&str; 8] =
    ["NEVER", "LESS", "EQUAL", "LESS_EQUAL", "GREATER", "NOT_EQUAL", "GREATER_EQUAL", "ALWAYS"];
const BORDERS: [&str; 5] =
    ["TRANSPARENT_BLACK", "OPAQUE_BLACK", "OPAQUE_WHITE", "OPAQUE_BLACK_UINT", "OPAQUE_WHITE_UINT"];

impl RootSignature {
    /// One clause a line, with commas between: what a compiler makes this root signature of when it is told the version.
    pub fn hlsl(&self, version: Version) -> String {
        let mut clauses = Vec::new();
        if self.flags != 0 || (self.parameters.is_empty() && self.samplers.is_empty()) {
            clauses.push(format!("RootFlags({})", flags(self.flags, &FLAGS, None)));
        }
        clauses.extend(self.parameters.iter().map(|one| parameter(one, version)));
        clauses.extend(self.samplers.iter().map(sampler));
        clauses.join(",\n") + "\n"
    }
}

fn parameter(parameter: &Parameter, version: Version) -> String {
    let visibility = match parameter.visibility {
        0 => String::new(),
        other => format!(", visibility={}", named("SHADER_VISIBILITY_", &VISIBILITIES, other, 0)),
    };
    match &parameter.content {
        Content::Constants(Constants { register, space, count }) => {
            format!("RootConstants(num32BitConstants={count}, b{register}{}{visibility})", in_space(*space))
        }
        Content::Descriptor(Descriptor { kind, register, space, flags }) => {
            let (name, letter) = kind_name(*kind);
            format!("{name}({letter}{register}{}{}{visibility})", in_space(*space), data_flags(*flags, version))
        }
        Content::Table(ranges) => {
            let ranges: Vec<String> = ranges.iter().map(|one| range(one, version)).collect();
            let visibility =
                if ranges.is_empty() { visibility.trim_start_matches(", ").to_owned() } else { visibility };
            format!("DescriptorTable({}{visibility})", ranges.join(", "))
        }
    }
}

fn range(range: &Range, version: Version) -> String {
    let (name, letter) = kind_name(range.kind);
    let count = match range.count {
        1 => String::new(),
        UNBOUNDED => ", numDescriptors=unbounded".to_owned(),
        count => format!(", numDescriptors={count}"),
    };
    let offset = match range.offset {
        APPEND => String::new(),
        offset => format!(", offset={offset}"),
    };
    format!(
        "{name}({letter}{}{count}{}{offset}{})",
        range.register,
        in_space(range.space),
        data_flags(range.flags, version)
    )
}

fn sampler(sampler: &StaticSampler) -> String {
    let filter = FILTERS.iter().find(|(value, _)| *value == sampler.filter & !0x180);
    let filter = match filter {
        Some((_, name)) => format!("FILTER_{}{name}", REDUCTIONS[(sampler.filter >> 7 & 3) as usize]),
        None => sampler.filter.to_string(),
    };
    let address = |mode| named("TEXTURE_ADDRESS_", &ADDRESSES, mode, 1);
    let float = |bits: u32| match f32::from_bits(bits) {
        // The shortest text for the largest ones is beyond what compilers take for a float.
        large if large.abs() > 1e38 => format!("{:?}", f64::from(large)),
        value => format!("{value:?}"),
    };
    let mut text = format!("StaticSampler(s{}, filter={filter}", sampler.register);
    let mut put = |name: &str, value: String| text.push_str(&format!(", {name}={value}"));
    put("addressU", address(sampler.address_u));
    put("addressV", address(sampler.address_v));
    put("addressW", address(sampler.address_w));
    put("mipLODBias", float(sampler.mip_lod_bias));
    put("maxAnisotropy", sampler.max_anisotropy.to_string());
    put("comparisonFunc", named("COMPARISON_", &COMPARISONS, sampler.comparison, 1));
    put("borderColor", named("STATIC_BORDER_COLOR_", &BORDERS, sampler.border_color, 0));
    put("minLOD", float(sampler.min_lod));
    put("maxLOD", float(sampler.max_lod));
    text.push_str(&in_space(sampler.space));
    if sampler.visibility != 0 {
        let visibility = named("SHADER_VISIBILITY_", &VISIBILITIES, sampler.visibility, 0);
        text.push_str(&format!(", visibility={visibility}"));
    }
    if sampler.flags != 0 {
        text.push_str(&format!(", flags={}", flags(sampler.flags, &SAMPLER_FLAGS, None)));
    }
    text.push(')');
    text
}

fn kind_name(kind: Kind) -> (&'static str, char) {
    match kind {
        Kind::Srv => ("SRV", 't'),
        Kind::Uav => ("UAV", 'u'),
        Kind::Cbv => ("CBV", 'b'),
        Kind::Sampler => ("Sampler", 's'),
    }
}

fn in_space(space: u32) -> String {
    if space == 0 { String::new() } else { format!(", space={space}") }
}

fn data_flags(value: u32, version: Version) -> String {
    // Version 1.0 has none: what the model says then is what their absence means.
    if value == 0 || version == Version::V1_0 {
        String::new()
    } else {
        format!(", flags={}", flags(value, &DATA_FLAGS, Some(KEEPING_BOUNDS_CHECKS)))
    }
}

/// The names of a value's bits, and a number of those that have none.
fn flags(value: u32, names: &[&str], more: Option<(u32, &str)>) -> String {
    let bits = names.iter().enumerate().map(|(bit, name)| (1 << bit, *name)).chain(more);
    let (mut rest, mut found) = (value, Vec::new());
    for (bit, name) in bits {
        if rest & bit != 0 {
            found.push(name.to_owned());
            rest &= !bit;
        }
    }
    if rest != 0 || found.is_empty() {
        found.push(rest.to_string());
    }
    found.join(" | ")
}

/// The name of a value that counts from `first`.
fn named(prefix: &str, names: &[&str], value: u32, first: u32) -> String {
    let name = value.checked_sub(first).and_then(|index| names.get(index as usize));
    name.map_or_else(|| value.to_string(), |name| format!("{prefix}{name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_reads_like_the_attribute() {
        let range = Range { kind: Kind::Srv, count: UNBOUNDED, register: 2, space: 1, flags: 1, offset: APPEND };
        let sampler_range = Range { kind: Kind::Sampler, count: 4, register: 0, space: 0, flags: 0, offset: 8 };
        let contents = [
            (Content::Table(vec![range, sampler_range]), 0),
            (Content::Constants(Constants { register: 0, space: 0, count: 6 }), 5),
            (Content::Descriptor(Descriptor { kind: Kind::Uav, register: 4, space: 2, flags: 2 }), 1),
        ];
        let parameters = contents.into_iter().map(|(content, visibility)| Parameter { visibility, content }).collect();
        let sampler = StaticSampler {
            filter: 0x95,
            address_u: 1,
            address_v: 4,
            address_w: 9,
            max_anisotropy: 1,
            comparison: 4,
            max_lod: f32::MAX.to_bits(),
            visibility: 5,
            ..StaticSampler::default()
        };
        let signature = RootSignature { flags: 0x1021, parameters, samplers: vec![sampler] };
        let expected = "\
RootFlags(ALLOW_INPUT_ASSEMBLER_INPUT_LAYOUT | DENY_PIXEL_SHADER_ROOT_ACCESS | 4096),
DescriptorTable(SRV(t2, numDescriptors=unbounded, space=1, flags=DESCRIPTORS_VOLATILE), Sampler(s0, numDescriptors=4, offset=8)),
RootConstants(num32BitConstants=6, b0, visibility=SHADER_VISIBILITY_PIXEL),
UAV(u4, space=2, flags=DATA_VOLATILE, visibility=SHADER_VISIBILITY_VERTEX),
StaticSampler(s0, filter=FILTER_COMPARISON_MIN_MAG_MIP_LINEAR, addressU=TEXTURE_ADDRESS_WRAP, addressV=TEXTURE_ADDRESS_BORDER, \
addressW=9, mipLODBias=0.0, maxAnisotropy=1, comparisonFunc=COMPARISON_LESS_EQUAL, \
borderColor=STATIC_BORDER_COLOR_TRANSPARENT_BLACK, minLOD=0.0, maxLOD=3.4028234663852886e38, visibility=SHADER_VISIBILITY_PIXEL)
";
        assert_eq!(signature.hlsl(Version::V1_1), expected);
        let flags = signature.hlsl(Version::V1_0).matches("flags=").count();
        assert_eq!(flags, 0, "version 1.0 has none");
        assert_eq!(RootSignature::default().hlsl(Version::V1_0), "RootFlags(0)\n");
    }
}
