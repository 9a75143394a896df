//! An agent that serves given objects.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::ops::Bound;

use varbind::agent::Agent;
use varbind::engine::instrumentation::{ManagedObject, ReadError, Reply, RequestContext};
use varbind::oid;
use varbind::{Oid, Value, VarBind};
use varbind_testkit::peers::free_port;

/// Objects by name.
pub(crate) type Objects = BTreeMap<Vec<u32>, Value>;

struct Recorded(Objects);

impl ManagedObject for Recorded {
    fn get(
        &self,
        _: &RequestContext,
        name: &[u32],
        reply: &mut Reply<'_, '_>,
    ) -> Result<(), ReadError> {
        let value = self.0.get(name).ok_or(ReadError::NoSuchInstance)?;
        reply.value(value.as_value_ref());
        Ok(())
    }

    fn get_next(
        &self,
        _: &RequestContext,
        name: &[u32],
        reply: &mut Reply<'_, '_>,
    ) -> Result<(), ReadError> {
        let behind = (Bound::Excluded(name), Bound::Unbounded);
        if let Some((name, value)) = self.0.range::<[u32], _>(behind).next() {
            reply.name().set(name);
            reply.value(value.as_value_ref());
        }
        Ok(())
    }
}

/// Serves objects to the communities `public` over UDP.
pub(crate) fn serve(objects: &Objects) -> (Agent, SocketAddr) {
    for _ in 0..20 {
        let address = SocketAddr::from(([127, 0, 0, 1], free_port()));
        let agent = Agent::builder()
            .community("public")
            .object(oid!("1.3.6.1"), Recorded(objects.clone()))
            .listen(&format!("udp:{address}"))
            .start();
        // Another process may have taken the port meanwhile.
        if let Ok(agent) = agent {
            return (agent, address);
        }
    }
    panic!("no port is free");
}

/// Objects as a walk brings them.
pub(crate) fn var_binds(objects: &Objects) -> Vec<VarBind> {
    let objects = objects.iter();
    objects
        .map(|(name, value)| VarBind::new(Oid::new(name).unwrap(), value.clone()))
        .collect()
}
