//! Names with ranges, as Ansible has them: `web[01:20]`, `db[a:c]`, `edge[0:100:10]`.

/// How many names one text may stand for.
const LIMIT: usize = 1 << 20;

/// The names that a text stands for: one where it has no range.
pub(crate) fn expand(text: &str) -> Result<Vec<String>, String> {
    let mut names = vec![String::new()];
    let mut rest = text;
    while let Some((before, range, after)) = first_range(rest) {
        let values = range.values()?;
        if names.len().saturating_mul(values.len()) > LIMIT {
            return Err(format!("{text} stands for more than {LIMIT} names"));
        }
        let append = |name: &String| {
            let values = values.iter();
            let names = values.map(move |value| format!("{name}{before}{value}"));
            names.collect::<Vec<_>>()
        };
        names = names.iter().flat_map(append).collect();
        rest = after;
    }
    for name in &mut names {
        name.push_str(rest);
    }
    Ok(names)
}

struct Range<'t> {
    first: &'t str,
    last: &'t str,
    step: &'t str,
}

/// The text before the first range, the range, and the text behind it. Brackets around an IPv6 address are no range.
fn first_range(text: &str) -> Option<(&str, Range<'_>, &str)> {
    let mut from = 0;
    loop {
        let open = from + text.get(from..)?.find('[')?;
        let close = open + text.get(open..)?.find(']')?;
        let inside = text.get(open + 1..close)?;
        if let Some(range) = Range::read(inside) {
            return Some((text.get(..open)?, range, text.get(close + 1..)?));
        }
        from = close;
    }
}

impl<'t> Range<'t> {
    fn read(text: &'t str) -> Option<Self> {
        let mut parts = text.split(':');
        let (first, last) = (parts.next()?, parts.next()?);
        let step = parts.next().unwrap_or("1");
        let is_number = |text: &str| text.bytes().all(|octet| octet.is_ascii_digit());
        let is_letter =
            |text: &str| text.len() == 1 && text.bytes().all(|o| o.is_ascii_alphabetic());
        let is_range = is_number(first) && is_number(last) && !last.is_empty()
            || is_letter(first) && is_letter(last);
        let is_whole = parts.next().is_none() && is_number(step) && !step.is_empty();
        (is_range && is_whole).then_some(Self { first, last, step })
    }

    fn values(&self) -> Result<Vec<String>, String> {
        let Self { first, last, step } = self;
        let wrong =
            || format!("[{first}:{last}] is not a range: write the smaller end first, as [1:20]");
        let step: usize = step.parse().map_err(|_| wrong())?;
        if step == 0 {
            return Err(wrong());
        }
        if let ([a], [b]) = (first.as_bytes(), last.as_bytes())
            && a.is_ascii_alphabetic()
        {
            if a > b || a.is_ascii_lowercase() != b.is_ascii_lowercase() {
                return Err(wrong());
            }
            let letters = (*a..=*b).step_by(step);
            return Ok(letters
                .map(|letter| char::from(letter).to_string())
                .collect());
        }
        // Ansible counts from 0 where the first is missing.
        let from: usize = if first.is_empty() {
            0
        } else {
            first.parse().map_err(|_| wrong())?
        };
        let to: usize = last.parse().map_err(|_| wrong())?;
        if from > to {
            return Err(wrong());
        }
        if (to - from) / step >= LIMIT {
            return Err(format!(
                "[{first}:{last}] stands for more than {LIMIT} names"
            ));
        }
        let width = if first.starts_with('0') {
            first.len()
        } else {
            0
        };
        let numbers = (from..=to).step_by(step);
        Ok(numbers.map(|number| format!("{number:0width$}")).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_expanded_as_ansible_does() {
        for (text, names) in [
            ("web", "web"),
            ("web[1:3].net", "web1.net web2.net web3.net"),
            ("web[08:11]", "web08 web09 web10 web11"),
            ("db-[a:c]", "db-a db-b db-c"),
            ("x[0:10:5]", "x0 x5 x10"),
            ("r[1:2]p[a:b]", "r1pa r1pb r2pa r2pb"),
            ("[::1]", "[::1]"),
            ("[2001:db8::1]:161", "[2001:db8::1]:161"),
            ("a[b]c", "a[b]c"),
            ("open[1:2", "open[1:2"),
        ] {
            assert_eq!(expand(text).unwrap().join(" "), names, "{text}");
        }
    }

    #[test]
    fn ranges_that_end_before_they_begin_or_never_end_are_refused() {
        for wrong in [
            "x[3:1]",
            "x[c:a]",
            "x[a:C]",
            "x[1:9:0]",
            "x[0:9999999999]",
            "x[1:2000][1:2000]",
        ] {
            assert!(expand(wrong).is_err(), "{wrong}");
        }
    }
}
