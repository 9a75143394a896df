use std::fmt;

use varbind_codec::pdu::ErrorStatus;
use varbind_codec::smi::{Oid, ValueRef};

use super::Reply;
use crate::clock::Instant;
use crate::security::{SecurityModel, SecurityName};

/// The request that a managed object serves.
#[derive(Clone, Copy, Debug)]
pub struct RequestContext<'a> {
    /// When the request was taken up.
    pub now: Instant,
    /// The requester; none if the agent reads its own objects.
    pub requester: Option<Requester<'a>>,
    /// The number of the request for objects that wait; `None` if waiting is not allowed.
    pub transaction: Option<Transaction>,
}

/// A request that is carried out by a thread that may wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transaction {
    /// Each request has another number, until 32 bits wrap.
    pub number: u32,
    /// How many instances one behind the other are asked for: max-repetitions of a GetBulkRequest, else 1.
    pub repetitions: u16,
}

impl RequestContext<'_> {
    /// A request of the agent itself.
    #[must_use]
    pub const fn of_agent(now: Instant) -> Self {
        Self {
            now,
            requester: None,
            transaction: None,
        }
    }
}

/// Who asks, by the names of RFC 3411 section 3.2. Access control is done with: it serves objects that mean the
/// requester, as usmUserOwnAuthKeyChange does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Requester<'a> {
    /// securityModel.
    pub security_model: SecurityModel,
    /// securityName.
    pub security_name: &'a SecurityName,
}

/// One or more objects below one name: a scalar, a table, a group.
///
/// Invariant: [`get_next`](Self::get_next) answers with a name that is greater than the one asked for and lies below
/// the name under which the object is registered. The command responder checks it and answers genErr otherwise.
pub trait ManagedObject: Send + Sync {
    /// Answers with the value of the instance `name`, by exactly one call of [`Reply::value`].
    ///
    /// # Errors
    /// [`ReadError`] if there is no such instance or it cannot be read.
    fn get(
        &self,
        request: &RequestContext,
        name: &[u32],
        reply: &mut Reply<'_, '_>,
    ) -> Result<(), ReadError>;

    /// Answers with the first instance behind `name`, by [`Reply::name`] and one call of [`Reply::value`]; without an
    /// answer where nothing follows.
    ///
    /// # Errors
    /// [`ReadError::Failed`] if what follows cannot be read.
    fn get_next(
        &self,
        request: &RequestContext,
        name: &[u32],
        reply: &mut Reply<'_, '_>,
    ) -> Result<(), ReadError>;

    /// Whether [`get_next`](Self::get_next) answers at once. A response to a GetBulkRequest ends before an object that is not
    /// ready, after at least one repetition (RFC 3416 section 4.2.3 (3)): the manager may not want it at all.
    fn is_ready(&self) -> bool {
        true
    }

    /// Whether instances of `object`, a scalar or a column, can be set at all.
    fn is_writable(&self, _object: &[u32]) -> bool {
        false
    }

    /// Checks whether the instance `name` could be set to `value`, and reserves what that needs (first phase of
    /// RFC 3416 section 4.2.5). Dropping what is returned releases it.
    ///
    /// # Errors
    /// [`SetError`] with the reason.
    fn prepare_set(
        &self,
        _request: &RequestContext,
        _name: &[u32],
        _value: ValueRef<'_>,
    ) -> Result<Box<dyn PreparedSet>, SetError> {
        Err(SetError::NotWritable)
    }
}

/// Objects between those that are registered, which come and go while the registry is used: those of other programs.
///
/// As a managed object it answers for any name that is not registered; `ReadError::NoSuchObject` where it has none.
pub trait DynamicObjects: ManagedObject {
    /// Answers with the first instance from `start` on, or behind it, and before `end`; without an answer where there is none.
    /// The end of all is `None`.
    ///
    /// # Errors
    /// [`ReadError::MustWait`] where only a thread that may wait can tell.
    fn get_next_before(
        &self,
        request: &RequestContext,
        start: Start<'_>,
        end: Option<&[u32]>,
        reply: &mut Reply<'_, '_>,
    ) -> Result<(), ReadError>;

    /// Announces what a request that may wait is about to read, one after the other, so that it can be fetched together.
    fn expect(&self, _request: &RequestContext, _expected: &[Expected]) {}
}

/// A variable that a request is about to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// The instance of this name.
    Instance(Oid),
    /// What follows a name, as [`DynamicObjects::get_next_before`] will be asked for it.
    Next {
        /// Where the search begins.
        start: Oid,
        /// Whether the start itself may be the answer.
        is_included: bool,
        /// The first name that is not an answer.
        end: Option<Oid>,
        /// How many instances one behind the other will be asked for, unless the end comes first.
        repetitions: u16,
    },
}

/// Where a search begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start<'a> {
    /// Behind this name.
    Behind(&'a [u32]),
    /// At this name, which may be the answer.
    At(&'a [u32]),
}

impl<'a> Start<'a> {
    /// The name.
    #[must_use]
    pub const fn name(self) -> &'a [u32] {
        match self {
            Self::Behind(name) | Self::At(name) => name,
        }
    }

    /// Whether the search comes upon this name.
    #[must_use]
    pub fn includes(self, name: &[u32]) -> bool {
        match self {
            Self::Behind(start) => name > start,
            Self::At(start) => name >= start,
        }
    }
}

/// A change that was checked and can be made (second phase of RFC 3416 section 4.2.5).
pub trait PreparedSet {
    /// Checks the change together with all others of the same SetRequest. It is called for each of them after all
    /// were prepared and before any is made: the variables of a SetRequest are set as if at once, so that the columns
    /// of a new row may come in any order.
    ///
    /// # Errors
    /// [`SetError`] if the changes cannot be made together.
    fn check(&mut self) -> Result<(), SetError> {
        Ok(())
    }

    /// Makes the change.
    ///
    /// # Errors
    /// When it cannot be made after all; then nothing has changed, unless [`is_left_changed`](Self::is_left_changed) says so.
    fn commit(&mut self) -> Result<(), NotStored>;

    /// Takes a change back that was made.
    ///
    /// # Errors
    /// When it cannot be taken back.
    fn undo(&mut self) -> Result<(), NotStored>;

    /// Whether a commit that failed has left a change that could not be taken back either.
    fn is_left_changed(&self) -> bool {
        false
    }
}

/// Where changes are kept.
pub trait Storage: Send + Sync {
    /// Makes all committed changes durable. It is called once per SetRequest, before its answer leaves.
    ///
    /// # Errors
    /// When they could not be made durable; the changes are then taken back.
    fn make_durable(&self) -> Result<(), NotStored>;
}

/// A change could not be made, taken back or stored. The reason is for the agent's log; the peer learns commitFailed
/// or undoFailed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotStored(pub String);

impl fmt::Display for NotStored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NotStored {}

/// Why an instance could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadError {
    /// There is no object of that name.
    NoSuchObject,
    /// The object has no such instance.
    NoSuchInstance,
    /// The value could not be retrieved.
    Failed,
    /// Only a thread that may wait can retrieve it: the request is put off.
    MustWait,
}

/// Why an instance cannot be set (RFC 3416 section 4.2.5, in the order of its checks).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetError {
    /// The object is not for this requester, whatever its view says.
    NoAccess,
    /// The object can never be set.
    NotWritable,
    /// The value has the wrong type.
    WrongType,
    /// The value has a wrong length.
    WrongLength,
    /// The value is encoded inconsistently.
    WrongEncoding,
    /// The value is never allowed.
    WrongValue,
    /// The instance can never be created.
    NoCreation,
    /// The instance cannot be created at present.
    InconsistentName,
    /// The value is not allowed at present.
    InconsistentValue,
    /// A resource is missing.
    ResourceUnavailable,
    /// Another reason.
    Failed,
}

impl From<SetError> for ErrorStatus {
    fn from(error: SetError) -> Self {
        match error {
            SetError::NoAccess => Self::NoAccess,
            SetError::NotWritable => Self::NotWritable,
            SetError::WrongType => Self::WrongType,
            SetError::WrongLength => Self::WrongLength,
            SetError::WrongEncoding => Self::WrongEncoding,
            SetError::WrongValue => Self::WrongValue,
            SetError::NoCreation => Self::NoCreation,
            SetError::InconsistentName => Self::InconsistentName,
            SetError::InconsistentValue => Self::InconsistentValue,
            SetError::ResourceUnavailable => Self::ResourceUnavailable,
            SetError::Failed => Self::GenErr,
        }
    }
}
