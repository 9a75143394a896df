//! Exclusions of a view that never decide.

use super::view_tree::{ViewTree, ViewTreeFamily};

impl ViewTree {
    /// The families that exclude nothing: whatever they match and the view has is decided by an inclusion that comes before
    /// them. Each with that inclusion.
    ///
    /// Such a view shows what its author wanted to hide: RFC 3415 section 4 lets the longest subtree decide, not the
    /// exclusion.
    pub fn overruled_exclusions(&self) -> impl Iterator<Item = (&ViewTreeFamily, &ViewTreeFamily)> {
        let families = self.families();
        let exclusions = families.iter().enumerate();
        exclusions.filter_map(|(at, exclusion)| {
            if exclusion.included {
                return None;
            }
            let (before, behind) = families.split_at_checked(at)?;
            let mut inclusions = before.iter().filter(|family| family.included);
            if let Some(inclusion) = inclusions.clone().find(|family| family.covers(exclusion)) {
                return Some((exclusion, inclusion));
            }
            // Without it, what it matches would be in the view all the same.
            let mut behind = behind.iter().filter(|family| family.included);
            if behind.any(|family| family.overlaps(exclusion)) {
                return None;
            }
            let inclusion = inclusions.find(|family| family.overlaps(exclusion))?;
            Some((exclusion, inclusion))
        })
    }
}

impl ViewTreeFamily {
    /// The sub-identifier that a name needs there to match.
    fn required(&self, at: usize) -> Option<u32> {
        let is_significant = self.mask.is_significant(at);
        self.subtree
            .arcs()
            .get(at)
            .copied()
            .filter(|_| is_significant)
    }

    /// Whether some name matches both.
    fn overlaps(&self, other: &Self) -> bool {
        let length = self.subtree.arcs().len().min(other.subtree.arcs().len());
        (0..length).all(|at| match (self.required(at), other.required(at)) {
            (Some(own), Some(of_other)) => own == of_other,
            _ => true,
        })
    }

    /// Whether each name that matches the other one and is long enough matches this one.
    fn covers(&self, other: &Self) -> bool {
        (0..self.subtree.arcs().len()).all(|at| {
            self.required(at)
                .is_none_or(|own| other.required(at) == Some(own))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overruled(include: &[&str], exclude: &[&str]) -> Vec<(String, String)> {
        let family = |text: &&str, included| {
            let (subtree, mask) = text.split_once('/').unwrap_or((text, ""));
            ViewTreeFamily {
                subtree: subtree.parse().unwrap(),
                mask: mask.parse().unwrap(),
                included,
            }
        };
        let included = include.iter().map(|text| family(text, true));
        let excluded = exclude.iter().map(|text| family(text, false));
        let view = ViewTree::new(included.chain(excluded).collect());
        let name = |family: &ViewTreeFamily| family.subtree.to_string();
        let overruled = view.overruled_exclusions();
        overruled
            .map(|(one, other)| (name(one), name(other)))
            .collect()
    }

    #[test]
    fn an_exclusion_shorter_than_the_only_inclusion_is_overruled() {
        assert_eq!(
            overruled(&["1.3.6.1.2.1.2.2.1.0.2/ff:a0"], &["1.3.6.1.2.1.2.2.1.6"]),
            [(
                "1.3.6.1.2.1.2.2.1.6".to_owned(),
                "1.3.6.1.2.1.2.2.1.0.2".to_owned()
            )]
        );
        assert_eq!(
            overruled(&["1.3.6", "1.3.6.1.0/f0"], &["1.3.6.1"]),
            [("1.3.6.1".to_owned(), "1.3.6.1.0".to_owned())]
        );
    }

    #[test]
    fn an_exclusion_that_decides_on_some_name_is_not_overruled() {
        for (include, exclude) in [
            (
                &["1.3.6.1.2.1.2.2.1.0.2/ff:a0"][..],
                "1.3.6.1.2.1.2.2.1.6.2",
            ),
            (&["1.3.6.1"], "1.3.6.1.6.3"),
            // Row 2 is shown all the same, the other rows are not.
            (
                &["1.3", "1.3.6.1.2.1.2.2.1.0.2/ff:a0"],
                "1.3.6.1.2.1.2.2.1.6",
            ),
            // It hides what is not there.
            (&["1.3.6.1.2.1.1"], "1.3.6.1.6.3"),
        ] {
            assert_eq!(overruled(include, &[exclude]), [], "{include:?} {exclude}");
        }
    }
}
