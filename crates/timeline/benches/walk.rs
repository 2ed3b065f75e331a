//! What a walk costs: the reading alone, and with the whole state.
//!
//! Method: `cargo bench -p reprise-timeline --bench walk -- TRACE` reads the trace from the page cache three times each way and
//! prints the fastest. TESTING.md ("What is measured") says how to make one of 10 million calls.
#![allow(clippy::unwrap_used)]

use reprise_timeline::walk::Pass;
use reprise_timeline::{State, walk};
use reprise_trace::read::Trace;
use std::time::Instant;

fn main() {
    let Some(path) = std::env::args().skip(1).find(|argument| !argument.starts_with("--")) else {
        println!("no trace given; nothing is measured");
        return;
    };
    let trace = Trace::open(path.as_ref()).unwrap();
    let calls = trace.statistics().calls;
    let measure = |name: &str, run: &dyn Fn() -> Option<State>| {
        let times = (0..3).map(|_| {
            let start = Instant::now();
            let state = run();
            (start.elapsed(), state.map_or(0, |state| state.objects.len()))
        });
        let (time, objects) = times.min().unwrap();
        println!("{name}: {time:.2?}, {:.0} ns a call, {objects} objects", time.as_nanos() as f64 / calls as f64);
    };
    println!("{calls} calls");
    measure("reading alone", &|| {
        let mut passes: [&mut dyn Pass; 0] = [];
        walk(&trace, &mut passes).unwrap();
        None
    });
    measure("the whole state", &|| {
        let mut state = State::default();
        walk(&trace, &mut [&mut state]).unwrap();
        Some(state)
    });
}
