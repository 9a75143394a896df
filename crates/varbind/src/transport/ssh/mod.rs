//! SNMP over SSH (RFC 5592): the subsystem `snmp`, in both roles.
//!
//! An SSH connection carries several channels, each of which is a session with messages one behind the other. Who logs
//! in is the sender (tmSecurityName); the security level is always authPriv.

mod account;
mod agent;
mod algorithms;
mod authentication;
mod client_configuration;
mod client_handler;
mod client_session;
mod error;
mod facts;
#[cfg(feature = "experiments")]
mod handicap;
mod host_key;
mod identity;
mod inbox;
mod interaction;
mod known_hosts;
mod launcher;
mod local_time;
mod opening;
mod options;
mod pattern;
#[cfg(any(test, fuzzing))]
pub(crate) mod properties;
mod server;
mod statistics;
mod subsystem;

pub use account::{Account, Group};
pub use client_configuration::{AgentSocket, HostKeyChecking, HostSettings};
pub(crate) use client_session::SshClientStream;
pub use error::{AuthenticationAttempt, SshError};
pub use facts::{HostKeyFacts, SshFacts};
#[cfg(feature = "experiments")]
pub use handicap::{Nagle, SshHandicap};
pub use interaction::{HostKeyAnswer, Interaction, NoInteraction, Secret, UnknownHostKey};
pub use known_hosts::KnownHostLine;
pub use launcher::{SubsystemError, launch_subsystem};
pub use options::{ConfigurationFiles, SshOptions};
pub(crate) use server::SshAcceptor;
pub use server::{
    AccountCheck, AuthorizedKeys, HostKey, HostKeyError, PasswordCheck, SshServer,
    SshServerConfiguration,
};
#[cfg(feature = "pam")]
pub use server::{PAM_SERVICE, Pam, PamRefusal};
pub use statistics::SshStatistics;
pub(crate) use subsystem::SubsystemListener;
pub use subsystem::{SUBSYSTEM_SOCKET, SubsystemSocket};

/// The name of the subsystem (RFC 5592 section 10).
pub const SUBSYSTEM: &str = "snmp";
