//! What `convert` writes, compared with the dump, with itself in the other format, and with what a program was built with.

use crate::bench::{Bench, PATIENCE};
use crate::programs;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use reprise_testing::{artifact, missing, require};
use serde_json::{Map, Value as Json};
use std::fs::File;
use std::process::Command;

fn lines(text: &str) -> Vec<Map<String, Json>> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The row that a line of the dump must have become, by what the help says.
fn check_row(row: &Map<String, Json>, line: &Map<String, Json>) {
    let is_call = line.contains_key("call");
    let of_dump = |name: &str| line.get(name).cloned().unwrap_or(Json::Null);
    let of_row = |name: &str| row.get(name).cloned().unwrap_or(Json::Null);
    assert_eq!(of_row("kind"), if is_call { "call".into() } else { of_dump("event") }, "{line:?}");
    assert_eq!(of_row("call"), of_dump(if is_call { "call" } else { "after_call" }), "{line:?}");
    for name in ["frame", "thread", "time_ns"] {
        assert_eq!(of_row(name), of_dump(name), "{name} of {line:?}");
    }
    let object = of_dump(if is_call { "this" } else { "object" });
    assert_eq!((of_row("object"), of_row("class")), (object["id"].clone(), object["class"].clone()), "{line:?}");
    if !is_call {
        let args = of_row("args");
        let expected = ["offset", "subresource", "fact", "value", "source", "reason"];
        expected.iter().for_each(|name| assert_eq!(args[name], of_dump(name), "{name} of {line:?}"));
        return;
    }
    let name = of_row("method").as_str().unwrap().to_owned();
    let name = of_row("interface").as_str().map_or(name.clone(), |interface| format!("{interface}::{name}"));
    assert_eq!(Json::from(name), of_dump("method"), "{line:?}");
    // The dump shortens contents, and shows no hashes.
    let shortened = |value: &Json| value.to_string().contains("\"begins\"") || value.to_string().contains("\"blob\"");
    let result = of_dump("result");
    assert!(of_row("result") == result || shortened(&result), "{line:?}: {:?}", of_row("result"));
    let mut all = of_row("args").as_object().unwrap().clone();
    all.extend(of_row("outputs").as_object().cloned().unwrap_or_default());
    for (name, value) in of_dump("args").as_object().unwrap() {
        assert!(all.get(name) == Some(value) || shortened(value), "{name} of {line:?}: {:?}", all.get(name));
    }
}

/// A cell of a Parquet file as the JSON line has it.
fn cell(field: &Field, json_text: bool) -> Json {
    match field {
        Field::Null => Json::Null,
        Field::Bool(value) => (*value).into(),
        Field::Long(value) => (*value).into(),
        Field::Str(text) if json_text => serde_json::from_str(text).unwrap_or_else(|_| text.as_str().into()),
        Field::Str(text) => text.as_str().into(),
        Field::ListInternal(list) if list.len() == 0 => Json::Null,
        Field::ListInternal(list) => list.elements().iter().map(|element| cell(element, false)).collect(),
        other => panic!("{other} is of no type of these columns"),
    }
}

#[test]
fn rows_are_the_lines_of_the_dump_in_both_formats() {
    for program in ["threads", "dispatches"] {
        let bench = Bench::new();
        programs::capture(&bench, program, &programs::ours());
        let dumped = lines(&bench.output(&["dump", "--json", "trace.reprise"]));
        let rows = lines(&bench.output(&["convert", "--format", "jsonl", "-o", "-", "trace.reprise"]));
        assert_eq!(rows.len(), dumped.len());
        rows.iter().zip(&dumped).for_each(|(row, line)| check_row(row, line));

        assert_eq!(bench.output(&["convert", "-o", "table.parquet", "trace.reprise"]), "");
        let reader = SerializedFileReader::new(File::open(bench.path("table.parquet")).unwrap()).unwrap();
        assert_eq!(reader.metadata().file_metadata().num_rows(), rows.len() as i64);
        let mut found = 0;
        for (read, row) in reader.get_row_iter(None).unwrap().zip(&rows) {
            for (name, field) in read.unwrap().get_column_iter() {
                let json_text = ["args", "outputs", "result"].contains(&name.as_str());
                assert_eq!(cell(field, json_text), row.get(name).cloned().unwrap_or(Json::Null), "{name} of {row:?}");
            }
            found += 1;
        }
        assert_eq!(found, rows.len());

        let some = lines(&bench.output(&["convert", "-o", "-", "--calls", "7-20", "trace.reprise"]));
        let expected: Vec<_> = rows.iter().filter(|row| (7..=20).contains(&row["call"].as_u64().unwrap())).collect();
        assert_eq!(some.iter().collect::<Vec<_>>(), expected);
    }
}

#[test]
fn contents_are_those_that_the_program_was_built_with() {
    let bench = Bench::new();
    programs::capture(&bench, "dispatches", &programs::ours());
    let shader = |rows: &[Map<String, Json>], call: usize| {
        let created = rows.iter().filter(|row| row.get("method") == Some(&"CreateComputePipelineState".into()));
        created.map(|row| row["args"]["pDesc"]["CS"]["pShaderBytecode"].clone()).nth(call).unwrap()
    };
    bench.output(&["convert", "--contents", "files", "trace.reprise"]);
    let rows = lines(&std::fs::read_to_string(bench.path("trace.jsonl")).unwrap());
    let folder = reprise_testing::artifact::workspace().join("crates/programs/shaders");
    let mut known: Vec<Vec<u8>> = ["arguments", "count", "move"]
        .map(|name| std::fs::read(folder.join(format!("dispatches.{name}.dxbc"))).unwrap())
        .to_vec();
    for call in 0..3 {
        let content = shader(&rows, call);
        let bytes = std::fs::read(bench.path("trace.contents").join(content["file"].as_str().unwrap())).unwrap();
        assert_eq!(content["hash"], format!("{:032x}", reprise_trace::read::content_hash(&bytes)));
        let place = known.iter().position(|shader| *shader == bytes).unwrap();
        known.remove(place);
    }
    // What a conversion that was stopped left of a file is not taken for the content.
    let cut = bench.path("trace.contents").join(shader(&rows, 0)["file"].as_str().unwrap());
    let whole = std::fs::read(&cut).unwrap();
    std::fs::write(&cut, &whole[..7]).unwrap();
    bench.output(&["convert", "--contents", "files", "trace.reprise"]);
    assert!(std::fs::read(&cut).unwrap() == whole);
    let inside = lines(&bench.output(&["convert", "--contents", "base64", "-o", "-", "trace.reprise"]));
    let text = shader(&inside, 0)["base64"].as_str().unwrap().to_owned();
    assert!(text.starts_with("RFhCQ"), "DXBC in base64: {text}");
    assert_eq!(shader(&inside, 0)["hash"], shader(&rows, 0)["hash"]);
    let memory = |rows: &[Map<String, Json>]| rows.iter().filter(|row| row["kind"] == "memory").count();
    assert!(
        memory(&inside) > 0 && inside.iter().all(|row| row["kind"] != "memory" || !row["args"]["base64"].is_null())
    );
    assert_eq!(bench.run(&["convert", "-o", "missing/table.parquet", "trace.reprise"]).status.code(), Some(1));
}

/// A conversion that fails, or dies, leaves the table of an earlier one, and nothing else. The limit of 1024 bytes a file ends it:
/// with an error where the signal of that limit is ignored, else by the signal.
#[test]
fn a_conversion_that_does_not_end_leaves_what_was_there() {
    let bench = Bench::new();
    programs::capture(&bench, "dispatches", &programs::ours());
    for format in ["jsonl", "parquet"] {
        let table = format!("trace.{format}");
        let convert = |before: &str| {
            let mut command = Command::new("sh");
            let reprise = bench.command();
            command.args(["-c", &format!("{before} exec \"$0\" \"$@\"")]).arg(reprise.get_program());
            command.current_dir(&bench.folder).args(["convert", "--format", format, "trace.reprise"]);
            reprise_testing::run(&mut command, PATIENCE).unwrap()
        };
        for old in [None, Some("of an earlier conversion")] {
            old.map_or(Ok(()), |old| std::fs::write(bench.path(&table), old)).unwrap();
            let files = bench.files();
            let failed = convert("trap '' XFSZ; ulimit -f 2;");
            assert_eq!(failed.status.code(), Some(1), "{}", failed.errors());
            assert!(failed.errors().contains(&format!("cannot write {table}")), "{}", failed.errors());
            assert_eq!(bench.files(), files);
            let died = convert("ulimit -c 0; ulimit -f 2;");
            assert_eq!(died.status.code(), None, "{}", died.errors());
            assert_eq!(std::fs::read_to_string(bench.path(&table)).ok().as_deref(), old);
        }
        let ended = convert("");
        assert!(ended.status.success(), "{}", ended.errors());
        assert!(std::fs::metadata(bench.path(&table)).unwrap().len() > 1024);
    }
}

/// What `protoc` reads of a file for Perfetto: for each packet its text, a line for each field.
fn packets(bench: &Bench, name: &str) -> Option<Vec<String>> {
    require(missing::program("protoc", "protobuf-compiler"))?;
    let schema = artifact::workspace().join("crates/cli/tests/suite/convert");
    let mut command = Command::new("sh");
    let decode = "exec protoc --decode=Trace --proto_path=\"$0\" perfetto.proto < \"$1\"";
    command.args(["-c", decode]).arg(schema).arg(bench.path(name));
    let finished = reprise_testing::run(&mut command, PATIENCE).unwrap();
    assert!(finished.status.success(), "{}", finished.errors());
    let text = finished.text();
    // A field that the schema does not have would be told by its number.
    let known = |line: &str| line.trim().chars().next().is_none_or(|first| first.is_alphabetic() || first == '}');
    assert!(text.lines().all(known), "{text}");
    Some(text.split("packet {\n").skip(1).map(str::to_owned).collect())
}

/// The value of a field of a packet, or of what it has, but not of what is deeper.
fn field<'p>(packet: &'p str, name: &str) -> Option<&'p str> {
    let own =
        |line: &'p str| line.strip_prefix("    ").or(line.strip_prefix("  ")).filter(|rest| !rest.starts_with(' '));
    packet.lines().find_map(|line| own(line)?.strip_prefix(name)?.strip_prefix(": "))
}

/// Each call is a slice or an instant of its thread, at its time; submissions are where the queue got them; fences have the values that were seen; what
/// was measured lies in tracks of the GPU, operations within submissions.
#[test]
fn a_timeline_for_perfetto_says_what_the_dump_says() {
    let bench = Bench::new();
    programs::capture(&bench, "costs", &programs::ours());
    let dumped = lines(&bench.output(&["dump", "--json", "trace.reprise"]));
    assert_eq!(bench.output(&["convert", "-o", "plain.pftrace", "trace.reprise"]), "");
    bench.output(&["time", "trace.reprise", "--runs", "1", "--save"]);
    bench.output(&["convert", "--format", "pftrace", "trace.reprise"]);
    let Some(plain) = packets(&bench, "plain.pftrace") else { return };
    let all = packets(&bench, "trace.pftrace").unwrap();
    assert!(plain.len() > 100 && all.len() > plain.len());
    assert_eq!(plain[..], all[..plain.len()]);
    let described = |name: &str| all.iter().any(|packet| packet.contains("track_descriptor") && packet.contains(name));
    assert!(
        ["thread_name: \"thread 0\"", "name: \"queue ", "name: \"fence ", "process_name: "]
            .iter()
            .all(|name| described(name))
    );
    assert!(described("name: \"GPU, queue "), "{all:?}");
    assert!(!plain.iter().any(|packet| packet.contains("GPU, queue")));
    // Every packet is of the one sequence, and events have a track that is described before.
    let uuid = |packet: &str| field(packet, "uuid").map(str::to_owned);
    let mut tracks = Vec::new();
    for packet in &all {
        assert_eq!(field(packet, "trusted_packet_sequence_id"), Some("1"), "{packet}");
        match field(packet, "track_uuid") {
            Some(track) => assert!(tracks.contains(&track.to_owned()), "{packet}"),
            None => tracks.push(uuid(packet).unwrap()),
        }
    }
    let of_category = |category: &str| {
        let word = format!("categories: \"{category}\"");
        all.iter().filter(|packet| packet.contains(&word)).cloned().collect::<Vec<_>>()
    };
    let told: Vec<(String, u64)> = of_category("call")
        .iter()
        .map(|packet| {
            (
                field(packet, "name").unwrap().trim_matches('"').to_owned(),
                field(packet, "timestamp").unwrap().parse().unwrap(),
            )
        })
        .collect();
    let calls: Vec<(String, u64)> = dumped
        .iter()
        .filter(|line| line.contains_key("call"))
        .map(|line| {
            (
                line["method"].as_str().unwrap().rsplit("::").next().unwrap().to_owned(),
                line["time_ns"].as_u64().unwrap(),
            )
        })
        .collect();
    assert_eq!(told, calls);
    // As many ends as beginnings, on each track; none before its beginning.
    let mut open: std::collections::HashMap<String, Vec<u64>> = std::collections::HashMap::new();
    for packet in all.iter().filter(|packet| packet.contains("TYPE_SLICE")) {
        let time: u64 = field(packet, "timestamp").unwrap().parse().unwrap();
        let own = open.entry(field(packet, "track_uuid").unwrap().to_owned()).or_default();
        match packet.contains("TYPE_SLICE_BEGIN") {
            true => own.push(time),
            false => assert!(own.pop().unwrap() <= time, "{packet}"),
        }
    }
    assert!(open.values().all(Vec::is_empty), "{open:?}");
    let submitted = calls.iter().filter(|(name, _)| name == "ExecuteCommandLists").count();
    let of_queue = of_category("queue");
    assert_eq!(of_queue.iter().filter(|packet| packet.contains("submission of 1 lists")).count(), submitted);
    let gpu = of_category("gpu");
    let operations = ["Dispatch", "ExecuteBundle", "ResourceBarrier", "CopyBufferRegion"];
    let counts =
        operations.map(|name| gpu.iter().filter(|packet| packet.contains(&format!("name: \"{name}\""))).count());
    assert_eq!(counts, [6, 1, 3, 1], "{gpu:?}");
    assert!(gpu.iter().any(|packet| packet.contains("string_value: \"8 units\"")), "{gpu:?}");
    // The value that the program waited for.
    let values: Vec<&str> = all.iter().filter_map(|packet| field(packet, "counter_value")).collect();
    let seen = dumped.iter().filter(|line| line.get("event").is_some_and(|event| event == "observe")).count();
    let asked = calls.iter().filter(|(name, _)| name == "GetCompletedValue").count();
    assert!(values.len() >= seen + asked && !values.is_empty(), "{values:?} {seen} {asked}");
}
