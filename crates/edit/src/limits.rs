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
    one.chain(together).collect()
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
    use reprise_d3d12::MODEL;
    use reprise_timeline::codec;

    #[test]
    fn what_has_a_limit_is_in_the_model() {
        for (name, argument, ..) in MOST {
            let method = MODEL.methods.iter().find(|method| method.name == name).unwrap();
            assert!(method.params.iter().any(|param| param.name == argument), "{name}.{argument}");
        }
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
