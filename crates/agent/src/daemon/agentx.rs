use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use varbind::agent::{Agent, CurrentConfiguration};
use varbind_codec::smi::{Oid, VarBind};

use super::AgentError;
use crate::agentx::{AgentxAddress, AgentxListeners, Host, InheritedSockets, Sessions};
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
    fn is_own(&self, name: &Oid) -> bool {
        let local = self.configuration.load_full();
        let registry = local.registry("");
        registry.is_some_and(|registry| registry.is_registered(name.arcs()))
    }

    fn notify(&self, trap_oid: Oid, var_binds: Vec<VarBind>) {
        self.notifier.tell_of(trap_oid, var_binds);
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

    /// Awaits subagents at these addresses and no others. For the time given, requests for the objects of a subagent that
    /// ended fail, as they are not known to be gone.
    ///
    /// # Errors
    /// When an address cannot be had.
    pub(super) fn replace(
        &mut self,
        (wanted, grace): &(Vec<AgentxAddress>, Duration),
    ) -> Result<(), AgentError> {
        self.sessions.set_grace(*grace);
        let opened = self.listeners.replace(&self.sessions, wanted);
        if wanted.is_empty() {
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
