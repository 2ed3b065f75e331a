//! Compute shaders from elsewhere, each run once: what a generator of shaders made, for it to compare.
//!
//! Each line of the list is `SHADER INPUT OUTPUT CONSTANTS WORDS GROUPS`: a shader; words, of which the first `CONSTANTS` become the
//! constant buffer and the others the input; and the file for the `WORDS` words that the shader writes, zeros at first. The line
//! `OUTPUT: ok`, or why not, follows on standard output at once, so that it is known which shader ended the process.

use crate::buffer::{self, Buffer, bytes_of};
use crate::descriptor::{Elements, Heap};
use crate::failure::Failure;
use crate::list::List;
use crate::pipeline::Pipeline;
use crate::root::{Parameter, Range, RootSignature};
use crate::stage::Stage;
use reprise_d3d12::types::{D3D12_RESOURCE_STATES, DXGI_FORMAT};
use std::io::Write;
use std::path::Path;

/// Runs all of the list.
///
/// # Errors
/// When the list is wrong. A shader that fails is told of.
pub(crate) fn run(stage: &Stage, list: &Path) -> Result<(), Failure> {
    let text = String::from_utf8(read(list)?).map_err(|error| Failure::Wrong(error.to_string()))?;
    // The input raw, structured and typed twice; the output in the first three of these ways.
    let tables = [Parameter::Cbv(0), Parameter::Table(&[Range::srv(0, 4), Range::uav(0, 3)])];
    let root = RootSignature::compute(&stage.device, &tables)?;
    for line in text.lines() {
        let job = Job::parse(line).ok_or_else(|| Failure::Wrong(format!("not a line of a list: {line}")))?;
        let said = match job.run(stage, &root) {
            Ok(()) => "ok".to_owned(),
            Err(failure) => failure.to_string(),
        };
        let mut output = std::io::stdout();
        let _ = writeln!(output, "{}: {said}", job.output).and_then(|()| output.flush());
    }
    Ok(())
}

fn read(path: impl AsRef<Path>) -> Result<Vec<u8>, Failure> {
    std::fs::read(&path).map_err(|error| Failure::Wrong(format!("{}: {error}", path.as_ref().display())))
}

/// A line of the list.
struct Job<'a> {
    shader: &'a str,
    input: &'a str,
    output: &'a str,
    constants: usize,
    words: u32,
    groups: u32,
}

impl<'a> Job<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let [shader, input, output, constants, words, groups] = *line.split(' ').collect::<Vec<_>>() else {
            return None;
        };
        let (words, groups) = (words.parse().ok()?, groups.parse().ok()?);
        Some(Self { shader, input, output, constants: constants.parse().ok()?, words, groups })
    }

    fn run(&self, stage: &Stage, root: &RootSignature) -> Result<(), Failure> {
        let device = &stage.device;
        let all: Vec<u32> = read(self.input)?
            .chunks_exact(4)
            .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
            .collect();
        let Some((constants, input)) = all.split_at_checked(self.constants) else {
            return Err(Failure::Wrong(format!("{} has {} words", self.input, all.len())));
        };
        let (constants, count) = (Buffer::uploaded(device, constants)?, input.len() as u32);
        let (input, output) = (Buffer::uploaded(device, input)?, Buffer::writable(device, u64::from(self.words) * 4)?);
        let pipeline = Pipeline::of_bytes(stage, root, &read(self.shader)?)?;
        let heap = Heap::visible(device, 7)?;
        heap.buffer_srv(0, &input, Elements::raw(0, count));
        heap.buffer_srv(1, &input, Elements::structured(0, count / 4, 16));
        heap.buffer_srv(2, &input, Elements::typed(0, count, DXGI_FORMAT::FORMAT_R32_UINT));
        heap.buffer_srv(3, &input, Elements::typed(0, count / 4, DXGI_FORMAT::FORMAT_R32G32B32A32_FLOAT));
        heap.buffer_uav(4, &output, Elements::raw(0, self.words));
        heap.buffer_uav(5, &output, Elements::structured(0, self.words, 4));
        heap.buffer_uav(6, &output, Elements::typed(0, self.words, DXGI_FORMAT::FORMAT_R32_UINT));

        let mut list = List::direct(device)?;
        let zeros = Buffer::uploaded(device, &vec![0; self.words as usize])?;
        buffer::fill(&stage.queue, &mut list, &output, &zeros)?;
        list.set_heap(&heap);
        list.set_compute_root(root);
        list.set_pipeline(&pipeline);
        list.compute_cbv(0, constants.address);
        list.compute_table(1, heap.gpu(0));
        list.dispatch(self.groups, 1, 1);
        let state = D3D12_RESOURCE_STATES::UNORDERED_ACCESS;
        let got = buffer::fetch(device, &stage.queue, &mut list, &output, state)?.read_u32()?;
        std::fs::write(self.output, bytes_of(&got)).map_err(|error| Failure::Wrong(format!("{}: {error}", self.output)))
    }
}
