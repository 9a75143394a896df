//! Options of Net-SNMP's commands (snmpcmd(1)) that directives take: trapsess and proxy.

use super::access;
use super::document::Draft;

/// Options, each with its argument, and the words that are none.
#[derive(Default)]
pub(super) struct SessionOptions<'a> {
    pub(super) version: Option<&'a str>,
    pub(super) community: Option<&'a str>,
    user: Option<&'a str>,
    authentication: (Option<&'a str>, Option<&'a str>),
    privacy: (Option<&'a str>, Option<&'a str>),
    /// -n: the context at the target.
    pub(super) context: Option<&'a str>,
    /// -Cn of proxy: the context of this agent that is forwarded.
    pub(super) forwarded_context: Option<&'a str>,
    /// -Ci of trapsess.
    pub(super) is_inform: bool,
    pub(super) words: Vec<&'a str>,
}

impl<'a> SessionOptions<'a> {
    /// `own` are the options that the directive has beside those of all. `advice` says what to write in place of any other.
    pub(super) fn parse(words: &'a [String], own: &[&str], advice: &str) -> Result<Self, String> {
        let mut options = Self::default();
        let mut words = words.iter().map(String::as_str);
        while let Some(word) = words.next() {
            let Some((letter, rest)) = option(word) else {
                options.words.push(word);
                continue;
            };
            let argument = match rest {
                "" => words.next().unwrap_or_default(),
                rest => rest,
            };
            let is_own = |option: &str| own.contains(&option);
            let place = match (letter, argument) {
                ('v', _) => &mut options.version,
                ('c', _) => &mut options.community,
                ('u', _) => &mut options.user,
                ('a', _) => &mut options.authentication.0,
                ('A', _) => &mut options.authentication.1,
                ('x', _) => &mut options.privacy.0,
                ('X', _) => &mut options.privacy.1,
                ('n', _) if is_own("-n") => &mut options.context,
                ('C', "n") if is_own("-Cn") => {
                    options.forwarded_context = words.next();
                    continue;
                }
                ('C', "i") if is_own("-Ci") => {
                    options.is_inform = true;
                    continue;
                }
                // The level follows from the keys; the engine is found; the rest adapts itself.
                ('l' | 'e' | 'r' | 't', _) => continue,
                _ => return Err(format!("-{letter} is not carried over: {advice}")),
            };
            *place = Some(argument);
        }
        Ok(options)
    }

    /// The user at the target, who is made with the keys of the line, but may do nothing here.
    pub(super) fn user(&self, draft: &mut Draft, needs_password: bool) -> Result<&'a str, String> {
        let name = self.user.ok_or("-u is missing, the user")?;
        let keys = access::keys(self.authentication, self.privacy)?;
        let user = draft.user(name);
        if !user.is_created {
            user.is_created = true;
            (user.authentication, user.privacy) = keys;
        }
        let key = user.authentication.as_ref();
        if needs_password && key.is_some_and(|key| key.is_localized) {
            return Err(format!(
                "the key that snmpd keeps for {name} is good for this agent alone, not for the target: write the user with a \
                 password"
            ));
        }
        Ok(name)
    }
}

/// The letter of an option, and what stands behind it in the same word.
fn option(word: &str) -> Option<(char, &str)> {
    let mut characters = word.strip_prefix('-')?.chars();
    Some((characters.next()?, characters.as_str()))
}
