//! The command simulate.

mod report;
mod watch;

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use rustix::process::{Resource, getrlimit, setrlimit};
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::{MissedTickBehavior, interval};
use varbind::transport::TransportAddress;
use varbind_simulator::device::AddressRange;
use varbind_simulator::{Player, Simulation, SimulationSettings};
use varbind_terminal::{Failure, log, messages};

use report::Report;
use watch::Watch;

const AFTER: &str = "\
PATH is a folder of recordings (.snmprec, .snmpwalk, .sapwalk, .jsonl, or one of them as .bz2), one recording, or a
configuration FILE.toml beside recordings. In a folder, simulation.toml is the configuration, if it exists: docs/simulate.md.
Without one, the community or the context of a request is the name of a recording, and public stands for the first.
A changed configuration counts at once, or after SIGHUP, which reads changed recordings too. SIGTERM and Ctrl-C end the
simulation and print what became of requests.";

/// How often it is looked whether the configuration has changed.
const WATCH: Duration = Duration::from_millis(500);

#[derive(Args, Debug)]
#[command(after_help = AFTER)]
pub(crate) struct Arguments {
    /// Folder of recordings, one recording, or FILE.toml
    #[arg(value_name = "PATH")]
    path: PathBuf,

    /// Listen here instead of where the configuration says, as udp:127.0.0.1:1161; may be repeated
    #[arg(long, value_name = "ADDRESS")]
    listen: Vec<TransportAddress>,

    /// A device at each of these addresses, as 127.1.0.0/16 or 127.1.0.1-127.1.3.232, instead of the groups of the configuration
    #[arg(long, value_name = "RANGE")]
    addresses: Option<AddressRange>,

    /// Community of devices whose group names none; may be repeated [default: public]
    #[arg(short = 'c', long, value_name = "COMMUNITY")]
    community: Vec<String>,

    /// What serial numbers, rates of counters and faults are drawn from, instead of what the configuration says
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,

    /// Let sysUpTime and counters go on, where a group does not say
    #[arg(long)]
    live: bool,

    /// Read everything, print what was found, and end
    #[arg(long)]
    check: bool,

    /// Print JSON, a line for each event: loaded, listening, replaced, kept and ended
    #[arg(long)]
    json: bool,

    /// Tell more on standard error; the environment variable VARBIND_LOG chooses finer
    #[arg(short = 'd', long)]
    debug: bool,
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        log::start(if self.debug { "debug" } else { "warn" });
        let report = Report { is_json: self.json };
        let watch = Watch::new(self.settings()?);
        let loaded = Simulation::load(watch.settings());
        let (simulation, found) = loaded.map_err(|error| Failure::Usage(error.to_string()))?;
        report.loaded(&found)?;
        if self.check {
            return Ok(());
        }
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(Failure::Output)?;
        // Before the announcement: its reader may send a signal at once.
        let signals = {
            let _inside = runtime.enter();
            Signals::new().map_err(Failure::Output)?
        };
        raise_open_files();
        let player = Player::start(simulation);
        let player = player.map_err(|error| Failure::Usage(error.to_string()))?;
        report.listening(&player)?;
        let mut service = Service {
            arguments: self,
            report,
            watch,
            player,
        };
        service.run(&runtime, signals)?;
        service.report.ended(&service.player)
    }

    fn settings(&self) -> Result<SimulationSettings, Failure> {
        let settings = SimulationSettings::of_path(&self.path);
        let settings = settings
            .map_err(|error| Failure::Usage(format!("{}: {error}", self.path.display())))?;
        Ok(SimulationSettings {
            listen: self.listen.clone(),
            addresses: self.addresses,
            communities: self.community.clone(),
            seed: self.seed,
            live: self.live,
            ..settings
        })
    }
}

/// A session with each of many devices is an open file.
fn raise_open_files() {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    if let Err(error) = setrlimit(Resource::Nofile, limit) {
        ::log::debug!("the limit of open files stays: {error}");
    }
}

/// The signals, caught.
struct Signals {
    hangup: Signal,
    terminate: Signal,
    interrupt: Signal,
}

/// What happens to a simulation that runs.
enum Event {
    Hangup,
    Tick,
    End,
}

impl Signals {
    fn new() -> std::io::Result<Self> {
        Ok(Self {
            hangup: signal(SignalKind::hangup())?,
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }
}

struct Service<'a> {
    arguments: &'a Arguments,
    report: Report,
    watch: Watch,
    player: Player,
}

impl Service<'_> {
    /// Until a signal ends it.
    fn run(&mut self, runtime: &Runtime, mut signals: Signals) -> Result<(), Failure> {
        let mut ticks = {
            let _inside = runtime.enter();
            interval(WATCH)
        };
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let event = runtime.block_on(async {
                tokio::select! {
                    biased;
                    _ = signals.terminate.recv() => Event::End,
                    _ = signals.interrupt.recv() => Event::End,
                    _ = signals.hangup.recv() => Event::Hangup,
                    _ = ticks.tick() => Event::Tick,
                }
            });
            match event {
                Event::End => return Ok(()),
                Event::Hangup => self.replace()?,
                Event::Tick if self.watch.has_changed() => self.replace()?,
                Event::Tick => {}
            }
        }
    }

    /// Plays the current files. After an error the old simulation stays.
    fn replace(&mut self) -> Result<(), Failure> {
        let settings = match self.arguments.settings() {
            Ok(settings) => settings,
            Err(failure) => return self.report.kept(&failure.to_string()),
        };
        self.watch = Watch::new(settings);
        let former = self.player.simulation();
        let loaded = Simulation::load_again(self.watch.settings(), &former.library);
        let (simulation, found) = match loaded {
            Ok(loaded) => loaded,
            Err(error) => return self.report.kept(&error.to_string()),
        };
        if simulation.listen != former.listen {
            let listen: Vec<_> = former.listen.iter().map(ToString::to_string).collect();
            messages::report(format_args!(
                "listen has changed: that counts at the next start; {} stays",
                listen.join(", ")
            ));
        }
        match self.player.replace(simulation) {
            Ok(()) => self.report.replaced(&found),
            Err(error) => self.report.kept(&error.to_string()),
        }
    }
}
