//! BER, SMI values, PDUs and messages of SNMP.
//!
//! Decoding borrows from the input and reads tolerantly what real devices send (lengths and integers that are
//! longer than needed, unsigned values written as negative ones); encoding writes the minimal form into a buffer of
//! the caller. Nothing here panics on any input, and nothing is allocated in proportion to a length that was not seen.
//!
//! ```
//! use varbind_codec::message::{CommunityMessage, Version};
//! use varbind_codec::pdu::{Pdu, PduType};
//! use varbind_codec::smi::{Oid, ValueRef};
//! use varbind_codec::ber::Writer;
//!
//! let name: Oid = "1.3.6.1.2.1.1.3.0".parse()?;
//! let mut buffer = [0; 1472];
//! let mut writer = Writer::new(&mut buffer, 64)?;
//! writer.append_var_bind(name.arcs(), ValueRef::Null)?;
//! writer.prepend_pdu(PduType::GetRequest, 7, 0, 0)?;
//! writer.prepend_community_header(Version::V2c, b"public")?;
//! let message = CommunityMessage::decode(writer.written())?;
//! assert_eq!(message.version, Version::V2c);
//! let Pdu::Common(pdu) = message.pdu else { panic!("not a trap") };
//! assert_eq!(pdu.request_id, 7);
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```
#![no_std]
#![cfg_attr(not(test), warn(clippy::indexing_slicing))]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod ber;
pub mod compression;
pub mod message;
pub mod pdu;
pub mod smi;
