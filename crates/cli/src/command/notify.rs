//! The commands trap and inform.

use std::fs;

use clap::Args;
use varbind::blocking::NotificationTarget;
use varbind::client::{Error, Unanswered};
use varbind::clock::Clock;
use varbind::codec::pdu::GenericTrap;
use varbind::codec::smi::{Oid, VarBind};
use varbind::engine::applications::command_generator::{ContextEngine, MessageProcessing};
use varbind::engine::applications::notification::{Notification, SNMP_TRAPS, TrapV1Parameters};
use varbind::engine::applications::notification_originator::OriginatorEvent;
use varbind::engine::applications::notification_receiver::NotificationKind;
use varbind::engine::engine_id::EngineId;
use varbind::notification::{Progress, TargetOptions};
use varbind::transport::TransportAddress;
use varbind_mib::{Mib, RangeCheck};
use varbind_terminal::arguments::MibArguments;
use varbind_terminal::assignments::TYPES;
use varbind_terminal::{Failure, assignments, object_names};

use super::receive::local_engine;
use crate::arguments::{SessionArguments, SnmpVersion};
use crate::error_status::explanation;
use crate::fleet;
use crate::session::Settings;

const AFTER: &str = "\
Notification, as with Net-SNMP's snmptrap; '' stands for the default of UPTIME, AGENT, SPECIFIC and, for traps that are not
enterprise-specific, ENTERPRISE:
  -v 2c  UPTIME TRAP-OID [OID TYPE VALUE]...
         varbind trap router '' IF-MIB::linkDown ifIndex.7 i 7
  -v 1   ENTERPRISE AGENT GENERIC SPECIFIC UPTIME [OID TYPE VALUE]...
         varbind trap -v 1 router 1.3.6.1.4.1.32473.1 '' 6 17 ''
  -v 3   as -v 2c; a trap comes from the engine -e, or from a new one
  UPTIME is in hundredths of a second, GENERIC 0 to 6 or a name as linkDown. Traps go to port 162.
";

#[derive(Args, Debug)]
#[command(after_help = format!("{AFTER}\n{TYPES}"))]
pub(crate) struct Arguments {
    #[command(flatten)]
    session: SessionArguments,

    #[command(flatten)]
    mib: MibArguments,

    /// What happened, and the objects that say more about it
    #[arg(
        value_name = "NOTIFICATION",
        required = true,
        num_args = 1..,
        allow_negative_numbers = true
    )]
    words: Vec<String>,

    /// Send values that the object's definition does not allow
    #[arg(long, help_heading = "Request")]
    no_range_check: bool,
}

/// What a command line says.
pub(crate) enum Said {
    V1(TrapV1Parameters, Vec<VarBind>),
    V2(Notification),
}

/// How a notification is sent.
pub(crate) struct Delivery {
    pub(crate) kind: NotificationKind,
    pub(crate) address: TransportAddress,
    pub(crate) settings: Settings,
    /// The sender's engine in SNMPv3, if it is not a new one.
    pub(crate) engine: Option<EngineId>,
    pub(crate) is_v3: bool,
    /// Whether the retransmissions of the settings hold for informs.
    pub(crate) has_retry: bool,
    /// Whether a trap of SNMPv1 names the address that this host sends from.
    pub(crate) own_agent_address: bool,
}

impl Delivery {
    /// Sends, and waits until an inform is acknowledged.
    pub(crate) fn send(self, said: Said, clock: Clock) -> Result<(), Failure> {
        let (address, own_agent_address) = (self.address.clone(), self.own_agent_address);
        let mut target = NotificationTarget::new(address.clone(), self.options(clock)?, clock)?;
        target.connect()?;
        match said {
            Said::V2(notification) => target.send(&notification),
            Said::V1(mut parameters, var_binds) => {
                if own_agent_address {
                    parameters.agent_address = target.target().agent_address();
                }
                target.send_trap_v1(&parameters, var_binds)
            }
        }
        .map_err(|error| Failure::Usage(error.to_string()))?;
        finish(&mut target, &address)
    }

    fn options(self, clock: Clock) -> Result<TargetOptions, Failure> {
        let settings = self.settings;
        let mut processing = settings.processing;
        if let MessageProcessing::V3(parameters) = &mut processing
            && parameters.context_engine == ContextEngine::Local
        {
            // The objects of a notification are the sender's, whose name is known.
            parameters.context_engine = ContextEngine::Peer;
        }
        let mut target = TargetOptions::new(self.kind, processing);
        target.secure = settings.secure;
        if self.has_retry {
            target.originator.retry = settings.retry;
        }
        if self.is_v3 {
            target.originator.engine = Some(local_engine(self.engine, clock)?);
        }
        target.connect_timeout = settings.connect_timeout;
        target.max_message_size = settings.max_message_size;
        Ok(target)
    }
}

impl Arguments {
    /// Takes the settings of the target from the inventory, if it is there.
    pub(crate) fn find_host(&mut self) -> Result<(), Failure> {
        fleet::find_one_host(&mut self.session)
    }

    /// Sends a trap or an inform, and waits until the inform is acknowledged.
    pub(crate) fn run(&self, kind: NotificationKind) -> Result<(), Failure> {
        if kind == NotificationKind::Inform && self.session.version() == SnmpVersion::V1 {
            return Err(Failure::Usage(
                "SNMPv1 has no inform: use -v 2c, or varbind trap".to_owned(),
            ));
        }
        varbind_terminal::log::start_if_wanted(self.session.debug);
        let clock = Clock::start();
        let mib = self.mib.mib()?;
        let target = &self.session.target;
        let port = target.port.unwrap_or(target.transport.notification_port());
        let address = TransportAddress {
            port: Some(port),
            ..target.address.clone()
        };
        let user = &self.session.user;
        let delivery = Delivery {
            kind,
            address,
            settings: Settings::new(&self.session)?,
            // -e names the engine that is authoritative: for an inform, that is the receiver's.
            engine: match kind {
                NotificationKind::Trap => user.security_engine_id,
                NotificationKind::Inform => user.context_engine_id,
            },
            is_v3: self.session.version() == SnmpVersion::V3,
            has_retry: self.session.timeout.is_some() || self.session.retries.is_some(),
            own_agent_address: self.words.get(1).is_some_and(String::is_empty),
        };
        // Errors in words are reported before anything else.
        let said = self.read(&mib)?;
        delivery.send(said, clock)
    }

    fn read(&self, mib: &Mib) -> Result<Said, Failure> {
        let check = if self.no_range_check {
            RangeCheck::Skip
        } else {
            RangeCheck::Enforce
        };
        let objects = |words: &[String]| assignments::read(mib, words, check);
        match (self.session.version(), self.words.as_slice()) {
            (SnmpVersion::V1, [enterprise, agent, generic, specific, time, words @ ..]) => {
                let generic_trap = generic_trap(generic)?;
                let parameters = TrapV1Parameters {
                    enterprise: self::enterprise(mib, enterprise, generic_trap)?,
                    agent_address: agent_address(agent)?,
                    generic_trap,
                    specific_trap: number_or(specific, "SPECIFIC", || 0)?,
                    time_stamp: number_or(time, "UPTIME", up_time)?,
                };
                Ok(Said::V1(parameters, objects(words)?))
            }
            (SnmpVersion::V1, _) => Err(Failure::Usage(
                "a trap of SNMPv1 needs ENTERPRISE AGENT GENERIC SPECIFIC UPTIME; '' stands for a default".to_owned(),
            )),
            (_, [time, trap_oid, words @ ..]) => {
                if trap_oid.is_empty() {
                    return Err(Failure::Usage(
                        "TRAP-OID is missing: write the name of the notification, as IF-MIB::linkDown".to_owned(),
                    ));
                }
                Ok(Said::V2(Notification::new(
                    number_or(time, "UPTIME", up_time)?,
                    object_names::name(mib, trap_oid)?,
                    objects(words)?,
                )))
            }
            (_, _) => Err(Failure::Usage(
                "a notification needs UPTIME TRAP-OID; '' stands for the uptime of this host"
                    .to_owned(),
            )),
        }
    }
}

/// Sends, and takes what comes back.
fn finish(target: &mut NotificationTarget, address: &TransportAddress) -> Result<(), Failure> {
    let remote = target.target().remote();
    loop {
        match target.progress() {
            Progress::Event(OriginatorEvent::Acknowledged { .. }) => {}
            Progress::Event(OriginatorEvent::Refused { error_status, .. }) => {
                return Err(Failure::ErrorStatus(format!(
                    "{address}: the receiver answered {error_status}: {}",
                    explanation(error_status)
                )));
            }
            Progress::Event(OriginatorEvent::Failed { failure, .. }) => {
                let Some(remote) = remote else {
                    return Err(Failure::Transport(format!("{address}: {}", failure.reason)));
                };
                let unanswered = Unanswered {
                    target: address.clone(),
                    remote,
                    principal: target.target().principal(),
                    failure,
                };
                return Err(Error::Unanswered(Box::new(unanswered)).into());
            }
            Progress::Idle => break,
        }
    }
    match target.target().last_transport_error() {
        Some(error) if target.statistics().transport_failures > 0 => {
            Err(Failure::Transport(format!("{address}: {error}")))
        }
        _ => Ok(()),
    }
}

/// Reads a number, or takes the default for nothing.
fn number_or<T: std::str::FromStr>(
    text: &str,
    what: &str,
    default: impl FnOnce() -> T,
) -> Result<T, Failure> {
    if text.is_empty() {
        return Ok(default());
    }
    text.parse().map_err(|_| {
        Failure::Usage(format!(
            "{what} {text:?}: write a whole number, or '' for the default"
        ))
    })
}

/// The uptime of this host in hundredths of a second, as sysUpTime counts: it wraps after 497 days.
pub(crate) fn up_time() -> u32 {
    let text = fs::read_to_string("/proc/uptime").unwrap_or_default();
    let digits: String = text
        .split(' ')
        .next()
        .unwrap_or_default()
        .chars()
        .filter(char::is_ascii_digit)
        .collect();
    // "12345.67" is 1234567 hundredths.
    let hundredths: u64 = digits.parse().unwrap_or(0);
    u32::try_from(hundredths % (1 << 32)).unwrap_or(0)
}

const GENERIC_NAMES: [&str; 7] = [
    "coldStart",
    "warmStart",
    "linkDown",
    "linkUp",
    "authenticationFailure",
    "egpNeighborLoss",
    "enterpriseSpecific",
];

fn generic_trap(text: &str) -> Result<GenericTrap, Failure> {
    let by_name = GENERIC_NAMES.iter().position(|name| *name == text);
    by_name
        .and_then(|code| i32::try_from(code).ok())
        .or_else(|| text.parse().ok())
        .and_then(GenericTrap::from_code)
        .ok_or_else(|| {
            Failure::Usage(format!(
                "GENERIC {text:?}: write a number from 0 to 6, or one of {}",
                GENERIC_NAMES.join(", ")
            ))
        })
}

fn enterprise(mib: &Mib, text: &str, generic: GenericTrap) -> Result<Oid, Failure> {
    if !text.is_empty() {
        return object_names::name(mib, text);
    }
    if generic == GenericTrap::EnterpriseSpecific {
        return Err(Failure::Usage(
            "ENTERPRISE is missing: an enterprise-specific trap has no meaning without it"
                .to_owned(),
        ));
    }
    // RFC 3584 3.2 (1)
    Oid::new(SNMP_TRAPS).map_err(|error| Failure::Usage(error.to_string()))
}

/// What an empty text stands for is known only with the socket.
fn agent_address(text: &str) -> Result<[u8; 4], Failure> {
    if text.is_empty() {
        return Ok([0; 4]);
    }
    text.parse()
        .map(|address: std::net::Ipv4Addr| address.octets())
        .map_err(|_| {
            Failure::Usage(format!(
                "AGENT {text:?}: write an IPv4 address, or '' for the one that this host sends from"
            ))
        })
}
