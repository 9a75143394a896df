//! `varbind web`: asks an agent over HTTP or HTTPS, or another server of RESTCONF.

mod arguments;
mod body;
mod show;
#[cfg(feature = "experiments")]
mod soap;

use std::time::Duration;

use varbind_terminal::{Failure, log, secure_transport};
use varbind_web::client::{
    ClientError, Coding, Encoding, Endpoint, Request, Response, StatusCode, WebClient,
    WebClientOptions,
};

pub(crate) use arguments::Arguments;
use arguments::{Action, ConnectionArguments, GetArguments, SetArguments};

use crate::session;

/// How long is waited if nothing is said.
const TIMEOUT: Duration = Duration::from_secs(10);

impl Arguments {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        match &self.action {
            Action::Get(arguments) => arguments.run(),
            Action::Put(arguments) => arguments.run(Request::put),
            Action::Patch(arguments) => arguments.run(Request::patch),
            #[cfg(feature = "experiments")]
            Action::Soap(arguments) => arguments.run(),
        }
    }
}

impl ConnectionArguments {
    fn exchange(&self, request: Request) -> Result<(), Failure> {
        let endpoint = &self.endpoint;
        let request = if self.compressed {
            request.accepting_coding(Coding::Gzip)
        } else {
            request
        };
        let mut client = self.open()?;
        let response = client.send(&request).map_err(failure)?;
        show::show(&response, self)?;
        if response.is_refusal() {
            return Err(Failure::ErrorStatus(refusal(endpoint, &response)));
        }
        Ok(())
    }

    fn open(&self) -> Result<WebClient, Failure> {
        log::start_if_wanted(self.debug);
        let endpoint = &self.endpoint;
        let mut options = WebClientOptions {
            timeout: self.timeout.unwrap_or(TIMEOUT),
            ..WebClientOptions::default()
        };
        if endpoint.is_secure() {
            let client = secure_transport::tls_client(endpoint, &self.certificate, &self.peer)?;
            options.tls = Some(client.into());
        } else {
            options.community = Some(session::community(&self.community)?);
        }
        WebClient::open(endpoint, options).map_err(failure)
    }
}

/// What a server says who does not do what was asked for.
fn refusal(endpoint: &Endpoint, response: &Response) -> String {
    let mut text = format!("{endpoint}: the agent answered {}", response.status);
    let errors = response.errors();
    for error in &errors {
        text.push_str(&format!(": {error}"));
    }
    if errors.is_empty() && response.media_type() == "text/plain" {
        let body = String::from_utf8_lossy(&response.body);
        let line = body.lines().next().unwrap_or_default();
        text.push_str(&format!(": {}", show::printable(line)));
    }
    if response.status == StatusCode::FORBIDDEN && !endpoint.is_secure() {
        text.push_str(" (name a community that may do this: -c)");
    }
    if let Some(location) = response.header("location") {
        text.push_str(&format!(": it is at {}", show::printable(location)));
    }
    text
}

impl GetArguments {
    fn run(&self) -> Result<(), Failure> {
        let endpoint = &self.connection.endpoint;
        let mut request = Request::get(endpoint.path(&self.path));
        for (name, value) in [
            ("depth", &self.depth),
            ("content", &self.content),
            ("fields", &self.fields),
        ] {
            if let Some(value) = value {
                request = request.query(name, value);
            }
        }
        if let Some(accept) = self.accept {
            request = request.accepting(accept.into());
        } else if !self.path.starts_with('/') {
            request = request.accepting(Encoding::Json);
        }
        if let Some(tag) = &self.if_none_match {
            request = request.if_none_match(tag).map_err(failure)?;
        }
        self.connection.exchange(request)
    }
}

impl SetArguments {
    fn run(&self, make: impl FnOnce(String, Encoding, Vec<u8>) -> Request) -> Result<(), Failure> {
        let endpoint = &self.connection.endpoint;
        let (encoding, body) = body::read(self, &endpoint.path(&self.path))?;
        let mut request = make(endpoint.path(&self.path), encoding, body).accepting(encoding);
        if let Some(tag) = &self.if_match {
            request = request.if_match(tag).map_err(failure)?;
        }
        self.connection.exchange(request)
    }
}

fn failure(error: ClientError) -> Failure {
    let text = error.to_string();
    match error {
        ClientError::Request(_) => Failure::Usage(text),
        ClientError::TimedOut { .. } => Failure::NoAnswer(text),
        ClientError::Connecting { error, .. } if error.kind() == std::io::ErrorKind::TimedOut => {
            Failure::NoAnswer(text)
        }
        ClientError::Malformed { .. } => Failure::Protocol(text),
        _ => Failure::Transport(text),
    }
}
