use std::io::{self, Write};
use std::sync::Arc;

use varbind::agent::Agent;
use varbind::clock::Clock;
use varbind::transport::TransportAddress;

use super::AgentError;
use crate::configuration::{AgentConfiguration, ConfiguredProxy};
use crate::notifications::Notifier;
use crate::proxy::ProxiedNotifications;

/// What a configuration says of the notifications of other agents.
pub(super) struct Proxied {
    proxies: Vec<ConfiguredProxy>,
    listen: Vec<TransportAddress>,
}

impl Proxied {
    pub(super) fn new(configuration: &AgentConfiguration) -> Self {
        Self {
            proxies: configuration.proxies.clone(),
            listen: configuration.notification_listen.clone(),
        }
    }

    /// Has them received and passed on.
    ///
    /// # Errors
    /// When an address cannot be listened on.
    pub(super) fn receive(
        &self,
        running: &mut ProxiedNotifications,
        agent: &Agent,
        clock: Clock,
        notifier: &Arc<Notifier>,
    ) -> Result<(), AgentError> {
        let engine = agent.current_configuration().load_full().engine.clone();
        let opened = running
            .replace(&self.proxies, &self.listen, engine, clock, notifier)
            .map_err(|(address, source)| AgentError::Notifications { address, source })?;
        let mut output = io::stdout().lock();
        for address in opened {
            writeln!(output, "listening on {address} for notifications")
                .map_err(AgentError::Start)?;
        }
        output.flush().map_err(AgentError::Start)
    }
}
