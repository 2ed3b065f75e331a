//! Shaders of traces come from strangers, and what translates them is not made for that: it works in a process of its own.

/// Names the program that our runtime starts to translate shaders; nothing in it lets the runtime translate by itself.
use reprise_environment::runtime::TRANSLATOR as VARIABLE;

/// Lets our runtime, linked or loaded, start this very program (`reprise translate`) for its shaders, unless the user has said
/// something else.
pub(crate) fn elsewhere() {
    if std::env::var_os(VARIABLE).is_some() {
        return;
    }
    // Without a name of its own the program cannot be started again; translation here is better than none.
    if let Ok(program) = std::env::current_exe() {
        // SAFETY: called from `main` before there is another thread that could read the environment.
        unsafe { std::env::set_var(VARIABLE, program) };
    }
}
