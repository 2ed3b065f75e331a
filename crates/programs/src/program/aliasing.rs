//! `aliasing`: buffers and a texture placed over each other in one heap. Each takes its turn after an aliasing barrier, is
//! written whole, and is read before the next one destroys it; what lies beside it stays.
//!
//! ```text
//! offset   0          64 KiB       128 KiB
//!          |  lower    |  upper    |           two buffers
//!          |        both           |           a buffer over both
//!                      |  picture  |           a texture over one
//! ```

use super::Program;
use crate::buffer::Buffer;
use crate::com::Com;
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::memory::Memory;
use crate::pipeline::Pipeline;
use crate::random::Random;
use crate::root::{Parameter, RootSignature};
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use crate::texture::{self, Texture};
use reprise_d3d12::types::{D3D12_RESOURCE_STATES as State, DXGI_FORMAT};

pub(super) const PROGRAM: Program =
    Program { name: "aliasing", about: "buffers and a texture that share the memory of one heap", run };

const FOLD: Shader = shader!("fold.main");
const HALF: u64 = Memory::ALIGNMENT;
const WHOLE: u64 = 2 * HALF;
/// Texels of the picture.
const WIDTH: u32 = 100;
const HEIGHT: u32 = 90;

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let device = &stage.device;
    let constants = Parameter::Constants { register: 0, count: 4 };
    let root = RootSignature::compute(device, &[constants, Parameter::Uav(0)])?;
    let pipeline = Pipeline::compute(stage, &root, &FOLD)?;

    let memory = Memory::new(device, WHOLE)?;
    let lower = Buffer::placed(&memory, 0, HALF)?;
    let upper = Buffer::placed(&memory, HALF, HALF)?;
    let both = Buffer::placed(&memory, 0, WHOLE)?;
    let desc = texture::flat(DXGI_FORMAT::FORMAT_R8G8B8A8_UINT, WIDTH, HEIGHT);
    let picture = Texture::placed(device, &memory, HALF, &desc, State::COPY_DEST)?;

    let mut random = Random(5);
    let mut list = List::direct(device)?;
    let mut digest = Digest::new();
    for round in 0..stage.frames(3) {
        let (small, large) = (HALF as u32 / 4, WHOLE as u32 / 4);
        let content = [small, small, large, small].map(|count| random.words(count));
        let uploads = [
            Buffer::uploaded(device, &content[0])?,
            Buffer::uploaded(device, &content[1])?,
            Buffer::uploaded(device, &content[2])?,
            Buffer::uploaded(device, &content[3])?,
        ];
        let texels = random.bytes((WIDTH * HEIGHT * 4) as usize);
        let outputs = [
            Buffer::readback(device, HALF)?,
            Buffer::readback(device, HALF)?,
            Buffer::readback(device, WHOLE)?,
            Buffer::readback(device, HALF)?,
        ];
        // The two halves, one after the other.
        for (half, which) in [(&lower, 0), (&upper, 1)] {
            list.alias(None, Some(&half.com));
            list.copy_bytes(half, 0, &uploads[which], 0, HALF);
            read(&mut list, half, &outputs[which]);
        }
        // The buffer over both, changed by a shader in between.
        list.alias(Some(&lower.com), Some(&both.com));
        list.alias(Some(&upper.com), Some(&both.com));
        list.copy_bytes(&both, 0, &uploads[2], 0, WHOLE);
        list.transition(&both.com, State::COPY_DEST, State::UNORDERED_ACCESS);
        list.set_compute_root(&root);
        list.set_pipeline(&pipeline);
        list.compute_constants(0, &[0, large, 3, round]);
        list.compute_uav(1, both.address);
        list.dispatch(large / 64, 1, 1);
        list.transition(&both.com, State::UNORDERED_ACCESS, State::COPY_DEST);
        read(&mut list, &both, &outputs[2]);
        // The lower half again, and the texture beside it; the half is read after the texture was written.
        list.alias(Some(&both.com), Some(&lower.com));
        list.copy_bytes(&lower, 0, &uploads[3], 0, HALF);
        list.alias(Some(&both.com), Some(&picture.com));
        let _upload = picture.fill(device, &mut list, std::slice::from_ref(&texels))?;
        read(&mut list, &lower, &outputs[3]);
        let got = picture.read(stage, &mut list, State::COPY_DEST)?;

        Failure::unless_equal("texels", &got[0], &texels)?;
        digest.add(&got[0]);
        let folded = content[2].iter().map(|word| word.wrapping_mul(3).wrapping_add(round)).collect();
        let expected = [&content[0], &content[1], &folded, &content[3]];
        for ((output, expected), name) in outputs.iter().zip(expected).zip(["lower", "upper", "both", "lower again"]) {
            Failure::unless_equal(name, &output.read_u32()?, expected)?;
            digest.add(&output.read()?);
        }
        // Whatever comes next in this memory comes after the texture.
        list.alias(Some(&picture.com), None::<&Com>);
    }
    list.close()?;
    Ok(digest)
}

/// Copies a buffer that was written by copies to the processor's memory.
fn read(list: &mut List, buffer: &Buffer, output: &Buffer) {
    list.transition(&buffer.com, State::COPY_DEST, State::COPY_SOURCE);
    list.copy_bytes(output, 0, buffer, 0, output.size);
    list.transition(&buffer.com, State::COPY_SOURCE, State::COPY_DEST);
}
