//! A collector: in place of snmp_exporter, or of a fleet on a schedule.

#[cfg(feature = "nats")]
mod cluster;
mod exporter;
mod fleet;
mod generate;
mod listen;
mod notifications;
mod sessions;
mod signals;

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use varbind_terminal::arguments::{CertificateArguments, SshArguments};
use varbind_terminal::{Failure, log};

use crate::core_dumps;
use listen::{Host, ListenAddress};

const AFTER: &str = "\
Without FLEET, the program is an exporter: Prometheus asks /snmp?target=ADDRESS&module=NAME&auth=NAME, as it asks snmp_exporter. Addresses are HOST, HOST:PORT, tcp:HOST,
tls:HOST, dtls:HOST or ssh:USER@HOST.

With FLEET, it polls the targets that this file names on a schedule of its own, and gives what they respond to outputs: see docs/collect.md. A file with
the name generate is written ./generate.

SIGHUP, or POST to /-/reload, reads the configuration, certificates and keys again. If anything is wrong with them, the former ones
stay. SIGUSR1 prints the state of the targets of FLEET on standard error. SIGTERM and SIGINT end the program.";

#[derive(Args, Debug)]
#[command(after_help = AFTER, args_conflicts_with_subcommands = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Option<Action>,

    /// What to poll, how often, and where values go (TOML)
    #[arg(
        value_name = "FLEET",
        conflicts_with_all = ["config_files", "expand", "listen", "module_concurrency", "keep_large_counters"]
    )]
    fleet: Option<PathBuf>,

    /// Write each poll of FLEET to standard output as a line of JSON
    #[arg(long, requires = "fleet")]
    json: bool,

    /// Share FLEET with other collectors by way of this server of NATS, as nats://HOST:4222; may be repeated
    #[cfg(feature = "nats")]
    #[arg(long, value_name = "URL", requires = "fleet")]
    cluster: Vec<String>,

    /// Name of this collector among those of --cluster; otherwise that of this host
    #[cfg(feature = "nats")]
    #[arg(long, value_name = "NAME", requires = "cluster")]
    cluster_name: Option<String>,

    /// Modules and auths: a file of snmp_exporter, or a pattern as 'snmp*.yml'; may be repeated
    #[arg(
        long = "config.file",
        value_name = "FILE",
        default_value = "snmp.yml",
        help_heading = "Exporter"
    )]
    config_files: Vec<PathBuf>,

    /// Replace $NAME and ${NAME} in user names and passwords by variables of the environment
    #[arg(
        long = "config.expand-environment-variables",
        help_heading = "Exporter"
    )]
    expand: bool,

    /// Listen here: ADDRESS:PORT, or :PORT for all addresses; may be repeated
    #[arg(
        long = "web.listen-address",
        value_name = "ADDRESS",
        default_value = ":9116",
        help_heading = "Exporter"
    )]
    listen: Vec<ListenAddress>,

    /// Name by which Prometheus calls this program, besides its addresses and the name of this host; * is any; may be repeated
    ///
    /// Requests with other names are refused with status 421, since they may come from a web page of a stranger (DNS rebinding).
    #[arg(long = "web.host", value_name = "NAME", help_heading = "Exporter")]
    hosts: Vec<Host>,

    /// Ask an agent for this many modules of a request at once
    #[arg(
        long = "snmp.module-concurrency",
        value_name = "N",
        default_value_t = 1,
        help_heading = "Exporter"
    )]
    module_concurrency: usize,

    /// Write 64-bit counters as they are; otherwise they begin anew at 2^53, as those of snmp_exporter do
    #[arg(long = "no-snmp.wrap-large-counters", help_heading = "Exporter")]
    keep_large_counters: bool,

    /// The default, which snmp_exporter has an option for.
    #[arg(
        long = "snmp.wrap-large-counters",
        hide = true,
        overrides_with = "keep_large_counters"
    )]
    wrap_large_counters: bool,

    /// Check the configuration, and end
    #[arg(long, visible_alias = "check")]
    dry_run: bool,

    #[command(flatten)]
    certificate: CertificateArguments,

    #[command(flatten)]
    ssh: SshArguments,

    /// What is written to standard error; the environment variable VARBIND_LOG chooses finer
    #[arg(
        long = "log.level",
        value_name = "LEVEL",
        value_enum,
        default_value_t = Level::Info
    )]
    log_level: Level,

    /// The same as --log.level=debug
    #[arg(short = 'd', long)]
    debug: bool,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Make snmp.yml from a generator.yml of snmp_exporter and MIB modules
    Generate(generate::Arguments),
}

/// The levels of snmp_exporter's log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Level {
    Debug,
    Info,
    Warn,
    Error,
}

impl Level {
    const fn name(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Warn => "warn",
            Self::Error => "error",
        }
    }
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        if let Some(Action::Generate(arguments)) = &self.action {
            return arguments.run();
        }
        let level = if self.debug {
            Level::Debug
        } else {
            self.log_level
        };
        log::start(level.name());
        core_dumps::forbid()?;
        match &self.fleet {
            Some(path) => self.run_fleet(path),
            None => self.run_exporter(),
        }
    }
}
