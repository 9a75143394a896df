//! RESTCONF (RFC 8040) on the objects of the agent, as RFC 6643 translates their MIB modules.

mod error;
mod library;
mod output;
mod path;
mod query;
mod read;
mod resource;
mod tree;
mod write;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::SystemTime;

use axum::body::Body;
use axum::extract::{Extension, State};
use axum::http::header::{
    ACCEPT, ALLOW, CONTENT_TYPE, ETAG, IF_MATCH, IF_NONE_MATCH, LAST_MODIFIED,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Request, StatusCode};
use axum::response::Response;
use varbind_engine::applications::command_responder::Principal;

use crate::access::{Peer, principal};
use crate::body::{self, Answer};
use crate::coding::quality;
use crate::face::Resources;
use crate::schema::Schema;
use crate::value::Form;
use error::Error;
use output::{Encoding, Name, Output};
use query::Query;
use read::{Extent, Reading};
pub(crate) use resource::Node;
use resource::Resource;
use tree::Tree;

const ALLOWED: HeaderValue = HeaderValue::from_static("GET, HEAD, OPTIONS, PUT, PATCH");
const ALLOWED_TO_READ: HeaderValue = HeaderValue::from_static("GET, HEAD, OPTIONS");
const ACCEPT_PATCH: HeaderName = HeaderName::from_static("accept-patch");

/// The nodes of the datastore that are no managed objects.
pub(crate) fn nodes(schema: &Schema) -> Vec<Node> {
    library::nodes(schema)
}

/// Where RESTCONF is (RFC 8040 section 3.1).
pub(crate) async fn host_meta(headers: HeaderMap) -> Response {
    let body = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<XRD xmlns=\"http://docs.oasis-open.org/ns/xri/xrd-1.0\">\
        <Link rel=\"restconf\" href=\"/restconf\"/></XRD>\n";
    Answer::ok("application/xrd+xml", body.into()).into_response(&headers)
}

/// The same in JSON (RFC 6415 section 3).
pub(crate) async fn host_meta_json(headers: HeaderMap) -> Response {
    let body = "{\"links\":[{\"rel\":\"restconf\",\"href\":\"/restconf\"}]}\n";
    Answer::ok("application/json", body.into()).into_response(&headers)
}

/// Answers a request to a resource at or below `/restconf`.
pub(crate) async fn answer(
    State(resources): State<Arc<Resources>>,
    Extension(peer): Extension<Peer>,
    request: Request<Body>,
) -> Response {
    let (head, body) = request.into_parts();
    let headers = &head.headers;
    let wanted = wanted_encoding(headers);
    let encoding = wanted.unwrap_or(Encoding::Json);
    let answered = match (wanted, principal(&resources.objects, &peer, headers)) {
        (_, Err(_)) => Err(Error::unauthenticated()),
        (None, _) => Err(Error::new(
            StatusCode::NOT_ACCEPTABLE,
            "invalid-value",
            "application/yang-data+json and application/yang-data+xml are what there is",
        )),
        (Some(encoding), Ok(principal)) => {
            let call = Call {
                resources: &resources,
                principal,
                headers,
                encoding,
                path: head.uri.path(),
                query: head.uri.query().unwrap_or(""),
            };
            call.answer(&head.method, body).await
        }
    };
    let answer = answered.unwrap_or_else(|error| {
        let answer = error.answer(encoding);
        if error.status == StatusCode::METHOD_NOT_ALLOWED {
            answer.with(ALLOW, ALLOWED_TO_READ)
        } else {
            answer
        }
    });
    answer.into_response(headers)
}

/// The encoding that the client wants most; JSON if it does not care, none if it wants neither.
fn wanted_encoding(headers: &HeaderMap) -> Option<Encoding> {
    let mut accepts = headers.get_all(ACCEPT).iter().peekable();
    if accepts.peek().is_none() {
        return Some(Encoding::Json);
    }
    let mut best: Option<(u16, Encoding)> = None;
    for item in accepts.flat_map(|value| value.to_str().unwrap_or("").split(',')) {
        let (name, quality) = quality(item);
        let encoding = match name {
            "*/*" | "application/*" => Some(Encoding::Json),
            name => Encoding::of_media_type(name),
        };
        if let Some(encoding) = encoding
            && quality > best.map_or(0, |(best, _)| best)
        {
            best = Some((quality, encoding));
        }
    }
    best.map(|(_, encoding)| encoding)
}

/// A request of somebody who is known.
struct Call<'a> {
    resources: &'a Resources,
    principal: Principal,
    headers: &'a HeaderMap,
    encoding: Encoding,
    path: &'a str,
    query: &'a str,
}

impl Call<'_> {
    async fn answer(&self, method: &Method, body: Body) -> Result<Answer, Error> {
        let path = self.path.strip_prefix("/restconf").unwrap_or(self.path);
        let path = path.strip_prefix('/').unwrap_or(path);
        let (first, rest) = path.split_once('/').unwrap_or((path, ""));
        let is_read = matches!(*method, Method::GET | Method::HEAD);
        match first {
            "data" => match *method {
                Method::GET | Method::HEAD => self.read(rest),
                Method::PUT | Method::PATCH => self.write(rest, method, body).await,
                Method::OPTIONS => Ok(self.options()),
                _ => Err(write::read_only()),
            },
            _ if *method == Method::OPTIONS => Ok(self.options()),
            _ if !is_read => Err(write::read_only()),
            "" => Ok(self.entry_point()),
            "operations" if rest.is_empty() => Ok(self.one(|output| {
                let name = Name::of("ietf-restconf", "operations");
                output.open(name);
                output.close(name);
            })),
            "yang-library-version" if rest.is_empty() => Ok(self.one(|output| {
                let name = Name::of("ietf-restconf", "yang-library-version");
                output.leaf(name, library::LIBRARY_REVISION, Form::String);
            })),
            _ => Err(Error::not_found()),
        }
    }

    fn options(&self) -> Answer {
        let types = "application/yang-data+json, application/yang-data+xml";
        Answer::empty(StatusCode::OK)
            .with(ALLOW, ALLOWED)
            .with(ACCEPT_PATCH, HeaderValue::from_static(types))
    }

    fn one(&self, write: impl FnOnce(&mut Output)) -> Answer {
        let mut output = Output::new(self.encoding);
        write(&mut output);
        Answer::ok(self.encoding.media_type(), output.finish())
    }

    /// RFC 8040 section 3.3.
    fn entry_point(&self) -> Answer {
        self.one(|output| {
            let name = Name::of("ietf-restconf", "restconf");
            output.open(name);
            for child in ["data", "operations"].map(Name::plain) {
                output.open(child);
                output.close(child);
            }
            let version = Name::plain("yang-library-version");
            output.leaf(version, library::LIBRARY_REVISION, Form::String);
            output.close(name);
        })
    }

    fn resource(&self, path: &str) -> Result<Resource<'_>, Error> {
        let Resources { schema, nodes, .. } = self.resources;
        Resource::find(schema, nodes, &path::steps(path)?)
    }

    fn read(&self, path: &str) -> Result<Answer, Error> {
        let resource = self.resource(path)?;
        let query = Query::parse(self.query)?;
        let body = self.body(&resource, &query, self.encoding)?;
        let tag = entity_tag(&body);
        let is_known = |value: &HeaderValue| names_tag(value, &tag);
        let answer = if self.headers.get_all(IF_NONE_MATCH).iter().any(is_known) {
            Answer::empty(StatusCode::NOT_MODIFIED)
        } else {
            Answer::ok(self.encoding.media_type(), body)
        };
        // The values are of this moment.
        let now = httpdate::fmt_http_date(SystemTime::now());
        let now = HeaderValue::try_from(now).map_err(|_| Error::failed())?;
        let tag = HeaderValue::try_from(tag).map_err(|_| Error::failed())?;
        Ok(answer.with(ETAG, tag).with(LAST_MODIFIED, now))
    }

    fn body(
        &self,
        resource: &Resource<'_>,
        query: &Query,
        encoding: Encoding,
    ) -> Result<Vec<u8>, Error> {
        let resources = self.resources;
        let shown = resources.read(&self.principal, |reader| {
            let mut reading = Reading {
                reader,
                output: Output::new(encoding),
                content: query.content,
                limit: resources.limits().response,
                text: String::new(),
                entries: 0,
            };
            let extent = Extent::new(query.depth, &query.fields);
            let shown = reading.resource(&resources.schema, resource, extent)?;
            Ok((shown, reading.entries, reading.output))
        });
        let (shown, entries, output) = shown.ok_or_else(Error::denied)??;
        if !shown {
            return Err(Error::not_found());
        }
        if encoding == Encoding::Xml && entries > 1 {
            // RFC 8040 4.3
            return Err(Error::invalid_value(
                "there are several entries, which XML cannot have without one around them: ask for the container",
            ));
        }
        Ok(output.finish())
    }

    async fn write(&self, path: &str, method: &Method, body: Body) -> Result<Answer, Error> {
        let resource = self.resource(path)?;
        // What is replaced as a whole is a leaf: a container has nodes that cannot be removed.
        if *method == Method::PUT && !matches!(resource, Resource::Leaf(..)) {
            return Err(write::read_only());
        }
        if !self.query.is_empty() {
            return Err(Error::invalid_value("no query parameter is supported here"));
        }
        let encoding = self.body_encoding()?;
        self.check_precondition(&resource)?;
        let limits = self.resources.limits();
        let body = body::read(self.headers, body, limits.request, limits.body)
            .await
            .map_err(Error::of_body)?;
        let trees = Tree::parse(encoding, &body)?;
        let assignments = write::assignments(&self.resources.schema, &resource, &trees)?;
        if !assignments.is_empty() {
            let objects = &self.resources.objects;
            let set = objects.set(self.principal.clone(), assignments).await;
            set.map_err(Error::of_set)?;
        }
        Ok(Answer::empty(StatusCode::NO_CONTENT))
    }

    fn body_encoding(&self) -> Result<Encoding, Error> {
        let value = self.headers.get(CONTENT_TYPE);
        let value = value.and_then(|value| value.to_str().ok()).unwrap_or("");
        let name = value.split(';').next().unwrap_or("").trim();
        Encoding::of_media_type(&name.to_ascii_lowercase()).ok_or_else(|| {
            Error::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "invalid-value",
                "the body is of type application/yang-data+json or application/yang-data+xml",
            )
        })
    }

    /// RFC 8040 section 3.4.1.2: nothing is changed that somebody else has changed meanwhile.
    fn check_precondition(&self, resource: &Resource<'_>) -> Result<(), Error> {
        let conditions = self.headers.get_all(IF_MATCH);
        if conditions.iter().next().is_none() {
            return Ok(());
        }
        let query = Query::default();
        for encoding in [Encoding::Json, Encoding::Xml] {
            let tag = entity_tag(&self.body(resource, &query, encoding)?);
            if conditions.iter().any(|value| names_tag(value, &tag)) {
                return Ok(());
            }
        }
        Err(Error::new(
            StatusCode::PRECONDITION_FAILED,
            "operation-failed",
            "it has changed meanwhile",
        ))
    }
}

/// The entity tag of a representation: the same for the same octets.
fn entity_tag(body: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    body.hash(&mut hasher);
    format!("\"{:016x}\"", hasher.finish())
}

fn names_tag(value: &HeaderValue, tag: &str) -> bool {
    let names = value.to_str().unwrap_or("").split(',').map(str::trim);
    names
        .map(|name| name.strip_prefix("W/").unwrap_or(name))
        .any(|name| name == "*" || name == tag)
}
