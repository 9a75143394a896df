use serde::{Deserialize, Serialize};

use super::super::{Measure, Observation, Setting, SubjectName};
use super::connections::{Connections, note_wire};
use super::{Laboratory, web};
use crate::measurement::Placement;
use crate::netconf::NetconfSession;
use crate::process::{place_in_turns, usage_of};
use crate::subject::{Agent, Netconfd};

/// Requests of NETCONF over SSH to netconfd: sessions one behind the other, each with requests.
///
/// The data of the server are copies of what varbind's agent has, in its own memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NetconfTask {
    /// The network.
    pub setting: Setting,
    /// What each request reads.
    pub question: NetconfQuestion,
    /// Sessions in each repetition.
    pub sessions: u32,
    /// Requests of each session.
    pub exchanges: u32,
}

/// The objects that each request reads, by a subtree filter (RFC 6241 section 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NetconfQuestion {
    /// sysContact.
    SysContact,
    /// All of ifTable.
    IfTable,
}

const ELSEWHERE: &str = "netconfd is asked over loopback only";

/// Namespaces of the modules that RFC 6643 makes of these MIBs.
const SYSTEM: &str = "urn:ietf:params:xml:ns:yang:smiv2:SNMPv2-MIB";
const INTERFACES: &str = "urn:ietf:params:xml:ns:yang:smiv2:IF-MIB";

impl NetconfQuestion {
    /// What is sent.
    fn operation(self) -> String {
        let subtree = match self {
            Self::SysContact => of_system("<sysContact/>"),
            Self::IfTable => of_interfaces("<ifTable/>"),
        };
        format!("<get><filter type=\"subtree\">{subtree}</filter></get>")
    }

    /// What each reply has.
    const fn answer(self) -> &'static str {
        match self {
            Self::SysContact => "</sysContact>",
            Self::IfTable => "</ifEntry>",
        }
    }
}

fn of_system(content: &str) -> String {
    format!("<SNMPv2-MIB xmlns=\"{SYSTEM}\"><system>{content}</system></SNMPv2-MIB>")
}

fn of_interfaces(content: &str) -> String {
    format!("<IF-MIB xmlns=\"{INTERFACES}\">{content}</IF-MIB>")
}

/// What the server is to have: sysContact and ifTable of an agent, by RESTCONF.
pub(super) fn content_of(agent: &Agent) -> Result<String, String> {
    let columns: Vec<&str> = Netconfd::columns().collect();
    let columns = format!("ifEntry({})", columns.join(";"));
    let contact = web::get_xml(agent, "SNMPv2-MIB:SNMPv2-MIB/system/sysContact", None)?;
    let table = web::get_xml(agent, "IF-MIB:IF-MIB/ifTable", Some(&columns))?;
    Ok(of_system(&contact) + &of_interfaces(&table))
}

impl NetconfTask {
    pub(in super::super) fn is_possible(&self, subject: SubjectName) -> Result<(), String> {
        subject.ours_alone(|| "netconfd is measured once, beside varbind".to_owned())?;
        match self.setting {
            Setting::Host | Setting::Interfaces(_) => Ok(()),
            Setting::Link | Setting::Across { .. } => Err(ELSEWHERE.to_owned()),
        }
    }

    pub(super) fn observe(&self, laboratory: &mut Laboratory) -> Result<Observation, String> {
        if laboratory.share().is_some() {
            return Err("netconfd is not slowed down".to_owned());
        }
        if laboratory.emulator().is_some() {
            return Err(ELSEWHERE.to_owned());
        }
        let cores = laboratory.cores.clone();
        let server = laboratory.netconfd()?;
        let told = |error: std::io::Error| error.to_string();
        // Processes of sessions have what sshd has.
        for id in server.ids() {
            place_in_turns(&cores, Placement::SameCore, Some(id), true).map_err(told)?;
        }
        let access = server.access();
        let mut observation = Observation::default();
        let reply = note_wire(&mut observation, access.address, || {
            let mut session = NetconfSession::open(access).map_err(told)?;
            session.request(&self.question.operation()).map_err(told)
        })?;
        let found = reply.matches(self.question.answer()).count();
        observation.note(Measure::Objects, found as f64);
        let used = usage_of(None, None, || {
            let open = || NetconfSession::open(access).map_err(told);
            Connections::run(self.sessions, self.exchanges, open, |session| {
                self.ask(session)
            })
        });
        let used = used.map_err(told)?;
        let connections = used.result?;
        connections.note(&mut observation);
        let each = used.manager.total / connections.requests();
        observation.note(Measure::ManagerCpu, each);
        Ok(observation)
    }

    /// Octets of the operation and of the reply.
    fn ask(&self, session: &mut NetconfSession) -> Result<(u64, u64), String> {
        let operation = self.question.operation();
        let reply = session
            .request(&operation)
            .map_err(|error| error.to_string())?;
        match reply.contains(self.question.answer()) {
            true => Ok((operation.len() as u64, reply.len() as u64)),
            false => Err(format!(
                "the reply of netconfd lacks {}",
                self.question.answer()
            )),
        }
    }
}
