//! Writes a trace whose names, markers and debug texts are markup with script in it: the page's tests look at every view of it.
#![allow(clippy::unwrap_used, unsafe_code, reason = "a tool of tests; the codec reads arguments from memory")]

#[path = "../../../crates/timeline/tests/common/mod.rs"]
mod script;

use reprise_d3d12::types::{D3D12_COMMAND_QUEUE_DESC, D3D12_DESCRIPTOR_HEAP_TYPE, D3D12_RESOURCE_FLAGS};
use reprise_d3d12::{description, interface, method};
use reprise_trace::fact;
use script::{Script, pointer};

/// Runs where text becomes markup: as an element, in an attribute, in a link, and in a template.
const HOSTILE: &str = concat!(
    "</script><script>globalThis.owned=1</script>\"'><img src=x onerror=\"globalThis.owned=1\">",
    "<svg onload=globalThis.owned=1><a href=\"javascript:globalThis.owned=1\">x</a>${globalThis.owned=1}"
);

const DEVICE: u32 = 1;
const QUEUE: u32 = 2;
const ALLOCATOR: u32 = 3;
const LIST: u32 = 4;
const BUFFER: u32 = 5;
const HEAP: u32 = 6;
const PLACED: u32 = 7;
const VIEWS: u32 = 8;

/// As `Object::SetName` takes a name.
fn wide(text: &str) -> Vec<u16> {
    text.encode_utf16().chain([0]).collect()
}

fn main() {
    let path = std::env::args_os().nth(1).expect("usage: hostile_trace FILE");
    let mut script = Script::new(1);
    script.device(DEVICE);
    let desc = D3D12_COMMAND_QUEUE_DESC::default();
    let device = |name: &str| method("ID3D12Device", name);
    script.create(DEVICE, device("CreateCommandQueue"), &[pointer(&desc)], interface("ID3D12CommandQueue"), QUEUE);
    let class = interface("ID3D12CommandAllocator");
    script.create(DEVICE, device("CreateCommandAllocator"), &[0], class, ALLOCATOR);
    let words = [0, 0, u64::from(ALLOCATOR), 0];
    script.create(DEVICE, device("CreateCommandList"), &words, interface("ID3D12GraphicsCommandList"), LIST);
    script.heap(DEVICE, HEAP, 1 << 20);
    let buffer = description::buffer(256, D3D12_RESOURCE_FLAGS::NONE);
    script.reserved(DEVICE, &buffer, BUFFER);
    script.placed(DEVICE, HEAP, 0, &buffer, PLACED);
    script.descriptors(DEVICE, D3D12_DESCRIPTOR_HEAP_TYPE::CBV_SRV_UAV, 4, 0x1000, VIEWS);
    let name = wide(HOSTILE);
    for object in [DEVICE, QUEUE, ALLOCATOR, LIST, BUFFER, HEAP, PLACED, VIEWS] {
        script.call(object, method("ID3D12Object", "SetName"), &[pointer(&name[0])], 0);
    }
    let list = |name: &str| method("ID3D12GraphicsCommandList", name);
    let bytes: Vec<u8> = HOSTILE.bytes().chain([0]).collect();
    let text = [1, pointer(&bytes[0]), bytes.len() as u64];
    // Open to the end, so that `lint` has a finding.
    script.call(LIST, list("BeginEvent"), &text, 0);
    script.call(LIST, list("BeginEvent"), &text, 0);
    script.call(LIST, list("SetMarker"), &text, 0);
    script.call(LIST, list("DrawInstanced"), &[3, 1, 0, 0], 0);
    script.call(LIST, list("EndEvent"), &[], 0);
    script.call(LIST, list("Close"), &[], 0);
    let lists = u64::from(LIST);
    let queue = |name: &str| method("ID3D12CommandQueue", name);
    script.call(QUEUE, queue("BeginEvent"), &text, 0);
    script.call(QUEUE, queue("ExecuteCommandLists"), &[1, pointer(&lists)], 0);
    let mut words: Vec<u64> = Vec::new();
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        words.push(u64::from_le_bytes(word));
    }
    script.fact(0, fact::THREAD_NAME, &words);
    script.frame();
    std::fs::write(path, script.bytes()).unwrap();
}
