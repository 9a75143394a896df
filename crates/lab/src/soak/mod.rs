//! `varbind bench --soak`: sessions over all transports that come and go for a long time, and the agent's memory meanwhile.

mod output;
mod result;
mod watch;

pub use output::{write_soak_outputs, write_soak_terminal};
pub use result::{SOAK_SCHEMA_VERSION, SoakReport, SoakSample, SoakTransport};

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use varbind_codec::smi::Oid;
use varbind_engine::security::usm::{AuthenticationProtocol, PrivacyProtocol};

use crate::bench::BenchError;
use crate::environment::{environment, load_average};
use crate::measurement::{Mode, Traffic, TransportKind};
use crate::process::Cores;
use crate::progress::Progress;
use crate::request::{Request, WalkStep};
use crate::security::{Protection, Scheme};
use crate::statistics::Random;
use crate::subject::{Agent, Demands, Subject};
use crate::workload::Workload;
use watch::Watch;

/// The user of SNMPv3.
const USER: Protection =
    Protection::AuthPriv(AuthenticationProtocol::Sha1, PrivacyProtocol::Aes128);
/// How many manager threads there are for each transport: so many sessions are open at the same time.
const THREADS: u64 = 2;
/// Every so many rounds a session is left in the middle of an exchange.
const ABANDONED: u64 = 8;
/// ifTable
const IF_TABLE: [u32; 8] = [1, 3, 6, 1, 2, 1, 2, 2];
/// sysDescr.0
const SYS_DESCR: [u32; 9] = [1, 3, 6, 1, 2, 1, 1, 1, 0];

/// One transport, and what is done over it.
struct Lane {
    transport: TransportKind,
    version: String,
    /// With full handshakes, and resuming sessions where that is possible.
    workloads: Vec<Workload>,
    done: Mutex<SoakTransport>,
}

/// What to do for how long.
#[derive(Clone, Debug)]
pub struct SoakOptions {
    /// The varbind executable: the agent.
    pub varbind: PathBuf,
    /// The transports of the sessions.
    pub transports: Vec<TransportKind>,
    /// CPU time of manager and agent together after which it ends.
    pub cpu: Duration,
    /// Time-out of each attempt.
    pub timeout: Duration,
    /// Attempts after the first.
    pub retries: u32,
    /// What random order is made from.
    pub seed: u64,
}

/// Opens, uses and closes sessions over every transport at the same time until manager and agent have used so much CPU
/// time, and watches the agent's memory. Progress goes to standard error.
///
/// # Errors
/// If the agent cannot be started, or the machine cannot be read.
pub fn run_soak(options: &SoakOptions) -> Result<SoakReport, BenchError> {
    let cores = Cores::available().map_err(BenchError::Machine)?;
    let subject = Subject::Varbind {
        executable: options.varbind.clone(),
    };
    let mut environment = environment(&cores, options.seed);
    environment.subjects = vec![subject.describe()];
    let demands = Demands {
        users: vec![USER],
        transports: options.transports.clone(),
        ..Demands::default()
    };
    let begun = Instant::now();
    let mut progress = Progress::new(begun);
    let agent = subject.start(&demands).map_err(BenchError::Subject)?;
    let lanes = lanes(options, &subject, &agent);
    let ended = AtomicBool::new(false);
    let mut watch = Watch::begin(&agent, options.cpu)?;
    let watched = std::thread::scope(|scope| {
        for (number, lane) in (0..THREADS).flat_map(|one| lanes.iter().map(move |l| (one, l))) {
            let seed = options.seed + number;
            let ended = &ended;
            scope.spawn(move || lane.run(seed, ended));
        }
        let watched = watch.until_over(&lanes, |part| {
            progress.report("soak, CPU time in percent", (part * 100.0) as usize, 100);
        });
        // Whatever happened: the threads are waited for.
        ended.store(true, Ordering::Relaxed);
        watched
    });
    progress.finish();
    watched?;
    environment.load_at_end = load_average();
    environment.duration = begun.elapsed().as_secs_f64();
    Ok(watch.report(environment, &lanes))
}

fn lanes(options: &SoakOptions, subject: &Subject, agent: &Agent) -> Vec<Lane> {
    let mut ways: Vec<(Scheme, TransportKind)> = Vec::new();
    for &transport in &options.transports {
        if transport.is_secure() {
            ways.push((Scheme::V3Transport, transport));
        } else {
            ways.extend([(Scheme::V2c, transport), (Scheme::V3(USER), transport)]);
        }
    }
    ways.retain(|(_, transport)| subject.offers(*transport));
    let lanes = ways.into_iter();
    lanes
        .filter_map(|(scheme, transport)| lane(options, scheme, transport, agent))
        .collect()
}

fn lane(
    options: &SoakOptions,
    scheme: Scheme,
    transport: TransportKind,
    agent: &Agent,
) -> Option<Lane> {
    let workload = |is_resumed| {
        Some(Workload {
            target: agent.target(transport)?,
            access: if transport.is_secure() {
                Some(agent.access(transport, is_resumed)?.clone())
            } else {
                None
            },
            security: agent.security(scheme, false).ok().flatten()?,
            derives_per_session: false,
            request: Request::Get { names: Vec::new() },
            sessions: 1,
            exchanges: 1,
            mode: Mode::Closed,
            timeout: options.timeout,
            answered_by: varbind_codec::pdu::PduType::Response,
            retries: options.retries,
            pause: Duration::ZERO,
        })
    };
    let version = scheme.to_string();
    let resuming = workload(true).filter(|_| transport.resumes());
    Some(Lane {
        workloads: workload(false).into_iter().chain(resuming).collect(),
        done: Mutex::new(SoakTransport {
            transport,
            version: version.clone(),
            sessions: 0,
            abandoned: 0,
            completed: 0,
            failed: 0,
            traffic: Traffic::default(),
        }),
        transport,
        version,
    })
}

impl Lane {
    fn run(&self, seed: u64, ended: &AtomicBool) {
        let name = self.version.bytes().map(u64::from).sum::<u64>();
        let mut random = Random::new(seed ^ (name << 8) ^ self.transport as u64);
        let mut round = 0;
        while !ended.load(Ordering::Relaxed) {
            round += 1;
            let Some(workload) = self.workloads.get(random.below(self.workloads.len())) else {
                return;
            };
            if round % ABANDONED == 0 {
                let abandoned = workload.abandon();
                let mut done = self.done();
                done.sessions += 1;
                done.abandoned += u64::from(abandoned);
                done.failed += u64::from(!abandoned);
                continue;
            }
            let workload = Workload {
                sessions: 1 + random.below(4) as u32,
                exchanges: 1 + random.below(100) as u32,
                request: request(&mut random),
                ..workload.clone()
            };
            let Ok(measured) = workload.run() else {
                return;
            };
            let mut done = self.done();
            done.sessions += u64::from(workload.sessions);
            done.completed += measured.outcome.completed;
            done.failed += measured.outcome.failed();
            done.traffic.add(&measured.traffic);
        }
    }

    fn done(&self) -> std::sync::MutexGuard<'_, SoakTransport> {
        self.done.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn request(random: &mut Random) -> Request {
    let names = |arcs: &[u32]| Oid::new(arcs).into_iter().collect();
    match random.below(3) {
        0 => Request::Get {
            names: names(&SYS_DESCR),
        },
        1 => Request::GetBulk {
            names: names(&IF_TABLE),
            non_repeaters: 0,
            max_repetitions: 20,
        },
        _ => match Oid::new(&IF_TABLE) {
            Ok(root) => Request::Walk {
                root,
                step: WalkStep::GetBulk {
                    max_repetitions: 50,
                },
            },
            Err(_) => Request::Get {
                names: names(&SYS_DESCR),
            },
        },
    }
}
