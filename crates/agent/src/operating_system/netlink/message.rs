//! The framing of netlink: messages, and attributes inside them (netlink(7)). All numbers are in the byte order of the
//! machine, and everything is aligned to 4 octets.

const HEADER: usize = 16;
const ATTRIBUTE_HEADER: usize = 4;
/// NLA_F_NESTED and NLA_F_NET_BYTEORDER, which share the field of the attribute's type.
const ATTRIBUTE_FLAGS: u16 = 0xc000;

/// One message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Message<'a> {
    /// nlmsg_type.
    pub(crate) message_type: u16,
    /// nlmsg_flags.
    pub(crate) flags: u16,
    /// nlmsg_seq: that of the request which is answered, 0 in notifications.
    pub(crate) sequence: u32,
    /// What follows the header.
    pub(crate) payload: &'a [u8],
}

impl<'a> Message<'a> {
    /// The fixed part of the payload and the attributes behind it; `None` if the payload is shorter than `N`.
    pub(crate) fn split<const N: usize>(&self) -> Option<(&'a [u8; N], Attributes<'a>)> {
        let (fixed, rest) = self.payload.split_first_chunk()?;
        Some((fixed, Attributes::new(rest)))
    }
}

/// The messages in what one read from the socket returned. A message that is cut off ends the iteration.
#[derive(Clone, Debug)]
pub(crate) struct Messages<'a> {
    rest: &'a [u8],
}

impl<'a> Messages<'a> {
    pub(crate) const fn new(octets: &'a [u8]) -> Self {
        Self { rest: octets }
    }
}

impl<'a> Iterator for Messages<'a> {
    type Item = Message<'a>;

    fn next(&mut self) -> Option<Message<'a>> {
        let length = usize::try_from(u32_at(self.rest, 0)?).ok()?;
        let payload = self.rest.get(HEADER..length)?;
        let message = Message {
            message_type: u16_at(self.rest, 4)?,
            flags: u16_at(self.rest, 6)?,
            sequence: u32_at(self.rest, 8)?,
            payload,
        };
        self.rest = self.rest.get(aligned(length)..).unwrap_or(&[]);
        Some(message)
    }
}

/// The attributes of a message or of a nested attribute: their types and contents. One that is cut off ends the
/// iteration.
#[derive(Clone, Debug)]
pub(crate) struct Attributes<'a> {
    rest: &'a [u8],
}

impl<'a> Attributes<'a> {
    pub(crate) const fn new(octets: &'a [u8]) -> Self {
        Self { rest: octets }
    }

    /// The content of the first attribute of a type.
    pub(crate) fn find(&self, wanted: u16) -> Option<&'a [u8]> {
        self.clone()
            .find_map(|(attribute, content)| (attribute == wanted).then_some(content))
    }
}

impl<'a> Iterator for Attributes<'a> {
    type Item = (u16, &'a [u8]);

    fn next(&mut self) -> Option<(u16, &'a [u8])> {
        let length = usize::from(u16_at(self.rest, 0)?);
        let attribute = u16_at(self.rest, 2)? & !ATTRIBUTE_FLAGS;
        let content = self.rest.get(ATTRIBUTE_HEADER..length)?;
        self.rest = self.rest.get(aligned(length)..).unwrap_or(&[]);
        Some((attribute, content))
    }
}

pub(super) const fn aligned(length: usize) -> usize {
    length.saturating_add(3) & !3
}

pub(super) fn u16_at(octets: &[u8], at: usize) -> Option<u16> {
    octets
        .get(at..)?
        .first_chunk()
        .copied()
        .map(u16::from_ne_bytes)
}

pub(super) fn u32_at(octets: &[u8], at: usize) -> Option<u32> {
    octets
        .get(at..)?
        .first_chunk()
        .copied()
        .map(u32::from_ne_bytes)
}

/// A number that is the whole content of an attribute.
pub(super) fn u32_of(content: &[u8]) -> Option<u32> {
    content.try_into().ok().map(u32::from_ne_bytes)
}

/// A text in an attribute, up to its terminating zero.
pub(super) fn text_of(content: &[u8]) -> String {
    let text = content.split(|&octet| octet == 0).next().unwrap_or(&[]);
    String::from_utf8_lossy(text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_and_attributes_that_are_cut_off_end_the_iteration() {
        let mut octets = Vec::new();
        octets.extend(24_u32.to_ne_bytes());
        octets.extend(16_u16.to_ne_bytes());
        octets.extend(2_u16.to_ne_bytes());
        octets.extend(7_u32.to_ne_bytes());
        octets.extend(0_u32.to_ne_bytes());
        octets.extend(6_u16.to_ne_bytes());
        octets.extend(0x8003_u16.to_ne_bytes());
        octets.extend([1, 2, 0, 0]);
        let message = Messages::new(&octets).next().unwrap();
        assert_eq!(
            (message.message_type, message.flags, message.sequence),
            (16, 2, 7)
        );
        let attributes: Vec<_> = Attributes::new(message.payload).collect();
        assert_eq!(attributes, [(3, [1_u8, 2].as_slice())]);
        for end in 0..octets.len() {
            assert_eq!(Messages::new(&octets[..end]).count(), 0, "{end}");
        }
        for end in 0..6 {
            assert_eq!(Attributes::new(&message.payload[..end]).count(), 0, "{end}");
        }
    }

    #[test]
    fn lengths_below_the_header_end_the_iteration() {
        assert_eq!(Messages::new(&[0; 64]).count(), 0);
        assert_eq!(Attributes::new(&[0; 64]).count(), 0);
    }
}
