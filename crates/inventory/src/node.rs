//! Content of TOML, YAML and JSON files in one form, with the lines where it stands.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::Spanned;
use toml::de::{DeTable, DeValue};

/// A value and its line.
#[derive(Clone, Debug, Default)]
pub(crate) struct Node {
    pub(crate) line: usize,
    pub(crate) content: Content,
}

/// The content of a value. Numbers and booleans are texts: the key decides what a text means.
#[derive(Clone, Debug, Default)]
pub(crate) enum Content {
    #[default]
    Nothing,
    Text(String),
    List(Vec<Node>),
    Map(Vec<Entry>),
}

/// A key and its value.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) line: usize,
    pub(crate) value: Node,
}

impl Node {
    /// A text at a line.
    pub(crate) fn text_at(line: usize, text: impl Into<String>) -> Self {
        Self {
            line,
            content: Content::Text(text.into()),
        }
    }

    /// The kind of content, for messages.
    pub(crate) const fn kind(&self) -> &'static str {
        match self.content {
            Content::Nothing => "nothing",
            Content::Text(_) => "a text",
            Content::List(_) => "a list",
            Content::Map(_) => "a table",
        }
    }

    /// The text, if it is one.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.content {
            Content::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The entries of a table; none where there is nothing.
    pub(crate) fn entries(&self) -> Option<&[Entry]> {
        match &self.content {
            Content::Map(entries) => Some(entries),
            Content::Nothing => Some(&[]),
            _ => None,
        }
    }

    /// The items of a list; none where there is nothing.
    pub(crate) fn items(&self) -> Option<&[Self]> {
        match &self.content {
            Content::List(items) => Some(items),
            Content::Nothing => Some(&[]),
            _ => None,
        }
    }

    /// The texts of a list, or of one text.
    pub(crate) fn texts(&self) -> Option<Vec<&str>> {
        match &self.content {
            Content::List(items) => items.iter().map(Self::text).collect(),
            Content::Text(text) => Some(vec![text]),
            _ => None,
        }
    }

    /// Reads TOML.
    pub(crate) fn of_toml(text: &str) -> Result<Self, (usize, String)> {
        let lines = Lines::new(text);
        let table = DeTable::parse(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            (lines.at(at), error.message().to_owned())
        })?;
        let line = lines.at(table.span().start);
        Ok(Self {
            line,
            content: lines.table(table.get_ref()),
        })
    }

    /// Reads YAML, of which JSON is a part.
    pub(crate) fn of_yaml(text: &str) -> Result<Self, (usize, String)> {
        // Otherwise the names `y` and `no` are booleans.
        let options = serde_saphyr::options! { strict_booleans: true };
        let read: Result<Spanned<Content>, _> = serde_saphyr::from_str_with_options(text, options);
        read.map(Self::from).map_err(|error| {
            let error = error.without_snippet();
            let line = error.location().map_or(1, |location| location.line());
            let line = usize::try_from(line).unwrap_or(usize::MAX);
            // Messages may quote what is written there, which may be a secret.
            (line, "this is not valid YAML".to_owned())
        })
    }
}

impl From<Spanned<Content>> for Node {
    fn from(spanned: Spanned<Content>) -> Self {
        Self {
            line: usize::try_from(spanned.referenced.line()).unwrap_or(usize::MAX),
            content: spanned.value,
        }
    }
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ContentVisitor)
    }
}

struct ContentVisitor;

impl<'de> Visitor<'de> for ContentVisitor {
    type Value = Content;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Content, E> {
        Ok(Content::Nothing)
    }

    fn visit_none<E>(self) -> Result<Content, E> {
        Ok(Content::Nothing)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Content, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Content, E> {
        Ok(Content::Text(value.to_string()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Content, E> {
        Ok(Content::Text(value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Content, E> {
        Ok(Content::Text(value.to_string()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Content, E> {
        Ok(Content::Text(value.to_string()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Content, E> {
        Ok(Content::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Content, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element::<Spanned<Content>>()? {
            list.push(item.into());
        }
        Ok(Content::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Content, A::Error> {
        let mut map = Vec::new();
        while let Some(key) = entries.next_key::<String>()? {
            let value = Node::from(entries.next_value::<Spanned<Content>>()?);
            let line = value.line;
            map.push(Entry { key, line, value });
        }
        Ok(Content::Map(map))
    }
}

/// The offsets of the line ends of a text.
struct Lines(Vec<usize>);

impl Lines {
    fn new(text: &str) -> Self {
        Self(text.match_indices('\n').map(|(at, _)| at).collect())
    }

    /// The line of an offset, from 1.
    fn at(&self, offset: usize) -> usize {
        self.0.partition_point(|&end| end < offset) + 1
    }

    fn table(&self, table: &DeTable<'_>) -> Content {
        let entries = table.iter().map(|(key, value)| Entry {
            key: key.get_ref().to_string(),
            line: self.at(key.span().start),
            value: self.node(value),
        });
        Content::Map(entries.collect())
    }

    fn node(&self, value: &toml::Spanned<DeValue<'_>>) -> Node {
        let content = match value.get_ref() {
            DeValue::String(text) => Content::Text(text.to_string()),
            DeValue::Integer(number) => Content::Text(integer(number)),
            DeValue::Float(number) => Content::Text(number.as_str().to_owned()),
            DeValue::Boolean(value) => Content::Text(value.to_string()),
            DeValue::Datetime(time) => Content::Text(time.to_string()),
            DeValue::Array(items) => {
                Content::List(items.iter().map(|item| self.node(item)).collect())
            }
            DeValue::Table(table) => self.table(table),
        };
        Node {
            line: self.at(value.span().start),
            content,
        }
    }
}

/// An integer in decimal digits.
fn integer(number: &toml::de::DeInteger<'_>) -> String {
    let value = i64::from_str_radix(number.as_str(), number.radix());
    value.map_or_else(|_| number.as_str().to_owned(), |value| value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find<'n>(node: &'n Node, key: &str) -> &'n Entry {
        let mut entries = node.entries().unwrap().iter();
        entries.find(|entry| entry.key == key).unwrap()
    }

    #[test]
    fn the_same_content_of_three_formats_is_the_same() {
        let toml = "name = 'a'\nport = 161\n[deep]\nlist = ['x', 'y']\n";
        let yaml = "name: a\nport: 161\ndeep:\n  list: [x, y]\n";
        let json =
            "{\"name\": \"a\",\n\t\"port\": 161,\n\t\"deep\": {\n\t\"list\": [\"x\",\"y\"]}}";
        let read = [
            Node::of_toml(toml),
            Node::of_yaml(yaml),
            Node::of_yaml(json),
        ];
        for node in read.map(Result::unwrap) {
            assert_eq!(find(&node, "name").value.text(), Some("a"));
            let port = find(&node, "port");
            assert_eq!((port.value.text(), port.value.line), (Some("161"), 2));
            let list = find(&find(&node, "deep").value, "list");
            assert_eq!(list.value.texts(), Some(vec!["x", "y"]));
            assert_eq!(list.value.line, 4);
        }
    }

    #[test]
    fn errors_have_lines_and_no_content() {
        let (line, _) = Node::of_toml("a = 1\nb = = 2\n").unwrap_err();
        assert_eq!(line, 2);
        let (line, text) = Node::of_yaml("a: 1\nb: [sesame\nc: 3\n").unwrap_err();
        assert!(
            (2..=4).contains(&line) && !text.contains("sesame"),
            "{line} {text}"
        );
    }

    #[test]
    fn aliases_that_multiply_are_refused() {
        let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
        for n in 1..12 {
            let before = n - 1;
            let items = vec![format!("*a{before}"); 9].join(", ");
            text += &format!("a{n}: &a{n} [{items}]\n");
        }
        assert!(Node::of_yaml(&text).is_err());
    }
}
