use std::sync::{Arc, Mutex, PoisonError};

use varbind_codec::smi::{Oid, Value, ValueRef};

use super::{ManagedObject, NotStored, PreparedSet, ReadError, Reply, RequestContext, SetError};

/// What holds the value of a [`WritableScalar`].
pub trait Variable: Send + Sync + 'static {
    /// What the variable held before it was [written](Self::write).
    type Former;

    /// Lends the value.
    fn read<T>(&self, look: impl FnOnce(ValueRef<'_>) -> T) -> T;

    /// Whether it can be set at all.
    fn is_writable(&self) -> bool {
        true
    }

    /// What the variable would hold if it were set to `value` (RFC 3416 section 4.2.5 (2) to (5) and (8)).
    ///
    /// # Errors
    /// Why it cannot be set to it.
    fn check(&self, value: ValueRef<'_>) -> Result<Value, SetError>;

    /// Whether it can be written at present (RFC 3416 section 4.2.5 (9), (10)).
    ///
    /// # Errors
    /// What is missing.
    fn reserve(&self) -> Result<(), SetError> {
        Ok(())
    }

    /// Writes what [`check`](Self::check) returned.
    fn write(&self, value: Value) -> Self::Former;

    /// Takes the latest write back.
    fn restore(&self, former: Self::Former);
}

/// A variable in memory that takes every value of the type that it has.
impl Variable for Mutex<Value> {
    type Former = Value;

    fn read<T>(&self, look: impl FnOnce(ValueRef<'_>) -> T) -> T {
        let value = self.lock().unwrap_or_else(PoisonError::into_inner);
        look(value.as_value_ref())
    }

    fn check(&self, value: ValueRef<'_>) -> Result<Value, SetError> {
        if self.read(|present| present.tag() == value.tag()) {
            Ok(value.to_owned())
        } else {
            Err(SetError::WrongType)
        }
    }

    fn write(&self, value: Value) -> Value {
        let mut present = self.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut present, value)
    }

    fn restore(&self, former: Value) {
        self.write(former);
    }
}

/// One instance that can be read and set.
///
/// ```
/// use std::sync::{Arc, Mutex};
/// use varbind_codec::smi::Value;
/// use varbind_engine::instrumentation::{Registry, WritableScalar};
///
/// let contact = Value::OctetString(b"nobody".to_vec());
/// let contact = WritableScalar::new("1.3.6.1.2.1.1.4.0".parse()?, Arc::new(Mutex::new(contact)));
/// let registry = Registry::builder()
///     .register("1.3.6.1.2.1.1.4".parse()?, Arc::new(contact))
///     .build()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct WritableScalar<V> {
    instance: Oid,
    variable: Arc<V>,
}

impl<V: Variable> WritableScalar<V> {
    /// The instance of that name, mostly `.0` below the name of an object.
    pub const fn new(instance: Oid, variable: Arc<V>) -> Self {
        Self { instance, variable }
    }
}

impl<V: Variable> ManagedObject for WritableScalar<V> {
    fn get(
        &self,
        _request: &RequestContext,
        name: &[u32],
        reply: &mut Reply<'_, '_>,
    ) -> Result<(), ReadError> {
        if name != self.instance.arcs() {
            return Err(ReadError::NoSuchInstance);
        }
        self.variable.read(|value| reply.value(value));
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
            self.variable.read(|value| reply.value(value));
        }
        Ok(())
    }

    fn is_writable(&self, _object: &[u32]) -> bool {
        self.variable.is_writable()
    }

    fn prepare_set(
        &self,
        _request: &RequestContext,
        name: &[u32],
        value: ValueRef<'_>,
    ) -> Result<Box<dyn PreparedSet>, SetError> {
        let value = self.variable.check(value)?;
        if name != self.instance.arcs() {
            return Err(SetError::NoCreation);
        }
        self.variable.reserve()?;
        Ok(Box::new(Write {
            variable: Arc::clone(&self.variable),
            value: Some(value),
            former: None,
        }))
    }
}

/// A value to be written.
struct Write<V: Variable> {
    variable: Arc<V>,
    /// Until it is written.
    value: Option<Value>,
    /// From then on.
    former: Option<V::Former>,
}

impl<V: Variable> PreparedSet for Write<V> {
    fn commit(&mut self) -> Result<(), NotStored> {
        let value = self.value.take();
        self.former = value.map(|value| self.variable.write(value));
        Ok(())
    }

    fn undo(&mut self) -> Result<(), NotStored> {
        if let Some(former) = self.former.take() {
            self.variable.restore(former);
        }
        Ok(())
    }
}
