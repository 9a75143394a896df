//! Which tasks of a plan are done one directly behind the other.

use std::collections::BTreeSet;

use super::{Cell, Claim, Evidence, Planned, Scope, Study, SubjectName};

/// The tasks whose values make a figure together, by their places in a plan: those of a cell that is a ratio or a difference, and
/// those of two cells whose ratio is claimed. Of a study without claims those of a cell with all agents, which are compared.
#[derive(Clone, Debug, Default)]
pub(super) struct Neighbours {
    pairs: BTreeSet<(usize, usize)>,
}

impl Neighbours {
    /// Of a plan for these studies.
    pub(super) fn of_studies(studies: &[&Study], scope: Scope, planned: &[Planned]) -> Self {
        let mut neighbours = Self::default();
        let subjects: BTreeSet<SubjectName> = planned.iter().map(|one| one.subject).collect();
        for study in studies {
            let experiments = study.experiments(scope);
            if study.all_claims().next().is_none() {
                for cell in experiments.iter().flat_map(|one| &one.cells) {
                    let with_all = subjects.iter().map(|subject| (cell, *subject));
                    neighbours.add(&with_all.collect::<Vec<_>>(), planned);
                }
            }
            for &subject in &subjects {
                for cell in experiments.iter().flat_map(|one| &one.cells) {
                    neighbours.add(&[(cell, subject)], planned);
                }
                let evidence = Evidence::new(&experiments, &[], subject, 0);
                for figure in study.all_claims().flat_map(Claim::claimed_figures) {
                    let over = figure.dividend(&evidence).into_iter();
                    let cells: Vec<_> = over.chain(figure.divisor(&evidence)).collect();
                    neighbours.add(&cells, planned);
                }
            }
        }
        neighbours
    }

    /// All tasks of these cells, each with its agent, are neighbours.
    fn add(&mut self, cells: &[(&Cell, SubjectName)], planned: &[Planned]) {
        let places = cells.iter().flat_map(|(cell, subject)| {
            let all = planned.iter().enumerate().filter(move |(_, one)| {
                one.subject == *subject && cell.tasks().any(|task| *task == one.task)
            });
            all.map(|(place, _)| place)
        });
        let places: Vec<usize> = places.collect();
        for one in &places {
            self.pairs.extend(places.iter().map(|other| (*one, *other)));
        }
    }

    /// The same places with neighbours together: a walk from neighbour to neighbour (depth first), which goes on elsewhere when there
    /// is none left. It depends on the order of `places` alone.
    pub(super) fn gathered(&self, places: &[usize]) -> Vec<usize> {
        let mut gathered = Vec::new();
        let mut waiting = places.to_vec();
        while let Some(place) = waiting.pop() {
            if !gathered.contains(&place) {
                gathered.push(place);
                let others = places.iter().copied();
                waiting.extend(others.filter(|other| self.pairs.contains(&(place, *other))));
            }
        }
        gathered
    }
}

#[cfg(test)]
mod tests {
    use super::super::plan::ordered;
    use super::super::{Plan, Task, find, with_overview};
    use super::*;
    use crate::statistics::Random;

    const SUBJECTS: [SubjectName; 2] = [SubjectName::Varbind, SubjectName::NetSnmp];

    fn plan(studies: &[&Study]) -> (Vec<Planned>, Neighbours) {
        let planned = Plan::of_studies(studies, Scope::Quick, &SUBJECTS).tasks;
        let neighbours = Neighbours::of_studies(studies, Scope::Quick, &planned);
        (planned, neighbours)
    }

    fn order(
        (planned, neighbours): &(Vec<Planned>, Neighbours),
        seed: u64,
        round: u32,
    ) -> Vec<usize> {
        let order = ordered(planned, neighbours, seed, round).into_iter();
        order.map(|(place, _)| place).collect()
    }

    /// The group of each place: the least place that neighbours lead to.
    fn groups(neighbours: &Neighbours, count: usize) -> Vec<usize> {
        let mut groups: Vec<usize> = (0..count).collect();
        loop {
            let before = groups.clone();
            for (one, other) in &neighbours.pairs {
                let least = groups[*one].min(groups[*other]);
                (groups[*one], groups[*other]) = (least, least);
            }
            if groups == before {
                return groups;
            }
        }
    }

    #[test]
    fn neighbours_follow_each_other_wherever_possible() {
        let chain = [(1, 2), (2, 3), (5, 6)];
        let back = chain.map(|(one, other)| (other, one));
        let neighbours = Neighbours {
            pairs: chain.into_iter().chain(back).collect(),
        };
        let mut random = Random::new(1);
        for _ in 0..100 {
            let mut places: Vec<usize> = (0..8).collect();
            random.shuffle(&mut places);
            let gathered = neighbours.gathered(&places);
            let at = |place: usize| gathered.iter().position(|one| *one == place).unwrap();
            assert_eq!(at(5).abs_diff(at(6)), 1, "{gathered:?}");
            let chain = [1, 2, 3].map(at);
            let (first, last) = (chain.iter().min(), chain.iter().max());
            assert_eq!(last.unwrap() - first.unwrap(), 2, "{gathered:?}");
            let mut sorted = gathered.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..8).collect::<Vec<_>>());
        }
    }

    #[test]
    fn every_task_is_done_once_and_groups_are_done_without_a_break() {
        let studies: Vec<&Study> = with_overview().collect();
        let plan = plan(&studies);
        let count = plan.0.len();
        let groups = groups(&plan.1, count);
        let distinct: BTreeSet<&usize> = groups.iter().collect();
        assert!(distinct.len() < count, "no task has a neighbour");
        for round in 0..4 {
            let order = order(&plan, 1, round);
            let runs = order.chunk_by(|one, next| groups[*one] == groups[*next]);
            assert_eq!(runs.count(), distinct.len(), "{round}");
            let mut sorted = order;
            sorted.sort_unstable();
            assert_eq!(sorted, (0..count).collect::<Vec<_>>(), "{round}");
        }
    }

    #[test]
    fn the_seed_alone_decides_the_order() {
        let studies: Vec<&Study> = with_overview().collect();
        let plan = plan(&studies);
        assert_eq!(order(&plan, 1, 3), order(&plan, 1, 3));
        assert_ne!(order(&plan, 1, 3), order(&plan, 2, 3));
        assert_ne!(order(&plan, 1, 3), order(&plan, 1, 5));
    }

    #[test]
    fn two_copies_of_an_agent_are_asked_one_directly_behind_the_other() {
        let plan = plan(&[find("calibration").unwrap()]);
        let usual = |place: usize| {
            let Planned { task, subject, .. } = &plan.0[place];
            let Task::Sessions(mut task) = task.clone() else {
                panic!("{task:?}");
            };
            task.copy = 0;
            (task, *subject)
        };
        for round in 0..4 {
            let order = order(&plan, 1, round);
            assert!(!order.is_empty());
            for pair in order.chunks(2) {
                assert_eq!(usual(pair[0]), usual(pair[1]), "{round}");
            }
        }
    }
}
