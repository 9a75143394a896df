#![doc = include_str!("../README.md")]
//! # Modules
//! [`ber`] reads and writes elements, [`smi`] holds names and values, [`pdu`] the PDUs, [`message`] the messages of SNMPv1,
//! SNMPv2c and SNMPv3. [`agentx`] has the PDUs between an agent and its subagents.
//!
//! # Features
//! - `serde`, off by default: names, values and variable bindings are `Serialize` and `Deserialize`.
//! - `experiments`, off by default: `compression`, short forms of names that no standard has.
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(not(test), warn(clippy::indexing_slicing))]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod agentx;
pub mod ber;
#[cfg(feature = "experiments")]
pub mod compression;
pub mod message;
pub mod pdu;
pub mod smi;
