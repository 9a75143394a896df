use serde::{Deserialize, Serialize};

/// SNMP messages in each direction, over all repetitions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Traffic {
    /// Messages sent.
    pub messages_sent: u64,
    /// Messages received.
    pub messages_received: u64,
    /// Octets of the messages sent.
    pub snmp_octets_sent: u64,
    /// Octets of the messages received.
    pub snmp_octets_received: u64,
}

impl Traffic {
    /// Adds the figures of another session.
    pub const fn add(&mut self, other: &Self) {
        self.messages_sent += other.messages_sent;
        self.messages_received += other.messages_received;
        self.snmp_octets_sent += other.snmp_octets_sent;
        self.snmp_octets_received += other.snmp_octets_received;
    }
}
