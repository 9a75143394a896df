use varbind_codec::smi::Oid;

use super::plan::{Configuration, possible};
use super::schemes::FIGURES;
use super::{Bench, BenchError, Running};
use crate::measurement::{
    BreakEvenResult, ConfigurationResult, CostQuantity, Mode, Placement, Reference, RunResult,
    SessionResult, SessionRuns, TransportKind, WireResult,
};
use crate::request::Request;
use crate::security::Scheme;
use crate::statistics::{RunCost, break_even, median_interval, session_cost};
use crate::subject::Subject;

/// sysDescr.0
const SYS_DESCR: [u32; 9] = [1, 3, 6, 1, 2, 1, 1, 1, 0];
/// Exchanges of the long sessions.
const MANY: u32 = 200;
/// Short sessions in a repetition.
const SHORT: u32 = 5;

/// A kind of session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kind {
    pub(super) scheme: Scheme,
    pub(super) transport: TransportKind,
    pub(super) is_resumed: bool,
    derives_per_session: bool,
}

/// Every kind over these transports: each secure transport, and what it is compared with.
pub(super) fn kinds(transports: &[TransportKind]) -> Vec<Kind> {
    let kind = |scheme, transport| Kind {
        scheme,
        transport,
        is_resumed: false,
        derives_per_session: false,
    };
    let usm = kind(Scheme::V3(FIGURES), TransportKind::Udp);
    let mut kinds = vec![kind(Scheme::V2c, TransportKind::Udp)];
    if transports.contains(&TransportKind::Tcp) {
        kinds.push(kind(Scheme::V2c, TransportKind::Tcp));
    }
    kinds.push(usm);
    kinds.push(Kind {
        derives_per_session: true,
        ..usm
    });
    for &transport in transports.iter().filter(|transport| transport.is_secure()) {
        let full = kind(Scheme::V3Transport, transport);
        kinds.push(full);
        if transport.resumes() {
            kinds.push(Kind {
                is_resumed: true,
                ..full
            });
        }
    }
    kinds
}

impl Kind {
    fn configuration(
        self,
        exchanges: u32,
        bench: &Bench<'_>,
        subjects: &[Subject],
    ) -> Configuration {
        Configuration {
            scheme: self.scheme,
            transport: self.transport,
            is_resumed: self.is_resumed,
            derives_per_session: self.derives_per_session,
            request: Request::Get {
                names: Oid::new(&SYS_DESCR).into_iter().collect(),
            },
            sessions: if exchanges == 1 { SHORT } else { 1 },
            exchanges,
            repetitions: bench.options.usual(20),
            mode: Mode::Closed,
            placement: possible(Placement::SameCore, subjects),
        }
    }

    fn is_of(self, result: &ConfigurationResult) -> bool {
        let parameters = &result.parameters;
        let derives = parameters
            .security
            .as_ref()
            .is_some_and(|security| security.derives_per_session);
        parameters.version == self.scheme.version_name()
            && parameters.transport == self.transport
            && parameters.is_resumed == self.is_resumed
            && derives == self.derives_per_session
            && parameters.security.is_some() == (parameters.version == "v3")
    }

    /// What it is as a reference.
    fn reference(self) -> Option<Reference> {
        match (self.scheme, self.derives_per_session) {
            (Scheme::V3(_), false) => Some(Reference::UsmWithKeys),
            (Scheme::V3(_), true) => Some(Reference::UsmWithPasswords),
            _ => None,
        }
    }
}

/// Short and long sessions of one kind with one subject.
struct Pair<'a> {
    kind: Kind,
    short: &'a ConfigurationResult,
    long: &'a ConfigurationResult,
}

impl Bench<'_> {
    /// Measures whole sessions, of one exchange and of many, of each kind.
    pub(super) fn sessions(
        &mut self,
        subjects: &[Subject],
        agents: &[Running],
    ) -> Result<Vec<SessionResult>, BenchError> {
        let is_secure = |transport: &TransportKind| transport.is_secure();
        if !self.options.transports.iter().any(is_secure) {
            return Ok(Vec::new());
        }
        let mut kinds = kinds(&self.options.transports);
        kinds.retain(|kind| {
            subjects
                .iter()
                .any(|subject| subject.offers(kind.transport))
        });
        let plan: Vec<Configuration> = kinds
            .iter()
            .flat_map(|kind| {
                [1, MANY].map(|exchanges| kind.configuration(exchanges, self, subjects))
            })
            .collect();
        let results = self.exchanges("whole sessions, round", &plan, agents)?;
        let wires = self.wires(&kinds, subjects, agents);
        let mut sessions = Vec::new();
        for running in agents {
            let pairs = pairs(&kinds, &results, &running.name);
            let of_pair = |pair: &Pair<'_>| {
                let mut result = pair.result(&pairs, self.options.seed)?;
                let of = |(name, kind, _): &&(String, Kind, _)| {
                    *name == running.name && *kind == pair.kind
                };
                result.wire = wires.iter().find(of).map(|(_, _, wire)| *wire);
                Some(result)
            };
            sessions.extend(pairs.iter().filter_map(of_pair));
        }
        Ok(sessions)
    }
}

impl Bench<'_> {
    /// Counts the packets of a session of each kind with each subject.
    fn wires(
        &mut self,
        kinds: &[Kind],
        subjects: &[Subject],
        agents: &[Running],
    ) -> Vec<(String, Kind, WireResult)> {
        let mut wires = Vec::new();
        for &kind in kinds {
            let configuration = kind.configuration(1, self, subjects);
            for running in agents {
                let workload = configuration.of_agent(running, self.options);
                let wire = workload.and_then(|workload| workload.wire());
                wires.extend(wire.map(|wire| (running.name.clone(), kind, wire)));
            }
        }
        if wires.is_empty() {
            self.notes.push(
                "left out: packets of whole sessions: they need the right to see packets (CAP_NET_RAW) and agents on \
                 loopback"
                    .into(),
            );
        }
        wires
    }
}

fn pairs<'a>(kinds: &[Kind], results: &'a [ConfigurationResult], subject: &str) -> Vec<Pair<'a>> {
    let find = |kind: Kind, exchanges| {
        results.iter().find(|result| {
            result.parameters.subject == subject
                && result.parameters.exchanges == exchanges
                && kind.is_of(result)
                && result.outcome.completed > 0
        })
    };
    let pair = |&kind: &Kind| {
        Some(Pair {
            kind,
            short: find(kind, 1)?,
            long: find(kind, MANY)?,
        })
    };
    kinds.iter().filter_map(pair).collect()
}

fn runs(result: &ConfigurationResult) -> SessionRuns {
    SessionRuns {
        sessions: result.parameters.sessions,
        exchanges: result.parameters.exchanges,
        resumed: result.resumed,
        runs: result.runs.clone(),
    }
}

impl Pair<'_> {
    /// What each repetition of the short and of the long sessions says of the cost.
    fn costs(&self, quantity: CostQuantity) -> Vec<RunCost> {
        let runs = self.short.runs.iter().zip(&self.long.runs);
        runs.filter_map(|(short, long)| {
            RunCost::of_lengths(
                self.of_session(short, 1, quantity)?,
                self.of_session(long, MANY, quantity)?,
                MANY,
            )
        })
        .collect()
    }

    /// What one whole session took.
    fn of_session(&self, run: &RunResult, exchanges: u32, quantity: CostQuantity) -> Option<f64> {
        let exchanges = f64::from(exchanges);
        match quantity {
            CostQuantity::Time => Some(run.response_time * exchanges),
            CostQuantity::AgentCpu => run.agent_cpu.map(|cpu| cpu * exchanges),
            CostQuantity::ManagerCpu => {
                let sessions = if exchanges > 1.0 {
                    1.0
                } else {
                    f64::from(SHORT)
                };
                // Keys that are at hand were made in the same repetition.
                let derivation = run.phases.key_derivation;
                let derivation = derivation.filter(|_| !self.kind.derives_per_session);
                let derivation = derivation.map_or(0.0, |phase| phase.mean * phase.n as f64);
                Some(run.manager_cpu * exchanges - derivation / sessions)
            }
        }
    }

    fn result(&self, all: &[Pair<'_>], seed: u64) -> Option<SessionResult> {
        let parameters = &self.short.parameters;
        let cost = |quantity| session_cost(&self.costs(quantity), seed);
        let whole: Vec<f64> = self
            .short
            .runs
            .iter()
            .map(|run| run.response_time)
            .collect();
        Some(SessionResult {
            subject: parameters.subject.clone(),
            version: parameters.version.clone(),
            security: parameters.security.clone(),
            transport: parameters.transport,
            is_resumed: parameters.is_resumed,
            exchanges: MANY,
            phases: self.short.phases.clone(),
            one_exchange: median_interval(&whole)?,
            time: cost(CostQuantity::Time)?,
            manager_cpu: cost(CostQuantity::ManagerCpu)?,
            agent_cpu: cost(CostQuantity::AgentCpu),
            wire: None,
            break_even: self.break_even(all, seed),
            runs: [self.short, self.long].map(runs).into(),
        })
    }

    /// Against the user-based security model, where this is none of it.
    fn break_even(&self, all: &[Pair<'_>], seed: u64) -> Vec<BreakEvenResult> {
        if self.kind.scheme != Scheme::V3Transport {
            return Vec::new();
        }
        let quantities = [
            CostQuantity::Time,
            CostQuantity::ManagerCpu,
            CostQuantity::AgentCpu,
        ];
        let mut results = Vec::new();
        for other in all {
            let Some(reference) = other.kind.reference() else {
                continue;
            };
            results.extend(quantities.into_iter().filter_map(|quantity| {
                Some(BreakEvenResult {
                    reference,
                    quantity,
                    break_even: break_even(&self.costs(quantity), &other.costs(quantity), seed)?,
                })
            }));
        }
        results
    }
}
