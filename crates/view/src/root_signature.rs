//! A root signature as JSON, in the words of the API.

use crate::api;
use reprise_codec::Codec;
use reprise_d3d12::model::EnumId;
use reprise_dxbc::RootSignature;
use reprise_dxbc::root_signature::{APPEND, Content, Kind, Parameter, Range, StaticSampler, UNBOUNDED, Version};
use serde_json::{Value as Json, json};

/// The whole of it. Registers are as in HLSL: `t3, space1`.
pub fn json(codec: &Codec, signature: &RootSignature, version: Version) -> Json {
    let names = Names(codec);
    let number = match version {
        Version::V1_0 => "1.0",
        Version::V1_1 => "1.1",
        Version::V1_2 => "1.2",
    };
    json!({
        "version": number,
        "flags": names.name("D3D12_ROOT_SIGNATURE_FLAGS", signature.flags),
        "dwords": signature.cost(),
        "parameters": signature.parameters.iter().map(|parameter| names.parameter(parameter)).collect::<Json>(),
        "static_samplers": signature.samplers.iter().map(|sampler| names.sampler(sampler)).collect::<Json>(),
    })
}

/// Names of the API's numbers.
struct Names<'c>(&'c Codec);

impl Names<'_> {
    /// The name of a value or of flags; the number where the model lacks the enumeration.
    fn name(&self, enumeration: &str, value: u32) -> Json {
        let place = api::model().enums.iter().position(|own| own.name == enumeration);
        match place.and_then(|place| u16::try_from(place).ok()) {
            Some(place) => self.0.enum_name(EnumId(place), value).into(),
            None => value.into(),
        }
    }

    fn parameter(&self, parameter: &Parameter) -> Json {
        let mut json = match &parameter.content {
            Content::Table(ranges) => {
                json!({ "table": ranges.iter().map(|range| self.range(range)).collect::<Json>() })
            }
            Content::Constants(constants) => json!({
                "constants": constants.count,
                "register": register(Kind::Cbv, constants.register, constants.space),
            }),
            Content::Descriptor(descriptor) => json!({
                "descriptor": kind(descriptor.kind),
                "register": register(descriptor.kind, descriptor.register, descriptor.space),
                "flags": self.name("D3D12_ROOT_DESCRIPTOR_FLAGS", descriptor.flags),
            }),
        };
        json["visibility"] = self.name("D3D12_SHADER_VISIBILITY", parameter.visibility);
        json
    }

    fn range(&self, range: &Range) -> Json {
        let unless = |value: u32, special: u32, word: &str| match value {
            value if value == special => Json::from(word),
            value => Json::from(value),
        };
        json!({
            "kind": kind(range.kind),
            "register": register(range.kind, range.register, range.space),
            "count": unless(range.count, UNBOUNDED, "unbounded"),
            "offset": unless(range.offset, APPEND, "append"),
            "flags": self.name("D3D12_DESCRIPTOR_RANGE_FLAGS", range.flags),
        })
    }

    fn sampler(&self, sampler: &StaticSampler) -> Json {
        let address = |mode: u32| self.name("D3D12_TEXTURE_ADDRESS_MODE", mode);
        // Text where JSON has no number for it.
        let float = |bits: u32| serde_json::Number::from_f64(f32::from_bits(bits).into()).map(Json::from);
        let float = |bits: u32| float(bits).unwrap_or_else(|| f32::from_bits(bits).to_string().into());
        json!({
            "register": register(Kind::Sampler, sampler.register, sampler.space),
            "filter": self.name("D3D12_FILTER", sampler.filter),
            "address_u": address(sampler.address_u),
            "address_v": address(sampler.address_v),
            "address_w": address(sampler.address_w),
            "mip_lod_bias": float(sampler.mip_lod_bias),
            "max_anisotropy": sampler.max_anisotropy,
            "comparison": self.name("D3D12_COMPARISON_FUNC", sampler.comparison),
            "border_color": self.name("D3D12_STATIC_BORDER_COLOR", sampler.border_color),
            "min_lod": float(sampler.min_lod),
            "max_lod": float(sampler.max_lod),
            "flags": self.name("D3D12_SAMPLER_FLAGS", sampler.flags),
            "visibility": self.name("D3D12_SHADER_VISIBILITY", sampler.visibility),
        })
    }
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Srv => "srv",
        Kind::Uav => "uav",
        Kind::Cbv => "cbv",
        Kind::Sampler => "sampler",
    }
}

/// A register as in HLSL.
fn register(kind: Kind, register: u32, space: u32) -> String {
    let letter = match kind {
        Kind::Srv => 't',
        Kind::Uav => 'u',
        Kind::Cbv => 'b',
        Kind::Sampler => 's',
    };
    if space == 0 { format!("{letter}{register}") } else { format!("{letter}{register}, space{space}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use reprise_dxbc::root_signature::{Constants, Descriptor};

    #[test]
    fn it_reads_like_the_api() {
        let range = Range { kind: Kind::Srv, count: UNBOUNDED, register: 2, space: 1, flags: 1, offset: APPEND };
        let descriptor = Descriptor { kind: Kind::Uav, register: 4, space: 0, flags: 2 };
        let constants = Constants { register: 0, space: 0, count: 6 };
        let contents = [Content::Table(vec![range]), Content::Constants(constants), Content::Descriptor(descriptor)];
        let parameters = contents.into_iter().zip([0, 5, 1]);
        let parameters = parameters.map(|(content, visibility)| Parameter { visibility, content }).collect();
        let sampler = StaticSampler { max_lod: f32::INFINITY.to_bits(), comparison: 2, ..StaticSampler::default() };
        let signature = RootSignature { flags: 1, parameters, samplers: vec![sampler] };
        let json = json(&api::codec(), &signature, Version::V1_1);
        assert_eq!(json["flags"], "D3D12_ROOT_SIGNATURE_FLAG_ALLOW_INPUT_ASSEMBLER_INPUT_LAYOUT");
        assert_eq!((json["version"].as_str(), json["dwords"].as_u64()), (Some("1.1"), Some(9)));
        let table = &json["parameters"][0]["table"][0];
        assert_eq!((&table["register"], &table["count"]), (&"t2, space1".into(), &"unbounded".into()));
        assert_eq!(table["flags"], "D3D12_DESCRIPTOR_RANGE_FLAG_DESCRIPTORS_VOLATILE");
        assert_eq!(json["parameters"][1]["constants"], 6);
        assert_eq!(json["parameters"][1]["visibility"], "D3D12_SHADER_VISIBILITY_PIXEL");
        assert_eq!(json["parameters"][2]["register"], "u4");
        assert_eq!(json["static_samplers"][0]["max_lod"], "inf");
        assert_eq!(json["static_samplers"][0]["comparison"], "D3D12_COMPARISON_FUNC_LESS");
    }
}
