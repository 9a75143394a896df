//! Bodies of requests and responses.

use std::time::Duration;

use axum::body::Body;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, HeaderName, VARY, WWW_AUTHENTICATE,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;
use http_body_util::BodyExt;
use hyper::body::Body as _;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;

use crate::coding::{self, Coding, CodingError};

/// Bodies below this are not worth compressing, in octets.
const WORTHWHILE: usize = 64;

/// Why there is no body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodyError {
    TooLarge,
    TooSlow,
    /// Bodies of other requests have used the whole limit.
    TooMany,
    /// The connection broke.
    Broken,
    UnsupportedCoding,
    /// It does not match its content coding.
    Malformed,
}

impl BodyError {
    pub(crate) const fn status(self) -> StatusCode {
        match self {
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Self::TooMany => StatusCode::SERVICE_UNAVAILABLE,
            Self::UnsupportedCoding => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::Broken | Self::Malformed => StatusCode::BAD_REQUEST,
        }
    }

    pub(crate) const fn explanation(self) -> &'static str {
        match self {
            Self::TooLarge => "the body is too large",
            Self::TooSlow => "the body took too long",
            Self::TooMany => "too many requests are being received: try again",
            Self::Broken => "the body is incomplete",
            Self::UnsupportedCoding => {
                "the content coding is not one of gzip, deflate and identity"
            }
            Self::Malformed => "the body is not what its content coding says",
        }
    }
}

/// The octets that bodies of requests may take while they are received, over all connections.
#[derive(Debug)]
pub(crate) struct BodyPool(Semaphore);

impl BodyPool {
    pub(crate) const fn new(octets: usize) -> Self {
        Self(Semaphore::const_new(octets))
    }

    /// Reads the whole body of a request, at most `limit` octets, and decodes it.
    pub(crate) async fn read(
        &self,
        headers: &HeaderMap,
        body: Body,
        limit: usize,
        time: Duration,
    ) -> Result<Vec<u8>, BodyError> {
        let collected = timeout(time, self.collect(body, limit)).await;
        let (body, room) = collected.map_err(|_| BodyError::TooSlow)??;
        let decoded = coding::decode(headers, body, limit).map_err(|error| match error {
            CodingError::Unsupported => BodyError::UnsupportedCoding,
            CodingError::Malformed => BodyError::Malformed,
            CodingError::TooLarge => BodyError::TooLarge,
        });
        drop(room);
        decoded
    }

    async fn collect(
        &self,
        mut body: Body,
        limit: usize,
    ) -> Result<(Vec<u8>, Option<SemaphorePermit<'_>>), BodyError> {
        if usize::try_from(body.size_hint().lower()).map_or(true, |octets| octets > limit) {
            return Err(BodyError::TooLarge);
        }
        let mut octets = Vec::new();
        let mut room: Option<SemaphorePermit<'_>> = None;
        while let Some(frame) = body.frame().await {
            // Trailers do not count.
            let Ok(data) = frame.map_err(|_| BodyError::Broken)?.into_data() else {
                continue;
            };
            if data.len() > limit.saturating_sub(octets.len()) {
                return Err(BodyError::TooLarge);
            }
            let more = u32::try_from(data.len()).map_err(|_| BodyError::TooLarge)?;
            let more = self.0.try_acquire_many(more);
            let more = more.map_err(|_| BodyError::TooMany)?;
            match &mut room {
                Some(room) => room.merge(more),
                None => room = Some(more),
            }
            octets.extend_from_slice(&data);
        }
        Ok((octets, room))
    }
}

/// A response with its body whole.
#[derive(Debug)]
pub struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl Answer {
    /// A response of a status, with a body of this type.
    #[must_use]
    pub fn new(status: StatusCode, content_type: &'static str, body: Vec<u8>) -> Self {
        Self {
            status,
            headers: HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static(content_type))]),
            body,
        }
    }

    /// A successful response.
    #[must_use]
    pub fn ok(content_type: &'static str, body: Vec<u8>) -> Self {
        Self::new(StatusCode::OK, content_type, body)
    }

    /// A response without a body.
    #[must_use]
    pub fn empty(status: StatusCode) -> Self {
        Self {
            status,
            headers: HeaderMap::new(),
            body: Vec::new(),
        }
    }

    /// A refusal in plain text.
    #[must_use]
    pub fn refusal(status: StatusCode, why: &str) -> Self {
        Self::new(
            status,
            "text/plain; charset=utf-8",
            format!("{why}\n").into(),
        )
        .with_challenge()
    }

    pub(crate) fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.insert(name, value);
        self
    }

    /// Adds the challenge of a 401.
    pub(crate) fn with_challenge(self) -> Self {
        if self.status == StatusCode::UNAUTHORIZED {
            self.with(
                WWW_AUTHENTICATE,
                HeaderValue::from_static("Basic realm=\"SNMP community as password\""),
            )
        } else {
            self
        }
    }

    /// The response to a request with these headers, compressed if it asks for that.
    #[must_use]
    pub fn into_response(mut self, request: &HeaderMap) -> Response {
        self.headers
            .insert(VARY, HeaderValue::from_static("Accept, Accept-Encoding"));
        // Values change at any time without a new entity tag, and depend on the client.
        self.headers
            .insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if self.body.len() >= WORTHWHILE
            && let Some(coding) = Coding::wanted(request)
            && let Ok(encoded) = coding.encode(&self.body)
        {
            self.body = encoded;
            self.headers.insert(CONTENT_ENCODING, coding.name());
        }
        let mut response = Response::new(Body::from(self.body));
        *response.status_mut() = self.status;
        *response.headers_mut() = self.headers;
        response
    }
}
