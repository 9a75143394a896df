//! XML without document types, processing instructions and custom entities, by which a small document can become large.

use quick_xml::NsReader;
use quick_xml::events::{BytesStart, Event};
use quick_xml::name::ResolveResult;

/// Elements within one another that are read.
const DEPTH: usize = 32;

/// An element of a document that was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Element {
    /// The namespace; empty if there is none.
    pub(crate) namespace: String,
    /// The name without prefix.
    pub(crate) name: String,
    pub(crate) attributes: Vec<Attribute>,
    /// All text that is directly in it.
    pub(crate) text: String,
    pub(crate) children: Vec<Element>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Attribute {
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) value: String,
}

/// Why a document is not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct XmlError(pub(crate) String);

#[allow(clippy::needless_pass_by_value, reason = "it is passed to map_err")]
fn error(why: impl ToString) -> XmlError {
    XmlError(why.to_string())
}

fn namespace(resolved: &ResolveResult<'_>) -> Result<String, XmlError> {
    match resolved {
        ResolveResult::Bound(namespace) => Ok(namespace.as_ref().to_owned()),
        ResolveResult::Unbound => Ok(String::new()),
        ResolveResult::Unknown(_) => Err(error("a prefix is not declared")),
    }
}

/// Reads a document.
pub(crate) fn parse(document: &[u8]) -> Result<Element, XmlError> {
    let document = std::str::from_utf8(document).map_err(error)?;
    let mut reader = NsReader::from_str(document);
    let mut open: Vec<Element> = Vec::new();
    loop {
        let (resolved, event) = reader.read_resolved_event().map_err(error)?;
        let mut closed = None;
        match event {
            Event::Start(start) => {
                let namespace = namespace(&resolved)?;
                if open.len() == DEPTH {
                    return Err(error("the elements are nested too deeply"));
                }
                let element = element(&reader, namespace, &start)?;
                open.push(element);
            }
            Event::Empty(start) => {
                let namespace = namespace(&resolved)?;
                closed = Some(element(&reader, namespace, &start)?);
            }
            Event::End(_) => closed = open.pop(),
            Event::Text(content) => {
                let content = content.xml10_content();
                append(&mut open, &content)?;
            }
            Event::CData(content) => {
                let content = content.xml10_content();
                append(&mut open, &content)?;
            }
            Event::GeneralRef(reference) => {
                let character = match reference.resolve_char_ref().map_err(error)? {
                    Some(character) => character,
                    None => predefined(&reference)?,
                };
                append(&mut open, character.encode_utf8(&mut [0; 4]))?;
            }
            Event::Decl(_) | Event::Comment(_) => {}
            Event::DocType(_) => return Err(error("a document type is not allowed")),
            Event::PI(_) => return Err(error("a processing instruction is not allowed")),
            Event::Eof => return Err(error("the document is incomplete")),
        }
        if let Some(element) = closed {
            match open.last_mut() {
                Some(parent) => parent.children.push(element),
                None => return finish(&mut reader, element),
            }
        }
    }
}

/// Nothing but blanks and comments follows the root.
fn finish(reader: &mut NsReader<&[u8]>, root: Element) -> Result<Element, XmlError> {
    loop {
        match reader.read_event().map_err(error)? {
            Event::Eof => return Ok(root),
            Event::Comment(_) => {}
            Event::Text(content) if content.trim_ascii().is_empty() => {}
            _ => return Err(error("something follows the root element")),
        }
    }
}

fn predefined(name: &str) -> Result<char, XmlError> {
    match name {
        "lt" => Ok('<'),
        "gt" => Ok('>'),
        "amp" => Ok('&'),
        "quot" => Ok('"'),
        "apos" => Ok('\''),
        _ => Err(error("an entity is not allowed")),
    }
}

fn append(open: &mut [Element], content: &str) -> Result<(), XmlError> {
    match open.last_mut() {
        Some(element) => element.text.push_str(content),
        None if content.trim().is_empty() => {}
        None => return Err(error("there is text outside of the root element")),
    }
    Ok(())
}

fn element(
    reader: &NsReader<&[u8]>,
    namespace_of_element: String,
    start: &BytesStart<'_>,
) -> Result<Element, XmlError> {
    let mut attributes = Vec::new();
    for attribute in start.attributes() {
        let attribute = attribute.map_err(error)?;
        if attribute.key.as_namespace_binding().is_some() {
            continue;
        }
        let (resolved, name) = reader.resolver().resolve_attribute(attribute.key);
        attributes.push(Attribute {
            namespace: namespace(&resolved)?,
            name: name.as_ref().to_owned(),
            value: attribute
                .normalized_value(quick_xml::XmlVersion::Implicit1_0)
                .map_err(error)?
                .into_owned(),
        });
    }
    Ok(Element {
        namespace: namespace_of_element,
        name: start.local_name().as_ref().to_owned(),
        attributes,
        ..Element::default()
    })
}

/// Appends text: markup is escaped, and characters that XML cannot have are replaced.
pub(crate) fn escape(text: &str, output: &mut Vec<u8>) {
    for character in text.chars() {
        match character {
            '<' => output.extend_from_slice(b"&lt;"),
            '>' => output.extend_from_slice(b"&gt;"),
            '&' => output.extend_from_slice(b"&amp;"),
            '"' => output.extend_from_slice(b"&quot;"),
            // A carriage return would be read as a line feed.
            '\r' => output.extend_from_slice(b"&#13;"),
            '\t' | '\n' => output.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
            '\0'..=' ' | '\u{fffe}' | '\u{ffff}' if character != ' ' => {
                output.extend_from_slice("\u{fffd}".as_bytes());
            }
            _ => output.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_read_with_their_namespaces() {
        let root = parse(
            b"<?xml version='1.0'?><a:x xmlns:a='u:a'><y b='&lt;'>1&amp;&#50;<!-- --></y></a:x>\n",
        )
        .unwrap();
        assert_eq!((&*root.namespace, &*root.name), ("u:a", "x"));
        assert_eq!(root.children[0].text, "1&2");
        assert_eq!(root.children[0].attributes[0].value, "<");
    }

    #[test]
    fn what_makes_documents_large_is_refused() {
        let bomb = "<!DOCTYPE x [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>]><x>&b;</x>";
        let deep = "<x>".repeat(1000);
        let all = [
            bomb,
            &deep,
            "<x>&b;</x>",
            "<x a='&b;'/>",
            "<?pi?><x/>",
            "<x/><y/>",
            "<x",
            "<x></y>",
            "",
            "x",
            "<a:x/>",
        ];
        for document in all {
            assert!(parse(document.as_bytes()).is_err(), "{document}");
        }
        assert!(parse(b"<x>\xff</x>").is_err());
    }
}
