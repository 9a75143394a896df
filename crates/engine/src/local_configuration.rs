//! What the engine is configured with: the local configuration datastore of RFC 3411 section 2.

use std::collections::HashMap;
use std::sync::Arc;

use crate::access_control::{Vacm, is_same_context};
#[cfg(feature = "experiments")]
use crate::compression::CompressionSet;
use crate::engine_id::EngineId;
use crate::instrumentation::Registry;
use crate::security::CommunityTable;
use crate::security::tsm::TransportSecurityModel;
use crate::security::usm::{LocalEngine, UserTable};

/// Users, views and objects at one moment.
///
/// Invariant: it never changes; a new configuration is a new value that takes its place.
#[derive(Debug, Default)]
pub struct LocalConfiguration {
    /// This engine in SNMPv3, which is not spoken without it. It outlives a configuration: the next one has the same.
    pub engine: Option<Arc<LocalEngine>>,
    /// The users of SNMPv3, with keys that are localised for this engine.
    pub users: UserTable,
    /// The transport security model, if SNMPv3 is spoken with it as well.
    pub transport_security_model: Option<TransportSecurityModel>,
    /// The communities of SNMPv1 and SNMPv2c.
    pub communities: CommunityTable,
    /// Access control.
    pub access_control: Vacm,
    /// The managed objects by context name; the default context has the empty name.
    pub contexts: HashMap<String, Arc<Registry>>,
    /// Contexts of other engines that are reached by a proxy forwarder.
    pub proxied_contexts: Vec<ProxiedContext>,
    /// How messages may be compressed; none by default. Whoever accepts any tells so by a managed object
    /// ([`CompressionSet::managed_object`]).
    #[cfg(feature = "experiments")]
    pub compression: CompressionSet,
}

/// A context of another engine (RFC 3413 section 3.5).
#[derive(Clone, Debug)]
pub struct ProxiedContext {
    /// contextEngineID.
    pub engine_id: EngineId,
    /// contextName.
    pub context_name: String,
    /// The context that stands for it in access control, which knows contexts of this engine alone.
    pub access_context: String,
    /// Its objects.
    pub registry: Arc<Registry>,
}

impl LocalConfiguration {
    /// Whether any context of an engine is proxied.
    pub(crate) fn proxied_engine(&self, engine_id: &[u8]) -> Option<EngineId> {
        let mut contexts = self.proxied_contexts.iter();
        let found = contexts.find(|context| context.engine_id.as_octets() == engine_id);
        found.map(|context| context.engine_id)
    }

    /// A context of another engine.
    pub(crate) fn proxied_context(
        &self,
        engine_id: &EngineId,
        context_name: &str,
    ) -> Option<&ProxiedContext> {
        self.proxied_contexts
            .iter()
            .find(|context| context.engine_id == *engine_id && context.context_name == context_name)
    }

    /// The managed objects of a context.
    #[must_use]
    pub fn registry(&self, context_name: &str) -> Option<&Registry> {
        // Most agents have one context, and one name need not be hashed.
        let mut contexts = self.contexts.iter();
        let registry = match (contexts.next(), contexts.next()) {
            (Some((name, registry)), None) => {
                is_same_context(name, context_name).then_some(registry)
            }
            _ => self.contexts.get(context_name),
        };
        registry.map(Arc::as_ref)
    }
}
