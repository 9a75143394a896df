//! Counters of the engine (RFC 1213, RFC 3418, RFC 3412, RFC 3413, RFC 3414, RFC 5591).

use std::sync::atomic::{AtomicU64, Ordering};

use varbind_codec::pdu::{ErrorStatus, PduType};

/// Declares the counters, each with the name of its instance, as a Report has it.
macro_rules! counters {
    ($($(#[$doc:meta])+ $name:ident = [$($arc:literal),+];)+) => {
        /// The counters, by the names of their objects.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Counter {
            $($(#[$doc])+ $name,)+
        }

        impl Counter {
            /// All of them.
            pub const ALL: [Self; COUNTERS] = [$(Self::$name),+];

            /// The name of its instance, as a Report has it.
            #[must_use]
            pub const fn instance(self) -> &'static [u32] {
                match self {
                    $(Self::$name => &[$($arc),+],)+
                }
            }
        }

        const COUNTERS: usize = [$(Counter::$name),+].len();

        impl Statistics {
            #[expect(non_snake_case, reason = "each place has the name of its counter")]
            const fn place(&self, counter: Counter) -> &AtomicU64 {
                let [$($name),+] = &self.counters;
                match counter {
                    $(Counter::$name => $name,)+
                }
            }
        }
    };
}

// What every request raises comes first: it has one line of the cache.
counters! {
    /// snmpInPkts: messages delivered by the transports.
    SnmpInPkts = [1, 3, 6, 1, 2, 1, 11, 1, 0];
    /// snmpOutPkts: messages given to the transports.
    SnmpOutPkts = [1, 3, 6, 1, 2, 1, 11, 2, 0];
    /// snmpInTotalReqVars: objects that requests have read.
    SnmpInTotalReqVars = [1, 3, 6, 1, 2, 1, 11, 13, 0];
    /// snmpInGetRequests: GetRequest-PDUs carried out.
    SnmpInGetRequests = [1, 3, 6, 1, 2, 1, 11, 15, 0];
    /// snmpInGetNexts: GetNextRequest-PDUs carried out.
    SnmpInGetNexts = [1, 3, 6, 1, 2, 1, 11, 16, 0];
    /// snmpOutGetResponses: Response-PDUs made.
    SnmpOutGetResponses = [1, 3, 6, 1, 2, 1, 11, 28, 0];
    /// snmpOutTraps: Trap-PDUs given to the transports.
    SnmpOutTraps = [1, 3, 6, 1, 2, 1, 11, 29, 0];
    /// snmpInGetResponses: Response-PDUs that acknowledge or refuse an inform.
    SnmpInGetResponses = [1, 3, 6, 1, 2, 1, 11, 18, 0];
    /// snmpInTotalSetVars: objects that requests have set.
    SnmpInTotalSetVars = [1, 3, 6, 1, 2, 1, 11, 14, 0];
    /// snmpInSetRequests: SetRequest-PDUs carried out.
    SnmpInSetRequests = [1, 3, 6, 1, 2, 1, 11, 17, 0];
    /// snmpOutTooBigs: responses with the error-status tooBig.
    SnmpOutTooBigs = [1, 3, 6, 1, 2, 1, 11, 20, 0];
    /// snmpOutNoSuchNames: responses with the error-status noSuchName.
    SnmpOutNoSuchNames = [1, 3, 6, 1, 2, 1, 11, 21, 0];
    /// snmpOutBadValues: responses with the error-status badValue.
    SnmpOutBadValues = [1, 3, 6, 1, 2, 1, 11, 22, 0];
    /// snmpOutGenErrs: responses with the error-status genErr.
    SnmpOutGenErrs = [1, 3, 6, 1, 2, 1, 11, 24, 0];
    /// snmpInBadVersions: messages of an unsupported version.
    SnmpInBadVersions = [1, 3, 6, 1, 2, 1, 11, 3, 0];
    /// snmpInBadCommunityNames: messages with an unknown community.
    SnmpInBadCommunityNames = [1, 3, 6, 1, 2, 1, 11, 4, 0];
    /// snmpInBadCommunityUses: operations that the community does not allow.
    SnmpInBadCommunityUses = [1, 3, 6, 1, 2, 1, 11, 5, 0];
    /// snmpInASNParseErrs: messages that cannot be decoded.
    SnmpInAsnParseErrs = [1, 3, 6, 1, 2, 1, 11, 6, 0];
    /// snmpSilentDrops: requests whose smallest response would be too big.
    SnmpSilentDrops = [1, 3, 6, 1, 2, 1, 11, 31, 0];
    /// snmpProxyDrops: requests that could not be forwarded.
    SnmpProxyDrops = [1, 3, 6, 1, 2, 1, 11, 32, 0];
    /// snmpUnknownPDUHandlers: PDUs that no application takes.
    SnmpUnknownPduHandlers = [1, 3, 6, 1, 6, 3, 11, 2, 1, 3, 0];
    /// snmpUnknownContexts: requests for a context that does not exist.
    SnmpUnknownContexts = [1, 3, 6, 1, 6, 3, 12, 1, 5, 0];
    /// snmpUnknownSecurityModels: messages of a security model that is not supported.
    SnmpUnknownSecurityModels = [1, 3, 6, 1, 6, 3, 11, 2, 1, 1, 0];
    /// snmpInvalidMsgs: messages of SNMPv3 that contradict themselves.
    SnmpInvalidMsgs = [1, 3, 6, 1, 6, 3, 11, 2, 1, 2, 0];
    /// usmStatsUnsupportedSecLevels: messages of a security level that the user does not have.
    UsmStatsUnsupportedSecLevels = [1, 3, 6, 1, 6, 3, 15, 1, 1, 1, 0];
    /// usmStatsNotInTimeWindows: messages that are old, or were made by a wrong clock.
    UsmStatsNotInTimeWindows = [1, 3, 6, 1, 6, 3, 15, 1, 1, 2, 0];
    /// usmStatsUnknownUserNames: messages of an unknown user.
    UsmStatsUnknownUserNames = [1, 3, 6, 1, 6, 3, 15, 1, 1, 3, 0];
    /// usmStatsUnknownEngineIDs: messages for another engine, most of them to find out the name of this one.
    UsmStatsUnknownEngineIds = [1, 3, 6, 1, 6, 3, 15, 1, 1, 4, 0];
    /// usmStatsWrongDigests: messages with a wrong digest.
    UsmStatsWrongDigests = [1, 3, 6, 1, 6, 3, 15, 1, 1, 5, 0];
    /// usmStatsDecryptionErrors: messages that cannot be decrypted.
    UsmStatsDecryptionErrors = [1, 3, 6, 1, 6, 3, 15, 1, 1, 6, 0];
    /// snmpTsmInvalidCaches: messages of the transport security model by a transport that does not know the sender.
    SnmpTsmInvalidCaches = [1, 3, 6, 1, 2, 1, 190, 1, 1, 1, 0];
    /// snmpTsmInadequateSecurityLevels: messages that ask for more protection than their transport provides.
    SnmpTsmInadequateSecurityLevels = [1, 3, 6, 1, 2, 1, 190, 1, 1, 2, 0];
    /// snmpTsmUnknownPrefixes: messages by a transport that has no prefix for security names.
    SnmpTsmUnknownPrefixes = [1, 3, 6, 1, 2, 1, 190, 1, 1, 3, 0];
    /// snmpTsmInvalidPrefixes: messages in a security name without the prefix of their transport.
    SnmpTsmInvalidPrefixes = [1, 3, 6, 1, 2, 1, 190, 1, 1, 4, 0];
}

/// The counters of one engine; they can be read and raised from any thread.
#[derive(Debug)]
#[repr(align(64))]
pub struct Statistics {
    counters: [AtomicU64; COUNTERS],
}

impl Default for Statistics {
    fn default() -> Self {
        Self {
            counters: [const { AtomicU64::new(0) }; COUNTERS],
        }
    }
}

impl Statistics {
    /// The value of a counter since the engine started.
    #[must_use]
    pub fn value(&self, counter: Counter) -> u64 {
        self.place(counter).load(Ordering::Relaxed)
    }

    /// The value as a Counter32 has it.
    #[must_use]
    pub fn counter32(&self, counter: Counter) -> u32 {
        counter32(self.value(counter))
    }

    /// Raises a counter by one.
    pub fn count(&self, counter: Counter) {
        self.count_and_get(counter);
    }

    /// Counts a request that is answered and concerned so many variables, and the error-status of its response (RFC 1213
    /// section 6). A GetBulkRequest-PDU, which is younger than these counters, is neither of the others.
    pub(crate) fn count_request(&self, pdu_type: PduType, variables: u64, status: ErrorStatus) {
        let is_set = pdu_type == PduType::SetRequest;
        match pdu_type {
            PduType::GetRequest => self.count(Counter::SnmpInGetRequests),
            PduType::GetNextRequest => self.count(Counter::SnmpInGetNexts),
            PduType::SetRequest => self.count(Counter::SnmpInSetRequests),
            _ => {}
        }
        match status {
            ErrorStatus::NoError if is_set => self.add(Counter::SnmpInTotalSetVars, variables),
            ErrorStatus::NoError => self.add(Counter::SnmpInTotalReqVars, variables),
            ErrorStatus::TooBig => self.count(Counter::SnmpOutTooBigs),
            ErrorStatus::NoSuchName => self.count(Counter::SnmpOutNoSuchNames),
            ErrorStatus::BadValue => self.count(Counter::SnmpOutBadValues),
            ErrorStatus::GenErr => self.count(Counter::SnmpOutGenErrs),
            _ => {}
        }
    }

    fn add(&self, counter: Counter, number: u64) {
        self.place(counter).fetch_add(number, Ordering::Relaxed);
    }

    /// Increments a counter, and returns its new value as a Counter32.
    pub(crate) fn count_and_get(&self, counter: Counter) -> u32 {
        let before = self.place(counter).fetch_add(1, Ordering::Relaxed);
        counter32(before.wrapping_add(1))
    }
}

const fn counter32(value: u64) -> u32 {
    let [.., a, b, c, d] = value.to_be_bytes();
    u32::from_be_bytes([a, b, c, d])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_counter_has_its_own_place_and_its_own_instance() {
        let statistics = Statistics::default();
        for (at, counter) in Counter::ALL.into_iter().enumerate() {
            for _ in 0..=at {
                statistics.count(counter);
            }
        }
        for (at, counter) in Counter::ALL.into_iter().enumerate() {
            assert_eq!(statistics.value(counter), at as u64 + 1, "{counter:?}");
            let same = Counter::ALL
                .iter()
                .filter(|other| other.instance() == counter.instance());
            assert_eq!(same.count(), 1, "{counter:?}");
        }
    }
}
