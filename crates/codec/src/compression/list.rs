use alloc::vec::Vec;

use super::delta::{self, LastName};
use super::name::{Name, Short};
use super::{NameCompression, prefix, substitution, successor};
use crate::ber::{DecodeError, DecodeErrorKind, Reader, Tag, length_octets};
use crate::smi::OidRef;

/// What became of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compressed {
    /// How many octets of the list were taken: all, or as many whole bindings as fit the limit.
    pub taken: usize,
}

/// Octets that are written without a limit being exceeded.
struct Output<'o> {
    octets: &'o mut Vec<u8>,
    limit: usize,
}

impl Output<'_> {
    /// Writes a variable binding, if it fits.
    fn var_bind(&mut self, tag: Tag, name: (&[u8], &[u8]), value: &[u8]) -> bool {
        let name_length = name.0.len() + name.1.len();
        let content = 1 + length_octets(name_length) + name_length + value.len();
        let length = 1 + length_octets(content) + content;
        if length > self.limit.saturating_sub(self.octets.len()) {
            return false;
        }
        self.header(Tag::SEQUENCE, content);
        self.header(tag, name_length);
        self.octets.extend_from_slice(name.0);
        self.octets.extend_from_slice(name.1);
        self.octets.extend_from_slice(value);
        true
    }

    fn header(&mut self, tag: Tag, length: usize) {
        self.octets.push(tag.0);
        let octets = length.to_be_bytes();
        let significant = length_octets(length) - 1;
        if significant > 0 {
            self.octets.push(0x80 | significant.to_le_bytes()[0]);
        }
        let from = octets.len() - significant.max(1);
        self.octets
            .extend_from_slice(octets.get(from..).unwrap_or(&[]));
    }
}

impl NameCompression {
    /// Compresses a list of variable bindings into `output`, and replaces its content. No more than `limit` octets
    /// are written: what does not fit is left out from the first such binding on.
    ///
    /// # Errors
    /// When it is not a list of variable bindings.
    pub fn compress(
        self,
        var_binds: &[u8],
        limit: usize,
        output: &mut Vec<u8>,
    ) -> Result<Compressed, DecodeError> {
        output.clear();
        let mut output = Output {
            octets: output,
            limit,
        };
        let mut reader = Reader::new(var_binds);
        let (mut previous, mut last) = (Name::new(), LastName::new());
        while !reader.is_empty() {
            let taken = reader.offset();
            let mut var_bind = reader.expect(Tag::SEQUENCE)?;
            let oid = OidRef::from_content(&var_bind.expect(Tag::OBJECT_IDENTIFIER)?)?;
            let name = oid.content();
            let short = match self {
                Self::Prefix => prefix::compress(&previous, name),
                Self::Successor if successor::is_successor(&previous, name) => Some(Short::NOTHING),
                Self::Successor => substitution::compress(&previous, name),
                Self::Delta => None,
            };
            let (tag, parts) = match (self, &short) {
                (Self::Prefix, Some(short)) => (prefix::COMPRESSED, short.parts()),
                (Self::Prefix, None) => (prefix::UNCOMPRESSED, (&[][..], name)),
                (Self::Successor, Some(short)) => (Tag::OCTET_STRING, short.parts()),
                (Self::Successor, None) => (Tag::OBJECT_IDENTIFIER, (&[][..], name)),
                (Self::Delta, _) => match last.compress(oid) {
                    Some(substitutions) => (delta::COMPRESSED, (&[][..], substitutions)),
                    None => (Tag::OBJECT_IDENTIFIER, (&[][..], name)),
                },
            };
            let is_written = output.var_bind(tag, parts, var_bind.rest());
            if !is_written {
                return Ok(Compressed { taken });
            }
            previous.set(name);
        }
        Ok(Compressed {
            taken: reader.offset(),
        })
    }

    /// Makes a list of variable bindings of a compressed one, into `output`, and replaces its content.
    ///
    /// The names and the structure are checked, the values are not looked at.
    ///
    /// # Errors
    /// `ExpansionTooLarge` when it would exceed `limit` octets, `CompressedName` for a name that refers to what is not
    /// there, and the errors of names and elements.
    pub fn expand(
        self,
        compressed: &[u8],
        limit: usize,
        output: &mut Vec<u8>,
    ) -> Result<(), DecodeError> {
        self.expand_from(Reader::new(compressed), limit, output)
    }

    pub(crate) fn expand_from(
        self,
        mut reader: Reader<'_>,
        limit: usize,
        output: &mut Vec<u8>,
    ) -> Result<(), DecodeError> {
        output.clear();
        let mut output = Output {
            octets: output,
            limit,
        };
        let (mut names, mut last) = ([Name::new(), Name::new()], LastName::new());
        while !reader.is_empty() {
            let start = reader;
            let mut var_bind = reader.expect(Tag::SEQUENCE)?;
            let before = var_bind;
            let (tag, element) = var_bind.element()?;
            let content = element.rest();
            let [name, previous] = &mut names;
            let expanded = match (self, tag) {
                (Self::Successor, Tag::OCTET_STRING) if content.is_empty() => {
                    successor::expand(previous, name)
                }
                (Self::Successor, Tag::OCTET_STRING) => {
                    substitution::expand(previous, content, name)
                }
                (Self::Delta, delta::COMPRESSED) => last.expand(content, name),
                (Self::Prefix, prefix::COMPRESSED) => prefix::expand(previous, content, name),
                (_, Tag::OBJECT_IDENTIFIER) | (Self::Prefix, prefix::UNCOMPRESSED) => {
                    let oid = OidRef::from_content(&element)?;
                    let content = oid.content();
                    name.set(content);
                    if self == Self::Delta {
                        last.set(oid);
                    }
                    if name.content().is_empty() {
                        // Longer than any minimal encoding: it is written as it is.
                        let whole = (&[][..], content);
                        if !output.var_bind(Tag::OBJECT_IDENTIFIER, whole, var_bind.rest()) {
                            return Err(start.error(DecodeErrorKind::ExpansionTooLarge));
                        }
                        names.reverse();
                        continue;
                    }
                    Some(())
                }
                (_, found) => {
                    let expected = Tag::OBJECT_IDENTIFIER;
                    return Err(before.error(DecodeErrorKind::UnexpectedTag { expected, found }));
                }
            };
            expanded.ok_or_else(|| before.error(DecodeErrorKind::CompressedName))?;
            // What was put together is a name only if it has no more than 128 sub-identifiers, all of them whole.
            OidRef::from_content(&Reader::new(name.content())).map_err(|error| DecodeError {
                offset: before.offset(),
                ..error
            })?;
            let whole = (&[][..], name.content());
            if !output.var_bind(Tag::OBJECT_IDENTIFIER, whole, var_bind.rest()) {
                return Err(start.error(DecodeErrorKind::ExpansionTooLarge));
            }
            names.reverse();
        }
        Ok(())
    }
}
