//! The parts of a name between its dots; quoted strings may contain dots.

use super::ResolveError;

/// A part of a name.
pub(super) enum Part<'t> {
    /// A number or a name.
    Plain(&'t str),
    /// A string without its quotes.
    Quoted { quote: char, octets: Vec<u8> },
}

impl<'t> Part<'t> {
    /// The number or name.
    pub(super) fn plain(&self, text: &str) -> Result<&'t str, ResolveError> {
        match self {
            Part::Plain(part) => Ok(part),
            Part::Quoted { octets, .. } => Err(ResolveError::NotANumber {
                text: text.to_owned(),
                part: String::from_utf8_lossy(octets).into_owned(),
            }),
        }
    }
}

/// Iterator over the parts.
pub(super) struct Parts<'t> {
    text: &'t str,
    rest: Option<&'t str>,
}

impl<'t> Parts<'t> {
    pub(super) fn new(text: &'t str, path: &'t str) -> Self {
        Self {
            text,
            rest: (!path.is_empty()).then_some(path),
        }
    }

    pub(super) fn next(&mut self) -> Result<Option<Part<'t>>, ResolveError> {
        let Some(rest) = self.rest else {
            return Ok(None);
        };
        if let Some(quote @ ('"' | '\'')) = rest.chars().next() {
            return self.quoted(quote, rest).map(Some);
        }
        let (part, rest) = match rest.split_once('.') {
            Some((part, rest)) => (part, Some(rest)),
            None => (rest, None),
        };
        self.rest = rest;
        Ok(Some(Part::Plain(part)))
    }

    fn quoted(&mut self, quote: char, rest: &'t str) -> Result<Part<'t>, ResolveError> {
        let mut octets = Vec::new();
        let mut characters = rest.char_indices().skip(1);
        let mut buffer = [0; 4];
        while let Some((at, character)) = characters.next() {
            let character = match character {
                '\\' => characters.next().map_or('\\', |(_, escaped)| escaped),
                _ if character == quote => {
                    let after = rest.get(at + 1..).unwrap_or("");
                    self.rest = match after.strip_prefix('.') {
                        Some(more) => Some(more),
                        None if after.is_empty() => None,
                        None => {
                            return Err(ResolveError::NotANumber {
                                text: self.text.to_owned(),
                                part: after.to_owned(),
                            });
                        }
                    };
                    return Ok(Part::Quoted { quote, octets });
                }
                other => other,
            };
            octets.extend(character.encode_utf8(&mut buffer).bytes());
        }
        Err(ResolveError::OpenQuote {
            text: self.text.to_owned(),
        })
    }
}
