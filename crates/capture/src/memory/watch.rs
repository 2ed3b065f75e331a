//! The trait of a means that reports which pages were written.

use std::fmt::Debug;
use std::io;
use std::ops::Range;

use crate::tracking::Watched;

/// A means of being told which pages were written.
pub(crate) trait Watch: Debug + Send {
    /// As it is called in a trace.
    fn mode(&self) -> Watched;

    /// Puts pages under the watch, all of them counted as not written.
    ///
    /// # Errors
    /// The memory is of a kind that cannot be watched so.
    fn arm(&self, pages: Range<usize>) -> io::Result<()>;

    /// Reports every run of written pages, in rising order, and watches those again. A page that is stored to while its
    /// report is used is reported again by a later call.
    ///
    /// # Errors
    /// A part of the range is not under the watch (any more): everything has to be taken as written.
    fn take(&self, pages: Range<usize>, written: &mut dyn FnMut(Range<usize>)) -> io::Result<()>;

    /// Lets the memory be as it was before [`Watch::arm`]. It is still mapped.
    fn disarm(&self, pages: Range<usize>);

    /// Counts the pages as written: someone other than the program may store to them from now on.
    fn lift(&self, pages: Range<usize>);

    /// The memory is gone, or will be: whatever is known of it is not true of what lies there next.
    fn forget(&self, pages: Range<usize>);
}
