use std::sync::Arc;

use serde::{Deserialize, Serialize};
use varbind::transport::certificate::TlsClient;
#[cfg(feature = "experiments")]
use varbind_web::client::Operation;
use varbind_web::client::{
    Coding, Encoding, Endpoint, Request, Response, WebClient, WebClientOptions,
};

use super::super::{Measure, Observation, Setting, SubjectName};
use super::Laboratory;
use super::connections::{Connections, note_wire};
use super::session_task::is_no;
use crate::measurement::{Placement, TransportKind};
use crate::process::{place_in_turns, pss, usage_of};
#[cfg(not(feature = "experiments"))]
use crate::subject::NO_EXPERIMENTS;
use crate::subject::{Agent, READ_COMMUNITY};

/// Requests of the web services over HTTP: connections one behind the other, each with requests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WebTask {
    /// The network.
    pub setting: Setting,
    /// The objects that each exchange reads, and by which interface.
    pub question: WebQuestion,
    /// Whether it is HTTPS, with a certificate of the client.
    #[serde(default, skip_serializing_if = "is_no")]
    pub is_secure: bool,
    /// How bodies are compressed.
    pub compression: Option<WebCompression>,
    /// Connections in each repetition.
    pub sessions: u32,
    /// Requests by each connection.
    pub exchanges: u32,
}

/// What is asked of the web services.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WebQuestion {
    /// SOAP: the whole of ifTable.
    SoapTable,
    /// SOAP: a row of ifTable.
    SoapRow {
        /// ifIndex.
        index: u32,
    },
    /// SOAP: a column of ifTable.
    SoapColumn {
        /// The column.
        name: String,
    },
    /// SOAP: an object of ifTable.
    SoapObject {
        /// The column.
        name: String,
        /// ifIndex.
        index: u32,
    },
    /// RESTCONF: what is at a path.
    Restconf {
        /// The path, below that of all data.
        path: String,
        /// The parameter `fields` of the query.
        fields: Option<String>,
        /// As JSON; otherwise as XML.
        is_json: bool,
    },
}

/// A content coding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WebCompression {
    /// gzip.
    Gzip,
    /// deflate, which is zlib.
    Deflate,
}

impl WebTask {
    /// One connection with one request.
    #[must_use]
    pub const fn new(question: WebQuestion) -> Self {
        Self {
            setting: Setting::Host,
            question,
            is_secure: false,
            compression: None,
            sessions: 1,
            exchanges: 1,
        }
    }

    pub(in super::super) fn is_possible(subject: SubjectName) -> Result<(), String> {
        subject.ours_alone(|| format!("{subject} has no web services"))
    }

    pub(super) fn observe(&self, laboratory: &mut Laboratory) -> Result<Observation, String> {
        let cores = laboratory.cores.clone();
        let emulator = laboratory.emulator();
        let agent = laboratory.agent(SubjectName::Varbind)?;
        let pid = agent.id();
        let (scheme, address, tls) = if self.is_secure {
            let access = agent.access(TransportKind::Tls, false);
            let tls = access.and_then(|access| access.options.tls.clone());
            ("https", agent.secure_web(), tls)
        } else {
            ("http", agent.web(), None)
        };
        let address = address.ok_or("the agent has no web services")?;
        let told = |error: std::io::Error| error.to_string();
        // Across a network they are two machines.
        let placed = place_in_turns(&cores, Placement::SameCore, pid, emulator.is_none());
        placed.map_err(told)?;
        let endpoint: Endpoint = format!("{scheme}://{address}")
            .parse()
            .map_err(|error| format!("{error}"))?;
        let request = self.request(&endpoint)?;
        let mut observation = Observation::default();
        // It warms the caches, too.
        note_wire(&mut observation, address, || {
            send(&mut open(&endpoint, &tls)?, &request)
        })?;
        let used = usage_of(pid, emulator, || {
            let open = || open(&endpoint, &tls);
            Connections::run(self.sessions, self.exchanges, open, |client| {
                let octets = send(client, &request)?.octets;
                Ok((octets.request_body_encoded, octets.response_body_encoded))
            })
        });
        let used = used.map_err(told)?;
        let connections = used.result?;
        connections.note(&mut observation);
        let exchanges = connections.requests();
        observation.note(Measure::ManagerCpu, used.manager.total / exchanges);
        if let Some(agent) = used.agent {
            let each = agent.total / exchanges;
            observation.note(Measure::AgentCpu, each);
            observation.note(Measure::RatePerCore, 1e6 / each);
        }
        if let Some(pss) = pid.and_then(|pid| pss(pid).ok()) {
            observation.note(Measure::Memory, pss as f64);
        }
        Ok(observation)
    }

    fn request(&self, endpoint: &Endpoint) -> Result<Request, String> {
        let request = match &self.question {
            WebQuestion::SoapTable
            | WebQuestion::SoapRow { .. }
            | WebQuestion::SoapColumn { .. }
            | WebQuestion::SoapObject { .. } => self.call()?,
            WebQuestion::Restconf {
                path,
                fields,
                is_json,
            } => {
                let encoding = if *is_json {
                    Encoding::Json
                } else {
                    Encoding::Xml
                };
                let request = Request::get(endpoint.path(path)).accepting(encoding);
                match fields {
                    Some(fields) => request.query("fields", fields),
                    None => request,
                }
            }
        };
        let Some(compression) = self.compression else {
            return Ok(request);
        };
        let coding = match compression {
            WebCompression::Gzip => Coding::Gzip,
            WebCompression::Deflate => Coding::Deflate,
        };
        let request = request.accepting_coding(coding);
        match self.question {
            WebQuestion::Restconf { .. } => Ok(request),
            _ => request.encoded(coding).map_err(|error| error.to_string()),
        }
    }
}

impl WebTask {
    /// Whether the agent needs a build with the feature `experiments` for it.
    pub(in super::super) const fn needs_experiments(&self) -> bool {
        !matches!(self.question, WebQuestion::Restconf { .. })
    }

    #[cfg(not(feature = "experiments"))]
    fn call(&self) -> Result<Request, String> {
        Err(format!("{:?}: {NO_EXPERIMENTS}", self.question))
    }

    /// The call of SOAP.
    #[cfg(feature = "experiments")]
    fn call(&self) -> Result<Request, String> {
        let operation = match &self.question {
            WebQuestion::SoapTable => Operation::Table,
            WebQuestion::SoapRow { index } => Operation::Row { index: *index },
            WebQuestion::SoapColumn { name } => Operation::Column { name: name.clone() },
            WebQuestion::SoapObject { name, index } => Operation::Object {
                name: name.clone(),
                index: *index,
            },
            question @ WebQuestion::Restconf { .. } => {
                return Err(format!("{question:?} is not a call of SOAP"));
            }
        };
        Ok(Request::soap("/soap", &operation))
    }
}

/// What an agent has at a path, over HTTP, as XML.
pub(super) fn get_xml(agent: &Agent, path: &str, fields: Option<&str>) -> Result<String, String> {
    let address = agent.web().ok_or("the agent has no web services")?;
    let endpoint: Endpoint = format!("http://{address}")
        .parse()
        .map_err(|error| format!("{error}"))?;
    let request = Request::get(endpoint.path(path)).accepting(Encoding::Xml);
    let request = match fields {
        Some(fields) => request.query("fields", fields),
        None => request,
    };
    let response = send(&mut open(&endpoint, &None)?, &request)?;
    String::from_utf8(response.body).map_err(|error| error.to_string())
}

fn open(endpoint: &Endpoint, tls: &Option<Arc<TlsClient>>) -> Result<WebClient, String> {
    let options = WebClientOptions {
        tls: tls.clone(),
        community: Some(READ_COMMUNITY.into()),
        ..WebClientOptions::default()
    };
    WebClient::open(endpoint, options).map_err(|error| error.to_string())
}

fn send(client: &mut WebClient, request: &Request) -> Result<Response, String> {
    let response = client.send(request).map_err(|error| error.to_string())?;
    if response.is_refusal() {
        let errors = response.errors();
        return Err(format!("{}: {errors:?}", response.status));
    }
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Recorded runs have them.
    #[test]
    fn json_of_questions_is_stable() {
        let name = || "ifDescr".to_owned();
        let object = WebQuestion::SoapObject {
            name: name(),
            index: 1,
        };
        for (question, json) in [
            (WebQuestion::SoapTable, r#""soap-table""#),
            (
                WebQuestion::SoapRow { index: 1 },
                r#"{"soap-row":{"index":1}}"#,
            ),
            (
                WebQuestion::SoapColumn { name: name() },
                r#"{"soap-column":{"name":"ifDescr"}}"#,
            ),
            (object, r#"{"soap-object":{"name":"ifDescr","index":1}}"#),
        ] {
            assert_eq!(serde_json::to_string(&question).unwrap(), json);
        }
    }
}
