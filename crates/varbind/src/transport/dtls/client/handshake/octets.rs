//! Reading and writing the vectors of TLS (RFC 5246 section 4).

/// What is left to be read of a message.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub(super) const fn new(octets: &'a [u8]) -> Self {
        Self(octets)
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*taken)
    }

    pub(super) fn u8(&mut self) -> Option<u8> {
        self.array::<1>().map(|[octet]| octet)
    }

    pub(super) fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_be_bytes)
    }

    pub(super) fn u24(&mut self) -> Option<usize> {
        let [a, b, c] = self.array()?;
        Some(u32::from_be_bytes([0, a, b, c]) as usize)
    }

    /// A vector with one octet of length.
    pub(super) fn vector8(&mut self) -> Option<&'a [u8]> {
        let length = self.u8()?;
        self.take(usize::from(length))
    }

    /// A vector with two octets of length.
    pub(super) fn vector16(&mut self) -> Option<&'a [u8]> {
        let length = self.u16()?;
        self.take(usize::from(length))
    }

    /// A vector with three octets of length.
    pub(super) fn vector24(&mut self) -> Option<&'a [u8]> {
        let length = self.u24()?;
        self.take(length)
    }

    /// The numbers that are left.
    pub(super) fn numbers(self) -> Option<Vec<u16>> {
        let (numbers, rest) = self.0.as_chunks::<2>();
        let numbers = numbers.iter().map(|octets| u16::from_be_bytes(*octets));
        rest.is_empty().then(|| numbers.collect())
    }
}

/// A length or a number of three octets; what is larger is written as the largest, which no peer accepts.
pub(super) fn put_u24(output: &mut Vec<u8>, number: usize) {
    let number = u32::try_from(number).unwrap_or(u32::MAX).min(0x00ff_ffff);
    let [_, a, b, c] = number.to_be_bytes();
    output.extend_from_slice(&[a, b, c]);
}

/// A number of two octets; as above.
pub(super) fn put_u16(output: &mut Vec<u8>, number: usize) {
    let number = u16::try_from(number).unwrap_or(u16::MAX);
    output.extend_from_slice(&number.to_be_bytes());
}

/// A vector with one octet of length; as above.
pub(super) fn put_vector8(output: &mut Vec<u8>, octets: &[u8]) {
    output.push(u8::try_from(octets.len()).unwrap_or(u8::MAX));
    output.extend_from_slice(octets);
}

/// A vector with two octets of length.
pub(super) fn put_vector16(output: &mut Vec<u8>, octets: &[u8]) {
    put_u16(output, octets.len());
    output.extend_from_slice(octets);
}

/// A vector with three octets of length.
pub(super) fn put_vector24(output: &mut Vec<u8>, octets: &[u8]) {
    put_u24(output, octets.len());
    output.extend_from_slice(octets);
}
