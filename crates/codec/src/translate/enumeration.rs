//! Values of an enumeration of the trace as values of today's enumeration of the same name.
//!
//! Names say what a value means. A value without a name is the API's own number, and stays as it is.

use reprise_d3d12::model::Enum;

/// Two enumerations, compared by the names of their values.
#[derive(Debug)]
pub(super) struct Values {
    theirs: &'static Enum,
    ours: &'static Enum,
    same: bool,
}

impl Values {
    pub(super) fn new(theirs: &'static Enum, ours: &'static Enum) -> Values {
        let mut values = Values { theirs, ours, same: false };
        let members = theirs.members.iter().chain(ours.members).map(|member| member.1 as u32);
        values.same = members.into_iter().all(|value| values.named(value) == Ok(value));
        values
    }

    /// Whether every value stays as it is.
    pub(super) fn are_same(&self) -> bool {
        self.same
    }

    /// Today's value.
    ///
    /// # Errors
    /// The value's name is not in today's model, and its number means something else there.
    pub(super) fn get(&self, value: u32) -> Result<u32, String> {
        if self.same {
            return Ok(value);
        }
        let named = self.named(value);
        let whole = self.theirs.members.iter().any(|member| member.1 as u32 == value);
        if !self.theirs.flags || whole && named.is_ok() {
            return named;
        }
        let bits = (0..32).map(|bit| value & 1 << bit).filter(|bit| *bit != 0);
        bits.map(|bit| self.named(bit)).try_fold(0, |all, bit| Ok(all | bit?))
    }

    fn named(&self, value: u32) -> Result<u32, String> {
        let mut names = self.theirs.members.iter().filter(|member| member.1 as u32 == value).map(|member| member.0);
        let first = names.clone().next();
        if let Some(today) = names.find_map(|name| value_of(self.ours, name)) {
            return Ok(today);
        }
        // Another name for the number is a new one, unless the trace knows that name by another number.
        let others = self.ours.members.iter().filter(|member| member.1 as u32 == value).map(|member| member.0);
        let taken = match first {
            Some(_) => others.clone().next(),
            None => others.clone().find(|name| value_of(self.theirs, name).is_some()),
        };
        match (taken, first) {
            (None, _) => Ok(value),
            (Some(other), Some(name)) => {
                Err(format!("{name} ({value}) is not in today's {}, where {value} is {other}", self.ours.name))
            }
            (Some(other), None) => {
                Err(format!("{value} has no name in the trace's {}, and is {other} in today's", self.theirs.name))
            }
        }
    }
}

fn value_of(of: &Enum, name: &str) -> Option<u32> {
    of.members.iter().find(|member| member.0 == name).map(|member| member.1 as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    static OLD: Enum =
        Enum { name: "KIND", flags: false, members: &[("NONE", 0), ("LINE", 1), ("GONE", 2), ("LOST", 7)] };
    static NEW: Enum =
        Enum { name: "KIND", flags: false, members: &[("NONE", 0), ("POINT", 1), ("LINE", 2), ("NEW", 5)] };

    #[test]
    fn values_follow_their_names() {
        let values = Values::new(&OLD, &NEW);
        assert!(!values.are_same());
        assert_eq!(values.get(0), Ok(0));
        assert_eq!(values.get(1), Ok(2), "moved");
        assert!(values.get(2).is_err_and(|error| error.contains("GONE") && error.contains("LINE")));
        assert_eq!(values.get(7), Ok(7), "its name is gone, its number is free");
        assert_eq!(values.get(5), Ok(5), "a new name for a number that had none");
        assert_eq!(values.get(9), Ok(9), "no name in either");
    }

    #[test]
    fn additions_change_nothing() {
        static MORE: Enum = Enum {
            name: "KIND",
            flags: false,
            members: &[("NONE", 0), ("FIRST", 0), ("LINE", 1), ("GONE", 2), ("NEW", 3), ("LOST", 7)],
        };
        assert!(Values::new(&OLD, &MORE).are_same());
        assert!(!Values::new(&OLD, &NEW).are_same());
    }

    #[test]
    fn flags_move_bit_by_bit() {
        static A: Enum = Enum { name: "F", flags: true, members: &[("NONE", 0), ("X", 1), ("Y", 2), ("XY", 3)] };
        static B: Enum = Enum { name: "F", flags: true, members: &[("NONE", 0), ("Y", 1), ("X", 4), ("XY", 5)] };
        let values = Values::new(&A, &B);
        assert_eq!(values.get(3), Ok(5));
        assert_eq!(values.get(0), Ok(0));
        assert_eq!(values.get(1 | 16), Ok(4 | 16));
        assert_eq!(Values::new(&B, &A).get(5), Ok(3));
    }
}
