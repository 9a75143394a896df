//! Counters of the engine (RFC 3418, RFC 3412, RFC 3413, RFC 3414, RFC 5591).

use std::sync::atomic::{AtomicU64, Ordering};

/// The counters, by the names of their objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counter {
    /// snmpInPkts: messages delivered by the transports.
    SnmpInPkts,
    /// snmpInBadVersions: messages of an unsupported version.
    SnmpInBadVersions,
    /// snmpInBadCommunityNames: messages with an unknown community.
    SnmpInBadCommunityNames,
    /// snmpInBadCommunityUses: operations that the community does not allow.
    SnmpInBadCommunityUses,
    /// snmpInASNParseErrs: messages that cannot be decoded.
    SnmpInAsnParseErrs,
    /// snmpSilentDrops: requests whose smallest response would be too big.
    SnmpSilentDrops,
    /// snmpProxyDrops: requests that could not be forwarded.
    SnmpProxyDrops,
    /// snmpUnknownPDUHandlers: PDUs that no application takes.
    SnmpUnknownPduHandlers,
    /// snmpUnknownContexts: requests for a context that does not exist.
    SnmpUnknownContexts,
    /// snmpUnknownSecurityModels: messages of a security model that is not supported.
    SnmpUnknownSecurityModels,
    /// snmpInvalidMsgs: messages of SNMPv3 that contradict themselves.
    SnmpInvalidMsgs,
    /// usmStatsUnsupportedSecLevels: messages of a security level that the user does not have.
    UsmStatsUnsupportedSecLevels,
    /// usmStatsNotInTimeWindows: messages that are old, or were made by a wrong clock.
    UsmStatsNotInTimeWindows,
    /// usmStatsUnknownUserNames: messages of an unknown user.
    UsmStatsUnknownUserNames,
    /// usmStatsUnknownEngineIDs: messages for another engine, most of them to find out the name of this one.
    UsmStatsUnknownEngineIds,
    /// usmStatsWrongDigests: messages with a wrong digest.
    UsmStatsWrongDigests,
    /// usmStatsDecryptionErrors: messages that cannot be decrypted.
    UsmStatsDecryptionErrors,
    /// snmpTsmInvalidCaches: messages of the transport security model by a transport that does not know the sender.
    SnmpTsmInvalidCaches,
    /// snmpTsmInadequateSecurityLevels: messages that ask for more protection than their transport provides.
    SnmpTsmInadequateSecurityLevels,
    /// snmpTsmUnknownPrefixes: messages by a transport that has no prefix for security names.
    SnmpTsmUnknownPrefixes,
    /// snmpTsmInvalidPrefixes: messages in a security name without the prefix of their transport.
    SnmpTsmInvalidPrefixes,
}

impl Counter {
    /// All of them.
    pub const ALL: [Self; COUNTERS] = [
        Self::SnmpInPkts,
        Self::SnmpInBadVersions,
        Self::SnmpInBadCommunityNames,
        Self::SnmpInBadCommunityUses,
        Self::SnmpInAsnParseErrs,
        Self::SnmpSilentDrops,
        Self::SnmpProxyDrops,
        Self::SnmpUnknownPduHandlers,
        Self::SnmpUnknownContexts,
        Self::SnmpUnknownSecurityModels,
        Self::SnmpInvalidMsgs,
        Self::UsmStatsUnsupportedSecLevels,
        Self::UsmStatsNotInTimeWindows,
        Self::UsmStatsUnknownUserNames,
        Self::UsmStatsUnknownEngineIds,
        Self::UsmStatsWrongDigests,
        Self::UsmStatsDecryptionErrors,
        Self::SnmpTsmInvalidCaches,
        Self::SnmpTsmInadequateSecurityLevels,
        Self::SnmpTsmUnknownPrefixes,
        Self::SnmpTsmInvalidPrefixes,
    ];

    /// The name of its instance, as a Report has it.
    #[must_use]
    pub const fn instance(self) -> &'static [u32] {
        match self {
            Self::SnmpInPkts => &[1, 3, 6, 1, 2, 1, 11, 1, 0],
            Self::SnmpInBadVersions => &[1, 3, 6, 1, 2, 1, 11, 3, 0],
            Self::SnmpInBadCommunityNames => &[1, 3, 6, 1, 2, 1, 11, 4, 0],
            Self::SnmpInBadCommunityUses => &[1, 3, 6, 1, 2, 1, 11, 5, 0],
            Self::SnmpInAsnParseErrs => &[1, 3, 6, 1, 2, 1, 11, 6, 0],
            Self::SnmpSilentDrops => &[1, 3, 6, 1, 2, 1, 11, 31, 0],
            Self::SnmpProxyDrops => &[1, 3, 6, 1, 2, 1, 11, 32, 0],
            Self::SnmpUnknownSecurityModels => &[1, 3, 6, 1, 6, 3, 11, 2, 1, 1, 0],
            Self::SnmpInvalidMsgs => &[1, 3, 6, 1, 6, 3, 11, 2, 1, 2, 0],
            Self::SnmpUnknownPduHandlers => &[1, 3, 6, 1, 6, 3, 11, 2, 1, 3, 0],
            Self::SnmpUnknownContexts => &[1, 3, 6, 1, 6, 3, 12, 1, 5, 0],
            Self::UsmStatsUnsupportedSecLevels => &[1, 3, 6, 1, 6, 3, 15, 1, 1, 1, 0],
            Self::UsmStatsNotInTimeWindows => &[1, 3, 6, 1, 6, 3, 15, 1, 1, 2, 0],
            Self::UsmStatsUnknownUserNames => &[1, 3, 6, 1, 6, 3, 15, 1, 1, 3, 0],
            Self::UsmStatsUnknownEngineIds => &[1, 3, 6, 1, 6, 3, 15, 1, 1, 4, 0],
            Self::UsmStatsWrongDigests => &[1, 3, 6, 1, 6, 3, 15, 1, 1, 5, 0],
            Self::UsmStatsDecryptionErrors => &[1, 3, 6, 1, 6, 3, 15, 1, 1, 6, 0],
            Self::SnmpTsmInvalidCaches => &[1, 3, 6, 1, 2, 1, 190, 1, 1, 1, 0],
            Self::SnmpTsmInadequateSecurityLevels => &[1, 3, 6, 1, 2, 1, 190, 1, 1, 2, 0],
            Self::SnmpTsmUnknownPrefixes => &[1, 3, 6, 1, 2, 1, 190, 1, 1, 3, 0],
            Self::SnmpTsmInvalidPrefixes => &[1, 3, 6, 1, 2, 1, 190, 1, 1, 4, 0],
        }
    }
}

const COUNTERS: usize = 21;

/// The counters of one engine; they can be read and raised from any thread.
#[derive(Debug, Default)]
pub struct Statistics {
    counters: [AtomicU64; COUNTERS],
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
        self.count_and_tell(counter);
    }

    /// Raises a counter by one, and tells its new value as a Counter32 has it.
    pub(crate) fn count_and_tell(&self, counter: Counter) -> u32 {
        let before = self.place(counter).fetch_add(1, Ordering::Relaxed);
        counter32(before.wrapping_add(1))
    }

    const fn place(&self, counter: Counter) -> &AtomicU64 {
        let [
            in_pkts,
            in_bad_versions,
            in_bad_community_names,
            in_bad_community_uses,
            in_asn_parse_errs,
            silent_drops,
            proxy_drops,
            unknown_pdu_handlers,
            unknown_contexts,
            unknown_security_models,
            invalid_msgs,
            unsupported_sec_levels,
            not_in_time_windows,
            unknown_user_names,
            unknown_engine_ids,
            wrong_digests,
            decryption_errors,
            tsm_invalid_caches,
            tsm_inadequate_security_levels,
            tsm_unknown_prefixes,
            tsm_invalid_prefixes,
        ] = &self.counters;
        match counter {
            Counter::SnmpInPkts => in_pkts,
            Counter::SnmpInBadVersions => in_bad_versions,
            Counter::SnmpInBadCommunityNames => in_bad_community_names,
            Counter::SnmpInBadCommunityUses => in_bad_community_uses,
            Counter::SnmpInAsnParseErrs => in_asn_parse_errs,
            Counter::SnmpSilentDrops => silent_drops,
            Counter::SnmpProxyDrops => proxy_drops,
            Counter::SnmpUnknownPduHandlers => unknown_pdu_handlers,
            Counter::SnmpUnknownContexts => unknown_contexts,
            Counter::SnmpUnknownSecurityModels => unknown_security_models,
            Counter::SnmpInvalidMsgs => invalid_msgs,
            Counter::UsmStatsUnsupportedSecLevels => unsupported_sec_levels,
            Counter::UsmStatsNotInTimeWindows => not_in_time_windows,
            Counter::UsmStatsUnknownUserNames => unknown_user_names,
            Counter::UsmStatsUnknownEngineIds => unknown_engine_ids,
            Counter::UsmStatsWrongDigests => wrong_digests,
            Counter::UsmStatsDecryptionErrors => decryption_errors,
            Counter::SnmpTsmInvalidCaches => tsm_invalid_caches,
            Counter::SnmpTsmInadequateSecurityLevels => tsm_inadequate_security_levels,
            Counter::SnmpTsmUnknownPrefixes => tsm_unknown_prefixes,
            Counter::SnmpTsmInvalidPrefixes => tsm_invalid_prefixes,
        }
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
