//! Entity tags, times of the last change, and conditional requests (RFC 9110 section 13).
//!
//! Both stand for the configuration in a resource alone (RFC 8040 sections 3.4.1 and 3.5): counters that move must not
//! keep a client from editing what is beside them.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::SystemTime;

use axum::http::header::{
    ETAG, HeaderName, IF_MATCH, IF_MODIFIED_SINCE, IF_NONE_MATCH, IF_UNMODIFIED_SINCE,
    LAST_MODIFIED,
};
use axum::http::{HeaderMap, HeaderValue};
use varbind::agent::ObjectAccess;

use super::output::Encoding;
use crate::body::Answer;

/// The validators of a resource: they change when it changes.
#[derive(Clone, Debug)]
pub(crate) struct Validators {
    digest: u64,
    /// When it last changed, for configuration; `None` if that is unknown.
    changed: Option<SystemTime>,
    is_configuration: bool,
}

/// The result of the conditions of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Precondition {
    Holds,
    /// The client already has the current representation.
    NotModified,
    Fails,
}

impl Validators {
    /// The validators of a resource with this configuration. `changed` is the last change as it was before the resource was read.
    pub(crate) const fn of_configuration(digest: u64, changed: Option<SystemTime>) -> Self {
        Self {
            digest,
            changed,
            is_configuration: true,
        }
    }

    /// The validators of a representation without configuration.
    pub(crate) fn of_state(body: &[u8]) -> Self {
        let mut hasher = DefaultHasher::new();
        body.hash(&mut hasher);
        Self {
            digest: hasher.finish(),
            changed: None,
            is_configuration: false,
        }
    }

    /// The entity tag: representations in two encodings have two (RFC 9110 section 8.8.3).
    fn tag(&self, encoding: Encoding) -> String {
        let suffix = match encoding {
            Encoding::Json => "",
            Encoding::Xml => "-xml",
        };
        format!("\"{:016x}{suffix}\"", self.digest)
    }

    /// Adds them to the headers of an answer.
    pub(crate) fn describe(&self, mut answer: Answer, encoding: Encoding) -> Answer {
        if let Ok(tag) = HeaderValue::try_from(self.tag(encoding)) {
            answer = answer.with(ETAG, tag);
        }
        let changed = self.changed.map(httpdate::fmt_http_date);
        if let Some(Ok(changed)) = changed.map(HeaderValue::try_from) {
            answer = answer.with(LAST_MODIFIED, changed);
        }
        answer
    }

    /// Evaluates the conditions of a retrieval.
    pub(crate) fn of_retrieval(
        &self,
        headers: &HeaderMap,
        objects: &ObjectAccess,
        encoding: Encoding,
    ) -> Precondition {
        if !self.may_change(headers, objects) {
            return Precondition::Fails;
        }
        // RFC 9110 13.2.2 (3), (4)
        let is_known = if headers.contains_key(IF_NONE_MATCH) {
            names_tag(headers, &IF_NONE_MATCH, &self.tag(encoding), weakly)
        } else {
            match (self.changed, date(headers, &IF_MODIFIED_SINCE)) {
                (Some(_), Some(since)) => !objects.has_changed_since(since),
                _ => false,
            }
        };
        if is_known {
            Precondition::NotModified
        } else {
            Precondition::Holds
        }
    }

    /// Evaluates the conditions of an edit.
    pub(crate) fn of_edit(&self, headers: &HeaderMap, objects: &ObjectAccess) -> Precondition {
        let is_named = |encoding| names_tag(headers, &IF_NONE_MATCH, &self.tag(encoding), weakly);
        if self.may_change(headers, objects) && !ENCODINGS.into_iter().any(is_named) {
            Precondition::Holds
        } else {
            Precondition::Fails
        }
    }

    /// RFC 9110 13.2.2 (1), (2): If-Unmodified-Since counts only without If-Match.
    fn may_change(&self, headers: &HeaderMap, objects: &ObjectAccess) -> bool {
        if headers.contains_key(IF_MATCH) {
            let is_named = |encoding| names_tag(headers, &IF_MATCH, &self.tag(encoding), strongly);
            return ENCODINGS.into_iter().any(is_named);
        }
        match date(headers, &IF_UNMODIFIED_SINCE) {
            Some(since) if self.is_configuration => !objects.has_changed_since(since),
            _ => true,
        }
    }
}

const ENCODINGS: [Encoding; 2] = [Encoding::Json, Encoding::Xml];

/// Whether a request is conditional.
pub(crate) fn is_conditional(headers: &HeaderMap) -> bool {
    [IF_MATCH, IF_NONE_MATCH, IF_UNMODIFIED_SINCE]
        .iter()
        .any(|name| headers.contains_key(name))
}

/// RFC 9110 8.8.3.2
fn strongly(named: &str, tag: &str) -> bool {
    named == tag
}

fn weakly(named: &str, tag: &str) -> bool {
    named.strip_prefix("W/").unwrap_or(named) == tag
}

fn names_tag(
    headers: &HeaderMap,
    header: &HeaderName,
    tag: &str,
    is_same: fn(&str, &str) -> bool,
) -> bool {
    let values = headers.get_all(header).iter();
    values
        .flat_map(|value| value.to_str().unwrap_or("").split(','))
        .map(str::trim)
        .any(|named| named == "*" || is_same(named, tag))
}

/// The date of a header; `None` if there is none, several, or what is not a date: then it does not count.
fn date(headers: &HeaderMap, header: &HeaderName) -> Option<SystemTime> {
    let mut values = headers.get_all(header).iter();
    match (values.next(), values.next()) {
        (Some(value), None) => httpdate::parse_http_date(value.to_str().ok()?).ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weak_tags_do_not_allow_an_edit() {
        let mut headers = HeaderMap::new();
        headers.insert(IF_MATCH, HeaderValue::from_static("\"x\", W/\"a\""));
        headers.insert(IF_NONE_MATCH, HeaderValue::from_static("W/\"a\""));
        assert!(!names_tag(&headers, &IF_MATCH, "\"a\"", strongly));
        assert!(names_tag(&headers, &IF_MATCH, "\"x\"", strongly));
        assert!(names_tag(&headers, &IF_NONE_MATCH, "\"a\"", weakly));
    }

    #[test]
    fn wrong_dates_do_not_count() {
        let mut headers = HeaderMap::new();
        assert_eq!(date(&headers, &IF_MODIFIED_SINCE), None);
        headers.insert(IF_MODIFIED_SINCE, HeaderValue::from_static("yesterday"));
        assert_eq!(date(&headers, &IF_MODIFIED_SINCE), None);
        let good = HeaderValue::from_static("Sat, 01 Jan 2000 00:00:00 GMT");
        headers.insert(IF_MODIFIED_SINCE, good.clone());
        assert!(date(&headers, &IF_MODIFIED_SINCE).is_some());
        headers.append(IF_MODIFIED_SINCE, good);
        assert_eq!(date(&headers, &IF_MODIFIED_SINCE), None);
    }
}
