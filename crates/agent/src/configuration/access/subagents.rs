//! Access to contexts in which subagents serve objects.

use toml::Spanned;

use super::Tables;
use super::proxy::Guests;
use crate::configuration::document::{Agentx, ProxyAccess, SubagentContext};
use crate::configuration::error::Problem;
use crate::configuration::proxy::checked_context;

impl Tables {
    /// Adds the contexts.
    pub(super) fn add_subagent_contexts(&mut self, agentx: Option<&Agentx>) -> Result<(), Problem> {
        let mut contexts = agentx.into_iter().flat_map(|agentx| &agentx.context);
        contexts.try_for_each(|context| self.add_subagent_context(&context.name))
    }

    /// Gives the users of each context access to it.
    pub(super) fn subagent_contexts(&mut self, agentx: Option<&Agentx>) -> Result<(), Problem> {
        let mut contexts = agentx.into_iter().flat_map(|agentx| &agentx.context);
        contexts.try_for_each(|context| self.subagent_context(context))
    }

    fn add_subagent_context(&mut self, written: &Spanned<String>) -> Result<(), Problem> {
        let name = checked_context(written)?;
        if name.is_empty() {
            let message =
                "subagents always serve the default context \"\": give another one a name";
            return Err(Problem::at(written.span(), message));
        }
        self.vacm = std::mem::take(&mut self.vacm).context(&name);
        if self.contexts.insert(name) {
            return Ok(());
        }
        let message = format!("there is another context {:?}", written.get_ref());
        Err(Problem::at(written.span(), message))
    }

    fn subagent_context(&mut self, written: &SubagentContext) -> Result<(), Problem> {
        let name = written.name.get_ref();
        let may_write = written.access == ProxyAccess::ReadWrite;
        self.allows_writing |= may_write;
        self.let_in(&Guests {
            users: &written.users,
            context: name,
            of: name,
            view: written.view.as_ref(),
            may_write,
        })
    }
}
