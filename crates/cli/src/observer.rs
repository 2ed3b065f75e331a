//! A shared library that watches the calls of a replay: `include/reprise_observer.h` is its interface.
//!
//! Invariant: what a call says is what `reprise dump --json` says of it. The trace is read a second time for that, beside the replay.

use crate::terminal::exit::{self, Failure, OrExit};
use anyhow::Context;
use libloading::Library;
use reprise_replay::ObservedCall;
use reprise_trace::read::{Events, Trace};
use reprise_view::api;
use reprise_view::dump::Dump;
use reprise_view::dump::filter::{Filter, Selection};
use serde_json::{Map, Value as Json};
use std::collections::HashMap;
use std::ffi::{CString, c_char, c_void};
use std::path::PathBuf;
use std::ptr::null_mut;

/// The version of the interface.
const VERSION: u32 = 1;

/// A library, and what it is told: `LIBRARY` or `LIBRARY=ARGUMENT`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wish {
    library: PathBuf,
    argument: String,
}

/// # Errors
/// There is no library, or the argument has a zero in it.
pub(crate) fn parse(text: &str) -> Result<Wish, String> {
    let (library, argument) = text.split_once('=').unwrap_or((text, ""));
    if library.is_empty() {
        return Err("LIBRARY or LIBRARY=ARGUMENT".into());
    }
    Ok(Wish { library: library.into(), argument: argument.into() })
}

/// `struct reprise_call`.
#[repr(C)]
struct Call {
    size: u32,
    thread: u32,
    number: u64,
    frame: u64,
    object: u32,
    reserved: u32,
    interface: *const c_char,
    method: *const c_char,
    native: *mut c_void,
    line: *const c_char,
}

type Begin = unsafe extern "C" fn(*const c_char, *const c_char) -> *mut c_void;
type Watch = unsafe extern "C" fn(*mut c_void, *const Call);
type Framed = unsafe extern "C" fn(*mut c_void, u64);
type End = unsafe extern "C" fn(*mut c_void);

/// The functions of a library, as far as it has them.
struct Functions {
    begin: Option<Begin>,
    before: Option<Watch>,
    after: Option<Watch>,
    frame: Option<Framed>,
    end: Option<End>,
    /// It stays loaded as long as they may be called.
    _library: Library,
}

/// Texts of a call that was begun.
struct Texts {
    interface: CString,
    method: CString,
    line: CString,
}

/// A library that watches, with its own reading of the trace.
pub(crate) struct Observer<'t> {
    functions: Functions,
    state: *mut c_void,
    trace: &'t Trace,
    path: CString,
    argument: CString,
    events: Events<'t>,
    dump: Dump<'static, Map<String, Json>>,
    /// A line that was read too early.
    next: Option<Map<String, Json>>,
    /// Calls that have not ended yet.
    open: HashMap<u64, Texts>,
}

impl<'t> Observer<'t> {
    /// Loads the library.
    ///
    /// # Errors
    /// It cannot be loaded, is none that watches, or wants another version.
    pub(crate) fn load(wish: &Wish, path: &std::path::Path, trace: &'t Trace) -> Result<Self, Failure> {
        let place = || wish.library.display().to_string();
        // SAFETY: the user asks for this library to be loaded, with whatever its initialisers do.
        let library = unsafe { Library::new(&wish.library) };
        let library = library.with_context(|| format!("--observer: {}", place())).or_exit(exit::USAGE)?;
        let refused = |what: String| Failure::message(exit::USAGE, format!("--observer: {}: {what}", place()));
        type Version = unsafe extern "C" fn() -> u32;
        // SAFETY: what a library exports under this name is this function, by the header.
        let version = unsafe { library.get::<Version>(c"reprise_observer_version".to_bytes_with_nul()) };
        let version = version.map_err(|_| {
            refused("it has no reprise_observer_version: it is no observer (docs/observers.md has an example)".into())
        })?;
        // SAFETY: it takes nothing and gives a number.
        let version = unsafe { version() };
        if version != VERSION {
            return Err(refused(format!("it is an observer of version {version}; this build takes version {VERSION}")));
        }
        let functions = Functions::of(library);
        if functions.before.is_none() && functions.after.is_none() && functions.frame.is_none() {
            return Err(refused(
                "it has neither reprise_observer_before nor _after nor _frame: it would see nothing".into(),
            ));
        }
        let text = |text: String| CString::new(text).map_err(|_| refused("an argument has no zero in it".into()));
        let (path, argument) = (text(path.display().to_string())?, text(wish.argument.clone())?);
        let dump = lines()?;
        let (events, next, open) = (trace.events(), None, HashMap::new());
        Ok(Self { functions, state: null_mut(), trace, path, argument, events, dump, next, open })
    }

    /// The line of a call. Calls come in the order of their numbers, and so do lines.
    fn line(&mut self, number: u64) -> Option<Map<String, Json>> {
        loop {
            let of = |line: &Map<String, Json>| line.get("call").and_then(Json::as_u64);
            match self.next.take().or_else(|| self.dump.next()) {
                Some(line) if of(&line) == Some(number) => return Some(line),
                Some(line) if of(&line).is_some_and(|call| call > number) => {
                    self.next = Some(line);
                    return None;
                }
                Some(_) => continue,
                None => {}
            }
            match self.events.next() {
                Ok(Some(event)) => self.dump.event(&event),
                // The replay says what is damaged.
                Ok(None) | Err(_) => match self.dump.rest() {
                    Some(line) => self.next = Some(line),
                    None => return None,
                },
            }
        }
    }

    fn texts(&mut self, number: u64) -> Texts {
        let line = self.line(number).unwrap_or_default();
        let name = line.get("method").and_then(Json::as_str).unwrap_or_default();
        let text = |text: &str| CString::new(text).unwrap_or_default();
        let interface = name.rsplit_once("::").map_or("", |(interface, _)| interface);
        let (interface, method) = (text(interface), text(api::plain(name)));
        Texts { interface, method, line: text(&reprise_view::dump::for_programs(&line)) }
    }

    fn tell(&self, watch: Option<Watch>, call: &ObservedCall, texts: &Texts) {
        let Some(watch) = watch else { return };
        let told = Call {
            size: size_of::<Call>() as u32,
            thread: call.thread,
            number: call.number,
            frame: call.frame,
            object: call.object,
            reserved: 0,
            interface: texts.interface.as_ptr(),
            method: texts.method.as_ptr(),
            native: call.native as *mut c_void,
            line: texts.line.as_ptr(),
        };
        // SAFETY: the function is one of the header's: it takes its own state and a call whose texts live until it returns.
        unsafe { watch(self.state, &raw const told) };
    }
}

impl Functions {
    fn of(library: Library) -> Self {
        /// A function of this name, where the library has it.
        ///
        /// # Safety
        /// What the library exports under this name is of this type.
        unsafe fn get<T: Copy>(library: &Library, name: &str) -> Option<T> {
            // SAFETY: by the caller.
            unsafe { library.get::<T>(name.as_bytes()) }.ok().map(|function| *function)
        }
        // SAFETY: the header says what a library exports under these names.
        unsafe {
            Functions {
                begin: get(&library, "reprise_observer_begin"),
                before: get(&library, "reprise_observer_before"),
                after: get(&library, "reprise_observer_after"),
                frame: get(&library, "reprise_observer_frame"),
                end: get(&library, "reprise_observer_end"),
                _library: library,
            }
        }
    }
}

fn lines() -> Result<Dump<'static, Map<String, Json>>, Failure> {
    let filter = Filter::new(&Selection::default()).context("a filter of nothing").or_exit(exit::FAILED)?;
    Ok(Dump::new(filter, Map::clone))
}

impl reprise_replay::Observer for Observer<'_> {
    fn begin(&mut self) {
        if let Ok(dump) = lines() {
            (self.events, self.dump, self.next) = (self.trace.events(), dump, None);
        }
        self.open.clear();
        if let Some(begin) = self.functions.begin {
            // SAFETY: it is the header's function, and both texts live until it returns.
            self.state = unsafe { begin(self.path.as_ptr(), self.argument.as_ptr()) };
        }
    }

    fn before(&mut self, call: &ObservedCall) {
        let texts = self.texts(call.number);
        self.tell(self.functions.before, call, &texts);
        if self.functions.after.is_some() {
            self.open.insert(call.number, texts);
        }
    }

    fn after(&mut self, call: &ObservedCall) {
        if let Some(texts) = self.open.remove(&call.number) {
            self.tell(self.functions.after, call, &texts);
        }
    }

    fn frame(&mut self, number: u64) {
        if let Some(frame) = self.functions.frame {
            // SAFETY: it is the header's function, with its own state.
            unsafe { frame(self.state, number) };
        }
    }

    fn end(&mut self) {
        if let Some(end) = self.functions.end {
            // SAFETY: it is the header's function, with its own state, which is not used any more.
            unsafe { end(std::mem::replace(&mut self.state, null_mut())) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_have_arguments() {
        let of = |text: &str| parse(text).map(|wish| (wish.library.display().to_string(), wish.argument));
        assert_eq!(of("./lib.so"), Ok(("./lib.so".into(), String::new())));
        assert_eq!(of("lib.so=a=b"), Ok(("lib.so".into(), "a=b".into())));
        assert!(of("=a").is_err() && of("").is_err());
    }

    /// As the header has it, on 64 bits.
    #[test]
    fn a_call_is_laid_out_as_in_the_header() {
        assert_eq!(
            (size_of::<Call>(), std::mem::offset_of!(Call, interface), std::mem::offset_of!(Call, line)),
            (64, 32, 56)
        );
    }
}
