//! A fence that other devices and processes share: their values are read from its page, and the values of this process are written there.
//!
//! Invariant: after all entries of the page are taken over, the value here is that of the last entry, whoever wrote it.

#[cfg(unix)]
pub(super) use system::{Outside, listen};

/// Other systems have no such fences.
#[cfg(not(unix))]
#[derive(Debug)]
pub(super) enum Outside {}

#[cfg(not(unix))]
impl Outside {
    pub(super) fn catch_up<P: Clone, W>(&mut self, _model: &mut super::model::Model<P, W>, _fired: &mut Vec<W>) {
        match *self {}
    }

    pub(super) fn publish(&self, _changes: Vec<u64>) {
        match *self {}
    }

    pub(super) fn end(&self) {
        match *self {}
    }
}

#[cfg(unix)]
mod system {
    use std::sync::Arc;
    use std::time::Duration;

    use crate::fence::model::Model;
    use crate::fence::page::{Page, Read};

    /// The page, and how far it is read.
    #[derive(Debug)]
    pub(in crate::fence) struct Outside {
        page: Arc<Page>,
        place: u64,
    }

    impl Outside {
        /// Of a page that was read up to a place.
        pub(in crate::fence) fn new(page: Arc<Page>, place: u64) -> Outside {
            Outside { page, place }
        }

        pub(in crate::fence) fn page(&self) -> &Arc<Page> {
            &self.page
        }

        /// Takes over what others have done. Own values stand between theirs, so that the last one counts.
        pub(in crate::fence) fn catch_up<P: Clone, W>(&mut self, model: &mut Model<P, W>, fired: &mut Vec<W>) {
            loop {
                self.place = match self.page.read(self.place) {
                    Read::End => return,
                    Read::Value(value, true) => {
                        model.settle(value);
                        self.place + 1
                    }
                    Read::Value(value, false) => {
                        model.learn(value, fired);
                        self.place + 1
                    }
                    Read::Lost { next, peak } => {
                        model.learn(peak, fired);
                        next
                    }
                };
            }
        }

        /// Tells others what was done here.
        pub(in crate::fence) fn publish(&self, changes: Vec<u64>) {
            if changes.is_empty() {
                return;
            }
            changes.into_iter().for_each(|value| self.page.add(value));
            self.page.wake();
        }

        /// The fence goes; its listener shall notice.
        pub(in crate::fence) fn end(&self) {
            self.page.wake();
        }
    }

    /// Looks whenever the page changes, until nobody has the fence any more.
    pub(in crate::fence) fn listen(page: &Page, look: impl Fn() -> bool) {
        /// Between looks where nothing changes: a process that was killed may have left an entry without waking anybody.
        const WHILE: Duration = Duration::from_secs(1);
        loop {
            let seen = page.changes();
            if !look() {
                return;
            }
            page.wait(seen, WHILE);
        }
    }
}
