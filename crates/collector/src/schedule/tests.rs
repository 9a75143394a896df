use std::collections::BTreeMap;

use super::*;

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);
const BEGIN: Duration = Duration::from_secs(1_764_000_000);

fn scheduler(usual: usize, slow: usize) -> Scheduler {
    Scheduler::new(ConcurrencyLimits {
        usual,
        slow,
        ..ConcurrencyLimits::default()
    })
}

/// Runs until the next task starts.
#[track_caller]
fn next_start(scheduler: &mut Scheduler, now: &mut Duration) -> TaskStart {
    loop {
        *now = scheduler.next_wake().expect("something to do").max(*now);
        if let [start] = scheduler.poll(*now)[..] {
            return start;
        }
    }
}

#[test]
fn a_task_runs_once_in_each_interval() {
    let mut scheduler = scheduler(10, 10);
    let target = scheduler.add_target();
    let task = scheduler.add_task(BEGIN, target, "router1/if_mib", MINUTE, 2 * MINUTE);
    let mut now = BEGIN;
    let first = next_start(&mut scheduler, &mut now);
    assert_eq!((first.task, first.deadline), (task, MINUTE));
    assert!(first.slot <= BEGIN + MINUTE);
    for number in 1..5 {
        scheduler.finished(now + SECOND, task, Ending::Responded);
        assert_eq!(
            next_start(&mut scheduler, &mut now).slot,
            first.slot + number * MINUTE
        );
        assert_eq!(now, first.slot + number * MINUTE);
    }
    // It runs into the next but one interval: there is no second run meanwhile, and none that is late.
    assert_eq!(scheduler.next_wake(), None);
    scheduler.finished(now + 2 * MINUTE + SECOND, task, Ending::Overdue);
    assert_eq!(scheduler.statistics().overrun, 2);
    assert_eq!(
        next_start(&mut scheduler, &mut now).slot,
        first.slot + 7 * MINUTE
    );
}

#[test]
fn tasks_of_a_target_run_one_after_the_other() {
    let mut scheduler = scheduler(10, 10);
    let target = scheduler.add_target();
    let tasks: Vec<_> = (0..3)
        .map(|number| scheduler.add_task(BEGIN, target, &number.to_string(), MINUTE, MINUTE))
        .collect();
    let now = BEGIN + MINUTE;
    let mut started = Vec::new();
    for number in 0..3 {
        let starts = scheduler.poll(now);
        assert_eq!((starts.len(), scheduler.running()), (1, 1), "{number}");
        started.push(starts[0].task);
        scheduler.finished(now, starts[0].task, Ending::Responded);
    }
    started.sort();
    assert_eq!(started, tasks);
    assert!(scheduler.poll(now).is_empty());
}

#[test]
fn silent_targets_are_asked_less_and_less_often() {
    let mut scheduler = scheduler(10, 10);
    let target = scheduler.add_target();
    for number in 0..2 {
        scheduler.add_task(BEGIN, target, &number.to_string(), MINUTE, MINUTE);
    }
    let mut now = BEGIN;
    let mut starts = Vec::new();
    while now < BEGIN + 60 * MINUTE {
        let start = next_start(&mut scheduler, &mut now);
        starts.push(now);
        scheduler.finished(now, start.task, Ending::Silent);
    }
    // Both tasks together: twice at once, then after 2, 4, and 5 minutes at least, up to the slot of one of them.
    assert!((12..=16).contains(&starts.len()), "{}", starts.len());
    assert!(
        starts
            .windows(2)
            .skip(4)
            .all(|two| two[1] - two[0] >= 5 * MINUTE)
    );
    let (failures, until) = scheduler.back_off(target);
    assert_eq!((failures as usize, until), (starts.len(), now + 5 * MINUTE));
    assert!(scheduler.statistics().backed_off > 80);
    let start = next_start(&mut scheduler, &mut now);
    scheduler.finished(now, start.task, Ending::Responded);
    let before = now;
    next_start(&mut scheduler, &mut now);
    assert!(now - before <= MINUTE);
    assert_eq!(scheduler.back_off(target).0, 0);
}

#[test]
fn slow_tasks_give_their_places_to_others() {
    let mut scheduler = scheduler(1, 1);
    let names = ["a", "b", "c"];
    for name in names {
        let target = scheduler.add_target();
        scheduler.add_task(BEGIN, target, name, MINUTE, MINUTE);
    }
    let now = BEGIN + MINUTE;
    assert_eq!(scheduler.poll(now).len(), 1);
    assert_eq!(scheduler.next_wake(), Some(now + 2 * SECOND));
    assert!(scheduler.poll(now + SECOND).is_empty());
    assert_eq!(scheduler.poll(now + 2 * SECOND).len(), 1);
    // The slow lane is full now.
    assert!(scheduler.poll(now + 10 * SECOND).is_empty());
    assert_eq!(scheduler.next_wake(), None);
    assert_eq!(scheduler.running(), 2);
}

#[test]
fn what_is_removed_does_not_run_and_leaves_its_place() {
    let mut scheduler = scheduler(1, 1);
    let targets: Vec<_> = (0..3).map(|_| scheduler.add_target()).collect();
    for (target, name) in targets.iter().zip(["a", "b", "c"]) {
        scheduler.add_task(BEGIN, *target, name, MINUTE, MINUTE);
    }
    let now = BEGIN + MINUTE;
    let running = scheduler.poll(now)[0];
    let waiting: Vec<_> = targets
        .into_iter()
        .filter(|target| *target != running.target)
        .collect();
    scheduler.remove_target(waiting[0]);
    scheduler.remove_target(running.target);
    let next = scheduler.poll(now);
    assert_eq!((next.len(), next[0].target), (1, waiting[1]));
    // The end of a run that nobody knows any more.
    scheduler.finished(now, running.task, Ending::Silent);
    assert_eq!(scheduler.running(), 1);
    let target = scheduler.add_target();
    let task = scheduler.add_task(now, target, "a", MINUTE, MINUTE);
    assert_ne!(task, running.task);
    scheduler.finished(now, next[0].task, Ending::Responded);
    assert_eq!(scheduler.running(), 0);
}

/// How a target of the simulated fleet behaves.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Health {
    Fine,
    Slow,
    Dead,
}

/// Lateness of the fine targets in milliseconds, sorted; and how many tasks were started.
fn simulate(targets: u32, health: impl Fn(u32) -> Health) -> (Vec<u64>, u64) {
    let mut scheduler = scheduler(2_000, 6_000);
    let mut healths = Vec::new();
    for number in 0..targets {
        let target = scheduler.add_target();
        let name = format!("router{number}/if_mib");
        scheduler.add_task(BEGIN, target, &name, MINUTE, MINUTE / 2);
        healths.push(health(number));
    }
    let mut running: BTreeMap<(Duration, TaskId), Ending> = BTreeMap::new();
    let mut lateness = Vec::new();
    let mut now = BEGIN;
    while now < BEGIN + 3 * MINUTE {
        while let Some(entry) = running.first_entry()
            && entry.key().0 <= now
        {
            let ((_, task), ending) = entry.remove_entry();
            scheduler.finished(now, task, ending);
        }
        for start in scheduler.poll(now) {
            let (duration, ending) = match healths[start.target.0 as usize] {
                Health::Fine => {
                    lateness.push((now - start.slot).as_millis().try_into().unwrap());
                    let milliseconds = 100 + u64::from(start.target.0 % 200);
                    (Duration::from_millis(milliseconds), Ending::Responded)
                }
                Health::Slow => (12 * SECOND, Ending::Responded),
                Health::Dead => (20 * SECOND, Ending::Silent),
            };
            running.insert((now + duration, start.task), ending);
        }
        let end = running.first_key_value().map(|((end, _), _)| *end);
        now = [end, scheduler.next_wake()]
            .into_iter()
            .flatten()
            .min()
            .unwrap();
    }
    lateness.sort_unstable();
    (lateness, scheduler.statistics().started)
}

#[test]
fn slow_and_dead_targets_do_not_delay_a_hundred_thousand_others() {
    const TARGETS: u32 = 100_000;
    let p99 = |lateness: &[u64]| lateness[lateness.len() * 99 / 100];
    let (healthy, started) = simulate(TARGETS, |_| Health::Fine);
    assert_eq!(healthy.len() as u64, started);
    assert!(started >= u64::from(2 * TARGETS), "{started}");
    let (others, _) = simulate(TARGETS, |number| match number % 10 {
        3 => Health::Slow,
        7 => Health::Dead,
        _ => Health::Fine,
    });
    assert!(others.len() >= healthy.len() * 79 / 100, "{}", others.len());
    let (healthy, sick) = (p99(&healthy), p99(&others));
    assert!(sick <= healthy + healthy / 20, "{healthy} ms, {sick} ms");
}
