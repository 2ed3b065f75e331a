//! Numbers and objects within the structures that a call leads to, by the model: those of geometry, of shader tables, of render passes.
//!
//! Invariant: what the call says has no bytes or elements is left out, because its place counts for nothing.

use reprise_codec::Value;
use reprise_codec::value::Member;
use reprise_d3d12::method;
use reprise_d3d12::model::{MethodId, Role};
use reprise_timeline::call::Call;

pub(crate) const BUILD: MethodId = method("ID3D12GraphicsCommandList4", "BuildRaytracingAccelerationStructure");
pub(crate) const COPY: MethodId = method("ID3D12GraphicsCommandList4", "CopyRaytracingAccelerationStructure");
pub(crate) const ASK: MethodId =
    method("ID3D12GraphicsCommandList4", "EmitRaytracingAccelerationStructurePostbuildInfo");
pub(crate) const RAYS: MethodId = method("ID3D12GraphicsCommandList4", "DispatchRays");
pub(crate) const PASS: MethodId = method("ID3D12GraphicsCommandList4", "BeginRenderPass");
const PROGRAM: MethodId = method("ID3D12GraphicsCommandList10", "SetProgram");

/// Whether the numbers of a method lie in structures of structures.
pub(crate) fn is_nested(method: MethodId) -> bool {
    [BUILD, COPY, ASK, RAYS, PASS, PROGRAM].contains(&method)
}

/// Whether uses by a method are told with more than rules look at: where they lie in its structures.
pub(crate) fn is_told_apart(method: MethodId) -> bool {
    [BUILD, COPY, ASK, PASS].contains(&method)
}

/// A handle, an address or an object that a call leads to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Nested {
    /// Members from the argument on: `pDesc.Inputs.pGeometryDescs[1].Triangles.IndexBuffer`.
    pub(crate) path: String,
    pub(crate) number: Number,
}

/// What it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Number {
    Address(u64),
    Handle(u64),
    Object(u32),
}

/// Members that count for nothing where another member of their structure is zero: that one, and theirs.
const COUNTED: [(&str, &str); 5] = [
    ("NumDescs", "InstanceDescs"),
    ("VertexCount", "VertexBuffer"),
    ("IndexCount", "IndexBuffer"),
    ("AABBCount", "AABBs"),
    ("SizeInBytes", "StartAddress"),
];

/// All that a call leads to and that is not null, in the order of its arguments; nothing where they cannot be read.
pub(crate) fn all(call: &Call<'_>) -> Vec<Nested> {
    let mut found = Vec::new();
    if let Ok(arguments) = reprise_timeline::codec().decode_enter(call.method, call.enter.bytes) {
        members(&mut String::new(), &arguments.members, &mut found);
    }
    found
}

fn members(path: &mut String, members: &[Member<'_>], found: &mut Vec<Nested>) {
    let is_zero = |name: &str| members.iter().any(|it| it.field.name == name && it.value == Value::Unsigned(0));
    for member in members {
        let name = member.field.name;
        if COUNTED.iter().any(|(count, counted)| *counted == name && is_zero(count)) {
            continue;
        }
        within(path, |path| {
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(name);
            value(path, &member.value, found);
        });
    }
}

fn value(path: &mut String, it: &Value<'_>, found: &mut Vec<Nested>) {
    let number = match it {
        Value::Struct(_, all) => return members(path, all, found),
        Value::Array(all) => {
            for (index, element) in all.iter().enumerate() {
                within(path, |path| {
                    path.push_str(&format!("[{index}]"));
                    value(path, element, found);
                });
            }
            return;
        }
        Value::Word(Role::GpuAddress, address) if *address != 0 => Number::Address(*address),
        Value::Word(Role::CpuDescriptor, handle) if *handle != 0 => Number::Handle(*handle),
        Value::Object(id, _) if *id != 0 => Number::Object(*id),
        _ => return,
    };
    found.push(Nested { path: path.clone(), number });
}

/// Does something with a longer path.
fn within(path: &mut String, does: impl FnOnce(&mut String)) {
    let length = path.len();
    does(path);
    path.truncate(length);
}
