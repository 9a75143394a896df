//! The agent's own notifications: coldStart, warmStart, linkUp, linkDown and authenticationFailure.
//!
//! Each target has a thread that sends, so nobody who notices something waits for a network.

mod link;
mod start;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use varbind::agent::CurrentConfiguration;
use varbind::clock::Clock;
use varbind::notification::{NotificationSender, NotificationTarget, TargetOptions};
use varbind::transport::TransportAddress;
use varbind_codec::smi::{Oid, OwnedValue};
use varbind_engine::applications::notification::{Notification, SNMP_TRAPS};
use varbind_engine::applications::notification_originator::Principal;
use varbind_engine::clock::Instant;
use varbind_engine::discard::Discard;
use varbind_engine::security::usm::{LocalEngine, UsmError};

use crate::AgentError;
use crate::configuration::ConfiguredTarget;
use crate::operating_system::{LinkTransition, time_ticks};
use crate::persistence::Cell;
pub(crate) use start::StartKind;

/// At most one authenticationFailure in this time: a flood of bad messages must not become a flood of notifications.
const FAILURE_INTERVAL: Duration = Duration::from_secs(1);
/// enabled(1) of snmpEnableAuthenTraps.
const ENABLED: OwnedValue = OwnedValue::Integer(1);

/// Who is told what happens.
pub(crate) struct Notifier {
    clock: Clock,
    /// What each target may learn is decided by access control as it is at that moment.
    configuration: CurrentConfiguration,
    state: Mutex<State>,
    /// snmpEnableAuthenTraps, if it was set by SNMP.
    authentication_traps: Arc<Cell>,
}

#[derive(Default)]
struct State {
    targets: Vec<Target>,
    /// snmpEnableAuthenTraps, if it was not set.
    tells_authentication_failures: bool,
    last_failure: Option<Instant>,
}

/// A target that is sent to.
struct Target {
    address: TransportAddress,
    principal: Principal,
    sender: NotificationSender,
}

impl Notifier {
    pub(crate) fn new(
        clock: Clock,
        configuration: CurrentConfiguration,
        authentication_traps: Arc<Cell>,
    ) -> Arc<Self> {
        Arc::new(Self {
            clock,
            configuration,
            state: Mutex::default(),
            authentication_traps,
        })
    }

    /// Sends to these targets from now on. What waits for the former ones is sent before this returns, as far as that
    /// takes no longer than a second.
    ///
    /// # Errors
    /// When the operating system gives no thread; then the former targets stay.
    pub(crate) fn replace_targets(
        &self,
        targets: &[ConfiguredTarget],
        engine: Option<&Arc<LocalEngine>>,
        tells_authentication_failures: bool,
    ) -> Result<(), AgentError> {
        let targets = targets
            .iter()
            .map(|target| self.start(target, engine))
            .collect::<Result<Vec<_>, _>>()
            .map_err(AgentError::Start)?;
        let mut state = self.state();
        state.tells_authentication_failures = tells_authentication_failures;
        let former = std::mem::replace(&mut state.targets, targets);
        drop(state);
        former.iter().for_each(|target| target.sender.close());
        for Target {
            address, sender, ..
        } in former
        {
            log::info!("{address}: {}", sender.finish());
        }
        Ok(())
    }

    fn start(
        &self,
        target: &ConfiguredTarget,
        engine: Option<&Arc<LocalEngine>>,
    ) -> std::io::Result<Target> {
        let mut options = TargetOptions::new(target.kind, target.processing.clone());
        options.originator.filter = target.filter.clone();
        options.originator.engine = engine.cloned();
        if let Some(retry) = target.retry {
            options.originator.retry = retry;
        }
        let destination = NotificationTarget::new(target.address.clone(), options, self.clock);
        Ok(Target {
            address: target.address.clone(),
            principal: target.principal.clone(),
            sender: NotificationSender::start(destination, target.max_waiting)?,
        })
    }

    /// Tells in the log what became of the notifications to each target.
    pub(crate) fn log_outcomes(&self) {
        let state = self.state();
        if state.targets.is_empty() {
            log::info!("there are no targets of notifications");
        }
        for target in &state.targets {
            log::info!("{}: {}", target.address, target.sender.statistics());
        }
    }

    /// Tells that the agent has started.
    pub(crate) fn started(&self, kind: StartKind) {
        let arc = match kind {
            StartKind::Cold => 1,
            StartKind::Warm => 2,
        };
        self.send(&self.state(), arc, Vec::new());
    }

    /// Tells which links went up or down, if they are not to be kept quiet about.
    pub(crate) fn links_changed(&self, transitions: &[LinkTransition]) {
        let state = self.state();
        let told = transitions
            .iter()
            .filter(|transition| transition.interface.notifies_transitions());
        for transition in told {
            let arc = if transition.is_up { 4 } else { 3 };
            self.send(&state, arc, link::var_binds(&transition.interface));
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
        if !is_enabled || is_early || state.targets.is_empty() {
            return;
        }
        log::debug!("{remote}: authenticationFailure is told");
        state.last_failure = Some(now);
        self.send(&state, 5, Vec::new());
    }

    /// Sends the notification with this number below snmpTraps (RFC 3418) to all targets that may learn it.
    fn send(&self, state: &State, arc: u32, var_binds: Vec<(Oid, OwnedValue)>) {
        if state.targets.is_empty() {
            return;
        }
        let Ok(trap_oid) = Oid::new(SNMP_TRAPS).and_then(|traps| traps.child(&[arc])) else {
            return;
        };
        let up_time = time_ticks(self.clock.now());
        let notification = Arc::new(Notification::new(up_time, trap_oid, var_binds));
        let local = self.configuration.load_full();
        for target in &state.targets {
            let principal = &target.principal;
            match principal.may_learn(&local.access_control, &notification) {
                Ok(()) => target.sender.send(&notification),
                Err(denied) => {
                    log::debug!(
                        "{}: {} is not in the notify view: {denied:?}",
                        target.address,
                        notification.trap_oid
                    );
                    target.sender.withhold();
                }
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
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
