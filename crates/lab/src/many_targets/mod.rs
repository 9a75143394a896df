//! `varbind bench --targets`: what our client costs that asks many agents, beside a loop that only sends and receives.
//!
//! All targets are addresses of loopback, behind which one agent answers on another processor core. Each run is a process of
//! its own, and the runs of one round are neighbours in time, in random order. Paced Gets with and without dead targets share a
//! process, in alternating windows.

mod bare;
mod client;
mod output;
mod paced;
mod result;

pub use output::{write_many_targets_outputs, write_many_targets_terminal};
pub use result::{
    LoadResult, MANY_TARGETS_SCHEMA_VERSION, ManyTargetsReport, TargetsResult, TargetsRun,
};

use std::io;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use varbind_engine::security::usm::{AuthenticationProtocol, PrivacyProtocol};

use crate::bench::BenchError;
use crate::environment::{environment, load_average};
use crate::measurement::{Placement, TransportKind};
use crate::process::{Cores, end_with_parent, place};
use crate::progress::Progress;
use crate::security::Protection;
use crate::statistics::Random;
use crate::subject::{Agent, Demands, Subject};

/// The address of the first target, and of the first that does not answer.
const FIRST: Ipv4Addr = Ipv4Addr::new(127, 1, 0, 0);
const FIRST_DEAD: Ipv4Addr = Ipv4Addr::new(127, 128, 0, 0);
/// How many there can be.
const MOST: u32 = 1 << 20;
/// The user of SNMPv3.
const USER: Protection =
    Protection::AuthPriv(AuthenticationProtocol::Sha1, PrivacyProtocol::Aes128);
/// Requests in flight, where requests are sent as fast as they are answered.
const IN_FLIGHT: usize = 256;

/// What to measure.
#[derive(Clone, Debug)]
pub struct ManyTargetsOptions {
    /// The varbind executable: the agent.
    pub varbind: PathBuf,
    /// How this program is started so that it calls [`run_targets`] with one more argument.
    pub runner: (PathBuf, Vec<String>),
    /// How many targets, one behind the other.
    pub targets: Vec<u32>,
    /// How often each is measured.
    pub rounds: u32,
    /// How long each run takes. Each window of paced Gets times a quarter as long.
    pub duration: Duration,
    /// What random order and intervals are made from.
    pub seed: u64,
}

/// What is done with the targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Load {
    /// One Get after the other from each, by a loop of system calls without any library: what the kernel costs.
    Bare,
    /// The same by our client, in SNMPv2c, with a task for each target.
    V2c,
    /// The same by as many tasks as there are requests in flight: each asks one target after the other.
    V2cPool,
    /// A task for each target, with a user: SHA-1 and AES-128.
    User,
    /// A Get from each now and then, 10,000 a second in all.
    Paced,
    /// The same, while a tenth as many targets more never answer.
    PacedBesideDead,
}

impl Load {
    pub(crate) const ALL: [Self; 6] = [
        Self::Bare,
        Self::V2c,
        Self::V2cPool,
        Self::User,
        Self::Paced,
        Self::PacedBesideDead,
    ];

    /// One for each process of a round: that of `Paced` does both kinds of paced Gets.
    const PROCESSES: [Self; 5] = [
        Self::Bare,
        Self::V2c,
        Self::V2cPool,
        Self::User,
        Self::Paced,
    ];
}

/// One run, as passed to its process.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Order {
    load: Load,
    port: u16,
    targets: u32,
    seconds: f64,
}

impl Order {
    fn target(&self, number: u32) -> SocketAddr {
        SocketAddrV4::new(Ipv4Addr::from(u32::from(FIRST) + number), self.port).into()
    }

    fn duration(&self) -> Duration {
        Duration::from_secs_f64(self.seconds)
    }

    /// How long the Gets of a window of paced Gets are timed.
    fn window(&self) -> Duration {
        self.duration() / 4
    }
}

/// Measures the client as the options say.
///
/// Progress goes to standard error. The calling thread's choice of processor cores is changed meanwhile and set free at the
/// end.
///
/// # Errors
/// If there are too many targets, the agent cannot be started, a run fails, or the machine cannot be read.
pub fn run_many_targets(options: &ManyTargetsOptions) -> Result<ManyTargetsReport, BenchError> {
    if let Some(count) = options
        .targets
        .iter()
        .find(|count| !(10..=MOST).contains(*count))
    {
        let text = format!("{count} targets cannot be measured: say 10 to {MOST}");
        return Err(BenchError::Options(text));
    }
    let begun = Instant::now();
    let cores = Cores::available().map_err(BenchError::Machine)?;
    let subject = Subject::Varbind {
        executable: options.varbind.clone(),
    };
    let demands = Demands {
        users: vec![USER],
        is_whole_loopback: true,
        ..Demands::default()
    };
    let mut environment = environment(&cores, options.seed);
    environment.subjects = vec![subject.describe()];
    let agent = subject.start(&demands).map_err(BenchError::Subject)?;
    place(&cores, Placement::SplitCores, agent.id()).map_err(BenchError::Machine)?;
    let runs = runs(options, &agent, Progress::new(begun));
    place(&cores, Placement::Free, agent.id()).map_err(BenchError::Machine)?;
    let runs = runs.map_err(BenchError::Machine)?;
    environment.load_at_end = load_average();
    environment.duration = begun.elapsed().as_secs_f64();
    let results = options.targets.iter();
    Ok(ManyTargetsReport {
        schema_version: MANY_TARGETS_SCHEMA_VERSION,
        environment,
        run_seconds: options.duration.as_secs_f64(),
        results: results
            .map(|&count| TargetsResult::new(count, &runs))
            .collect(),
    })
}

fn runs(
    options: &ManyTargetsOptions,
    agent: &Agent,
    mut progress: Progress,
) -> io::Result<Vec<TargetsRun>> {
    let target = agent.target(TransportKind::Udp);
    let port = target.map_or(0, |target| target.address.port());
    let mut random = Random::new(options.seed);
    let (mut runs, mut done) = (Vec::new(), 0);
    let total = options.rounds as usize * options.targets.len() * Load::PROCESSES.len();
    for _ in 0..options.rounds {
        for &targets in &options.targets {
            let mut loads = Load::PROCESSES;
            random.shuffle(&mut loads);
            for load in loads {
                let order = Order {
                    load,
                    port,
                    targets,
                    seconds: options.duration.as_secs_f64(),
                };
                runs.extend(run(options, &order)?);
                done += 1;
                progress.report("targets", done, total);
            }
        }
    }
    progress.finish();
    Ok(runs)
}

/// Has a process do one run, or both of paced Gets.
fn run(options: &ManyTargetsOptions, order: &Order) -> io::Result<Vec<TargetsRun>> {
    let (executable, arguments) = &options.runner;
    let mut command = Command::new(executable);
    command.args(arguments).arg(serde_json::to_string(order)?);
    command.stdin(Stdio::null()).stderr(Stdio::inherit());
    let output = end_with_parent(&mut command).output()?;
    if !output.status.success() {
        let text = format!(
            "a run with {} targets failed: {}",
            order.targets, output.status
        );
        return Err(io::Error::other(text));
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Does the run that is described as JSON, and writes what was found to standard output.
///
/// # Errors
/// If the order cannot be read, or a socket fails.
pub fn run_targets(order: &str) -> io::Result<()> {
    let order: Order = serde_json::from_str(order)?;
    let runs = match order.load {
        Load::Bare => vec![bare::run(&order)?],
        _ => client::run(&order)?,
    };
    println!("{}", serde_json::to_string(&runs)?);
    Ok(())
}
