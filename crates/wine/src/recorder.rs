//! Records of this spike: calls of the exported functions and stores to watched memory, in the ring of the calling thread.
//!
//! The session lies in the folder that `REPRISE_WINE_RINGS` names as a Linux path; without it nothing is recorded.

use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::OnceLock;

use reprise_trace::record::{Kind, SEQUENCE};
use reprise_trace::ring::{MIN_CAPACITY, Producer};
use reprise_trace::session::{Config, Session};

use crate::kernel;

static SESSION: OnceLock<Option<Session>> = OnceLock::new();

thread_local! {
    static PRODUCER: RefCell<Option<Producer>> = const { RefCell::new(None) };
}

fn session() -> Option<&'static Session> {
    let open = || {
        let folder = std::env::var("REPRISE_WINE_RINGS").ok()?;
        // Wine's form of a native path.
        let folder = PathBuf::from(format!(r"\\?\unix{}", folder.replace('/', r"\")));
        let description = format!("{{\"native_process\":{}}}", kernel::process_id());
        match Session::create(&folder, &Config { ring_capacity: MIN_CAPACITY, description, ..Config::default() }) {
            Ok(session) => Some(session),
            Err(error) => {
                eprintln!("reprise: nothing is recorded: {error}");
                None
            }
        }
    };
    SESSION.get_or_init(open).as_ref()
}

/// Gives the calling thread's ring to `write`, once recording has begun.
pub(crate) fn with(write: impl FnOnce(&mut Producer)) {
    let Some(session) = session() else { return };
    PRODUCER.with_borrow_mut(|place| {
        if place.is_none() {
            *place = session.create_ring("wine").inspect_err(|e| eprintln!("reprise: {e}")).ok();
        }
        if let Some(producer) = place {
            write(producer);
        }
    });
}

/// Records that function `number` (of the spike's own list) was entered or left, with its result.
pub(crate) fn function(kind: Kind, number: u16, result: u64) {
    with(|ring| {
        ring.record(kind, number, SEQUENCE, 0, 0, &[&result.to_le_bytes()]);
    });
}
