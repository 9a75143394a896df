//! snmptrap and snmpinform.

use varbind::clock::Clock;
use varbind::codec::pdu::GenericTrap;
use varbind::codec::smi::{Oid, VarBind};
use varbind::engine::applications::notification::{Notification, TrapV1Parameters};
use varbind::engine::applications::notification_receiver::NotificationKind;
use varbind_terminal::Failure;

use super::command_line::{CommandLine, unknown_own_letter};
use super::console::Console;
use super::names::Names;
use super::session::{address, settings};
use super::set;
use super::tool::{Call, Tool};
use super::words::{TIMEOUT, UNKNOWN_OBJECT};
use super::{Ended, FAILED, Stop};
use crate::arguments::SnmpVersion;
use crate::command::{Delivery, Said, up_time};

/// The enterprise of traps without one.
const DEFAULT_ENTERPRISE: [u32; 9] = [1, 3, 6, 1, 4, 1, 3, 1, 1];

pub(super) fn run(call: &Call, console: &mut Console) -> Ended {
    let mut is_inform = call.tool == Tool::Inform;
    let line = CommandLine::read(call, console, &mut |letters, _, console| {
        for letter in letters.chars() {
            match letter {
                'i' => is_inform = true,
                letter => return Err(unknown_own_letter(letter, console)),
            }
        }
        Ok(())
    })?;
    let mut names = Names::new(&line.mib, &line.input);
    let Some(mut address) = address(&line) else {
        console.log("snmptrap: \n");
        return Ok(FAILED);
    };
    if line.version == SnmpVersion::V1 && is_inform {
        console.error("Cannot send INFORM as SNMPv1 PDU\n");
        return Ok(FAILED);
    }
    let port = address.transport.notification_port();
    address.port.get_or_insert(port);
    let (settings, unusable) = settings(call, &line, &address, console)?;
    let tool = if is_inform { "snmpinform" } else { "snmptrap" };
    if let Some(words) = unusable {
        names.log_error(tool, words, console);
        return Ok(FAILED);
    }
    let said = match line.version {
        SnmpVersion::V1 => trap_v1(&line, &mut names, console)?,
        _ => notification(&line, &mut names, console)?,
    };
    let Some(said) = said else { return Ok(FAILED) };
    let delivery = Delivery {
        kind: match is_inform {
            true => NotificationKind::Inform,
            false => NotificationKind::Trap,
        },
        address,
        engine: match is_inform {
            true => line.user.context_engine,
            false => line.user.engine,
        },
        is_v3: line.version == SnmpVersion::V3,
        has_retry: true,
        settings,
        own_agent_address: line.version == SnmpVersion::V1
            && line.operands.get(1).is_some_and(String::is_empty),
    };
    match delivery.send(said, Clock::start()) {
        Ok(()) => Ok(0),
        // Traps are not acknowledged.
        Err(Failure::Transport(_)) if !is_inform => Ok(0),
        Err(Failure::Open(_)) => {
            console.log("snmptrap: \n");
            Ok(FAILED)
        }
        Err(failure) => {
            let text = failure.to_string();
            let words = match failure {
                Failure::NoAnswer(_) | Failure::Transport(_) | Failure::Client(_) => TIMEOUT,
                _ => text.as_str(),
            };
            names.log_error(tool, words, console);
            Ok(FAILED)
        }
    }
}

/// UPTIME TRAP-OID, and objects.
fn notification(
    line: &CommandLine,
    names: &mut Names<'_>,
    console: &mut Console,
) -> Result<Option<Said>, Stop> {
    let missing = |what| Err(Stop::Usage(format!("Missing {what} parameter\n")));
    let (time, trap, words) = match line.operands.as_slice() {
        [] => return missing("up-time"),
        [_] => return missing("trap-oid"),
        [time, trap, words @ ..] => (time, trap, words),
    };
    let time = match time.as_str() {
        "" => up_time(),
        text => text.parse().unwrap_or(0),
    };
    let Some(oid) = names.read(trap) else {
        names.log_error(trap, UNKNOWN_OBJECT, console);
        return Ok(None);
    };
    let objects = objects(line, words, names, console);
    Ok(objects.map(|objects| Said::V2(Notification::new(time, oid, objects))))
}

/// ENTERPRISE AGENT GENERIC SPECIFIC UPTIME, and objects.
fn trap_v1(
    line: &CommandLine,
    names: &mut Names<'_>,
    console: &mut Console,
) -> Result<Option<Said>, Stop> {
    let words = line.operands.as_slice();
    let Some(enterprise) = words.first() else {
        return Err(Stop::Usage("No enterprise oid\n".to_owned()));
    };
    let enterprise = match enterprise.as_str() {
        "" => Oid::new(&DEFAULT_ENTERPRISE).ok(),
        text => names.read_or_log(text, console),
    };
    let Some(enterprise) = enterprise else {
        return Err(Stop::Usage(String::new()));
    };
    let parts = ["agent", "generic-trap", "specific-trap", "uptime"];
    if let Some(missing) = parts.get(words.len() - 1) {
        return Err(Stop::Usage(format!("Missing {missing} parameter\n")));
    }
    let (parameters, words) = words.split_at_checked(5).unwrap_or_default();
    let text = |at: usize| parameters.get(at).map_or("", String::as_str);
    let agent_address = match text(1) {
        "" => [0; 4],
        text => match text.parse::<std::net::Ipv4Addr>() {
            Ok(address) => address.octets(),
            Err(_) => {
                console.error(&format!("unknown host: {text}\n"));
                return Ok(None);
            }
        },
    };
    let generic = text(2).parse().unwrap_or(0);
    let parameters = TrapV1Parameters {
        enterprise,
        agent_address,
        generic_trap: GenericTrap::from_code(generic).unwrap_or(GenericTrap::EnterpriseSpecific),
        specific_trap: text(3).parse().unwrap_or(0),
        time_stamp: match text(4) {
            "" => up_time(),
            text => text.parse().unwrap_or(0),
        },
    };
    let objects = objects(line, words, names, console);
    Ok(objects.map(|objects| Said::V1(parameters, objects)))
}

fn objects(
    line: &CommandLine,
    words: &[String],
    names: &mut Names<'_>,
    console: &mut Console,
) -> Option<Vec<VarBind>> {
    let (triplets, rest) = words.as_chunks::<3>();
    let mut objects = Vec::new();
    for triplet in triplets {
        objects.push(set::read(line, triplet, names, console)?);
    }
    if let Some(name) = rest.first() {
        console.error(&format!("{name}: Missing type/value for variable\n"));
        return None;
    }
    Some(objects)
}
