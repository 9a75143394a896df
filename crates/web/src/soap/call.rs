use super::NAMESPACE;
use super::envelope::{ENVELOPE, Fault};
use crate::xml::Element;

/// What is asked for: the four granularities in which ifTable can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Table,
    Row { index: u32 },
    Column { name: String },
    Object { name: String, index: u32 },
}

impl Operation {
    pub(super) const fn name(&self) -> &'static str {
        match self {
            Self::Table => "GetIfTable",
            Self::Row { .. } => "GetIfRow",
            Self::Column { .. } => "GetIfColumn",
            Self::Object { .. } => "GetIfObject",
        }
    }
}

/// A call.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) operation: Operation,
    /// In whose name, unless the transport tells.
    pub(super) community: Option<String>,
}

impl Call {
    /// Reads an envelope of SOAP 1.1.
    pub(super) fn of_envelope(root: &Element) -> Result<Self, Fault> {
        if root.name != "Envelope" {
            return Err(Fault::client("the document is no envelope of SOAP"));
        }
        if root.namespace != ENVELOPE {
            // SOAP 1.1 4.1.2
            return Err(Fault::new("VersionMismatch", "the version of SOAP is 1.1"));
        }
        let of_soap = |name: &str| {
            let mut children = root.children.iter();
            children.find(|child| child.namespace == ENVELOPE && child.name == name)
        };
        let headers = of_soap("Header").map_or(&[][..], |header| &header.children);
        if headers.iter().any(must_be_understood) {
            // SOAP 1.1 4.2.3
            let why = "no header is understood";
            return Err(Fault::new("MustUnderstand", why));
        }
        let body = of_soap("Body").ok_or_else(|| Fault::client("the envelope has no body"))?;
        match body.children.as_slice() {
            [call] => Self::of_element(call),
            _ => Err(Fault::client("the body has one element, the operation")),
        }
    }

    fn of_element(call: &Element) -> Result<Self, Fault> {
        if call.namespace != NAMESPACE {
            let why = format!("the operations are in the namespace {NAMESPACE}");
            return Err(Fault::client(why));
        }
        let parameter = |name: &str| {
            let mut children = call.children.iter();
            children
                .find(|child| child.name == name)
                .map(|child| child.text.trim())
        };
        let index = || {
            parameter("ifIndex")
                .and_then(|text| text.parse().ok())
                .ok_or_else(|| Fault::client("ifIndex, a number, is missing"))
        };
        let name = || {
            parameter("name")
                .map(str::to_owned)
                .ok_or_else(|| Fault::client("name, that of a column, is missing"))
        };
        let operation = match call.name.as_str() {
            "GetIfTable" => Operation::Table,
            "GetIfRow" => Operation::Row { index: index()? },
            "GetIfColumn" => Operation::Column { name: name()? },
            "GetIfObject" => Operation::Object {
                name: name()?,
                index: index()?,
            },
            other => return Err(Fault::client(format!("there is no operation {other}"))),
        };
        Ok(Self {
            operation,
            community: parameter("community").map(str::to_owned),
        })
    }
}

fn must_be_understood(header: &Element) -> bool {
    header.attributes.iter().any(|attribute| {
        attribute.namespace == ENVELOPE
            && attribute.name == "mustUnderstand"
            && attribute.value == "1"
    })
}
