//! Numbers that no call can have, by the limits of the API (d3d12.h). A runtime need not refuse them: some drivers die of them.
//!
//! Draws have no such limit: vertices, indices and instances are any number of 32 bits.

use crate::needed::Lack;
use reprise_codec::Value;
use reprise_codec::value::Member;
use reprise_d3d12::model::Method;

/// Methods with one of these names, the argument, the greatest number, and what the API calls it.
const MOST: [(&str, &str, u64, &str); 14] = [
    ("Dispatch", "ThreadGroupCountX", 65535, GROUPS),
    ("Dispatch", "ThreadGroupCountY", 65535, GROUPS),
    ("Dispatch", "ThreadGroupCountZ", 65535, GROUPS),
    ("DispatchMesh", "ThreadGroupCountX", 65535, MESH_GROUPS),
    ("DispatchMesh", "ThreadGroupCountY", 65535, MESH_GROUPS),
    ("DispatchMesh", "ThreadGroupCountZ", 65535, MESH_GROUPS),
    ("RSSetViewports", "NumViewports", 16, "D3D12_VIEWPORT_AND_SCISSORRECT_OBJECT_COUNT_PER_PIPELINE"),
    ("RSSetScissorRects", "NumRects", 16, "D3D12_VIEWPORT_AND_SCISSORRECT_OBJECT_COUNT_PER_PIPELINE"),
    ("OMSetRenderTargets", "NumRenderTargetDescriptors", 8, "D3D12_SIMULTANEOUS_RENDER_TARGET_COUNT"),
    ("BeginRenderPass", "NumRenderTargets", 8, "D3D12_SIMULTANEOUS_RENDER_TARGET_COUNT"),
    ("IASetVertexBuffers", "NumViews", 32, "D3D12_IA_VERTEX_INPUT_RESOURCE_SLOT_COUNT"),
    ("SOSetTargets", "NumViews", 4, "D3D12_SO_BUFFER_SLOT_COUNT"),
    ("SetGraphicsRoot32BitConstants", "Num32BitValuesToSet", 64, "64 words of a root signature"),
    ("SetComputeRoot32BitConstants", "Num32BitValuesToSet", 64, "64 words of a root signature"),
];
const GROUPS: &str = "D3D12_CS_DISPATCH_MAX_THREAD_GROUPS_PER_DIMENSION";
const MESH_GROUPS: &str = "D3D12_MS_DISPATCH_MAX_THREAD_GROUPS_PER_DIMENSION";

/// The same of the first number and how many follow from it on; one where no argument says how many.
const MOST_BEHIND: [(&str, &str, Option<&str>, u64, &str); 7] = [
    ("IASetVertexBuffers", "StartSlot", Some("NumViews"), 32, "D3D12_IA_VERTEX_INPUT_RESOURCE_SLOT_COUNT"),
    ("SOSetTargets", "StartSlot", Some("NumViews"), 4, "D3D12_SO_BUFFER_SLOT_COUNT"),
    ("SetGraphicsRoot32BitConstants", OFFSET, Some("Num32BitValuesToSet"), 64, "64 words of a root signature"),
    ("SetComputeRoot32BitConstants", OFFSET, Some("Num32BitValuesToSet"), 64, "64 words of a root signature"),
    ("SetGraphicsRoot32BitConstant", OFFSET, None, 64, "64 words of a root signature"),
    ("SetComputeRoot32BitConstant", OFFSET, None, 64, "64 words of a root signature"),
    ("ResolveQueryData", "StartIndex", Some("NumQueries"), 1 << 32, "numbers of queries have 32 bits"),
];
const OFFSET: &str = "DestOffsetIn32BitValues";

/// The same of products.
const MOST_TOGETHER: [(&str, [&str; 3], u64, &str); 2] = [
    (
        "DispatchMesh",
        ["ThreadGroupCountX", "ThreadGroupCountY", "ThreadGroupCountZ"],
        1 << 22,
        "2^22 groups of one DispatchMesh",
    ),
    ("DispatchRays", ["Width", "Height", "Depth"], 1 << 30, "D3D12_RAYTRACING_MAX_RAY_GENERATION_SHADER_THREADS"),
];

/// All that is beyond a limit.
pub(crate) fn beyond(method: &Method, members: &[Member<'_>]) -> Vec<Lack> {
    let of = |name: &str| find(members, name);
    let one = MOST.iter().filter(|(named, ..)| *named == method.name).filter_map(|(_, argument, most, limit)| {
        let is = of(argument).filter(|is| is > most)?;
        Some(Lack { path: (*argument).to_owned(), what: format!("is {is}, and the API's limit is {most} ({limit})") })
    });
    let together =
        MOST_TOGETHER.iter().filter(|(named, ..)| *named == method.name).filter_map(|(_, all, most, limit)| {
            let is = all.iter().try_fold(1u64, |is, name| Some(is.saturating_mul(of(name)?)))?;
            let what = format!("come to {is} together, and the API's limit is {most} ({limit})");
            (is > *most).then(|| Lack { path: all.join(", "), what })
        });
    let behind = MOST_BEHIND.iter().filter(|(named, ..)| *named == method.name);
    let behind = behind.filter_map(|(_, first, count, most, limit)| {
        let (from, count_is) = (of(first)?, count.map_or(Some(1), of)?);
        let end = from.saturating_add(count_is);
        let what = format!(
            "is {from}, so that {count_is} from there on end at {end}, and the API's limit is {most} ({limit})"
        );
        (count_is > 0 && end > *most).then(|| Lack { path: (*first).to_owned(), what })
    });
    one.chain(behind).chain(together).collect()
}

/// The number of this name among arguments, or in a structure that they lead to.
fn find(members: &[Member<'_>], name: &str) -> Option<u64> {
    members.iter().find_map(|member| match &member.value {
        value if member.field.name == name => value.number(),
        Value::Struct(_, members) => find(members, name),
        Value::Array(values) => match &values[..] {
            [Value::Struct(_, members)] => find(members, name),
            _ => None,
        },
        _ => None,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::dropping::is_command;
    use reprise_d3d12::MODEL;
    use reprise_d3d12::model::MethodId;
    use reprise_timeline::codec;

    #[test]
    fn what_has_a_limit_is_in_the_model() {
        for (name, argument, ..) in MOST {
            let method = MODEL.methods.iter().find(|method| method.name == name).unwrap();
            assert!(method.params.iter().any(|param| param.name == argument), "{name}.{argument}");
        }
        for (name, first, count, ..) in MOST_BEHIND {
            let method = MODEL.methods.iter().find(|method| method.name == name).unwrap();
            for argument in [Some(first), count].into_iter().flatten() {
                assert!(method.params.iter().any(|param| param.name == argument), "{name}.{argument}");
            }
        }
    }

    /// Every parameter that says where a run begins has its limit, or the numbers of it are not the API's but an object's.
    #[test]
    fn what_begins_somewhere_has_a_limit() {
        const OBJECTS: [&str; 0] = [];
        let begins =
            |name: &str| name.starts_with("Start") && !name.ends_with("Location") || name.starts_with("DestOffset");
        for method in MODEL.methods.iter().filter(|method| is_command(method)) {
            for param in method.params.iter().filter(|param| begins(param.name)) {
                let known = MOST_BEHIND.iter().any(|(named, first, ..)| (*named, *first) == (method.name, param.name));
                assert!(known || OBJECTS.contains(&method.name), "{}.{}", method.name, param.name);
            }
        }
    }

    #[test]
    fn runs_beyond_the_limit_are_found() {
        let said = |method, words: &[u32]| {
            let payload: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).chain([0; 16]).take(16).collect();
            let arguments = codec().decode_enter(method, &payload).unwrap();
            beyond(MethodId::get(method), &arguments.members)
                .into_iter()
                .map(|it| it.path + " " + &it.what)
                .collect::<String>()
        };
        let vertices = reprise_d3d12::method("ID3D12GraphicsCommandList", "IASetVertexBuffers");
        let constant = reprise_d3d12::method("ID3D12GraphicsCommandList", "SetGraphicsRoot32BitConstant");
        assert_eq!([said(vertices, &[30, 2]), said(vertices, &[90, 0]), said(constant, &[0, 7, 63])], ["", "", ""]);
        let far = said(vertices, &[u32::MAX, 2]);
        assert!(far.starts_with("StartSlot is 4294967295, so that 2 from there on end at 4294967297"), "{far}");
        assert!(
            said(vertices, &[31, 2]).contains("end at 33, and the API's limit is 32"),
            "{}",
            said(vertices, &[31, 2])
        );
        assert!(said(constant, &[0, 7, 64]).contains("end at 65"), "{}", said(constant, &[0, 7, 64]));
    }

    #[test]
    fn groups_beyond_the_limit_are_found() {
        let dispatch = reprise_d3d12::method("ID3D12GraphicsCommandList", "Dispatch");
        let mesh = reprise_d3d12::method("ID3D12GraphicsCommandList6", "DispatchMesh");
        for (method, groups, says) in [
            (dispatch, [65535u32, 1, 65535], ""),
            (dispatch, [1, 65536, 1], "ThreadGroupCountY is 65536, and the API's limit is 65535 (D3D12_CS_"),
            (mesh, [65535, 64, 1], ""),
            (mesh, [65535, 65, 1], "come to 4259775 together, and the API's limit is 4194304"),
        ] {
            let payload: Vec<u8> = groups.iter().flat_map(|groups| groups.to_le_bytes()).chain([0; 4]).collect();
            let arguments = codec().decode_enter(method, &payload).unwrap();
            let said = beyond(method.get(), &arguments.members);
            let said: Vec<String> = said.into_iter().map(|it| format!("{} {}", it.path, it.what)).collect();
            assert!(said.concat().contains(says) && said.is_empty() == says.is_empty(), "{groups:?}: {said:?}");
        }
    }
}
