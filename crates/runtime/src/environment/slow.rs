//! `REPRISE_SLOW` as the user writes it.

/// Which pipeline state is slower than it would be, and by how much.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slow {
    /// Its number among those that its device makes since it was asked for, from 1.
    pub pipeline: u64,
    /// Steps of one thread behind each of its draws and dispatches.
    pub steps: u32,
}

impl Slow {
    /// Reads `N:STEPS`.
    pub fn of(text: &str) -> Option<Slow> {
        let (pipeline, steps) = text.split_once(':')?;
        let pipeline = pipeline.parse().ok().filter(|number| *number > 0)?;
        Some(Slow { pipeline, steps: steps.parse().ok().filter(|steps| *steps > 0)? })
    }
}

#[cfg(test)]
mod tests {
    use super::Slow;

    #[test]
    fn slow_pipelines_are_read() {
        assert_eq!(Slow::of("2:1000"), Some(Slow { pipeline: 2, steps: 1000 }));
        for wrong in ["", "2", "2:", "0:1000", "2:0", "-1:5", "2:1.5", "2:5000000000"] {
            assert_eq!(Slow::of(wrong), None, "{wrong}");
        }
    }
}
