//! Strings that are kept once.

use std::collections::HashMap;

use super::write::TooLarge;

/// A section of strings, each behind its length.
pub(super) struct Strings {
    octets: Vec<u8>,
    known: HashMap<Box<str>, u32>,
}

impl Default for Strings {
    fn default() -> Self {
        Self {
            // Offset 0 is the empty string.
            octets: vec![0; 4],
            known: HashMap::new(),
        }
    }
}

impl Strings {
    /// The offset of a string.
    pub(super) fn keep(&mut self, text: &str) -> Result<u32, TooLarge> {
        if text.is_empty() {
            return Ok(0);
        }
        if let Some(&offset) = self.known.get(text) {
            return Ok(offset);
        }
        let offset = u32::try_from(self.octets.len()).map_err(|_| TooLarge)?;
        let length = u32::try_from(text.len()).map_err(|_| TooLarge)?;
        self.octets.extend(length.to_le_bytes());
        self.octets.extend(text.as_bytes());
        self.known.insert(text.into(), offset);
        Ok(offset)
    }

    pub(super) fn into_words(mut self) -> Vec<u32> {
        self.octets.resize(self.octets.len().next_multiple_of(4), 0);
        let words = self.octets.as_chunks().0;
        words.iter().map(|word| u32::from_ne_bytes(*word)).collect()
    }
}
