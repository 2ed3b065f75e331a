//! Pictures that the program read back and showed by itself: those of frames that no present of the API ends.
//!
//! The rule is the capture layer's (`capture: picture/read_back`): the last picture that a thread has mapped since its last frame.
//! What is followed here is which copy went where; the pixels are those that the GPU here has written.

use std::collections::HashMap;

use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::read_back::ReadBack;
use reprise_d3d12::types::{D3D12_BOX, D3D12_RANGE, D3D12_TEXTURE_COPY_LOCATION};
use reprise_timeline::argument::{Argument, Damaged, Many, ObjectId, One};
use reprise_timeline::{At, Call, Interests, Pass, Walk, argument};
use reprise_trace::read::Event;

const MAP: MethodId = method("ID3D12Resource", "Map");
const RESET: MethodId = method("ID3D12GraphicsCommandList", "Reset");
const MAPPED: Argument<u32> = argument!("ID3D12Resource", "Map", "Subresource");
const READ: Argument<One<D3D12_RANGE>> = argument!("ID3D12Resource", "Map", "pReadRange");
const EXECUTE: Argument<Many<ObjectId>> = argument!("ID3D12CommandQueue", "ExecuteCommandLists", "ppCommandLists");

macro_rules! copy {
    ($parameter:literal) => {
        argument!("ID3D12GraphicsCommandList", "CopyTextureRegion", $parameter)
    };
}

const TO: Argument<One<D3D12_TEXTURE_COPY_LOCATION>> = copy!("pDst");
const PLACE: [Argument<u32>; 3] = [copy!("DstX"), copy!("DstY"), copy!("DstZ")];
const FROM: Argument<One<D3D12_TEXTURE_COPY_LOCATION>> = copy!("pSrc");
const PART: Argument<One<D3D12_BOX>> = copy!("pSrcBox");

/// A picture that a thread has mapped.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    pub(crate) thread: u32,
    /// Id of the buffer.
    pub(crate) buffer: u32,
    pub(crate) picture: ReadBack,
}

/// Follows them.
#[derive(Default)]
pub(crate) struct ReadBacks {
    copies: Copies,
    /// `None` where presents show all frames.
    walk: Option<Walk>,
}

#[derive(Default)]
struct Copies {
    /// What each list copies once it runs.
    lists: HashMap<u32, Vec<(u32, ReadBack)>>,
    /// The last picture in each buffer that submitted work copies and the program has not mapped.
    buffers: HashMap<u32, ReadBack>,
    /// Mapped by the last call that ended.
    seen: Option<Seen>,
}

/// Whether a trace may hold such pictures, by the calls that its schema names: of its frames none is presented.
pub(crate) fn are_in(schema: &[u8]) -> bool {
    let has = |name: &[u8]| schema.windows(name.len()).any(|window| window == name);
    has(b"ID3D12GraphicsCommandList::CopyTextureRegion") && !has(b"::Present") && !has(b"vkQueuePresentKHR")
}

impl ReadBacks {
    /// From the beginning of a trace.
    pub(crate) fn follow(&mut self) {
        self.walk = Some(Walk::new(&[&mut self.copies]));
    }

    /// Whether frames that no present ends show what was read back.
    pub(crate) fn are_followed(&self) -> bool {
        self.walk.is_some()
    }

    /// Whether calls of a method have to be given.
    #[inline]
    pub(crate) fn wants(&self, method: u16) -> bool {
        self.walk.as_ref().is_some_and(|walk| walk.wants(method))
    }

    /// Takes the next event of the trace.
    #[inline]
    pub(crate) fn event(&mut self, event: &Event<'_>) {
        if let Some(walk) = &mut self.walk {
            walk.event(event, &mut [&mut self.copies]);
        }
    }

    /// Takes the picture that the last call has mapped.
    #[inline]
    pub(crate) fn take(&mut self) -> Option<Seen> {
        self.copies.seen.take()
    }
}

impl Pass for Copies {
    fn interests(&self) -> Interests {
        Interests::new().enters(&[RESET, TO.method(), EXECUTE.method()]).calls(&[MAP])
    }

    fn enter(&mut self, call: &Call<'_>, _at: &At) {
        // Nothing is learnt from what cannot be read.
        let _ = self.begins(call);
    }

    fn call(&mut self, call: &Call<'_>, at: &At) {
        if call.succeeded() {
            let _ = self.mapped(call, at.thread);
        }
    }
}

impl Copies {
    fn begins(&mut self, call: &Call<'_>) -> Result<(), Damaged> {
        if call.method == RESET {
            self.lists.remove(&call.object);
        } else if call.method == EXECUTE.method() {
            if !self.lists.is_empty() {
                let lists = EXECUTE.of(call)?;
                let copies = lists.iter().filter_map(|list| self.lists.get(&list.0)).flatten();
                self.buffers.extend(copies.copied());
            }
        } else if let (Some(to), Some(from)) = (TO.of(call)?, FROM.of(call)?) {
            let [x, y, z] = PLACE;
            let place = [x.of(call)?, y.of(call)?, z.of(call)?];
            if let Some(picture) = ReadBack::of_copy(&to, place, &from, PART.of(call)?.as_ref()) {
                // Objects in structures are ids.
                let buffer = to.pResource as usize as u32;
                self.lists.entry(call.object).or_default().push((buffer, picture));
            }
        }
        Ok(())
    }

    fn mapped(&mut self, call: &Call<'_>, thread: u32) -> Result<(), Damaged> {
        let buffer = call.object;
        let Some(picture) = self.buffers.get(&buffer).copied() else { return Ok(()) };
        let range = READ.of(call)?.map(|range| (range.Begin, range.End));
        if MAPPED.of(call)? == 0 && picture.is_within(range) {
            self.buffers.remove(&buffer);
            self.seen = Some(Seen { thread, buffer, picture });
        }
        Ok(())
    }
}
