use super::{EncodeError, Tag, length_octets, signed_length, unsigned_length};

/// Writes one message into a buffer of the caller.
///
/// Content whose size is not known before (variable bindings) is appended; headers, which need the size of what they
/// enclose, are prepended afterwards into the headroom. So nothing is ever moved or measured twice.
#[derive(Debug)]
pub struct Writer<'b> {
    buffer: &'b mut [u8],
    start: usize,
    end: usize,
    limit: usize,
}

impl<'b> Writer<'b> {
    /// A writer that keeps `headroom` octets of `buffer` for headers.
    ///
    /// # Errors
    /// `BufferFull` if the buffer is smaller than the headroom.
    pub const fn new(buffer: &'b mut [u8], headroom: usize) -> Result<Self, EncodeError> {
        if headroom > buffer.len() {
            return Err(EncodeError::BufferFull);
        }
        let limit = buffer.len();
        Ok(Self {
            buffer,
            start: headroom,
            end: headroom,
            limit,
        })
    }

    /// The octets written so far, without those reserved.
    #[must_use]
    pub fn written(&self) -> &[u8] {
        self.buffer.get(self.start..self.end).unwrap_or(&[])
    }

    /// The octets written so far, to be changed in place: encrypted, or given their digest.
    pub fn written_mut(&mut self) -> &mut [u8] {
        self.buffer.get_mut(self.start..self.end).unwrap_or(&mut [])
    }

    /// Where in the buffer the octets written so far are.
    #[must_use]
    pub const fn range(&self) -> core::ops::Range<usize> {
        self.start..self.end
    }

    /// The number of octets written so far.
    #[must_use]
    #[inline]
    pub const fn len(&self) -> usize {
        self.end - self.start
    }

    /// Whether nothing has been written.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// Allows no more than `octets` of appended content.
    pub fn limit_appended(&mut self, octets: usize) {
        self.limit = self.start.saturating_add(octets).min(self.buffer.len());
    }

    /// Forgets what was appended beyond `length` octets.
    #[inline]
    pub fn truncate(&mut self, length: usize) {
        self.end = self.end.min(self.start.saturating_add(length));
    }

    /// Appends octets as they are.
    ///
    /// # Errors
    /// `BufferFull`.
    #[inline]
    pub fn append(&mut self, octets: &[u8]) -> Result<(), EncodeError> {
        self.room(octets.len())?.copy_from_slice(octets);
        Ok(())
    }

    /// Makes room for `length` octets at the end.
    #[inline]
    pub(crate) fn room(&mut self, length: usize) -> Result<&mut [u8], EncodeError> {
        let end = self.end.saturating_add(length);
        if end > self.limit {
            return Err(EncodeError::BufferFull);
        }
        let room = self
            .buffer
            .get_mut(self.end..end)
            .ok_or(EncodeError::BufferFull)?;
        self.end = end;
        Ok(room)
    }

    /// Appends tag and length of an element whose content follows.
    ///
    /// # Errors
    /// `BufferFull`.
    #[inline]
    pub fn append_header(&mut self, tag: Tag, length: usize) -> Result<(), EncodeError> {
        let room = self.room(1 + length_octets(length))?;
        write_header(room, tag, length);
        Ok(())
    }

    /// Appends a whole element with this content.
    ///
    /// # Errors
    /// `BufferFull`.
    #[inline]
    pub fn append_element(&mut self, tag: Tag, content: &[u8]) -> Result<(), EncodeError> {
        self.append_header(tag, content.len())?;
        self.append(content)
    }

    /// Appends a signed INTEGER in its minimal form.
    ///
    /// # Errors
    /// `BufferFull`.
    #[inline]
    pub fn append_signed(&mut self, tag: Tag, value: i64) -> Result<(), EncodeError> {
        let octets = value.to_be_bytes();
        self.append_element(tag, last(&octets, signed_length(value)))
    }

    /// Appends an unsigned value in its minimal form.
    ///
    /// # Errors
    /// `BufferFull`.
    #[inline]
    pub fn append_unsigned(&mut self, tag: Tag, value: u64) -> Result<(), EncodeError> {
        let octets = unsigned_octets(value);
        self.append_element(tag, last(&octets, unsigned_length(value)))
    }

    /// Prepends octets as they are.
    ///
    /// # Errors
    /// `BufferFull` if the headroom is used up.
    #[inline]
    pub fn prepend(&mut self, octets: &[u8]) -> Result<(), EncodeError> {
        self.headroom(octets.len())?.copy_from_slice(octets);
        Ok(())
    }

    #[inline]
    fn headroom(&mut self, length: usize) -> Result<&mut [u8], EncodeError> {
        let start = self
            .start
            .checked_sub(length)
            .ok_or(EncodeError::BufferFull)?;
        let room = self
            .buffer
            .get_mut(start..self.start)
            .ok_or(EncodeError::BufferFull)?;
        self.start = start;
        Ok(room)
    }

    /// Prepends tag and length of an element that encloses the `length` octets behind it.
    ///
    /// # Errors
    /// `BufferFull` if the headroom is used up.
    #[inline]
    pub fn prepend_header(&mut self, tag: Tag, length: usize) -> Result<(), EncodeError> {
        let room = self.headroom(1 + length_octets(length))?;
        write_header(room, tag, length);
        Ok(())
    }

    /// Encloses all that is written in an element.
    ///
    /// # Errors
    /// `BufferFull` if the headroom is used up.
    #[inline]
    pub fn enclose(&mut self, tag: Tag) -> Result<(), EncodeError> {
        self.prepend_header(tag, self.len())
    }

    /// Prepends a whole element with this content.
    ///
    /// # Errors
    /// `BufferFull` if the headroom is used up.
    #[inline]
    pub fn prepend_element(&mut self, tag: Tag, content: &[u8]) -> Result<(), EncodeError> {
        self.prepend(content)?;
        self.prepend_header(tag, content.len())
    }

    /// Prepends an INTEGER in its minimal form.
    ///
    /// # Errors
    /// `BufferFull` if the headroom is used up.
    #[inline]
    pub fn prepend_integer(&mut self, value: i32) -> Result<(), EncodeError> {
        let octets = value.to_be_bytes();
        self.prepend_element(Tag::INTEGER, last(&octets, signed_length(i64::from(value))))
    }

    /// Prepends an unsigned value in its minimal form.
    ///
    /// # Errors
    /// `BufferFull` if the headroom is used up.
    #[inline]
    pub fn prepend_unsigned(&mut self, tag: Tag, value: u64) -> Result<(), EncodeError> {
        let octets = unsigned_octets(value);
        self.prepend_element(tag, last(&octets, unsigned_length(value)))
    }
}

/// Big-endian, with a zero octet in front for values whose top bit is set.
#[inline]
fn unsigned_octets(value: u64) -> [u8; 9] {
    let mut octets = [0; 9];
    octets[1..].copy_from_slice(&value.to_be_bytes());
    octets
}

#[inline]
fn last(octets: &[u8], count: usize) -> &[u8] {
    octets
        .len()
        .checked_sub(count)
        .and_then(|at| octets.get(at..))
        .unwrap_or(octets)
}

/// Writes tag and minimal length into `room`, which has exactly their size.
#[inline]
fn write_header(room: &mut [u8], tag: Tag, length: usize) {
    let Some((first, octets)) = room.split_first_mut() else {
        return;
    };
    *first = tag.0;
    match octets {
        [short] => *short = length.to_le_bytes()[0],
        [count, rest @ ..] => {
            let octets = length.to_be_bytes();
            *count = 0x80 | rest.len().to_le_bytes()[0];
            if let Some(significant) = octets.get(octets.len() - rest.len()..) {
                rest.copy_from_slice(significant);
            }
        }
        [] => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_take_the_minimal_form() {
        for length in [0, 1, 127, 128, 255, 256, 65_535, 65_536, 70_000] {
            let mut buffer = std::vec![0; length + 16];
            let mut writer = Writer::new(&mut buffer, 8).unwrap();
            writer.append(&std::vec![7; length]).unwrap();
            writer.enclose(Tag::SEQUENCE).unwrap();
            assert_eq!(writer.len(), 1 + length_octets(length) + length);
            let mut reader = super::super::Reader::new(writer.written());
            assert_eq!(reader.expect(Tag::SEQUENCE).unwrap().rest().len(), length);
            reader.finish().unwrap();
        }
    }

    #[test]
    fn a_full_buffer_is_an_error_and_leaves_what_was_written() {
        let mut buffer = [0; 8];
        let mut writer = Writer::new(&mut buffer, 2).unwrap();
        writer.append_signed(Tag::INTEGER, 1).unwrap();
        assert_eq!(writer.append(&[0; 4]), Err(EncodeError::BufferFull));
        assert_eq!(writer.written(), [2, 1, 1]);
        assert_eq!(writer.prepend(&[0; 3]), Err(EncodeError::BufferFull));
    }
}
