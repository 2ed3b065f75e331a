//! The search for the first bad candidate.
//!
//! Candidates stand in order; the first is taken to be good, the last to be bad. One run that shows the fault makes a candidate bad:
//! what is good never shows it. A bad candidate may hide it in some runs, so a candidate counts as good after so many good runs.
//! Candidates that cannot be judged are left out.
//!
//! Invariant: what is run next follows from the runs so far alone. So a search that was interrupted goes on where it was, and two searches
//! that saw the same end the same.

/// What one run of a candidate said.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    Good,
    Bad,
    /// It cannot be judged: it was not built, did not start, or failed in another way than the bad one.
    Skip,
}

/// The question.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Search {
    /// Candidates, both ends included.
    pub(crate) count: usize,
    /// Good runs that make a candidate good.
    pub(crate) repeat: u64,
    /// Where results are flaky: how sure the answer has to be, below 1.
    pub(crate) sure: f64,
    /// The first candidate is known to be good, and is not run.
    pub(crate) first_is_given: bool,
}

/// What comes next.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Step {
    Run(usize),
    Found(Found),
    /// The first candidate shows the fault.
    GoodIsBad,
    /// The last candidate does not show it.
    BadIsGood,
    /// An end cannot be judged.
    EndIsSkipped(usize),
}

/// The answer.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Found {
    pub(crate) last_good: usize,
    /// The first one that was seen to be bad.
    pub(crate) first_bad: usize,
    /// What stands between them and was skipped: the first bad one is one of these or `first_bad`.
    pub(crate) between: Vec<usize>,
    /// How likely it is that the first bad one is among these. `None`: each candidate was run once, and nothing says how often a bad one
    /// shows the fault.
    pub(crate) sure: Option<f64>,
    /// Of the runs of bad candidates: those that showed the fault, and all.
    pub(crate) shown: (u64, u64),
}

/// Runs of one candidate.
#[derive(Clone, Copy, Default)]
struct Runs {
    good: u64,
    bad: u64,
    skipped: u64,
}

/// More good runs of one candidate than this say nothing new.
const MOST: u64 = 64;

impl Search {
    /// What to do after these runs.
    pub(crate) fn next(&self, runs: &[(usize, Verdict)]) -> Step {
        let mut of = vec![Runs::default(); self.count];
        for (candidate, verdict) in runs {
            let Some(runs) = of.get_mut(*candidate) else { continue };
            match verdict {
                Verdict::Good => runs.good += 1,
                Verdict::Bad => runs.bad += 1,
                Verdict::Skip => runs.skipped += 1,
            }
        }
        let last = self.count.saturating_sub(1);
        if let Some(step) = self.ends(&of, last) {
            return step;
        }
        let high = (0..self.count).find(|&at| of[at].bad > 0).unwrap_or(last);
        let is_good = |runs: &Runs| runs.skipped == 0 && runs.good >= self.repeat;
        let low = (0..high).rev().find(|&at| is_good(&of[at])).unwrap_or(0);
        let open = (low + 1..high).filter(|&at| of[at].skipped == 0);
        // One that was begun is finished first.
        let middle = low.midpoint(high);
        let next = open.min_by_key(|&at| (of[at].good == 0, at.abs_diff(middle)));
        if let Some(next) = next {
            return Step::Run(next);
        }
        let found = self.found(&of, low, high);
        let is_flaky = of.iter().any(|runs| runs.bad > 0 && runs.good > 0);
        let unsure = found.sure.is_some_and(|sure| sure < self.sure);
        if is_flaky && unsure && low > 0 && of[low].good < MOST {
            return Step::Run(low);
        }
        Step::Found(found)
    }

    /// The ends are run first: neither the fault nor its absence is taken on trust.
    fn ends(&self, of: &[Runs], last: usize) -> Option<Step> {
        let (first, end) = (of.first()?, of.get(last)?);
        if !self.first_is_given {
            if first.skipped > 0 {
                return Some(Step::EndIsSkipped(0));
            }
            if first.bad > 0 {
                return Some(Step::GoodIsBad);
            }
            if first.good < self.repeat {
                return Some(Step::Run(0));
            }
        }
        if end.bad > 0 {
            return None;
        }
        if end.skipped > 0 {
            return Some(Step::EndIsSkipped(last));
        }
        Some(if end.good >= self.repeat { Step::BadIsGood } else { Step::Run(last) })
    }

    /// How sure the answer is, by Bayes. Beforehand every candidate is as likely as any other to be the first bad one; half of all faults show
    /// in every run, and of the others each frequency is as likely as any other.
    fn found(&self, of: &[Runs], low: usize, high: usize) -> Found {
        let known = of.iter().filter(|runs| runs.bad > 0);
        let (bad, all) = known.fold((0, 0), |(bad, all), runs| (bad + runs.bad, all + runs.bad + runs.good));
        // From the top down: were a candidate the first bad one, it and those above it would have hidden the fault in all their good runs.
        let (mut hidden, mut within, mut below) = (0, 1.0, 0.0);
        for at in (1..high).rev() {
            hidden += of[at].good;
            let weight = hides(bad, all - bad, hidden);
            if at > low {
                within += weight;
            } else {
                below += weight;
            }
        }
        let flaky = of.iter().any(|runs| runs.bad > 0 && runs.good > 0);
        let says = self.repeat > 1 || flaky;
        Found {
            last_good: low,
            first_bad: high,
            between: (low + 1..high).collect(),
            sure: says.then_some(within / (within + below)),
            shown: (bad, all),
        }
    }
}

/// How likely it is that a bad candidate hides the fault in `times` runs more, where bad ones showed it in `bad` runs and hid it in `hid`.
///
/// A frequency that may be any has the distribution Beta(bad + 1, hid + 1) then, whose moments are products.
fn hides(bad: u64, hid: u64, times: u64) -> f64 {
    let always = if hid > 0 { 0.0 } else { (bad + 1) as f64 / (bad + 2) as f64 };
    let product: f64 = (0..times).map(|at| (hid + 1 + at) as f64 / (bad + hid + 2 + at) as f64).product();
    (1.0 - always) * product + if times == 0 { always } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A made-up history of candidates: which one is the first bad one, which cannot be judged, and in how many of 256 runs a bad
    /// one shows that it is bad.
    #[derive(Clone, Debug)]
    struct World {
        count: usize,
        first_bad: usize,
        skipped: Vec<bool>,
        shows: u8,
        seed: u64,
    }

    fn worlds(shows: impl Strategy<Value = u8>) -> impl Strategy<Value = World> {
        (
            2usize..60,
            any::<prop::sample::Index>(),
            prop::collection::vec(prop::bool::weighted(0.2), 60),
            shows,
            any::<u64>(),
        )
            .prop_map(|(count, first, mut skipped, shows, seed)| {
                skipped.truncate(count);
                (skipped[0], skipped[count - 1]) = (false, false);
                World { count, first_bad: 1 + first.index(count - 1), skipped, shows, seed }
            })
    }

    impl World {
        fn search(&self, repeat: u64) -> Search {
            Search { count: self.count, repeat, sure: 0.95, first_is_given: false }
        }

        /// What the run of a candidate says: the same whenever the same run is asked for.
        fn run(&self, candidate: usize, number: usize) -> Verdict {
            let mut bits = self.seed ^ ((candidate as u64) << 32 | number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            bits = (bits ^ bits >> 31).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let chance = (bits >> 40) as u8;
            match () {
                () if self.skipped[candidate] => Verdict::Skip,
                () if candidate >= self.first_bad && chance <= self.shows => Verdict::Bad,
                () => Verdict::Good,
            }
        }

        fn play(&self, search: &Search, mut runs: Vec<(usize, Verdict)>) -> (Vec<(usize, Verdict)>, Step) {
            loop {
                assert!(runs.len() < 200 * self.count, "it does not end");
                match search.next(&runs) {
                    Step::Run(candidate) => runs.push((candidate, self.run(candidate, runs.len()))),
                    step => return (runs, step),
                }
            }
        }
    }

    proptest! {
        /// Against the definition: the nearest candidates on both sides of the fault that can be judged, and what lies between.
        #[test]
        fn a_fault_that_always_shows_is_found(world in worlds(Just(255)), repeat in 1u64..4) {
            let (runs, step) = world.play(&world.search(repeat), Vec::new());
            let Step::Found(found) = step else { panic!("{step:?}") };
            let judged = |at: &usize| !world.skipped[*at];
            let last_good = (0..world.first_bad).rev().find(judged).unwrap();
            let first_bad = (world.first_bad..world.count).find(judged).unwrap();
            prop_assert_eq!((found.last_good, found.first_bad), (last_good, first_bad));
            prop_assert_eq!(&found.between, &(last_good + 1..first_bad).collect::<Vec<_>>());
            prop_assert_eq!(found.sure.is_some(), repeat > 1);
            // Nothing skipped is asked twice, nothing bad either, and a search without skips halves.
            for at in 0..world.count {
                let asked = runs.iter().filter(|run| run.0 == at).count() as u64;
                let most = if world.skipped[at] || at >= world.first_bad { 1 } else { repeat };
                prop_assert!(asked <= most, "{} is run {} times", at, asked);
            }
            if !world.skipped.contains(&true) {
                let halvings = u64::from((world.count as u64 - 1).next_power_of_two().trailing_zeros());
                prop_assert!(runs.len() as u64 <= repeat * (halvings + 1) + 1, "{} runs", runs.len());
            }
        }

        /// Cut anywhere and gone on, the runs are those of a search that was never cut.
        #[test]
        fn a_search_goes_on_where_it_was(world in worlds(any::<u8>()), repeat in 1u64..4, cut in any::<prop::sample::Index>()) {
            let search = world.search(repeat);
            let (runs, step) = world.play(&search, Vec::new());
            let kept = runs[..cut.index(runs.len() + 1)].to_vec();
            prop_assert_eq!(world.play(&search, kept), (runs, step));
        }

        /// Whatever was seen, the answer does not contradict it.
        #[test]
        fn no_answer_contradicts_a_run(world in worlds(any::<u8>()), repeat in 1u64..4) {
            let (runs, step) = world.play(&world.search(repeat), Vec::new());
            let saw = |at: usize, verdict: Verdict| runs.contains(&(at, verdict));
            match step {
                Step::Found(found) => {
                    prop_assert!(found.last_good < found.first_bad && saw(found.first_bad, Verdict::Bad));
                    prop_assert!((0..found.first_bad).all(|at| !saw(at, Verdict::Bad)));
                    prop_assert!(found.between.iter().all(|at| saw(*at, Verdict::Skip)));
                    prop_assert!(found.first_bad >= world.first_bad, "what is good shows nothing");
                    prop_assert!(found.sure.is_none_or(|sure| sure > 0.0 && sure <= 1.0));
                }
                Step::BadIsGood => prop_assert!(!saw(world.count - 1, Verdict::Bad)),
                step => prop_assert!(false, "{:?}", step),
            }
        }
    }

    /// Of a thousand searches with a fault that shows in one run of three, answers that are nine tenths sure or more are right as often.
    #[test]
    fn it_is_as_sure_as_it_says() {
        let (mut sure, mut right) = (0, 0);
        for seed in 0..1000u64 {
            let world =
                World { count: 30, first_bad: 1 + (seed % 29) as usize, skipped: vec![false; 30], shows: 85, seed };
            let (_, step) = world.play(&world.search(8), Vec::new());
            let Step::Found(found) = step else { continue };
            if found.sure.is_some_and(|sure| sure >= 0.9) {
                sure += 1;
                right += u32::from(found.first_bad == world.first_bad);
            }
        }
        assert!(sure > 500, "{sure} searches are sure");
        assert!(f64::from(right) >= 0.9 * f64::from(sure), "{right} of {sure} are right");
    }

    #[test]
    fn wrong_ends_are_said() {
        let search = Search { count: 5, repeat: 2, sure: 0.95, first_is_given: false };
        assert_eq!(search.next(&[]), Step::Run(0));
        assert_eq!(search.next(&[(0, Verdict::Bad)]), Step::GoodIsBad);
        assert_eq!(search.next(&[(0, Verdict::Skip)]), Step::EndIsSkipped(0));
        let good = [(0, Verdict::Good), (0, Verdict::Good)];
        assert_eq!(search.next(&good), Step::Run(4));
        let never = [good[0], good[1], (4, Verdict::Good), (4, Verdict::Good)];
        assert_eq!(search.next(&never), Step::BadIsGood);
        assert_eq!(search.next(&[good[0], good[1], (4, Verdict::Skip)]), Step::EndIsSkipped(4));
        assert_eq!(Search { first_is_given: true, ..search }.next(&[]), Step::Run(4));
    }
}
