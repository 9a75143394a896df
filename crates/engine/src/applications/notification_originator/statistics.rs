/// What became of the notifications to one target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Notifications given.
    pub notifications: u64,
    /// Notifications that the target does not want.
    pub filtered: u64,
    /// Notifications that the version or the largest message cannot hold.
    pub not_encodable: u64,
    /// Notifications for which there was no room, since too many waited.
    pub dropped: u64,
    /// Traps handed to the transport.
    pub traps_sent: u64,
    /// Informs that were acknowledged.
    pub acknowledged: u64,
    /// Informs that were answered with an error-status.
    pub refused: u64,
    /// Informs that nobody answered in time.
    pub unanswered: u64,
    /// Notifications that the transport could not carry.
    pub transport_failures: u64,
    /// Informs sent again.
    pub retries: u64,
}
