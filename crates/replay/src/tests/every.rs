//! Every method that replay calls, with made-up arguments: the runtime gets the same at replay as at the recording.
#![allow(clippy::unwrap_used)]

use std::cell::RefCell;
use std::collections::HashMap;

use reprise_codec::fabricate::{Random, TEXELS};
use reprise_codec::objects::Texels;
use reprise_codec::{Arena, Codec, Objects, Wide};
use reprise_d3d12::model::{InterfaceId, MethodId, Role};
use reprise_d3d12::types::{D3D12_RESOURCE_DESC, D3D12_RESOURCE_DIMENSION, DXGI_FORMAT};
use reprise_d3d12::{MODEL, interface, method};
use reprise_null::{Value, full_name, log};

use crate::call::creation::MadeObject;
use crate::call::decision::{self, Decision, Handler};
use crate::tests::program::{alone, options};
use crate::tests::script::{Script, null};
use crate::world::World;
use crate::{Convention, Options};

/// Ids by pointer; what is not known yet came out of a call and gets the next one.
struct Ids(RefCell<HashMap<u64, u32>>);

impl Objects for Ids {
    fn id_of(&self, pointer: u64) -> u64 {
        if pointer == 0 {
            return 0;
        }
        let mut ids = self.0.borrow_mut();
        let next = ids.len() as u32 + 1;
        u64::from(*ids.entry(pointer).or_insert(next))
    }

    fn real_of(&self, pointer: u64) -> u64 {
        pointer
    }

    fn texels(&self, _subresource: u32) -> Option<Texels> {
        Some(TEXELS)
    }
}

/// Methods that go the plain way.
fn methods() -> impl Iterator<Item = MethodId> {
    let plain = |method: &u16| {
        matches!(
            decision::decide(*method),
            Some(Decision::Call | Decision::Query | Decision::Handle(Handler::Increment | Handler::ExecuteIndirect))
        )
    };
    (0..MODEL.methods.len() as u16).filter(plain).map(MethodId)
}

fn null_convention(convention: Convention) -> reprise_null::Convention {
    match convention {
        Convention::Win64 => reprise_null::Convention::Win64,
        Convention::SysV => reprise_null::Convention::SystemV,
        Convention::Itanium => reprise_null::Convention::Itanium,
    }
}

/// Records one call of `method` on the null runtime, replays it there, and gives what it saw each time.
fn twice(method: MethodId, seed: u64, convention: Convention) -> Result<[log::Call; 2], String> {
    let mut options = Options { linked_runtime: Some(null()), ..options(convention) };
    let mut world = World::new(options.load_runtime().unwrap());
    world.same_numbers = true;
    let codec = Codec::new(MODEL, Wide::Bits16);
    let ids = Ids(RefCell::default());
    let mut made = Vec::new();
    let mut make = |class: InterfaceId| {
        let class = if class == interface("IUnknown") { interface("ID3D12Fence") } else { class };
        let pointer = reprise_null::new_object(null_convention(convention), class) as u64;
        made.push((ids.id_of(pointer) as u32, class, pointer));
        pointer
    };
    let this = method.get().interface.map(&mut make);
    let mut arena = Arena::new();
    let mut random = Random::new(seed << 16 | u64::from(method.0));
    let words = codec.fabricate(method, &mut random, &mut make, &mut arena);
    let mut script = Script::new();
    log::take();
    let object = this.map_or(0, |this| ids.id_of(this) as u32);
    // SAFETY: fabricated arguments are valid, and `this` is an object of the method's interface.
    unsafe {
        script.record(object, method, &words, &ids, || match this {
            Some(this) => world.runtime.call(this, method, &words),
            None => world.runtime.call_function(method, &words).unwrap(),
        });
    }
    let seen = |calls: Vec<log::Call>| calls.into_iter().find(|call| call.method == method && call.depth == 0);
    let first = seen(log::take()).ok_or("not called when recorded")?;
    // What fabricated texels assume of their resource.
    let mut desc = D3D12_RESOURCE_DESC { Width: 4, Height: 4, DepthOrArraySize: 1, MipLevels: 1, ..Default::default() };
    (desc.Dimension, desc.Format) = (D3D12_RESOURCE_DIMENSION::TEXTURE2D, DXGI_FORMAT(28));
    world.made(object, MadeObject::Resource { desc, heap_type: 0, placed: None });
    for (id, class, pointer) in made {
        world.objects.given(&world.runtime, id, class, pointer);
    }
    let played = script.play_in(world, &mut options);
    let second = seen(log::take());
    match (played, second) {
        (Err(error), _) => Err(error.to_string()),
        (Ok(_), None) => Err("not called at replay".into()),
        (Ok(_), Some(second)) => Ok([first, second]),
    }
}

/// Whether two logged values say the same; storage for outputs lies where it lies, and `adjust` changes what it states.
fn same(first: &Value, second: &Value) -> bool {
    match (first, second) {
        (Value::Address(_), Value::Address(_)) => true,
        (Value::Struct("D3D12_CACHED_PIPELINE_STATE", _), Value::Struct("D3D12_CACHED_PIPELINE_STATE", _)) => true,
        (Value::Struct("D3D12_HEAP_DESC", first), Value::Struct(_, second)) => {
            let told = |fields: &[(&'static str, Value)]| fields[..3].to_vec();
            told(first) == told(second)
        }
        // A subobject that the null runtime passes over holds a pointer (a serialized root signature).
        (Value::Bytes(first), Value::Bytes(second)) if first.len() == 24 && second.len() == 24 && first[0] == 29 => {
            first[..8] == second[..8] && first[16..] == second[16..]
        }
        (Value::List(first), Value::List(second)) => {
            first.len() == second.len() && first.iter().zip(second).all(|(first, second)| same(first, second))
        }
        (Value::Struct(_, first), Value::Struct(_, second)) => {
            first.len() == second.len()
                && first.iter().zip(second).all(|(first, second)| first.0 == second.0 && same(&first.1, &second.1))
        }
        (first, second) => first == second,
    }
}

#[test]
fn the_runtime_sees_every_call_as_it_was_recorded() {
    let _alone = alone();
    let mut failures = Vec::new();
    let mut compared = 0;
    for method in methods() {
        for (seed, convention) in
            [(1, Convention::Win64), (2, Convention::SysV), (3, Convention::Win64), (4, Convention::SysV)]
        {
            let name = full_name(method);
            let [first, second] = match twice(method, seed, convention) {
                Ok(calls) => calls,
                Err(reason) => {
                    failures.push(format!("{name}, seed {seed}: {reason}"));
                    continue;
                }
            };
            compared += 1;
            let adjusted = |name: &str| matches!(name, "HeapFlags" | "pLibraryBlob" | "BlobLength");
            for ((field, first), second) in method.get().params.iter().zip(&first.inputs).zip(&second.inputs) {
                if !adjusted(field.name)
                    && !matches!(field.role, Role::Callback | Role::Context)
                    && !same(first, second)
                {
                    failures.push(format!("{name}, seed {seed}, {}: {first:?} became {second:?}", field.name));
                }
            }
        }
    }
    failures.truncate(20);
    assert!(failures.is_empty(), "{compared} compared; {failures:#?}");
    assert!(compared > 800, "only {compared} calls were compared");
    // A method whose arguments are all known to be passed on.
    assert!(methods().any(|id| id == method("ID3D12Device", "CreateGraphicsPipelineState")));
}
