//! What is refused, and what belongs together.

use super::*;

#[test]
fn what_cannot_be_is_refused_and_nothing_is_written() {
    let targets = Targets::new();
    let (bench, lines) = (&targets.bench, &targets.lines);
    let scene = Scene::of(lines);
    let (viewport, draw) = (calls(lines, "RSSetViewports")[0], scene.draws[0].call);
    let heap = calls(lines, "CreateDescriptorHeap")[0];
    let (list, close, map) = (calls(lines, "CreateCommandList")[0], calls(lines, "Close")[0], calls(lines, "Map")[0]);
    let signal = calls(lines, "Signal")[0];
    let pipeline = calls(lines, "SetPipelineState")[0];
    let target = calls(lines, "OMSetRenderTargets")[0];
    let (clear, copy) = (calls(lines, "ClearRenderTargetView")[0], calls(lines, "CopyTextureRegion")[0]);
    let execute = calls(lines, "ExecuteCommandLists")[0];
    let count = |heap: &u64| call(lines, *heap)["args"]["pDescriptorHeapDesc"]["NumDescriptors"].as_u64().unwrap();
    let wide = calls(lines, "CreateDescriptorHeap").into_iter().find(|heap| count(heap) > 1).unwrap();
    let made = lines.iter().find(|line| line["args"]["ppPipelineState"].is_object()).unwrap();
    let id = &made["args"]["ppPipelineState"]["id"];
    let vertex = shader("rectangle.vertex.dxbc");
    std::fs::write(bench.path("damaged.dxbc"), {
        let mut bytes = std::fs::read(shader("rectangle.many.dxbc")).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        bytes
    })
    .unwrap();
    let cases: Vec<(String, u8, &str)> = vec![
        (format!("call {viewport}: pViewports[9].Width = 1"), 1, "pViewports has no [9]"),
        (format!("call {viewport}: pViewports[0].Wide = 1"), 1, "has no Wide: it has"),
        (format!("call {viewport}: pViewports[0] = 1"), 1, "not one value"),
        (format!("call {viewport}: NumViewports = 9"), 1, "would read what it does not have"),
        (format!("call {viewport}: NumViewports = 4294967296"), 1, "out of range"),
        (format!("call {target}: pRenderTargetDescriptors = [null, null, null, null, null]"), 1, "more elements than"),
        (format!("call {viewport}: pViewports = [{{Wide = 1}}]"), 1, "has no Wide"),
        ("force size 32x32 = 16x16".into(), 1, "whose rows are others"),
        (format!("call {viewport}: pViewports[0].Width = \"wide\""), 1, "a number"),
        (format!("call {viewport}: pViewports[0].Width = 32"), 1, "nothing would change"),
        (format!("call {viewport} DrawInstanced: drop"), 1, "not DrawInstanced"),
        (format!("call {pipeline}: pPipelineState = 999"), 1, "does not exist there"),
        (format!("call {pipeline}: pPipelineState = 1"), 1, "not ID3D12PipelineState"),
        (format!("call {target}: pRenderTargetDescriptors[0] = heap {}[77]", 1), 1, "no descriptor heap"),
        (format!("call {target}: pRenderTargetDescriptors[0] = 0x77"), 1, "not a descriptor"),
        // Nothing that a call reads may be null; what it may be without, may.
        (format!("call {target}: pRenderTargetDescriptors = null"), 1, "is null, and NumRenderTargetDescriptors says"),
        (format!("call {pipeline}: pPipelineState = null"), 1, "pPipelineState must not be null"),
        (format!("call {clear}: RenderTargetView = null"), 1, "RenderTargetView must not be null"),
        (format!("call {copy}: pDst.pResource = null"), 1, "pDst.pResource must not be null"),
        (format!("call {execute}: ppCommandLists[0] = null"), 1, "ppCommandLists[0] must not be null"),
        (format!("insert before call {draw}: ExecuteIndirect(null, 1, null, 0, null, 0)"), 1, "must not be null"),
        // A heap has room for what is in it.
        (format!("call {wide}: pDescriptorHeapDesc.NumDescriptors = 1"), 1, "with 1 descriptors only"),
        ("call 99999: drop".into(), 1, "there is no call 99999"),
        ("every DrawIndexedInstanced: drop".into(), 1, "nothing in the trace"),
        ("frame 2: calls 1-9 DrawInstanced: drop".into(), 1, "nothing in the trace"),
        (format!("call {heap}: drop"), 1, "uses: it cannot be dropped"),
        (format!("call {list}: drop"), 1, "uses: it cannot be dropped"),
        (format!("call {close}: drop"), 1, "without Close"),
        (format!("call {map}: drop"), 1, "count on Map"),
        (format!("call {signal}: drop"), 1, "wait for what Signal says"),
        (format!("insert before call {draw}: DrawInstanced(3)"), 1, "takes 4 arguments"),
        (format!("insert before call {draw}: Close()"), 1, "no command that a list records"),
        (format!("insert before call {list}: DrawInstanced(3, 1, 0, 0)"), 1, "only beside the commands"),
        (format!("insert before call {draw}: SetPipelineState(1)"), 1, "not ID3D12PipelineState"),
        (format!("shader of {id} PS = \"{vertex}\""), 1, "is a vertex shader"),
        (format!("shader of {id} GS = \"{vertex}\""), 1, "has no GS: it has VS, PS"),
        (format!("shader of {id} PS = \"damaged.dxbc\""), 1, "checksum"),
        (format!("shader of {id} PS = \"{}\"", shader("uavs.pixel.dxbc")), 1, "uses register u0 of space 0"),
        (format!("shader of {id} PS = \"{}\"", shader("vertices.pixel.dxbc")), 1, "PS takes in"),
        (format!("shader of {id} PS = \"trace.reprise\""), 1, "no shader container"),
        ("shader 00000000000000000000000000000000 = \"trace.reprise\"".into(), 1, "nothing in the trace"),
        ("buffer 9999 = \"trace.reprise\"".into(), 1, "no resource 9999"),
        ("force samples 1 = 4".into(), 1, "2, 4, 8 or 16"),
        ("force format DXGI_FORMAT_R8G8B8A8_UNORM = DXGI_FORMAT_BC1_UNORM".into(), 1, "differ in blocks"),
        (format!("call {viewport}: "), 2, "column"),
        ("every Drawn: drop".into(), 2, "column 7: the name of a method"),
        (format!("call {viewport}: pViewports[x] = 1"), 2, "the number of an element"),
    ];
    let files = bench.files();
    for (edit, code, says) in &cases {
        let refused = bench.run(&["edit", "-o", "no.reprise", "-e", edit, "trace.reprise"]);
        let why = refused.errors();
        assert_eq!(refused.status.code(), Some(i32::from(*code)), "{edit}: {why}");
        assert!(why.contains(says), "{edit}: {why}");
        assert!(*code == 2 || why.contains(edit.as_str()), "{edit}: {why}");
    }
    assert_eq!(bench.files(), files, "nothing is written");
    // A damaged trace, and a file of edits that names its own line.
    let mut bytes = std::fs::read(bench.path("trace.reprise")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0xff;
    std::fs::write(bench.path("damaged.reprise"), bytes).unwrap();
    let refused = bench.run(&["edit", "-e", "every DrawInstanced: drop", "-o", "no.reprise", "damaged.reprise"]);
    assert_eq!(refused.status.code(), Some(3), "{}", refused.errors());
    std::fs::write(bench.path("changes.txt"), "# What is wrong here\n\nevery DrawInstanced: drup\n").unwrap();
    let refused = bench.run(&["edit", "--edits", "changes.txt", "-o", "no.reprise", "trace.reprise"]);
    assert_eq!(refused.status.code(), Some(2), "{}", refused.errors());
    assert!(refused.errors().contains("changes.txt, line 3, column"), "{}", refused.errors());
    assert!(!bench.path("no.reprise").exists());
}

#[test]
fn edits_that_spoil_each_other_are_refused() {
    let targets = Targets::new();
    let (bench, lines) = (&targets.bench, &targets.lines);
    let draw = Scene::of(lines).draws[0].call;
    let refused = |edits: &[String], says: &[&str]| {
        let mut arguments = vec!["edit", "--check"];
        edits.iter().for_each(|edit| arguments.extend(["-e", edit]));
        arguments.push("trace.reprise");
        let refused = bench.run(&arguments);
        assert_eq!(refused.status.code(), Some(1), "{edits:?}: {}", refused.errors());
        says.iter().for_each(|says| assert!(refused.errors().contains(says), "{edits:?}: {}", refused.errors()));
    };
    let (drop, repeat) = (format!("call {draw}: drop"), format!("call {draw}: repeat"));
    for edits in [[drop.clone(), repeat.clone()], [repeat, drop]] {
        refused(&edits, &["repeat): ", "another edit drops the call that this one repeats"]);
    }

    // A pipeline that nobody makes any more, and that nobody but the inserted call uses.
    let made = lines.iter().rfind(|line| line["args"]["ppPipelineState"].is_object()).unwrap();
    let id = made["args"]["ppPipelineState"]["id"].as_u64().unwrap();
    let uses = |line: &&Json| {
        line["this"]["id"] == id
            || line["args"]["ppPipelineState"]["id"] == id
            || line["args"]["pPipelineState"]["id"] == id
    };
    let mut edits: Vec<String> = lines
        .iter()
        .filter(uses)
        .filter_map(|line| line["call"].as_u64())
        .map(|call| format!("call {call}: drop"))
        .collect();
    assert!(edits.len() > 1, "{edits:?}");
    let sets = |line: &&Json| line["args"]["pPipelineState"]["id"] == id;
    let user = &lines.iter().rfind(sets).unwrap()["call"];
    let arguments: Vec<&str> = edits.iter().flat_map(|edit| ["-e", edit]).collect();
    bench.output(&[&["edit", "--check"], &arguments[..], &["trace.reprise"]].concat());
    edits.push(format!("insert before call {user}: SetPipelineState({id})"));
    let how = format!(
        "makes object {id}, which the call that is inserted before call {user} (ID3D12GraphicsCommandList::SetPipelineState) uses"
    );
    refused(&edits, &[&how]);
}

#[test]
fn a_trace_that_claims_endless_calls_is_refused() {
    use reprise_trace::layout::FileHeader;
    use reprise_trace::record::{Header, Record};
    use reprise_trace::trace_writer::{FileOutput, Progress, TraceWriter};
    let bench = Bench::new();
    let hostile = |name: &str, calls: u64| {
        let header = FileHeader { api_version: 1, api_hash: reprise_d3d12::FINGERPRINT, start: Default::default() };
        let file = FileOutput::create(&bench.path(name)).unwrap();
        let mut writer = TraceWriter::create(file, &header, serde_json::Map::new()).unwrap();
        let thread = writer.add_thread(1, 1, "main");
        let mut payload = [0; 24];
        payload[..4].copy_from_slice(&reprise_trace::fact::LEFT_OUT.to_le_bytes());
        payload[8..16].copy_from_slice(&calls.to_le_bytes());
        let header = Header { kind: Kind::Fact as u8, ..Header::default() };
        let record = Record { header, kind: Kind::Fact, sequence: 0, ticks: 0, after: 0, payload: &payload };
        writer.record(thread, &record, false);
        let made =
            writer.finish(Vec::new(), |_| Progress::default(), &|methods| reprise_codec::schema::of(&MODEL, methods));
        made.unwrap().0.finish().unwrap();
        bench.run(&["edit", "--check", "-e", "every DrawInstanced: drop", name])
    };
    let endless = hostile("endless.reprise", 1 << 63);
    assert_eq!(endless.status.code(), Some(3), "{}", endless.errors());
    assert!(endless.errors().contains("damaged"), "{}", endless.errors());
    let none = hostile("none.reprise", 0);
    assert_eq!(none.status.code(), Some(1), "{}", none.errors());
}

#[test]
fn what_belongs_together_is_dropped_together() {
    let targets = Targets::new();
    let (bench, lines) = (&targets.bench, &targets.lines);
    // The root signature was serialised, and its bytes are in the call that makes it: the blob is of no use to a replay.
    let made = call(lines, calls(lines, "CreateRootSignature")[0])["call"].as_u64().unwrap();
    let serialise = lines.iter().find(|line| line["method"] == "D3D12SerializeRootSignature").unwrap();
    let (first, blob) = (serialise["call"].as_u64().unwrap(), &serialise["args"]["ppBlob"]["id"]);
    let users: Vec<u64> =
        lines.iter().filter(|line| line["this"]["id"] == *blob).filter_map(|line| line["call"].as_u64()).collect();
    assert!(users.len() > 1 && users.iter().all(|user| (first..made + 4).contains(user)), "{users:?}");
    let alone = format!("call {first}: drop");
    let refused = bench.run(&["edit", "--check", "-e", &alone, "trace.reprise"]);
    let why = format!("call {first}: it makes object {blob}, which call {} (", users[0]);
    assert!(refused.status.code() == Some(1) && refused.errors().contains(&why), "{}", refused.errors());
    let user = format!("call {}: drop", users[users.len() - 1]);
    let refused = bench.run(&["edit", "--check", "-e", &user, "trace.reprise"]);
    assert!(refused.errors().contains("references are counted"), "{}", refused.errors());
    let mut all = vec![alone];
    all.extend(users.iter().map(|user| format!("call {user}: drop")));
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    edit(bench, "trace.reprise", &all, "edited.reprise");
    assert_eq!(diff(bench, "edited.reprise"), [all.len() as u64, 0, 0]);
    assert_eq!(targets.picture(&all, -(all.len() as i64)), Scene::of(lines).picture());

    let bench = Bench::new();
    capture(&bench, "passes");
    let lines = dump(&bench, "trace.reprise");
    let passes = calls(&lines, "BeginRenderPass").len() as u64;
    let ends = calls(&lines, "EndRenderPass").len() as u64;
    assert!(passes > 0 && passes == ends, "{passes} {ends}");
    let (begin, end) = ("every BeginRenderPass: drop", "every EndRenderPass: drop");
    for (one, other) in [(begin, "EndRenderPass"), (end, "BeginRenderPass")] {
        let refused = bench.run(&["edit", "--check", "-e", one, "trace.reprise"]);
        let says = format!("({other}), which belongs to it");
        assert!(refused.status.code() == Some(1) && refused.errors().contains(&says), "{}", refused.errors());
    }
    edit(&bench, "trace.reprise", &[begin, end], "edited.reprise");
    assert_eq!(diff(&bench, "edited.reprise"), [passes + ends, 0, 0]);
}

#[test]
fn what_may_be_null_and_what_has_room_is_written() {
    let targets = Targets::new();
    let (bench, lines) = (&targets.bench, &targets.lines);
    let target = calls(lines, "OMSetRenderTargets")[0];
    let none = format!("call {target}: NumRenderTargetDescriptors = 0, pRenderTargetDescriptors = null");
    edit(bench, "trace.reprise", &[&none], "none.reprise");
    let heap = calls(lines, "CreateDescriptorHeap")[0];
    let large = &call(lines, heap)["args"]["pDescriptorHeapDesc"]["NumDescriptors"];
    let more = format!("call {heap}: pDescriptorHeapDesc.NumDescriptors = {}", large.as_u64().unwrap() + 1);
    edit(bench, "trace.reprise", &[&more], "more.reprise");

    let bench = Bench::new();
    capture(&bench, "tiles");
    let lines = dump(&bench, "trace.reprise");
    let heap = calls(&lines, "CreateHeap")[0];
    let bytes = call(&lines, heap)["args"]["pDesc"]["SizeInBytes"].as_u64().unwrap();
    let refused = |bytes: u64| {
        let smaller = format!("call {heap}: pDesc.SizeInBytes = {bytes}");
        let refused = bench.run(&["edit", "--check", "-e", &smaller, "trace.reprise"]);
        (refused.status.code(), refused.errors())
    };
    let (code, why) = refused(65536);
    assert!(code == Some(1) && why.contains("with 65536 bytes only, and call "), "{code:?} {why}");
    let (code, why) = refused(bytes + 65536);
    assert_eq!(code, Some(0), "{why}");
}

#[test]
fn messages_repeat_the_beginning_of_what_is_long() {
    let targets = Targets::new();
    let bench = &targets.bench;
    let long = "x".repeat(20_000);
    let viewport = calls(&targets.lines, "RSSetViewports")[0];
    for edit in [
        format!("call {viewport}: {long} = 1"),
        format!("call {viewport}: pViewports[0].{long} = 1"),
        format!("call {viewport}: NumViewports = \"{long}\""),
        format!("call {viewport}: NumViewports = {long}"),
        format!("every {long}: drop"),
        format!("shader of 1 PS = \"{long}\""),
    ] {
        std::fs::write(bench.path("long.txt"), &edit).unwrap();
        let refused = bench.run(&["edit", "--check", "--edit", "long.txt", "trace.reprise"]);
        assert!(matches!(refused.status.code(), Some(1 | 2)), "{}", refused.errors());
        assert!(
            refused.errors().len() < 1000,
            "{} characters of {}",
            refused.errors().len(),
            &refused.errors()[..1000]
        );
    }
}
