//! What translating a shader costs beside the bare translator, and what of it is not the translator.
//!
//! Takes every `.dxbc` and `.dxil` in some folders. *Bare* is the translator as its own program uses it: parse, convert with
//! its own bindings and options, read the result, free. *Ours* is all that a pipeline asks of `reprise-shader`: verify the
//! container, parse, convert with bindings into bound heaps (which makes more code of every access), read the result and
//! look at it. The parts: *verify* alone; *key*, the hash that names the result on disk; *hit*, key and result from a warm
//! disk; *miss*, ours with storing the result.
//!
//! A shader's figure is the median over the rounds, in which all take turns, of the calling thread's CPU time for the second
//! of two runs in a row. The table has their means, and the ratio is of the sums. What one of them refuses is in no figure.

use anyhow::{Context, Result, ensure};
use clap::Parser;
use dxil_spirv_sys as sys;
use reprise_benches::clock;
use reprise_benches::figures::spread;
use reprise_shader::cache::{Cache, Key};
use reprise_shader::{Binding, Class, Heaps, Interface, Link, Place, Slot, Stage, Target, translate, verify};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::ptr;

/// Measures the cost of translating shaders.
#[derive(Parser)]
struct Options {
    /// Rounds.
    #[arg(long, default_value_t = 21)]
    rounds: u32,
    /// Folders of shaders; without one those of the repository.
    #[arg(long)]
    shaders: Vec<PathBuf>,
    /// Writes the table here as JSON.
    #[arg(long)]
    json: Option<PathBuf>,
}

/// What is measured of each shader.
const PARTS: [&str; 6] = ["bare", "ours", "verify", "key", "hit", "miss"];

fn main() -> Result<()> {
    let options = Options::parse();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folders = match options.shaders.is_empty() {
        true => ["crates/programs/shaders", "crates/shader/tests/shaders"].map(|folder| root.join(folder)).to_vec(),
        false => options.shaders.clone(),
    };
    let scratch = tempfile::tempdir()?;
    let cache = Cache::open(scratch.path(), 1 << 30).with_context(|| scratch.path().display().to_string())?;
    let mut report = Vec::new();
    println!("us of CPU time per shader, mean of the shaders' medians of {} rounds", options.rounds);
    println!(
        "{:<6} {:>7} {:>7} {:>9} {:>9} {:>6} {:>9} {:>9} {:>9} {:>9}",
        "kind", "shaders", "bytes", "bare", "ours", "ratio", "verify", "key", "hit", "miss"
    );
    for kind in ["dxil", "dxbc"] {
        let blobs = blobs(&folders, kind)?;
        let measured: Vec<[f64; PARTS.len()]> =
            blobs.iter().filter_map(|blob| measure(blob, &cache, options.rounds)).collect();
        ensure!(!measured.is_empty(), "no {kind} shaders in the folders that both translate");
        let count = measured.len() as f64;
        let mean: [f64; PARTS.len()] =
            core::array::from_fn(|at| measured.iter().map(|one| one[at]).sum::<f64>() / count / 1000.0);
        let [bare, ours, verify, key, hit, miss] = mean;
        let bytes = blobs.iter().map(Vec::len).sum::<usize>() / blobs.len();
        println!(
            "{kind:<6} {:>7} {bytes:>7} {bare:>9.1} {ours:>9.1} {:>6.2} {verify:>9.2} {key:>9.2} {hit:>9.2} {miss:>9.1}",
            measured.len(),
            ours / bare
        );
        let parts: serde_json::Map<_, _> =
            PARTS.iter().zip(mean).map(|(name, mean)| ((*name).to_owned(), json!(mean))).collect();
        report.push(
            json!({ "kind": kind, "shaders": measured.len(), "bytes": bytes, "us": parts, "ratio": ours / bare }),
        );
    }
    scratch.close()?;
    if let Some(path) = &options.json {
        std::fs::write(path, serde_json::to_string_pretty(&report)?)?;
    }
    Ok(())
}

fn blobs(folders: &[PathBuf], kind: &str) -> Result<Vec<Vec<u8>>> {
    let mut all = Vec::new();
    for folder in folders {
        for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
            let path = entry?.path();
            if path.extension().is_some_and(|ending| ending == kind) {
                all.push(path);
            }
        }
    }
    all.sort();
    all.iter().map(|path| std::fs::read(path).with_context(|| path.display().to_string())).collect()
}

/// Nanoseconds of each part; `None` for a shader that one of them refuses.
fn measure(blob: &[u8], cache: &Cache, rounds: u32) -> Option<[f64; PARTS.len()]> {
    let (stage, _) = bare(blob)?;
    let (interface, link, target) = (interface(), Link::default(), target());
    let ours = || translate(blob, stage, &interface, &link, &target);
    let key = || Key::new(blob, stage, &interface, &link, &target);
    let spirv = ours().ok()?;
    cache.put(key(), &spirv);
    let mut samples: [Vec<f64>; PARTS.len()] = Default::default();
    for _ in 0..rounds {
        samples[0].push(timed(|| bare(blob)));
        samples[1].push(timed(ours));
        samples[2].push(timed(|| verify(blob)));
        samples[3].push(timed(key));
        samples[4].push(timed(|| cache.get(key())));
        samples[5].push(timed(|| ours().map(|spirv| cache.put(key(), &spirv))));
    }
    Some(samples.map(|samples| spread(&samples).median))
}

/// Runs twice and times the second run: what the first leaves in caches and in the allocator's hands is its own doing.
fn timed<T>(run: impl Fn() -> T) -> f64 {
    core::hint::black_box(run());
    let before = clock::thread();
    core::hint::black_box(run());
    clock::passed(before, clock::thread()) as f64
}

/// The translator alone: the stage that it found, and the bytes that it made.
fn bare(blob: &[u8]) -> Option<(Stage, usize)> {
    let (mut parsed, mut converter) = (ptr::null_mut(), ptr::null_mut());
    let mut compiled = sys::dxil_spv_compiled_spirv { data: ptr::null(), size: 0 };
    // SAFETY: the repository's or the user's own shaders, whole in memory; what is made is freed once, the converter before
    // the blob, both before their arena, and not used after.
    unsafe {
        sys::dxil_spv_begin_thread_allocator_context();
        let done = sys::dxil_spv_result_DXIL_SPV_SUCCESS;
        let made = sys::dxil_spv_parse_dxil_blob(blob.as_ptr().cast(), blob.len(), &mut parsed) == done
            && sys::dxil_spv_create_converter(parsed, &mut converter) == done
            && sys::dxil_spv_converter_run(converter) == done
            && sys::dxil_spv_converter_get_compiled_spirv(converter, &mut compiled) == done;
        let stage = if parsed.is_null() { 0 } else { sys::dxil_spv_parsed_blob_get_shader_stage(parsed) };
        if !converter.is_null() {
            sys::dxil_spv_converter_free(converter);
        }
        if !parsed.is_null() {
            sys::dxil_spv_parsed_blob_free(parsed);
        }
        sys::dxil_spv_end_thread_allocator_context();
        Stage::from_number(stage).filter(|_| made).map(|stage| (stage, compiled.size))
    }
}

/// A root signature that has every register of the first spaces, in tables.
fn interface() -> Interface {
    let slot = |set, binding| Slot { set, binding };
    let views = slot(0, 2);
    let classes = [Class::Srv, Class::Uav, Class::Cbv, Class::Sampler];
    let bindings = (0..4u32).flat_map(|space| classes.map(|class| (space, class))).map(|(space, class)| Binding {
        class,
        space,
        register: 0,
        count: u32::MAX,
        visibility: 0,
        place: Place::Table { word: space * 4 + class as u32, offset: 0 },
    });
    Interface {
        root_words: 16,
        bindings: bindings.collect(),
        heaps: Heaps {
            sampled_image: views,
            storage_image: views,
            uniform_texel: views,
            storage_texel: views,
            uniform_buffer: views,
            storage_buffer: slot(1, 0),
            sampler: slot(2, 0),
            addresses: slot(0, 1),
            offsets: slot(0, 0),
            wide_image: slot(3, 0),
            wide_texel: slot(3, 1),
            wide_count: 0,
        },
        direct_resources: true,
        direct_samplers: true,
        ..Interface::default()
    }
}

/// A device as software ones are.
fn target() -> Target {
    Target {
        read_without_format: true,
        integer_dot: true,
        scalar_layout: true,
        robust_components: true,
        compute_derivatives: true,
        subgroup_min: 8,
        subgroup_max: 8,
        ..Target::default()
    }
}
