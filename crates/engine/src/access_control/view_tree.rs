use std::cmp::Reverse;
use std::fmt;
use std::str::FromStr;

use varbind_codec::smi::{MAX_SUB_IDENTIFIERS, Oid, OidScratch};

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
    /// What all names that match begin with: the subtree up to the first sub-identifier that the mask frees.
    fn start(&self) -> &[u32] {
        let subtree = self.subtree.arcs();
        let freed = (0..subtree.len()).find(|&at| !self.mask.is_significant(at));
        freed.and_then(|at| subtree.get(..at)).unwrap_or(subtree)
    }

    /// The subtree, if the mask frees nothing of it.
    fn whole_subtree(&self) -> Option<&[u32]> {
        let subtree = self.subtree.arcs();
        (self.start().len() == subtree.len()).then_some(subtree)
    }

    fn matches(&self, name: &[u32]) -> bool {
        let subtree = self.subtree.arcs();
        if self.mask.is_all_ones() {
            // Most names differ there already, and a view may have many families.
            return match subtree.split_last() {
                Some((last, parent)) => {
                    name.get(parent.len()) == Some(last) && name.starts_with(parent)
                }
                None => true,
            };
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

    pub(super) fn is_significant(&self, at: usize) -> bool {
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

/// The text is not a mask.
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
    /// The least name that any family but the last one can match. Mostly the last one has everything, and decides on
    /// most names.
    details_start: Vec<u32>,
}

impl ViewTree {
    /// A view of these families; the order does not matter.
    #[must_use]
    pub fn new(mut families: Vec<ViewTreeFamily>) -> Self {
        // RFC 3415 4: the longest subtree decides, among equally long ones the lexicographically greatest.
        families
            .sort_by_key(|family| Reverse((family.subtree.arcs().len(), family.subtree.clone())));
        let details = families.iter().rev().skip(1);
        let details_start = details.map(ViewTreeFamily::start).min();
        Self {
            details_start: details_start.unwrap_or_default().to_vec(),
            families,
        }
    }

    /// Whether the instance `name` is in the view (RFC 3415 section 3.2, step 5).
    #[must_use]
    pub fn includes(&self, name: &[u32]) -> bool {
        let has_no_details = name < self.details_start.as_slice();
        let first = self.families.len().saturating_sub(1);
        self.families
            .iter()
            .skip(if has_no_details { first } else { 0 })
            .find(|family| family.matches(name))
            .is_some_and(|family| family.included)
    }

    /// Whether a family names the instance `name` and excludes it; what no family names is neither in the view nor
    /// excluded by it.
    #[must_use]
    pub fn excludes(&self, name: &[u32]) -> bool {
        self.families
            .iter()
            .find(|family| family.matches(name))
            .is_some_and(|family| !family.included)
    }

    /// The families, in the order in which they decide.
    #[must_use]
    pub fn families(&self) -> &[ViewTreeFamily] {
        &self.families
    }

    /// Finds where a walk continues from `name`, which is not in the view: nothing between `name` and `last` is
    /// in the view, `last` included.
    ///
    /// It lets a walk pass all that is excluded without reading it, unless masks decide.
    pub fn pass(&self, name: &[u32], last: &mut OidScratch) {
        let excluded = self
            .families
            .iter()
            .find(|family| family.matches(name))
            .and_then(ViewTreeFamily::whole_subtree);
        let mut next_start: Option<&[u32]> = None;
        let mut goes_on_behind = false;
        for family in self.families.iter().filter(|family| family.included) {
            let start = family.start();
            if start > name {
                next_start = Some(next_start.map_or(start, |other| other.min(start)));
            } else if name.starts_with(start) {
                // It counts again where the longer subtree that excludes `name` ends.
                let is_shorter = |subtree: &[u32]| family.subtree.arcs().len() < subtree.len();
                if !excluded.is_some_and(is_shorter) {
                    return last.set(name);
                }
                goes_on_behind = true;
            }
        }
        let is_inside = |start: &[u32]| excluded.is_some_and(|subtree| start.starts_with(subtree));
        match (excluded, next_start) {
            (Some(subtree), start) if goes_on_behind && !start.is_some_and(is_inside) => {
                set_to_end_of(subtree, last);
            }
            (_, Some(start)) => set_to_before(start, last),
            (_, None) => set_to_end_of(&[], last),
        }
    }
}

/// The last name that can lie below `subtree`.
fn set_to_end_of(subtree: &[u32], last: &mut OidScratch) {
    last.set(subtree);
    last.extend(&[u32::MAX; MAX_SUB_IDENTIFIERS]);
}

/// The last name that can come before `start`.
fn set_to_before(start: &[u32], last: &mut OidScratch) {
    let Some((&arc, parent)) = start.split_last() else {
        return last.set(&[]);
    };
    last.set(parent);
    if let Some(before) = arc.checked_sub(1) {
        last.push(before);
        last.extend(&[u32::MAX; MAX_SUB_IDENTIFIERS]);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{ProptestConfig, Strategy, any, proptest};

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

    /// Where a walk continues behind `from`; names that end in the greatest sub-identifiers are cut behind the first.
    fn passed(view: &ViewTree, from: &str) -> String {
        let mut last = OidScratch::new();
        view.pass(name(from).arcs(), &mut last);
        let text: Vec<String> = last.arcs().iter().map(u32::to_string).collect();
        let text = text.join(".");
        match text.split_once(&format!(".{}", u32::MAX)) {
            Some((head, _)) => format!("{head}.*"),
            None => text,
        }
    }

    #[test]
    fn a_walk_passes_what_is_excluded_as_a_whole() {
        let view = ViewTree::new(vec![
            family("1.3.6.1", "", true),
            family("1.3.6.1.2.1.2", "", false),
            family("1.3.6.1.2.1.4", "", false),
            family("1.3.6.1.2.1.4.20", "", true),
            family("1.3.6.1.2.1.5", "fe", false),
        ]);
        assert_eq!(passed(&view, "1.3.6.1.2.1.2.2.1.1.1"), "1.3.6.1.2.1.2.*");
        assert_eq!(passed(&view, "1.3.6.1.2.1.4.1"), "1.3.6.1.2.1.4.19.*");
        assert_eq!(passed(&view, "1.3.6.1.2.1.4.21"), "1.3.6.1.2.1.4.*");
        assert_eq!(passed(&view, "1.3.6.1.2.1.5.7"), "1.3.6.1.2.1.5.*");
        assert_eq!(passed(&view, "1.3.5"), "1.3.6.0.*");
    }

    #[test]
    fn a_walk_passes_what_no_family_includes() {
        let view = ViewTree::new(vec![
            family("1.3.6.1.2.1.1", "", true),
            family("1.3.6.1.2.1.31.0", "", true),
        ]);
        assert_eq!(passed(&view, "0.0"), "1.3.6.1.2.1.0.*");
        assert_eq!(passed(&view, "1.3.6.1.2.1.2.1.0"), "1.3.6.1.2.1.31");
        let mut last = OidScratch::new();
        view.pass(name("1.3.6.1.2.1.31.1.0").arcs(), &mut last);
        assert_eq!(last.arcs(), [u32::MAX; MAX_SUB_IDENTIFIERS]);
    }

    #[test]
    fn a_walk_reads_what_a_mask_decides() {
        let view = ViewTree::new(vec![
            family("1.3.6.1.2.1.1", "", true),
            family("1.3.6.1.2.1.2.2.1.0.2", "ff:a0", true),
        ]);
        let cell = "1.3.6.1.2.1.2.2.1.10.1";
        assert_eq!(passed(&view, cell), cell);
        assert_eq!(passed(&view, "1.3.6.1.2.1.2.1.0"), "1.3.6.1.2.1.2.2.0.*");
    }

    #[test]
    fn a_view_of_everything_but_a_few_subtrees_has_the_rest() {
        let view = ViewTree::new(vec![
            family("1.3", "", true),
            family("1.3.6.1.6.3.15.1.2", "", false),
            family("1.3.6.1.6.3.16.1", "", false),
            family("1.3.6.1.6.3.18.1.0.1", "ff:7f", false),
        ]);
        for (text, is_included) in [
            ("1.3.6.1.2.1.1.1.0", true),
            ("1.3.6.1.6.3.15.1.1.1.0", true),
            ("1.3.6.1.6.3.15.1.2.1.0", false),
            ("1.3.6.1.6.3.16.1", false),
            ("1.3.6.1.6.3.18.1.7.1.2", false),
            ("1.3.6.1.6.3.18.1.7.2", true),
            ("1.3", true),
            ("1.2.840", false),
        ] {
            assert_eq!(view.includes(name(text).arcs()), is_included, "{text}");
        }
        assert!(!ViewTree::default().includes(name("1.3").arcs()));
        let pair = ViewTree::new(vec![
            family("1.3.6.1.2.1", "", true),
            family("1.3.6.1.4.1", "", true),
        ]);
        assert!(pair.includes(name("1.3.6.1.2.1.1").arcs()));
        assert!(pair.includes(name("1.3.6.1.4.1.1").arcs()));
    }

    fn any_arcs(most: usize) -> impl Strategy<Value = Vec<u32>> {
        proptest::collection::vec(0..3_u32, 1..most).prop_map(|arcs| [&[1], &*arcs].concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// RFC 3415 4, word by word: of all families that match, the one with the longest subtree, then the greatest.
        #[test]
        fn any_view_decides_as_the_standard_says(
            families in proptest::collection::vec(
                (any_arcs(4), proptest::collection::vec(any::<u8>(), 0..2), any::<bool>()),
                0..8,
            ),
            names in proptest::collection::vec(any_arcs(6), 20),
        ) {
            let families: Vec<_> = families
                .into_iter()
                .map(|(subtree, mask, included)| ViewTreeFamily {
                    subtree: Oid::new(&subtree).unwrap(),
                    mask: ViewMask::new(mask),
                    included,
                })
                .collect();
            let view = ViewTree::new(families.clone());
            for name in names {
                let matching = families.iter().filter(|family| {
                    let subtree = family.subtree.arcs();
                    let bit = |at: usize| family.mask.octets().get(at / 8).map_or(1, |octet| octet >> (7 - at % 8) & 1);
                    subtree.len() <= name.len()
                        && (0..subtree.len()).all(|at| bit(at) == 0 || subtree[at] == name[at])
                });
                let key = |family: &&ViewTreeFamily| (family.subtree.arcs().len(), family.subtree.clone());
                let best = matching.clone().map(|family| key(&family)).max();
                let mut deciding = matching.filter(|family| Some(key(family)) == best);
                // Of two with the same subtree, which are no table, either may decide.
                let expected = deciding.clone().any(|family| family.included);
                let is_certain = deciding.all(|family| family.included == expected);
                if is_certain {
                    assert_eq!(view.includes(&name), expected, "{name:?} {families:?}");
                }
            }
        }
    }

    #[test]
    fn masks_are_octets_in_hexadecimal() {
        assert_eq!("ff:a0".parse::<ViewMask>().unwrap().octets(), [0xff, 0xa0]);
        assert_eq!("".parse::<ViewMask>().unwrap().octets(), []);
        assert!("f".parse::<ViewMask>().is_err());
        assert!("fg".parse::<ViewMask>().is_err());
    }
}
