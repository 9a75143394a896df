use varbind_codec::smi::{Value, VarBind};

use super::LARGEST_CALL;
use super::call::{Call, Operation};
use super::envelope::Envelope;
use crate::coding::Coding;
use crate::schema::{Leaf, List, Schema};
use crate::xml;

/// The name of ifTable (RFC 2863).
const IF_TABLE: &[u32] = &[1, 3, 6, 1, 2, 1, 2, 2];

/// Reads calls of SOAP and writes their responses by the routines of the web server, for given objects: benchmarks measure
/// coding alone by it.
#[derive(Debug)]
pub struct SoapCodec {
    columns: Vec<Leaf>,
}

/// Rows of ifTable with their columns.
#[derive(Debug)]
pub struct IfRows<'c> {
    rows: Vec<Vec<(&'c Leaf, Value)>>,
}

impl SoapCodec {
    /// For the columns of ifTable that the agent has.
    #[must_use]
    pub fn new() -> Self {
        let schema = Schema::new(&[IF_TABLE.to_vec()], &|_| false);
        let list = schema.list("ifEntry");
        let columns = list.into_iter().flat_map(List::own_columns);
        Self {
            columns: columns.copied().collect(),
        }
    }

    /// The rows that these objects are in, in order; what is not an object of ifTable is left out.
    pub fn rows(&self, objects: impl IntoIterator<Item = VarBind>) -> IfRows<'_> {
        let mut cells: Vec<(u32, &Leaf, Value)> = objects
            .into_iter()
            .filter_map(|VarBind { name, value }| {
                let (&row, column) = name.arcs().split_last()?;
                let column = self.columns.iter().find(|leaf| leaf.oid == column)?;
                Some((row, column, value))
            })
            .collect();
        cells.sort_by_key(|(row, column, _)| (*row, column.oid));
        let same_row = |one: &(u32, &Leaf, _), other: &(u32, &Leaf, _)| one.0 == other.0;
        let rows = cells.chunk_by(same_row).map(|row| {
            let cells = row.iter();
            cells
                .map(|(_, column, value)| (*column, value.clone()))
                .collect()
        });
        IfRows {
            rows: rows.collect(),
        }
    }

    /// The body of a call.
    ///
    /// # Errors
    /// If it cannot be compressed.
    pub fn encode_call(operation: &Operation, coding: Option<Coding>) -> std::io::Result<Vec<u8>> {
        encode(operation.envelope(), coding)
    }

    /// Reads the body of a call; `None` if it is none.
    #[must_use]
    pub fn decode_call(body: &[u8], coding: Option<Coding>) -> Option<Operation> {
        let document = match coding {
            Some(coding) => xml::parse(&coding.decode(body, LARGEST_CALL).ok()?),
            None => xml::parse(body),
        };
        let call = Call::of_envelope(&document.ok()?).ok()?;
        Some(call.operation)
    }

    /// The body of the response to an operation.
    ///
    /// # Errors
    /// If it cannot be compressed.
    pub fn encode_response(
        operation: &Operation,
        rows: &IfRows<'_>,
        coding: Option<Coding>,
    ) -> std::io::Result<Vec<u8>> {
        let mut envelope = Envelope::open(operation.name());
        let has_rows = matches!(operation, Operation::Table | Operation::Row { .. });
        for row in &rows.rows {
            if has_rows {
                envelope.open_row();
            }
            for (column, value) in row {
                envelope.object(column, &value.as_value_ref());
            }
            if has_rows {
                envelope.close_row();
            }
        }
        encode(envelope.close(operation.name()), coding)
    }
}

impl Default for SoapCodec {
    fn default() -> Self {
        Self::new()
    }
}

fn encode(body: Vec<u8>, coding: Option<Coding>) -> std::io::Result<Vec<u8>> {
    match coding {
        Some(coding) => coding.encode(&body),
        None => Ok(body),
    }
}

#[cfg(test)]
mod tests {
    use varbind_codec::smi::Oid;

    use super::*;

    fn object(column: u32, row: u32, value: Value) -> VarBind {
        let name = [IF_TABLE, &[1, column, row]].concat();
        VarBind::new(Oid::new(&name).unwrap(), value)
    }

    #[test]
    fn rows_are_written_in_order_and_calls_come_back() {
        let codec = SoapCodec::new();
        assert_eq!(codec.columns.len(), 22);
        let name = |text: &str| Value::OctetString(text.into());
        let rows = codec.rows([
            object(2, 7, name("eth<0>")),
            object(1, 7, Value::Integer(7)),
            object(2, 1, name("lo")),
            VarBind::new(Oid::new(&[1, 3]).unwrap(), 0),
        ]);
        let operation = Operation::Table;
        let plain = SoapCodec::encode_response(&operation, &rows, None).unwrap();
        let text = String::from_utf8(plain.clone()).unwrap();
        let parts = [
            "<m:GetIfTableResponse xmlns:m=\"urn:varbind:if-table\">",
            "<ifEntry><ifDescr xsi:type=\"xsd:string\">lo</ifDescr></ifEntry>",
            "<ifEntry><ifIndex xsi:type=\"xsd:int\">7</ifIndex>",
            "<ifDescr xsi:type=\"xsd:string\">eth&lt;0&gt;</ifDescr></ifEntry>",
        ];
        assert!(text.contains(&parts.concat()), "{text}");
        for coding in [None, Some(Coding::Deflate), Some(Coding::Gzip)] {
            let call = SoapCodec::encode_call(&operation, coding).unwrap();
            let read = SoapCodec::decode_call(&call, coding);
            assert_eq!(read, Some(operation.clone()));
            let response = SoapCodec::encode_response(&operation, &rows, coding).unwrap();
            assert_eq!(response == plain, coding.is_none());
        }
        assert_eq!(SoapCodec::decode_call(b"<x/>", None), None);
    }

    #[test]
    fn an_object_alone_is_in_no_row() {
        let codec = SoapCodec::new();
        let rows = codec.rows([object(1, 7, Value::Integer(7))]);
        let operation = Operation::Object {
            name: "ifIndex".into(),
            index: 7,
        };
        let response = SoapCodec::encode_response(&operation, &rows, None).unwrap();
        let text = String::from_utf8(response).unwrap();
        assert!(text.contains("<ifIndex") && !text.contains("ifEntry"));
    }
}
