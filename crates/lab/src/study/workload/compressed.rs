use serde::{Deserialize, Serialize};

use super::super::{Setting, SubjectName};

/// ifTable over TCP in SNMPv2c by our own manager, compressed as the agent agrees to: as few GetBulkRequests as its limit for
/// answers allows, in one session, again and again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompressedTask {
    /// The network.
    pub setting: Setting,
    /// How messages are compressed.
    pub compression: MessageCompression,
    /// Objects that are asked for, from the first of ifTable on.
    pub objects: u32,
    /// How often.
    pub exchanges: u32,
}

/// How messages are compressed (docs/compression.md).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MessageCompression {
    /// Not at all.
    None,
    /// Object identifier prefix compression.
    Opc,
    /// Object identifier delta compression.
    Odc,
    /// A dictionary for each session.
    Dictionary,
}

impl CompressedTask {
    pub(in super::super) fn is_possible(&self, subject: SubjectName) -> Result<(), String> {
        subject.ours_alone(|| format!("{subject} compresses no messages"))
    }
}
