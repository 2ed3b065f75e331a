//! Contents of buffers and textures.

use super::*;

#[test]
fn contents_are_replaced_where_the_program_stored_them() {
    let bench = Bench::new();
    capture(&bench, "compute");
    let lines = dump(&bench, "trace.reprise");
    let dispatch = calls(&lines, "Dispatch")[0];
    let upload = |index: usize| lines.iter().filter(|line| line["event"] == "memory").nth(index).unwrap();
    let (settings, raw) = (upload(0)["object"]["id"].as_u64().unwrap(), upload(1)["object"]["id"].as_u64().unwrap());
    let copy = call(&lines, calls(&lines, "CopyBufferRegion")[0]);
    let (read_back, first_map) = (copy["args"]["pDstBuffer"]["id"].as_u64().unwrap(), calls(&lines, "Unmap")[0]);
    let words =
        |bytes: &[u8]| -> Vec<u32> { bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect() };
    let stored = |resource: u64| {
        let is = |record: &&Said| record.0 == Kind::Memory && u64::from(record.2) == resource;
        records(&bench, "trace.reprise").iter().find(is).unwrap().3[16..].to_vec()
    };
    let (old_settings, old_raw) = (stored(settings), stored(raw));
    // value = raw * multiplier + addend, as `compute.hlsl` has it.
    let expected = |settings: &[u32], raw: &[u32]| -> Vec<u32> {
        raw.iter().map(|raw| raw.wrapping_mul(settings[0]).wrapping_add(settings[1])).collect()
    };
    let of = |edits: &[&str]| words(&bytes(&bench, edits, read_back, first_map));
    assert_eq!(of(&[]), expected(&words(&old_settings), &words(&old_raw)), "the model does not know the program");

    let new: Vec<u8> = [3u32, 1000, 24, 0].iter().flat_map(|word| word.to_le_bytes()).collect();
    std::fs::write(bench.path("settings.bin"), &new).unwrap();
    std::fs::write(bench.path("old.bin"), &old_settings[..16]).unwrap();
    let edit = format!("buffer {settings} = \"settings.bin\"");
    assert_eq!(of(&[&edit]), expected(&words(&new), &words(&old_raw)));
    there_and_back(&bench, &[&edit], &[&format!("buffer {settings} = \"old.bin\"")], [0, 0, 1]);

    // A part of a larger one.
    std::fs::write(bench.path("raw.bin"), [7; 8]).unwrap();
    std::fs::write(bench.path("old raw.bin"), &old_raw[64..72]).unwrap();
    let mut changed = old_raw.clone();
    changed[64..72].fill(7);
    let edit = format!("buffer {raw}+0x40 = \"raw.bin\"");
    assert_eq!(of(&[&edit]), expected(&words(&old_settings), &words(&changed)));
    there_and_back(&bench, &[&edit], &[&format!("buffer {raw}+64 = \"old raw.bin\"")], [0, 0, 1]);

    // Half of the groups leave the other half as it was made: zeros.
    let groups = call(&lines, dispatch)["args"]["ThreadGroupCountX"].as_u64().unwrap() as usize;
    let edit = format!("call {dispatch}: ThreadGroupCountX = {}", groups / 2);
    let mut half = expected(&words(&old_settings), &words(&old_raw));
    half[groups / 2 * 64..].fill(0);
    assert_eq!(of(&[&edit]), half);
    there_and_back(&bench, &[&edit], &[&format!("call {dispatch}: ThreadGroupCountX = {groups}")], [0, 0, 1]);

    // The GPU writes what is read back.
    let refused = bench.run(&["edit", "--check", "-e", &format!("buffer {read_back} = \"raw.bin\""), "trace.reprise"]);
    assert_eq!(refused.status.code(), Some(1), "{}", refused.errors());
    assert!(refused.errors().contains("come from the GPU"), "{}", refused.errors());

    let bench = Bench::new();
    capture(&bench, "textures");
    let lines = dump(&bench, "trace.reprise");
    let copy = calls(&lines, "CopyTextureRegion")[0];
    let texture = call(&lines, copy)["args"]["pDst"]["pResource"]["id"].as_u64().unwrap();
    let new: Vec<u8> = (0..16 * 16 * 4).map(|at| (at * 7 % 251) as u8).collect();
    std::fs::write(bench.path("texels.bin"), &new).unwrap();
    let edit = format!("texture {texture} subresource 0 = \"texels.bin\"");
    let submitted = calls(&lines, "ExecuteCommandLists")[0];
    let of = |edits: &[&str]| texels(&bench, edits, texture, submitted)[..new.len()].to_vec();
    let before = of(&[]);
    assert_ne!(before, new);
    assert_eq!(of(&[&edit]), new);
    std::fs::write(bench.path("old.bin"), &before).unwrap();
    there_and_back(&bench, &[&edit], &[&format!("texture {texture} = \"old.bin\"")], [0, 0, 1]);
}
