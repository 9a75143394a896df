use std::io::Write;

use varbind_codec::smi::ValueRef;
use varbind_mib::BaseType;

use super::NAMESPACE;
use crate::schema::Leaf;
use crate::value::write_value;
use crate::xml::escape;

/// The namespace of envelopes of SOAP 1.1.
pub(super) const ENVELOPE: &str = "http://schemas.xmlsoap.org/soap/envelope/";

/// A response, written as its objects are read.
pub(super) struct Envelope {
    octets: Vec<u8>,
    text: String,
}

impl Envelope {
    pub(super) fn open(operation: &str) -> Self {
        let mut octets = Vec::with_capacity(4096);
        begin(&mut octets);
        let _ = write!(octets, "<m:{operation}Response xmlns:m=\"{NAMESPACE}\">");
        Self {
            octets,
            text: String::new(),
        }
    }

    pub(super) const fn len(&self) -> usize {
        self.octets.len()
    }

    pub(super) fn truncate(&mut self, length: usize) {
        self.octets.truncate(length);
    }

    pub(super) fn open_row(&mut self) {
        self.octets.extend_from_slice(b"<ifEntry>");
    }

    pub(super) fn close_row(&mut self) {
        self.octets.extend_from_slice(b"</ifEntry>");
    }

    /// Writes an object with its type, as RPC encoding has it and literal encoding may.
    pub(super) fn object(&mut self, column: &Leaf, value: &ValueRef<'_>) {
        let name = column.name.as_bytes();
        let octets = &mut self.octets;
        octets.push(b'<');
        octets.extend_from_slice(name);
        octets.extend_from_slice(b" xsi:type=\"xsd:");
        octets.extend_from_slice(schema_type(column).as_bytes());
        octets.extend_from_slice(b"\">");
        match value {
            // Numbers have no names here.
            ValueRef::Integer(number) => drop(write!(octets, "{number}")),
            value => {
                write_value(&column.syntax, value, &mut self.text);
                escape(&self.text, octets);
            }
        }
        octets.extend_from_slice(b"</");
        octets.extend_from_slice(name);
        octets.push(b'>');
    }

    pub(super) fn close(mut self, operation: &str) -> Vec<u8> {
        let _ = write!(self.octets, "</m:{operation}Response>");
        end(&mut self.octets);
        self.octets
    }
}

fn begin(octets: &mut Vec<u8>) {
    let _ = write!(
        octets,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<SOAP-ENV:Envelope xmlns:SOAP-ENV=\"{ENVELOPE}\" \
         xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xmlns:xsd=\"http://www.w3.org/2001/XMLSchema\">\
         <SOAP-ENV:Body>"
    );
}

fn end(octets: &mut Vec<u8>) {
    octets.extend_from_slice(b"</SOAP-ENV:Body></SOAP-ENV:Envelope>\n");
}

/// The type of a column in XML Schema.
pub(super) const fn schema_type(column: &Leaf) -> &'static str {
    match column.syntax.base() {
        BaseType::Integer32 => "int",
        BaseType::Unsigned32 | BaseType::Gauge32 | BaseType::Counter32 | BaseType::TimeTicks => {
            "unsignedInt"
        }
        BaseType::Counter64 => "unsignedLong",
        BaseType::OctetString
        | BaseType::Bits
        | BaseType::ObjectIdentifier
        | BaseType::IpAddress
        | BaseType::Opaque => "string",
    }
}

/// Why there is no response (SOAP 1.1 section 4.4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    code: &'static str,
    why: String,
}

impl Fault {
    pub(super) fn new(code: &'static str, why: impl Into<String>) -> Self {
        Self {
            code,
            why: why.into(),
        }
    }

    /// The request is wrong.
    pub(super) fn client(why: impl Into<String>) -> Self {
        Self::new("Client", why)
    }

    /// The agent cannot answer it.
    pub(super) fn server(why: impl Into<String>) -> Self {
        Self::new("Server", why)
    }

    pub(super) fn write(&self) -> Vec<u8> {
        let mut octets = Vec::new();
        begin(&mut octets);
        let _ = write!(
            octets,
            "<SOAP-ENV:Fault><faultcode>SOAP-ENV:{}</faultcode><faultstring>",
            self.code
        );
        escape(&self.why, &mut octets);
        octets.extend_from_slice(b"</faultstring></SOAP-ENV:Fault>");
        end(&mut octets);
        octets
    }
}
