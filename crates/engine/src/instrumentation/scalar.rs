use varbind_codec::smi::{Oid, Value, ValueRef};

use super::{ManagedObject, PreparedSet, ReadError, Reply, RequestContext, SetError};

/// A scalar whose value is computed when it is read: one instance, `.0` below its name (RFC 2578 section 7).
pub struct Scalar<F> {
    instance: Oid,
    read: F,
}

impl<F> Scalar<F>
where
    F: Fn(&RequestContext) -> Option<Value> + Send + Sync,
{
    /// A read-only scalar with the name `object`, whose value `read` computes; `None` where it cannot be retrieved.
    pub fn new(object: &Oid, read: F) -> Self {
        Self {
            instance: object.child(&[0]).unwrap_or_else(|_| object.clone()),
            read,
        }
    }
}

impl<F> ManagedObject for Scalar<F>
where
    F: Fn(&RequestContext) -> Option<Value> + Send + Sync,
{
    fn get(
        &self,
        request: &RequestContext,
        name: &[u32],
        reply: &mut Reply<'_, '_>,
    ) -> Result<(), ReadError> {
        if name != self.instance.arcs() {
            return Err(ReadError::NoSuchInstance);
        }
        let value = (self.read)(request).ok_or(ReadError::Failed)?;
        reply.value(value.as_value_ref());
        Ok(())
    }

    fn get_next(
        &self,
        request: &RequestContext,
        name: &[u32],
        reply: &mut Reply<'_, '_>,
    ) -> Result<(), ReadError> {
        if name < self.instance.arcs() {
            let value = (self.read)(request).ok_or(ReadError::Failed)?;
            reply.name().set(self.instance.arcs());
            reply.value(value.as_value_ref());
        }
        Ok(())
    }

    fn prepare_set(
        &self,
        _request: &RequestContext,
        _name: &[u32],
        _value: ValueRef<'_>,
    ) -> Result<Box<dyn PreparedSet>, SetError> {
        Err(SetError::NotWritable)
    }
}
