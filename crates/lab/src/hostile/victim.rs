//! The well-behaved clients whose response times are measured.

use std::fmt;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use serde::{Serialize, Serializer};
use varbind_web::client::{Endpoint, Request, WebClient, WebClientOptions};

use super::result::VictimResult;
use super::{Course, Service};
use crate::measurement::TransportKind;
use crate::security::{Scheme, Security};
use crate::session::{SecureAccess, Session, Target};
use crate::subject::{Agent, FirstAnswer, READ_COMMUNITY, SubjectError};

/// How long a client waits for a session or a response.
const PATIENCE: Duration = Duration::from_secs(1);
/// What is read over HTTP.
const RESOURCE: &str = "SNMPv2-MIB:SNMPv2-MIB/system/sysUpTime";

/// A kind of well-behaved client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Victim {
    /// What it asks over.
    pub service: Service,
    /// Whether it opens a session for each request; otherwise it keeps one.
    pub is_new: bool,
}

const fn victim(service: Service, is_new: bool) -> Victim {
    Victim { service, is_new }
}

const fn snmp(transport: TransportKind) -> Service {
    Service::Snmp(transport)
}

/// All of them, with the time between the beginnings of two requests.
const VICTIMS: [(Victim, Duration); 8] = [
    (
        victim(snmp(TransportKind::Udp), false),
        Duration::from_millis(4),
    ),
    (
        victim(snmp(TransportKind::Tcp), false),
        Duration::from_millis(4),
    ),
    (
        victim(snmp(TransportKind::Tls), false),
        Duration::from_millis(4),
    ),
    (
        victim(snmp(TransportKind::Tcp), true),
        Duration::from_millis(8),
    ),
    (
        victim(snmp(TransportKind::Tls), true),
        Duration::from_millis(20),
    ),
    (
        victim(snmp(TransportKind::Dtls), true),
        Duration::from_millis(50),
    ),
    (
        victim(snmp(TransportKind::Ssh), true),
        Duration::from_millis(50),
    ),
    (victim(Service::Http, true), Duration::from_millis(8)),
];

impl fmt::Display for Victim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match (self.service, self.is_new) {
            (Service::Snmp(TransportKind::Udp), _) => "",
            (_, true) => "new ",
            (_, false) => "open ",
        };
        write!(f, "{kind}{}", self.service)
    }
}

impl Serialize for Victim {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A client that is ready to ask.
pub(super) struct Client {
    victim: Victim,
    interval: Duration,
    way: Way,
}

enum Way {
    Snmp {
        target: Target,
        access: Option<Box<SecureAccess>>,
        request: Box<FirstAnswer>,
        session: Option<Session>,
    },
    Http {
        endpoint: Endpoint,
        request: Request,
    },
}

/// A client for each service that the agent offers.
pub(super) fn clients(agent: &Agent) -> Result<Vec<Client>, SubjectError> {
    let mut clients = Vec::new();
    for (victim, interval) in VICTIMS {
        let way = match victim.service {
            Service::Snmp(transport) => over_snmp(agent, transport)?,
            Service::Http => agent.web().and_then(over_http),
        };
        clients.extend(way.map(|way| Client {
            victim,
            interval,
            way,
        }));
    }
    Ok(clients)
}

fn over_snmp(agent: &Agent, transport: TransportKind) -> Result<Option<Way>, SubjectError> {
    let Some(target) = agent.target(transport) else {
        return Ok(None);
    };
    // One exchange, also over secure transports: nothing is discovered in SNMPv2c.
    let security = agent.security(Scheme::V2c, false);
    let Ok(Some(security @ Security::Community { .. })) = security else {
        return Ok(None);
    };
    let access = transport
        .is_secure()
        .then(|| agent.access(transport, false).cloned());
    Ok(Some(Way::Snmp {
        target,
        access: access.flatten().map(|access| {
            Box::new(SecureAccess {
                least_timeout: PATIENCE,
                ..access
            })
        }),
        request: Box::new(FirstAnswer::new(&security)?),
        session: None,
    }))
}

fn over_http(address: SocketAddr) -> Option<Way> {
    let endpoint: Endpoint = format!("http://{address}").parse().ok()?;
    let request = Request::get(endpoint.path(RESOURCE));
    Some(Way::Http { endpoint, request })
}

impl Client {
    /// Asks at its interval until the course is over.
    pub(super) fn run(&mut self, course: &Course) -> VictimResult {
        let mut times = Vec::new();
        let mut failed = 0;
        while !course.is_over() {
            let begun = Instant::now();
            if self.request() {
                times.push(begun.elapsed());
            } else {
                failed += 1;
            }
            std::thread::sleep(self.interval.saturating_sub(begun.elapsed()));
        }
        VictimResult::of_times(self.victim, times, failed)
    }

    /// One request; `false` if there was no right answer.
    fn request(&mut self) -> bool {
        match &mut self.way {
            Way::Snmp {
                target,
                access,
                request,
                session,
            } => {
                let mut open = match session.take().filter(|_| !self.victim.is_new) {
                    Some(session) => session,
                    None => match Session::open(*target, PATIENCE, access.as_deref()) {
                        Ok(session) => session,
                        Err(_) => return false,
                    },
                };
                let is_answered = request.request_over(&mut open, PATIENCE).unwrap_or(false);
                if is_answered && !self.victim.is_new {
                    *session = Some(open);
                }
                is_answered
            }
            Way::Http { endpoint, request } => {
                let options = WebClientOptions {
                    community: Some(READ_COMMUNITY.into()),
                    timeout: PATIENCE,
                    ..WebClientOptions::default()
                };
                let response =
                    WebClient::open(endpoint, options).and_then(|mut client| client.send(request));
                response.is_ok_and(|response| !response.is_refusal())
            }
        }
    }
}
