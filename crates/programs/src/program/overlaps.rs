//! `overlaps`: a copy within one buffer whose source and destination overlap, which the API forbids: a replay under validation
//! must say so. All words of the buffer are alike, so that libraries which make the copy agree, in whatever order they do.

use super::Program;
use crate::buffer::{self, Buffer};
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::stage::Stage;
use crate::texel::bytes;
use reprise_d3d12::types::D3D12_RESOURCE_STATES as State;

pub(super) const PROGRAM: Program =
    Program { name: "overlaps", about: "a copy whose source and destination overlap, which is forbidden", run };

const WORD: u32 = 0x5eed_cafe;

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let words = [WORD; 64];
    let upload = Buffer::uploaded(&stage.device, &words)?;
    let buffer = Buffer::copied(&stage.device, upload.size)?;
    let mut list = List::direct(&stage.device)?;
    list.copy_bytes(&buffer, 0, &upload, 0, upload.size);
    list.copy_bytes(&buffer, 64, &buffer, 0, 128);
    let got = buffer::fetch(&stage.device, &stage.queue, &mut list, &buffer, State::COPY_DEST)?.read_u32()?;
    Failure::unless_equal("words", &got, &words)?;
    Ok(Digest::of(&bytes(&got)))
}
