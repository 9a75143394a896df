//! The runs across one link at a time, each on a lane of its own.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use varbind::transport::{Transport, TransportAddress};
use varbind_engine::applications::command_generator::MessageProcessing;

use super::admission::{self, Share};
use super::controls::Controls;
use super::course::Course;
use super::manager::Principal;
use super::network::{Network, REST};
use super::repetition::{Best, Delays, NOT_RUN};
use super::restart::{Restarted, Restarts, restart};
use super::rounds::{Group, Planned};
use super::{LinkTask, Method, Retrieval, manager, tcp};
use crate::link::{Lane, LaneStatistics, LinkReport};
use crate::measurement::TransportKind;
use crate::security::Scheme;
use crate::session::{SecureAccess, Target};
use crate::study::workload::Laboratory;
use crate::study::{Measure, Observation, SubjectName};
use crate::subject::Credentials;

/// Runs at a time.
const MOST_RUNS: usize = 256;
/// Of the packets, by which runs are judged.
const LATENESS_QUANTILE: f64 = 0.99;
/// Points of a trace.
const POINTS: usize = 50;

type Ended = (usize, Course);

/// Makes the runs of a group once.
pub(super) fn run(
    laboratory: &Laboratory,
    group: &Group<'_>,
    share: &Share<'_>,
) -> Result<Ran, String> {
    let prepared = prepare(laboratory, group);
    share.wait_for_all();
    run_group(prepared?, group, share)
}

/// The observations of the runs of a group, from the attempt that is kept.
pub(super) fn observations(group: &Group<'_>, best: Result<Best<Ran>, String>) -> Vec<Observation> {
    let best = match best {
        Ok(best) => best,
        Err(reason) => return vec![Observation::failed(reason); group.runs.len()],
    };
    let note = best.note();
    let ran = best.found;
    let lanes = ran.report.lanes.iter().copied().map(Some);
    let lanes = lanes.chain(std::iter::repeat(None));
    let runs = group.runs.iter().zip(ran.courses).zip(lanes);
    runs.map(|(((_, task, subject), course), lane)| match course {
        Ok(course) => {
            let mut observation = observation(&course, lane, best.delays);
            if let Some(restarted) = ran.restarts.get(subject) {
                note_recovery(&mut observation, task, &course, restarted);
            }
            observation.note(Measure::RunsRepeated, (best.attempts - 1).into());
            observation.trouble = join(note.clone(), observation.trouble);
            observation
        }
        Err(reason) => Observation::failed(reason),
    })
    .collect()
}

/// Both, one behind the other.
fn join(one: Option<String>, other: Option<String>) -> Option<String> {
    match (one, other) {
        (Some(one), Some(other)) => Some(format!("{other}; {one}")),
        (one, other) => one.or(other),
    }
}

type Courses = Vec<Result<Course, String>>;

/// What the runs across one link have found.
pub(super) struct Ran {
    courses: Courses,
    restarts: Restarts,
    /// How late 99 % of the answers to gets without losses were at most.
    answers: Option<Duration>,
    report: LinkReport,
}

impl Ran {
    pub(super) fn delays(&self) -> Delays {
        Delays {
            packets: self.report.lateness.quantile(LATENESS_QUANTILE),
            answers: self.answers,
        }
    }
}

/// A link with its agents, and whom each run asks.
struct Prepared {
    network: Network,
    principals: Vec<Result<Principal, String>>,
    /// Of the controls: why an agent is not there, its runs tell.
    controls: Vec<Principal>,
}

fn prepare(laboratory: &Laboratory, group: &Group<'_>) -> Result<Prepared, String> {
    let runs = &group.runs;
    let mut names: Vec<SubjectName> = runs.iter().map(|(.., subject)| *subject).collect();
    names.sort_unstable();
    names.dedup();
    let control = Controls::task();
    // An agent that is killed answers late.
    let controls = names.iter().filter(|_| group.restart.is_none());
    let controls = controls.zip(runs.len()..);
    let controls = controls.map(|(subject, at)| (at, &control, *subject));
    let asked: Vec<Planned<'_>> = runs.iter().copied().chain(controls).collect();
    let subjects = names.iter().map(|&name| {
        let demands = laboratory.demands(name);
        (name, laboratory.subject(name), demands)
    });
    let lanes = asked.iter().map(|(_, task, _)| task.path.lane()).collect();
    let network = Network::open(lanes, group.seed, group.tcp, subjects.collect())?;
    let mut principals = principals(&network, &asked);
    let controls = principals.split_off(runs.len());
    Ok(Prepared {
        network,
        principals,
        controls: controls.into_iter().flatten().collect(),
    })
}

fn run_group(prepared: Prepared, group: &Group<'_>, share: &Share<'_>) -> Result<Ran, String> {
    let network = prepared.network;
    let controls = Controls::start(&network, prepared.controls);
    let (courses, restarts) = thread::scope(|scope| {
        let restarts = group.restart.map(|plan| {
            let began = Instant::now();
            let transports = transports(&group.runs);
            let network = &network;
            scope.spawn(move || restart(network, plan, &transports, began))
        });
        // An agent that is killed is killed for all of its runs: they begin together.
        let share = group.restart.is_none().then_some(share);
        let courses = run_lanes(&network, &group.runs, prepared.principals, share);
        let restarts = restarts.map(|thread| thread.join().unwrap_or_default());
        (courses, restarts.unwrap_or_default())
    });
    let answers = controls.end();
    thread::sleep(REST);
    Ok(Ran {
        courses,
        restarts,
        answers,
        report: network.close()?,
    })
}

fn transports(group: &[Planned<'_>]) -> Vec<TransportKind> {
    let transports = group.iter().map(|(_, task, _)| task.method.transport());
    let mut transports: Vec<TransportKind> = transports.collect();
    transports.sort_unstable();
    transports.dedup();
    transports
}

/// Whom each run asks. Keys are derived from passwords once, before anything runs.
fn principals(network: &Network, group: &[Planned<'_>]) -> Vec<Result<Principal, String>> {
    let mut known = Vec::new();
    let of_run = |(at, (_, task, subject)): (usize, &Planned<'_>)| {
        let number = u16::try_from(at + 1).ok();
        let lane = number
            .and_then(Lane::new)
            .ok_or("a link has not so many lanes")?;
        let transport = task.method.transport();
        let (target, access) = network.target(*subject, transport, lane)?;
        let which = (transport.is_secure(), task.scheme);
        let processing = match known.iter().find(|(other, _)| *other == which) {
            Some((_, processing)) => MessageProcessing::clone(processing),
            None => {
                let made = Credentials::of_laboratory().processing(task.scheme())?;
                known.push((which, made.clone()));
                made
            }
        };
        Ok(Principal {
            target,
            address: address(target, access.as_ref()),
            access,
            processing,
        })
    };
    group.iter().enumerate().map(of_run).collect()
}

/// Starts runs, the longest first, whenever there is room for another.
fn run_lanes(
    network: &Network,
    group: &[Planned<'_>],
    mut principals: Vec<Result<Principal, String>>,
    share: Option<&Share<'_>>,
) -> Courses {
    let mut courses: Courses = vec![Err(NOT_RUN.to_owned()); group.len()];
    let mut waiting: Vec<usize> = (0..group.len()).collect();
    let duration = |at: &usize| group.get(*at).map_or(0.0, |(_, task, _)| task.duration());
    waiting.sort_by(|one, other| duration(one).total_cmp(&duration(other)));
    let (ended, results): (Sender<Ended>, Receiver<Ended>) = channel();
    let mut rates: BTreeMap<usize, f64> = BTreeMap::new();
    loop {
        while let Some(&at) = waiting.last() {
            let (Some((_, task, _)), Some(principal)) = (group.get(at), principals.get_mut(at))
            else {
                break;
            };
            let rate: f64 = rates.values().sum();
            let is_full = rates.len() >= MOST_RUNS
                || share.is_some_and(|share| rate + task.rate() > share.most_rate());
            if is_full && !rates.is_empty() {
                break;
            }
            waiting.pop();
            let principal = std::mem::replace(principal, Err(NOT_RUN.to_owned()));
            let started =
                principal.and_then(|principal| start(network, task, principal, at, ended.clone()));
            match started {
                Ok(()) => {
                    rates.insert(at, task.rate());
                    share.inspect(|share| share.begin(task.rate()));
                }
                Err(reason) => courses[at] = Err(reason),
            }
        }
        if rates.is_empty() {
            return courses;
        }
        let (at, course) = match results.recv_timeout(admission::STEP) {
            Ok(ended) => ended,
            Err(RecvTimeoutError::Timeout) => continue,
            Err(RecvTimeoutError::Disconnected) => return courses,
        };
        if let Some((share, rate)) = share.zip(rates.remove(&at)) {
            share.end(rate);
        }
        if let Some(place) = courses.get_mut(at) {
            *place = Ok(course);
        }
    }
}

fn start(
    network: &Network,
    task: &LinkTask,
    principal: Principal,
    at: usize,
    ended: Sender<Ended>,
) -> Result<(), String> {
    let task = task.clone();
    // A thread is in the namespace of the one that starts it.
    let started = network.near().run(move || {
        thread::Builder::new()
            .name(format!("lane-{}", at + 1))
            .spawn(move || {
                let course = run_lane(&task, &principal);
                let _ = ended.send((at, course));
            })
            .map(|_| ())
    });
    started
        .map_err(|error| error.to_string())?
        .map_err(|error| error.to_string())
}

fn run_lane(task: &LinkTask, principal: &Principal) -> Course {
    let is_plain = matches!(task.method, Method::Tcp | Method::TcpRestarted(_));
    if is_plain && task.scheme == Scheme::V2c && task.retrieval != Retrieval::Table {
        return tcp::run(task, principal.target);
    }
    manager::run(task, principal)
}

fn address(target: Target, access: Option<&SecureAccess>) -> TransportAddress {
    let transport = target.transport.of_library();
    let user = access.and_then(|access| access.user.clone());
    TransportAddress {
        user: user.filter(|_| transport == Transport::Ssh),
        ..TransportAddress::of_socket(transport, target.address)
    }
}

/// How long it took until there were answers again.
fn note_recovery(
    observation: &mut Observation,
    task: &LinkTask,
    course: &Course,
    restarted: &Result<Restarted, String>,
) {
    let listened = restarted.as_ref().map_err(Clone::clone).and_then(|agent| {
        let listening = agent.listening.get(&task.method.transport());
        let listening = listening.ok_or("the agent does not listen any more")?;
        Ok((agent.started, *listening))
    });
    let (started, listening) = match listened {
        Ok(times) => times,
        Err(reason) => {
            observation.trouble = Some(reason);
            return;
        }
    };
    if let Some(answered) = course.first_answer_after(started) {
        let recovery = answered.saturating_duration_since(listening);
        observation.note(Measure::Recovery, recovery.as_secs_f64() * 1e6);
    } else {
        observation.note_beyond(Measure::Recovery);
        let reason = "nothing was answered after the agent was started again";
        observation.trouble = Some(reason.to_owned());
    }
}

fn observation(course: &Course, lane: Option<LaneStatistics>, delays: Delays) -> Observation {
    let mut observation = of_course(course);
    observation.note(Measure::Lateness, delays.packets.as_secs_f64() * 1e6);
    if let Some(answers) = delays.answers {
        observation.note(Measure::AnswerLateness, answers.as_secs_f64() * 1e6);
    }
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
        let packets = (there.packets + back.packets) as f64;
        note_each(
            &mut observation,
            Measure::WirePacketsPerExchange,
            packets,
            completed,
        );
    }
    observation
}

/// Notes what each answer took, which is beyond every number if nothing was answered.
fn note_each(observation: &mut Observation, measure: Measure, total: f64, completed: f64) {
    if completed > 0.0 {
        observation.note(measure, total / completed);
    } else {
        observation.note_beyond(measure);
    }
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
    if course.is_finished() && completed > 0.0 {
        observation.note(Measure::Elapsed, elapsed);
        observation.note(Measure::ResponseTime, elapsed / completed);
    } else {
        observation.note_beyond(Measure::Elapsed);
        observation.note_beyond(Measure::ResponseTime);
    }
    for (measure, value) in [
        (Measure::Rate, completed / elapsed * 1e6),
        (Measure::Completed, completed),
        (Measure::Failed, course.failed.into()),
        (Measure::Objects, course.objects as f64 / completed),
        (Measure::Finished, f64::from(u8::from(course.is_finished()))),
    ] {
        observation.note(measure, value);
    }
    note_each(
        &mut observation,
        Measure::Attempts,
        course.attempts as f64,
        completed,
    );
    if course.answered.is_empty() && observation.trouble.is_none() {
        let waited = course.elapsed.as_secs_f64();
        observation.trouble = Some(format!("nothing was answered within {waited:.0} s"));
    }
    observation
}

#[cfg(test)]
mod tests {
    use super::super::Path;
    use super::*;
    use crate::study::is_beyond;

    fn without_answers() -> Course {
        Course::begin(1, Duration::from_millis(1)).end()
    }

    #[test]
    fn messages_per_answer_are_beyond_every_number_without_answers() {
        let observation = of_course(&without_answers());
        for measure in [Measure::Attempts, Measure::ResponseTime] {
            assert!(is_beyond(observation.measures[&measure]), "{measure:?}");
        }
    }

    #[test]
    fn a_manager_that_never_recovers_is_counted_and_an_agent_that_does_not_start_is_not() {
        let task = LinkTask::new(Method::Adaptive, Path::new(0.0, 10.0), 1, 1);
        let now = Instant::now();
        let restarted = Ok(Restarted {
            started: now,
            listening: BTreeMap::from([(TransportKind::Udp, now)]),
        });
        let mut observation = Observation::default();
        note_recovery(&mut observation, &task, &without_answers(), &restarted);
        assert!(is_beyond(observation.measures[&Measure::Recovery]));
        let mut observation = Observation::default();
        let failed = Err("it does not listen".to_owned());
        note_recovery(&mut observation, &task, &without_answers(), &failed);
        assert!(observation.measures.is_empty());
        assert!(observation.trouble.is_some());
    }
}
