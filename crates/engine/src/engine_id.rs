//! snmpEngineID: the name of an SNMP engine (RFC 3411 section 5).

use std::fmt;
use std::str::FromStr;

/// snmpEngineID.0 (SNMP-FRAMEWORK-MIB, RFC 3411 section 5).
pub const SNMP_ENGINE_ID: &[u32] = &[1, 3, 6, 1, 6, 3, 10, 2, 1, 1, 0];

/// The identifier of an SNMP engine: 5 to 32 octets, not all 0 and not all 255 (SnmpEngineID, RFC 3411 section 5).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EngineId {
    // Octets beyond the length are 0, so that the derived comparisons hold.
    octets: [u8; Self::LONGEST],
    length: u8,
}

impl EngineId {
    /// The most octets.
    pub const LONGEST: usize = 32;
    /// The least octets.
    pub const SHORTEST: usize = 5;
    /// localEngineID (RFC 5343 section 3): as contextEngineID it means the engine that receives the message.
    pub const LOCAL: &'static [u8] = &[0x80, 0, 0, 0, 6];

    /// An engine ID of these octets.
    ///
    /// # Errors
    /// When they are too few, too many, all 0 or all 255.
    pub fn new(octets: &[u8]) -> Result<Self, InvalidEngineId> {
        let all = |value| octets.iter().all(|&octet| octet == value);
        if !(Self::SHORTEST..=Self::LONGEST).contains(&octets.len()) || all(0) || all(0xff) {
            return Err(InvalidEngineId);
        }
        let mut padded = [0; Self::LONGEST];
        for (to, &from) in padded.iter_mut().zip(octets) {
            *to = from;
        }
        Ok(Self {
            octets: padded,
            // At most 32.
            length: octets.len().to_le_bytes()[0],
        })
    }

    /// The octets.
    #[must_use]
    pub fn as_octets(&self) -> &[u8] {
        self.octets.get(..usize::from(self.length)).unwrap_or(&[])
    }
}

/// Hexadecimal with `0x` in front.
impl fmt::Display for EngineId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("0x")?;
        self.as_octets()
            .iter()
            .try_for_each(|octet| write!(f, "{octet:02x}"))
    }
}

impl fmt::Debug for EngineId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EngineId({self})")
    }
}

impl FromStr for EngineId {
    type Err = InvalidEngineId;

    /// Reads hexadecimal digits, with `0x` in front or without, and with colons between octets or without.
    fn from_str(text: &str) -> Result<Self, InvalidEngineId> {
        let digits = text.strip_prefix("0x").unwrap_or(text).replace(':', "");
        let nibbles = digits
            .chars()
            .map(|digit| {
                digit
                    .to_digit(16)
                    .and_then(|nibble| u8::try_from(nibble).ok())
            })
            .collect::<Option<Vec<u8>>>()
            .ok_or(InvalidEngineId)?;
        let (pairs, []) = nibbles.as_chunks::<2>() else {
            return Err(InvalidEngineId);
        };
        let octets: Vec<u8> = pairs.iter().map(|[high, low]| high << 4 | low).collect();
        Self::new(&octets)
    }
}

/// The octets or the text are no engine ID.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidEngineId;

impl fmt::Display for InvalidEngineId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "an engine ID has 5 to 32 octets, which are not all 00 and not all ff: write it as 0x and hexadecimal digits"
        )
    }
}

impl std::error::Error for InvalidEngineId {}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 3411 5: SnmpEngineID.
    #[test]
    fn octets_are_an_engine_id_by_their_number_and_values() {
        for wrong in [&[][..], &[1; 4], &[1; 33], &[0; 5], &[0xff; 12], &[0; 32]] {
            assert_eq!(EngineId::new(wrong), Err(InvalidEngineId), "{wrong:?}");
        }
        for right in [
            &[1; 5][..],
            &[1; 32],
            &[0, 0, 0, 0, 1],
            &[0xff, 0xff, 0xff, 0xff, 0],
        ] {
            assert_eq!(EngineId::new(right).unwrap().as_octets(), right);
        }
    }

    #[test]
    fn the_text_is_read_as_it_is_shown() {
        let id = EngineId::new(b"\x80\x00\x1f\x88\x04host").unwrap();
        assert_eq!(id.to_string(), "0x80001f8804686f7374");
        assert_eq!(id.to_string().parse(), Ok(id));
        assert_eq!("80:00:1f:88:04:68:6f:73:74".parse(), Ok(id));
        for wrong in [
            "",
            "0x",
            "0x8000000",
            "0x80 0000001",
            "zz00000001",
            "0x80000000é",
        ] {
            assert_eq!(wrong.parse::<EngineId>(), Err(InvalidEngineId));
        }
    }
}
