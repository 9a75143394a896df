use std::time::Duration;

/// What happened between a command generator and its agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GeneratorStatistics {
    /// Commands given.
    pub requests: u64,
    /// Messages sent: each attempt counts.
    pub attempts: u64,
    /// Attempts beyond the first of a request.
    pub retries: u64,
    /// Requests that were answered.
    pub responses: u64,
    /// Requests that were answered to an attempt before the last: thrown away by managers that know one request-id.
    pub responses_to_earlier_attempts: u64,
    /// Requests that ended without an answer.
    pub failures: u64,
    /// Answers to attempts of requests that had ended.
    pub late_answers: u64,
    /// Answers that came before.
    pub duplicates: u64,
    /// Messages with an unknown request-id.
    pub unknown_request_ids: u64,
    /// Messages of another version, or no responses.
    pub unexpected_messages: u64,
    /// Messages that cannot be decoded.
    pub undecodable_messages: u64,
    /// Octets sent.
    pub octets_sent: u64,
    /// Octets received, those of discarded messages too.
    pub octets_received: u64,
    /// Times that the window was halved, because the round trip took longer than it can.
    pub window_reductions: u64,
}

/// What is known of the time that the agent takes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RoundTripSummary {
    /// How often it was measured.
    pub samples: u64,
    /// Smoothed (SRTT of RFC 6298).
    pub smoothed: Duration,
    /// Variation (RTTVAR of RFC 6298).
    pub variation: Duration,
    /// The smallest ever.
    pub minimum: Duration,
    /// The largest ever.
    pub maximum: Duration,
    /// The mean of all.
    pub mean: Duration,
    /// The share of attempts that are lost, 0 to 1, as estimated at present.
    pub loss: f64,
}
