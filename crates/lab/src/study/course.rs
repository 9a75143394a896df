//! What a run with a limited time does next.
//!
//! Which comparison goes on depends on the time that each has taken and on how precise it is, never on a verdict.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::plan::patient_blocks;
use super::precision::LEAST_ROUNDS;
use super::{Conditions, Planned};

/// Rounds in which everything is measured, before the rest of the time is shared out: so many that a comparison can end after them.
pub(super) const FIRST_ROUNDS: u32 = LEAST_ROUNDS;

/// The most repetitions of a task that is repeated as often as usual.
pub(super) const MOST_ROUNDS: u32 = 240;

/// Rounds whose runs across links wait at the same time: all that a quick run has.
pub(super) const ROUNDS_AT_ONCE: u32 = 6;

/// Blocks that are measured together: all with runs across links, which wait at the same time, or one other.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Group {
    pub(super) blocks: BTreeSet<u32>,
    /// The round that comes next.
    round: u32,
    /// How many rounds are done at once.
    at_once: u32,
    /// How many rounds it has at most.
    most: u32,
    /// The time that it has taken so far, in seconds.
    seconds: f64,
    /// Whether it goes on no more: it is precise, or nothing of it can be measured.
    is_closed: bool,
}

/// The comparisons of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Course {
    groups: Vec<Group>,
}

impl Course {
    /// Of a run that has measured so much; `begun` is the last round of each block.
    pub(super) fn new(
        planned: &[Planned],
        conditions: &[Conditions],
        begun: &BTreeMap<u32, u32>,
    ) -> Self {
        let patient = patient_blocks(planned);
        let all: BTreeSet<u32> = planned.iter().map(|one| one.block).collect();
        let alone = all
            .difference(&patient)
            .map(|block| (BTreeSet::from([*block]), 1));
        let together = (!patient.is_empty()).then(|| (patient.clone(), ROUNDS_AT_ONCE));
        let groups = alone.chain(together).map(|(blocks, at_once)| {
            let rounds = blocks.iter().filter_map(|block| begun.get(block)).copied();
            let most = planned.iter().filter(|one| blocks.contains(&one.block));
            Group {
                round: rounds.max().unwrap_or_default().max(FIRST_ROUNDS),
                most: most.map(|one| one.repetitions).max().unwrap_or_default(),
                seconds: seconds(&blocks, conditions),
                blocks,
                at_once,
                is_closed: false,
            }
        });
        Self {
            groups: groups.collect(),
        }
    }

    /// What goes on: of all that are not closed, the one that has taken the least time for each of its blocks. So those that take little
    /// are repeated often, each block has as much of the time, and blocks that wait at the same time have theirs together.
    pub(super) fn next(&mut self) -> Option<&mut Group> {
        let open = self.groups.iter_mut();
        let open = open.filter(|one| !one.is_closed && one.round < one.most);
        open.min_by(|one, other| one.seconds_of_block().total_cmp(&other.seconds_of_block()))
    }
}

impl Group {
    /// The rounds that come next.
    pub(super) fn rounds(&self) -> Range<u32> {
        self.round..self.most.min(self.round + self.at_once)
    }

    fn seconds_of_block(&self) -> f64 {
        self.seconds / self.blocks.len() as f64
    }

    /// How long these take, by those before.
    pub(super) fn expected_seconds(&self) -> f64 {
        self.seconds / f64::from(self.round.max(1)) * self.rounds().len() as f64
    }

    /// These rounds of it are done, which took so long.
    pub(super) fn advance(&mut self, seconds: f64) {
        self.round = self.rounds().end;
        self.seconds += seconds;
    }

    /// It goes on no more.
    pub(super) const fn close(&mut self) {
        self.is_closed = true;
    }
}

/// Blocks that are measured at the same time have taken as long as the longest of them.
fn seconds(blocks: &BTreeSet<u32>, conditions: &[Conditions]) -> f64 {
    let mut of_blocks: BTreeMap<u32, f64> = BTreeMap::new();
    for one in conditions.iter().filter(|one| blocks.contains(&one.block)) {
        *of_blocks.entry(one.block).or_default() += one.machine.seconds;
    }
    of_blocks.into_values().fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::super::{Plan, Scope, SubjectName, find};
    use super::*;

    fn group(block: u32, seconds: f64) -> Group {
        Group {
            blocks: BTreeSet::from([block]),
            round: FIRST_ROUNDS,
            at_once: 1,
            most: MOST_ROUNDS,
            seconds,
            is_closed: false,
        }
    }

    #[test]
    fn comparisons_share_the_time_and_cheap_ones_have_more_rounds() {
        let mut course = Course {
            groups: vec![group(1, 10.0), group(2, 100.0), group(3, 10.0)],
        };
        let cost = BTreeMap::from([(1, 1.0), (2, 10.0), (3, 2.0)]);
        for _ in 0..400 {
            let Some(group) = course.next() else { break };
            let block = *group.blocks.first().unwrap();
            group.advance(cost[&block]);
        }
        let rounds: Vec<u32> = course.groups.iter().map(|one| one.round).collect();
        let expected = course.groups[0].expected_seconds();
        assert!(expected.abs() < 1e-9, "nothing is left of it: {expected}");
        // The cheapest has all its rounds; the others have had as much time as each other.
        assert_eq!(rounds[0], MOST_ROUNDS);
        let seconds: Vec<f64> = course.groups.iter().map(|one| one.seconds).collect();
        assert!((seconds[1] - seconds[2]).abs() <= 10.0, "{seconds:?}");
    }

    #[test]
    fn blocks_that_wait_together_have_the_time_of_all_of_them() {
        let together = Group {
            blocks: (10..15).collect(),
            at_once: ROUNDS_AT_ONCE,
            ..group(10, 200.0)
        };
        let mut course = Course {
            groups: vec![group(1, 40.0), together],
        };
        for _ in 0..100 {
            let Some(group) = course.next() else { break };
            let seconds = if group.blocks.len() == 1 { 1.0 } else { 100.0 };
            group.advance(seconds);
        }
        let [alone, together] = course.groups.as_slice() else {
            panic!("{course:?}");
        };
        let apart = (together.seconds - 5.0 * alone.seconds).abs();
        assert!(alone.seconds > 100.0 && apart <= 100.0, "{course:?}");
        assert_eq!((together.round - FIRST_ROUNDS) % ROUNDS_AT_ONCE, 0);
    }

    #[test]
    fn precise_comparisons_leave_their_time_to_the_others() {
        let mut course = Course {
            groups: vec![group(1, 1.0), group(2, 2.0)],
        };
        let group = course.next().unwrap();
        assert!((group.expected_seconds() - 1.0 / f64::from(FIRST_ROUNDS)).abs() < 1e-9);
        assert_eq!(group.blocks, BTreeSet::from([1]));
        group.close();
        let group = course.next().unwrap();
        assert_eq!(group.blocks, BTreeSet::from([2]));
        group.close();
        assert_eq!(course.next(), None);
    }

    #[test]
    fn runs_across_links_go_on_together_where_they_were_interrupted() {
        let studies = [find("hardaker2008").unwrap(), find("du2001").unwrap()];
        let plan = Plan::of_studies(&studies, Scope::Full, &[SubjectName::Varbind]);
        let patient = patient_blocks(&plan.tasks);
        assert!(patient.len() > 1);
        let begun = patient.iter().map(|block| (*block, 17)).collect();
        let course = Course::new(&plan.tasks, &[], &begun);
        let together = course.groups.iter().find(|one| one.blocks == patient);
        assert_eq!(together.map(Group::rounds), Some(17..23));
        let mut others = course.groups.iter().filter(|one| one.blocks != patient);
        assert!(others.all(|one| one.blocks.len() == 1 && one.round == FIRST_ROUNDS));
    }
}
