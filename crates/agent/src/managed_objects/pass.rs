//! Subtrees that programs serve.

use std::sync::Arc;

use varbind_codec::smi::Oid;
use varbind_engine::instrumentation::{ManagedObject, ReadError, Reply, RequestContext};

use super::Objects;
use crate::extensions::{Background, PassSubtree};

/// Registers each subtree under its root.
pub(crate) fn pass(objects: &mut Objects, subtrees: &Arc<Background<PassSubtree>>) {
    for (at, subtree) in subtrees.tasks().iter().enumerate() {
        let subtrees = Arc::clone(subtrees);
        objects.register(subtree.root.arcs(), |root| {
            Arc::new(PassObjects {
                root: root.clone(),
                subtrees,
                at,
            })
        });
    }
}

struct PassObjects {
    root: Oid,
    subtrees: Arc<Background<PassSubtree>>,
    /// The place of this subtree.
    at: usize,
}

impl ManagedObject for PassObjects {
    fn get(
        &self,
        _request: &RequestContext,
        name: &[u32],
        reply: &mut Reply<'_, '_>,
    ) -> Result<(), ReadError> {
        let instances = self.subtrees.result(self.at);
        instances
            .ok_or(ReadError::NoSuchInstance)?
            .answer(name, reply)
    }

    fn get_next(
        &self,
        _request: &RequestContext,
        name: &[u32],
        reply: &mut Reply<'_, '_>,
    ) -> Result<(), ReadError> {
        if let Some(instances) = self.subtrees.result(self.at) {
            instances.answer_next(self.root.arcs(), name, reply);
        }
        Ok(())
    }
}
