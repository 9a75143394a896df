//! Many runs at a time, each on a lane of its own.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};

use varbind::transport::{Transport, TransportAddress};
use varbind_engine::applications::command_generator::MessageProcessing;

use super::controls::Controls;
use super::course::Course;
use super::manager::Principal;
use super::network::{Network, REST};
use super::repetition::{Delays, least_late};
use super::restart::{Restarted, Restarts, restart};
use super::{LinkTask, Method, Restart, Retrieval, TcpSettings, manager, tcp};
use crate::link::{Lane, LaneStatistics, LinkReport};
use crate::measurement::TransportKind;
use crate::security::Scheme;
use crate::session::{SecureAccess, Target};
use crate::study::site::Question;
use crate::study::workload::Laboratory;
use crate::study::{Measure, Observation, SubjectName, Task};
use crate::subject::Credentials;

/// Exchanges per second of all runs together as tasks estimate them, which is more than twice what there are: so that
/// neither the emulator nor the managers are short of time.
const MOST_RATE: f64 = 6000.0;
/// Runs at a time.
const MOST_RUNS: usize = 256;
/// Of the packets, by which runs are judged.
const LATENESS_QUANTILE: f64 = 0.99;
const NOT_RUN: &str = "it was not run";
/// Points of a trace.
const POINTS: usize = 50;

/// A run, by its place among the tasks.
type Planned<'a> = (usize, &'a LinkTask, SubjectName);
type Ended = (usize, Course);
/// What the runs across one link have in common.
type Kind = (TcpSettings, Option<Restart>);

/// The runs of a round.
pub(in super::super) struct LinkRound<'a> {
    groups: BTreeMap<Kind, Vec<Planned<'a>>>,
    /// How many runs there are.
    count: usize,
    seed: u64,
}

impl<'a> LinkRound<'a> {
    pub(in super::super) fn of(question: &'a Question) -> Self {
        let tasks = question
            .tasks
            .iter()
            .filter_map(|(task, subject)| match task {
                Task::Link(task) => Some((task, *subject)),
                _ => None,
            });
        let mut groups: BTreeMap<Kind, Vec<Planned<'a>>> = BTreeMap::new();
        let mut count = 0;
        for (at, (task, subject)) in tasks.enumerate() {
            let group = groups.entry((task.tcp, task.restart)).or_default();
            group.push((at, task, subject));
            count = at + 1;
        }
        Self {
            groups,
            count,
            seed: question.seed,
        }
    }

    /// How many exchanges there are, as tasks estimate them.
    fn work(&self) -> f64 {
        self.groups
            .iter()
            .map(|(kind, group)| work(*kind, group))
            .sum()
    }

    /// Begins all of them, with a part of the rate of exchanges for each group.
    fn start<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        laboratory: &'scope Laboratory,
        rate_of_work: f64,
    ) -> Vec<ScopedJoinHandle<'scope, Vec<Observation>>> {
        let start = |(kind, group): (&'scope Kind, &'scope Vec<Planned<'a>>)| {
            // An agent that is killed is killed for all of its runs: they begin together.
            let rate = match kind {
                (_, Some(_)) => f64::INFINITY,
                (_, None) => rate_of_work * work(*kind, group),
            };
            scope.spawn(move || observe_group(laboratory, *kind, group, rate, self.seed))
        };
        self.groups.iter().map(start).collect()
    }

    /// Waits for all of them.
    fn observations(
        &self,
        running: Vec<ScopedJoinHandle<'_, Vec<Observation>>>,
    ) -> Vec<Observation> {
        let mut observations = vec![Observation::failed(NOT_RUN); self.count];
        for (group, thread) in self.groups.values().zip(running) {
            for ((at, ..), observation) in group.iter().zip(thread.join().unwrap_or_default()) {
                if let Some(place) = observations.get_mut(*at) {
                    *place = observation;
                }
            }
        }
        observations
    }
}

/// Runs that begin together whatever their rate do not count.
fn work((_, restart): Kind, group: &[Planned<'_>]) -> f64 {
    let tasks = group.iter().filter(|_| restart.is_none());
    tasks
        .map(|(_, task, _)| task.duration() * task.rate())
        .sum()
}

/// Runs all of them, as many at a time as do not disturb each other; the observations of each round.
pub(in super::super) fn observe(
    laboratory: &Laboratory,
    rounds: &[LinkRound<'_>],
) -> Vec<Vec<Observation>> {
    let rate_of_work = MOST_RATE / rounds.iter().map(LinkRound::work).sum::<f64>();
    thread::scope(|scope| {
        let running = rounds
            .iter()
            .map(|round| round.start(scope, laboratory, rate_of_work));
        let running: Vec<_> = running.collect();
        let ended = rounds.iter().zip(running);
        ended
            .map(|(round, running)| round.observations(running))
            .collect()
    })
}

fn observe_group(
    laboratory: &Laboratory,
    kind: Kind,
    group: &[Planned<'_>],
    rate: f64,
    seed: u64,
) -> Vec<Observation> {
    let run = || run_group(laboratory, kind, group, rate, seed);
    match least_late(&laboratory.time_spent, Ran::delays, run) {
        Ok(best) => {
            let note = best.note();
            let attempts = best.attempts;
            let ran = best.found;
            let delays = ran.delays();
            let lanes = ran.report.lanes.iter().copied().map(Some);
            let lanes = lanes.chain(std::iter::repeat(None));
            let runs = group.iter().zip(ran.courses).zip(lanes);
            runs.map(|(((_, task, subject), course), lane)| match course {
                Ok(course) => {
                    let mut observation = observation(&course, lane, delays);
                    if let Some(restarted) = ran.restarts.get(subject) {
                        note_recovery(&mut observation, task, &course, restarted);
                    }
                    observation.note(Measure::RunsRepeated, (attempts - 1).into());
                    observation.trouble = join(note.clone(), observation.trouble);
                    observation
                }
                Err(reason) => Observation::failed(reason),
            })
            .collect()
        }
        Err(reason) => vec![Observation::failed(reason); group.len()],
    }
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
struct Ran {
    courses: Courses,
    restarts: Restarts,
    /// How late 99 % of the answers to gets without losses were at most.
    answers: Option<Duration>,
    report: LinkReport,
}

impl Ran {
    fn delays(&self) -> Delays {
        Delays {
            packets: self.report.lateness.quantile(LATENESS_QUANTILE),
            answers: self.answers,
        }
    }
}

fn run_group(
    laboratory: &Laboratory,
    (tcp, plan): Kind,
    group: &[Planned<'_>],
    most_rate: f64,
    seed: u64,
) -> Result<Ran, String> {
    let mut names: Vec<SubjectName> = group.iter().map(|(.., subject)| *subject).collect();
    names.sort_unstable();
    names.dedup();
    let control = Controls::task();
    // An agent that is killed answers late.
    let controls = names.iter().filter(|_| plan.is_none());
    let controls = controls.zip(group.len()..);
    let controls = controls.map(|(subject, at)| (at, &control, *subject));
    let asked: Vec<Planned<'_>> = group.iter().copied().chain(controls).collect();
    let subjects = names.iter().map(|&name| {
        let demands = laboratory.demands(name);
        (name, laboratory.subject(name), demands)
    });
    let lanes = asked.iter().map(|(_, task, _)| task.path.lane()).collect();
    let network = Network::open(lanes, seed, tcp, subjects.collect())?;
    let mut principals = principals(&network, &asked);
    let of_controls = principals.split_off(group.len());
    // Why an agent is not there, its runs tell.
    let controls = Controls::start(&network, of_controls.into_iter().flatten());
    let (courses, restarts) = thread::scope(|scope| {
        let restarts = plan.map(|plan| {
            let began = Instant::now();
            let transports = transports(group);
            let network = &network;
            scope.spawn(move || restart(network, plan, &transports, began))
        });
        let courses = run_lanes(&network, group, principals, most_rate);
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
    most_rate: f64,
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
            let is_full = rates.len() >= MOST_RUNS || rate + task.rate() > most_rate;
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
                let course = run(&task, &principal);
                let _ = ended.send((at, course));
            })
            .map(|_| ())
    });
    started
        .map_err(|error| error.to_string())?
        .map_err(|error| error.to_string())
}

fn run(task: &LinkTask, principal: &Principal) -> Course {
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
