use std::cmp::Reverse;
use std::fmt;
use std::str::FromStr;

use varbind_codec::smi::Oid;

/// A row of vacmViewTreeFamilyTable (RFC 3415 section 4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewTreeFamily {
    /// vacmViewTreeFamilySubtree.
    pub subtree: Oid,
    /// vacmViewTreeFamilyMask.
    pub mask: ViewMask,
    /// vacmViewTreeFamilyType: whether what matches is in the view.
    pub included: bool,
}

impl ViewTreeFamily {
    fn matches(&self, name: &[u32]) -> bool {
        let subtree = self.subtree.arcs();
        if self.mask.is_all_ones() {
            return name.starts_with(subtree);
        }
        name.len() >= subtree.len()
            && subtree
                .iter()
                .zip(name)
                .enumerate()
                .all(|(at, (expected, found))| expected == found || !self.mask.is_significant(at))
    }
}

/// Which sub-identifiers of a family's subtree must match: one bit each, from the most significant bit of the first
/// octet on; bits that are missing are ones (RFC 3415 section 4).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ViewMask(Vec<u8>);

impl ViewMask {
    /// A mask of these octets.
    #[must_use]
    pub const fn new(octets: Vec<u8>) -> Self {
        Self(octets)
    }

    /// The octets.
    #[must_use]
    pub fn octets(&self) -> &[u8] {
        &self.0
    }

    fn is_all_ones(&self) -> bool {
        self.0.iter().all(|&octet| octet == 0xff)
    }

    fn is_significant(&self, at: usize) -> bool {
        self.0
            .get(at / 8)
            .is_none_or(|octet| octet & (0x80 >> (at % 8)) != 0)
    }
}

impl FromStr for ViewMask {
    type Err = ParseViewMaskError;

    /// Reads hexadecimal octets, as `ff:a0` or `ffa0`.
    fn from_str(text: &str) -> Result<Self, ParseViewMaskError> {
        let digits: Vec<u8> = text
            .chars()
            .filter(|character| !matches!(character, ':' | '.' | ' '))
            .map(|digit| {
                digit
                    .to_digit(16)
                    .and_then(|digit| u8::try_from(digit).ok())
            })
            .collect::<Option<_>>()
            .ok_or(ParseViewMaskError)?;
        let (pairs, rest) = digits.as_chunks::<2>();
        if !rest.is_empty() || pairs.len() > 16 {
            return Err(ParseViewMaskError);
        }
        Ok(Self(
            pairs.iter().map(|[high, low]| high << 4 | low).collect(),
        ))
    }
}

/// The text is no mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseViewMaskError;

impl fmt::Display for ParseViewMaskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected up to 16 octets in hexadecimal, as ff:a0")
    }
}

impl std::error::Error for ParseViewMaskError {}

/// A MIB view: the families of one view name.
#[derive(Clone, Debug, Default)]
pub struct ViewTree {
    /// Sorted so that the first match decides.
    families: Vec<ViewTreeFamily>,
}

impl ViewTree {
    /// A view of these families; the order does not matter.
    #[must_use]
    pub fn new(mut families: Vec<ViewTreeFamily>) -> Self {
        // RFC 3415 4: the longest subtree decides, among equally long ones the lexicographically greatest.
        families
            .sort_by_key(|family| Reverse((family.subtree.arcs().len(), family.subtree.clone())));
        Self { families }
    }

    /// Whether the instance `name` is in the view (RFC 3415 section 3.2, step 5).
    #[must_use]
    pub fn includes(&self, name: &[u32]) -> bool {
        self.families
            .iter()
            .find(|family| family.matches(name))
            .is_some_and(|family| family.included)
    }

    /// The families, in the order in which they decide.
    #[must_use]
    pub fn families(&self) -> &[ViewTreeFamily] {
        &self.families
    }

    /// The subtree that keeps `name` out of the view, if nothing below that subtree is in the view at all.
    ///
    /// It lets a walk pass a large excluded subtree without reading it.
    #[must_use]
    pub fn excluded_subtree(&self, name: &[u32]) -> Option<&Oid> {
        let excluding = self.families.iter().find(|family| family.matches(name))?;
        if excluding.included || !excluding.mask.is_all_ones() {
            return None;
        }
        // Something below the excluded subtree may be included again: then it must be read.
        let subtree = excluding.subtree.arcs();
        let is_pure = !self.families.iter().any(|family| {
            family.included
                && family.subtree.arcs().len() >= subtree.len()
                && (!family.mask.is_all_ones() || family.subtree.arcs().starts_with(subtree))
        });
        is_pure.then_some(&excluding.subtree)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn family(subtree: &str, mask: &str, included: bool) -> ViewTreeFamily {
        ViewTreeFamily {
            subtree: subtree.parse().unwrap(),
            mask: mask.parse().unwrap(),
            included,
        }
    }

    fn name(text: &str) -> Oid {
        text.parse().unwrap()
    }

    /// RFC 3415 4: the longest match decides.
    #[test]
    fn the_longest_subtree_decides() {
        let view = ViewTree::new(vec![
            family("1.3.6.1", "", true),
            family("1.3.6.1.6.3", "", false),
            family("1.3.6.1.6.3.1", "", true),
        ]);
        assert!(view.includes(name("1.3.6.1.2.1.1.1.0").arcs()));
        assert!(!view.includes(name("1.3.6.1.6.3.15").arcs()));
        assert!(view.includes(name("1.3.6.1.6.3.1.1").arcs()));
        assert!(!view.includes(name("1.3.6").arcs()));
        assert!(!view.includes(name("1.3.7").arcs()));
    }

    /// RFC 3415 4: ifEntry.*.2, all columns of interface 2.
    #[test]
    fn a_mask_frees_sub_identifiers() {
        let view = ViewTree::new(vec![family("1.3.6.1.2.1.2.2.1.0.2", "ff:a0", true)]);
        assert!(view.includes(name("1.3.6.1.2.1.2.2.1.10.2").arcs()));
        assert!(!view.includes(name("1.3.6.1.2.1.2.2.1.10.3").arcs()));
        assert!(!view.includes(name("1.3.6.1.2.1.2.2.1.10").arcs()));
    }

    #[test]
    fn among_equally_long_matches_the_greatest_decides() {
        let view = ViewTree::new(vec![
            family("1.3.6.1.2.1.2.2.1.0.2", "ff:a0", true),
            family("1.3.6.1.2.1.2.2.1.10.0", "ff:c0", false),
        ]);
        assert!(!view.includes(name("1.3.6.1.2.1.2.2.1.10.2").arcs()));
        assert!(view.includes(name("1.3.6.1.2.1.2.2.1.9.2").arcs()));
    }

    #[test]
    fn a_walk_skips_what_is_excluded_as_a_whole_only() {
        let view = ViewTree::new(vec![
            family("1.3.6.1", "", true),
            family("1.3.6.1.2.1.2", "", false),
            family("1.3.6.1.2.1.4", "", false),
            family("1.3.6.1.2.1.4.20", "", true),
        ]);
        assert_eq!(
            view.excluded_subtree(name("1.3.6.1.2.1.2.2.1.1.1").arcs()),
            Some(&name("1.3.6.1.2.1.2"))
        );
        assert_eq!(view.excluded_subtree(name("1.3.6.1.2.1.4.1").arcs()), None);
        assert_eq!(
            view.excluded_subtree(name("1.3.6.1.2.1.1.1.0").arcs()),
            None
        );
    }

    #[test]
    fn masks_are_octets_in_hexadecimal() {
        assert_eq!("ff:a0".parse::<ViewMask>().unwrap().octets(), [0xff, 0xa0]);
        assert_eq!("".parse::<ViewMask>().unwrap().octets(), []);
        assert!("f".parse::<ViewMask>().is_err());
        assert!("fg".parse::<ViewMask>().is_err());
    }
}
