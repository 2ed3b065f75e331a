//! The descriptor heaps of a trace, known before the first device is made.

use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{
    D3D12_DESCRIPTOR_HEAP_DESC as Desc, D3D12_DESCRIPTOR_HEAP_FLAGS as Flags, D3D12_DESCRIPTOR_HEAP_TYPE as Type,
};
use reprise_timeline::argument::{Argument, One};
use reprise_timeline::{At, Call, Interests, Pass, argument};
use reprise_trace::read::Event;

use crate::input::source::{Source, walk};

const CREATE: MethodId = method("ID3D12Device", "CreateDescriptorHeap");
const DESC: Argument<One<Desc>> = argument!("ID3D12Device", "CreateDescriptorHeap", "pDescriptorHeapDesc");

#[derive(Default)]
struct Finder {
    most: u32,
}

impl Pass for Finder {
    fn interests(&self) -> Interests {
        Interests::new().enters(&[CREATE])
    }

    fn enter(&mut self, call: &Call<'_>, _at: &At) {
        // The replay of a call that cannot be read says what is wrong with it.
        let Ok(Some(desc)) = DESC.of(call) else { return };
        if desc.Type == Type::CBV_SRV_UAV && desc.Flags.0 & Flags::SHADER_VISIBLE.0 != 0 {
            self.most = self.most.max(desc.NumDescriptors);
        }
    }
}

/// The views of the largest heap that shaders see, of those that are made until `stop` says that no more is played.
pub(crate) fn most_views(source: &mut dyn Source, stop: impl Fn(&Event<'_>) -> bool) -> u32 {
    let mut finder = Finder::default();
    // Damage ends the walk as it ends the replay, which says so.
    let _ = walk(source, &mut [&mut finder], stop);
    finder.most
}
