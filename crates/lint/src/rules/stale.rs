//! `stale-address`, `stale-handle`: the numbers that a call is given are of resources and heaps that are alive.

use crate::rule::{Rule, Severity};
use crate::scene::{Place, Said, Scene};

pub(crate) static ADDRESS: Rule = Rule {
    name: "stale-address",
    says: "the GPU virtual addresses that a call is given lie in resources that are alive",
    source: "ID3D12Resource::GetGPUVirtualAddress; Using descriptors directly in the root signature; Memory management, \"Object lifetime\"",
};

pub(crate) static HANDLE: Rule = Rule {
    name: "stale-handle",
    says: "the descriptor handles that a call is given lie in descriptor heaps that are alive",
    source: "ID3D12DescriptorHeap::GetCPUDescriptorHandleForHeapStart; Resource binding specification, \"Descriptor Heaps\"",
};

/// A call is given an address at which nothing lies; `owner`: what lay there, 0 where nothing did.
pub(crate) fn address(scene: &mut Scene<'_>, place: Place, parameter: &str, address: u64, owner: u32) {
    say(scene, Said::error(&ADDRESS, place, owner).with(Severity::Likely), parameter, |was| match was {
        false => format!(
            "{parameter} is the address 0x{address:x}, and no resource that is alive lies there; pass null, or the address of a resource"
        ),
        true => format!(
            "{parameter} is the address 0x{address:x} of this resource, which is gone; keep the resource until the GPU is done, or pass \
             another address"
        ),
    });
}

/// A call is given a handle in no heap; `owner`: the heap that it was in, 0 where it was in none.
pub(crate) fn handle(scene: &mut Scene<'_>, place: Place, parameter: &str, handle: u64, owner: u32) {
    say(scene, Said::error(&HANDLE, place, owner), parameter, |was| match was {
        false => format!("{parameter} is the handle 0x{handle:x}, which lies in no descriptor heap that is alive"),
        true => format!("{parameter} is the handle 0x{handle:x} in this descriptor heap, which is gone; keep the heap"),
    });
}

fn say(scene: &mut Scene<'_>, said: Said, parameter: &str, tell: impl FnOnce(bool) -> String) {
    let owner = said.object;
    // Elements of an array that are wrong in one way are one mistake.
    let member = parameter.rsplit('.').next();
    scene.say(said, member, |scene| {
        let released = scene.gone.get(&owner).map(|gone| gone.call);
        (tell(owner != 0), vec![(released.unwrap_or(0), "released it".to_owned())])
    });
}
