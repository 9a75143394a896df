//! Selection of hosts: `@all`, `@routers`, `@routers:!lab`, `@routers:&site=berlin`, names and addresses.

use std::collections::HashSet;

use crate::error::Error;
use crate::host::Host;
use crate::resolve::{Inventory, usual_files};
use crate::suggestion::did_you_mean;

/// The group of all hosts.
const ALL: &str = "all";

/// Whether a text selects hosts of an inventory, and is not a plain name or address.
#[must_use]
pub fn is_selection(text: &str) -> bool {
    text.starts_with('@') || text.contains(',')
}

/// How a term changes the selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
    /// Keeps only the hosts of the term.
    Intersect,
    /// Removes the hosts of the term.
    Exclude,
}

/// One part of `@first:&second:!third`.
struct Term<'t> {
    operation: Operation,
    name: &'t str,
}

impl Inventory {
    /// The hosts that texts name, each once, in the order of the texts. Commas may be between them. A text without `@` is the name
    /// of a host or the address of one that the inventory does not have.
    ///
    /// # Errors
    /// If a name is unknown, or no host is left.
    pub fn select<T: AsRef<str>>(
        &self,
        texts: impl IntoIterator<Item = T>,
    ) -> Result<Vec<Host>, Error> {
        let mut selected = Vec::new();
        let mut seen = HashSet::new();
        for text in texts {
            for word in text.as_ref().split(',').filter(|word| !word.is_empty()) {
                let mut add = |host: Host| {
                    if seen.insert(host.name.clone()) {
                        selected.push(host);
                    }
                };
                match word.strip_prefix('@') {
                    Some(pattern) => {
                        let hosts = self.matching(word, pattern)?;
                        if hosts.is_empty() {
                            return Err(Error::NothingSelected(word.to_owned()));
                        }
                        hosts.into_iter().cloned().for_each(add);
                    }
                    None => add(self.named(word)?),
                }
            }
        }
        Ok(selected)
    }

    /// The host of a name, or at an address.
    fn named(&self, word: &str) -> Result<Host, Error> {
        if let Some(host) = self.host(word) {
            return Ok(host.clone());
        }
        let address = word.parse();
        let address = address.map_err(|error| Error::BadSelection {
            selection: word.to_owned(),
            problem: format!("{error}"),
        })?;
        Ok(Host::plain(word, address))
    }

    fn matching(&self, word: &str, pattern: &str) -> Result<Vec<&Host>, Error> {
        if !self.has_files() {
            return Err(Error::NoInventory {
                selection: word.to_owned(),
                wanted: usual_files().into_iter().next().unwrap_or_default(),
            });
        }
        let (first, terms) = terms(pattern);
        self.check(first)?;
        for term in &terms {
            self.check(term.name)?;
        }
        let is_meant = |host: &&Host| {
            has(host, first)
                && terms.iter().all(|term| match term.operation {
                    Operation::Intersect => has(host, term.name),
                    Operation::Exclude => !has(host, term.name),
                })
        };
        Ok(self.hosts().iter().filter(is_meant).collect())
    }

    fn check(&self, name: &str) -> Result<(), Error> {
        if name == ALL || self.host(name).is_some() || self.groups().any(|group| group == name) {
            return Ok(());
        }
        let hosts = self.hosts().iter().map(|host| host.name.as_str());
        let known = self.groups().chain(hosts).chain([ALL]);
        Err(Error::UnknownName {
            name: name.to_owned(),
            suggestion: did_you_mean(name, known),
        })
    }
}

fn has(host: &Host, name: &str) -> bool {
    name == ALL || host.name == name || host.groups.contains(name)
}

/// Splits at `:!` and `:&`: names have colons too.
fn terms(pattern: &str) -> (&str, Vec<Term<'_>>) {
    let next = |text: &str| text.find(":!").into_iter().chain(text.find(":&")).min();
    let end = next(pattern).unwrap_or(pattern.len());
    let (first, mut rest) = pattern.split_at_checked(end).unwrap_or((pattern, ""));
    let mut terms = Vec::new();
    while let Some(term) = rest.strip_prefix(':') {
        let operation = match term.starts_with('!') {
            true => Operation::Exclude,
            false => Operation::Intersect,
        };
        let term = term.get(1..).unwrap_or_default();
        let end = next(term).unwrap_or(term.len());
        let (name, behind) = term.split_at_checked(end).unwrap_or((term, ""));
        terms.push(Term { operation, name });
        rest = behind;
    }
    (first, terms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_split_where_an_operation_begins() {
        let (first, terms) = terms("10.0.0.1:161:!a:b:&site=x");
        assert_eq!(first, "10.0.0.1:161");
        let terms: Vec<_> = terms
            .iter()
            .map(|term| (term.operation, term.name))
            .collect();
        assert_eq!(
            terms,
            [
                (Operation::Exclude, "a:b"),
                (Operation::Intersect, "site=x")
            ]
        );
    }
}
