//! Octet strings in their forms: text, hexadecimal, decimal, BITS.

use super::{ParseValueError, RangeCheck, Target};
use crate::hint;
use crate::syntax::{BaseType, Syntax};

impl Target<'_, '_> {
    pub(super) fn string(&self) -> Result<Vec<u8>, ParseValueError> {
        let hinted = self
            .syntax(&[BaseType::OctetString])
            .and_then(|(_, syntax)| syntax.display_hint())
            .and_then(|hint| hint::parse_octets(hint, self.text));
        self.check_length(hinted.unwrap_or_else(|| self.text.as_bytes().to_vec()))
    }

    pub(super) fn hexadecimal(&self) -> Result<Vec<u8>, ParseValueError> {
        const EXPECTED: &str = "hexadecimal octets like 0a1b or 0a:1b";
        let text = self.text.trim();
        let text = text
            .strip_prefix("0x")
            .or_else(|| text.strip_prefix("0X"))
            .unwrap_or(text);
        let mut octets = Vec::with_capacity(text.len() / 2);
        for group in text.split(is_separator).filter(|group| !group.is_empty()) {
            // A digit alone between separators is an octet.
            let padded = match group.len() {
                1 => format!("0{group}"),
                _ => group.to_owned(),
            };
            for pair in padded.as_bytes().chunks(2) {
                let digits = std::str::from_utf8(pair)
                    .ok()
                    .filter(|digits| digits.len() == 2 && !digits.starts_with('+'));
                let octet = digits
                    .and_then(|digits| u8::from_str_radix(digits, 16).ok())
                    .ok_or_else(|| self.malformed(EXPECTED))?;
                octets.push(octet);
            }
        }
        self.check_length(octets)
    }

    pub(super) fn decimal(&self) -> Result<Vec<u8>, ParseValueError> {
        let octets = self
            .text
            .split(is_separator)
            .filter(|octet| !octet.is_empty())
            .map(|octet| {
                octet
                    .parse()
                    .map_err(|_| self.malformed("decimal octets (0 to 255) like 10 0 255"))
            })
            .collect::<Result<_, _>>()?;
        self.check_length(octets)
    }

    /// Numbers or names of bits, separated by commas or white space; bit 0 is the highest of the first octet.
    pub(super) fn bits(&self) -> Result<Vec<u8>, ParseValueError> {
        /// Beyond this many octets a bit is a mistake, and would only cost memory.
        const MOST_OCTETS: usize = 65_535;
        let refined = self.syntax(&[BaseType::Bits]);
        let mut octets = Vec::new();
        let separated = |c: char| c == ',' || c.is_whitespace();
        for token in self.text.split(separated).filter(|token| !token.is_empty()) {
            let named = refined
                .and_then(|(_, syntax)| syntax.number_of(token))
                .and_then(|bit| usize::try_from(bit).ok());
            let is_unnamed = |bit: usize, syntax: Syntax<'_>| {
                let name = i64::try_from(bit).ok().and_then(|bit| syntax.name_of(bit));
                self.check == RangeCheck::Enforce
                    && !syntax.named_numbers().is_empty()
                    && name.is_none()
            };
            let bit: usize = match (named, token.parse(), refined) {
                (None, Ok(bit), Some((object, syntax))) if is_unnamed(bit, syntax) => {
                    return Err(self.unknown_enumeration(object, syntax, token));
                }
                (Some(bit), ..) | (None, Ok(bit), _) => bit,
                (None, Err(_), Some((object, syntax))) => {
                    return Err(self.unknown_enumeration(object, syntax, token));
                }
                (None, Err(_), None) => return Err(self.malformed("numbers of bits like 0 3 9")),
            };
            if bit / 8 >= MOST_OCTETS {
                return Err(self.malformed("a list of bits below 524280"));
            }
            if octets.len() <= bit / 8 {
                octets.resize(bit / 8 + 1, 0_u8);
            }
            if let Some(octet) = octets.get_mut(bit / 8) {
                *octet |= 0x80 >> (bit % 8);
            }
        }
        Ok(octets)
    }

    fn check_length(&self, octets: Vec<u8>) -> Result<Vec<u8>, ParseValueError> {
        if let Some((object, syntax)) = self.syntax(&[BaseType::OctetString]) {
            let length = i64::try_from(octets.len()).unwrap_or(i64::MAX);
            self.check_range(object, syntax, length)?;
        }
        Ok(octets)
    }
}

fn is_separator(character: char) -> bool {
    character.is_whitespace() || matches!(character, ':' | '-' | '.' | ',')
}
