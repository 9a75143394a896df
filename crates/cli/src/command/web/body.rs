use std::io::Read;

use varbind_terminal::Failure;
use varbind_web::client::Encoding;

use super::arguments::SetArguments;

/// What is to be set at a path, and how it is written.
pub(super) fn read(arguments: &SetArguments, path: &str) -> Result<(Encoding, Vec<u8>), Failure> {
    if let Some(value) = &arguments.value {
        return Ok((Encoding::Json, leaf(path, value)?));
    }
    let body = match arguments.body.as_deref().unwrap_or_default() {
        "-" => {
            let mut body = Vec::new();
            let read = std::io::stdin().read_to_end(&mut body);
            read.map_err(|error| {
                Failure::Usage(format!("standard input cannot be read: {error}"))
            })?;
            body
        }
        text => match text.strip_prefix('@') {
            Some(file) => std::fs::read(file)
                .map_err(|error| Failure::Usage(format!("{file} cannot be read: {error}")))?,
            None => text.as_bytes().to_vec(),
        },
    };
    let is_xml = body.trim_ascii_start().starts_with(b"<");
    let encoding = if is_xml {
        Encoding::Xml
    } else {
        Encoding::Json
    };
    Ok((encoding, body))
}

/// A leaf in JSON. Its name is the last of the path, and its module the last that the path names (RFC 8040 section 3.5.3).
fn leaf(path: &str, value: &str) -> Result<Vec<u8>, Failure> {
    let steps = path
        .split('/')
        .map(|step| step.split('=').next().unwrap_or(step));
    let mut module = None;
    let mut name = "";
    for step in steps {
        name = match step.split_once(':') {
            Some((named, rest)) => {
                module = Some(named);
                rest
            }
            None => step,
        };
    }
    let module = module.filter(|_| !name.is_empty()).ok_or_else(|| {
        Failure::Usage(format!(
            "--value sets a leaf, and {path} names no module of one: write MODULE:CONTAINER/.../LEAF, as \
             SNMPv2-MIB:SNMPv2-MIB/system/sysContact"
        ))
    })?;
    let value = number(value).unwrap_or_else(|| serde_json::Value::from(value));
    let document = serde_json::json!({ format!("{module}:{name}"): value });
    Ok(document.to_string().into_bytes())
}

/// A number of at most 32 bits, as RFC 7951 section 6.1 has it in JSON.
fn number(text: &str) -> Option<serde_json::Value> {
    let number: i64 = text.parse().ok()?;
    let is_plain = number.to_string() == text;
    let fits = i32::try_from(number).is_ok() || u32::try_from(number).is_ok();
    (is_plain && fits).then(|| number.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(path: &str, value: &str) -> String {
        String::from_utf8(leaf(path, value).unwrap()).unwrap()
    }

    #[test]
    fn a_leaf_has_its_name_and_the_last_module_of_the_path() {
        assert_eq!(
            text(
                "/restconf/data/SNMPv2-MIB:SNMPv2-MIB/system/sysContact",
                "a \"b\""
            ),
            r#"{"SNMPv2-MIB:sysContact":"a \"b\""}"#
        );
        assert_eq!(
            text(
                "/restconf/data/IF-MIB:IF-MIB/ifTable/ifEntry=2/ifAdminStatus",
                "down"
            ),
            r#"{"IF-MIB:ifAdminStatus":"down"}"#
        );
        assert_eq!(text("/d/a:b/c:d=e:f", "-1"), r#"{"c:d":-1}"#);
        assert_eq!(text("/d/a:b", "4294967296"), r#"{"a:b":"4294967296"}"#);
        assert_eq!(text("/d/a:b", "01"), r#"{"a:b":"01"}"#);
        assert!(leaf("/restconf/data/sysContact", "x").is_err());
    }
}
