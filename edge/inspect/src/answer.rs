//! What a question is answered with: JSON, bytes, or why not.

use reprise_timeline::index::IndexError;
use reprise_trace::read::ReadError;
use serde_json::{Value as Json, json};
use std::cell::Cell;
use std::fmt::Display;
use std::time::{Duration, Instant};

/// Why there is no answer.
#[derive(Debug)]
pub(crate) struct Refused {
    /// The HTTP status.
    pub(crate) status: u16,
    /// In words, with what to do.
    pub(crate) why: String,
}

impl Refused {
    /// The question makes no sense.
    pub(crate) fn question(why: impl Display) -> Refused {
        Refused { status: 400, why: why.to_string() }
    }

    /// There is no such thing.
    pub(crate) fn missing(why: impl Display) -> Refused {
        Refused { status: 404, why: why.to_string() }
    }

    /// Not now.
    pub(crate) fn conflict(why: impl Display) -> Refused {
        Refused { status: 409, why: why.to_string() }
    }

    /// The trace is damaged there.
    pub(crate) fn damaged(why: impl Display) -> Refused {
        Refused { status: 422, why: why.to_string() }
    }

    /// Too much at once.
    pub(crate) fn busy(why: impl Display) -> Refused {
        Refused { status: 429, why: why.to_string() }
    }

    /// It takes too long, or something is missing on this machine.
    pub(crate) fn unavailable(why: impl Display) -> Refused {
        Refused { status: 503, why: why.to_string() }
    }

    /// The body.
    pub(crate) fn json(&self) -> Json {
        json!({ "error": self.why })
    }
}

impl From<ReadError> for Refused {
    fn from(error: ReadError) -> Refused {
        Refused::damaged(error)
    }
}

impl From<IndexError> for Refused {
    fn from(error: IndexError) -> Refused {
        match error {
            IndexError::NoCall { .. } => Refused::missing(error),
            error => Refused::damaged(error),
        }
    }
}

impl From<reprise_view::state::Refused> for Refused {
    fn from(refused: reprise_view::state::Refused) -> Refused {
        match refused {
            reprise_view::state::Refused::Asked(what) => Refused::missing(what),
            reprise_view::state::Refused::Trace(error) => error.into(),
        }
    }
}

/// An answer.
#[derive(Debug)]
pub(crate) enum Answer {
    Json(Json),
    /// Bytes, and their type.
    Bytes(Vec<u8>, &'static str),
}

impl From<Json> for Answer {
    fn from(json: Json) -> Answer {
        Answer::Json(json)
    }
}

/// What a question ends with.
pub(crate) type Answered = Result<Answer, Refused>;

/// When a question must be answered at the latest.
#[derive(Debug)]
pub(crate) struct Deadline {
    until: Instant,
    /// The clock is looked at once in so many times.
    asked: Cell<u32>,
}

impl Deadline {
    /// So much from now.
    pub(crate) fn after(time: Duration) -> Deadline {
        Deadline { until: Instant::now() + time, asked: Cell::new(0) }
    }

    /// # Errors
    /// It has passed.
    pub(crate) fn check(&self) -> Result<(), Refused> {
        let asked = self.asked.get().wrapping_add(1);
        self.asked.set(asked);
        if asked.is_multiple_of(1024) && Instant::now() >= self.until {
            return Err(Refused::unavailable("it takes too long: ask for less"));
        }
        Ok(())
    }

    /// How long there is still.
    pub(crate) fn left(&self) -> Duration {
        self.until.saturating_duration_since(Instant::now())
    }
}

/// Part of a list.
pub(crate) fn part(total: u64, first: u64, items: Vec<Json>) -> Json {
    json!({ "total": total, "first": first, "items": items })
}
