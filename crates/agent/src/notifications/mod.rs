//! The agent's own notifications: coldStart, warmStart, linkUp, linkDown, authenticationFailure and mteTriggerFired.
//!
//! A thread sends to all targets, so nobody who notices something waits for a network.

mod certificate;
mod link;
mod security;
mod selection;
mod start;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use varbind::agent::CurrentConfiguration;
use varbind::clock::Clock;
use varbind::notification::{NotificationSender, NotificationTarget, SenderThread, TargetOptions};
use varbind::transport::certificate::TlsStatistics;
use varbind::transport::{OpenError, SecureTransportOptions, SecurityFailureKind};
use varbind_codec::smi::{Oid, Value, VarBind};
use varbind_engine::applications::notification::{
    Notification, NotificationFilter, SNMP_TRAP_COMMUNITY, SNMP_TRAPS,
};
use varbind_engine::clock::Instant;
use varbind_engine::discard::Discard;
use varbind_engine::instrumentation::{Registry, RequestContext};
use varbind_engine::local_configuration::LocalConfiguration;
use varbind_engine::security::SecurityLevel;
use varbind_engine::security::usm::UsmError;
use varbind_engine::statistics::Statistics;

use crate::configuration::{AgentConfiguration, ConfiguredProxy, ConfiguredTarget, ConfiguredUser};
use crate::managed_objects::notification_tables::NotificationTables;
use crate::managed_objects::tlstm_tables::TlstmTables;
use crate::operating_system::{LinkTransition, time_ticks};
use crate::persistence::Cell;
use selection::{Configured, SelectedTarget, Selection};
pub(crate) use start::StartKind;

/// At most one authenticationFailure in this time: a flood of bad messages must not become a flood of notifications.
const FAILURE_INTERVAL: Duration = Duration::from_secs(1);
const MTE_TRIGGER_FIRED: &[u32] = &[1, 3, 6, 1, 2, 1, 88, 2, 0, 1];
/// enabled(1) of snmpEnableAuthenTraps.
const ENABLED: Value = Value::Integer(1);

/// The targets of a configuration file, and the users that notify them.
pub(crate) struct FileTargets {
    targets: Vec<ConfiguredTarget>,
    /// The targets of requests, which have rows beside the others.
    proxies: Vec<ConfiguredProxy>,
    users: Vec<ConfiguredUser>,
    tells_authentication_failures: bool,
}

impl FileTargets {
    pub(crate) fn new(configuration: &AgentConfiguration) -> Self {
        Self {
            targets: configuration.targets.clone(),
            proxies: configuration.proxies.clone(),
            users: configuration.users.clone(),
            tells_authentication_failures: configuration.tells_authentication_failures,
        }
    }
}

/// A notification of another agent, to be passed on.
pub(crate) struct Forwarded {
    /// Without what tells where it comes from.
    pub(crate) notification: Notification,
    /// What tells where it comes from (RFC 3584 section 3.1 (4)). Access control does not decide on it.
    pub(crate) origin: Vec<VarBind>,
    /// The community of the message.
    pub(crate) community: Option<Vec<u8>>,
    pub(crate) source: SocketAddr,
}

impl Forwarded {
    fn with_origin(&self, community: Option<&Vec<u8>>) -> Arc<Notification> {
        let mut notification = self.notification.clone();
        notification.var_binds.extend(self.origin.iter().cloned());
        let is_told = notification.value(SNMP_TRAP_COMMUNITY).is_some();
        if let (Some(community), false) = (community, is_told)
            && let Ok(name) = Oid::new(SNMP_TRAP_COMMUNITY)
        {
            let community = Value::OctetString(community.clone());
            notification.var_binds.push(VarBind::new(name, community));
        }
        Arc::new(notification)
    }
}

/// Who is told what happens.
pub(crate) struct Notifier {
    clock: Clock,
    /// What each target may learn is decided by access control as it is at that moment.
    configuration: CurrentConfiguration,
    tables: Arc<NotificationTables>,
    certificates: Arc<TlstmTables>,
    tls_statistics: Arc<TlsStatistics>,
    counters: Arc<Statistics>,
    /// For the thread that sends.
    own: Weak<Self>,
    state: Mutex<State>,
    /// snmpEnableAuthenTraps, if it was set by SNMP.
    authentication_traps: Arc<Cell>,
}

#[derive(Default)]
struct State {
    configured: Configured,
    targets: Vec<Target>,
    /// Sends to them, from the first on.
    thread: Option<SenderThread>,
    /// What the targets were made of.
    seen: Option<([u64; 5], u64, Arc<LocalConfiguration>)>,
    /// snmpEnableAuthenTraps, if it was not set.
    tells_authentication_failures: bool,
    last_failure: Option<Instant>,
}

/// A target that is sent to.
struct Target {
    selected: SelectedTarget,
    sender: NotificationSender,
}

impl Target {
    /// Sends `sent` if the target may learn `notification`.
    fn send(
        &self,
        local: &LocalConfiguration,
        notification: &Notification,
        sent: &Arc<Notification>,
    ) {
        let Self { selected, sender } = self;
        let principal = &selected.principal;
        match principal.may_learn(&local.access_control, notification) {
            Ok(()) => sender.send(sent),
            Err(denied) => {
                log::debug!(
                    "{}: {} is not in the notify view: {denied:?}",
                    selected.address,
                    notification.trap_oid
                );
                sender.withhold();
            }
        }
    }
}

impl Notifier {
    pub(crate) fn new(
        clock: Clock,
        configuration: CurrentConfiguration,
        tables: Arc<NotificationTables>,
        certificates: Arc<TlstmTables>,
        tls_statistics: Arc<TlsStatistics>,
        counters: Arc<Statistics>,
        authentication_traps: Arc<Cell>,
    ) -> Arc<Self> {
        Arc::new_cyclic(|own| Self {
            clock,
            configuration,
            tables,
            certificates,
            tls_statistics,
            counters,
            own: own.clone(),
            state: Mutex::default(),
            authentication_traps,
        })
    }

    /// Takes over what a configuration file says of targets. What waits for those that are there no more is sent by a
    /// thread that takes a second at most.
    pub(crate) fn configure(&self, file: FileTargets, secure: SecureTransportOptions) {
        let mut state = self.state();
        self.tables.configure(&file.targets, &file.proxies);
        self.certificates.configure_targets(&file.targets);
        state.tells_authentication_failures = file.tells_authentication_failures;
        state.configured = Configured {
            number: state.configured.number + 1,
            targets: file.targets,
            users: file.users,
            secure,
        };
        state.seen = None;
        self.refresh(&mut state);
    }

    /// Sends what waits, as far as that takes no longer than a second, and tells what became of all.
    pub(crate) fn finish(&self) {
        let former = std::mem::take(&mut self.state().targets);
        finish(former);
    }

    /// Sees to it that those are sent to whom the tables select now.
    fn refresh(&self, state: &mut State) -> Arc<LocalConfiguration> {
        let local = self.configuration.load_full();
        let version = self.tables.version();
        let certificates = self.certificates.target_version();
        let is_seen = state.seen.as_ref().is_some_and(|(seen, certified, of)| {
            *seen == version && *certified == certificates && Arc::ptr_eq(of, &local)
        });
        if is_seen {
            return local;
        }
        let selection = Selection {
            tables: &self.tables,
            certificates: &self.certificates,
            local: &local,
            configured: &state.configured,
        };
        let mut former = std::mem::take(&mut state.targets);
        let thread = &mut state.thread;
        for selected in selection.targets() {
            let same = former.iter().position(|target| target.selected == selected);
            match same.map(|at| former.swap_remove(at)) {
                Some(target) => state.targets.push(target),
                None => match self.start(thread, &selection, selected) {
                    Ok(target) => state.targets.push(target),
                    Err(error) => log::error!("{error}"),
                },
            }
        }
        state.seen = Some((version, certificates, Arc::clone(&local)));
        if !former.is_empty() {
            // Whoever has something to tell does not wait for it.
            let started = std::thread::Builder::new()
                .name("varbind-former".to_owned())
                .spawn(move || finish(former));
            if let Err(error) = started {
                log::error!("notifications queued for old targets are lost: {error}");
            }
        }
        local
    }

    fn start(
        &self,
        thread: &mut Option<SenderThread>,
        selection: &Selection<'_>,
        selected: SelectedTarget,
    ) -> Result<Target, String> {
        let failed = |reason: String| {
            format!(
                "{}: notifications are not sent to {:?}: {reason}",
                selected.address, selected.name
            )
        };
        let processing = selection.processing(&selected).map_err(failed)?;
        let mut options = TargetOptions::new(selected.kind, processing);
        options.originator.filter = match &selected.filter {
            Some(families) => NotificationFilter::of_profile(families.clone()),
            None => NotificationFilter::default(),
        };
        options.originator.engine = selection.local.engine.clone();
        options.originator.counters = Arc::clone(&self.counters);
        options.secure = selection.secure(&selected);
        if let Some(retry) = selected.retry {
            options.originator.retry = retry;
        }
        options.max_message_size = selected.max_message_size;
        let target = NotificationTarget::new(selected.address.clone(), options, self.clock);
        let (told, name) = (self.own.clone(), selected.name.clone());
        let unreachable = move |error: &OpenError| {
            if let (Some(failure), Some(notifier)) = (error.security_failure(), told.upgrade()) {
                notifier.server_refused(&name, failure.kind());
            }
        };
        let thread = match thread {
            Some(thread) => thread,
            none => none.insert(SenderThread::start().map_err(|error| failed(error.to_string()))?),
        };
        let waiting = selected.max_waiting;
        let sender = NotificationSender::start_in(thread, target, waiting, unreachable);
        Ok(Target { selected, sender })
    }

    /// Tells in the log what became of the notifications to each target.
    pub(crate) fn log_outcomes(&self) {
        let mut state = self.state();
        self.refresh(&mut state);
        if state.targets.is_empty() {
            log::info!("no notification targets are configured");
        }
        for target in &state.targets {
            let address = &target.selected.address;
            log::info!("{address}: {}", target.sender.statistics());
        }
    }

    /// Tells that the agent has started.
    pub(crate) fn started(&self, kind: StartKind) {
        let arc = match kind {
            StartKind::Cold => 1,
            StartKind::Warm => 2,
        };
        self.send(&mut self.state(), arc, Vec::new());
    }

    /// Tells which links went up or down, if they are not to be kept quiet about.
    pub(crate) fn links_changed(&self, transitions: &[LinkTransition]) {
        let mut state = self.state();
        let told = transitions
            .iter()
            .filter(|transition| transition.interface.notifies_transitions());
        for transition in told {
            let arc = if transition.is_up { 4 } else { 3 };
            self.send(&mut state, arc, link::var_binds(&transition.interface));
        }
    }

    /// Tells that a message was not authentic, if that is wanted.
    pub(crate) fn message_discarded(&self, remote: SocketAddr, discard: &Discard) {
        if !is_authentication_failure(discard) {
            return;
        }
        let mut state = self.state();
        let is_enabled = match &*self.authentication_traps.load() {
            Some(value) => **value == ENABLED,
            None => state.tells_authentication_failures,
        };
        let now = self.clock.now();
        let is_early = state
            .last_failure
            .is_some_and(|last| now.saturating_since(last) < FAILURE_INTERVAL);
        if !is_enabled || is_early {
            return;
        }
        log::debug!("{remote}: authenticationFailure is sent");
        state.last_failure = Some(now);
        self.send(&mut state, 5, Vec::new());
    }

    /// Tells that the certificate of a target was not accepted (RFC 6353 section 7, snmpTlstmServerCertificateUnknown and
    /// snmpTlstmServerInvalidCertificate), to all targets but that one.
    fn server_refused(&self, target: &str, kind: SecurityFailureKind) {
        let Some((trap_oid, var_binds)) =
            certificate::notification(kind, target, &self.certificates, &self.tls_statistics)
        else {
            return;
        };
        self.send_to_targets(&mut self.state(), trap_oid, var_binds, Some(target));
    }

    /// What `read` makes of this agent's own objects as they are.
    pub(crate) fn sample<T: Default>(
        &self,
        read: impl FnOnce(&Registry, &RequestContext<'_>) -> T,
    ) -> T {
        let local = self.configuration.load_full();
        let request = RequestContext::of_agent(self.clock.now());
        let registry = local.registry("");
        registry.map_or_else(T::default, |registry| read(registry, &request))
    }

    /// Tells that a watched value passes its test (RFC 2981, mteTriggerFired).
    pub(crate) fn trigger_fired(&self, var_binds: Vec<VarBind>) {
        if let Ok(trap_oid) = Oid::new(MTE_TRIGGER_FIRED) {
            self.notify(trap_oid, var_binds);
        }
    }

    /// Tells what a subagent tells.
    pub(crate) fn notify(&self, trap_oid: Oid, var_binds: Vec<VarBind>) {
        self.send_to_targets(&mut self.state(), trap_oid, var_binds, None);
    }

    /// Passes on what another agent tells, with where it comes from.
    pub(crate) fn forward(&self, forwarded: &Forwarded) {
        let mut state = self.state();
        let local = self.refresh(&mut state);
        log::debug!(
            "{}: {} is passed on to {} targets",
            forwarded.source,
            forwarded.notification.trap_oid,
            state.targets.len()
        );
        // A community lets whoever reads it ask the agent: it goes nowhere in clear text.
        let in_clear = forwarded.with_origin(None);
        let encrypted = match &forwarded.community {
            Some(community) => forwarded.with_origin(Some(community)),
            None => Arc::clone(&in_clear),
        };
        for target in &state.targets {
            let is_encrypted = target.selected.principal.security_level == SecurityLevel::AuthPriv
                || target.selected.address.transport.is_secure();
            let sent = match is_encrypted {
                true => &encrypted,
                false => &in_clear,
            };
            target.send(&local, &forwarded.notification, sent);
        }
    }

    /// Sends the notification with this number below snmpTraps (RFC 3418) to all targets that may learn it.
    fn send(&self, state: &mut State, arc: u32, var_binds: Vec<VarBind>) {
        if let Ok(trap_oid) = Oid::new(SNMP_TRAPS).and_then(|traps| traps.child(&[arc])) {
            self.send_to_targets(state, trap_oid, var_binds, None);
        }
    }

    fn send_to_targets(
        &self,
        state: &mut State,
        trap_oid: Oid,
        var_binds: Vec<VarBind>,
        except: Option<&str>,
    ) {
        let local = self.refresh(state);
        if state.targets.is_empty() {
            return;
        }
        let up_time = time_ticks(self.clock.now());
        let notification = Arc::new(Notification::new(up_time, trap_oid, var_binds));
        for target in &state.targets {
            if except != Some(target.selected.name.as_str()) {
                target.send(&local, &notification, &notification);
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends the senders at the same time, and tells what became of their notifications.
fn finish(targets: Vec<Target>) {
    targets.iter().for_each(|target| target.sender.close());
    for Target { selected, sender } in targets {
        log::info!("{}: {}", selected.address, sender.finish());
    }
}

/// RFC 3418, authenticationFailure: "a protocol message that is not properly authenticated".
const fn is_authentication_failure(discard: &Discard) -> bool {
    matches!(
        discard,
        Discard::BadCommunityName
            | Discard::SourceNotAllowed
            | Discard::Usm(
                UsmError::UnknownUserName | UsmError::WrongDigest | UsmError::DecryptionError
            )
    )
}
