use std::fmt::Write;

use super::NAMESPACE;
use super::envelope::schema_type;
use crate::schema::Leaf;
use crate::xml::escape;

/// Names and types.
type Parameters = &'static [(&'static str, &'static str)];

/// The operations with their parameters besides the community, and whether they answer with rows.
const OPERATIONS: [(&str, Parameters, bool); 4] = [
    ("GetIfTable", &[], true),
    ("GetIfRow", &[("ifIndex", "unsignedInt")], true),
    ("GetIfColumn", &[("name", "string")], false),
    (
        "GetIfObject",
        &[("name", "string"), ("ifIndex", "unsignedInt")],
        false,
    ),
];

/// The description of the service at an address: document style, literal, each operation in its element.
pub(super) fn describe(address: &str, columns: &[&Leaf]) -> Vec<u8> {
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<definitions name=\"IfTable\" targetNamespace=\"{NAMESPACE}\" \
         xmlns=\"http://schemas.xmlsoap.org/wsdl/\" xmlns:soap=\"http://schemas.xmlsoap.org/wsdl/soap/\" \
         xmlns:xsd=\"http://www.w3.org/2001/XMLSchema\" xmlns:tns=\"{NAMESPACE}\">\n\
         <types><xsd:schema targetNamespace=\"{NAMESPACE}\" elementFormDefault=\"unqualified\">\n\
         <xsd:complexType name=\"IfEntry\"><xsd:sequence>\n"
    );
    for column in columns {
        element(
            &mut text,
            column.name,
            schema_type(column),
            "minOccurs=\"0\"",
        );
    }
    text.push_str("</xsd:sequence></xsd:complexType>\n");
    for (operation, parameters, has_rows) in OPERATIONS {
        let _ = writeln!(
            text,
            "<xsd:element name=\"{operation}\"><xsd:complexType><xsd:sequence>"
        );
        element(&mut text, "community", "string", "minOccurs=\"0\"");
        for (name, kind) in parameters {
            element(&mut text, name, kind, "");
        }
        let _ = write!(
            text,
            "</xsd:sequence></xsd:complexType></xsd:element>\n<xsd:element name=\"{operation}Response\">\
             <xsd:complexType>"
        );
        if has_rows {
            text.push_str(
                "<xsd:sequence><xsd:element name=\"ifEntry\" type=\"tns:IfEntry\" minOccurs=\"0\" \
                 maxOccurs=\"unbounded\"/></xsd:sequence>",
            );
        } else {
            text.push_str("<xsd:choice minOccurs=\"0\" maxOccurs=\"unbounded\">\n");
            for column in columns {
                element(&mut text, column.name, schema_type(column), "");
            }
            text.push_str("</xsd:choice>");
        }
        text.push_str("</xsd:complexType></xsd:element>\n");
    }
    text.push_str("</xsd:schema></types>\n");
    operations(&mut text);
    text.push_str(
        "<service name=\"IfTableService\"><port name=\"IfTablePort\" binding=\"tns:IfTableBinding\">\
         <soap:address location=\"",
    );
    let mut octets = text.into_bytes();
    escape(address, &mut octets);
    octets.extend_from_slice(b"\"/></port></service>\n</definitions>\n");
    octets
}

fn element(text: &mut String, name: &str, kind: &str, occurrence: &str) {
    let _ = writeln!(
        text,
        "<xsd:element name=\"{name}\" type=\"xsd:{kind}\" {occurrence}/>"
    );
}

/// Messages, port type and binding.
fn operations(text: &mut String) {
    let names = OPERATIONS.map(|(name, _, _)| name);
    for name in names {
        for message in [name.to_owned(), format!("{name}Response")] {
            let _ = writeln!(
                text,
                "<message name=\"{message}\"><part name=\"parameters\" element=\"tns:{message}\"/></message>"
            );
        }
    }
    text.push_str("<portType name=\"IfTablePortType\">\n");
    for name in names {
        let _ = writeln!(
            text,
            "<operation name=\"{name}\"><input message=\"tns:{name}\"/><output message=\"tns:{name}Response\"/></operation>"
        );
    }
    text.push_str(
        "</portType>\n<binding name=\"IfTableBinding\" type=\"tns:IfTablePortType\">\
         <soap:binding style=\"document\" transport=\"http://schemas.xmlsoap.org/soap/http\"/>\n",
    );
    for name in names {
        let _ = writeln!(
            text,
            "<operation name=\"{name}\"><soap:operation soapAction=\"{NAMESPACE}#{name}\"/>\
             <input><soap:body use=\"literal\"/></input><output><soap:body use=\"literal\"/></output></operation>"
        );
    }
    text.push_str("</binding>\n");
}
