use axum::http::StatusCode;
use axum::http::header::ALLOW;
use varbind::agent::SetObjectsError;
use varbind_codec::pdu::ErrorStatus;

use super::output::{Encoding, Name, Output};
use super::resource::Methods;
use crate::body::{Answer, BodyError};
use crate::value::Form;

/// An error of RESTCONF (RFC 8040 section 7.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Error {
    pub(crate) status: StatusCode,
    tag: &'static str,
    message: String,
    /// The methods that are supported, where another one was used.
    allowed: Option<Methods>,
}

impl Error {
    pub(crate) fn new(status: StatusCode, tag: &'static str, message: impl Into<String>) -> Self {
        Self {
            status,
            tag,
            message: message.into(),
            allowed: None,
        }
    }

    pub(crate) fn method_not_allowed(allowed: Methods) -> Self {
        Self {
            allowed: Some(allowed),
            ..Self::new(
                StatusCode::METHOD_NOT_ALLOWED,
                "operation-not-supported",
                "the resource does not support this method",
            )
        }
    }

    /// RFC 8040 sections 3.4.1 and 7
    pub(crate) fn precondition_failed() -> Self {
        Self::new(
            StatusCode::PRECONDITION_FAILED,
            "operation-failed",
            "it has changed meanwhile: read it again",
        )
    }

    pub(crate) fn invalid_value(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "invalid-value", message)
    }

    pub(crate) fn malformed(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "malformed-message", message)
    }

    /// The resource does not exist, or may not be seen: the error does not say which.
    pub(crate) fn not_found() -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            "invalid-value",
            "there is no such resource",
        )
    }

    pub(crate) fn unauthenticated() -> Self {
        Self::new(
            StatusCode::UNAUTHORIZED,
            "access-denied",
            "name a community that is known here",
        )
    }

    pub(crate) fn denied() -> Self {
        Self::new(
            StatusCode::FORBIDDEN,
            "access-denied",
            "that name may not do this",
        )
    }

    pub(crate) fn failed() -> Self {
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "operation-failed",
            "an object could not be read",
        )
    }

    pub(crate) fn of_body(error: BodyError) -> Self {
        let tag = match error {
            BodyError::TooLarge => "too-big",
            BodyError::TooMany => "resource-denied",
            BodyError::UnsupportedCoding => "invalid-value",
            BodyError::TooSlow | BodyError::Broken | BodyError::Malformed => "malformed-message",
        };
        Self::new(error.status(), tag, error.explanation())
    }

    pub(crate) fn of_set(error: SetObjectsError) -> Self {
        let (status, tag) = match error.status() {
            None if error == SetObjectsError::Changed => (StatusCode::CONFLICT, "in-use"),
            None => (StatusCode::SERVICE_UNAVAILABLE, "resource-denied"),
            Some(status) => of_status(status),
        };
        Self::new(status, tag, error.to_string())
    }

    /// The response, in the encoding that is wanted.
    pub(crate) fn answer(&self, encoding: Encoding) -> Answer {
        let mut output = Output::new(encoding);
        let errors = Name::of("ietf-restconf", "errors");
        let error = Name::plain("error");
        let leaf = |output: &mut Output, name, text: &str| {
            output.leaf(Name::plain(name), text, Form::String);
        };
        let kind = if self.tag == "operation-failed" {
            "application"
        } else {
            "protocol"
        };
        output.open(errors);
        output.open_list(error);
        output.open_entry(error);
        leaf(&mut output, "error-type", kind);
        leaf(&mut output, "error-tag", self.tag);
        leaf(&mut output, "error-message", &self.message);
        output.close_entry(error);
        output.close_list();
        output.close(errors);
        let answer =
            Answer::new(self.status, encoding.media_type(), output.finish()).with_challenge();
        match self.allowed {
            Some(allowed) => answer.with(ALLOW, allowed.allow()),
            None => answer,
        }
    }
}

/// The status and error-tag of RESTCONF for an error-status.
const fn of_status(status: ErrorStatus) -> (StatusCode, &'static str) {
    match status {
        // Not writable is this instance: others of the object are.
        ErrorStatus::AuthorizationError
        | ErrorStatus::NoAccess
        | ErrorStatus::NotWritable
        | ErrorStatus::ReadOnly => (StatusCode::FORBIDDEN, "access-denied"),
        ErrorStatus::WrongType
        | ErrorStatus::WrongLength
        | ErrorStatus::WrongEncoding
        | ErrorStatus::WrongValue
        | ErrorStatus::BadValue => (StatusCode::BAD_REQUEST, "invalid-value"),
        ErrorStatus::NoCreation | ErrorStatus::InconsistentName => {
            (StatusCode::CONFLICT, "data-missing")
        }
        ErrorStatus::InconsistentValue => (StatusCode::CONFLICT, "operation-failed"),
        ErrorStatus::ResourceUnavailable => (StatusCode::CONFLICT, "resource-denied"),
        _ => (StatusCode::INTERNAL_SERVER_ERROR, "operation-failed"),
    }
}
