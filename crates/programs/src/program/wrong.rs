//! `--wrong FAULT`: does one thing wrong once, or, with `--right`, its correct twin. `reprise lint`, for what begins with `nan-` `reprise replay
//! --check-nan`, and for what begins with `descriptor-` `reprise replay --check-descriptors`, finds the one, and nothing in the other.
//!
//! What is done wrong is harmless on lavapipe, and for every other driver undefined: it runs on our own library only, as the
//! `undefined-…` programs. Invariant: the two differ in the fault alone.

use super::{no_numbers, stale, wrong_descriptors};
use crate::buffer::Buffer;
use crate::com::call;
use crate::failure::Failure;
use crate::fence::Fence;
use crate::list::List;
use crate::queue::Queue;
use crate::stage::Stage;
use crate::texture::{self, Texture};
use reprise_d3d12::types::D3D12_RESOURCE_STATES as State;
use reprise_d3d12::types::{D3D12_COMMAND_LIST_TYPE, DXGI_FORMAT};

/// A fault: its name, what it is, and the program that has it, or not.
pub(crate) struct Fault {
    pub(crate) name: &'static str,
    run: fn(&Stage, bool) -> Result<(), Failure>,
}

/// All of them, by the name of the rule of `lint` that finds each.
pub(crate) const ALL: &[Fault] = &[
    Fault { name: "state-before", run: state_before },
    Fault { name: "state-use", run: state_use },
    Fault { name: "barrier-arguments", run: barrier_arguments },
    Fault { name: "queue-race", run: queue_race },
    Fault { name: "fence-backwards", run: fence_backwards },
    Fault { name: "released-in-flight", run: released_in_flight },
    Fault { name: "readback-early", run: readback_early },
    Fault { name: "events", run: events },
    Fault { name: "stale-address", run: stale::address },
    Fault { name: "stale-handle", run: stale::handle },
    Fault { name: "nan-targets", run: no_numbers::targets },
    Fault { name: "nan-views", run: no_numbers::views },
    Fault { name: "nan-pass", run: no_numbers::pass },
    Fault { name: "nan-bundle", run: no_numbers::bundle },
    Fault { name: "descriptor-index", run: wrong_descriptors::index },
    Fault { name: "descriptor-unwritten", run: wrong_descriptors::unwritten },
    Fault { name: "descriptor-type", run: wrong_descriptors::kind },
    Fault { name: "descriptor-gone", run: wrong_descriptors::gone },
    Fault { name: "descriptor-heap", run: wrong_descriptors::heap },
    Fault { name: "descriptor-sampler", run: wrong_descriptors::sampler },
    Fault { name: "descriptor-root", run: wrong_descriptors::root },
    Fault { name: "descriptor-address", run: wrong_descriptors::address },
];

/// Runs a fault, or its twin.
///
/// # Errors
/// When a call fails that should not.
pub(crate) fn run(stage: &Stage, fault: &Fault, wrong: bool) -> Result<(), Failure> {
    (fault.run)(stage, wrong)
}

const SIZE: u64 = 256;

/// A texture with contents, in this state.
fn filled(stage: &Stage, list: &mut List, state: State) -> Result<(Texture, Buffer), Failure> {
    let desc = texture::flat(DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM, 8, 8);
    Texture::filled(&stage.device, list, &desc, &[vec![7; 256]], state)
}

fn state_before(stage: &Stage, wrong: bool) -> Result<(), Failure> {
    let mut list = List::direct(&stage.device)?;
    let (texture, _upload) = filled(stage, &mut list, State::PIXEL_SHADER_RESOURCE)?;
    let before = if wrong { State::NON_PIXEL_SHADER_RESOURCE } else { State::PIXEL_SHADER_RESOURCE };
    list.transition(&texture.com, before, State::COPY_SOURCE);
    stage.queue.run(&mut list)
}

fn state_use(stage: &Stage, wrong: bool) -> Result<(), Failure> {
    let (upload, buffer) = (Buffer::uploaded(&stage.device, &[7; 64])?, Buffer::copied(&stage.device, SIZE)?);
    let readback = Buffer::readback(&stage.device, SIZE)?;
    let mut list = List::direct(&stage.device)?;
    list.copy_bytes(&buffer, 0, &upload, 0, SIZE);
    if !wrong {
        list.transition(&buffer.com, State::COPY_DEST, State::COPY_SOURCE);
    }
    list.copy_bytes(&readback, 0, &buffer, 0, SIZE);
    stage.queue.run(&mut list)
}

fn barrier_arguments(stage: &Stage, wrong: bool) -> Result<(), Failure> {
    let mut list = List::direct(&stage.device)?;
    let (texture, _upload) = filled(stage, &mut list, State::COPY_SOURCE)?;
    let after = if wrong { State::COPY_SOURCE } else { State::PIXEL_SHADER_RESOURCE };
    list.transition(&texture.com, State::COPY_SOURCE, after);
    stage.queue.run(&mut list)
}

fn queue_race(stage: &Stage, wrong: bool) -> Result<(), Failure> {
    let other = Queue::new(&stage.device, D3D12_COMMAND_LIST_TYPE::COPY)?;
    let fence = Fence::new(&stage.device, 0)?;
    let (upload, buffer) = (Buffer::uploaded(&stage.device, &[7; 64])?, Buffer::shared(&stage.device, SIZE)?);
    let readback = Buffer::readback(&stage.device, SIZE)?;
    let mut first = List::direct(&stage.device)?;
    first.copy_bytes(&buffer, 0, &upload, 0, SIZE);
    first.close()?;
    let mut second = List::new(&stage.device, D3D12_COMMAND_LIST_TYPE::COPY)?;
    second.copy_bytes(&readback, 0, &buffer, 0, SIZE);
    second.close()?;
    stage.queue.execute(&[&first]);
    stage.queue.signal(&fence, 1)?;
    if !wrong {
        other.wait(&fence, 1)?;
    }
    other.execute(&[&second]);
    other.finish()?;
    stage.queue.finish()
}

fn fence_backwards(stage: &Stage, wrong: bool) -> Result<(), Failure> {
    let fence = Fence::new(&stage.device, 0)?;
    stage.queue.signal(&fence, 5)?;
    stage.queue.signal(&fence, if wrong { 4 } else { 6 })?;
    stage.queue.finish()
}

fn released_in_flight(stage: &Stage, wrong: bool) -> Result<(), Failure> {
    let (upload, readback) = (Buffer::uploaded(&stage.device, &[7; 64])?, Buffer::readback(&stage.device, SIZE)?);
    let mut list = List::direct(&stage.device)?;
    list.copy_bytes(&readback, 0, &upload, 0, SIZE);
    list.close()?;
    // The queue waits for the processor, so the submission has certainly not ended.
    let fence = Fence::new(&stage.device, 0)?;
    stage.queue.wait(&fence, 1)?;
    stage.queue.execute(&[&list]);
    let mut upload = Some(upload);
    if wrong {
        upload = None;
    }
    fence.signal(1)?;
    stage.queue.finish()?;
    drop(upload);
    Ok(())
}

fn readback_early(stage: &Stage, wrong: bool) -> Result<(), Failure> {
    let (upload, readback) = (Buffer::uploaded(&stage.device, &[7; 64])?, Buffer::readback(&stage.device, SIZE)?);
    let mut list = List::direct(&stage.device)?;
    list.copy_bytes(&readback, 0, &upload, 0, SIZE);
    list.close()?;
    stage.queue.execute(&[&list]);
    if wrong {
        readback.read()?;
    }
    stage.queue.finish()?;
    readback.read().map(drop)
}

fn events(stage: &Stage, wrong: bool) -> Result<(), Failure> {
    let mut list = List::direct(&stage.device)?;
    let name = c"frame".to_bytes_with_nul();
    // 1: text in bytes.
    call!(list.com, "ID3D12GraphicsCommandList", "BeginEvent", 1u32, name.as_ptr(), name.len() as u32);
    if !wrong {
        call!(list.com, "ID3D12GraphicsCommandList", "EndEvent");
    }
    stage.queue.run(&mut list)
}
