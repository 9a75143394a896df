use serde::{Deserialize, Serialize};

/// Octets and packets in each direction, over all repetitions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Traffic {
    /// SNMP messages sent.
    pub messages_sent: u64,
    /// SNMP messages received.
    pub messages_received: u64,
    /// Octets of the SNMP messages sent.
    pub snmp_octets_sent: u64,
    /// Octets of the SNMP messages received.
    pub snmp_octets_received: u64,
    /// IP packets sent.
    pub ip_packets_sent: u64,
    /// IP packets received.
    pub ip_packets_received: u64,
    /// Octets of the IP packets sent, headers included.
    pub ip_octets_sent: u64,
    /// Octets of the IP packets received, headers included.
    pub ip_octets_received: u64,
    /// How the figures at IP level came about.
    pub counting: Counting,
}

/// How packets and octets at IP level came about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Counting {
    /// UDP: computed, one packet per message, 28 octets more each over IPv4 and 48 over IPv6. Messages longer than the
    /// path MTU would take more packets.
    #[default]
    ComputedPerDatagram,
    /// TCP: segments counted by the kernel (tcp_info through sock_diag) before the close; headers of 20 (IPv4) or 40
    /// octets, 20, and 12 for timestamps are computed, and so are the three segments of the close.
    KernelSegments,
    /// TCP where the kernel gave no counts: SNMP level only, packets and IP octets are 0.
    Unknown,
}

impl Traffic {
    /// Adds the figures of another session of the same configuration.
    pub fn add(&mut self, other: &Self) {
        self.messages_sent += other.messages_sent;
        self.messages_received += other.messages_received;
        self.snmp_octets_sent += other.snmp_octets_sent;
        self.snmp_octets_received += other.snmp_octets_received;
        self.ip_packets_sent += other.ip_packets_sent;
        self.ip_packets_received += other.ip_packets_received;
        self.ip_octets_sent += other.ip_octets_sent;
        self.ip_octets_received += other.ip_octets_received;
        if self.counting != Counting::Unknown {
            self.counting = other.counting;
        }
    }
}
