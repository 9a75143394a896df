use hyper::StatusCode;
use hyper::header::{CONTENT_TYPE, ETAG, HeaderMap};

use super::document::{self, ReportedError};

/// A response.
#[derive(Clone, Debug)]
pub struct Response {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body, decompressed.
    pub body: Vec<u8>,
    /// The sizes of it and its request.
    pub octets: Octets,
}

/// The sizes of a request and its response, in octets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Octets {
    /// The request in HTTP: request line, headers and body.
    pub request: u64,
    /// The body of the request before it is compressed.
    pub request_body: u64,
    /// The body of the request as it is sent.
    pub request_body_encoded: u64,
    /// The response in HTTP: status line, headers and body.
    pub response: u64,
    /// The body of the response, decompressed.
    pub response_body: u64,
    /// The body of the response as it came, without the framing of chunks.
    pub response_body_encoded: u64,
    /// Octets that TCP sent meanwhile, including those of TLS: the overhead of records, and messages after the handshake.
    pub stream_sent: u64,
    /// Octets that TCP received meanwhile, including those of TLS.
    pub stream_received: u64,
}

impl Response {
    /// The text of a header.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The entity tag.
    #[must_use]
    pub fn entity_tag(&self) -> Option<&str> {
        self.header(ETAG.as_str())
    }

    /// The media type, in lower case and without parameters.
    #[must_use]
    pub fn media_type(&self) -> String {
        let value = self.header(CONTENT_TYPE.as_str()).unwrap_or_default();
        let name = value.split(';').next().unwrap_or_default();
        name.trim().to_ascii_lowercase()
    }

    /// Whether the request was not carried out: the status is neither 2xx nor 304.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        !self.status.is_success() && self.status != StatusCode::NOT_MODIFIED
    }

    /// The errors that the body reports: those of RESTCONF (RFC 8040 section 7.1), or a fault of SOAP.
    #[must_use]
    pub fn errors(&self) -> Vec<ReportedError> {
        let media_type = self.media_type();
        if media_type == "application/json" || media_type.ends_with("+json") {
            document::of_json(&self.body)
        } else if media_type.ends_with("/xml") || media_type.ends_with("+xml") {
            document::of_xml(&self.body)
        } else {
            Vec::new()
        }
    }
}
