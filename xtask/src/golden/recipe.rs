//! The golden traces: what each is, how it is made, and where it must play.

/// A golden trace.
pub(super) struct Recipe {
    pub(super) name: &'static str,
    /// What it has that the others have not, for its README.
    pub(super) what: &'static str,
    pub(super) how: How,
    pub(super) replay: Replay,
}

/// How a trace is recorded.
pub(super) enum How {
    /// `reprise capture OPTIONS -- reprise-programs WORDS`, on our runtime.
    Program { options: &'static [&'static str], words: &'static [&'static str] },
    /// The same of a program with a window, on Debian's libvkd3d, which is closed when it has presented what is wanted.
    Window { options: &'static [&'static str], program: &'static str, package: &'static str },
    /// The same of `worker LOG WORDS`, of several threads, on the null runtime (win64), which `REPRISE_NULL` tells what to do.
    Worker { options: &'static [&'static str], words: &'static [&'static str], null: &'static str, end: End },
    /// The same of `heaps`, the program in `heaps.c`, on our runtime.
    Heaps,
    /// What `golden_session KIND` leaves in rings, written by `reprise write`.
    Session { kind: &'static str },
}

/// How a worker ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// By itself.
    Own,
    /// By a segmentation fault.
    Crash,
    /// Killed (SIGKILL) in the middle of its calls.
    Killed,
    /// Its writer is killed, and then the program: what was not yet in the file stays in the rings.
    WriterKilled,
}

/// Where a trace must play without a difference, by every later build.
pub(super) enum Replay {
    /// On our runtime, and `verify` compares what the program read back.
    Verified,
    /// On our runtime, where there is nothing to compare.
    Ours,
    /// On our runtime; its frames are those of the capture on libvkd3d.
    Vkd3d,
    /// On the null runtime, win64.
    Null,
    /// It is read, and not played, for this reason.
    Never(&'static str),
}

const BY_SUBMISSIONS: [&str; 2] = ["--frame-boundary", "submissions"];
/// What is committed is to be small.
pub(super) const SMALL: &[&str] = &["--compression", "zstd:19"];
const NO_CREATION: &str = "its objects are made by the test, so no call of the trace creates them";

const fn program(
    name: &'static str,
    what: &'static str,
    options: &'static [&'static str],
    words: &'static [&'static str],
) -> Recipe {
    Recipe { name, what, how: How::Program { options, words }, replay: Replay::Verified }
}

pub(super) const RECIPES: &[Recipe] = &[
    program("compute", "DXBC compute shaders, every kind of buffer view, counters", SMALL, &["compute"]),
    program(
        "dispatches-dxil",
        "DXIL compute shaders, indirect dispatches",
        SMALL,
        &["dispatches", "--shaders", "dxil"],
    ),
    program("bundles", "bundles that inherit state and set it", SMALL, &["bundles"]),
    program("pipelines", "graphics pipelines by structures, DXIL", SMALL, &["pipelines", "--shaders", "dxil"]),
    program("pipeline-streams", "pipelines by streams of subobjects", SMALL, &["pipeline-streams"]),
    program("passes", "render passes over two lists", SMALL, &["passes"]),
    program("line-views", "views of textures; the default compression", &[], &["line-views"]),
    program(
        "indirect-state",
        "indirect commands that set buffers, addresses in GPU memory",
        SMALL,
        &["indirect-state"],
    ),
    program("dispatch-roots", "indirect dispatches with root constants and buffers", SMALL, &["dispatch-roots"]),
    program("queries", "occlusion and pipeline statistics", SMALL, &["queries"]),
    Recipe {
        name: "timestamps",
        what: "bytes that differ in every run: times of the GPU's clock",
        how: How::Program { options: SMALL, words: &["timestamps"] },
        replay: Replay::Ours,
    },
    Recipe {
        name: "heaps",
        what: "a heap, placed buffers, and a reserved buffer with tiles of the same heap",
        how: How::Heaps,
        replay: Replay::Verified,
    },
    program("queues", "three queues and fences between them", SMALL, &["queues", "--frames", "1"]),
    program("threads", "lists recorded on eight threads: mostly light calls", SMALL, &["threads", "--frames", "1"]),
    program(
        "memory-pages",
        "mapped memory watched by pages",
        &["--memory-tracking", "pages", "--compression", "zstd:19"],
        &["predicated-transfers"],
    ),
    program(
        "memory-mprotect",
        "mapped memory watched by write protection",
        &["--memory-tracking", "mprotect", "--compression", "zstd:19"],
        &["dispatches"],
    ),
    program(
        "memory-compare",
        "mapped memory compared with a copy",
        &["--memory-tracking", "compare", "--compression", "zstd:19"],
        &["counters"],
    ),
    Recipe {
        name: "gears",
        what: "three presented frames with their hashes, text and objects of libvkd3d, 32-bit wide characters",
        how: How::Window {
            options: &["--frames", "1-3", "--quit-after-capture-frames", "--compression", "zstd:19"],
            program: "vkd3d-gears",
            package: "vkd3d-demos",
        },
        replay: Replay::Vkd3d,
    },
    Recipe {
        name: "frames-wanted",
        what: "frames by submissions, wanted by number; the range ends the recording, not the program",
        how: How::Worker {
            options: &[BY_SUBMISSIONS[0], BY_SUBMISSIONS[1], "--frames", "5-7,10"],
            words: &["frames", "20"],
            null: "",
            end: End::Own,
        },
        replay: Replay::Null,
    },
    Recipe {
        name: "workers",
        what: "three threads that share a queue: draws, signals, private data; complete",
        how: How::Worker { options: &[], words: &["end", "100"], null: "", end: End::Own },
        replay: Replay::Null,
    },
    Recipe {
        name: "uncompressed",
        what: "chunks that are not compressed",
        how: How::Worker { options: &["--compression", "none"], words: &["end", "20"], null: "", end: End::Own },
        replay: Replay::Null,
    },
    Recipe {
        name: "crashed",
        what: "a call that crashed in the runtime, and so never returned",
        how: How::Worker {
            options: &[],
            words: &["inside", "100"],
            null: "ID3D12Device::GetNodeCount@20=crash",
            end: End::Crash,
        },
        replay: Replay::Null,
    },
    Recipe {
        name: "unread",
        what: "a gap: the program died of a bad pointer while the arguments of its call were read",
        how: How::Worker { options: &[], words: &["argument", "50"], null: "", end: End::Crash },
        replay: Replay::Null,
    },
    Recipe {
        name: "killed",
        what: "a program killed in the middle of its calls; finished by the writer",
        how: How::Worker { options: &[], words: &["end", "0", "end"], null: "", end: End::Killed },
        replay: Replay::Null,
    },
    Recipe {
        name: "unfinished",
        what: "a trace whose writer was killed, and then the program: no footer, and small rings that hold the rest",
        how: How::Worker {
            options: &[BY_SUBMISSIONS[0], BY_SUBMISSIONS[1], "--ring-size", "512K"],
            words: &["frames", "0"],
            null: "",
            end: End::WriterKilled,
        },
        replay: Replay::Null,
    },
    Recipe {
        name: "methods-win64",
        what: "every method of the model once, in the convention win64, with random arguments: ray tracing, video, state objects",
        how: How::Session { kind: "methods-win64" },
        replay: Replay::Never(NO_CREATION),
    },
    Recipe {
        name: "methods-sysv",
        what: "the same in the System V convention",
        how: How::Session { kind: "methods-sysv" },
        replay: Replay::Never(NO_CREATION),
    },
    Recipe {
        name: "interface",
        what: "a gap: the program asked for an interface that capture does not know",
        how: How::Session { kind: "interface" },
        replay: Replay::Never(NO_CREATION),
    },
    Recipe {
        name: "facts",
        what: "a fact of every number, a gap of every reason, memory that the GPU wrote, an end by --max-size",
        how: How::Session { kind: "facts" },
        replay: Replay::Never("its records are made up: there is nothing to call"),
    },
];
