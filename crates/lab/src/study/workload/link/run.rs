//! Many runs at a time, each on a lane of its own.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use varbind::transport::{Transport, TransportAddress};

use super::course::Course;
use super::network::{Network, REST};
use super::{LinkTask, Method, Retrieval, TcpSettings, manager, tcp};
use crate::link::{Lane, LaneStatistics, LinkReport};
use crate::measurement::TransportKind;
use crate::session::{SecureAccess, Target};
use crate::study::workload::Laboratory;
use crate::study::{Measure, Observation, SubjectName};

/// Exchanges per second of all runs together as tasks estimate them, which is more than twice what there are: so that
/// neither the emulator nor the managers are short of time.
const MOST_RATE: f64 = 6000.0;
/// Runs at a time.
const MOST_RUNS: usize = 256;
const NOT_RUN: &str = "it was not run";
/// Points of a trace.
const POINTS: usize = 50;

/// A run, by its place among the tasks.
type Planned<'a> = (usize, &'a LinkTask, SubjectName);
type Ended = (usize, Course);

/// Runs all of them, as many at a time as do not disturb each other.
pub(in super::super) fn observe(
    laboratory: &Laboratory,
    tasks: &[(&LinkTask, SubjectName)],
    seed: u64,
) -> Vec<Observation> {
    let mut groups: BTreeMap<TcpSettings, Vec<Planned<'_>>> = BTreeMap::new();
    for (at, (task, subject)) in tasks.iter().enumerate() {
        let group = groups.entry(task.tcp).or_default();
        group.push((at, task, *subject));
    }
    let mut observations = vec![Observation::failed(NOT_RUN); tasks.len()];
    let share = |group: &[Planned<'_>]| {
        let work = |task: &LinkTask| task.duration() * task.rate();
        let all: f64 = tasks.iter().map(|(task, _)| work(task)).sum();
        group.iter().map(|(_, task, _)| work(task)).sum::<f64>() / all
    };
    let observed = thread::scope(|scope| {
        let running: Vec<_> = groups
            .iter()
            .map(|(tcp, group)| {
                let rate = MOST_RATE * share(group);
                scope.spawn(move || observe_group(laboratory, *tcp, group, rate, seed))
            })
            .collect();
        let running = running.into_iter();
        running
            .map(|thread| thread.join().unwrap_or_default())
            .collect::<Vec<_>>()
    });
    for (group, observed) in groups.values().zip(observed) {
        for ((at, ..), observation) in group.iter().zip(observed) {
            if let Some(place) = observations.get_mut(*at) {
                *place = observation;
            }
        }
    }
    observations
}

fn observe_group(
    laboratory: &Laboratory,
    tcp: TcpSettings,
    group: &[Planned<'_>],
    rate: f64,
    seed: u64,
) -> Vec<Observation> {
    match run_group(laboratory, tcp, group, rate, seed) {
        Ok((courses, report)) => {
            let lanes = report.lanes.iter().copied().map(Some);
            let lanes = lanes.chain(std::iter::repeat(None));
            let courses = courses.into_iter().zip(lanes);
            courses
                .map(|(course, lane)| match course {
                    Ok(course) => observation(&course, lane, &report),
                    Err(reason) => Observation::failed(reason),
                })
                .collect()
        }
        Err(reason) => vec![Observation::failed(reason); group.len()],
    }
}

type Courses = Vec<Result<Course, String>>;

fn run_group(
    laboratory: &Laboratory,
    tcp: TcpSettings,
    group: &[Planned<'_>],
    most_rate: f64,
    seed: u64,
) -> Result<(Courses, LinkReport), String> {
    let mut names: Vec<SubjectName> = group.iter().map(|(.., subject)| *subject).collect();
    names.sort_unstable();
    names.dedup();
    let subjects = names.into_iter().map(|name| {
        let demands = laboratory.demands(name);
        (name, laboratory.subject(name), demands)
    });
    let lanes = group.iter().map(|(_, task, _)| task.path.lane()).collect();
    let network = Network::open(lanes, seed, tcp, subjects.collect())?;
    let courses = run_lanes(&network, group, most_rate);
    thread::sleep(REST);
    Ok((courses, network.close()?))
}

/// Starts runs, the longest first, whenever there is room for another.
fn run_lanes(network: &Network, group: &[Planned<'_>], most_rate: f64) -> Courses {
    let mut courses: Courses = vec![Err(NOT_RUN.to_owned()); group.len()];
    let mut waiting: Vec<usize> = (0..group.len()).collect();
    let duration = |at: &usize| group.get(*at).map_or(0.0, |(_, task, _)| task.duration());
    waiting.sort_by(|one, other| duration(one).total_cmp(&duration(other)));
    let (ended, results): (Sender<Ended>, Receiver<Ended>) = channel();
    let mut rates: BTreeMap<usize, f64> = BTreeMap::new();
    loop {
        while let Some(&at) = waiting.last() {
            let Some((_, task, subject)) = group.get(at) else {
                break;
            };
            let rate: f64 = rates.values().sum();
            let is_full = rates.len() >= MOST_RUNS || rate + task.rate() > most_rate;
            if is_full && !rates.is_empty() {
                break;
            }
            waiting.pop();
            match start(network, task, *subject, at, ended.clone()) {
                Ok(()) => {
                    rates.insert(at, task.rate());
                }
                Err(reason) => courses[at] = Err(reason),
            }
        }
        if rates.is_empty() {
            return courses;
        }
        let Ok((at, course)) = results.recv() else {
            return courses;
        };
        rates.remove(&at);
        if let Some(place) = courses.get_mut(at) {
            *place = Ok(course);
        }
    }
}

fn start(
    network: &Network,
    task: &LinkTask,
    subject: SubjectName,
    at: usize,
    ended: Sender<Ended>,
) -> Result<(), String> {
    let number = u16::try_from(at + 1).ok();
    let lane = number
        .and_then(Lane::new)
        .ok_or("a link has not so many lanes")?;
    let transport = task.method.transport();
    let (target, access) = network.target(subject, transport, lane)?;
    let task = task.clone();
    // A thread is in the namespace of the one that starts it.
    let started = network.near().run(move || {
        thread::Builder::new()
            .name(format!("lane-{}", at + 1))
            .spawn(move || {
                let course = run(&task, target, access.as_ref());
                let _ = ended.send((at, course));
            })
            .map(|_| ())
    });
    started
        .map_err(|error| error.to_string())?
        .map_err(|error| error.to_string())
}

fn run(task: &LinkTask, target: Target, access: Option<&SecureAccess>) -> Course {
    let is_plain = matches!(task.method, Method::Tcp | Method::TcpRestarted(_));
    if is_plain && task.retrieval != Retrieval::Table {
        return tcp::run(task, target);
    }
    let transport = match target.transport {
        TransportKind::Udp => Transport::Udp,
        TransportKind::Tcp => Transport::Tcp,
        TransportKind::Tls | TransportKind::LegacyTls => Transport::Tls,
        TransportKind::Dtls => Transport::Dtls,
        TransportKind::Ssh => Transport::Ssh,
    };
    let user = access.and_then(|access| access.user.clone());
    let address = TransportAddress {
        user: user.filter(|_| transport == Transport::Ssh),
        ..TransportAddress::of_socket(transport, target.address)
    };
    manager::run(task, &address, access)
}

fn observation(course: &Course, lane: Option<LaneStatistics>, report: &LinkReport) -> Observation {
    let mut observation = of_course(course);
    let lateness = report.lateness.quantile(0.99);
    observation.note(Measure::Lateness, lateness.as_secs_f64() * 1e6);
    if let Some(lane) = lane {
        let completed = course.answered.len() as f64;
        let (there, back) = (lane.forward, lane.backward);
        for (measure, value) in [
            (Measure::WirePackets, there.packets + back.packets),
            (Measure::WireOctets, there.octets + back.octets),
            (Measure::PacketsLost, there.lost + back.lost),
        ] {
            observation.note(measure, value as f64);
        }
        let each = (there.packets + back.packets) as f64 / completed;
        observation.note(Measure::WirePacketsPerExchange, each);
    }
    observation
}

/// What a run found, whoever ran it.
pub(super) fn of_course(course: &Course) -> Observation {
    let mut observation = Observation {
        trace: Course::trace(&course.answered, POINTS),
        trouble: course.trouble.clone(),
        ..Observation::default()
    };
    let completed = course.answered.len() as f64;
    let elapsed = course.elapsed.as_secs_f64() * 1e6;
    for (measure, value) in [
        (Measure::Elapsed, elapsed),
        (Measure::ResponseTime, elapsed / completed),
        (Measure::Rate, completed / elapsed * 1e6),
        (Measure::Completed, completed),
        (Measure::Failed, course.failed.into()),
        (Measure::Attempts, course.attempts as f64 / completed),
        (Measure::Objects, course.objects as f64 / completed),
        (Measure::Finished, f64::from(u8::from(course.is_finished()))),
    ] {
        observation.note(measure, value);
    }
    if course.answered.is_empty() && observation.trouble.is_none() {
        let waited = course.elapsed.as_secs_f64();
        observation.trouble = Some(format!("nothing was answered within {waited:.0} s"));
    }
    observation
}
