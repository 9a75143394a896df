//! RESTCONF (RFC 8040) on the objects of the agent, as RFC 6643 translates their MIB modules.

mod deviations;
mod error;
mod library;
mod output;
mod path;
mod query;
mod read;
mod resource;
mod tree;
mod validators;
mod write;

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Extension, Path, State};
use axum::http::header::{ACCEPT, ALLOW, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Request, StatusCode};
use axum::response::Response;
use axum::routing::{any, get};
use varbind::agent::SetObjectsError;
use varbind_engine::applications::command_responder::Principal;

use crate::access::{Peer, principal};
use crate::body::Answer;
use crate::coding::quality;
use crate::resources::Resources;
use crate::value::Form;
use deviations::Deviations;
use error::Error;
use output::{Encoding, Name, Output};
use query::{Content, Query};
use read::{Digest, Extent, Reading};
use resource::{Methods, Node, Resource};
use tree::Tree;
use validators::{Precondition, Validators};

const ACCEPT_PATCH: HeaderName = HeaderName::from_static("accept-patch");
/// How often a conditional edit is tried while others change the configuration.
const ATTEMPTS: usize = 8;

/// The resources of RESTCONF: those of the agent, and those that describe the server.
struct Restconf {
    resources: Arc<Resources>,
    /// The nodes of the datastore that are not managed objects.
    nodes: Vec<Node>,
    deviations: Vec<Deviations>,
}

/// The routes of RESTCONF.
pub(crate) fn routes(resources: Arc<Resources>) -> Router {
    let deviations = Deviations::of_schema(&resources.schema);
    let restconf = Restconf {
        nodes: library::nodes(&resources.schema, &deviations),
        resources,
        deviations,
    };
    Router::new()
        .route("/.well-known/host-meta", get(host_meta))
        .route("/.well-known/host-meta.json", get(host_meta_json))
        .route(&format!("{}/{{file}}", library::PATH), get(yang_module))
        .route("/restconf", any(answer))
        .route("/restconf/{*path}", any(answer))
        .with_state(Arc::new(restconf))
}

/// The text of a YANG module (RFC 8040 section 3.7).
async fn yang_module(
    State(restconf): State<Arc<Restconf>>,
    Extension(peer): Extension<Peer>,
    Path(file): Path<String>,
    headers: HeaderMap,
) -> Response {
    let mut modules = restconf.deviations.iter();
    let module = modules.find(|module| module.file() == file);
    let answer = match (
        principal(&restconf.resources.objects, &peer, &headers),
        module,
    ) {
        (Err(_), _) => Error::unauthenticated().answer(Encoding::Json),
        (Ok(_), None) => Error::not_found().answer(Encoding::Json),
        (Ok(_), Some(module)) => Answer::ok("application/yang", module.text.clone().into()),
    };
    answer.into_response(&headers)
}

/// The root of RESTCONF (RFC 8040 section 3.1).
async fn host_meta(headers: HeaderMap) -> Response {
    let body = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<XRD xmlns=\"http://docs.oasis-open.org/ns/xri/xrd-1.0\">\
        <Link rel=\"restconf\" href=\"/restconf\"/></XRD>\n";
    Answer::ok("application/xrd+xml", body.into()).into_response(&headers)
}

/// The root of RESTCONF in JSON (RFC 6415 section 3).
async fn host_meta_json(headers: HeaderMap) -> Response {
    let body = "{\"links\":[{\"rel\":\"restconf\",\"href\":\"/restconf\"}]}\n";
    Answer::ok("application/json", body.into()).into_response(&headers)
}

/// Answers a request to a resource at or below `/restconf`.
async fn answer(
    State(restconf): State<Arc<Restconf>>,
    Extension(peer): Extension<Peer>,
    request: Request<Body>,
) -> Response {
    let (head, body) = request.into_parts();
    let headers = &head.headers;
    let wanted = wanted_encoding(headers);
    let encoding = wanted.unwrap_or(Encoding::Json);
    let answered = match (
        wanted,
        principal(&restconf.resources.objects, &peer, headers),
    ) {
        (_, Err(_)) => Err(Error::unauthenticated()),
        (None, _) => Err(Error::new(
            StatusCode::NOT_ACCEPTABLE,
            "invalid-value",
            "application/yang-data+json and application/yang-data+xml are what there is",
        )),
        (Some(encoding), Ok(principal)) => {
            let call = Call {
                resources: &restconf.resources,
                nodes: &restconf.nodes,
                principal,
                headers,
                encoding,
                path: head.uri.path(),
                query: head.uri.query().unwrap_or(""),
                origin: peer.origin(headers),
            };
            call.answer(&head.method, body).await
        }
    };
    answered
        .unwrap_or_else(|error| error.answer(encoding))
        .into_response(headers)
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

/// A request of an authenticated client.
struct Call<'a> {
    resources: &'a Resources,
    nodes: &'a [Node],
    principal: Principal,
    headers: &'a HeaderMap,
    encoding: Encoding,
    path: &'a str,
    query: &'a str,
    /// Scheme and authority of this server, as the client knows it.
    origin: String,
}

/// The target of a path below `/restconf`.
enum Target<'s> {
    Data(Resource<'s>),
    EntryPoint,
    Operations,
    LibraryVersion,
}

/// A representation of a resource.
struct Shown {
    body: Vec<u8>,
    /// A digest of the configuration in it; `None` if there is none.
    configuration: Option<u64>,
}

impl Call<'_> {
    async fn answer(&self, method: &Method, body: Body) -> Result<Answer, Error> {
        let path = self.path.strip_prefix("/restconf").unwrap_or(self.path);
        let path = path.strip_prefix('/').unwrap_or(path);
        let (first, rest) = path.split_once('/').unwrap_or((path, ""));
        let target = match first {
            "data" => Target::Data(self.resource(rest)?),
            "" => Target::EntryPoint,
            "operations" if rest.is_empty() => Target::Operations,
            "yang-library-version" if rest.is_empty() => Target::LibraryVersion,
            _ => return Err(Error::not_found()),
        };
        let methods = match &target {
            Target::Data(resource) => resource.methods(&self.resources.schema),
            _ => Methods::Read,
        };
        if !methods.include(method) {
            return Err(Error::method_not_allowed(methods));
        }
        match (target, method) {
            (_, &Method::OPTIONS) => Ok(options(methods)),
            (Target::Data(resource), &Method::GET | &Method::HEAD) => self.read(&resource),
            (Target::Data(resource), _) => self.write(&resource, body).await,
            (Target::EntryPoint, _) => Ok(self.entry_point()),
            (Target::Operations, _) => Ok(self.one(|output| {
                let name = Name::of("ietf-restconf", "operations");
                output.open(name);
                output.close(name);
            })),
            (Target::LibraryVersion, _) => Ok(self.one(|output| {
                let name = Name::of("ietf-restconf", "yang-library-version");
                output.leaf(name, library::LIBRARY_REVISION, Form::String);
            })),
        }
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
        Resource::find(&self.resources.schema, self.nodes, &path::steps(path)?)
    }

    fn read(&self, resource: &Resource<'_>) -> Result<Answer, Error> {
        let objects = &self.resources.objects;
        let query = Query::parse(self.query)?;
        query.fields.check(&self.resources.schema, resource)?;
        // Before anything is read: a change from then on must not go with the time of an earlier one.
        let changed = objects.last_configuration_change();
        let shown = self.show(resource, &query)?;
        let configuration = match query.content {
            Content::Nonconfig => None,
            _ if query.has_whole_configuration() => shown.configuration,
            _ => self.configuration(resource)?,
        };
        let validators = match configuration {
            Some(digest) => Validators::of_configuration(digest, changed),
            None => Validators::of_state(&shown.body),
        };
        let encoding = self.encoding;
        let answer = match validators.of_retrieval(self.headers, objects, encoding) {
            Precondition::Holds => Answer::ok(encoding.media_type(), shown.body),
            Precondition::NotModified => Answer::empty(StatusCode::NOT_MODIFIED),
            Precondition::Fails => return Err(Error::precondition_failed()),
        };
        Ok(validators.describe(answer, encoding))
    }

    /// The digest of the configuration in a resource; `None` if nothing in it can be set.
    fn configuration(&self, resource: &Resource<'_>) -> Result<Option<u64>, Error> {
        match self.show(resource, &Query::CONFIGURATION) {
            Ok(shown) => Ok(shown.configuration),
            Err(error) if error == Error::not_found() => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn show(&self, resource: &Resource<'_>, query: &Query) -> Result<Shown, Error> {
        let resources = self.resources;
        let encoding = self.encoding;
        let read = resources.read(&self.principal, |reader| {
            let mut reading = Reading {
                reader,
                output: Output::new(encoding),
                content: query.content,
                limit: resources.limits().response,
                text: String::new(),
                entries: 0,
                origin: &self.origin,
                configuration: Digest::default(),
            };
            let extent = Extent::new(query.depth, &query.fields);
            let is_shown = reading.resource(&resources.schema, resource, extent)?;
            let Reading {
                output,
                entries,
                configuration,
                ..
            } = reading;
            Ok((is_shown, entries, configuration.finish(), output))
        });
        let (is_shown, entries, configuration, output) = read.ok_or_else(Error::denied)??;
        if !is_shown {
            return Err(Error::not_found());
        }
        if encoding == Encoding::Xml && entries > 1 {
            // RFC 8040 4.3
            return Err(Error::invalid_value(
                "there are several entries, which XML cannot express without a parent: request the container",
            ));
        }
        let configuration = match resource {
            // RFC 8040 3.4.1.2: the datastore has an entity tag even if nothing can be set.
            Resource::Datastore(_) => configuration.or(Some(0)),
            _ => configuration,
        };
        Ok(Shown {
            body: output.finish(),
            configuration,
        })
    }

    async fn write(&self, resource: &Resource<'_>, body: Body) -> Result<Answer, Error> {
        if !self.query.is_empty() {
            return Err(Error::invalid_value("no query parameter is supported here"));
        }
        let encoding = self.body_encoding()?;
        let limits = self.resources.limits();
        let bodies = &self.resources.bodies;
        let body = bodies
            .read(self.headers, body, limits.request, limits.body)
            .await
            .map_err(Error::of_body)?;
        let trees = Tree::parse(encoding, &body)?;
        let assignments = write::assignments(&self.resources.schema, resource, &trees)?;
        let objects = &self.resources.objects;
        for _ in 0..ATTEMPTS {
            let revision = self.check_precondition(resource)?;
            if assignments.is_empty() {
                return Ok(Answer::empty(StatusCode::NO_CONTENT));
            }
            let set = objects.set(self.principal.clone(), assignments.clone(), revision);
            match set.await {
                Ok(()) => return Ok(Answer::empty(StatusCode::NO_CONTENT)),
                Err(SetObjectsError::Changed) => {}
                Err(error) => return Err(Error::of_set(error)),
            }
        }
        Err(Error::of_set(SetObjectsError::Changed))
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

    /// Checks the conditions of an edit, and returns the revision of the configuration for which they hold; `None` if
    /// there are none.
    fn check_precondition(&self, resource: &Resource<'_>) -> Result<Option<u64>, Error> {
        if !validators::is_conditional(self.headers) {
            return Ok(None);
        }
        let objects = &self.resources.objects;
        let revision = objects.configuration_revision();
        let digest = self.configuration(resource)?.ok_or_else(Error::not_found)?;
        let validators = Validators::of_configuration(digest, None);
        match validators.of_edit(self.headers, objects) {
            Precondition::Holds => Ok(Some(revision)),
            _ => Err(Error::precondition_failed()),
        }
    }
}

fn options(methods: Methods) -> Answer {
    let answer = Answer::empty(StatusCode::OK).with(ALLOW, methods.allow());
    if !methods.has_patch() {
        return answer;
    }
    let types = "application/yang-data+json, application/yang-data+xml";
    answer.with(ACCEPT_PATCH, HeaderValue::from_static(types))
}
