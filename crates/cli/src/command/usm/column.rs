use varbind::codec::smi::Oid;
use varbind::engine::engine_id::EngineId;
use varbind_terminal::Failure;

use super::instance;

/// usmUserEntry (RFC 3414 section 5).
const ENTRY: [u32; 11] = [1, 3, 6, 1, 6, 3, 15, 1, 2, 2, 1];

/// A column of usmUserTable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Column {
    SecurityName = 3,
    CloneFrom = 4,
    AuthProtocol = 5,
    AuthKeyChange = 6,
    OwnAuthKeyChange = 7,
    PrivProtocol = 8,
    PrivKeyChange = 9,
    OwnPrivKeyChange = 10,
    Public = 11,
    Status = 13,
}

/// What a manager may make of a row (RFC 2579).
#[derive(Clone, Copy, Debug)]
pub(crate) enum RowStatus {
    Active = 1,
    NotInService = 2,
    CreateAndGo = 4,
    CreateAndWait = 5,
    Destroy = 6,
}

impl Column {
    /// The name of a cell.
    pub(crate) fn cell(self, engine: &EngineId, user: &str) -> Result<Oid, Failure> {
        let mut index = Vec::new();
        for octets in [engine.as_octets(), user.as_bytes()] {
            index.push(u32::try_from(octets.len()).unwrap_or(u32::MAX));
            index.extend(octets.iter().copied().map(u32::from));
        }
        instance(&[&ENTRY[..], &[self as u32]].concat(), &index)
    }
}
