//! A trace that is open.

use crate::calls::{Call, Calls};
use crate::columns::Columns;
use crate::error::{self, Damaged, Error, Wrong};
use crate::memory::Memory;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use pythonize::pythonize;
use reprise_codec::translate::Translation;
use reprise_lint::Linter;
use reprise_timeline::index::{Cache, Index};
use reprise_timeline::walk;
use reprise_times::{Costs, Operation, Tally};
use reprise_trace::read::Trace as File;
use reprise_trace::record::Kind;
use reprise_view::damage::Met;
use reprise_view::dump::filter::{Filter, Selection};
use reprise_view::shaders::Shaders;
use reprise_view::summary::info::Info;
use reprise_view::summary::lives::Lives;
use reprise_view::{finding, state};
use serde_json::{Value as Json, json};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// More shaders are left out.
const SHADERS: usize = 1 << 20;

/// What threads of this module share of a trace.
pub(crate) struct Opened {
    pub(crate) file: PathBuf,
    pub(crate) trace: File,
    rings: Option<PathBuf>,
    translation: Option<Arc<Translation>>,
    index: Mutex<Option<Index>>,
    shaders: OnceLock<Shaders>,
}

/// A trace.
#[pyclass(frozen, subclass, module = "reprise")]
pub(crate) struct Trace(Arc<Opened>);

/// Methods as they are asked for: a name or several.
#[derive(FromPyObject)]
pub(crate) enum Names {
    One(String),
    Several(Vec<String>),
}

/// Numbers as they are asked for: one, or the first and the last.
#[derive(FromPyObject)]
pub(crate) enum Range {
    One(u64),
    Pair(u64, u64),
}

impl Range {
    fn inclusive(self) -> std::ops::RangeInclusive<u64> {
        match self {
            Range::One(number) => number..=number,
            Range::Pair(first, last) => first..=last,
        }
    }
}

impl Trace {
    /// A value of Python's, of JSON that is made while other threads run.
    fn answer<'py>(
        &self,
        py: Python<'py>,
        make: impl FnOnce(&Opened) -> Result<Json, String> + Send,
    ) -> PyResult<Bound<'py, PyAny>> {
        let opened = &self.0;
        let answer = py.detach(|| make(opened)).map_err(|wrong| self.wrong(&wrong))?;
        Ok(pythonize(py, &answer)?)
    }

    /// The same of all that the trace has; the maker counts what it could not decode, too. Of a damaged trace it is a part, which the exception has.
    fn whole<'py>(
        &self,
        py: Python<'py>,
        make: impl FnOnce(&Opened) -> Result<(Json, u64), String> + Send,
    ) -> PyResult<Bound<'py, PyAny>> {
        let opened = &self.0;
        let made = py.detach(|| make(opened).map(|(answer, undecoded)| (answer, opened.sound(undecoded))));
        let (answer, sound) = made.map_err(|wrong| self.wrong(&wrong))?;
        let answer = pythonize(py, &answer)?;
        let Err(wrong) = sound else { return Ok(answer) };
        let raised = wrong.raised();
        if raised.is_instance_of::<Damaged>(py) {
            raised.value(py).setattr("sound", answer)?;
        }
        Err(raised)
    }

    fn wrong(&self, what: &str) -> PyErr {
        Error::new_err(format!("{}: {what}", self.0.file.display()))
    }
}

#[pymethods]
impl Trace {
    /// Opens a trace. `rings` is the folder with the rings of a capture whose writer died, where it is not beside the file.
    #[new]
    #[pyo3(signature = (path, rings=None))]
    fn new(py: Python<'_>, path: PathBuf, rings: Option<PathBuf>) -> PyResult<Trace> {
        let opened = py.detach(|| reprise_view::open::open(&path, rings.as_deref()));
        let absolute = |path: &PathBuf| {
            std::path::absolute(path).map_err(|wrong| Error::new_err(format!("{}: {wrong}", path.display())))
        };
        // Whoever changes the folder later means the same files.
        let (path, rings) = (absolute(&path)?, rings.as_ref().map(absolute).transpose()?);
        // The error names the file.
        let (trace, translation) = opened.map_err(|wrong| Error::new_err(error::in_words(&wrong)))?;
        let (index, shaders) = (Mutex::new(None), OnceLock::new());
        Ok(Trace(Arc::new(Opened { file: path, trace, rings, translation, index, shaders })))
    }

    /// The file.
    #[getter]
    fn path(&self) -> PathBuf {
        self.0.file.clone()
    }

    /// The folder with its rings, where one was given.
    #[getter]
    fn rings(&self) -> Option<PathBuf> {
        self.0.rings.clone()
    }

    /// What `reprise info --json` says: the program, its adapter, how much there is of what, and what is missing. The whole file is checked; with
    /// `brief` only what its index knows is told.
    #[pyo3(signature = (brief=false))]
    fn info<'py>(&self, py: Python<'py>, brief: bool) -> PyResult<Bound<'py, PyAny>> {
        self.answer(py, |opened| {
            let mut info = Info::of_index(&opened.trace);
            info.model.clone_from(&opened.translation);
            if !brief {
                opened.trace.check(|event| info.count(event), |_| {}).map_err(|wrong| error::in_words(&wrong))?;
                info.checked = true;
            }
            info.damage = Met::of(&opened.trace);
            serde_json::from_str(&info.json()).map_err(|wrong| wrong.to_string())
        })
    }

    /// Frames, or submissions where a trace has no frames: `frame` (from 1), `first_call`, `last_call` (0 where there are no calls), `calls`,
    /// `begin_ns`, `end_ns`, `ended`: calls behind the end of the last one are one that has none.
    fn frames<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.whole(py, |opened| {
            let mut frames: Vec<Json> = Vec::new();
            let mut now = (0u64, 0u64, 0u64, 0u64, None);
            let mut last = 0;
            let mut events = opened.trace.events().without_pages();
            while let Some(event) = events.next().map_err(|wrong| error::in_words(&wrong))? {
                last = last.max(event.time_ns);
                if event.kind == Kind::Enter {
                    let (first, _, calls, begin, _) = now;
                    let (first, begin) = if calls == 0 { (event.number, event.time_ns) } else { (first, begin) };
                    now = (first, event.number, calls + 1, begin, Some(event.frame));
                } else if event.kind == Kind::Frame {
                    let (first, end, calls, begin, _) = std::mem::take(&mut now);
                    frames.push(frame(u64::from(event.frame) + 1, (first, end, calls), (begin, event.time_ns), true));
                }
            }
            if let (first, end, calls, begin, Some(number)) = now {
                frames.push(frame(u64::from(number) + 1, (first, end, calls), (begin, last), false));
            }
            Ok((frames.into(), 0))
        })
    }

    /// Calls in the order in which they began, as an iterator of `Call`. `methods` are names, `Interface::Name`, with `*` for anything; `frames` and
    /// `calls` a number, or the first and the last; `threads` and `objects` lists of numbers.
    #[pyo3(signature = (*, methods=None, frames=None, calls=None, threads=None, objects=None))]
    fn calls(
        &self,
        methods: Option<Names>,
        frames: Option<Range>,
        calls: Option<Range>,
        threads: Option<Vec<u32>>,
        objects: Option<Vec<u32>>,
    ) -> PyResult<Calls> {
        // What is empty would ask for everything.
        let is_empty = |given: Option<&[_]>| given.is_some_and(<[u32]>::is_empty);
        let no_method = matches!(&methods, Some(Names::Several(names)) if names.is_empty());
        if no_method || is_empty(threads.as_deref()) || is_empty(objects.as_deref()) {
            return Err(self.wrong("a list of nothing selects nothing: leave it out to select all"));
        }
        let range = |range: Option<Range>, what: &str| match range.map(Range::inclusive) {
            Some(range) if *range.start() == 0 || range.is_empty() => {
                let (first, last) = range.into_inner();
                Err(self.wrong(&format!("{what} {first} to {last}: they count from 1, and the first stands first")))
            }
            range => Ok(range),
        };
        let (frames, calls) = (range(frames, "frames")?, range(calls, "calls")?);
        let methods = match methods {
            None => Vec::new(),
            Some(Names::One(name)) => vec![name],
            Some(Names::Several(names)) => names,
        };
        let selection = Selection {
            frames,
            calls,
            threads: threads.unwrap_or_default(),
            methods,
            objects: objects.unwrap_or_default(),
        };
        let filter = Filter::new(&selection)
            .map_err(|wrong| self.wrong(&format!("methods: no method is called {}", wrong.pattern)))?;
        Ok(Calls::new(Arc::clone(&self.0), filter))
    }

    /// One call, by its number.
    fn call(&self, py: Python<'_>, number: u64) -> PyResult<Call> {
        let all = self.0.trace.statistics().calls;
        if number == 0 {
            return Err(self.wrong(&format!("there is no call 0: calls have numbers from 1 to {all}")));
        }
        let calls = self.calls(None, None, Some(Range::One(number)), None, None)?;
        calls
            .next(py)?
            .ok_or_else(|| self.wrong(&format!("there is no call {number}: calls have numbers from 1 to {all}")))
    }

    /// All calls as columns of Arrow, without their arguments: `call`, `frame`, `thread`, `time_ns`, `interface`, `method`, `object`. For
    /// `pyarrow.table`, `polars.from_arrow` and whoever else takes `__arrow_c_stream__`.
    fn columns(&self) -> Columns {
        Columns::new(Arc::clone(&self.0))
    }

    /// The state as a call found it, as `reprise state --json` has it; with `object` that object's, too.
    #[pyo3(signature = (call, object=None))]
    fn state<'py>(&self, py: Python<'py>, call: u64, object: Option<u32>) -> PyResult<Bound<'py, PyAny>> {
        self.answer(py, |opened| {
            let mut held = opened.index.lock().unwrap_or_else(PoisonError::into_inner);
            if held.is_none() {
                let index = Index::open(&opened.trace, Cache::user(), &mut |_| {});
                *held = Some(index.map_err(|wrong| error::in_words(&wrong))?);
            }
            let index = held.as_mut().ok_or("its index was not made")?;
            let report = state::report(&opened.trace, index, call, object, &mut |_| {});
            serde_json::to_value(report.map_err(|wrong| wrong.to_string())?).map_err(|wrong| wrong.to_string())
        })
    }

    /// Mapped memory as a call finds it: what the program stored, and what it saw where the GPU wrote. With `resource` that of one.
    #[pyo3(signature = (call, resource=None))]
    fn memory<'py>(&self, py: Python<'py>, call: u64, resource: Option<u32>) -> PyResult<Bound<'py, Memory>> {
        let all = self.0.trace.statistics().calls;
        if call == 0 || call > all {
            return Err(self.wrong(&format!("there is no call {call}: calls have numbers from 1 to {all}")));
        }
        let opened = &self.0;
        let (memory, sound) = py.detach(|| (Memory::at(opened, call, resource), opened.sound(0)));
        let memory = Bound::new(py, memory.map_err(Wrong::raised)?)?;
        let Err(wrong) = sound else { return Ok(memory) };
        let raised = wrong.raised();
        raised.value(py).setattr("sound", memory)?;
        Err(raised)
    }

    /// All objects: `id`, `class`, `name`, `call` that gave it out first, `references` that the program still holds at the end.
    fn objects<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.whole(py, |opened| {
            let mut lives = Lives::new(&opened.trace);
            walk(&opened.trace, &mut [&mut lives]).map_err(|wrong| error::in_words(&wrong))?;
            let one = |(id, class, life): (u32, &str, &reprise_view::summary::lives::Life)| {
                json!({ "id": id, "class": class, "name": life.name, "call": life.call, "references": life.held })
            };
            Ok((lives.all().map(one).collect(), lives.damaged()))
        })
    }

    /// The shaders that calls were given, each once: `hash` (as `reprise extract` names its file), `stage`, `bytes`, `call`, `pipelines`.
    fn shaders<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.whole(py, |opened| {
            let one = |shader: &reprise_view::shaders::Shader| {
                json!({
                    "hash": format!("{:032x}", shader.hash), "stage": shader.stage, "bytes": shader.bytes, "call": shader.call,
                    "pipelines": shader.pipelines,
                })
            };
            let shaders = opened.shaders()?;
            Ok((shaders.list.iter().map(one).collect(), shaders.undecoded))
        })
    }

    /// The bytes of a shader, by its hash.
    fn shader<'py>(&self, py: Python<'py>, hash: &str) -> PyResult<Bound<'py, PyBytes>> {
        let opened = &self.0;
        let bytes = py.detach(|| {
            let number = u128::from_str_radix(hash, 16).map_err(|_| format!("{hash} is no hash of 32 digits"))?;
            let shader = opened.shaders()?.get(number).ok_or_else(|| format!("there is no shader {hash}"))?;
            shader.code(&opened.trace).map_err(|wrong| error::in_words(&wrong))
        });
        Ok(PyBytes::new(py, &bytes.map_err(|wrong| self.wrong(&wrong))?))
    }

    /// What `reprise lint --json` finds.
    fn findings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.whole(py, |opened| {
            let mut linter = Linter::new(&opened.trace);
            walk(&opened.trace, &mut [&mut linter]).map_err(|wrong| error::in_words(&wrong))?;
            Ok((linter.finish().0.iter().map(finding::json).collect(), 0))
        })
    }

    /// What `reprise time --save` measured of each operation, in the order of submissions: `submission`, `frame`, `queue`, `list`, `call`, `method`,
    /// `pipeline`, `gpu_ns` (the median of all replays), `counts`, `markers`. With `file` of that file of times.
    #[pyo3(signature = (file=None))]
    fn timings<'py>(&self, py: Python<'py>, file: Option<PathBuf>) -> PyResult<Bound<'py, PyAny>> {
        self.answer(py, |opened| {
            let costs = match &file {
                Some(file) => Costs::open(file, &opened.file)?,
                None => Costs::beside(&opened.file)?
                    .ok_or("nothing was measured of this trace yet: `reprise time --save` does")?,
            };
            let one = |cost: &reprise_times::Cost| {
                let operation = costs.times.operations.get(&cost.call);
                let pipeline = operation.and_then(Operation::ran).map(|pipeline| match pipeline {
                    reprise_times::Pipeline::State(id) | reprise_times::Pipeline::StateObject(id) => id,
                    // A program has no id of its own.
                    reprise_times::Pipeline::Program(_) => 0,
                });
                json!({
                    "submission": cost.submission, "frame": cost.frame, "queue": cost.queue, "list": cost.list, "call": cost.call,
                    "method": operation.map(|operation| &operation.method), "pipeline": pipeline, "gpu_ns": cost.duration,
                    "counts": Tally::of(cost.counts.unwrap_or_default(), operation).json(),
                    "markers": operation.map(|operation| &operation.markers),
                })
            };
            Ok(costs.operations.iter().map(one).collect())
        })
    }

    fn __repr__(&self) -> String {
        let statistics = self.0.trace.statistics();
        format!("<reprise.Trace {}: {} frames, {} calls>", self.0.file.display(), statistics.frames, statistics.calls)
    }
}

impl Opened {
    /// Whether all of the trace could be read, and so many things in it decoded.
    pub(crate) fn sound(&self, undecoded: u64) -> Result<(), Wrong> {
        let met = Met::of(&self.trace).and_undecoded(undecoded);
        met.sound(&self.file).map_err(|wrong| Wrong::Damaged(wrong.to_string()))
    }

    fn shaders(&self) -> Result<&Shaders, String> {
        if let Some(shaders) = self.shaders.get() {
            return Ok(shaders);
        }
        let shaders = Shaders::of(&self.trace, SHADERS).map_err(|wrong| error::in_words(&wrong))?;
        Ok(self.shaders.get_or_init(|| shaders))
    }
}

fn frame(number: u64, (first, last, calls): (u64, u64, u64), (begin, end): (u64, u64), is_ended: bool) -> Json {
    json!({
        "frame": number, "first_call": first, "last_call": last, "calls": calls, "begin_ns": begin, "end_ns": end, "ended": is_ended,
    })
}
