//! The daemon: configuration, objects, store and listeners put together, and the signals that it obeys.

mod agentx;
mod certificate_end;
mod check;
mod listeners;
mod open_files;
mod proxied;
mod refused_sources;
mod secure_servers;
mod web;

use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};
use varbind::agent::Agent;
use varbind::clock::Clock;
use varbind::transport::TransportAddress;
#[cfg(feature = "experiments")]
use varbind::transport::ssh::SshHandicap;
use varbind_codec::smi::Oid;
use varbind_engine::applications::command_generator::MessageProcessing;

use crate::AgentError;
use crate::agentx::InheritedSockets;
use crate::configuration::{
    AgentConfiguration, ConfigurationError, DEFAULT_CONFIGURATION, ListenAddress, Runs,
};
use crate::confinement::{Confinement, RunnerCommand};
use crate::instrumentation::Instrumentation;
use crate::managed_objects::{RegistryError, SNMP_ENABLE_AUTHEN_TRAPS};
use crate::monitors::Monitors;
use crate::notifications::{FileTargets, Notifier, StartKind};
use crate::proxy::ProxiedNotifications;
use crate::service_manager;
use crate::user_keys;
use agentx::Agentx;
pub use check::{Checked, check};
use listeners::Listeners;
use proxied::Proxied;
use refused_sources::RefusedSources;
use secure_servers::{SecureServers, Servers};
use web::Web;

/// How the agent is started.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The configuration file. Without one, [`DEFAULT_CONFIGURATION`] is read if it exists.
    pub configuration: Option<PathBuf>,
    /// Where to listen, instead of where the configuration says.
    pub listen: Vec<TransportAddress>,
    /// Where the files of the host are, in a container for instance, instead of where the configuration says.
    pub host_root: Option<PathBuf>,
    /// Has the process of the agent confined, as the configuration says; this is what runs its programs then. `None` for an
    /// agent within another program.
    pub runner: Option<RunnerCommand>,
    /// An agent that requests for anything are passed on to: this one is its front, and serves no objects of its own.
    pub front: Option<Front>,
    /// What makes sessions over SSH slow on purpose, where that is measured.
    #[cfg(feature = "experiments")]
    pub ssh_handicap: SshHandicap,
    /// **Unsafe**: whether TLS is spoken without encryption, and in no other way, where that is measured. No configuration
    /// says so.
    #[cfg(all(feature = "openssl-tls", feature = "experiments"))]
    pub unsafe_tls_without_encryption: bool,
}

/// An agent behind this one.
#[derive(Clone, Debug)]
pub struct Front {
    /// Where it is.
    pub address: TransportAddress,
    /// The version that it speaks, and what goes with it.
    pub processing: MessageProcessing,
}

impl Options {
    /// An agent with this configuration file, if any, that listens here, if anywhere, instead of where the file says.
    #[must_use]
    pub fn new(configuration: Option<PathBuf>, listen: Vec<TransportAddress>) -> Self {
        Self {
            configuration,
            listen,
            host_root: None,
            runner: None,
            front: None,
            #[cfg(feature = "experiments")]
            ssh_handicap: SshHandicap::default(),
            #[cfg(all(feature = "openssl-tls", feature = "experiments"))]
            unsafe_tls_without_encryption: false,
        }
    }

    /// Where the configuration is, or would be.
    fn file(&self) -> &Path {
        let configured = self.configuration.as_deref();
        configured.unwrap_or(Path::new(DEFAULT_CONFIGURATION))
    }

    fn load(&self, runs: Runs) -> Result<AgentConfiguration, ConfigurationError> {
        let file = self.file();
        let mut configuration = if self.configuration.is_some() || file.exists() {
            AgentConfiguration::load_for(file, runs)?
        } else {
            AgentConfiguration::without_file()?
        };
        if !self.listen.is_empty() {
            let listen = self.listen.iter().cloned();
            configuration.listen = listen.map(ListenAddress::required).collect();
        }
        if let Some(root) = &self.host_root {
            configuration.host.root.clone_from(root);
        }
        if let Some(front) = &self.front {
            configuration.become_front(front.address.clone(), front.processing.clone())?;
        }
        configuration.warn_of_reach();
        configuration.warnings.extend(configuration.host.warning());
        #[cfg(feature = "experiments")]
        {
            configuration.secure_transports.ssh.handicap = self.ssh_handicap;
        }
        #[cfg(all(feature = "openssl-tls", feature = "experiments"))]
        if self.unsafe_tls_without_encryption {
            log::warn!("sessions over TLS are not encrypted: anyone on the path can read them");
            configuration.secure_transports.tls.leave_out_encryption();
        }
        open_files::raise_limit(&configuration);
        Ok(configuration)
    }
}

/// Runs the agent until SIGTERM or SIGINT. SIGHUP makes it read its configuration again, SIGUSR1 log what became of its
/// notifications, and the ages of readings and of results of programs.
///
/// Each address on which it listens is printed on standard output, as `listening on udp:127.0.0.1:161`, as soon as
/// requests to it are answered.
///
/// # Errors
/// When it cannot start; the error says what to do.
pub fn run(options: &Options) -> Result<(), AgentError> {
    let clock = Clock::start();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(AgentError::Start)?;
    let _inside = runtime.enter();
    // Before anything else, so that no signal that comes early ends the agent in the middle.
    let mut signals = Signals::new().map_err(AgentError::Start)?;
    let mut daemon = Daemon::start(options, clock)?;
    let mut watchdog = pin!(service_manager::notify_watchdog());
    service_manager::notify_ready();
    loop {
        let action = runtime.block_on(async {
            tokio::select! {
                action = daemon.next_action(&mut signals) => action,
                never = &mut watchdog => match never {},
            }
        });
        match action {
            Action::Reload => {
                service_manager::notify_reloading();
                match daemon.reload(options) {
                    Ok(()) => log::info!("the configuration was read again"),
                    Err(error) => log::error!("the old configuration stays in force: {error}"),
                }
                service_manager::notify_ready();
            }
            Action::LogState => {
                daemon.notifier.log_outcomes();
                daemon.instrumentation.log_ages();
            }
            Action::RenewNames => daemon.renew_names(),
            Action::CheckCertificate => daemon.check_certificate(),
            Action::Stop => break,
        }
    }
    service_manager::notify_stopping();
    log::info!("stopping");
    daemon.web.shutdown();
    daemon.proxied_notifications.close();
    daemon.agent.shutdown();
    daemon.agentx.shutdown();
    // What waits is sent, however many still hold the notifier.
    daemon.notifier.finish();
    daemon.instrumentation.end_programs();
    daemon.confinement.end_programs();
    Ok(())
}

enum Action {
    Reload,
    LogState,
    RenewNames,
    CheckCertificate,
    Stop,
}

struct Signals {
    hangup: Signal,
    user_defined: Signal,
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    fn new() -> std::io::Result<Self> {
        Ok(Self {
            hangup: signal(SignalKind::hangup())?,
            user_defined: signal(SignalKind::user_defined1())?,
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    async fn next(&mut self) -> Action {
        tokio::select! {
            _ = self.hangup.recv() => Action::Reload,
            _ = self.user_defined.recv() => Action::LogState,
            _ = self.terminate.recv() => Action::Stop,
            _ = self.interrupt.recv() => Action::Stop,
        }
    }
}

/// A running agent and what outlives a reload.
struct Daemon {
    confinement: Confinement,
    agent: Agent,
    listeners: Listeners,
    web: Web,
    secure_servers: SecureServers,
    servers: Servers,
    /// The rules for names over TLS and DTLS have changed.
    names_changed: Arc<Notify>,
    instrumentation: Instrumentation,
    notifier: Arc<Notifier>,
    monitors: Monitors,
    agentx: Agentx,
    proxied_notifications: ProxiedNotifications,
    refused_sources: Arc<RefusedSources>,
    /// When the end of the own certificate is looked at again.
    next_check: Instant,
}

/// The kind of a start with this configuration, which is remembered; where nobody is told, nothing is.
fn start_kind(configuration: &AgentConfiguration, instrumentation: &Instrumentation) -> StartKind {
    let tables = &instrumentation.notification_tables;
    if configuration.targets.is_empty() && tables.notify.rows().active().next().is_none() {
        return StartKind::Cold;
    }
    StartKind::of(&configuration.state_directory, configuration.checksum)
}

/// Who tells what happens, to nobody yet.
fn notifier(
    instrumentation: &Instrumentation,
    agent: &Agent,
    clock: Clock,
) -> Result<Arc<Notifier>, AgentError> {
    let instance = Oid::new(SNMP_ENABLE_AUTHEN_TRAPS)
        .and_then(|object| object.child(&[0]))
        .map_err(|error| AgentError::Registry(RegistryError::Name(error)))?;
    Ok(Notifier::new(
        clock,
        agent.current_configuration(),
        Arc::clone(&instrumentation.notification_tables),
        Arc::clone(&instrumentation.tlstm_tables),
        Arc::clone(&instrumentation.tls_statistics),
        Arc::clone(instrumentation.statistics()),
        instrumentation.store.cell(&instance),
    ))
}

/// Tells of changes of the rules for names over TLS and DTLS.
fn observe_names(instrumentation: &Instrumentation) -> Arc<Notify> {
    let names_changed = Arc::new(Notify::new());
    let told = Arc::clone(&names_changed);
    let tables = Arc::clone(&instrumentation.tlstm_tables);
    let seen = AtomicU64::new(tables.map_version());
    instrumentation.datastore.observe(move || {
        let version = tables.map_version();
        if seen.swap(version, Ordering::Relaxed) != version {
            told.notify_one();
        }
    });
    names_changed
}

/// Tells of messages that are discarded, in the log and by notifications.
fn observe_discards(agent: &Agent, notifier: &Arc<Notifier>) -> Arc<RefusedSources> {
    let told = Arc::clone(notifier);
    let refused_sources = Arc::<RefusedSources>::default();
    let refused = Arc::clone(&refused_sources);
    agent.observe_discards(move |remote, discard| {
        refused.message_discarded(remote, discard);
        told.message_discarded(remote, discard);
    });
    refused_sources
}

impl Daemon {
    fn start(options: &Options, clock: Clock) -> Result<Self, AgentError> {
        // Before any program is started, which would have them too.
        let inherited = InheritedSockets::take();
        let mut configuration = options.load(Runs::ByThisProcess)?;
        configuration.log_warnings();
        // Threads that are started from here on are confined too.
        let confinement = match &options.runner {
            Some(runner) => Confinement::begin(&configuration, options.file(), runner)?,
            None => Confinement::default(),
        };
        let instrumentation = Instrumentation::open(&configuration, clock)?;
        instrumentation.start_programs_by(confinement.starter());
        let secure_servers = SecureServers::new(&instrumentation);
        let servers = secure_servers.prepare(&mut configuration)?;
        servers.log_warnings();
        let limits = configuration.limits.clone();
        let subsystem = configuration.secure_transports.ssh.subsystem.clone();
        let (wanted, web_wanted) = (configuration.listen.clone(), configuration.web.clone());
        let start = start_kind(&configuration, &instrumentation);
        let targets = FileTargets::new(&configuration);
        let monitors = configuration.monitors.clone();
        let agentx_wanted = configuration.agentx.clone();
        let proxied = Proxied::new(&configuration);
        let local = instrumentation.local_configuration(configuration)?;
        let keys = local.users.clone();
        let statistics = Arc::clone(instrumentation.statistics());
        let storage = instrumentation.storage();
        let agent =
            Agent::start(local, statistics, storage, limits, clock).map_err(AgentError::Start)?;
        instrumentation
            .datastore
            .attach(agent.current_configuration());
        instrumentation.tlstm_tables.configure_map(servers.rules());
        let names_changed = observe_names(&instrumentation);
        let notifier = notifier(&instrumentation, &agent, clock)?;
        notifier.configure(targets, servers.of_targets());
        instrumentation.datastore.refresh();
        let refused_sources = observe_discards(&agent, &notifier);
        let mut listeners = Listeners::default();
        listeners.replace(&agent, &wanted, &servers)?;
        listeners.replace_subsystem(&agent, subsystem.as_ref())?;
        instrumentation.proxy_runtime.share(agent.session_runtime());
        let mut web = Web::default();
        web.replace(&agent, &web_wanted, &servers)?;
        let mut agentx = Agentx::attach(&instrumentation, &agent, &notifier, inherited);
        agentx.replace(&agentx_wanted)?;
        let mut proxied_notifications = ProxiedNotifications::default();
        proxied.receive(&mut proxied_notifications, &agent, clock, &notifier)?;
        user_keys::prepare(keys);
        let told = Arc::clone(&notifier);
        let interfaces = &instrumentation.interfaces;
        interfaces.observe(move |transitions| told.links_changed(transitions));
        notifier.started(start);
        let monitors = Monitors::start(monitors, &notifier).map_err(AgentError::Start)?;
        Ok(Self {
            confinement,
            agent,
            listeners,
            web,
            secure_servers,
            servers,
            names_changed,
            instrumentation,
            notifier,
            monitors,
            agentx,
            proxied_notifications,
            refused_sources,
            next_check: Instant::now() + certificate_end::INTERVAL,
        })
    }

    /// Takes over a new configuration, or none of it.
    fn reload(&mut self, options: &Options) -> Result<(), AgentError> {
        let runs = match self.confinement.is_beside_root() {
            true => Runs::ByRoot,
            false => Runs::ByThisProcess,
        };
        let mut configuration = options.load(runs)?;
        self.confinement.check(&configuration, options.file())?;
        configuration.log_warnings();
        let checksum = configuration.checksum;
        let servers = self.secure_servers.prepare(&mut configuration)?;
        servers.log_warnings();
        let limits = configuration.limits.clone();
        let subsystem = configuration.secure_transports.ssh.subsystem.clone();
        let (wanted, web_wanted) = (configuration.listen.clone(), configuration.web.clone());
        let max_age = configuration.counters_max_age;
        let hidden_interfaces = configuration.host.hidden_interfaces.clone();
        let targets = FileTargets::new(&configuration);
        let monitors = configuration.monitors.clone();
        let agentx_wanted = configuration.agentx.clone();
        let proxied = Proxied::new(&configuration);
        // The next start is warm if it finds this configuration.
        start_kind(&configuration, &self.instrumentation);
        let file = self.instrumentation.file_configuration(configuration)?;
        self.listeners.replace(&self.agent, &wanted, &servers)?;
        self.listeners
            .replace_subsystem(&self.agent, subsystem.as_ref())?;
        self.web.replace(&self.agent, &web_wanted, &servers)?;
        self.agentx.replace(&agentx_wanted)?;
        self.instrumentation.set_counters_max_age(max_age);
        self.instrumentation.hide_interfaces(hidden_interfaces);
        let local = self.instrumentation.datastore.adopt(file);
        user_keys::prepare(local.users);
        self.agent.replace_limits(limits);
        self.instrumentation
            .tlstm_tables
            .configure_map(servers.rules());
        self.notifier.configure(targets, servers.of_targets());
        self.instrumentation.datastore.refresh();
        let clock = self.instrumentation.clock;
        proxied.receive(
            &mut self.proxied_notifications,
            &self.agent,
            clock,
            &self.notifier,
        )?;
        self.monitors
            .replace(monitors, &self.notifier)
            .map_err(AgentError::Start)?;
        self.refused_sources.clear();
        self.servers = servers;
        self.confinement.adopt(checksum);
        Ok(())
    }

    async fn next_action(&self, signals: &mut Signals) -> Action {
        tokio::select! {
            action = signals.next() => action,
            () = self.names_changed.notified() => Action::RenewNames,
            () = sleep_until(self.next_check) => Action::CheckCertificate,
        }
    }

    /// Tells once a day that the end of the own certificate is near.
    fn check_certificate(&mut self) {
        self.next_check = Instant::now() + certificate_end::INTERVAL;
        if let Some(warning) = self.servers.certificate_warning() {
            log::warn!("{warning}");
        }
    }

    /// Has the listeners over TLS and DTLS give names by the rules as they are now, from the next session on.
    fn renew_names(&mut self) {
        self.secure_servers.renew_names(&mut self.servers);
        if let Err(error) = self.listeners.replace_servers(&self.agent, &self.servers) {
            log::error!("the rules for names over TLS and DTLS stay as they were: {error}");
        }
        if let Err(error) = self.web.replace_servers(&self.servers) {
            log::error!("{error}");
        }
    }
}
