//! Other agents that snmpd asks: proxy.

use super::Outcome;
use super::access::{self, numbers};
use super::directives::Directive;
use super::document::{Draft, origin, quoted};
use super::translate::address;

const PROXY: &str = "write the target as [[proxy]]";
/// What stands above all objects.
const EVERYTHING: [&str; 2] = ["1", "1.3"];

/// What snmpd.conf says of a target.
#[derive(Default)]
struct Options<'a> {
    context: Option<&'a str>,
    version: Option<&'a str>,
    community: Option<&'a str>,
    user: Option<&'a str>,
    authentication: (Option<&'a str>, Option<&'a str>),
    privacy: (Option<&'a str>, Option<&'a str>),
    /// The context at the target.
    target_context: Option<&'a str>,
    /// Host, OID, and the OID at the target.
    words: Vec<&'a str>,
}

impl<'a> Options<'a> {
    fn parse(words: &'a [String]) -> Result<Self, String> {
        let mut options = Self::default();
        let mut words = words.iter().map(String::as_str);
        while let Some(word) = words.next() {
            let Some((letter, rest)) = option(word) else {
                options.words.push(word);
                continue;
            };
            if word == "-Cn" {
                options.context = words.next();
                continue;
            }
            let argument = match rest {
                "" => words.next().unwrap_or_default(),
                rest => rest,
            };
            let place = match letter {
                'v' => &mut options.version,
                'c' => &mut options.community,
                'u' => &mut options.user,
                'a' => &mut options.authentication.0,
                'A' => &mut options.authentication.1,
                'x' => &mut options.privacy.0,
                'X' => &mut options.privacy.1,
                'n' => &mut options.target_context,
                // The level follows from the keys; the engine is found; the rest adapts itself.
                'l' | 'e' | 'r' | 't' => continue,
                _ => return Err(format!("-{letter} is not carried over: {PROXY}")),
            };
            *place = Some(argument);
        }
        Ok(options)
    }
}

/// The letter of an option, and what stands behind it in the same word.
fn option(word: &str) -> Option<(char, &str)> {
    let mut characters = word.strip_prefix('-')?.chars();
    Some((characters.next()?, characters.as_str()))
}

/// proxy: [-Cn CONTEXT] [OPTIONS OF SNMPGET] HOST OID [OID AT HOST].
pub(super) fn proxy(draft: &mut Draft, directive: &Directive) -> Outcome {
    match table(draft, directive) {
        Ok(table) => {
            draft.tables.push(table);
            Outcome::Carried
        }
        Err(message) => Outcome::Noted(message),
    }
}

fn table(draft: &mut Draft, directive: &Directive) -> Result<String, String> {
    let options = Options::parse(&directive.words)?;
    let (host, oid) = match options.words[..] {
        [host, oid] => (host, numbers(oid)?),
        [_, _, _] => {
            return Err(format!(
                "names are not changed on the way: {PROXY}, with the subtree that the target has"
            ));
        }
        _ => return Err("expected a host and an OID".to_owned()),
    };
    let address = address(host, "127.0.0.1", 161)?;
    let is_everything = EVERYTHING.contains(&&*oid);
    let scope = match (options.context, is_everything) {
        (Some(context), true) => format!("context = {}\n", quoted(context)),
        (None, false) => format!("subtree = {}\n", quoted(&oid)),
        (Some(_), false) => {
            return Err(format!(
                "a context is passed on as a whole: {PROXY} with `context`, and say by `view` which objects may be read"
            ));
        }
        (None, true) => {
            return Err(
                "the target would take the place of all objects of the agent: write [[proxy]] with `context = \"\"` if that is meant"
                    .to_owned(),
            );
        }
    };
    let credentials = credentials(draft, &options)?;
    // snmpd passes Sets on as well, from whoever may write there.
    Ok(format!(
        "{}[[proxy]]\ntarget = {}\n{credentials}{scope}access = \"read-write\"\n",
        origin(directive),
        quoted(&address)
    ))
}

fn credentials(draft: &mut Draft, options: &Options<'_>) -> Result<String, String> {
    let community = |version: &str| {
        let community = options.community.ok_or("-c is missing, the community")?;
        let community = quoted(community);
        Ok(format!(
            "version = \"{version}\"\ncommunity = {community}\n"
        ))
    };
    match options.version.unwrap_or("3") {
        "1" => community("v1"),
        "2c" | "2" => community("v2c"),
        "3" => user(draft, options),
        other => Err(format!("{other} is no version")),
    }
}

/// The user at the target, who is made with the keys of the line, but may do nothing here.
fn user(draft: &mut Draft, options: &Options<'_>) -> Result<String, String> {
    let name = options.user.ok_or("-u is missing, the user")?;
    let keys = access::keys(options.authentication, options.privacy)?;
    let user = draft.user(name);
    if !user.is_created {
        user.is_created = true;
        (user.authentication, user.privacy) = keys;
    }
    let key = user.authentication.as_ref();
    if key.is_some_and(|key| key.is_localized) {
        return Err(format!(
            "the key that snmpd keeps for {name} is good for this agent alone: write the user with a password"
        ));
    }
    let mut text = format!("version = \"v3\"\nuser = {}\n", quoted(name));
    if let Some(context) = options.target_context {
        text += &format!("target-context = {}\n", quoted(context));
    }
    Ok(text)
}
