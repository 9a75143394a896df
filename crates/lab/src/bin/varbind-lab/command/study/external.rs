//! The options for an agent that the laboratory did not start: its addresses and credentials.

use std::ffi::OsString;

use clap::Args;
use varbind::transport::TransportAddress;
use varbind_lab::security::{AuthenticationProtocol, PrivacyProtocol, Protection, Scheme};
use varbind_lab::study::{AgentName, CommandWords, ExternalAgent};
use varbind_lab::subject::{
    AgentAddress, Credentials, Demands, READ_COMMUNITY, RunningAgent, Subject, Users,
    WRITE_COMMUNITY,
};
use varbind_terminal::{Failure, print_message};

use super::StudyCommand;
use crate::agent_arguments::{AgentArguments, target};
use crate::command::Command;

/// Which agents are measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SubjectChoice {
    Varbind,
    NetSnmp,
    Both,
    /// An address of an agent that runs already.
    Address(TransportAddress),
}

impl SubjectChoice {
    /// A name, or an address with its transport: a host may be called varbind.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        match text {
            "varbind" => Ok(Self::Varbind),
            "net-snmp" => Ok(Self::NetSnmp),
            "both" => Ok(Self::Both),
            address if address.contains(':') => {
                let address = address.parse::<TransportAddress>();
                address
                    .map(Self::Address)
                    .map_err(|error| error.to_string())
            }
            other => Err(format!(
                "{other} is no subject: use varbind, net-snmp, both, or an address with its transport, as udp:192.0.2.1"
            )),
        }
    }
}

/// How messages of a user are protected; each user has one protocol for each purpose.
#[derive(Args, Debug)]
pub(super) struct UserProtocols {
    /// Authentication protocol of --user
    #[arg(
        short = 'a',
        long,
        value_name = "PROTOCOL",
        default_value = "SHA",
        help_heading = "Agents that run already"
    )]
    pub(super) authentication: AuthenticationProtocol,

    /// Privacy protocol of --user
    #[arg(
        short = 'x',
        long,
        value_name = "PROTOCOL",
        default_value = "AES",
        help_heading = "Agents that run already"
    )]
    pub(super) privacy: PrivacyProtocol,
}

/// The agent at these addresses, which the option `naming` names; `None` without any.
pub(crate) fn agent_at(
    addresses: &[&TransportAddress],
    arguments: &AgentArguments,
    (authentication, privacy): (AuthenticationProtocol, PrivacyProtocol),
    name: Option<AgentName>,
    naming: &str,
) -> Result<Option<ExternalAgent>, Failure> {
    if addresses.is_empty() {
        return match name.map_or_else(|| arguments.given(), |_| Some("--name")) {
            None => Ok(None),
            Some(option) => Err(Failure::Usage(format!(
                "{option} is about an agent that runs already: name its address with {naming}, as {naming} udp:192.0.2.1"
            ))),
        };
    }
    let targets = addresses.iter().map(|address| target(address));
    let targets = targets.collect::<Result<Vec<_>, _>>()?;
    for (place, one) in targets.iter().enumerate() {
        let mut former = targets.iter().take(place);
        if former.any(|former| former.transport == one.transport) {
            return Err(Failure::Usage(format!(
                "the agent has two addresses over {}: name one for each transport (one agent can be measured beside varbind and net-snmp)",
                one.transport
            )));
        }
    }
    let account = arguments.account()?;
    let user = account.map(|account| {
        let passwords = (
            account.authentication_password.is_some(),
            account.privacy_password.is_some(),
        );
        Scheme::V3(match passwords {
            (true, true) => Protection::AuthPriv(authentication, privacy),
            (true, false) => Protection::AuthNoPriv(authentication),
            (false, _) => Protection::NoAuthNoPriv,
        })
    });
    Ok(Some(ExternalAgent {
        name: name.unwrap_or_default(),
        addresses: addresses.iter().map(ToString::to_string).collect(),
        targets,
        has_community: arguments.community()?.is_some() || user.is_none(),
        user,
        may_be_set: arguments.write_community()?.is_some(),
    }))
}

/// Asks it once at each address, before anything is measured.
pub(crate) fn try_agent(
    agent: &ExternalAgent,
    arguments: &AgentArguments,
    first: Scheme,
) -> Result<(), Failure> {
    let agent = running_agent(agent, arguments, first)?;
    print_message(format_args!("{}", agent.first_request()));
    let started = Subject::External(agent).start(&Demands::default());
    started
        .map(drop)
        .map_err(|error| Failure::Usage(error.to_string()))
}

/// The agent with its credentials: in the process of a site, from the command line of the run.
pub(crate) fn external_subject(
    agent: &ExternalAgent,
    words: CommandWords,
) -> Result<Subject, Failure> {
    let words: Vec<OsString> = words.0;
    let parsed = crate::arguments::parse(words);
    let parsed = parsed.map_err(|error| Failure::Usage(error.to_string()))?;
    let given = match &parsed.command {
        Command::Bench(bench) => Some((bench.of_agent(), bench.first())),
        Command::Study(study) => match &study.command {
            StudyCommand::Run(run) => Some((&run.agent, Scheme::V2c)),
            StudyCommand::Replay { agent, .. } => Some((&**agent, Scheme::V2c)),
            _ => None,
        },
        _ => None,
    };
    let (given, first) =
        given.ok_or_else(|| Failure::Usage("the command runs no study".to_owned()))?;
    running_agent(agent, given, first).map(Subject::External)
}

fn running_agent(
    agent: &ExternalAgent,
    arguments: &AgentArguments,
    first: Scheme,
) -> Result<RunningAgent, Failure> {
    let account = arguments.account()?;
    let first = match agent.user {
        Some(user) if !agent.has_community => user,
        _ => first,
    };
    let mut addresses = Vec::new();
    for (address, target) in agent.addresses.iter().zip(&agent.targets) {
        let address: TransportAddress = address
            .parse()
            .map_err(|error| Failure::Usage(format!("{address}: {error}")))?;
        addresses.push(AgentAddress {
            target: *target,
            accesses: arguments.accesses(&address)?.map(Box::new),
            first: match target.transport.is_secure() {
                true => Scheme::V3Transport,
                false => first,
            },
        });
    }
    let or = |given: Option<String>, usual: &str| given.unwrap_or_else(|| usual.to_owned());
    Ok(RunningAgent {
        addresses,
        credentials: Credentials {
            community: or(arguments.community()?, READ_COMMUNITY),
            write_community: or(arguments.write_community()?, WRITE_COMMUNITY),
            users: account.map_or(Users::None, Users::One),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects_are_names_or_addresses_with_their_transport() {
        let read = SubjectChoice::read;
        assert_eq!(read("net-snmp").unwrap(), SubjectChoice::NetSnmp);
        for address in ["udp:varbind", "tls:192.0.2.1:10161", "ssh:ops@router1"] {
            assert!(matches!(read(address).unwrap(), SubjectChoice::Address(_)));
        }
        let wrong = read("net-snnmp").unwrap_err();
        assert!(wrong.contains("udp:192.0.2.1"), "{wrong}");
    }

    fn run(line: &str) -> Result<Option<ExternalAgent>, Failure> {
        let words = format!("varbind-lab study run du2001 {line}");
        let words = words.split_whitespace().map(OsString::from).collect();
        let parsed = crate::arguments::parse(words).unwrap();
        let Command::Study(study) = parsed.command else {
            panic!("no study");
        };
        let StudyCommand::Run(run) = study.command else {
            panic!("no run");
        };
        run.external()
    }

    #[test]
    fn what_is_known_of_an_agent_comes_from_the_options() {
        let agent = run("--subject varbind,udp:127.0.0.1:1161 --subject tcp:127.0.0.1:1161");
        let agent = agent.unwrap().unwrap();
        assert_eq!(agent.addresses.len(), 2);
        assert!(agent.has_community && agent.user.is_none() && !agent.may_be_set);
        assert_eq!(agent.name, AgentName::default());
        let agent = run("--subject udp:127.0.0.1 --name r1 -u ops --write-community x").unwrap();
        let agent = agent.unwrap();
        assert_eq!(agent.name.to_string(), "r1");
        assert!(!agent.has_community && agent.may_be_set);
        assert!(agent.user.is_some());
        assert!(run("--subject varbind").unwrap().is_none());
    }

    #[test]
    fn credentials_without_an_address_and_two_addresses_over_one_transport_are_refused() {
        for (line, expected) in [
            ("-c secret", "--subject udp:192.0.2.1"),
            ("--name router", "--subject udp:192.0.2.1"),
            (
                "--subject udp:127.0.0.1:1 --subject udp:127.0.0.1:2",
                "two addresses over udp",
            ),
            ("--subject udp:127.0.0.1 --slow 25%", "--slow"),
            ("--subject udp:127.0.0.1 --network lan", "--network"),
        ] {
            let told = run(line).unwrap_err().to_string();
            assert!(
                told.contains(expected) && !told.contains("secret"),
                "{told}"
            );
        }
    }
}
