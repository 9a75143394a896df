//! /proc/net/snmp, snmp6 and dev_snmp6: the counters of IP, ICMP, TCP and UDP.

use std::collections::HashMap;

/// Counters by protocol and name, as the kernel has them: `Ip` and `InReceives`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ProtocolCounters(HashMap<(String, String), i64>);

impl ProtocolCounters {
    /// Of /proc/net/snmp or netstat: a line of names, then one of numbers, for each protocol.
    pub(crate) fn parse(text: &str) -> Self {
        let mut counters = HashMap::new();
        let mut lines = text.lines();
        while let (Some(names), Some(numbers)) = (lines.next(), lines.next()) {
            let (Some((protocol, names)), Some((other, numbers))) =
                (names.split_once(':'), numbers.split_once(':'))
            else {
                continue;
            };
            if protocol != other {
                continue;
            }
            let numbers = numbers.split_ascii_whitespace();
            for (name, number) in names.split_ascii_whitespace().zip(numbers) {
                // The kernel prints counters beyond 2^63 as they are.
                let number = number
                    .parse()
                    .or_else(|_| number.parse().map(u64::cast_signed));
                if let Ok(number) = number {
                    counters.insert((protocol.to_owned(), name.to_owned()), number);
                }
            }
        }
        Self(counters)
    }

    /// A counter, or another number that may be negative.
    pub(crate) fn number(&self, protocol: &str, name: &str) -> Option<i64> {
        // Few hundred lookups a reading.
        self.0.get(&(protocol.to_owned(), name.to_owned())).copied()
    }

    pub(crate) fn counter(&self, protocol: &str, name: &str) -> Option<u64> {
        self.number(protocol, name).map(i64::cast_unsigned)
    }
}

/// Of /proc/net/snmp6 or dev_snmp6/NAME: a name and a number in each line.
pub(crate) fn parse_ipv6_counters(text: &str) -> HashMap<String, u64> {
    let parse = |line: &str| {
        let mut fields = line.split_ascii_whitespace();
        Some((fields.next()?.to_owned(), fields.next()?.parse().ok()?))
    };
    text.lines().filter_map(parse).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_found_by_protocol_and_name() {
        let text = "Ip: Forwarding DefaultTTL InReceives\nIp: 2 64 18446744073709551615\nTcp: MaxConn\nTcp: -1\nodd\n";
        let found = ProtocolCounters::parse(text);
        assert_eq!(found.number("Ip", "DefaultTTL"), Some(64));
        assert_eq!(found.counter("Ip", "InReceives"), Some(u64::MAX));
        assert_eq!(found.number("Tcp", "MaxConn"), Some(-1));
        assert_eq!(found.number("Udp", "InDatagrams"), None);
        for odd in [
            "",
            "Ip:",
            "Ip: A\nTcp: 1\n",
            "Ip A\nIp 1\n",
            "Ip: A B\nIp: x\n",
        ] {
            assert_eq!(ProtocolCounters::parse(odd).0.len(), 0, "{odd}");
        }
    }

    #[test]
    fn counters_of_ipv6_are_a_line_each() {
        let found = parse_ipv6_counters("Ip6InReceives   \t7\nifIndex 2\nbroken\nx y\n");
        assert_eq!(found.get("Ip6InReceives"), Some(&7));
        assert_eq!(found.len(), 2);
    }
}
