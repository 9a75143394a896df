use std::time::Duration;

use varbind_codec::pdu::PduType;
use varbind_codec::smi::{Oid, Value};

use super::schemes::Schemes;
use super::{BenchError, BenchOptions, RequestKind, Running};
use crate::measurement::{Mode, Parameters, Placement, SecurityParameters, TransportKind};
use crate::request::{Assignment, Envelope, MessageTemplate, Request, WalkStep};
use crate::security::{Protection, Scheme, Security};
use crate::session::SecureAccess;
use crate::subject::Subject;
use crate::workload::Workload;

const SYS_DESCR: &[u32] = &[1, 3, 6, 1, 2, 1, 1, 1, 0];
const SYS_DESCR_OBJECT: &[u32] = &[1, 3, 6, 1, 2, 1, 1, 1];
const SYS_CONTACT: &[u32] = &[1, 3, 6, 1, 2, 1, 1, 4, 0];
const IF_TABLE: &[u32] = &[1, 3, 6, 1, 2, 1, 2, 2];

/// What is measured, of every subject alike.
#[derive(Clone, Debug)]
pub(super) struct Configuration {
    pub(super) scheme: Scheme,
    pub(super) transport: TransportKind,
    /// Whether sessions go on from former ones.
    pub(super) is_resumed: bool,
    /// Whether in SNMPv3 each session turns the passwords into keys, and its time counts.
    pub(super) derives_per_session: bool,
    pub(super) request: Request,
    pub(super) sessions: u32,
    pub(super) exchanges: u32,
    pub(super) repetitions: u32,
    pub(super) mode: Mode,
    pub(super) placement: Placement,
}

/// All combinations that the options name and the standard allows.
pub(super) fn plan(
    options: &BenchOptions,
    subjects: &[Subject],
    schemes: &Schemes,
) -> Result<Vec<Configuration>, BenchError> {
    let mut plan = Vec::new();
    for &kind in &options.requests {
        let request = request(options, kind)?;
        for (scheme, transports) in schemes.over(options) {
            if scheme == Scheme::V1 && request.needs_v2() {
                continue;
            }
            MessageTemplate::of_request(&request, &envelope(scheme))
                .map_err(BenchError::Request)?;
            for transport in transports {
                if subjects.iter().any(|subject| subject.offers(transport)) {
                    plan.push(configuration(
                        options,
                        request.clone(),
                        scheme,
                        transport,
                        possible(options.placement, subjects),
                    ));
                }
            }
        }
    }
    if plan.is_empty() && !options.figures {
        return Err(BenchError::Options(
            "nothing to measure: no request of those named exists in this version over a transport that the agent offers"
                .into(),
        ));
    }
    Ok(plan)
}

/// That of a message with an empty community.
fn envelope(scheme: Scheme) -> Envelope {
    match scheme.protection() {
        Some(_) => Envelope::V3,
        None if scheme == Scheme::V3Transport => Envelope::V3,
        None => Envelope::Community {
            version: scheme.version(),
            community: Vec::new(),
        },
    }
}

/// An agent that runs already stays where it is: then nobody is put anywhere, so that all have the same conditions.
pub(super) fn possible(placement: Placement, subjects: &[Subject]) -> Placement {
    if subjects.iter().all(Subject::is_started_here) {
        placement
    } else {
        Placement::Free
    }
}

fn configuration(
    options: &BenchOptions,
    request: Request,
    scheme: Scheme,
    transport: TransportKind,
    placement: Placement,
) -> Configuration {
    // A Set may cost a disk write, a walk is many exchanges: fewer of them do.
    let (sessions, exchanges) = match request {
        Request::Set { .. } => (2, 5),
        Request::Walk { .. } => (2, 3),
        _ => (5, 40),
    };
    Configuration {
        scheme,
        transport,
        is_resumed: false,
        derives_per_session: options.derives_per_session,
        sessions: options.sessions.unwrap_or(sessions).max(1),
        exchanges: options.exchanges.unwrap_or(exchanges).max(1),
        repetitions: options
            .repetitions
            .unwrap_or_else(|| options.usual(30))
            .max(1),
        mode: match request {
            Request::Walk { .. } => Mode::Closed,
            _ => options.mode,
        },
        placement,
        request,
    }
}

fn request(options: &BenchOptions, kind: RequestKind) -> Result<Request, BenchError> {
    let names = |default: &[u32]| {
        if options.names.is_empty() {
            oid(default).map(|name| vec![name])
        } else {
            Ok(options.names.clone())
        }
    };
    let root = || Ok(names(IF_TABLE)?.swap_remove(0));
    Ok(match kind {
        RequestKind::Get => Request::Get {
            names: names(SYS_DESCR)?,
        },
        RequestKind::GetNext => Request::GetNext {
            names: names(SYS_DESCR_OBJECT)?,
        },
        RequestKind::GetBulk => Request::GetBulk {
            names: names(IF_TABLE)?,
            non_repeaters: options.non_repeaters,
            max_repetitions: options.max_repetitions,
        },
        RequestKind::Set => Request::Set {
            alternatives: alternatives(options)?,
        },
        RequestKind::Walk => Request::Walk {
            root: root()?,
            step: WalkStep::GetNext,
        },
        RequestKind::BulkWalk => Request::Walk {
            root: root()?,
            step: WalkStep::GetBulk {
                max_repetitions: options.max_repetitions.max(1),
            },
        },
    })
}

/// Two values of 32 characters, as long as those of Gamess and Hernandez (2021).
fn alternatives(options: &BenchOptions) -> Result<Vec<Vec<Assignment>>, BenchError> {
    if !options.assignments.is_empty() {
        return Ok(vec![options.assignments.clone()]);
    }
    [
        "operator on duty, room 1, tel. 1",
        "operator on duty, room 2, tel. 2",
    ]
    .iter()
    .map(|value| {
        Ok(vec![Assignment {
            name: oid(SYS_CONTACT)?,
            value: Value::OctetString(value.as_bytes().to_vec()),
        }])
    })
    .collect()
}

fn oid(arcs: &[u32]) -> Result<Oid, BenchError> {
    Oid::new(arcs).map_err(|error| BenchError::Options(error.to_string()))
}

/// A throughput configuration: over UDP, so many requests together, on one core.
pub(super) fn bursts(
    options: &BenchOptions,
    subjects: &[Subject],
    scheme: Scheme,
    kind: RequestKind,
    size: u32,
) -> Result<Configuration, BenchError> {
    let (request, exchanges) = match kind {
        RequestKind::GetBulk => (
            Request::GetBulk {
                names: vec![oid(IF_TABLE)?],
                non_repeaters: 0,
                max_repetitions: 50,
            },
            500,
        ),
        _ => (
            Request::Get {
                names: vec![oid(SYS_DESCR)?],
            },
            4000,
        ),
    };
    Ok(Configuration {
        scheme,
        transport: TransportKind::Udp,
        is_resumed: false,
        derives_per_session: options.derives_per_session,
        request,
        sessions: 1,
        exchanges,
        repetitions: options.usual(15),
        mode: Mode::Burst { size },
        placement: possible(Placement::SameCore, subjects),
    })
}

impl Configuration {
    pub(super) fn parameters(&self, subject: &str, options: &BenchOptions) -> Parameters {
        Parameters {
            subject: subject.to_owned(),
            version: self.scheme.version_name().into(),
            security: self.security_parameters(),
            transport: self.transport,
            is_resumed: self.is_resumed,
            request: self.request.to_string(),
            names: self
                .request
                .names()
                .iter()
                .map(ToString::to_string)
                .collect(),
            sessions: self.sessions,
            exchanges: self.exchanges,
            repetitions: self.repetitions,
            mode: self.mode,
            placement: self.placement,
            timeout_milliseconds: u64::try_from(options.timeout.as_millis()).unwrap_or(u64::MAX),
            retries: options.retries,
        }
    }

    fn security_parameters(&self) -> Option<SecurityParameters> {
        let (model, level) = match self.scheme {
            Scheme::V1 | Scheme::V2c => return None,
            Scheme::V3(protection) => ("USM", protection.level_name()),
            Scheme::V3Transport => ("TSM", "authPriv"),
        };
        let protection = self.scheme.protection();
        let authentication = protection.and_then(Protection::authentication);
        let privacy = protection.and_then(Protection::privacy);
        Some(SecurityParameters {
            model: model.into(),
            level: level.into(),
            authentication: authentication.map(|one| one.to_string()),
            privacy: privacy.map(|one| one.to_string()),
            derives_per_session: self.derives_per_session,
        })
    }

    /// What is asked of an agent; `None` if it cannot be asked so.
    pub(super) fn of_agent(&self, running: &Running, options: &BenchOptions) -> Option<Workload> {
        let agent = &running.agent;
        let target = agent.target(self.transport)?;
        let for_writing = self.request.is_set();
        let security = agent.security(self.scheme, for_writing).ok().flatten()?;
        let access = if self.transport.is_secure() {
            Some(agent.access(self.transport, self.is_resumed)?.clone())
        } else {
            None
        };
        let mut workload = self.workload(target, access, security, options);
        workload.answered_by = running.answered_by;
        Some(workload)
    }

    fn workload(
        &self,
        target: crate::session::Target,
        access: Option<SecureAccess>,
        security: Security,
        options: &BenchOptions,
    ) -> Workload {
        Workload {
            target,
            access,
            security,
            derives_per_session: self.derives_per_session,
            request: self.request.clone(),
            sessions: self.sessions,
            exchanges: self.exchanges,
            mode: self.mode,
            timeout: options.timeout,
            answered_by: PduType::Response,
            retries: options.retries,
            pause: Duration::ZERO,
        }
    }
}
