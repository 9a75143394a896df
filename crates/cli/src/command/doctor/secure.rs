//! Finding out why an agent is not reached over TLS, DTLS or SSH, step by step.

use std::fmt::Display;
use std::io::{self, Write};
use std::time::{Duration, SystemTime};

use varbind::codec::pdu::ErrorStatus;
use varbind::codec::smi::OwnedValue;
use varbind::engine::applications::command_generator::MessageProcessing;
use varbind::manager::{Manager, ManagerOptions, MessageSession, Opening};
use varbind::transport::Transport;
use varbind::transport::certificate::{CertificateDescription, PeerIdentity, TlsClient};
use varbind_pki::Summary;

use super::probe::sys_up_time;
use super::report::{Days, Verdict, milliseconds, say};
use crate::arguments::SessionArguments;
use crate::credentials::transport_parameters;
use crate::failure::Failure;
use crate::session;

/// Goes through all that has to be right, up to an answer.
pub(super) fn examine(arguments: &SessionArguments) -> Result<(), Failure> {
    let target = &arguments.target;
    let processing = MessageProcessing::V3(Box::new(transport_parameters(&arguments.user)));
    let options = match session::options_with(arguments, processing) {
        Ok(options) => options,
        Err(failure) => return bad("certificate", &failure),
    };
    if let Some(client) = &options.secure.tls {
        tell_certificates(client, &target.host)?;
    }
    let addresses = match target.resolve(target.transport.agent_port()) {
        Ok(addresses) => addresses,
        Err(error) => {
            let problem = format!("the name {} cannot be resolved: {error}", target.host);
            // SSH may know the host by another name.
            if target.transport != Transport::Ssh {
                return bad("address", &Failure::NoWay(problem));
            }
            Vec::new()
        }
    };
    for address in addresses {
        say(Verdict::Good, "address", &address.to_string())?;
    }
    let session = MessageSession::open(target, options.connect_timeout, &options.secure);
    match session {
        Ok(session) => tell_opening(&session.opening(), session.remote())?,
        Err(error) => return bad("session", &error.into()),
    }
    ask(arguments, options)?;
    writeln!(io::stdout(), "\n{}", command_line(arguments))?;
    Ok(())
}

/// Tells what is wrong, as the result of the command as well.
fn bad<T>(step: &str, failure: &Failure) -> Result<T, Failure> {
    say(Verdict::Bad, step, &failure.to_string())?;
    Err(failure.already_told())
}

/// Who we are, and whom we trust.
fn tell_certificates(client: &TlsClient, host: &str) -> Result<(), Failure> {
    let identity = client.identity();
    let own = identity.description();
    let first = identity.chain().first().map_or(&[][..], AsRef::as_ref);
    let warnings = Summary::of(first, SystemTime::now())
        .map_or_else(|_| Vec::new(), |summary| summary.warnings);
    say(
        Verdict::Good,
        "certificate",
        &format!("{own}, signed by {:?}", own.issuer),
    )?;
    for warning in warnings {
        say(Verdict::Bad, "certificate", &warning.to_string())?;
    }
    match &client.server().identity {
        PeerIdentity::Fingerprint(fingerprint) => {
            say(Verdict::Good, "trust", &format!("the agent {fingerprint}"))
        }
        other => {
            for authority in client.server().trust.certificates() {
                let told = CertificateDescription::read(authority)
                    .map_or_else(|error| error.to_string(), |it| it.to_string());
                say(Verdict::Good, "trust", &told)?;
            }
            let name = match other {
                PeerIdentity::AnyTrusted => "any name".to_owned(),
                PeerIdentity::Target => host.to_owned(),
                other => other.to_string(),
            };
            say(
                Verdict::Good,
                "agent",
                &format!("expected to have {name} in its certificate"),
            )
        }
    }
}

fn tell_opening(opening: &Opening, remote: std::net::SocketAddr) -> Result<(), Failure> {
    let mut text = format!(
        "open with {remote}: connected in {}",
        in_milliseconds(opening.connect)
    );
    if let Some(time) = opening.handshake {
        text.push_str(&format!(", handshake {}", in_milliseconds(time)));
    }
    if let Some(time) = opening.authentication {
        text.push_str(&format!(", authentication {}", in_milliseconds(time)));
    }
    say(Verdict::Good, "session", &text)
}

fn in_milliseconds(time: Duration) -> String {
    format!("{:.1} ms", milliseconds(time))
}

fn ask(arguments: &SessionArguments, options: ManagerOptions) -> Result<(), Failure> {
    let mut manager = match Manager::open(&arguments.target, options) {
        Ok(manager) => manager,
        Err(error) => return bad("session", &error.into()),
    };
    let response = match manager.get(&[sys_up_time()?]) {
        Ok(response) => response,
        Err(error) => return bad("SNMPv3", &error.into()),
    };
    say(Verdict::Good, "SNMPv3", "the agent knows who asks")?;
    let value = response.var_binds.first().map(|(_, value)| value);
    let refused = match (response.error_status, value) {
        (ErrorStatus::NoError, Some(OwnedValue::TimeTicks(time))) => {
            let time = Days(Duration::from_millis(u64::from(*time) * 10));
            return say(Verdict::Good, "sysUpTime", &time.to_string());
        }
        (ErrorStatus::NoError, _) => "it is not seen".to_owned(),
        (status, _) => status.to_string(),
    };
    bad(
        "sysUpTime",
        &Failure::ErrorStatus(format!(
            "{refused}: the agent gives no access to the name that it has for this manager (its [[transport-user]], or groups of \
             VACM with the model tsm)"
        )),
    )
}

/// The command line that works.
fn command_line(arguments: &SessionArguments) -> String {
    let mut line = "varbind get".to_owned();
    let mut option = |name: &str, value: &dyn Display| {
        line.push_str(&format!(" --{name} '{value}'"));
    };
    let (own, peer, ssh) = (&arguments.certificate, &arguments.peer, &arguments.ssh);
    for (name, files) in [
        ("certificate", own.certificate.as_slice()),
        ("key", own.key.as_slice()),
        ("trust", &own.trust),
        ("identity", &ssh.identity),
        ("known-hosts", &ssh.known_hosts),
    ] {
        for file in files {
            option(name, &file.display());
        }
    }
    if let Some(fingerprint) = &peer.peer_fingerprint {
        option("peer-fingerprint", fingerprint);
    }
    if let Some(name) = &peer.peer_name {
        option("peer-name", name);
    }
    for word in &peer.net_snmp {
        line.push_str(&format!(" -T '{word}'"));
    }
    format!("{line} {} sysUpTime.0", arguments.target)
}
