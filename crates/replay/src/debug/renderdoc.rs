//! `--renderdoc-frame`: tells RenderDoc to capture one frame, where RenderDoc is loaded in this process.
//!
//! Source: RenderDoc's in-application API, a table of functions with a fixed order since version 1.0. RenderDoc comes as a Vulkan
//! layer, which `reprise_gpu::instance` keeps. Invariant: this module loads nothing; the report says where RenderDoc is absent.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};

use crate::report::Dumped;

/// A frame to capture.
pub(crate) struct FrameCapture {
    frame: u64,
    /// Where the file goes; RenderDoc's own place if none is wanted.
    folder: Option<PathBuf>,
    api: Option<Api>,
    outcome: Option<Dumped>,
}

/// The functions of RenderDoc that are used.
#[derive(Clone, Copy)]
struct Api {
    name: extern "C" fn(*const c_char),
    count: extern "C" fn() -> u32,
    capture: extern "C" fn(u32, *mut c_char, *mut u32, *mut u64) -> u32,
    start: extern "C" fn(*mut c_void, *mut c_void),
    end: extern "C" fn(*mut c_void, *mut c_void) -> u32,
}

/// `eRENDERDOC_API_Version_1_1_2`: old enough that every RenderDoc in use has it.
const VERSION: c_int = 10102;
/// Places in the table of functions.
const SET_CAPTURE_FILE_PATH_TEMPLATE: usize = 11;
const GET_NUM_CAPTURES: usize = 13;
const GET_CAPTURE: usize = 14;
const START_FRAME_CAPTURE: usize = 19;
const END_FRAME_CAPTURE: usize = 21;
/// Bytes that a path may have here.
const PATH: usize = 4096;

impl FrameCapture {
    pub(crate) fn new(frame: u64, folder: Option<PathBuf>) -> Self {
        Self { frame, folder, api: None, outcome: None }
    }

    /// A call of this frame is made next. With the first device RenderDoc may come, so this asks until it is there.
    pub(crate) fn before(&mut self, frame: u64) {
        if frame == self.frame && self.api.is_none() && self.outcome.is_none() {
            self.api = Api::find();
            if let Some(api) = self.api {
                if let Some(begins) = self.folder.as_deref().and_then(|folder| self.begins(folder)) {
                    (api.name)(begins.as_ptr());
                }
                // Any device, any window: there is one of each, or none.
                (api.start)(std::ptr::null_mut(), std::ptr::null_mut());
            }
        }
    }

    /// The beginning of the file's path; the folder is made. RenderDoc reports a folder that cannot be made.
    fn begins(&self, folder: &Path) -> Option<CString> {
        let _ = std::fs::create_dir_all(folder);
        let path = std::path::absolute(folder).ok()?.join(format!("frame_{:06}", self.frame));
        CString::new(path.into_os_string().into_encoded_bytes()).ok()
    }

    /// This frame is over.
    pub(crate) fn after(&mut self, frame: u64) {
        if frame == self.frame && self.outcome.is_none() {
            self.end(None);
        }
    }

    /// The outcome after so many `frames`.
    pub(crate) fn finish(mut self, frames: u64) -> Dumped {
        match self.outcome.take() {
            Some(outcome) => outcome,
            None => self.end(Some(format!("the replay has ended after frame {frames}"))),
        }
    }

    fn end(&mut self, early: Option<String>) -> Dumped {
        let mut outcome = Dumped {
            what: format!("RenderDoc's capture of frame {}", self.frame),
            files: Vec::new(),
            failure: early.clone(),
        };
        match self.api.take() {
            Some(api) => {
                if (api.end)(std::ptr::null_mut(), std::ptr::null_mut()) == 1 {
                    outcome.files.extend(api.newest());
                    outcome.failure = None;
                } else {
                    outcome.failure =
                        Some("RenderDoc captured nothing: it sees Vulkan devices of this process only".into());
                }
            }
            None if early.is_none() => {
                outcome.failure = Some(
                    "librenderdoc.so is not loaded in this process: set ENABLE_VULKAN_RENDERDOC_CAPTURE=1 where RenderDoc's \
                     Vulkan layer is registered, or start with renderdoccmd capture -w -d . reprise replay ..., on a runtime that \
                     uses Vulkan here"
                        .into(),
                );
            }
            None => {}
        }
        self.outcome = Some(outcome.clone());
        outcome
    }
}

impl Api {
    /// RenderDoc's functions, if it is in this process already.
    fn find() -> Option<Self> {
        let get = loaded()?;
        let mut table: *const *const c_void = std::ptr::null();
        // SAFETY: this is the function's documented form; it fills in the address of a table of its own.
        let found = unsafe { get(VERSION, &mut table) };
        if found != 1 || table.is_null() {
            return None;
        }
        // SAFETY: the table of this version has more than these entries, in this order, and they have these forms.
        unsafe {
            Some(Self {
                name: std::mem::transmute::<*const c_void, extern "C" fn(*const c_char)>(
                    *table.add(SET_CAPTURE_FILE_PATH_TEMPLATE),
                ),
                count: std::mem::transmute::<*const c_void, extern "C" fn() -> u32>(*table.add(GET_NUM_CAPTURES)),
                capture: std::mem::transmute::<*const c_void, extern "C" fn(u32, *mut c_char, *mut u32, *mut u64) -> u32>(
                    *table.add(GET_CAPTURE),
                ),
                start: std::mem::transmute::<*const c_void, extern "C" fn(*mut c_void, *mut c_void)>(
                    *table.add(START_FRAME_CAPTURE),
                ),
                end: std::mem::transmute::<*const c_void, extern "C" fn(*mut c_void, *mut c_void) -> u32>(
                    *table.add(END_FRAME_CAPTURE),
                ),
            })
        }
    }

    /// The file of the capture made last.
    fn newest(&self) -> Option<PathBuf> {
        let last = (self.count)().checked_sub(1)?;
        let mut length = 0;
        let sized = (self.capture)(last, std::ptr::null_mut(), &mut length, std::ptr::null_mut());
        if sized != 1 || length as usize > PATH {
            return None;
        }
        let mut path = vec![0u8; length as usize + 1];
        let told = (self.capture)(last, path.as_mut_ptr().cast(), &mut length, std::ptr::null_mut());
        let path = CStr::from_bytes_until_nul(&path).ok().filter(|_| told == 1)?;
        Some(PathBuf::from(path.to_string_lossy().into_owned()))
    }
}

/// `RENDERDOC_GetAPI`.
type GetApi = unsafe extern "C" fn(c_int, *mut *const *const c_void) -> c_int;

#[cfg(unix)]
fn loaded() -> Option<GetApi> {
    // SAFETY: the name is a string; nothing is loaded, so that no code of a library runs.
    let library = unsafe { libc::dlopen(c"librenderdoc.so".as_ptr(), libc::RTLD_NOW | libc::RTLD_NOLOAD) };
    if library.is_null() {
        return None;
    }
    // SAFETY: the library is open, and stays so: RenderDoc cannot be unloaded.
    let function = unsafe { libc::dlsym(library, c"RENDERDOC_GetAPI".as_ptr()) };
    // SAFETY: the function that RenderDoc exports under this name has this form.
    (!function.is_null()).then(|| unsafe { std::mem::transmute::<*mut c_void, GetApi>(function) })
}

#[cfg(not(unix))]
fn loaded() -> Option<GetApi> {
    None
}
