use std::sync::Arc;

use varbind_codec::smi::{Oid, Value, ValueRef};
use varbind_engine::instrumentation::{SetError, Variable, WritableScalar};

use crate::persistence::{Cell, Store};

/// What may be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Syntax {
    /// Nothing.
    ReadOnly,
    /// Any value of the type that the object has.
    SameType,
    /// DisplayString (SIZE (0..255)) of RFC 2579. What is no ASCII is let through, as other agents do.
    DisplayString,
    /// INTEGER { enabled(1), disabled(2) }.
    EnabledOrDisabled,
    /// TruthValue of RFC 2579: true(1), false(2).
    TruthValue,
    /// TestAndIncr of RFC 2579: only its present value can be set, and raises it by one.
    TestAndIncr,
}

/// A value from the configuration, or the one that was set by SNMP in its place.
pub(super) struct Setting {
    instance: Oid,
    configured: Value,
    syntax: Syntax,
    cell: Arc<Cell>,
    store: Arc<Store>,
}

impl Setting {
    pub(super) fn scalar(
        instance: Oid,
        configured: Value,
        syntax: Syntax,
        store: &Arc<Store>,
    ) -> WritableScalar<Self> {
        let cell = match syntax {
            // What can no longer be set has the value that is configured.
            Syntax::ReadOnly => Arc::default(),
            _ => store.cell(&instance),
        };
        let setting = Self {
            instance: instance.clone(),
            configured,
            syntax,
            cell,
            store: Arc::clone(store),
        };
        WritableScalar::new(instance, Arc::new(setting))
    }
}

impl Variable for Setting {
    type Former = Option<Arc<Value>>;

    fn read<T>(&self, look: impl FnOnce(ValueRef<'_>) -> T) -> T {
        match &*self.cell.load() {
            Some(value) => look(value.as_value_ref()),
            None => look(self.configured.as_value_ref()),
        }
    }

    fn is_writable(&self) -> bool {
        self.syntax != Syntax::ReadOnly
    }

    fn check(&self, value: ValueRef<'_>) -> Result<Value, SetError> {
        if self.syntax == Syntax::ReadOnly {
            return Err(SetError::NotWritable);
        }
        if value.tag() != self.configured.as_value_ref().tag() {
            return Err(SetError::WrongType);
        }
        match (self.syntax, value) {
            (Syntax::ReadOnly, _) => Err(SetError::NotWritable),
            (Syntax::DisplayString, ValueRef::OctetString(octets)) if octets.len() > 255 => {
                Err(SetError::WrongLength)
            }
            (Syntax::EnabledOrDisabled | Syntax::TruthValue, ValueRef::Integer(number))
                if !(1..=2).contains(&number) =>
            {
                Err(SetError::WrongValue)
            }
            (Syntax::TestAndIncr, ValueRef::Integer(number)) if number < 0 => {
                Err(SetError::WrongValue)
            }
            (Syntax::TestAndIncr, ValueRef::Integer(number)) => {
                let present = self.cell.load_full();
                let present = present.as_deref().unwrap_or(&self.configured);
                if *present == Value::Integer(number) {
                    Ok(Value::Integer(number.checked_add(1).unwrap_or(0)))
                } else {
                    Err(SetError::InconsistentValue)
                }
            }
            (
                Syntax::SameType
                | Syntax::DisplayString
                | Syntax::EnabledOrDisabled
                | Syntax::TruthValue
                | Syntax::TestAndIncr,
                value,
            ) => Ok(value.to_owned()),
        }
    }

    fn reserve(&self) -> Result<(), SetError> {
        if self.store.is_open() {
            Ok(())
        } else {
            Err(SetError::ResourceUnavailable)
        }
    }

    fn write(&self, value: Value) -> Self::Former {
        let former = self.cell.swap(Some(Arc::new(value.clone())));
        self.store.note(&self.instance, value);
        former
    }

    fn restore(&self, former: Self::Former) {
        self.cell.store(former);
        self.store.forget(&self.instance);
    }
}
