use std::sync::OnceLock;

/// What the window holds before the first message: variable bindings as responses have them, with names compressed by
/// delta, the most frequent ones last. It is part of the protocol: both sides have the same.
pub(super) fn preset() -> &'static [u8] {
    static PRESET: OnceLock<Vec<u8>> = OnceLock::new();
    PRESET.get_or_init(|| {
        let mut octets = Vec::new();
        for table in TABLES {
            table.append(&mut octets);
        }
        // Further rows of a column.
        for tag in [GAUGE, INTEGER, COUNTER] {
            octets.extend_from_slice(&[0x30, 0x05, 0x04, 0x00, tag, 0x01, 0x00]);
        }
        // Headers of messages of SNMPv2c and of SNMPv3 over a secure transport, up to the variable bindings.
        octets.extend_from_slice(b"\x30\x3a\x02\x01\x03\x30\x0f\x02\x02\x30\x39\x02\x03\x00\xff\xff");
        octets.extend_from_slice(b"\x04\x01\x07\x02\x01\x04\x04\x00\x30\x24\x04\x05\x80\x00\x00\x00\x06\x04\x00");
        octets.extend_from_slice(b"\x30\x82\x10\x00\x02\x01\x01\x04\x06public\xe2\x82\x10\x00\x02\x04");
        octets.extend_from_slice(b"\x02\x01\x00\x02\x01\x00\x30\x82\x10\x00\x30\x0f\x06\x0a");
        octets.extend_from_slice(b"\x30\x29\x02\x01\x01\x04\x06public\xe0\x1c\x02\x04");
        octets.extend_from_slice(b"\x02\x01\x00\x02\x01\x00\x30\x0e\x30\x0c\x06\x08\x2b\x06\x01\x02\x01\x01\x01\x00\x05\x00");
        octets.extend_from_slice(b"\x30\x29\x02\x01\x01\x04\x06public\xe5\x1c\x02\x04");
        octets.extend_from_slice(b"\x02\x01\x00\x02\x01\x0a\x30\x0e\x30\x0c\x06\x08\x2b\x06\x01\x02\x01\x02\x02\x01\x05\x00");
        octets
    })
}

/// A table, as rows of it are in a response.
struct Table {
    /// The name of the entry, encoded.
    entry: &'static [u8],
    /// Each column with the tag of its value.
    columns: &'static [(u8, u8)],
}

const INTEGER: u8 = 0x02;
const OCTETS: u8 = 0x04;
const NAME: u8 = 0x06;
const COUNTER: u8 = 0x41;
const GAUGE: u8 = 0x42;
const TICKS: u8 = 0x43;
const COUNTER64: u8 = 0x46;

const TABLES: [Table; 2] = [
    // ifXTable
    Table {
        entry: &[43, 6, 1, 2, 1, 31, 1, 1, 1],
        columns: &[
            (1, OCTETS),
            (2, COUNTER),
            (3, COUNTER),
            (4, COUNTER),
            (5, COUNTER),
            (6, COUNTER64),
            (7, COUNTER64),
            (8, COUNTER64),
            (9, COUNTER64),
            (10, COUNTER64),
            (11, COUNTER64),
            (12, COUNTER64),
            (13, COUNTER64),
            (14, INTEGER),
            (15, GAUGE),
            (16, INTEGER),
            (17, INTEGER),
            (18, OCTETS),
            (19, TICKS),
        ],
    },
    // ifTable
    Table {
        entry: &[43, 6, 1, 2, 1, 2, 2, 1],
        columns: &[
            (1, INTEGER),
            (2, OCTETS),
            (3, INTEGER),
            (4, INTEGER),
            (5, GAUGE),
            (6, OCTETS),
            (7, INTEGER),
            (8, INTEGER),
            (9, TICKS),
            (10, COUNTER),
            (11, COUNTER),
            (12, COUNTER),
            (13, COUNTER),
            (14, COUNTER),
            (15, COUNTER),
            (16, COUNTER),
            (17, COUNTER),
            (18, COUNTER),
            (19, COUNTER),
            (20, COUNTER),
            (21, GAUGE),
            (22, NAME),
        ],
    },
];

impl Table {
    /// One row: the name of each column is told by the substitution of one sub-identifier in the name before it.
    fn append(&self, octets: &mut Vec<u8>) {
        octets.extend_from_slice(self.entry);
        let arcs = self.entry.len() + 1;
        let key = u8::try_from(2 * arcs).unwrap_or(u8::MAX);
        for (column, tag) in self.columns {
            octets.extend_from_slice(&[0x30, 0x07, 0x04, 0x02, key, *column, *tag, 0x01, 0x00]);
        }
    }
}
