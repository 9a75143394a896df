//! Our own recordings: a JSON object for each line, as `varbind record` and `varbind walk --json` write them.

use serde_json::from_slice;
use varbind_codec::smi::VarBind;

use super::report::LineError;
use super::text::trimmed;

/// Reads a line; `None` for one that has no object.
pub(super) fn read(line: &[u8]) -> Result<Option<VarBind>, LineError> {
    let line = trimmed(line);
    let line = line.strip_suffix(b",").unwrap_or(line);
    if matches!(line, b"" | b"[" | b"]") {
        return Ok(None);
    }
    let object: VarBind = from_slice(line).map_err(|_| FORM)?;
    match object.value.as_value_ref().is_exception() {
        true => Err(LineError::Exception),
        false => Ok(Some(object)),
    }
}

const FORM: LineError =
    LineError::Form(r#"{"oid":"1.3.6.1.2.1.1.5.0","type":"OctetString","value":"switch7"}"#);

#[cfg(test)]
mod tests {
    use varbind_codec::smi::Value;

    use super::*;

    #[test]
    fn lines_of_walks_are_read_and_others_are_refused() {
        let line = br#"{"name":"SNMPv2-MIB::sysName.0","oid":"1.3.6.1.2.1.1.5.0","type":"OctetString","value":"7377","encoding":"hex","display":"sw"},"#;
        let object = read(line).unwrap().unwrap();
        assert_eq!(object.value, Value::OctetString(b"sw".to_vec()));
        assert_eq!(read(b" ["), Ok(None));
        assert_eq!(read(b"{"), Err(FORM));
        let exception = br#"{"oid":"1.3.6.1","type":"EndOfMibView"}"#;
        assert_eq!(read(exception), Err(LineError::Exception));
    }
}
