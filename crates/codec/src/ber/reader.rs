use super::{DecodeError, DecodeErrorKind, Tag};

/// Reads elements from a message, front to back.
///
/// A reader of nested content keeps the whole message, so that every error has the offset in it.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    message: &'a [u8],
    position: usize,
    end: usize,
}

impl<'a> Reader<'a> {
    /// A reader of the whole of `message`.
    #[must_use]
    pub const fn new(message: &'a [u8]) -> Self {
        Self {
            message,
            position: 0,
            end: message.len(),
        }
    }

    /// Whether nothing is left.
    #[must_use]
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.position >= self.end
    }

    /// Offset of the next octet from the beginning of the message.
    #[must_use]
    #[inline]
    pub const fn offset(&self) -> usize {
        self.position
    }

    /// An error of this kind at the present offset.
    #[must_use]
    #[cold]
    pub const fn error(&self, kind: DecodeErrorKind) -> DecodeError {
        DecodeError {
            kind,
            offset: self.position,
        }
    }

    /// Fails unless all has been read.
    ///
    /// # Errors
    /// `TrailingOctets` if something is left.
    pub const fn finish(&self) -> Result<(), DecodeError> {
        if self.is_empty() {
            Ok(())
        } else {
            Err(self.error(DecodeErrorKind::TrailingOctets))
        }
    }

    #[inline]
    fn octet(&mut self) -> Result<u8, DecodeError> {
        if self.position < self.end
            && let Some(&octet) = self.message.get(self.position)
        {
            self.position += 1;
            return Ok(octet);
        }
        Err(self.error(DecodeErrorKind::Truncated))
    }

    /// The next tag, without consuming it.
    ///
    /// # Errors
    /// `Truncated` at the end.
    #[inline]
    pub fn peek_tag(&self) -> Result<Tag, DecodeError> {
        let mut ahead = *self;
        ahead.octet().map(Tag)
    }

    #[inline]
    fn length(&mut self) -> Result<usize, DecodeError> {
        let start = *self;
        let first = self.octet()?;
        if first < 0x80 {
            return Ok(usize::from(first));
        }
        if first == 0x80 {
            return Err(start.error(DecodeErrorKind::IndefiniteLength));
        }
        let mut length = 0_u32;
        for _ in 0..first & 0x7f {
            let octet = self.octet()?;
            if length > u32::MAX >> 8 {
                return Err(start.error(DecodeErrorKind::LengthTooLarge));
            }
            length = length << 8 | u32::from(octet);
        }
        usize::try_from(length).map_err(|_| start.error(DecodeErrorKind::LengthTooLarge))
    }

    /// Reads any element: its tag and a reader of its content.
    ///
    /// # Errors
    /// `Truncated`, `MultiOctetTag`, `IndefiniteLength` or `LengthTooLarge`.
    #[inline]
    pub fn element(&mut self) -> Result<(Tag, Self), DecodeError> {
        let start = *self;
        let tag = self.octet()?;
        if tag & 0x1f == 0x1f {
            return Err(start.error(DecodeErrorKind::MultiOctetTag));
        }
        let length = self.length()?;
        let content_end = self.position.checked_add(length);
        match content_end {
            Some(end) if end <= self.end => {
                let content = Self { end, ..*self };
                self.position = end;
                Ok((Tag(tag), content))
            }
            _ => Err(self.error(DecodeErrorKind::Truncated)),
        }
    }

    /// Reads an element that must have this tag, and returns a reader of its content.
    ///
    /// # Errors
    /// As [`element`](Self::element), or `UnexpectedTag`.
    #[inline]
    pub fn expect(&mut self, expected: Tag) -> Result<Self, DecodeError> {
        let start = *self;
        let (found, content) = self.element()?;
        if found == expected {
            Ok(content)
        } else {
            Err(start.error(DecodeErrorKind::UnexpectedTag { expected, found }))
        }
    }

    /// What is left, as a slice of the message.
    #[must_use]
    #[inline]
    pub fn rest(&self) -> &'a [u8] {
        self.message.get(self.position..self.end).unwrap_or(&[])
    }

    /// Takes the rest as the content of a signed INTEGER of at most 64 bits; redundant leading octets are ignored.
    ///
    /// # Errors
    /// `EmptyInteger` or `IntegerOutOfRange`.
    #[inline]
    pub fn signed(&self) -> Result<i64, DecodeError> {
        let content = self.rest();
        let Some((&first, following)) = content.split_first() else {
            return Err(self.error(DecodeErrorKind::EmptyInteger));
        };
        let mut value = i64::from(first.cast_signed());
        for &octet in following {
            if !(i64::MIN >> 8..=i64::MAX >> 8).contains(&value) {
                return Err(self.error(DecodeErrorKind::IntegerOutOfRange));
            }
            value = value << 8 | i64::from(octet);
        }
        Ok(value)
    }

    /// Reads an INTEGER that must fit 32 bits.
    ///
    /// # Errors
    /// As [`expect`](Self::expect) and [`signed`](Self::signed).
    #[inline]
    pub fn integer32(&mut self) -> Result<i32, DecodeError> {
        let content = self.expect(Tag::INTEGER)?;
        i32::try_from(content.signed()?)
            .map_err(|_| content.error(DecodeErrorKind::IntegerOutOfRange))
    }

    /// Takes the rest as the content of an unsigned value of 32 bits.
    ///
    /// Some devices write the two's complement of the same width; the bits are then taken as they are.
    ///
    /// # Errors
    /// `EmptyInteger` or `IntegerOutOfRange`.
    #[inline]
    pub fn unsigned32(&self) -> Result<u32, DecodeError> {
        // `unsigned` yields no more than 32 bits.
        self.unsigned(4)
            .map(|value| u32::try_from(value).unwrap_or(u32::MAX))
    }

    /// Takes the rest as the content of an unsigned value of 64 bits, as [`unsigned32`](Self::unsigned32) does.
    ///
    /// # Errors
    /// `EmptyInteger` or `IntegerOutOfRange`.
    #[inline]
    pub fn unsigned64(&self) -> Result<u64, DecodeError> {
        self.unsigned(8)
    }

    #[inline]
    fn unsigned(&self, width: usize) -> Result<u64, DecodeError> {
        let content = self.rest();
        let Some(&first) = content.first() else {
            return Err(self.error(DecodeErrorKind::EmptyInteger));
        };
        let unused_bits = 64 - 8 * width;
        let significant = match content.iter().position(|&octet| octet != 0) {
            Some(zeros) => content.get(zeros..).unwrap_or(&[]),
            None => &[],
        };
        if significant.len() <= width {
            let value = significant
                .iter()
                .fold(0, |value, &octet| value << 8 | u64::from(octet));
            // Shorter than its width and negative: the sign extends.
            if first & 0x80 != 0 && content.len() < width {
                let extension = u64::MAX << (8 * content.len());
                return Ok((value | extension) & (u64::MAX >> unused_bits));
            }
            return Ok(value);
        }
        // A negative value with redundant sign octets.
        let signed = self.signed()?;
        if signed < 0 && signed >= i64::MIN >> unused_bits {
            return Ok(signed.cast_unsigned() & (u64::MAX >> unused_bits));
        }
        Err(self.error(DecodeErrorKind::IntegerOutOfRange))
    }

    /// Reads an OCTET STRING.
    ///
    /// # Errors
    /// As [`expect`](Self::expect).
    #[inline]
    pub fn octet_string(&mut self) -> Result<&'a [u8], DecodeError> {
        Ok(self.expect(Tag::OCTET_STRING)?.rest())
    }
}
