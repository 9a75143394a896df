//! SOAP 1.1 over HTTP: ifTable by its rows, columns and objects, or as a whole.

mod call;
mod coding;
mod envelope;
mod wsdl;

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Extension, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, Request, StatusCode};
use axum::response::Response;
use varbind_engine::applications::command_responder::{NotRead, ObjectReader};

use crate::access::{Peer, Unauthenticated, is_named, principal, principal_of_body};
use crate::body::Answer;
use crate::resources::Resources;
use crate::schema::{Leaf, List};
use crate::xml;
use call::Call;
pub use call::Operation;
pub use coding::{IfRows, SoapCodec};
use envelope::{Envelope, Fault};

const CONTENT: &str = "text/xml; charset=utf-8";
/// The namespace of the operations.
const NAMESPACE: &str = "urn:varbind:if-table";
/// The largest call, in octets: calls have some 300.
pub(crate) const LARGEST_CALL: usize = 16 << 10;

/// The description of the service (WSDL 1.1).
pub(crate) async fn describe(
    State(resources): State<Arc<Resources>>,
    Extension(peer): Extension<Peer>,
    request: Request<Body>,
) -> Response {
    let headers = request.headers();
    if request.uri().query() != Some("wsdl") {
        let why = "send a SOAP request by POST, or ask for the description with ?wsdl";
        return Answer::refusal(StatusCode::NOT_FOUND, why).into_response(headers);
    }
    let address = format!("{}/soap", peer.origin(headers));
    let columns: Vec<_> =
        list(&resources).map_or_else(Vec::new, |list| list.own_columns().collect());
    Answer::ok(CONTENT, wsdl::describe(&address, &columns)).into_response(headers)
}

/// Answers a call.
pub(crate) async fn call(
    State(resources): State<Arc<Resources>>,
    Extension(peer): Extension<Peer>,
    request: Request<Body>,
) -> Response {
    let (head, body) = request.into_parts();
    let headers = head.headers;
    let answer = match answer(&resources, &peer, &headers, body).await {
        Ok(body) => Answer::ok(CONTENT, body),
        // SOAP 1.1 6.2
        Err(fault) => Answer::new(StatusCode::INTERNAL_SERVER_ERROR, CONTENT, fault.write()),
    };
    answer.into_response(&headers)
}

fn list(resources: &Resources) -> Option<&List> {
    resources.schema.list("ifEntry")
}

async fn answer(
    resources: &Resources,
    peer: &Peer,
    headers: &HeaderMap,
    body: Body,
) -> Result<Vec<u8>, Fault> {
    let kind = headers
        .get(CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok());
    let kind = kind.unwrap_or("").split(';').next().unwrap_or("").trim();
    if !kind.eq_ignore_ascii_case("text/xml") {
        return Err(Fault::client("the request is of type text/xml"));
    }
    let limits = resources.limits();
    let bodies = if is_named(peer, headers) {
        principal(&resources.objects, peer, headers).map_err(unknown)?;
        &resources.bodies
    } else {
        &resources.unauthenticated_bodies
    };
    let limit = limits.request.min(LARGEST_CALL);
    let body = bodies.read(headers, body, limit, limits.body).await;
    let body = body.map_err(|error| Fault::client(error.explanation()))?;
    let document = xml::parse(&body).map_err(|error| Fault::client(error.0))?;
    let call = Call::of_envelope(&document)?;
    let principal = principal_of_body(&resources.objects, peer, headers, call.community.as_deref())
        .map_err(unknown)?;
    let list = list(resources).ok_or_else(|| Fault::server("the agent has no ifTable"))?;
    resources
        .read(&principal, |reader| {
            respond(reader, list, &call.operation, limits.response)
        })
        .unwrap_or_else(|| Err(Fault::client("nothing may be read by that name")))
}

fn unknown(_: Unauthenticated) -> Fault {
    Fault::client("name a community that is known here")
}

fn respond(
    reader: &mut ObjectReader<'_>,
    list: &List,
    operation: &Operation,
    limit: usize,
) -> Result<Vec<u8>, Fault> {
    let mut writing = Writing {
        reader,
        envelope: Envelope::open(operation.name()),
        limit,
    };
    let column = |name: &str| {
        let mut columns = list.own_columns();
        columns
            .find(|column| column.name == name)
            .ok_or_else(|| Fault::client(format!("ifTable has no column {name}")))
    };
    match operation {
        Operation::Table => {
            let columns: Vec<_> = list.own_columns().collect();
            for index in writing.indexes(&columns)? {
                writing.row(&columns, index)?;
            }
        }
        Operation::Row { index } => {
            let columns: Vec<_> = list.own_columns().collect();
            if !writing.row(&columns, *index)? {
                return Err(no_interface(*index));
            }
        }
        Operation::Column { name } => {
            let column = column(name)?;
            for index in writing.indexes(&[column])? {
                writing.object(column, index)?;
            }
        }
        Operation::Object { name, index } => {
            if !writing.object(column(name)?, *index)? {
                return Err(no_interface(*index));
            }
        }
    }
    Ok(writing.envelope.close(operation.name()))
}

fn no_interface(index: u32) -> Fault {
    Fault::client(format!("there is no such object of interface {index}"))
}

/// Reads objects and writes them at once.
struct Writing<'a, 'r> {
    reader: &'a mut ObjectReader<'r>,
    envelope: Envelope,
    limit: usize,
}

impl Writing<'_, '_> {
    /// The interfaces of which any of these columns may be seen, in order.
    fn indexes(&mut self, columns: &[&Leaf]) -> Result<Vec<u32>, Fault> {
        let mut indexes: Vec<u32> = Vec::new();
        for column in columns {
            let mut name = column.oid.to_vec();
            let first_column = indexes.is_empty();
            loop {
                let found = self.reader.get_next(column.oid, &name, |found, _| {
                    match found.get(column.oid.len()..) {
                        Some(&[index]) => Some(index),
                        _ => None,
                    }
                });
                let Some(index) = found.map_err(|_| failed())?.flatten() else {
                    break;
                };
                name.truncate(column.oid.len());
                name.push(index);
                if first_column {
                    indexes.push(index);
                } else if let Err(at) = indexes.binary_search(&index) {
                    indexes.insert(at, index);
                }
            }
        }
        Ok(indexes)
    }

    /// Writes a row; whether there is one.
    fn row(&mut self, columns: &[&Leaf], index: u32) -> Result<bool, Fault> {
        if self.envelope.len() > self.limit {
            return Err(Fault::server("the response is too large: request less"));
        }
        let start = self.envelope.len();
        self.envelope.open_row();
        let mut is_there = false;
        for column in columns {
            is_there |= self.object(column, index)?;
        }
        self.envelope.close_row();
        if !is_there {
            self.envelope.truncate(start);
        }
        Ok(is_there)
    }

    /// Writes an object; whether there is one.
    fn object(&mut self, column: &Leaf, index: u32) -> Result<bool, Fault> {
        let Self {
            reader, envelope, ..
        } = self;
        let read = reader.get_below(column.oid, &[index], |value| {
            envelope.object(column, &value);
        });
        match read {
            Ok(()) => Ok(true),
            Err(NotRead::NoSuchInstance) => Ok(false),
            Err(NotRead::Failed) => Err(failed()),
        }
    }
}

fn failed() -> Fault {
    Fault::server("an object could not be read")
}
