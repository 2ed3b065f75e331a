//! The call of a recording that is played, for programs that link the runtime.

use core::cell::Cell;

thread_local! {
    static CALL: Cell<u64> = const { Cell::new(0) };
}

/// The call that this thread plays from now on, by its number; 0 is none.
pub fn at_call(number: u64) {
    CALL.set(number);
}

/// The call that this thread plays; 0 is none.
pub fn call() -> u64 {
    CALL.get()
}
