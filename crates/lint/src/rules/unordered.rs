//! `unordered-order`, `structure-order`: unordered writes that must come one after the other have a barrier between them.
//!
//! Two dispatches that write one resource may be right without a barrier, where they write to different places. So
//! the rule reports only what no program can want: a clear beside another write of the same resource, and scratch memory of two builds.

use crate::recording::{Structures, Use};
use crate::rule::{Rule, Severity};
use crate::scene::{Place, Said, Scene};
use crate::subresource::Subresources;
use std::collections::HashMap;

pub(crate) static RULE: Rule = Rule {
    name: "unordered-order",
    says: "between a clear of an unordered access view and another unordered access, and between builds with the same scratch \
           memory, there is a UAV barrier",
    source: "D3D12_RESOURCE_UAV_BARRIER; ID3D12GraphicsCommandList::ClearUnorderedAccessViewUint; DirectX Raytracing specification, \
             \"Acceleration structure memory restrictions\"",
};

pub(crate) static STRUCTURE: Rule = Rule {
    name: "structure-order",
    says: "between what writes an acceleration structure (a build, a copy) and what reads it (a build of a top level, an update, a copy, a \
           question, rays) or writes it again, there is a UAV barrier",
    source: "DirectX Raytracing specification, \"Synchronizing acceleration structure memory writes/reads\"",
};

/// What was written since the last barrier, in one submission.
#[derive(Debug, Default)]
pub(crate) struct Hazards {
    /// Clears of textures, by resource.
    cleared: HashMap<u32, (Subresources, u64)>,
    /// Scratch memory of builds: resource, offset.
    scratch: HashMap<(u32, u64), u64>,
    /// Acceleration structures by place, each with the call that wrote it and whether it may be a bottom level.
    written: HashMap<(u32, u64), (u64, bool)>,
}

impl Hazards {
    /// A barrier for a resource; 0: for all.
    pub(crate) fn barrier(&mut self, resource: u32) {
        if resource == 0 {
            *self = Hazards::default();
        } else {
            self.cleared.remove(&resource);
            self.scratch.retain(|(own, _), _| *own != resource);
            self.written.retain(|(own, _), _| *own != resource);
        }
    }

    /// A clear of all texels of a view.
    pub(crate) fn clear(&mut self, it: &Use, call: u64) {
        self.cleared.insert(it.resource, (it.subresources.clone(), call));
    }

    /// An unordered access by shaders to a texture.
    pub(crate) fn unordered(&mut self, scene: &mut Scene<'_>, place: Place, it: &Use) {
        let resource = it.resource;
        let Some((subresources, cleared)) = self.cleared.get(&resource) else { return };
        let cleared = *cleared;
        if *subresources != it.subresources || cleared >= place.call {
            return;
        }
        scene.say(Said::error(&RULE, place, resource).with(Severity::Likely), "clear", |_| {
            let text = "the shaders of this call use it unordered, and a clear of it may not have ended: put a UAV barrier between the \
                        clear and this call";
            (text.to_owned(), vec![(cleared, "clears it".to_owned())])
        });
    }

    /// A build or copy of an acceleration structure, or a question about some.
    pub(crate) fn structures(&mut self, scene: &mut Scene<'_>, place: Place, it: &Structures) {
        if let Some(scratch) = it.scratch {
            self.build(scene, place, scratch);
        }
        for read in &it.reads {
            self.read(scene, place, *read, Severity::Error, "reads the acceleration structure");
        }
        for write in &it.writes {
            self.read(scene, place, *write, Severity::Error, "writes the acceleration structure");
        }
        let bottoms = self.written.iter().filter(|(_, (_, is_bottom))| it.is_top && *is_bottom);
        if let Some((bottom, _)) = bottoms.min_by_key(|(_, (call, _))| *call) {
            let bottom = *bottom;
            self.read(scene, place, bottom, Severity::Likely, "builds a top level, which reads the bottom level");
        }
        self.written.extend(it.writes.iter().map(|write| (*write, (place.call, it.is_bottom))));
    }

    /// Shaders trace the structure at a place.
    pub(crate) fn trace(&mut self, scene: &mut Scene<'_>, place: Place, traced: (u32, u64)) {
        self.read(scene, place, traced, Severity::Likely, "traces rays through the acceleration structure");
    }

    fn read(&self, scene: &mut Scene<'_>, place: Place, at: (u32, u64), severity: Severity, does: &str) {
        let Some((written, _)) = self.written.get(&at).copied() else { return };
        let (resource, byte) = at;
        scene.say(Said::error(&STRUCTURE, place, resource).with(severity), does, |_| {
            let text = format!(
                "this call {does} at byte {byte}, and what wrote that may not have ended: put a UAV barrier for this buffer, or for all \
                 resources, between the two"
            );
            (text, vec![(written, "writes it".to_owned())])
        });
    }

    /// A build of an acceleration structure with this scratch memory.
    fn build(&mut self, scene: &mut Scene<'_>, place: Place, scratch: (u32, u64)) {
        if let Some(before) = self.scratch.insert(scratch, place.call) {
            scene.say(Said::error(&RULE, place, scratch.0), "scratch", |_| {
                let text = format!(
                    "this build uses scratch memory at byte {} that an earlier build may still be using; put a UAV barrier \
                     between the two, or give each its own",
                    scratch.1
                );
                (text, vec![(before, "builds with it".to_owned())])
            });
        }
    }
}
