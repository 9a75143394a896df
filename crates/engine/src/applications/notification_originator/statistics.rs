use std::fmt;

/// What became of the notifications to one target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OriginatorStatistics {
    /// Notifications given.
    pub notifications: u64,
    /// Notifications that the target does not want.
    pub filtered: u64,
    /// Notifications that access control keeps from the target (RFC 3413 section 3.3 (3)).
    pub inaccessible: u64,
    /// Notifications that the version or the largest message cannot hold.
    pub not_encodable: u64,
    /// Notifications dropped because the queue was full.
    pub dropped: u64,
    /// Traps handed to the transport.
    pub traps_sent: u64,
    /// Informs that were acknowledged.
    pub acknowledged: u64,
    /// Informs that were answered with an error-status.
    pub refused: u64,
    /// Informs without a response in time.
    pub unanswered: u64,
    /// Notifications that the transport could not carry.
    pub transport_failures: u64,
    /// Informs sent again.
    pub retries: u64,
}

impl OriginatorStatistics {
    /// Notifications whose outcome is not known yet.
    #[must_use]
    pub fn waiting(&self) -> u64 {
        let outcomes = [
            self.filtered,
            self.inaccessible,
            self.not_encodable,
            self.dropped,
            self.traps_sent,
            self.acknowledged,
            self.refused,
            self.unanswered,
            self.transport_failures,
        ];
        self.notifications
            .saturating_sub(outcomes.into_iter().fold(0, u64::saturating_add))
    }
}

/// One line with every number.
impl fmt::Display for OriginatorStatistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} notifications: {} traps sent; informs: {} acknowledged, {} refused, {} unanswered, {} retries; \
             failed: {} transport, {} not-encodable, {} queue; left out: {} filtered, {} inaccessible; {} waiting",
            self.notifications,
            self.traps_sent,
            self.acknowledged,
            self.refused,
            self.unanswered,
            self.retries,
            self.transport_failures,
            self.not_encodable,
            self.dropped,
            self.filtered,
            self.inaccessible,
            self.waiting(),
        )
    }
}
