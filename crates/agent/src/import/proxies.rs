//! Other agents that snmpd asks: proxy.

use super::Outcome;
use super::access::numbers;
use super::directives::Directive;
use super::document::{Draft, origin, quoted};
use super::session_options::SessionOptions;
use super::translate::address;

const PROXY: &str = "write the target as [[proxy]]";
/// What stands above all objects.
const EVERYTHING: [&str; 2] = ["1", "1.3"];

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
    let options = SessionOptions::parse(&directive.words, &["-Cn", "-n"], PROXY)?;
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
    let scope = match (options.forwarded_context, is_everything) {
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

fn credentials(draft: &mut Draft, options: &SessionOptions<'_>) -> Result<String, String> {
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
        "3" => {
            let user = quoted(options.user(draft, true)?);
            let mut text = format!("version = \"v3\"\nuser = {user}\n");
            if let Some(context) = options.context {
                text += &format!("target-context = {}\n", quoted(context));
            }
            Ok(text)
        }
        other => Err(format!("{other} is not a version")),
    }
}
