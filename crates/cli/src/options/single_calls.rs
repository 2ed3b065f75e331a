//! The options of a replay that look at single calls, or stop at them.

use crate::terminal::output;
use reprise_replay::{DumpRequest, Dumped, Options, Replaced, Report};
use serde_json::{Value as Json, json};
use std::path::PathBuf;

/// What happens around single calls.
#[derive(Debug, clap::Args)]
pub(crate) struct Inspecting {
    /// Stop in the debugger right before these calls, by the numbers of `reprise dump`; without one, say how and stop
    #[arg(long, value_name = "CALL,CALL", value_delimiter = ',', value_parser = clap::value_parser!(u64).range(1..))]
    break_at: Vec<u64>,
    /// Have RenderDoc capture this frame, where it is loaded in this process: ENABLE_VULKAN_RENDERDOC_CAPTURE=1, or renderdoccmd
    /// capture -w -d . reprise replay ... On our runtime RenderDoc needs a driver that can give buffers the same addresses again
    /// (bufferDeviceAddressCaptureReplay; lavapipe cannot); --runtime vkd3d needs no such driver
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    renderdoc_frame: Option<u64>,
    /// Use the shaders of this folder in the place of the program's: files named as `reprise extract` does, after the hash of
    /// what they replace (HASH.dxbc, HASH.dxil or HASH.cso)
    #[arg(long, value_name = "DIR")]
    replace_shaders: Option<PathBuf>,
    /// Write what a resource holds right after a call has run on the GPU: ID@CALL, ID:SUBRESOURCE@CALL, ID[OFFSET+BYTES]@CALL
    /// for a buffer, or ID@frameN for the end of a frame; repeatable. In a bundle, or a
    /// render pass that cannot be opened, as it leaves it. Multisampled colour is resolved, multisampled depth and integers are refused. Files: .dds for every texture, beside it
    /// .png for 8 and 16 bits a channel or .exr for floats, .bin for buffers, .json about it
    #[arg(long, value_name = "ID@CALL")]
    dump_resource: Vec<DumpRequest>,
    /// The same for everything bound at a draw or dispatch: render targets, depth, vertex, index and stream-output buffers,
    /// root descriptors, and what descriptor tables name (64 descriptors of each range at most); of a copy, resolve or clear what it
    /// reads and writes
    #[arg(long, value_name = "CALL,CALL", value_delimiter = ',', value_parser = clap::value_parser!(u64).range(1..))]
    dump_draw: Vec<u64>,
    /// Dump as it is right before those calls, instead of after them
    #[arg(long, alias = "dump-resources-before-draw")]
    dump_resources_before: bool,
    /// Of a list that the program submits again and again, dump what its submission in this frame leaves, or the first one after it
    /// [default: the first of all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    dump_frame: Option<u64>,
    /// Folder for the dumps, made if absent [default: .]; for RenderDoc's capture, too [default: where RenderDoc writes]
    #[arg(long, value_name = "DIR")]
    dump_resources_dir: Option<PathBuf>,
}

impl Inspecting {
    /// The frame that RenderDoc is to capture.
    pub(crate) fn renderdoc_frame(&self) -> Option<u64> {
        self.renderdoc_frame
    }

    /// Puts what is asked for into the options of a replay.
    pub(crate) fn apply(&self, options: &mut Options<'_>) {
        options.break_at = self.break_at.iter().copied().collect();
        options.renderdoc_frame = self.renderdoc_frame;
        options.renderdoc_dir.clone_from(&self.dump_resources_dir);
        options.replace_shaders.clone_from(&self.replace_shaders);
        let dumps = &mut options.dumps;
        dumps.requests.clone_from(&self.dump_resource);
        dumps.draws.clone_from(&self.dump_draw);
        dumps.before = self.dump_resources_before;
        dumps.from_frame = self.dump_frame.unwrap_or(1);
        dumps.dir = self.dump_resources_dir.clone().unwrap_or_else(|| ".".into());
    }
}

/// What became of each dump, a line each.
pub(crate) fn in_words(report: &Report) -> Vec<String> {
    let line = |dumped: &Dumped| match &dumped.failure {
        Some(failure) => format!("not dumped: {}: {failure}", dumped.what),
        None => {
            let files: Vec<String> = dumped.files.iter().map(|file| file.display().to_string()).collect();
            format!("dumped {}", files.join(", "))
        }
    };
    report.dumped.iter().map(line).chain(report.replaced.iter().flat_map(replaced)).collect()
}

/// What became of the shaders of a folder.
fn replaced(replaced: &Replaced) -> Vec<String> {
    let used = replaced.used.iter();
    let mut lines: Vec<String> =
        used.map(|(path, count)| format!("{} used {}", path.display(), output::plural(*count, "time"))).collect();
    if replaced.same > 0 {
        lines.push(format!("{} as the trace has them", output::plural(replaced.same, "shader")));
    }
    lines.extend(replaced.unused.iter().map(|path| format!("warning: no shader of the trace is {}", path.display())));
    lines
}

/// Says on standard error what was not done.
pub(crate) fn complain(report: &Report) {
    for path in report.replaced.iter().flat_map(|replaced| &replaced.unused) {
        reprise_log::warning(format_args!("warning: no shader of the trace is {}", path.display()));
    }
    for dumped in report.dumped.iter().filter(|dumped| dumped.failure.is_some()) {
        reprise_log::error(format_args!("{}: {}", dumped.what, dumped.failure.as_deref().unwrap_or_default()));
    }
}

/// The same for programs: dumps and replaced shaders.
pub(crate) fn as_json(report: &Report) -> (Json, Json) {
    let dump = |one: &Dumped| json!({ "what": one.what, "files": one.files, "failure": one.failure });
    let replaced = report.replaced.as_ref().map(|replaced| {
        let used = |(path, count): &(PathBuf, u64)| json!({ "file": path, "count": count });
        let used: Vec<Json> = replaced.used.iter().map(used).collect();
        json!({ "used": used, "unused": replaced.unused, "same": replaced.same })
    });
    (report.dumped.iter().map(dump).collect(), replaced.into())
}

/// Whether something that was asked for was not done.
pub(crate) fn is_incomplete(report: &Report) -> bool {
    report.dumped.iter().any(|dumped| dumped.failure.is_some())
}
