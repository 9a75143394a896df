//! Networks that peers have authenticated from.

use std::collections::{BTreeMap, HashMap};

use super::SourceGroup;

/// Groups that are remembered; those of the latest handshakes.
const MOST: usize = 4096;

/// Groups of sources from which peers have authenticated by handshakes.
#[derive(Debug, Default)]
pub(super) struct KnownGroups {
    last: HashMap<SourceGroup, u64>,
    by_age: BTreeMap<u64, SourceGroup>,
    next: u64,
}

impl KnownGroups {
    pub(super) fn contains(&self, group: SourceGroup) -> bool {
        self.last.contains_key(&group)
    }

    /// Takes note of a peer that has authenticated.
    pub(super) fn note(&mut self, group: SourceGroup) {
        if let Some(former) = self.last.insert(group, self.next) {
            self.by_age.remove(&former);
        }
        self.by_age.insert(self.next, group);
        self.next += 1;
        if self.last.len() > MOST
            && let Some((_, oldest)) = self.by_age.pop_first()
        {
            self.last.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::places::Source;

    #[test]
    fn the_groups_of_the_latest_handshakes_are_remembered() {
        let group = |number: usize| {
            let address = u32::try_from(number << 8).unwrap();
            Source::Address(std::net::IpAddr::V4(address.into())).group()
        };
        let mut known = KnownGroups::default();
        for number in 0..MOST {
            known.note(group(number));
        }
        known.note(group(0));
        known.note(group(MOST));
        assert!(known.contains(group(0)) && known.contains(group(MOST)));
        assert!(!known.contains(group(1)) && known.contains(group(2)));
        assert_eq!((known.last.len(), known.by_age.len()), (MOST, MOST));
    }
}
