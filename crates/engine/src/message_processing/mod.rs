//! Message processing models (RFC 3412 section 7, RFC 3584 section 5.2).

mod community;

pub use community::{DataElements, HEADER_OCTETS};
pub(crate) use community::{prepare_data_elements, prepare_response_message};
