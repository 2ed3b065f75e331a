//! Traces of another model of the API: shown by the names they carry, refused where they would be played.

use crate::bench::Bench;
use reprise_codec::schema;
use reprise_d3d12::MODEL;
use reprise_d3d12::model::MethodId;
use reprise_trace::record::{Kind, SEQUENCE};
use reprise_trace::session::{Config, Session};
use reprise_trace::writer;

const DRAW: MethodId = reprise_d3d12::method("ID3D12GraphicsCommandList", "DrawInstanced");
const TOPOLOGY: MethodId = reprise_d3d12::method("ID3D12GraphicsCommandList", "IASetPrimitiveTopology");

/// A trace of two calls, in which the methods have these numbers.
fn write(bench: &Bench, name: &str, numbers: [u16; 2]) {
    let (folder, output) = (bench.path("session"), bench.path(name));
    let session = Session::create(&folder, &Config::default()).unwrap();
    let mut ring = session.create_ring("").unwrap();
    let words = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    ring.record(Kind::Enter, numbers[0], SEQUENCE, 7, 0, &[&words(&[4, 0])]);
    ring.record(Kind::Enter, numbers[1], SEQUENCE, 7, 0, &[&words(&[3, 1, 0, 9])]);
    session.close();
    let schema = move |methods: &[u16]| {
        assert_eq!(methods.len(), 2);
        let text = String::from_utf8(schema::of(&MODEL, &[TOPOLOGY.0, DRAW.0])).unwrap();
        let line = |number: u16| format!("method {number} ");
        // In two steps: the numbers may be each other's.
        let text = text.replace(&line(TOPOLOGY.0), "first ").replace(&line(DRAW.0), "second ");
        let text = text.replace("first ", &line(numbers[0])).replace("second ", &line(numbers[1]));
        by_number(&text).into_bytes()
    };
    let options = writer::Options {
        session: folder,
        output,
        program: None,
        max_bytes: None,
        compression: Default::default(),
        schema: Box::new(schema),
    };
    assert_eq!(writer::run(options).unwrap().calls, 2);
}

/// The schema with its methods by rising number.
fn by_number(text: &str) -> String {
    let types = text.find("\nenum ").unwrap() + 1;
    let mut methods: Vec<String> =
        text[..types].split("\nmethod ").skip(1).map(|method| format!("method {}\n", method.trim_end())).collect();
    methods.sort_by_key(|method| method.split(' ').nth(1).unwrap().parse::<u16>().unwrap());
    format!("schema 2\n{}{}", methods.concat(), &text[types..])
}

#[test]
fn another_model_is_shown_by_its_own_names() {
    let bench = Bench::new();
    write(&bench, "ours.reprise", [TOPOLOGY.0, DRAW.0]);
    let dump = |name: &str| {
        let text = bench.output(&["dump", "--json", name]);
        let lines = text.lines().map(|line| {
            let mut line: serde_json::Value = serde_json::from_str(line).unwrap();
            line["time_ns"] = 0.into();
            line
        });
        lines.collect::<Vec<_>>()
    };
    let ours = dump("ours.reprise");
    assert_eq!(ours[0]["args"]["PrimitiveTopology"], "D3D_PRIMITIVE_TOPOLOGY_TRIANGLELIST");
    assert_eq!(ours[1]["args"]["StartInstanceLocation"], 9);
    // Swapped, and beyond our table.
    for numbers in [[DRAW.0, TOPOLOGY.0], [60_000, 5]] {
        write(&bench, "theirs.reprise", numbers);
        assert_eq!(dump("theirs.reprise"), ours, "{numbers:?}");
        let info = bench.output(&["info", "theirs.reprise"]);
        assert!(info.contains("ID3D12GraphicsCommandList::DrawInstanced"), "{info}");
        let refused = bench.run(&["replay", "theirs.reprise"]);
        assert_eq!(refused.status.code(), Some(3), "{}", refused.errors());
        assert!(refused.errors().contains("ID3D12GraphicsCommandList::"), "{}", refused.errors());
        assert!(refused.errors().contains("another model"), "{}", refused.errors());
    }
}
