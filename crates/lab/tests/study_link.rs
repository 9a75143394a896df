//! The laboratory measures what is known: an emulated link with a delay and losses that were asked for. Whatever it says
//! of other links rests on this.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may panic"
)]

mod programs;

use programs::{laboratory, varbind};
use varbind_lab::measurement::TransportKind;
use varbind_lab::request::{Request, WalkStep};
use varbind_lab::security::{AuthenticationProtocol, PrivacyProtocol, Protection, Scheme};
use varbind_lab::study::{
    LinkTask, Measure, Method, NetworkName, Observation, Path, Restart, Retrieval, SessionTask,
    Setting, SiteProgram, SubjectName, Task, TwinTask, WebQuestion, WebTask, observe,
};
use varbind_testkit::peers::skip;

const SEED: u64 = 7;

/// What the tasks find; `None` where there may be no links.
fn observed(tasks: &[Task]) -> Option<Vec<Observation>> {
    let program = SiteProgram {
        executable: laboratory().into(),
        site: vec!["study-site".into()],
        holder: vec!["hold-sessions".into()],
        echo: vec!["echo".into()],
        varbind: varbind(),
    };
    let setting = tasks[0].setting();
    let tasks: Vec<(Task, SubjectName)> = tasks
        .iter()
        .map(|task| (task.clone(), SubjectName::Varbind))
        .collect();
    let observed = observe(&program, setting, &tasks, SEED);
    let denied = |reason: &str| reason.contains("does not allow");
    let reason = match &observed {
        Err(reason) => Some(reason.clone()),
        Ok(observations) => observations[0].trouble.clone(),
    };
    if let Some(reason) = reason.filter(|reason| denied(reason)) {
        skip(&reason);
        return None;
    }
    Some(observed.unwrap())
}

fn value(observation: &Observation, measure: Measure) -> f64 {
    let value = observation.measures.get(&measure);
    *value.unwrap_or_else(|| panic!("{measure:?} is not in {observation:?}"))
}

#[test]
fn the_delay_of_a_link_is_found() {
    const ROUND_TRIP: f64 = 30.0;
    const REQUESTS: u32 = 40;
    let path = Path::new(0.0, ROUND_TRIP);
    let methods = [Method::Adaptive, Method::FixedTimeout(5_000), Method::Tcp];
    let tasks = methods.map(|method| LinkTask::new(method, path.clone(), REQUESTS, 60_000).into());
    let Some(observations) = observed(&tasks) else {
        return;
    };
    for (method, observation) in methods.iter().zip(&observations) {
        assert_eq!(value(observation, Measure::Completed), f64::from(REQUESTS));
        assert_eq!(value(observation, Measure::PacketsLost), 0.0);
        // Beside the runs the agent was asked by others.
        assert!(value(observation, Measure::AnswerLateness) > 0.0);
        let each = value(observation, Measure::ResponseTime) / 1e3;
        assert!(each >= ROUND_TRIP, "{method:?}: {each} ms");
        // However busy the machine is, some exchange meets nothing but the link.
        let gaps = observation.trace.windows(2);
        let shortest = gaps
            .map(|pair| (pair[1].0 - pair[0].0) * 1e3)
            .fold(f64::INFINITY, f64::min);
        assert!(
            (ROUND_TRIP..ROUND_TRIP + 5.0).contains(&shortest),
            "{method:?}: {shortest} ms"
        );
    }
    // Without TCP, two packets for each request.
    assert_eq!(value(&observations[1], Measure::WirePackets), 80.0);
}

/// Sessions, packets and the web services, over secure transports too, with as many interfaces as asked.
#[test]
fn a_network_between_manager_and_agent_is_found() {
    const EXCHANGES: u32 = 5;
    let setting = Setting::Interfaces(5).across(NetworkName::Wifi);
    let ask = |scheme, transport| {
        let request = Request::Walk {
            root: "1.3.6.1.2.1.2.2".parse().unwrap(),
            step: WalkStep::GetNext,
        };
        SessionTask {
            setting,
            ..SessionTask::new(scheme, transport, request)
        }
    };
    let plain = ask(Scheme::V2c, TransportKind::Tcp);
    let secure = SessionTask {
        request: Request::Get {
            names: vec!["1.3.6.1.2.1.1.5.0".parse().unwrap()],
        },
        ..ask(Scheme::V3Transport, TransportKind::Ssh).of(1, EXCHANGES)
    };
    let web = WebTask::new(WebQuestion::Restconf {
        path: "SNMPv2-MIB:SNMPv2-MIB/system/sysContact".to_owned(),
        fields: None,
        is_json: true,
    });
    let tasks = [
        Task::Sessions(plain.clone()),
        Task::Packets(SessionTask {
            request: secure.request.clone(),
            ..plain
        }),
        Task::Sessions(secure),
        Task::Web(WebTask { setting, ..web }),
    ];
    let Some(observations) = observed(&tasks) else {
        return;
    };
    let [walk, packets, secure, web] = observations.as_slice() else {
        panic!("{observations:?}");
    };
    assert_eq!(value(walk, Measure::Objects), 5.0 * 22.0);
    for observation in [walk, secure, web] {
        // Both ways, in microseconds.
        let each = value(observation, Measure::RoundTrip);
        assert!(each >= 1400.0, "{observation:?}");
    }
    // Three to open, two and their acknowledgements at most, and three or four to close.
    let seen = value(packets, Measure::WirePackets);
    assert!((7.0..=12.0).contains(&seen), "{packets:?}");
}

/// The seed decides which packets are lost, so that virtual time knows how many there have to be.
#[test]
fn the_losses_of_a_link_are_found_packet_by_packet() {
    const LOSS: f64 = 0.3;
    const REQUESTS: u32 = 40;
    // Long enough that nothing is sent anew but what was lost.
    let link = LinkTask::new(
        Method::FixedTimeout(400),
        Path::new(LOSS, 2.0),
        REQUESTS,
        120_000,
    );
    let split = LinkTask {
        retrieval: Retrieval::Instances {
            count: 4,
            messages: 2,
        },
        ..link.clone()
    };
    let tasks = [link, split];
    let across: Vec<Task> = tasks.iter().cloned().map(Task::from).collect();
    let Some(observations) = observed(&across) else {
        return;
    };
    let twins = tasks.map(|task| Task::from(TwinTask::of(&task).unwrap()));
    assert_eq!(twins[0].setting(), Setting::Host);
    let computed = observed(&twins).unwrap();
    for (found, expected) in observations.iter().zip(&computed) {
        let [found, expected] = [found, expected].map(|it| value(it, Measure::Attempts));
        assert_eq!(found, expected);
    }
    let attempts = value(&observations[0], Measure::Attempts);
    // Each attempt but the last of a request has lost one packet, there or back.
    let sent = attempts * f64::from(REQUESTS);
    let lost = value(&observations[0], Measure::PacketsLost);
    assert_eq!(lost, sent - f64::from(REQUESTS));
    // As many as asked, within four standard deviations.
    let deviation = (LOSS * (1.0 - LOSS) / sent).sqrt();
    let part = lost / sent;
    assert!((part - LOSS).abs() < 4.0 * deviation, "{part} of {sent}");
    // A request of two messages needs both.
    assert_eq!(value(&observations[1], Measure::Objects), 4.0);
    assert_eq!(
        value(&observations[1], Measure::Completed),
        f64::from(REQUESTS)
    );
}

#[test]
fn a_manager_asks_an_agent_again_that_was_killed_and_started_again() {
    const LIMIT: u64 = 6_000;
    let restart = Restart {
        after: 1_000,
        away: 500,
    };
    let user = Protection::AuthPriv(AuthenticationProtocol::Sha256, PrivacyProtocol::Aes128);
    let of = |method| LinkTask {
        restart: Some(restart),
        ..LinkTask::new(method, Path::new(0.0, 10.0), u32::MAX, LIMIT)
    };
    let sessions = [
        TransportKind::Tcp,
        TransportKind::Tls,
        TransportKind::Ssh,
        TransportKind::Dtls,
    ];
    let methods = [Method::FixedTimeout(200), Method::Adaptive, Method::Tcp];
    let methods = methods.into_iter().chain(sessions.map(Method::Session));
    let with_usm = LinkTask {
        scheme: Scheme::V3(user),
        ..of(Method::Adaptive)
    };
    let tasks: Vec<LinkTask> = methods.map(of).chain([with_usm]).collect();
    let as_tasks: Vec<Task> = tasks.iter().cloned().map(Task::from).collect();
    let Some(observations) = observed(&as_tasks) else {
        return;
    };
    for (task, observation) in tasks.iter().zip(&observations) {
        let recovery = value(observation, Measure::Recovery) / 1e6;
        assert!(recovery < LIMIT as f64 / 1e3, "{task:?}: {recovery} s");
        // An agent that is away is no sign of a busy machine.
        assert!(!observation.measures.contains_key(&Measure::AnswerLateness));
        let later = observation.trace.last().unwrap().0;
        assert!(later > 1.5, "{task:?}: {later} s");
        if task.method.transport().is_reliable() && task.method != Method::Tcp {
            assert_eq!(value(observation, Measure::Failed), 0.0, "{task:?}");
        }
    }
}
