/// What the names of the columns have in common, as `if` of `ifIndex` and `ifDescr`: it is left out of headings.
pub(super) fn common_prefix<'n>(row: &'n str, names: &[&'n str]) -> &'n str {
    let from_row = row.strip_suffix("Entry").unwrap_or_default();
    if !from_row.is_empty() && names.iter().all(|name| short(name, from_row) != *name) {
        return from_row;
    }
    let [first, rest @ ..] = names else {
        return "";
    };
    let mut prefix = *first;
    for name in rest {
        while !name.starts_with(prefix) {
            prefix = prefix.get(..prefix.len() - 1).unwrap_or_default();
        }
    }
    // Names are not cut inside of a word.
    while !prefix.is_empty() && names.iter().any(|name| short(name, prefix) == *name) {
        prefix = prefix.get(..prefix.len() - 1).unwrap_or_default();
    }
    prefix
}

/// A name without the prefix, if what remains begins a word.
pub(super) fn short<'n>(name: &'n str, prefix: &str) -> &'n str {
    match name.strip_prefix(prefix) {
        Some(rest) if rest.starts_with(|c: char| c.is_ascii_uppercase()) => rest,
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prefix_ends_where_a_word_ends() {
        for (row, names, prefix) in [
            ("ifEntry", &["ifIndex", "ifDescr"][..], "if"),
            ("ifXEntry", &["ifName", "ifHCInOctets"], "if"),
            ("ifStackEntry", &["ifStackStatus"], "ifStack"),
            ("ipNetToMediaEntry", &["ipNetToMediaType"], "ipNetToMedia"),
            ("tcpConnEntry", &["tcpConnState", "tcpConnStart"], "tcpConn"),
            ("xEntry", &["fooState", "fooStart"], "foo"),
            ("xEntry", &["abc", "abd"], ""),
        ] {
            assert_eq!(common_prefix(row, names), prefix, "{row}");
        }
        assert_eq!(short("ifIndex", "if"), "Index");
        assert_eq!(short("iface", "if"), "iface");
    }
}
