//! Dumps of hand-made traces, and what their files hold.
#![allow(clippy::unwrap_used)]

use std::fs;

use reprise_d3d12::types::{D3D12_HEAP_TYPE, D3D12_RESOURCE_STATES as State};
use reprise_d3d12::{interface, method};

use reprise_picture::exr::Channels;

use super::contents::{Piece, floats, floats_of_depth24};
use super::plan::Plan;
use super::*;
use crate::tests::present::{FIRST, vulkan_swap_chain};
use crate::tests::program::{
    BUFFER, CPU, DEVICE, LIST, QUEUE, alone, buffer, by_ref, device, fence, iid, list, out, queue, target_heap,
};
use crate::tests::real::{submit, transition};
use crate::tests::script::Script;
use crate::world::World;
use crate::{Options, Report};

#[test]
fn points_are_read_as_written() {
    let request = |text: &str| text.parse::<DumpRequest>();
    let expected = DumpRequest { resource: 12, subresource: None, bytes: None, at: DumpAt::Call(345) };
    assert_eq!(request("12@345").unwrap(), expected);
    assert_eq!(request("12:3@345").unwrap(), DumpRequest { subresource: Some(3), ..expected.clone() });
    assert_eq!(request("12[0x100+64]@345").unwrap(), DumpRequest { bytes: Some((256, 64)), ..expected.clone() });
    assert_eq!(request("12@frame7").unwrap(), DumpRequest { at: DumpAt::Frame(7), ..expected });
    for text in ["", "12", "@3", "12@", "0@3", "12@0", "12@frame0", "12:@3", "12[1]@3", "12[1+0]@3", "x@3", "12@framex"]
    {
        assert!(request(text).unwrap_err().contains("12@345"), "{text}");
    }
}

fn asked(requests: &[&str], before: bool) -> ResourceDumps {
    let requests = requests.iter().map(|text| text.parse().unwrap()).collect();
    ResourceDumps { requests, before, ..ResourceDumps::default() }
}

fn planned(script: &mut Script, asked: &ResourceDumps) -> Plan {
    let blobs = script.blobs();
    plan(script, &blobs, asked).unwrap()
}

/// What a list does not say itself is what held when it was submitted, not when it was recorded.
#[test]
fn states_are_those_of_the_submission() {
    const OTHER: u32 = 90;
    let mut script = Script::new();
    device(&mut script);
    queue(&mut script);
    list(&mut script);
    fence(&mut script);
    let mut slot = 0;
    let words = [0, 0, 3, 0, iid(interface("ID3D12GraphicsCommandList")), out(&mut slot, OTHER)];
    script.call(DEVICE, method("ID3D12Device", "CreateCommandList"), &words, 0);
    buffer(&mut script, BUFFER, D3D12_HEAP_TYPE::DEFAULT, 0x100);
    // Recorded first, submitted second; its own barrier comes after the dump.
    let at = script.call(OTHER, method("ID3D12GraphicsCommandList", "IASetPrimitiveTopology"), &[4], 0);
    transition(&mut script, BUFFER, State::GENERIC_READ, State::UNORDERED_ACCESS);
    submit(&mut script, 1);
    script.call(OTHER, method("ID3D12GraphicsCommandList", "Close"), &[], 0);
    let lists = [u64::from(OTHER)];
    let execute = method("ID3D12CommandQueue", "ExecuteCommandLists");
    let submission = script.call(QUEUE, execute, &[1, lists.as_ptr() as u64], 0);
    let plan = planned(&mut script, &asked(&[&format!("5@{at}"), &format!("5@{submission}")], false));
    assert_eq!(plan.jobs.len(), 2);
    assert_eq!(plan.jobs[plan.after[&at][0]].states.get(0), Some(State::UNORDERED_ACCESS.0));
    assert_eq!(plan.jobs[plan.after[&at][0]].list, Some(OTHER));
    assert_eq!(plan.submitted[&submission], plan.after[&at]);
    assert_eq!(plan.jobs[plan.after[&submission][0]].list, None, "no list records a submission");
}

/// A list that is submitted in two frames fills its dumps in the one that is asked for; what a submission behind it uses again stays.
#[test]
fn a_frame_chooses_the_submission() {
    let execute = method("ID3D12CommandQueue", "ExecuteCommandLists");
    for (from_frame, is_kept) in [(1, true), (2, false)] {
        let mut script = Script::new();
        device(&mut script);
        queue(&mut script);
        list(&mut script);
        buffer(&mut script, BUFFER, D3D12_HEAP_TYPE::DEFAULT, 0x100);
        let at = script.call(LIST, method("ID3D12GraphicsCommandList", "IASetPrimitiveTopology"), &[4], 0);
        script.call(LIST, method("ID3D12GraphicsCommandList", "Close"), &[], 0);
        let lists = [u64::from(LIST)];
        let first = script.call(QUEUE, execute, &[1, lists.as_ptr() as u64], 0);
        script.frame();
        let second = script.call(QUEUE, execute, &[1, lists.as_ptr() as u64], 0);
        let asked = ResourceDumps { from_frame, ..asked(&[&format!("5@{at}")], false) };
        let plan = planned(&mut script, &asked);
        let expected = if from_frame == 1 { first } else { second };
        assert_eq!(plan.submitted.keys().copied().collect::<Vec<_>>(), [expected]);
        assert_eq!((plan.jobs.len(), plan.jobs[0].is_kept), (1, is_kept));
    }
}

/// Inside a render pass that is not opened nothing can be copied, and after the close nothing can be recorded.
#[test]
fn copies_stand_where_they_are_allowed() {
    let mut script = Script::new();
    device(&mut script);
    queue(&mut script);
    list(&mut script);
    fence(&mut script);
    buffer(&mut script, BUFFER, D3D12_HEAP_TYPE::DEFAULT, 0x100);
    const READ_ONLY_DEPTH: u64 = 8;
    let pass = |script: &mut Script, flags| {
        let begin = script.call(LIST, method("ID3D12GraphicsCommandList4", "BeginRenderPass"), &[0, 0, 0, flags], 0);
        (begin, script.call(LIST, method("ID3D12GraphicsCommandList", "DrawInstanced"), &[3, 1, 0, 0], 0))
    };
    let (_, opened) = pass(&mut script, 0);
    script.call(LIST, method("ID3D12GraphicsCommandList4", "EndRenderPass"), &[], 0);
    let (begin, draw) = pass(&mut script, READ_ONLY_DEPTH);
    let end = script.call(LIST, method("ID3D12GraphicsCommandList4", "EndRenderPass"), &[], 0);
    submit(&mut script, 1);
    let close = end + 1;
    let requests = [opened, begin, draw, end, close].map(|call| format!("5@{call}"));
    let plan = planned(&mut script, &asked(&requests.each_ref().map(String::as_str), false));
    let mut names: Vec<&str> = plan.after[&end].iter().map(|&job| plan.jobs[job].name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, [begin, draw, end].map(|call| format!("call{call:08}_after_res5")));
    assert!(plan.jobs[plan.after[&end][0]].notes[0].contains("as the render pass left it"));
    assert_eq!(plan.before[&close].len(), 1);
    assert_eq!(plan.after[&opened].len(), 1);
    assert!(plan.jobs[plan.after[&opened][0]].notes.is_empty());

    // The end of a pass that resolves nothing, a list that is never submitted, a call and a frame that are not there.
    let mut events = std::mem::take(&mut script.events);
    let closes =
        events.iter().position(|event| event.kind == reprise_trace::record::Kind::Enter && event.number == close);
    events.truncate(closes.unwrap());
    script.events = events;
    script.rewind();
    let mut wrong = asked(&[&format!("5@{draw}"), "5@9999", "5@frame3"], false);
    wrong.draws = vec![end];
    let failures: Vec<String> = planned(&mut script, &wrong).jobs.into_iter().filter_map(|job| job.failure).collect();
    let has = |words: &str| assert!(failures.iter().any(|failure| failure.contains(words)), "{words}: {failures:?}");
    has("never submitted");
    has("no such call");
    has("the last frame of the trace is 0");
    has("resolves nothing where it ends");
    assert_eq!(failures.len(), 4);
}

/// What stands in descriptor tables is not known then, and the dump of the draw says why.
#[test]
fn a_root_signature_that_cannot_be_read_is_named() {
    const ROOT: u32 = 91;
    let mut script = Script::new();
    device(&mut script);
    queue(&mut script);
    list(&mut script);
    let (mut slot, blob) = (0, [3u8; 40]);
    let words = [0, by_ref(&blob), 40, iid(interface("ID3D12RootSignature")), out(&mut slot, ROOT)];
    script.call(DEVICE, method("ID3D12Device", "CreateRootSignature"), &words, 0);
    let set = method("ID3D12GraphicsCommandList", "SetComputeRootSignature");
    script.call(LIST, set, &[u64::from(ROOT)], 0);
    let table = method("ID3D12GraphicsCommandList", "SetComputeRootDescriptorTable");
    script.call(LIST, table, &[0, 0x4_0000], 0);
    let dispatch = script.call(LIST, method("ID3D12GraphicsCommandList", "Dispatch"), &[1, 1, 1], 0);
    let asked = ResourceDumps { draws: vec![dispatch], ..ResourceDumps::default() };
    let jobs = planned(&mut script, &asked).jobs;
    let [job] = jobs.as_slice() else { panic!("{jobs:?}") };
    let failure = job.failure.as_deref().unwrap();
    assert!(failure.contains("root signature 91 cannot be read"), "{failure}");
    assert_eq!(job.what, format!("what is bound at call {dispatch}"));
}

/// Parts of one buffer at one call are files of their own.
#[test]
fn parts_of_a_buffer_have_names_of_their_own() {
    let mut script = Script::new();
    device(&mut script);
    queue(&mut script);
    list(&mut script);
    fence(&mut script);
    buffer(&mut script, BUFFER, D3D12_HEAP_TYPE::DEFAULT, 0x100);
    let at = script.call(LIST, method("ID3D12GraphicsCommandList", "IASetPrimitiveTopology"), &[4], 0);
    submit(&mut script, 1);
    let requests = ["5", "5[0+64]", "5[0+128]", "5[64+64]"].map(|what| format!("{what}@{at}"));
    let plan = planned(&mut script, &asked(&requests.each_ref().map(String::as_str), false));
    let names: std::collections::BTreeSet<&str> = plan.jobs.iter().map(|job| job.name.as_str()).collect();
    assert_eq!(names.len(), 4, "{names:?}");
}

/// Two clears of one texture in one list, on two runtimes: each dump has the colour of its own moment.
#[test]
fn a_dump_is_of_its_moment() {
    const HEAP: u32 = 80;
    let _alone = alone();
    let mut script = Script::new();
    vulkan_swap_chain(&mut script);
    list(&mut script);
    fence(&mut script);
    target_heap(&mut script, HEAP, 1);
    script.call(DEVICE, method("ID3D12Device", "CreateRenderTargetView"), &[u64::from(FIRST), 0, CPU], 0);
    transition(&mut script, FIRST, State::PRESENT, State::RENDER_TARGET);
    let clear = method("ID3D12GraphicsCommandList", "ClearRenderTargetView");
    let red = script.call(LIST, clear, &[CPU, by_ref(&[1f32, 0.0, 0.0, 1.0]), 0, 0], 0);
    let green = script.call(LIST, clear, &[CPU, by_ref(&[0f32, 1.0, 0.0, 1.0]), 0, 0], 0);
    transition(&mut script, FIRST, State::RENDER_TARGET, State::PRESENT);
    submit(&mut script, 1);
    for before in [false, true] {
        let dir = std::env::temp_dir().join(format!("reprise-dump-{}-{before}", std::process::id()));
        let requests = [red, green].map(|call| format!("{FIRST}@{call}"));
        let dumps = ResourceDumps { dir: dir.clone(), ..asked(&requests.each_ref().map(String::as_str), before) };
        let Some(report) = play(&mut script, dumps) else { return };
        assert!(report.dumped.iter().all(|dumped| dumped.failure.is_none()), "{:?}", report.dumped);
        let side = if before { "before" } else { "after" };
        let pixels = |call: u64| {
            let file = fs::read(dir.join(format!("call{call:08}_{side}_res{FIRST}.dds"))).unwrap();
            let (header, pixels) = file.split_at(148);
            assert_eq!(&header[..4], b"DDS ");
            // Height, width, DXGI format.
            let word = |at: usize| u32::from_le_bytes(header[at..at + 4].try_into().unwrap());
            assert_eq!((word(12), word(16), word(128)), (2, 4, 28));
            pixels.to_vec()
        };
        let (red_pixels, green_pixels) = ([255, 0, 0, 255].repeat(8), [0, 255, 0, 255].repeat(8));
        if before {
            assert_eq!(pixels(green), red_pixels);
        } else {
            assert_eq!((pixels(red), pixels(green)), (red_pixels, green_pixels));
        }
        fs::remove_dir_all(dir).unwrap();
    }
}

/// Plays on libvkd3d, whose images change their layouts with the states.
fn play(script: &mut Script, dumps: ResourceDumps) -> Option<Report> {
    let places = ["/usr/lib/x86_64-linux-gnu/libvkd3d-utils.so.1"];
    reprise_testing::require(reprise_testing::missing::file(&places, "libvkd3d-utils1"))?;
    let mut options = Options { runtime: Some("vkd3d".into()), dumps, ..Options::default() };
    let world = World::new(options.load_runtime().unwrap());
    Some(script.play_in(world, &mut options).unwrap())
}

#[test]
fn a_dds_counts_its_mips_and_slices() {
    let piece = |subresource, width, fill| Piece { subresource, width, height: 1, depth: 1, bytes: vec![fill; 8] };
    let shape = reprise_picture::dds::Shape { format: 71, dimension: 3, mips: 2, slices: 2 };
    let pieces = [piece(0, 4, 1), piece(1, 2, 2), piece(2, 4, 3), piece(3, 2, 4)];
    let size = [pieces[0].width, pieces[0].height, pieces[0].depth];
    let file = reprise_picture::dds::encode(shape, size, pieces.iter().map(|piece| &*piece.bytes));
    let word = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap());
    assert_eq!((word(4), word(28), word(76), word(84)), (124, 2, 32, u32::from_le_bytes(*b"DX10")));
    assert_eq!((word(128), word(132), word(140)), (71, 3, 2));
    assert_eq!(word(8) & 0x2_0000, 0x2_0000, "says that it has mips");
    let pixels = [[1; 8], [2; 8], [3; 8], [4; 8]].concat();
    assert_eq!(file[148..], pixels);
    // A reader that shares nothing with ours.
    let read = ddsfile::Dds::read(file.as_slice()).unwrap();
    assert_eq!(read.get_dxgi_format(), Some(ddsfile::DxgiFormat::BC1_UNorm));
    assert_eq!((read.get_width(), read.get_height(), read.get_depth()), (4, 1, 1));
    assert_eq!((read.get_num_mipmap_levels(), read.get_num_array_layers(), read.data), (2, 2, pixels));
}

/// Halves keep their bits, those of numbers that are none, too, as the crate's own reader has them.
#[test]
fn an_exr_keeps_the_bits_of_halves() {
    use ::exr::prelude::*;
    let bits = [0x3c00u16, 0x8000, 0x7c01, 0xfe12];
    let texels: Vec<u8> = bits.into_iter().flat_map(u16::to_le_bytes).collect();
    let file = reprise_picture::exr::encode(2, 1, &Channels { names: &["R", "G"], bytes: 2 }, &texels).unwrap();
    let image = read().no_deep_data().largest_resolution_level().all_channels().first_valid_layer().all_attributes();
    let image = image.non_parallel().from_buffered(std::io::Cursor::new(file)).unwrap();
    let channel = |name: &str| {
        let channels = &image.layer_data.channel_data.list;
        match &channels.iter().find(|channel| channel.name == *name).unwrap().sample_data {
            FlatSamples::F16(values) => values.iter().map(|value| value.to_bits()).collect::<Vec<u16>>(),
            other => panic!("{other:?} are no halves"),
        }
    };
    assert_eq!((channel("R"), channel("G")), (vec![bits[0], bits[2]], vec![bits[1], bits[3]]));
}

/// Reads an OpenEXR file as its layout is documented: channels by name, each row's values.
fn read_exr(file: &[u8]) -> (Vec<(String, u32)>, Vec<Vec<u8>>) {
    let word = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap());
    assert_eq!((word(0), word(4)), (20_000_630, 2));
    let text = |at: usize| {
        let end = at + file[at..].iter().position(|&byte| byte == 0).unwrap();
        (String::from_utf8(file[at..end].to_vec()).unwrap(), end + 1)
    };
    let (mut at, mut channels, mut rows) = (8, Vec::new(), 0);
    while file[at] != 0 {
        let (name, next) = text(at);
        let (_, next) = text(next);
        let value = next + 4;
        if name == "channels" {
            let mut place = value;
            while file[place] != 0 {
                let (channel, next) = text(place);
                channels.push((channel, word(next)));
                place = next + 16;
            }
        } else if name == "dataWindow" {
            rows = word(value + 12) + 1;
        }
        at = value + word(next) as usize;
    }
    let line = |row: u32| {
        let offset = word(at + 1 + 8 * row as usize) as usize;
        assert_eq!(word(offset), row);
        file[offset + 8..offset + 8 + word(offset + 4) as usize].to_vec()
    };
    (channels, (0..rows).map(line).collect())
}

#[test]
fn an_exr_has_its_channels_by_name() {
    let texels: Vec<u8> = [1f32, 2.0, 3.0, 4.0, 5.0, 6.0].iter().flat_map(|value| value.to_le_bytes()).collect();
    let file = reprise_picture::exr::encode(1, 2, &Channels { names: &["R", "G", "B"], bytes: 4 }, &texels).unwrap();
    let (channels, rows) = read_exr(&file);
    assert_eq!(channels, [("B".to_owned(), 2), ("G".to_owned(), 2), ("R".to_owned(), 2)]);
    let row = |values: [f32; 3]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>();
    assert_eq!(rows, [row([3.0, 2.0, 1.0]), row([6.0, 5.0, 4.0])]);
}

#[test]
fn conversions_to_floats_are_exact() {
    let depth = |word: u32| f32::from_le_bytes(floats_of_depth24(&word.to_le_bytes()).try_into().unwrap());
    assert_eq!((depth(0xab00_0000), depth(0xffff_ffff)), (0.0, 1.0));
    for word in [1u32, 2, 0x7f_ffff, 0x80_0000, 0xff_fffe] {
        assert_eq!((f64::from(depth(word)) * f64::from(0xff_ffff)).round() as u32, word);
    }
    // 1.0 in R11G11B10_FLOAT: an exponent of 15 and no fraction, in 6 and 5 bits behind it.
    let one = (15u32 << 6) | (15 << 17) | (15 << 27);
    let (_, halves) = floats(26, false, &one.to_le_bytes()).unwrap();
    assert_eq!(halves, [0x00, 0x3c].repeat(3), "1.0 as halves");
    // 3 · 2^(20 - 24), 16 · 2^-4 and 0.
    let word = 3 | 16 << 9 | 20 << 27u32;
    let (_, values) = floats(67, false, &u32::to_le_bytes(word)).unwrap();
    let values: Vec<f32> = values.chunks(4).map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap())).collect();
    assert_eq!(values, [0.1875, 1.0, 0.0]);
}
