use std::io::{self, Write};
use std::sync::Arc;

use varbind::agent::{Agent, CurrentConfiguration};
use varbind_codec::smi::{Oid, VarBind};

use super::AgentError;
use crate::agentx::{AgentxListeners, Host, InheritedSockets, Sessions};
use crate::configuration::SubagentSettings;
use crate::instrumentation::Instrumentation;
use crate::notifications::Notifier;

/// The sockets for subagents.
pub(super) struct Agentx {
    sessions: Arc<Sessions>,
    listeners: AgentxListeners,
}

/// The agent as its subagents see it.
struct Master {
    configuration: CurrentConfiguration,
    notifier: Arc<Notifier>,
}

impl Host for Master {
    fn is_own(&self, context_name: &[u8], name: &Oid) -> bool {
        let local = self.configuration.load_full();
        let registry = str::from_utf8(context_name).ok();
        let registry = registry.and_then(|context_name| local.registry(context_name));
        registry.is_some_and(|registry| registry.is_registered(name.arcs()))
    }

    fn notify(&self, trap_oid: Oid, var_binds: Vec<VarBind>) {
        self.notifier.notify(trap_oid, var_binds);
    }
}

impl Agentx {
    /// Has subagents served by this agent, on sockets of the service manager where these are wanted.
    pub(super) fn attach(
        instrumentation: &Instrumentation,
        agent: &Agent,
        notifier: &Arc<Notifier>,
        inherited: InheritedSockets,
    ) -> Self {
        let sessions = Arc::clone(&instrumentation.subagents);
        sessions.attach(Box::new(Master {
            configuration: agent.current_configuration(),
            notifier: Arc::clone(notifier),
        }));
        Self {
            sessions,
            listeners: AgentxListeners::new(inherited),
        }
    }

    /// Awaits subagents where the configuration says, and nowhere else.
    ///
    /// # Errors
    /// When an address cannot be had.
    pub(super) fn replace(&mut self, wanted: &SubagentSettings) -> Result<(), AgentError> {
        self.sessions.set_grace(wanted.grace);
        self.sessions.set_contexts(&wanted.contexts);
        let opened = self.listeners.replace(&self.sessions, &wanted.addresses);
        if wanted.addresses.is_empty() {
            self.sessions.close();
        }
        let opened = opened.map_err(|(address, source)| AgentError::Agentx {
            address: address.to_string(),
            source,
        })?;
        let mut output = io::stdout().lock();
        for address in opened {
            writeln!(output, "listening on {address}").map_err(AgentError::Start)?;
        }
        output.flush().map_err(AgentError::Start)
    }

    /// Ends all sessions.
    pub(super) fn shutdown(mut self) {
        // None is left that could accept.
        self.listeners.close();
        self.sessions.close();
    }
}
