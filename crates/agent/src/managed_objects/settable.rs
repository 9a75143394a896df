use std::sync::Arc;

use varbind_codec::smi::{Oid, OwnedValue, Value};
use varbind_engine::instrumentation::{
    ManagedObject, NotStored, PreparedSet, ReadError, Reply, RequestContext, SetError,
};

use crate::persistence::{Cell, Store};

/// What may be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Syntax {
    /// Nothing.
    ReadOnly,
    /// Any value of the type that the object has.
    SameType,
    /// DisplayString (SIZE (0..255)) of RFC 2579. What is no ASCII is let through, as other agents do.
    DisplayString,
    /// INTEGER { enabled(1), disabled(2) }.
    EnabledOrDisabled,
    /// TestAndIncr of RFC 2579: only its present value can be set, and raises it by one.
    TestAndIncr,
}

/// A scalar with a value from the configuration, or the one that was set by SNMP in its place.
pub(super) struct SettableScalar {
    instance: Oid,
    configured: OwnedValue,
    syntax: Syntax,
    cell: Arc<Cell>,
    store: Arc<Store>,
}

impl SettableScalar {
    pub(super) fn new(
        instance: Oid,
        configured: OwnedValue,
        syntax: Syntax,
        store: &Arc<Store>,
    ) -> Self {
        let cell = match syntax {
            // What can no longer be set has the value that is configured.
            Syntax::ReadOnly => Arc::default(),
            _ => store.cell(&instance),
        };
        Self {
            instance,
            configured,
            syntax,
            cell,
            store: Arc::clone(store),
        }
    }

    fn answer(&self, reply: &mut Reply<'_, '_>) {
        match &*self.cell.load() {
            Some(value) => reply.value(value.as_value()),
            None => reply.value(self.configured.as_value()),
        }
    }

    /// RFC 3416 4.2.5 (3) to (10)
    fn check(&self, value: Value<'_>) -> Result<OwnedValue, SetError> {
        if value.tag() != self.configured.as_value().tag() {
            return Err(SetError::WrongType);
        }
        match (self.syntax, value) {
            (Syntax::ReadOnly, _) => Err(SetError::NotWritable),
            (Syntax::DisplayString, Value::OctetString(octets)) if octets.len() > 255 => {
                Err(SetError::WrongLength)
            }
            (Syntax::EnabledOrDisabled, Value::Integer(number)) if !(1..=2).contains(&number) => {
                Err(SetError::WrongValue)
            }
            (Syntax::TestAndIncr, Value::Integer(number)) if number < 0 => {
                Err(SetError::WrongValue)
            }
            (Syntax::TestAndIncr, Value::Integer(number)) => {
                let present = self.cell.load_full();
                let present = present.as_deref().unwrap_or(&self.configured);
                if *present == OwnedValue::Integer(number) {
                    Ok(OwnedValue::Integer(number.checked_add(1).unwrap_or(0)))
                } else {
                    Err(SetError::InconsistentValue)
                }
            }
            (
                Syntax::SameType
                | Syntax::DisplayString
                | Syntax::EnabledOrDisabled
                | Syntax::TestAndIncr,
                value,
            ) => Ok(value.to_owned()),
        }
    }
}

impl ManagedObject for SettableScalar {
    fn get(
        &self,
        _request: &RequestContext,
        name: &[u32],
        reply: &mut Reply<'_, '_>,
    ) -> Result<(), ReadError> {
        if name != self.instance.arcs() {
            return Err(ReadError::NoSuchInstance);
        }
        self.answer(reply);
        Ok(())
    }

    fn get_next(
        &self,
        _request: &RequestContext,
        name: &[u32],
        reply: &mut Reply<'_, '_>,
    ) -> Result<(), ReadError> {
        if name < self.instance.arcs() {
            reply.name().set(self.instance.arcs());
            self.answer(reply);
        }
        Ok(())
    }

    fn prepare_set(
        &self,
        _request: &RequestContext,
        name: &[u32],
        value: Value<'_>,
    ) -> Result<Box<dyn PreparedSet>, SetError> {
        if self.syntax == Syntax::ReadOnly {
            return Err(SetError::NotWritable);
        }
        let value = self.check(value)?;
        if name != self.instance.arcs() {
            return Err(SetError::NoCreation);
        }
        if !self.store.is_open() {
            return Err(SetError::ResourceUnavailable);
        }
        Ok(Box::new(Change {
            instance: self.instance.clone(),
            cell: Arc::clone(&self.cell),
            store: Arc::clone(&self.store),
            value,
            before: None,
        }))
    }
}

/// A value to be set.
struct Change {
    instance: Oid,
    cell: Arc<Cell>,
    store: Arc<Store>,
    value: OwnedValue,
    before: Option<Arc<OwnedValue>>,
}

impl PreparedSet for Change {
    fn commit(&mut self) -> Result<(), NotStored> {
        self.before = self.cell.swap(Some(Arc::new(self.value.clone())));
        self.store.note(&self.instance, self.value.clone());
        Ok(())
    }

    fn undo(&mut self) -> Result<(), NotStored> {
        self.cell.store(self.before.take());
        self.store.forget(&self.instance);
        Ok(())
    }
}
