//! `REPRISE_FAULT` as the user writes it.

/// What goes wrong, and at which operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fault {
    /// What goes wrong.
    pub kind: Kind,
    /// The number of the operation, from 1.
    pub operation: u64,
}

/// What goes wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// The operation never ends.
    Hang,
    /// The device is lost there.
    Lost,
    /// The device is lost there, and says that it faulted at this GPU virtual address.
    PageFault(u64),
    /// The same, in the middle of the object that was released last, where released objects are remembered.
    Released,
}

impl Fault {
    /// Reads `hang@N`, `lost@N` or `page-fault@N:ADDRESS`, the address in hexadecimal digits or `released`.
    pub fn of(text: &str) -> Option<Fault> {
        let (kind, place) = text.split_once('@')?;
        let (number, address) = match place.split_once(':') {
            Some((number, address)) => (number, Some(address.strip_prefix("0x").unwrap_or(address))),
            None => (place, None),
        };
        let kind = match (kind, address) {
            ("hang", None) => Kind::Hang,
            ("lost", None) => Kind::Lost,
            ("page-fault", Some("released")) => Kind::Released,
            ("page-fault", Some(address)) => Kind::PageFault(u64::from_str_radix(address, 16).ok()?),
            _ => return None,
        };
        Some(Fault { kind, operation: number.parse().ok().filter(|number| *number > 0)? })
    }
}

#[cfg(test)]
mod tests {
    use super::{Fault, Kind};

    #[test]
    fn faults_are_read() {
        let fault = |kind, operation| Some(Fault { kind, operation });
        assert_eq!(Fault::of("hang@3"), fault(Kind::Hang, 3));
        assert_eq!(Fault::of("lost@10000"), fault(Kind::Lost, 10_000));
        assert_eq!(Fault::of("page-fault@1:0x7f00"), fault(Kind::PageFault(0x7f00), 1));
        assert_eq!(Fault::of("page-fault@1:7f00"), fault(Kind::PageFault(0x7f00), 1));
        assert_eq!(Fault::of("page-fault@2:released"), fault(Kind::Released, 2));
        for wrong in ["", "hang", "hang@", "hang@0", "hang@-1", "hang@1:7f", "page-fault@1", "page-fault@1:x", "burn@1"]
        {
            assert_eq!(Fault::of(wrong), None, "{wrong}");
        }
    }
}
