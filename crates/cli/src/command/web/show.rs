use std::io::{Write, stdout};

use serde_json::{Map, Value, json};
use varbind_web::client::Response;

use super::arguments::ConnectionArguments;
use crate::failure::Failure;

/// Writes what came. A refusal is told on standard error, unless all is to be shown.
pub(super) fn show(response: &Response, arguments: &ConnectionArguments) -> Result<(), Failure> {
    let mut output = stdout().lock();
    if arguments.json {
        writeln!(output, "{}", object(response))?;
        return Ok(output.flush()?);
    }
    if arguments.include {
        writeln!(output, "{}", response.status)?;
        for (name, value) in &response.headers {
            let value = String::from_utf8_lossy(value.as_bytes());
            writeln!(output, "{name}: {}", printable(&value))?;
        }
        writeln!(output)?;
    } else if response.is_refusal() {
        return Ok(());
    }
    output.write_all(&response.body)?;
    if response.body.last().is_some_and(|last| *last != b'\n') {
        writeln!(output)?;
    }
    Ok(output.flush()?)
}

fn object(response: &Response) -> Value {
    let headers: Map<_, _> = response
        .headers
        .iter()
        .map(|(name, value)| {
            let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
            (name.to_string(), Value::from(value))
        })
        .collect();
    // JSON as it is, everything else as text.
    let body = serde_json::from_slice(&response.body)
        .unwrap_or_else(|_| Value::from(String::from_utf8_lossy(&response.body)));
    let octets = &response.octets;
    let errors: Vec<_> = response
        .errors()
        .into_iter()
        .map(|error| {
            json!({
                "tag": error.tag,
                "application_tag": error.application_tag,
                "path": error.path,
                "message": error.message,
            })
        })
        .collect();
    json!({
        "status": response.status.as_u16(),
        "headers": headers,
        "octets": {
            "request": octets.request,
            "request_body": octets.request_body,
            "response": octets.response,
            "response_body": octets.response_body,
            "response_body_encoded": octets.response_body_encoded,
        },
        "errors": errors,
        "body": if response.body.is_empty() { Value::Null } else { body },
    })
}

/// The text without what a terminal would take for a command.
pub(super) fn printable(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect()
}
