use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use varbind_codec::smi::Oid;

use super::schemes::FIGURES;
use super::{Bench, BenchError, Running};
use crate::measurement::{Mode, SoakResult, SoakSample, SoakTransport, Traffic, TransportKind};
use crate::process::{CpuReading, cpu_time, pss};
use crate::request::{Request, WalkStep};
use crate::security::Scheme;
use crate::statistics::{Random, slope};
use crate::subject::{Demands, Subject};
use crate::workload::Workload;

/// Samples of the agent's memory, about.
const SAMPLES: f64 = 400.0;
const SHORTEST_INTERVAL: Duration = Duration::from_millis(100);
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

impl Bench<'_> {
    /// Opens, uses and closes sessions over every transport at the same time until manager and agent have used so much CPU
    /// time, and watches the agent's memory.
    pub(super) fn soak(
        &mut self,
        subject: &Subject,
        cpu: Duration,
    ) -> Result<SoakResult, BenchError> {
        let demands = Demands {
            users: vec![FIGURES],
            transports: self.options.transports.clone(),
            ..Demands::default()
        };
        let running = Running::start(subject, &demands)?;
        let lanes = self.lanes(subject, &running);
        let ended = AtomicBool::new(false);
        let mut watch = Watch::begin(&running, cpu)?;
        let watched = std::thread::scope(|scope| {
            for (number, lane) in (0..THREADS).flat_map(|one| lanes.iter().map(move |l| (one, l))) {
                let seed = self.options.seed + number;
                let ended = &ended;
                scope.spawn(move || lane.run(seed, ended));
            }
            let watched = watch.until_over(&lanes, |part| {
                self.progress
                    .report("soak, CPU time in percent", (part * 100.0) as usize, 100);
            });
            // Whatever happened: the threads are waited for.
            ended.store(true, Ordering::Relaxed);
            watched
        });
        watched?;
        Ok(watch.result(&running.name, &lanes))
    }

    fn lanes(&self, subject: &Subject, running: &Running) -> Vec<Lane> {
        let mut ways: Vec<(Scheme, TransportKind)> = Vec::new();
        for &transport in &self.options.transports {
            if transport.is_secure() {
                ways.push((Scheme::V3Transport, transport));
            } else {
                ways.extend([(Scheme::V2c, transport), (Scheme::V3(FIGURES), transport)]);
            }
        }
        ways.retain(|(_, transport)| subject.offers(*transport));
        ways.into_iter()
            .filter_map(|(scheme, transport)| self.lane(scheme, transport, running))
            .collect()
    }

    fn lane(&self, scheme: Scheme, transport: TransportKind, running: &Running) -> Option<Lane> {
        let agent = &running.agent;
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
                timeout: self.options.timeout,
                answered_by: varbind_codec::pdu::PduType::Response,
                retries: self.options.retries,
                pause: Duration::ZERO,
            })
        };
        let version = match scheme {
            Scheme::V3(protection) => format!("v3 {protection}"),
            Scheme::V3Transport => "v3 TSM".into(),
            other => other.version_name().into(),
        };
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

/// Watches the agent and this process.
struct Watch {
    begun: Instant,
    agent: u32,
    agent_before: CpuReading,
    own_before: CpuReading,
    budget: Duration,
    samples: Vec<SoakSample>,
    agent_cpu: crate::measurement::CpuTime,
}

impl Watch {
    fn begin(running: &Running, budget: Duration) -> Result<Self, BenchError> {
        let agent = running.agent.id().ok_or_else(|| {
            BenchError::Options("a soak needs an agent that is started here".into())
        })?;
        Ok(Self {
            begun: Instant::now(),
            agent_before: cpu_time(agent).map_err(BenchError::Machine)?,
            own_before: cpu_time(std::process::id()).map_err(BenchError::Machine)?,
            agent,
            budget,
            samples: Vec::new(),
            agent_cpu: crate::measurement::CpuTime::default(),
        })
    }

    fn until_over(
        &mut self,
        lanes: &[Lane],
        mut report: impl FnMut(f64),
    ) -> Result<(), BenchError> {
        let interval = self.budget.div_f64(SAMPLES).max(SHORTEST_INTERVAL);
        loop {
            std::thread::sleep(interval);
            let sample = self.sample(lanes).map_err(BenchError::Machine)?;
            self.samples.push(sample);
            let part = sample.cpu / self.budget.as_secs_f64();
            report(part.min(1.0));
            if part >= 1.0 {
                return Ok(());
            }
        }
    }

    fn sample(&mut self, lanes: &[Lane]) -> std::io::Result<SoakSample> {
        self.agent_cpu = cpu_time(self.agent)?.since(&self.agent_before);
        let own = cpu_time(std::process::id())?.since(&self.own_before);
        let (mut sessions, mut completed) = (0, 0);
        for lane in lanes {
            let done = lane.done();
            sessions += done.sessions;
            completed += done.completed;
        }
        Ok(SoakSample {
            at: self.begun.elapsed().as_secs_f64(),
            cpu: (self.agent_cpu.total + own.total) / 1e6,
            pss: pss(self.agent)?,
            sessions,
            completed,
        })
    }

    fn result(self, subject: &str, lanes: &[Lane]) -> SoakResult {
        let half = self.samples.len() / 2;
        let points: Vec<(f64, f64)> = self
            .samples
            .iter()
            .skip(half)
            .map(|sample| (sample.cpu / 3600.0, sample.pss as f64))
            .collect();
        SoakResult {
            subject: subject.to_owned(),
            cpu_seconds: self.budget.as_secs_f64(),
            agent_cpu: self.agent_cpu,
            transports: lanes.iter().map(|lane| lane.done().clone()).collect(),
            growth_per_hour: slope(&points).unwrap_or_default(),
            samples: self.samples,
        }
    }
}
