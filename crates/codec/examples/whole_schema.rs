//! Writes the schema of all methods of today's model into `src/schema/models`, named by the model's fingerprint.

fn main() -> std::io::Result<()> {
    let all: Vec<u16> = (0..reprise_d3d12::MODEL.methods.len() as u16).collect();
    let schema = reprise_codec::schema::of(&reprise_d3d12::MODEL, &all);
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/schema/models");
    let path = format!("{folder}/{:016x}.zst", reprise_d3d12::FINGERPRINT);
    std::fs::write(&path, zstd::stream::encode_all(schema.as_slice(), 19)?)?;
    println!("{path}");
    Ok(())
}
