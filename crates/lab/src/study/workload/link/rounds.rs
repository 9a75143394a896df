//! All runs of some rounds, grouped by the link that they cross.

use std::collections::BTreeMap;
use std::thread::{self, ScopedJoinHandle};

use super::admission::Admission;
use super::repetition::{NOT_RUN, least_late};
use super::run::{self, Ran};
use super::{LinkTask, Restart, TcpSettings};
use crate::process::place_on;
use crate::study::site::Question;
use crate::study::workload::Laboratory;
use crate::study::{Observation, SubjectName, Task};

/// A run, by its place among those of its round.
pub(super) type Planned<'a> = (usize, &'a LinkTask, SubjectName);

/// The runs of a round that cross one link.
pub(super) struct Group<'a> {
    round: usize,
    /// How TCP is set at both ends of the link.
    pub(super) tcp: TcpSettings,
    /// Whether the agents are killed meanwhile.
    pub(super) restart: Option<Restart>,
    pub(super) runs: Vec<Planned<'a>>,
    pub(super) seed: u64,
}

impl Group<'_> {
    /// How many exchanges there are, as tasks estimate them.
    fn work(&self) -> f64 {
        let tasks = self.runs.iter();
        tasks
            .map(|(_, task, _)| task.duration() * task.rate())
            .sum()
    }
}

/// Makes the runs of some rounds, as many at a time as do not disturb each other; the observations of each round.
pub(in super::super) fn observe(
    laboratory: &Laboratory,
    rounds: &[Question],
) -> Vec<Vec<Observation>> {
    let mut observations = Vec::new();
    let mut groups = Vec::new();
    for (round, question) in rounds.iter().enumerate() {
        let runs = runs(question);
        observations.push(vec![Observation::failed(NOT_RUN); runs.len()]);
        groups.extend(grouped(round, question.seed, &runs));
    }
    let (restarted, others): (Vec<_>, Vec<_>) = groups
        .into_iter()
        .partition(|group| group.restart.is_some());
    // Agents that are killed have runs that all go on for as long, and take much time to start again: a core has one such
    // group at a time, before the others.
    let together = restarted.chunks(laboratory.cores.count().max(1));
    for groups in together.chain([others.as_slice()]) {
        let run = |late: &[usize]| {
            let late = late.iter().filter_map(|at| groups.get(*at));
            run_together(laboratory, &late.collect::<Vec<_>>())
        };
        let best = least_late(&laboratory.time_spent, groups.len(), Ran::delays, run);
        for (group, best) in groups.iter().zip(best) {
            let observed = run::observations(group, best);
            for ((at, ..), observation) in group.runs.iter().zip(observed) {
                let places = observations.get_mut(group.round);
                if let Some(place) = places.and_then(|places| places.get_mut(*at)) {
                    *place = observation;
                }
            }
        }
    }
    observations
}

fn runs(question: &Question) -> Vec<Planned<'_>> {
    let tasks = question.tasks.iter();
    let tasks = tasks.filter_map(|(task, subject)| match task {
        Task::Link(task) => Some((task, *subject)),
        _ => None,
    });
    let numbered = tasks.enumerate();
    numbered
        .map(|(at, (task, subject))| (at, task, subject))
        .collect()
}

fn grouped<'a>(round: usize, seed: u64, runs: &[Planned<'a>]) -> Vec<Group<'a>> {
    let mut groups: BTreeMap<(TcpSettings, Option<Restart>), Vec<Planned<'a>>> = BTreeMap::new();
    for run in runs {
        let (_, task, _) = run;
        let group = groups.entry((task.tcp, task.restart)).or_default();
        group.push(*run);
    }
    let groups = groups.into_iter();
    groups
        .map(|((tcp, restart), runs)| Group {
            round,
            tcp,
            restart,
            runs,
            seed,
        })
        .collect()
}

/// Makes the runs of some groups at the same time, once.
fn run_together(laboratory: &Laboratory, groups: &[&Group<'_>]) -> Vec<Result<Ran, String>> {
    let works: Vec<f64> = groups.iter().map(|group| group.work()).collect();
    let admission = Admission::new(&laboratory.cores, &works);
    let cores = cores(&works, laboratory.cores.count());
    thread::scope(|scope| {
        let running = groups.iter().zip(admission.shares(&works)).zip(cores);
        let running = running.map(|((group, share), core)| {
            scope.spawn(move || {
                // Managers and agents of a link share a core: to wake another one would take longer than an exchange.
                let _refused = place_on(&laboratory.cores, core);
                run::run(laboratory, group, &share)
            })
        });
        let running: Vec<ScopedJoinHandle<'_, _>> = running.collect();
        let ended = running.into_iter();
        ended
            .map(|thread| thread.join().unwrap_or_else(|_| Err(NOT_RUN.to_owned())))
            .collect()
    })
}

/// A core for each of some groups, by their work: the most work first, each where there is least so far.
fn cores(works: &[f64], count: usize) -> Vec<usize> {
    let mut by_work: Vec<(usize, f64)> = works.iter().copied().enumerate().collect();
    by_work.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    let mut on_core = vec![0.0_f64; count.max(1)];
    let least = |(at, work): (usize, f64)| {
        let least = on_core.iter_mut().enumerate();
        let least = least.min_by(|(_, one), (_, other)| one.total_cmp(other));
        let core = least.map_or(0, |(core, least)| {
            *least += work;
            core
        });
        (at, core)
    };
    let mut cores: Vec<(usize, usize)> = by_work.into_iter().map(least).collect();
    cores.sort_unstable();
    cores.into_iter().map(|(_, core)| core).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{Method, Path};
    use super::*;

    #[test]
    fn cores_have_about_as_much_work_each() {
        let works = [9.0, 1.0, 2.0, 9.0, 1.0, 2.0];
        let cores = cores(&works, 2);
        let on_first: f64 = works
            .iter()
            .zip(&cores)
            .filter(|(_, core)| **core == 0)
            .map(|(work, _)| work)
            .sum();
        assert!((on_first - 12.0).abs() < 0.1, "{cores:?}");
        assert_ne!(cores.first(), cores.get(3));
    }

    #[test]
    fn groups_are_the_runs_across_links_that_are_alike() {
        let path = Path::new(0.0, 10.0);
        let usual = LinkTask::new(Method::Adaptive, path, 1, 1);
        let mut lossy = usual.clone();
        lossy.tcp = TcpSettings::Lossy;
        let mut killed = usual.clone();
        killed.restart = Some(Restart { after: 1, away: 1 });
        let tasks = [&usual, &lossy, &usual, &killed];
        let runs: Vec<Planned<'_>> = tasks
            .into_iter()
            .enumerate()
            .map(|(at, task)| (at, task, SubjectName::Varbind))
            .collect();
        let groups = grouped(0, 1, &runs);
        let places: Vec<Vec<usize>> = groups
            .iter()
            .map(|group| group.runs.iter().map(|(at, ..)| *at).collect())
            .collect();
        assert_eq!(places, [vec![0, 2], vec![3], vec![1]]);
    }
}
