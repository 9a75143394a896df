use super::message::aligned;

/// NLM_F_REQUEST and NLM_F_DUMP (netlink(7)).
const REQUEST: u16 = 0x1;
const DUMP: u16 = 0x300;

/// A request to the kernel, encoded but for its sequence number.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    octets: Vec<u8>,
}

impl Request {
    /// A request for all objects of a kind, with the fixed part of its payload.
    pub(crate) fn dump(message_type: u16, payload: &[u8]) -> Self {
        Self::new(message_type, REQUEST | DUMP, payload)
    }

    /// A request for one object.
    pub(crate) fn one(message_type: u16, payload: &[u8]) -> Self {
        Self::new(message_type, REQUEST, payload)
    }

    fn new(message_type: u16, flags: u16, payload: &[u8]) -> Self {
        let mut octets = Vec::with_capacity(64);
        octets.extend([0; 4]);
        octets.extend(message_type.to_ne_bytes());
        octets.extend(flags.to_ne_bytes());
        octets.extend([0; 8]);
        octets.extend(payload);
        let mut request = Self { octets };
        request.close();
        request
    }

    /// Appends an attribute. Contents here are constants and interface numbers, far below the limit of 65,531 octets.
    pub(crate) fn attribute(mut self, attribute: u16, content: &[u8]) -> Self {
        let length = u16::try_from(content.len() + 4).unwrap_or(u16::MAX);
        self.octets.extend(length.to_ne_bytes());
        self.octets.extend(attribute.to_ne_bytes());
        self.octets.extend(content);
        self.close();
        self
    }

    /// Pads to the alignment and writes the length.
    fn close(&mut self) {
        self.octets.resize(aligned(self.octets.len()), 0);
        let length = u32::try_from(self.octets.len()).unwrap_or(u32::MAX);
        if let Some(field) = self.octets.first_chunk_mut() {
            *field = length.to_ne_bytes();
        }
    }

    /// The request with its sequence number.
    pub(super) fn with_sequence(&mut self, sequence: u32) -> &[u8] {
        if let Some(field) = self.octets.get_mut(8..12) {
            field.copy_from_slice(&sequence.to_ne_bytes());
        }
        &self.octets
    }
}
