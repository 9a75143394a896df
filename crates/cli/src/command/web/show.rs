use std::io::{IsTerminal, Write, stdout};

use serde_json::{Map, Value, json};
use varbind_terminal::Failure;
use varbind_web::client::Response;

use super::arguments::ConnectionArguments;

/// Writes the response. A refusal goes to standard error, unless everything is shown.
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
    if output.is_terminal() && response.media_type().ends_with("json") {
        output.write_all(&indented(&response.body))?;
    } else {
        output.write_all(&response.body)?;
    }
    if response.body.last().is_some_and(|last| *last != b'\n') {
        writeln!(output)?;
    }
    Ok(output.flush()?)
}

/// JSON with each member on a line of its own, in the order that it has.
fn indented(json: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(json.len() * 2);
    let mut depth = 0_usize;
    let (mut is_string, mut is_escaped) = (false, false);
    let mut octets = json.iter().copied().peekable();
    while let Some(octet) = octets.next() {
        let break_line = |depth: usize, text: &mut Vec<u8>| {
            text.push(b'\n');
            text.resize(text.len() + 2 * depth, b' ');
        };
        match octet {
            _ if is_string => {
                text.push(octet);
                is_string = is_escaped || octet != b'"';
                is_escaped = !is_escaped && octet == b'\\';
            }
            b' ' | b'\t' | b'\r' | b'\n' => {}
            b'{' | b'[' => {
                text.push(octet);
                while octets.next_if(u8::is_ascii_whitespace).is_some() {}
                if let Some(end) = octets.next_if(|next| matches!(next, b'}' | b']')) {
                    text.push(end);
                } else {
                    depth += 1;
                    break_line(depth, &mut text);
                }
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                break_line(depth, &mut text);
                text.push(octet);
            }
            b',' => {
                text.push(octet);
                break_line(depth, &mut text);
            }
            b':' => text.extend_from_slice(b": "),
            other => {
                is_string = other == b'"';
                text.push(other);
            }
        }
    }
    text
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_indented_in_its_order() {
        let json = r#"{"b": {"x":[1, "a,{\\\":}" ],"e":{},"f":[ ]},"a":"\\"}"#;
        let expected = r#"{
  "b": {
    "x": [
      1,
      "a,{\\\":}"
    ],
    "e": {},
    "f": []
  },
  "a": "\\"
}"#;
        let text = indented(json.as_bytes());
        assert_eq!(String::from_utf8(text.clone()).unwrap(), expected);
        let value: Value = serde_json::from_slice(json.as_bytes()).unwrap();
        assert_eq!(serde_json::from_slice::<Value>(&text).unwrap(), value);
        assert_eq!(indented(&text), text);
    }
}
