use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{
    ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE, HOST, HeaderName,
    HeaderValue, IF_MATCH, IF_NONE_MATCH,
};
use hyper::{HeaderMap, Method};

use super::ClientError;
use super::endpoint::query_value;
use crate::coding::Coding;
#[cfg(feature = "experiments")]
use crate::soap::Operation;

/// How data is written in RESTCONF.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// JSON (RFC 7951).
    Json,
    /// XML.
    Xml,
}

impl Encoding {
    /// Its media type (RFC 8040 section 11.3).
    #[must_use]
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Json => "application/yang-data+json",
            Self::Xml => "application/yang-data+xml",
        }
    }
}

/// A request, which may be sent any number of times.
#[derive(Clone, Debug)]
pub struct Request {
    method: Method,
    path: String,
    headers: HeaderMap,
    body: Bytes,
    /// How many octets the body has before it is encoded.
    body_octets: u64,
}

impl Request {
    fn new(method: Method, path: impl Into<String>) -> Self {
        Self {
            method,
            path: path.into(),
            headers: HeaderMap::new(),
            body: Bytes::new(),
            body_octets: 0,
        }
    }

    /// A request to read the resource at a path of the server, as [`Endpoint::path`](super::Endpoint::path) makes it.
    #[must_use]
    pub fn get(path: impl Into<String>) -> Self {
        Self::new(Method::GET, path)
    }

    /// A request of RESTCONF to set a leaf.
    #[must_use]
    pub fn put(path: impl Into<String>, encoding: Encoding, body: Vec<u8>) -> Self {
        Self::new(Method::PUT, path).with_body(encoding.media_type(), body)
    }

    /// A request of RESTCONF to set leaves, all of them or none (RFC 8040 section 4.6.1).
    #[must_use]
    pub fn patch(path: impl Into<String>, encoding: Encoding, body: Vec<u8>) -> Self {
        Self::new(Method::PATCH, path).with_body(encoding.media_type(), body)
    }

    /// A call of SOAP 1.1.
    #[cfg(feature = "experiments")]
    #[must_use]
    pub fn soap(path: impl Into<String>, operation: &Operation) -> Self {
        let mut request = Self::new(Method::POST, path)
            .with_body("text/xml; charset=utf-8", operation.envelope());
        if let Ok(action) = HeaderValue::try_from(operation.action()) {
            // SOAP 1.1 6.1.1
            let name = HeaderName::from_static("soapaction");
            request.headers.insert(name, action);
        }
        request
    }

    fn with_body(mut self, content_type: &'static str, body: Vec<u8>) -> Self {
        self.body_octets = body.len() as u64;
        self.body = body.into();
        self.with(CONTENT_TYPE, HeaderValue::from_static(content_type))
    }

    fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.insert(name, value);
        self
    }

    fn with_text(self, name: HeaderName, text: &str) -> Result<Self, ClientError> {
        let value = HeaderValue::try_from(text)
            .map_err(|_| ClientError::Request(format!("{text:?} cannot be in a header")))?;
        Ok(self.with(name, value))
    }

    /// Adds a parameter of the query (RFC 8040 section 4.8), as `depth` or `fields`.
    #[must_use]
    pub fn query(mut self, name: &str, value: impl fmt::Display) -> Self {
        let separator = if self.path.contains('?') { '&' } else { '?' };
        let value = query_value(&value.to_string());
        self.path.push_str(&format!("{separator}{name}={value}"));
        self
    }

    /// Requests the response in this encoding.
    #[must_use]
    pub fn accepting(self, encoding: Encoding) -> Self {
        self.with(ACCEPT, HeaderValue::from_static(encoding.media_type()))
    }

    /// Requests a response with this content coding.
    #[must_use]
    pub fn accepting_coding(self, coding: Coding) -> Self {
        self.with(ACCEPT_ENCODING, coding.name())
    }

    /// Compresses the body by this content coding.
    ///
    /// # Errors
    /// When it cannot be compressed.
    pub fn encoded(mut self, coding: Coding) -> Result<Self, ClientError> {
        let encoded = coding.encode(&self.body);
        let encoded = encoded.map_err(|error| ClientError::Request(error.to_string()))?;
        self.body = encoded.into();
        Ok(self.with(CONTENT_ENCODING, coding.name()))
    }

    /// Adds If-Match: the request only succeeds while the resource has this entity tag.
    ///
    /// # Errors
    /// When the tag cannot be in a header.
    pub fn if_match(self, tag: &str) -> Result<Self, ClientError> {
        self.with_text(IF_MATCH, &entity_tag(tag))
    }

    /// Adds If-None-Match: the response has the resource only if its entity tag is another one.
    ///
    /// # Errors
    /// When the tag cannot be in a header.
    pub fn if_none_match(self, tag: &str) -> Result<Self, ClientError> {
        self.with_text(IF_NONE_MATCH, &entity_tag(tag))
    }

    /// The path, with the query.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Whether it changes nothing, so that it may be sent once more.
    pub(super) fn is_read(&self) -> bool {
        // All operations of SOAP read.
        #[cfg(feature = "experiments")]
        if self.method == Method::POST {
            return true;
        }
        self.method == Method::GET
    }

    pub(super) const fn body_octets(&self) -> u64 {
        self.body_octets
    }

    pub(super) fn encoded_body_octets(&self) -> u64 {
        self.body.len() as u64
    }

    pub(super) fn message(
        &self,
        host: &HeaderValue,
        authorization: Option<&HeaderValue>,
    ) -> Result<hyper::Request<Full<Bytes>>, ClientError> {
        let mut message = hyper::Request::new(Full::new(self.body.clone()));
        *message.method_mut() = self.method.clone();
        *message.uri_mut() = self
            .path
            .parse()
            .map_err(|error| ClientError::Request(format!("{:?}: {error}", self.path)))?;
        let headers = message.headers_mut();
        headers.insert(HOST, host.clone());
        if let Some(authorization) = authorization {
            headers.insert(AUTHORIZATION, authorization.clone());
        }
        headers.extend(self.headers.clone());
        Ok(message)
    }
}

/// An entity tag as headers have it (RFC 9110 section 8.8.3).
fn entity_tag(tag: &str) -> String {
    if tag == "*" || tag.ends_with('"') {
        tag.to_owned()
    } else {
        format!("\"{tag}\"")
    }
}

/// The community as the password of basic authentication.
pub(super) fn basic_authentication(community: &[u8]) -> Result<HeaderValue, ClientError> {
    let credentials = [b":", community].concat();
    let mut value = HeaderValue::try_from(format!("Basic {}", STANDARD.encode(credentials)))
        .map_err(|error| ClientError::Request(error.to_string()))?;
    value.set_sensitive(true);
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_of_the_query_follow_one_another() {
        let request = Request::get("/restconf/data")
            .query("depth", 3)
            .query("fields", "a;b");
        assert_eq!(request.path(), "/restconf/data?depth=3&fields=a;b");
    }

    #[test]
    fn entity_tags_are_in_quotes() {
        assert_eq!(entity_tag("a"), "\"a\"");
        assert_eq!(entity_tag("W/\"a\""), "W/\"a\"");
        assert_eq!(entity_tag("*"), "*");
    }

    #[test]
    fn no_community_is_shown() {
        let value = basic_authentication(b"secret").unwrap();
        assert_eq!(value.as_bytes(), b"Basic OnNlY3JldA==");
        assert_eq!(format!("{value:?}"), "Sensitive");
    }
}
