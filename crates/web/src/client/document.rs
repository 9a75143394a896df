use std::fmt;

use serde_json::Value;

use crate::xml::{self, Element};

/// An error that a server reports in the body of a response.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReportedError {
    /// error-tag (RFC 8040 section 7), as `invalid-value`.
    pub tag: String,
    /// error-app-tag: the server's own name of the error.
    pub application_tag: Option<String>,
    /// error-path: the node that it is about.
    pub path: Option<String>,
    /// error-message.
    pub message: Option<String>,
}

impl fmt::Display for ReportedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.tag)?;
        if let Some(tag) = &self.application_tag {
            write!(f, " ({tag})")?;
        }
        if let Some(path) = &self.path {
            write!(f, " at {path}")?;
        }
        if let Some(message) = &self.message {
            write!(f, ": {message}")?;
        }
        Ok(())
    }
}

/// The errors in a document of JSON; none if it is something else.
pub(super) fn of_json(body: &[u8]) -> Vec<ReportedError> {
    let Ok(document) = serde_json::from_slice::<Value>(body) else {
        return Vec::new();
    };
    // Servers from before the standard leave the module out.
    let errors = document
        .get("ietf-restconf:errors")
        .or_else(|| document.get("errors"))
        .and_then(|errors| errors.get("error"));
    let entries = match errors {
        Some(Value::Array(entries)) => entries.as_slice(),
        Some(entry) => std::slice::from_ref(entry),
        None => &[],
    };
    let of_entry = |entry: &Value| {
        let text = |name| Some(entry.get(name)?.as_str()?.to_owned());
        Some(ReportedError {
            tag: text("error-tag")?,
            application_tag: text("error-app-tag"),
            path: text("error-path"),
            message: text("error-message"),
        })
    };
    entries.iter().filter_map(of_entry).collect()
}

/// The errors in a document of XML, or the fault in an envelope of SOAP; none if it is something else.
pub(super) fn of_xml(body: &[u8]) -> Vec<ReportedError> {
    let Ok(root) = xml::parse(body) else {
        return Vec::new();
    };
    match &*root.name {
        "errors" => {
            let errors = root.children.iter().filter(|child| child.name == "error");
            errors.filter_map(of_element).collect()
        }
        #[cfg(feature = "experiments")]
        "Envelope" => {
            let body = child(&root, "Body").and_then(|body| child(body, "Fault"));
            body.and_then(of_fault).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

fn child<'e>(element: &'e Element, name: &str) -> Option<&'e Element> {
    element.children.iter().find(|child| child.name == name)
}

fn text(element: &Element, name: &str) -> Option<String> {
    Some(child(element, name)?.text.trim().to_owned())
}

fn of_element(error: &Element) -> Option<ReportedError> {
    Some(ReportedError {
        tag: text(error, "error-tag")?,
        application_tag: text(error, "error-app-tag"),
        path: text(error, "error-path"),
        message: text(error, "error-message"),
    })
}

#[cfg(feature = "experiments")]
fn of_fault(fault: &Element) -> Option<ReportedError> {
    let code = text(fault, "faultcode")?;
    // Without the prefix, which is the server's own.
    let code = code.rsplit(':').next().unwrap_or_default().to_owned();
    Some(ReportedError {
        tag: code,
        message: text(fault, "faultstring"),
        ..ReportedError::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_read_in_both_encodings() {
        // RFC 8040 section 7.1.
        let json = br#"{"ietf-restconf:errors":{"error":[{"error-type":"protocol","error-tag":"lock-denied",
            "error-path":"/a:b","error-message":"Lock failed"},{"error-tag":"too-big"},{}]}}"#;
        let errors = of_json(json);
        assert_eq!(errors.len(), 2);
        assert_eq!(errors[0].to_string(), "lock-denied at /a:b: Lock failed");
        let xml = br#"<errors xmlns="urn:ietf:params:xml:ns:yang:ietf-restconf"><error><error-tag> lock-denied </error-tag>
            <error-path xmlns:a="u">/a:b</error-path><error-message>Lock failed</error-message></error></errors>"#;
        assert_eq!(of_xml(xml), errors[..1]);
    }

    #[cfg(feature = "experiments")]
    #[test]
    fn faults_are_read() {
        let fault = br#"<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><e:Fault>
            <faultcode>e:Client</faultcode><faultstring>no</faultstring></e:Fault></e:Body></e:Envelope>"#;
        assert_eq!(of_xml(fault)[0].to_string(), "Client: no");
    }

    #[test]
    fn other_documents_report_nothing() {
        for other in [
            &b""[..],
            b"{}",
            b"[]",
            b"<html/>",
            b"<!DOCTYPE a><a/>",
            b"\xff",
        ] {
            assert!(of_json(other).is_empty() && of_xml(other).is_empty());
        }
    }
}
