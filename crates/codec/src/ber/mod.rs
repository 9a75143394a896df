//! The basic encoding rules as SNMP uses them (RFC 3417 section 8, X.690).

mod error;
mod frame;
mod integer;
mod reader;
pub mod tag;
mod writer;

pub use error::{DecodeError, DecodeErrorKind, EncodeError};
pub use frame::{FrameLength, frame_length, frame_length_of};
pub use reader::Reader;
pub use tag::Tag;
pub use writer::Writer;

pub(crate) use integer::{length_octets, signed_length, unsigned_length};
