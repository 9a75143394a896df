//! The commands, one in each file.

mod agent;
#[cfg(feature = "collect")]
mod collect;
mod complete_words;
mod deferred;
mod delta;
mod df;
mod doctor;
mod get;
mod getbulk;
mod mib;
mod netstat;
mod notify;
mod packets;
mod pki;
mod receive;
mod record;
mod set;
mod simulate;
mod ssh_subsystem;
mod status;
mod table;
mod top;
mod translate;
pub(crate) mod usm;
mod vacm;
mod walk;
mod web;

use std::ffi::OsString;

use clap::{CommandFactory, Parser, Subcommand};
use varbind::engine::applications::notification_receiver::NotificationKind;
use varbind_terminal::Failure;
use varbind_terminal::completions::{CompletionsArguments, WORDS_COMMAND};
use varbind_terminal::manual::ManArguments;

use crate::arguments::{EXIT_CODES, HELP, grouped, spell_out_net_snmp_options};
use crate::build;
use crate::laboratory;
use crate::manual::MANUAL;
use deferred::Deferred;
pub(crate) use notify::{Delivery, Said, up_time};
pub(crate) use status::up_time as uptime_text;
pub(crate) use translate::{Listing, matching_objects};
pub(crate) use vacm::Row as VacmRow;

/// SNMP tools, agent, receiver, collector and simulator, over UDP, TCP, TLS, DTLS and SSH.
#[derive(Debug, Parser)]
#[command(name = "varbind", version, long_version = build::LONG_VERSION.as_str(), disable_help_subcommand = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Reads the command line, and masks the secrets in it, which other users of this host see in the list of processes.
pub(crate) fn parse(words: Vec<OsString>) -> Result<Arguments, clap::Error> {
    let words = spell_out_net_snmp_options(words)?;
    let arguments = varbind_terminal::arguments::parse(definition(), words, &HELP);
    #[cfg(not(feature = "experiments"))]
    let arguments = arguments.map_err(build::explain);
    arguments
}

/// The definition of the command line, from which manual pages and completions are generated.
pub(crate) fn definition() -> clap::Command {
    let definition = Arguments::command().subcommands(laboratory::definitions());
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{}Options:\n{{options}}{{after-help}}",
        grouped(&definition)
    );
    definition.help_template(template).after_help(EXIT_CODES)
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Ask for the values of instances (GetRequest)
    Get(Deferred<get::Arguments>),
    /// Ask for the instances that follow names (GetNextRequest)
    Getnext(Deferred<get::Arguments>),
    /// Fetch many successors of each name in one request (GetBulkRequest)
    Getbulk(Deferred<getbulk::Arguments>),
    /// Set values: all or none (SetRequest)
    Set(Deferred<set::Arguments>),
    /// Retrieve subtrees in the fastest way that the agent allows
    Walk(Deferred<walk::Arguments>),
    /// Retrieve subtrees with GetBulkRequests: as walk, but not with SNMPv1
    Bulkwalk(Deferred<walk::Arguments>),
    /// Retrieve a table and show its rows
    Table(Deferred<table::Arguments>),
    /// Watch hosts: rates of interfaces, errors, processors, round trips and loss
    Top(Deferred<top::Arguments>),
    /// Show a host in three lines: what it is, its interfaces and packets
    Status(Deferred<status::Arguments>),
    /// Show the storage of a host, as df does
    Df(Deferred<df::Arguments>),
    /// Show the connections, interfaces, routes or counters of a host, as netstat does
    Netstat(Deferred<netstat::Arguments>),
    /// Show how much counters grow from one request to the next
    Delta(Deferred<delta::Arguments>),
    /// Create and delete SNMPv3 users of an agent, and change their passwords
    Usm(Deferred<usm::Arguments>),
    /// Create and delete groups, views and access rights of an agent
    Vacm(Deferred<vacm::Arguments>),
    /// Show names as OBJECT IDENTIFIERs and the other way round, without any agent
    Translate(Deferred<translate::Arguments>),
    /// Make catalogs of MIB modules, and tell what they define
    Mib(Deferred<mib::Arguments>),
    /// Ask an agent over HTTP or HTTPS: RESTCONF and metrics
    Web(Deferred<web::Arguments>),
    /// Send a trap, which is not acknowledged
    Trap(Deferred<notify::Arguments>),
    /// Send an inform, and repeat it until it is acknowledged
    Inform(Deferred<notify::Arguments>),
    /// Receive traps and informs, and show them or run a command for each
    Receive(Deferred<receive::Arguments>),
    /// Poll devices for Prometheus and other systems, in place of snmp_exporter or on a schedule
    #[cfg(feature = "collect")]
    Collect(Deferred<collect::Arguments>),
    /// Find out why an agent does not answer, and which command line works
    Doctor(Deferred<doctor::Arguments>),
    /// Write a recording of an agent, which varbind simulate plays
    Record(Deferred<record::Arguments>),
    /// Play recordings as a fleet of devices, each with its own address, name and faults
    Simulate(Deferred<simulate::Arguments>),
    /// Serve the objects of this host until a signal ends it
    Agent(Deferred<agent::Arguments>),
    /// Make certificates for TLS and DTLS, and tell what is in them
    Pki(Deferred<pki::Arguments>),
    /// Connect a session of OpenSSH's server with the agent, for sshd_config
    SshSubsystem(Deferred<ssh_subsystem::Arguments>),
    /// Write the words that the last one of a command line may become
    #[command(hide = true, name = WORDS_COMMAND)]
    CompleteWords(Deferred<complete_words::Arguments>),
    /// Write completions for a shell to standard output
    Completions(Deferred<CompletionsArguments>),
    /// Write manual pages into a directory
    Man(Deferred<ManArguments>),
}

impl Command {
    /// Finds the hosts that the command line names in the inventory.
    pub(crate) fn find_hosts(&mut self) -> Result<(), Failure> {
        match self {
            Self::Get(arguments) | Self::Getnext(arguments) => arguments.find_hosts(),
            Self::Getbulk(arguments) => arguments.find_hosts(),
            Self::Set(arguments) => arguments.find_hosts(),
            Self::Walk(arguments) | Self::Bulkwalk(arguments) => arguments.find_hosts(),
            Self::Table(arguments) => arguments.find_hosts(),
            Self::Record(arguments) => arguments.find_host(),
            Self::Doctor(arguments) => arguments.find_hosts(),
            Self::Top(arguments) => arguments.find_hosts(),
            Self::Trap(arguments) | Self::Inform(arguments) => arguments.find_host(),
            Self::Status(arguments) => arguments.find_host(),
            Self::Df(arguments) => arguments.find_host(),
            Self::Netstat(arguments) => arguments.find_host(),
            Self::Delta(arguments) => arguments.find_host(),
            Self::Usm(arguments) => arguments.find_host(),
            Self::Vacm(arguments) => arguments.find_host(),
            _ => Ok(()),
        }
    }

    pub(crate) fn run(&self) -> Result<(), Failure> {
        match self {
            Self::Get(arguments) => arguments.run(get::Request::Get),
            Self::Getnext(arguments) => arguments.run(get::Request::GetNext),
            Self::Getbulk(arguments) => arguments.run(),
            Self::Set(arguments) => arguments.run(),
            Self::Walk(arguments) => arguments.run(),
            Self::Bulkwalk(arguments) => arguments.run_bulk(),
            Self::Table(arguments) => arguments.run(),
            Self::Top(arguments) => arguments.run(),
            Self::Status(arguments) => arguments.run(),
            Self::Df(arguments) => arguments.run(),
            Self::Netstat(arguments) => arguments.run(),
            Self::Delta(arguments) => arguments.run(),
            Self::Usm(arguments) => arguments.run(),
            Self::Vacm(arguments) => arguments.run(),
            Self::Translate(arguments) => arguments.run(),
            Self::Mib(arguments) => arguments.run(),
            Self::Trap(arguments) => arguments.run(NotificationKind::Trap),
            Self::Inform(arguments) => arguments.run(NotificationKind::Inform),
            Self::Web(arguments) => arguments.run(),
            Self::Receive(arguments) => arguments.run(),
            #[cfg(feature = "collect")]
            Self::Collect(arguments) => arguments.run(),
            Self::Doctor(arguments) => arguments.run(),
            Self::Record(arguments) => arguments.run(),
            Self::Simulate(arguments) => arguments.run(),
            Self::Agent(arguments) => arguments.run(),
            Self::Pki(arguments) => arguments.run(),
            Self::SshSubsystem(arguments) => arguments.run(),
            Self::CompleteWords(arguments) => arguments.run(),
            Self::Completions(arguments) => arguments.run(definition()),
            Self::Man(arguments) => arguments.run(definition(), &MANUAL),
        }
    }
}
