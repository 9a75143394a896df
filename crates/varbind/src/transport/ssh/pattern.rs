//! Patterns of OpenSSH: `*`, `?`, and lists with negation (PATTERNS of ssh_config(5)).

/// Whether the text matches a pattern of `*`, which stands for any characters, and `?`, which stands for one.
/// The comparison ignores case.
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().flat_map(char::to_lowercase).collect();
    let text: Vec<char> = text.chars().flat_map(char::to_lowercase).collect();
    let (mut p, mut t) = (0, 0);
    // Where the last `*` stands, and what it has taken so far.
    let mut star = None;
    while t < text.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, t));
                p += 1;
            }
            Some('?') => (p, t) = (p + 1, t + 1),
            Some(character) if text.get(t) == Some(character) => (p, t) = (p + 1, t + 1),
            _ => match star {
                Some((at, taken)) => {
                    star = Some((at, taken + 1));
                    (p, t) = (at + 1, taken + 1);
                }
                None => return false,
            },
        }
    }
    pattern.get(p..).unwrap_or(&[]).iter().all(|c| *c == '*')
}

/// Whether a list has a pattern that matches, and none with `!` before it that does.
pub(crate) fn list_matches<'p>(list: impl IntoIterator<Item = &'p str>, text: &str) -> bool {
    let mut found = false;
    for pattern in list {
        match pattern.strip_prefix('!') {
            Some(negated) if matches(negated, text) => return false,
            Some(_) => {}
            None => found |= matches(pattern, text),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_those_of_openssh() {
        for (pattern, text, expected) in [
            ("*", "", true),
            ("*", "router1", true),
            ("", "", true),
            ("", "a", false),
            ("router?", "router1", true),
            ("router?", "router", false),
            ("router?", "router12", false),
            ("*.example.net", "a.b.example.net", true),
            ("*.example.net", "example.net", false),
            ("a*b*c", "aXXbYYbZc", true),
            ("a*b*c", "aXXbYYbZ", false),
            ("Router", "ROUTER", true),
            ("10.0.*.1", "10.0.7.1", true),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn a_negated_pattern_rules_out_what_others_match() {
        assert!(list_matches(["*.net", "!bad.net"], "good.net"));
        assert!(!list_matches(["*.net", "!bad.net"], "bad.net"));
        assert!(!list_matches(["!bad.net"], "good.net"));
    }

    #[test]
    fn many_stars_do_not_take_exponential_time() {
        assert!(!matches(&"a*".repeat(200), &"a".repeat(199)));
        assert!(!matches(
            &format!("{}b", "a*".repeat(100)),
            &"a".repeat(5000)
        ));
    }
}
