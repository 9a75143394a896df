//! The proxy forwarder (RFC 3413 section 3.5): requests are passed on to other agents, and notifications from them.
//!
//! One thread drives all targets, in a runtime of its own, which starts with the first request. Requests that concern
//! one target alone pass through it and hold no thread; [`objects`] are for all others.

mod notifications;
mod objects;
mod read_ahead;
mod remote;
mod runtime;

pub(crate) use notifications::ProxiedNotifications;
pub(crate) use objects::RemoteObjects;
pub(crate) use remote::Remote;
pub(crate) use runtime::ProxyRuntime;
