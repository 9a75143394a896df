mod names;
mod options;

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use varbind::transport::TransportAddress;
use varbind_lab::bench::{
    BaselineComparison, BenchError, Outputs, Peer, RequestKind, read_baseline, write_bench_outputs,
    write_bench_summary, write_bench_tables,
};
use varbind_lab::hostile::{run_hostile, write_hostile_outputs, write_hostile_terminal};
use varbind_lab::many_targets::{
    run_many_targets, write_many_targets_outputs, write_many_targets_terminal,
};
use varbind_lab::security::{AuthenticationProtocol, PrivacyProtocol};
use varbind_lab::soak::{run_soak, write_soak_outputs, write_soak_terminal};
use varbind_lab::study::{AgentName, write_results};
use varbind_terminal::arguments::{MibArguments, seconds};
use varbind_terminal::{Failure, log};

use super::study::{NOTHING, has_values, run_until_signal};
use crate::agent_arguments::AgentArguments;
use names::{LevelName, PlacementName, TransportName, VersionName};

const AFTER: &str = "\
Without --agent it starts an agent of its own on loopback, with the interfaces of this host.
Each round measures everything once, in random order; --seed repeats the order.";

#[derive(Args, Debug)]
#[command(after_help = AFTER)]
pub(crate) struct Arguments {
    /// Measure this agent, which runs already: [udp:|tcp:|tls:|dtls:]HOST[:PORT] or ssh:[USER@]HOST[:PORT]
    #[arg(long, value_name = "TARGET", help_heading = "Subjects")]
    agent: Option<TransportAddress>,

    /// Measure another agent beside, started with the same data: net-snmp
    #[arg(long, value_name = "SUBJECT", help_heading = "Subjects")]
    compare: Vec<Peer>,

    /// Versions of SNMP [default: 2c,1, and 3 with authPriv over the first transport]
    #[arg(
        short = 'v',
        long,
        value_name = "VERSIONS",
        value_delimiter = ',',
        help_heading = "Requests"
    )]
    versions: Vec<VersionName>,

    /// Security levels of SNMPv3: noAuthNoPriv, authNoPriv, authPriv [default: all with -v 3]
    #[arg(
        short = 'l',
        long,
        value_name = "LEVELS",
        ignore_case = true,
        value_delimiter = ',',
        help_heading = "Requests"
    )]
    security_levels: Vec<LevelName>,

    /// Authentication protocols: MD5, SHA, SHA-224, SHA-256, SHA-384, SHA-512 [default: SHA]
    #[arg(
        short = 'a',
        long,
        value_name = "PROTOCOLS",
        value_delimiter = ',',
        help_heading = "Requests"
    )]
    authentication: Vec<AuthenticationProtocol>,

    /// Privacy protocols: DES, AES, AES-192, AES-192-C, AES-256, AES-256-C [default: AES]
    #[arg(
        short = 'x',
        long,
        value_name = "PROTOCOLS",
        value_delimiter = ',',
        help_heading = "Requests"
    )]
    privacy: Vec<PrivacyProtocol>,

    /// Turn the passwords into keys in each session of requests, within the response time
    #[arg(long, help_heading = "Course")]
    derive_per_session: bool,

    /// Transports [default: all]
    #[arg(
        long,
        value_name = "TRANSPORTS",
        value_delimiter = ',',
        help_heading = "Requests"
    )]
    transports: Vec<TransportName>,

    /// Requests: get, getnext, getbulk, set, walk, bulkwalk [default: get,getnext,getbulk,set,walk]
    #[arg(
        long,
        value_name = "REQUESTS",
        value_delimiter = ',',
        help_heading = "Requests"
    )]
    requests: Vec<RequestKind>,

    /// What to ask for, or to walk [default: what suits each request]
    #[arg(value_name = "OID")]
    names: Vec<String>,

    /// What to set: name, type and value [default: sysContact.0]; may be repeated
    #[arg(long, num_args = 3, value_names = ["OID", "TYPE", "VALUE"], allow_negative_numbers = true, help_heading = "Requests")]
    set: Vec<String>,

    /// non-repeaters of GetBulk (-CnN)
    #[arg(long, value_name = "N", help_heading = "Requests")]
    non_repeaters: Option<u16>,

    /// max-repetitions of GetBulk (-CrN)
    #[arg(long, value_name = "N", help_heading = "Requests")]
    max_repetitions: Option<u16>,

    /// Sessions in each repetition [default: what suits the request]
    #[arg(long, value_name = "N", help_heading = "Course")]
    sessions: Option<u32>,

    /// Exchanges in each session [default: what suits the request]
    #[arg(long, value_name = "N", help_heading = "Course")]
    exchanges: Option<u32>,

    /// How often everything is measured [default: 30, or 6 with --quick; what takes long less often]
    #[arg(long, value_name = "N", help_heading = "Course", value_parser = clap::value_parser!(u32).range(1..))]
    repetitions: Option<u32>,

    /// Keep N requests outstanding, instead of one
    #[arg(long, value_name = "N", group = "mode", help_heading = "Course", value_parser = clap::value_parser!(u32).range(1..))]
    window: Option<u32>,

    /// Send N requests together, and the next ones when all are answered
    #[arg(long, value_name = "N", group = "mode", help_heading = "Course", value_parser = clap::value_parser!(u32).range(1..))]
    burst: Option<u32>,

    /// Send so many requests per second, by the clock; latency counts from the intended time
    #[arg(long, value_name = "RATE", group = "mode", help_heading = "Course", value_parser = rate)]
    rate: Option<f64>,

    /// Processor cores of manager and agent, for requests; figures share one core
    #[arg(
        long,
        value_name = "PLACEMENT",
        default_value = "same-core",
        help_heading = "Course"
    )]
    placement: PlacementName,

    /// Wait this long for each answer [default: 1]
    #[arg(short = 't', long, value_name = "SECONDS", value_parser = seconds, help_heading = "Course")]
    timeout: Option<Duration>,

    /// Repeat an unanswered request this often [default: 5]
    #[arg(short = 'r', long, value_name = "N", help_heading = "Course")]
    retries: Option<u32>,

    /// Seed of the random order
    #[arg(
        long,
        value_name = "NUMBER",
        default_value_t = 1,
        help_heading = "Course"
    )]
    seed: u64,

    /// Fewer repetitions: a look rather than a measurement
    #[arg(long, help_heading = "Course")]
    quick: bool,

    /// Requests only: no figures, whole sessions, memory or notifications
    #[arg(long, help_heading = "Course")]
    no_figures: bool,

    /// Keep the observations and write every file into this directory; a run that is interrupted goes on there
    #[arg(
        long,
        value_name = "DIRECTORY",
        help_heading = "Output",
        conflicts_with_all = ["hostile", "soak", "targets"]
    )]
    out: Option<PathBuf>,

    /// Write a page with plots
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    html: Option<PathBuf>,

    /// Write the whole report as JSON
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    json: Option<PathBuf>,

    /// Compare with a report that --json wrote: exit code 1 if a response time or an agent's CPU time is worse
    #[arg(
        long,
        value_name = "FILE",
        help_heading = "Output",
        conflicts_with_all = ["hostile", "soak", "targets"]
    )]
    baseline: Option<PathBuf>,

    /// How much worse than the baseline is too much, in per cent
    #[arg(
        long,
        value_name = "PERCENT",
        default_value_t = 10.0,
        value_parser = threshold,
        requires = "baseline",
        help_heading = "Output"
    )]
    threshold: f64,

    /// The most sessions that are open while the memory of agents is read, over each transport; 0 for none [default: 1000]
    #[arg(long, value_name = "N", help_heading = "Course")]
    open_sessions: Option<u32>,

    /// Only open, use and close sessions over all transports, until manager and agent have used so much CPU time, and
    /// watch the agent's memory
    #[arg(
        long,
        value_name = "SECONDS",
        help_heading = "Course",
        conflicts_with_all = ["agent", "compare", "html", "names", "set", "mode"]
    )]
    soak: Option<u64>,

    /// Measure well-behaved clients while hostile peers attack our agent, over each transport
    ///
    /// Starts an agent with all of --transports and HTTP on loopback. Each attack is bounded in time and number.
    #[arg(
        long,
        help_heading = "Hostile peers",
        conflicts_with_all = ["agent", "compare", "soak", "html", "names", "set", "mode"]
    )]
    hostile: bool,

    /// Measure each attack for so long
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "2",
        requires = "hostile",
        value_parser = seconds,
        help_heading = "Hostile peers"
    )]
    attack_time: Duration,

    /// Only attacks with this in their name [default: all]; may be repeated
    #[arg(
        long,
        value_name = "TEXT",
        requires = "hostile",
        help_heading = "Hostile peers"
    )]
    attack: Vec<String>,

    /// Measure our client with so many targets, beside a bare loop of system calls; a list measures several numbers
    ///
    /// All targets are addresses of loopback at which one agent answers: CPU time for each Get, memory for each target, and
    /// what targets that never answer cost the others.
    #[arg(
        long,
        value_name = "N",
        value_delimiter = ',',
        help_heading = "Many targets",
        conflicts_with_all = ["agent", "compare", "soak", "hostile", "html", "names", "set", "mode"]
    )]
    targets: Vec<u32>,

    /// Write a row for each repetition of each value
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    csv: Option<PathBuf>,

    /// Show every table, not only the summary
    #[arg(long, help_heading = "Output")]
    verbose: bool,

    /// Tell on standard error what happens; the environment variable VARBIND_LOG chooses finer
    #[arg(short = 'd', long, help_heading = "Output")]
    debug: bool,

    /// What the report calls the agent of --agent [default: external]
    #[arg(long, value_name = "NAME", help_heading = "Agents that run already")]
    name: Option<AgentName>,

    #[command(flatten)]
    of_agent: AgentArguments,

    #[command(flatten)]
    mib: MibArguments,
}

fn threshold(text: &str) -> Result<f64, String> {
    rate(text).map_err(|_| "write per cent, a number above 0".to_owned())
}

fn rate(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(rate) if rate.is_finite() && rate > 0.0 => Ok(rate),
        _ => Err("write requests per second, a number above 0".to_owned()),
    }
}

impl Arguments {
    /// The credentials of an agent that runs already.
    pub(crate) const fn of_agent(&self) -> &AgentArguments {
        &self.of_agent
    }

    pub(crate) fn run(&self, words: Vec<OsString>) -> Result<(), Failure> {
        log::start_if_wanted(self.debug);
        let outputs = Outputs {
            json: self.json.clone(),
            csv: self.csv.clone(),
            html: self.html.clone(),
        };
        // The files first: a closed pipe must not cost the measurement.
        if self.hostile {
            let report = run_hostile(&self.hostile_options()?).map_err(failure)?;
            write_hostile_outputs(&report, &outputs).map_err(failure)?;
            let mut stdout = io::stdout().lock();
            write_hostile_terminal(&report, has_colour(&stdout), self.verbose, &mut stdout)?;
        } else if !self.targets.is_empty() {
            let report = run_many_targets(&self.many_targets_options()?).map_err(failure)?;
            write_many_targets_outputs(&report, &outputs).map_err(failure)?;
            let mut stdout = io::stdout().lock();
            write_many_targets_terminal(&report, has_colour(&stdout), &mut stdout)?;
        } else if let Some(options) = self.soak_options()? {
            let report = run_soak(&options).map_err(failure)?;
            write_soak_outputs(&report, &outputs).map_err(failure)?;
            let mut stdout = io::stdout().lock();
            write_soak_terminal(&report, has_colour(&stdout), &mut stdout)?;
        } else {
            return self.bench(words, &outputs);
        }
        Ok(())
    }

    fn bench(&self, words: Vec<OsString>, outputs: &Outputs) -> Result<(), Failure> {
        // Before the measurement: it must not be for nothing.
        let baseline = self.baseline.as_deref().map(read_baseline);
        let baseline = baseline.transpose().map_err(failure)?;
        let mut options = self.run_options(words)?;
        // Only now: an agent that does not answer may have been waited for.
        let temporary = match &self.out {
            Some(_) => None,
            None => Some(tempfile::tempdir()?),
        };
        if let Some(temporary) = &temporary {
            temporary.path().clone_into(&mut options.directory);
        }
        let results = run_until_signal(&options)?;
        if let Some(out) = &self.out {
            let written = write_results(&results, out);
            written.map_err(|error| Failure::Usage(error.to_string()))?;
        }
        write_bench_outputs(&results, outputs).map_err(failure)?;
        let mut stdout = io::stdout().lock();
        let write = match self.verbose {
            true => write_bench_tables,
            false => write_bench_summary,
        };
        write(&results, has_colour(&stdout), &mut stdout)?;
        if !has_values(&results) {
            return Err(Failure::Skipped(NOTHING.to_owned()));
        }
        match baseline {
            None => Ok(()),
            Some(baseline) => {
                let threshold = self.threshold / 100.0;
                let comparison = BaselineComparison::of(&results, &baseline, threshold);
                self.print_worse(&comparison, &mut stdout)
            }
        }
    }

    /// Shows what is worse than in the baseline, which is a failure.
    fn print_worse(
        &self,
        comparison: &BaselineComparison,
        output: &mut impl Write,
    ) -> Result<(), Failure> {
        if comparison.figures == 0 {
            return Err(Failure::Usage(
                "nothing that was measured now is in the baseline: give the same options, and six repetitions or more".to_owned(),
            ));
        }
        for one in &comparison.worse {
            let ratio = one.ratio;
            writeln!(
                output,
                "worse: {}: {:.2}x [{:.2}, {:.2}]",
                one.what, ratio.value, ratio.low, ratio.high
            )?;
        }
        writeln!(
            output,
            "baseline: {} of {} figures are worse by more than {} %",
            comparison.worse.len(),
            comparison.figures,
            self.threshold
        )?;
        match comparison.worse.is_empty() {
            true => Ok(()),
            false => Err(Failure::ReportedWith(1)),
        }
    }
}

fn has_colour(output: &impl IsTerminal) -> bool {
    output.is_terminal() && std::env::var_os("NO_COLOR").is_none()
}

fn failure(error: BenchError) -> Failure {
    match error {
        BenchError::Output { error, .. } if error.kind() == io::ErrorKind::BrokenPipe => {
            Failure::ClosedPipe
        }
        error => Failure::Usage(error.to_string()),
    }
}
