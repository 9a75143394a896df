//! An agent that the laboratory did not start, as a subject of a study.

use std::ffi::OsString;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::{AgentName, Measure, SessionTask, Setting, SubjectName, Task};
use crate::measurement::SubjectDescription;
use crate::request::Request;
use crate::security::{Protection, Scheme};
use crate::session::Target;
use crate::subject::{CounterCache, SshHandicap, Storage};

/// An agent that runs already, as the manifest of a run has it: without communities, names and passwords.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExternalAgent {
    /// What reports call it.
    #[serde(default)]
    pub name: AgentName,
    /// Its addresses as they were given, a transport each.
    pub addresses: Vec<String>,
    /// The same, resolved.
    pub targets: Vec<Target>,
    /// Whether a community was given.
    pub has_community: bool,
    /// How messages of its user can be protected at most.
    pub user: Option<Scheme>,
    /// Whether Set requests may be sent.
    pub may_be_set: bool,
}

/// The words of a command line with credentials. They reach sites by a pipe and are not shown.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandWords(pub Vec<OsString>);

impl fmt::Debug for CommandWords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CommandWords(..)")
    }
}

impl ExternalAgent {
    /// Why it cannot be asked for this task, if that follows from what was given of it.
    pub(super) fn refuses(&self, task: &Task) -> Option<String> {
        let (Task::Sessions(sessions) | Task::Packets(sessions)) = task else {
            return None;
        };
        let are_seen = match task {
            Task::Packets(_) if !self.is_on_loopback() => {
                Err("packets are counted on loopback alone".to_owned())
            }
            _ => Ok(()),
        };
        let reached = are_seen.and_then(|()| self.reaches(sessions));
        let refused = reached.and_then(|()| self.admits(sessions));
        let name = self.name;
        refused.err().map(|reason| format!("{name}: {reason}"))
    }

    /// What a report says of it.
    pub(super) fn describe(&self) -> SubjectDescription {
        let addresses = self.addresses.join(", ");
        SubjectDescription {
            name: self.name.to_string(),
            version: addresses.clone(),
            origin: addresses,
        }
    }

    fn is_on_loopback(&self) -> bool {
        let mut targets = self.targets.iter();
        targets.all(|one| one.address.ip().is_loopback())
    }

    fn reaches(&self, task: &SessionTask) -> Result<(), String> {
        let transport = task.transport;
        let mut over = self
            .targets
            .iter()
            .filter(|one| one.transport == transport)
            .peekable();
        if over.peek().is_none() {
            return Err(format!(
                "it has no address over {transport}: name one, as {transport}:HOST"
            ));
        }
        if task.is_ipv6 && !over.any(|one| one.address.is_ipv6()) {
            return Err(format!("it has no address over {transport} on IPv6"));
        }
        Ok(())
    }

    fn admits(&self, task: &SessionTask) -> Result<(), String> {
        if matches!(task.request, Request::Set { .. }) && !self.may_be_set {
            return Err("Set requests change it: they need --write-community".to_owned());
        }
        match task.scheme {
            Scheme::V3Transport => Ok(()),
            Scheme::V1 | Scheme::V2c if self.has_community => Ok(()),
            Scheme::V1 | Scheme::V2c => Err("it has no community (-c)".to_owned()),
            Scheme::V3(wanted) => match self.user.and_then(Scheme::protection) {
                Some(known) if is_within(wanted, known) => Ok(()),
                Some(known) => Err(format!("its user has {known}, not {wanted} (-a, -x)")),
                None => Err("it has no user (-u)".to_owned()),
            },
        }
    }
}

/// Whether a user with these protocols can protect messages so.
fn is_within(wanted: Protection, known: Protection) -> bool {
    let authentication = wanted.authentication();
    let privacy = wanted.privacy();
    (authentication.is_none() || authentication == known.authentication())
        && (privacy.is_none() || privacy == known.privacy())
}

const STARTED: &str =
    "it runs already, and this takes an agent or a receiver that the laboratory starts";
const PLACED: &str =
    "it runs already, and this takes an agent in a network that the laboratory makes";
const OURS: &str = "this measures routines of varbind, not an agent";

/// Whether an agent that runs already can do this task.
///
/// # Errors
/// Why not.
pub(super) fn can_do(subject: SubjectName, task: &Task) -> Result<(), String> {
    let reason = match task {
        Task::Sessions(task) | Task::Packets(task) => match (task.setting, is_usual(task)) {
            (Setting::Host, true) => return Ok(()),
            (Setting::Host, false) => STARTED,
            _ => PLACED,
        },
        Task::Link(_) => PLACED,
        Task::Web(_)
        | Task::Compressed(_)
        | Task::Memory(_)
        | Task::Command(_)
        | Task::Notifications(_)
        | Task::Netconf(_)
        | Task::Start(_) => STARTED,
        Task::Echo(_) => return Ok(()),
        Task::Twin(_) | Task::SmallBoard(_) | Task::Coding(_) => OURS,
    };
    Err(format!("{subject}: {reason}"))
}

/// Whether the agent is one as it is by itself.
fn is_usual(task: &SessionTask) -> bool {
    task.storage == Storage::Disk
        && task.ssh_handicap == SshHandicap::NONE
        && task.counter_cache == CounterCache::Usual
        && task.copy == 0
        && !task.has_rsa
        && task.share.is_none()
        && !task.transport.is_legacy_tls()
}

/// Whether an agent that runs already shows this.
///
/// # Errors
/// Why not.
pub(super) fn can_show(subject: SubjectName, measure: Measure) -> Result<(), String> {
    match measure {
        Measure::AgentCpu | Measure::RatePerCore | Measure::Memory => Err(format!(
            "{subject}: CPU time and memory are unknown of a process that was not started here"
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use crate::measurement::TransportKind;

    use super::super::names::{SYS_CONTACT, SYS_NAME, get, set};
    use super::*;

    fn agent() -> ExternalAgent {
        let address = "127.0.0.1:161".parse().unwrap();
        ExternalAgent {
            name: "router".parse().unwrap(),
            addresses: vec!["udp:127.0.0.1".to_owned()],
            targets: vec![Target {
                transport: TransportKind::Udp,
                address,
            }],
            has_community: true,
            user: Some("v3 authPriv SHA AES".parse().unwrap()),
            may_be_set: false,
        }
    }

    fn task(scheme: &str, transport: TransportKind) -> SessionTask {
        SessionTask::new(scheme.parse().unwrap(), transport, get(SYS_NAME))
    }

    #[test]
    fn tasks_without_an_address_or_credentials_are_refused_with_the_option_that_is_missing() {
        let udp = TransportKind::Udp;
        for (task, expected) in [
            (task("v2c", udp), None),
            (task("v3 noAuthNoPriv", udp), None),
            (task("v3 authNoPriv SHA", udp), None),
            (task("v3 authPriv SHA AES", udp), None),
            (task("v3 authPriv SHA DES", udp), Some("(-a, -x)")),
            (task("v3 authNoPriv MD5", udp), Some("(-a, -x)")),
            (task("v2c", TransportKind::Tcp), Some("tcp:HOST")),
        ] {
            let refused = agent().refuses(&Task::Sessions(task.clone()));
            assert_eq!(refused.is_some(), expected.is_some(), "{task:?}");
            let told = refused.unwrap_or_default();
            assert!(told.is_empty() || told.starts_with("router: "), "{told}");
            assert!(told.contains(expected.unwrap_or_default()), "{told}");
        }
        let stranger = ExternalAgent {
            has_community: false,
            user: None,
            ..agent()
        };
        let told = |scheme| stranger.refuses(&Task::Sessions(task(scheme, udp)));
        assert!(told("v1").unwrap().contains("-c"));
        assert!(told("v3 noAuthNoPriv").unwrap().contains("-u"));
    }

    #[test]
    fn set_requests_take_leave() {
        let mut task = task("v2c", TransportKind::Udp);
        task.request = set(&[SYS_CONTACT]);
        let task = Task::Sessions(task);
        assert!(
            agent()
                .refuses(&task)
                .unwrap()
                .contains("--write-community")
        );
        let mut writable = agent();
        writable.may_be_set = true;
        assert_eq!(writable.refuses(&task), None);
    }

    #[test]
    fn packets_are_counted_on_loopback_alone() {
        let task = Task::Packets(task("v2c", TransportKind::Udp));
        assert_eq!(agent().refuses(&task), None);
        let mut far = agent();
        far.targets[0].address = "192.0.2.1:161".parse().unwrap();
        assert!(far.refuses(&task).unwrap().contains("loopback"));
    }

    #[test]
    fn what_the_laboratory_has_to_start_is_impossible() {
        let usual = task("v2c", TransportKind::Udp);
        let subject = SubjectName::External(agent().name);
        let possible = |task: &SessionTask| can_do(subject, &Task::Sessions(task.clone()));
        possible(&usual).unwrap();
        let copy = SessionTask {
            copy: 1,
            ..usual.clone()
        };
        assert!(possible(&copy).unwrap_err().contains("starts"));
        let elsewhere = SessionTask {
            setting: Setting::Interfaces(2),
            ..usual
        };
        assert!(possible(&elsewhere).unwrap_err().contains("makes"));
        can_show(subject, Measure::RoundTrip).unwrap();
        can_show(subject, Measure::AgentCpu).unwrap_err();
    }

    #[test]
    fn words_of_a_command_line_are_not_shown() {
        let words = CommandWords(vec!["-c".into(), "maplesyrup".into()]);
        assert!(!format!("{words:?}").contains("maple"));
    }
}
