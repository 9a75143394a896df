use super::NAMESPACE;
use super::envelope::{ENVELOPE, Fault};
use crate::xml::{Element, escape};

/// An operation of the agent's SOAP: the four granularities in which ifTable can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// `GetIfTable`: all of it.
    Table,
    /// `GetIfRow`: one row.
    Row {
        /// ifIndex.
        index: u32,
    },
    /// `GetIfColumn`: one column.
    Column {
        /// The name of the column, as ifDescr.
        name: String,
    },
    /// `GetIfObject`: one object.
    Object {
        /// The name of the column, as ifDescr.
        name: String,
        /// ifIndex.
        index: u32,
    },
}

impl Operation {
    /// The name in the service's description.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Table => "GetIfTable",
            Self::Row { .. } => "GetIfRow",
            Self::Column { .. } => "GetIfColumn",
            Self::Object { .. } => "GetIfObject",
        }
    }

    /// The value of the header SOAPAction.
    pub(crate) fn action(&self) -> String {
        format!("\"{NAMESPACE}#{}\"", self.name())
    }

    /// The envelope of a call without an identity of its own.
    pub(crate) fn envelope(&self) -> Vec<u8> {
        let operation = self.name();
        let mut octets = format!(
            "<e:Envelope xmlns:e=\"{ENVELOPE}\"><e:Body><m:{operation} xmlns:m=\"{NAMESPACE}\">"
        )
        .into_bytes();
        if let Self::Column { name } | Self::Object { name, .. } = self {
            octets.extend_from_slice(b"<name>");
            escape(name, &mut octets);
            octets.extend_from_slice(b"</name>");
        }
        if let Self::Row { index } | Self::Object { index, .. } = self {
            octets.extend_from_slice(format!("<ifIndex>{index}</ifIndex>").as_bytes());
        }
        octets.extend_from_slice(format!("</m:{operation}></e:Body></e:Envelope>").as_bytes());
        octets
    }
}

/// A call.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) operation: Operation,
    /// The identity, unless the transport provides it.
    pub(super) community: Option<String>,
}

impl Call {
    /// Reads an envelope of SOAP 1.1.
    pub(super) fn of_envelope(root: &Element) -> Result<Self, Fault> {
        if root.name != "Envelope" {
            return Err(Fault::client("the document is not an envelope of SOAP"));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xml;

    #[test]
    fn what_a_client_writes_is_what_the_agent_reads() {
        let name = || "a<&".to_owned();
        for operation in [
            Operation::Table,
            Operation::Row { index: 7 },
            Operation::Column { name: name() },
            Operation::Object {
                name: name(),
                index: u32::MAX,
            },
        ] {
            let envelope = xml::parse(&operation.envelope()).unwrap();
            let call = Call::of_envelope(&envelope).unwrap();
            assert_eq!(call.operation, operation);
            assert_eq!(call.community, None);
        }
    }
}
