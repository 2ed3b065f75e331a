//! What a recording keeps alive until the GPU is done with it.

use core::any::Any;
use std::sync::Arc;

use reprise_gpu::encoder::Encoder;
use reprise_gpu::image::Image;
use reprise_gpu::query::Pool as QueryPool;

use crate::command_signature::CommandSignature;
use crate::descriptor::heap::DescriptorHeap;
use crate::list::allocator::Pool;
use crate::list::bound::Bound;
use crate::list::kept::Kept;
use crate::pipeline::PipelineState;
use crate::query::QueryHeap;
use crate::root::RootSignature;

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
        queries: Vec<QueryPool>,
        encoder: &mut Encoder,
    ) -> (Vec<Arc<Image>>, Box<dyn Any + Send + Sync>) {
        let images = core::mem::take(&mut self.images);
        (images, Box::new((pool, queries, encoder.finish(), core::mem::take(self))))
    }
}
