#![doc = include_str!("../README.md")]
//! # Modules
//! - [`Client`] sends commands to any number of agents; [`blocking::Client`] is the same without async.
//! - [`Agent`] answers them; a [`responder::SessionResponder`] lets a program answer messages of sessions itself.
//! - [`Receiver`] receives traps and informs, as a stream; [`notification`] has its parts, and sends notifications.
//!
//! The protocol itself is in [`engine`], which has no sockets, clock or runtime; this crate runs it over
//! [`transport`]s.
//!
//! # Features
//! UDP and TCP are always there, and need neither a C compiler nor a C library. The rest is chosen:
//!
//! | feature | what it adds | what it needs |
//! | --- | --- | --- |
//! | `tls` (default) | TLS 1.2 and 1.3, by rustls | a C compiler |
//! | `dtls` | DTLS 1.2 | OpenSSL's library and headers |
//! | `ssh` | SSH, by russh | a C compiler |
//! | `mib` | names of objects, such as `sysName.0`, in the operations of a client; the crate varbind-mib as `mib` | |
//! | `serde` | names, values and variable bindings in the formats of serde, as JSON | |
//! | `post-quantum` | the key exchange X25519MLKEM768 for TLS, by AWS-LC; implies `tls` | a C compiler |
//! | `openssl-tls` | TLS 1.0 and 1.1; implies `tls` and `dtls` | OpenSSL's library and headers |
//! | `pam` | passwords of SSH's users by PAM; implies `ssh` | libpam, at run time |
//! | `manager` | `manager::Manager`, which sends commands to one agent over a socket of its own, and `transport::MessageSession`: for measurements | |
//! | `experiments` | what only studies need: compression of messages, SSH that is slow on purpose and, with `openssl-tls`, TLS without encryption; implies `manager` | |
//!
//! `certificates` is what `tls` and `dtls` share; they imply it.
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod agent;
pub mod blocking;
mod builder;
pub mod client;
pub mod clock;
#[cfg(feature = "experiments")]
pub mod compression;
#[cfg(any(test, fuzzing))]
pub mod fuzzing;
#[cfg(feature = "manager")]
pub mod manager;
pub mod notification;
mod random;
pub mod responder;
mod thread;
pub mod transport;

pub use agent::Agent;
pub use client::{Client, Error, Target, User};
pub use notification::Receiver;
pub use varbind_codec as codec;
pub use varbind_codec::oid;
pub use varbind_codec::smi::{Oid, Value, VarBind};
pub use varbind_engine as engine;
pub use varbind_engine::access_control::Vacm;
#[cfg(feature = "mib")]
pub use varbind_mib as mib;
