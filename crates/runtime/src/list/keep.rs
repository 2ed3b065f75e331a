//! What a recording keeps alive until the GPU is done with it.

use core::any::Any;
use std::sync::Arc;

use reprise_com::{Class, Object, Ref};
use reprise_gpu::encoder::Encoder;
use reprise_gpu::image::Image;
use reprise_gpu::query::Pool as QueryPool;

use crate::command_signature::CommandSignature;
use crate::descriptor::heap::DescriptorHeap;
use crate::list::allocator::Pool;
use crate::list::bound::{Bound, Last};
use crate::list::operations::Lease;
use crate::pipeline::PipelineState;
use crate::query::QueryHeap;
use crate::resource::object::Resource;
use crate::root::RootSignature;
use crate::state_object::StateObject;
use crate::state_object::graph::Graph;

/// The program's objects that a recording refers to, and the images that it may be the first to use.
#[derive(Debug, Default)]
pub(super) struct Keep {
    /// Images that this list names and that had no submission yet.
    images: Vec<Arc<Image>>,
    pub(super) pipelines: Kept<PipelineState>,
    pub(super) roots: Kept<RootSignature>,
    pub(super) heaps: Kept<DescriptorHeap>,
    pub(super) queries: Kept<QueryHeap>,
    pub(super) signatures: Kept<CommandSignature>,
    pub(super) states: Kept<StateObject>,
    pub(super) targets: Kept<Resource>,
    pub(super) graphs: Vec<Arc<Graph>>,
}

impl Keep {
    /// An image is used that no submission has taken out of `UNDEFINED` yet.
    #[cold]
    pub(super) fn first_use(&mut self, image: &Arc<Image>) {
        /// Images to look back for this one.
        const LOOK_BACK: usize = 8;
        if !self.images.iter().rev().take(LOOK_BACK).any(|known| Arc::ptr_eq(known, image)) {
            self.images.push(image.clone());
        }
    }

    /// Lets the bound state refer to nothing, and keeps what it referred to.
    pub(super) fn settle(&mut self, bound: &mut Bound) {
        self.pipelines.exchange(&mut bound.pipeline, None);
        self.states.exchange(&mut bound.rays, None);
        for root in [&mut bound.graphics.signature, &mut bound.compute.signature] {
            self.roots.exchange(root, None);
        }
        for heap in [&mut bound.views, &mut bound.samplers] {
            self.heaps.exchange(heap, None);
        }
    }

    /// The images, and everything else that the recorded commands need, for whoever submits them.
    pub(super) fn finish(
        &mut self,
        pool: Arc<Pool>,
        lease: Option<Arc<Lease>>,
        queries: Vec<QueryPool>,
        last: Last,
        encoder: &mut Encoder,
    ) -> (Vec<Arc<Image>>, impl Any + Send + Sync + use<>) {
        // They are there for the calls that name them. For the GPU the recording's hold keeps them.
        self.targets = Kept::default();
        let images = core::mem::take(&mut self.images);
        (images, (lease, pool, queries, last, encoder.finish(), core::mem::take(self)))
    }
}

/// References to objects of a class. One that comes back soon after it went is kept once.
#[derive(Debug)]
pub(super) struct Kept<T: Class>(Vec<Ref<T>>);

impl<T: Class> Default for Kept<T> {
    fn default() -> Self {
        Kept(Vec::new())
    }
}

/// References to look back for an object.
const LOOK_BACK: usize = 8;

impl<T: Class> Kept<T> {
    /// Where an object is among the most recent ones.
    fn recent(&self, object: &Object<T>) -> Option<usize> {
        let first = self.0.len().saturating_sub(LOOK_BACK);
        self.0[first..].iter().rposition(|kept| core::ptr::eq(&**kept, object)).map(|at| first + at)
    }

    /// Keeps an object.
    pub(super) fn add(&mut self, object: &Object<T>) {
        if self.recent(object).is_none() {
            self.0.push(object.keep());
        }
    }

    /// Makes an object the current one, and keeps the one before. Objects that alternate are not counted: their references
    /// change places.
    #[inline]
    pub(super) fn exchange(&mut self, current: &mut Option<Ref<T>>, object: Option<&Object<T>>) {
        match (object.and_then(|object| self.recent(object)), current.as_mut()) {
            (Some(at), Some(current)) => core::mem::swap(&mut self.0[at], current),
            (Some(at), None) => *current = Some(self.0.swap_remove(at)),
            (None, _) => self.0.extend(core::mem::replace(current, object.map(Object::keep))),
        }
    }
}
