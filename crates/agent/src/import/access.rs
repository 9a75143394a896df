//! Who may do what: communities, users and the tables of VACM.

use std::net::IpAddr;

use varbind_codec::smi::Oid;
use varbind_mib::Mib;

use super::Outcome;
use super::directives::Directive;
use super::document::{
    Community, Draft, GroupAccess, Key, UserAccess, UserGroup, View, origin, quoted,
};

const EVERYWHERE: [&str; 2] = ["0.0.0.0/0", "::/0"];
const THIS_HOST: [&str; 2] = ["127.0.0.0/8", "::1"];
/// The views that exist by themselves.
const BUILT_IN: [&str; 2] = ["all", "everything"];

fn noted(message: impl Into<String>) -> Outcome {
    Outcome::Noted(message.into())
}

/// rocommunity and rwcommunity, and both with a 6 for IPv6: NAME [SOURCE [OID | -V VIEW [CONTEXT]]].
pub(super) fn community(draft: &mut Draft, directive: &Directive, keeps_open: bool) -> Outcome {
    let mut words = directive.words.iter().map(String::as_str);
    let Some(name) = words.next() else {
        return noted("no community is named");
    };
    let source = words.next().unwrap_or("default");
    let (view, context) = match view_of(draft, &mut words) {
        Ok(found) => found,
        Err(message) => return noted(message),
    };
    if context.is_some() {
        return noted("contexts are not served: write a [[community]] without one");
    }
    let is_ipv6 = directive.keyword.ends_with('6');
    let (sources, note) = match sources(source, is_ipv6, keeps_open) {
        Ok(found) => found,
        Err(message) => return noted(message),
    };
    draft.communities.push(Community {
        origin: origin(directive),
        name: name.to_owned(),
        is_writing: Some(directive.keyword.starts_with("rw")),
        security_name: None,
        view,
        sources,
    });
    draft.restricts_communities |= note.is_some();
    note.map_or(Outcome::Carried, Outcome::Noted)
}

/// A view behind -V, or the subtree that stands in its place.
fn view_of<'a>(
    draft: &mut Draft,
    words: &mut impl Iterator<Item = &'a str>,
) -> Result<(Option<String>, Option<String>), String> {
    let view = match words.next() {
        None => None,
        Some("-V") => {
            let name = words.next().ok_or("-V needs the name of a view")?;
            let name = own_view_name(name);
            draft.named_views.insert(name.clone());
            Some(name)
        }
        Some(subtree) => {
            let subtree = numbers(subtree)?;
            let name = format!("below {subtree}");
            let view = View {
                include: vec![subtree],
                ..View::default()
            };
            draft.views.insert(name.clone(), view);
            Some(name)
        }
    };
    let context = words.next().filter(|context| !context.is_empty());
    Ok((view, context.map(str::to_owned)))
}

/// Views called as those that exist already get another name.
fn own_view_name(name: &str) -> String {
    if BUILT_IN.contains(&name) {
        format!("snmpd-{name}")
    } else {
        name.to_owned()
    }
}

/// The networks from which a community may be used, and what is to be told of them.
fn sources(
    source: &str,
    is_ipv6: bool,
    keeps_open: bool,
) -> Result<(Vec<String>, Option<String>), String> {
    let owned = |texts: [&str; 2]| texts.map(str::to_owned).to_vec();
    if source.eq_ignore_ascii_case("default") || source == "0.0.0.0/0" || source == "::/0" {
        if keeps_open {
            let [v4, v6] = EVERYWHERE;
            let one = if is_ipv6 { v6 } else { v4 };
            return Ok((vec![one.to_owned()], None));
        }
        let message = "snmpd accepts it from every address; here it is for this host only. Write the networks of your \
            managers into sources, or import with --keep-open";
        return Ok((owned(THIS_HOST), Some(message.to_owned())));
    }
    if source.eq_ignore_ascii_case("localhost") {
        return Ok((owned(THIS_HOST), None));
    }
    let (address, mask) = match source.split_once('/') {
        Some((address, mask)) => (address, Some(mask)),
        None => (source, None),
    };
    let unknown = || {
        format!(
            "{source}: only addresses and networks are taken: write that of the host into sources"
        )
    };
    let address: IpAddr = address.parse().map_err(|_| unknown())?;
    let length = match mask {
        None => return Ok((vec![address.to_string()], None)),
        Some(mask) => match mask.parse::<IpAddr>() {
            Ok(IpAddr::V4(mask))
                if mask.to_bits().leading_ones() == mask.to_bits().count_ones() =>
            {
                mask.to_bits().count_ones()
            }
            Ok(_) => return Err(unknown()),
            Err(_) => mask.parse().map_err(|_| unknown())?,
        },
    };
    Ok((vec![format!("{address}/{length}")], None))
}

/// rouser and rwuser: [-s MODEL] NAME [LEVEL [OID | -V VIEW [CONTEXT]]].
pub(super) fn user(draft: &mut Draft, directive: &Directive) -> Outcome {
    let mut words = directive.words.iter().map(String::as_str).peekable();
    let mut model = "usm";
    if words.next_if_eq(&"-s").is_some() {
        model = words.next().unwrap_or_default();
    }
    let Some(name) = words.next() else {
        return noted("no user is named");
    };
    let Some(level) = level(words.next().unwrap_or("auth")) else {
        return noted("expected noauth, auth or priv");
    };
    let (view, context) = match view_of(draft, &mut words) {
        Ok(found) => found,
        Err(message) => return noted(message),
    };
    if context.is_some() {
        return noted("contexts are not served: write access without one");
    }
    let is_writing = directive.keyword == "rwuser";
    match model {
        "usm" => {
            let user = draft.user(name);
            if user.is_in_group {
                return noted(format!(
                    "a group says already what {name} may do: remove one of both"
                ));
            }
            user.named_at = Some(directive.clone());
            user.access = Some(UserAccess {
                is_writing,
                level,
                view,
            });
            Outcome::Carried
        }
        "tsm" => {
            let access = if is_writing {
                "read-write"
            } else {
                "read-only"
            };
            let view = view.map_or(String::new(), |view| format!("view = {}\n", quoted(&view)));
            draft.tables.push(format!(
                "{}[[transport-user]]\nname = {}\naccess = \"{access}\"\n{view}",
                origin(directive),
                quoted(name)
            ));
            Outcome::Carried
        }
        other => noted(format!(
            "the security model {other} is not known here: usm and tsm are"
        )),
    }
}

fn level(word: &str) -> Option<&'static str> {
    match &*word.to_ascii_lowercase() {
        "noauth" | "noauthnopriv" => Some("no-auth-no-priv"),
        "auth" | "authnopriv" => Some("auth-no-priv"),
        "priv" | "authpriv" => Some("auth-priv"),
        _ => None,
    }
}

/// The names of protocols in createUser, without regard to case, and ours.
const AUTHENTICATION: [(&str, &str); 12] = [
    ("MD5", "MD5"),
    ("SHA", "SHA"),
    ("SHA1", "SHA"),
    ("SHA-1", "SHA"),
    ("SHA-224", "SHA-224"),
    ("SHA224", "SHA-224"),
    ("SHA-256", "SHA-256"),
    ("SHA256", "SHA-256"),
    ("SHA-384", "SHA-384"),
    ("SHA384", "SHA-384"),
    ("SHA-512", "SHA-512"),
    ("SHA512", "SHA-512"),
];
const PRIVACY: [(&str, &str); 8] = [
    ("DES", "DES"),
    ("AES", "AES"),
    ("AES128", "AES"),
    ("AES-128", "AES"),
    ("AES192", "AES-192"),
    ("AES-192", "AES-192"),
    ("AES256", "AES-256"),
    ("AES-256", "AES-256"),
];

fn protocol_of(names: &[(&str, &'static str)], word: &str) -> Option<&'static str> {
    let found = names
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(word));
    found.map(|(_, ours)| *ours)
}

/// A protocol and a password, each as far as it is named.
type Named<'a> = (Option<&'a str>, Option<&'a str>);

/// The keys for authentication and privacy. Without a password of its own, privacy has that of authentication.
pub(super) fn keys(
    authentication: Named<'_>,
    privacy: Named<'_>,
) -> Result<(Option<Key>, Option<Key>), String> {
    let key = |names: &[(&str, &'static str)], protocol: &str, password: &str, what: &str| {
        let protocol = protocol_of(names, protocol)
            .ok_or_else(|| format!("{protocol} is no {what} protocol"))?;
        if password.len() < 8 {
            return Err(format!(
                "the password for {what} is shorter than 8 octets: choose another one"
            ));
        }
        Ok(Key::password(protocol, password))
    };
    let of_authentication = match authentication {
        (None, _) => None,
        (Some(_), None) => return Err("the password is missing".to_owned()),
        (Some(protocol), Some(password)) => {
            Some(key(&AUTHENTICATION, protocol, password, "authentication")?)
        }
    };
    let of_privacy = match privacy {
        (None, _) => None,
        (Some(protocol), password) => {
            let password = password.or(authentication.1).unwrap_or_default();
            Some(key(&PRIVACY, protocol, password, "privacy")?)
        }
    };
    Ok((of_authentication, of_privacy))
}

/// createUser: [-e ENGINEID] NAME [PROTOCOL PASSWORD [PROTOCOL [PASSWORD]]].
pub(super) fn create_user(draft: &mut Draft, directive: &Directive) -> Outcome {
    let words: Vec<_> = directive.words.iter().map(String::as_str).collect();
    if words.iter().any(|word| matches!(*word, "-e" | "-m" | "-l")) {
        return noted(
            "options are not taken: write the user as [[user]], with a password or a localised key",
        );
    }
    let Some(name) = words.first() else {
        return noted("no user is named");
    };
    let word = |at: usize| words.get(at).copied();
    let keys = match keys((word(1), word(2)), (word(3), word(4))) {
        Ok(keys) => keys,
        Err(message) => return Outcome::Noted(message),
    };
    let user = draft.user(name);
    user.is_created = true;
    // What snmpd has made keys of counts: so it does there.
    if user.authentication.is_none() {
        (user.authentication, user.privacy) = keys;
    }
    Outcome::Carried
}

/// com2sec: [-Cn CONTEXT] NAME SOURCE COMMUNITY.
pub(super) fn com2sec(draft: &mut Draft, directive: &Directive, keeps_open: bool) -> Outcome {
    let words: Vec<_> = directive.words.iter().map(String::as_str).collect();
    // The default context has the empty name.
    let words = match &words[..] {
        ["-Cn", "", rest @ ..] => rest,
        all => all,
    };
    let [security_name, source, community] = *words else {
        return noted("expected NAME SOURCE COMMUNITY; contexts are not served");
    };
    let (sources, note) = match sources(source, directive.keyword.ends_with('6'), keeps_open) {
        Ok(found) => found,
        Err(message) => return noted(message),
    };
    draft.communities.push(Community {
        origin: origin(directive),
        name: community.to_owned(),
        is_writing: None,
        security_name: Some(security_name.to_owned()),
        view: None,
        sources,
    });
    draft.restricts_communities |= note.is_some();
    note.map_or(Outcome::Carried, Outcome::Noted)
}

fn model(word: &str) -> Option<&'static str> {
    match &*word.to_ascii_lowercase() {
        "v1" => Some("v1"),
        "v2c" | "v2" => Some("v2c"),
        "usm" | "v3" => Some("usm"),
        "tsm" => Some("tsm"),
        _ => None,
    }
}

/// group: NAME MODEL SECURITYNAME.
pub(super) fn group(draft: &mut Draft, directive: &Directive) -> Outcome {
    let words: Vec<_> = directive.words.iter().map(String::as_str).collect();
    let [name, model_word, member] = words[..] else {
        return noted("expected NAME MODEL SECURITYNAME");
    };
    let Some(model) = model(model_word) else {
        return noted(format!(
            "the security model {model_word} is not known here: v1, v2c, usm and tsm are"
        ));
    };
    if model == "usm" {
        let user = draft.user(member);
        if user.access.is_some() {
            return noted(format!(
                "rouser or rwuser says already what {member} may do: remove one of both"
            ));
        }
        user.is_in_group = true;
    }
    let table = format!(
        "{}[[group]]\nname = {}\nsecurity-model = \"{model}\"\nsecurity-names = [{}]\n",
        origin(directive),
        quoted(name),
        quoted(member)
    );
    if model == "usm" {
        draft.user_groups.push(UserGroup {
            group: name.to_owned(),
            member: member.to_owned(),
            directive: directive.clone(),
            table,
        });
    } else {
        draft.groups.insert(name.to_owned());
        draft.tables.push(table);
    }
    Outcome::Carried
}

/// view: NAME included|excluded OID [MASK].
pub(super) fn view(draft: &mut Draft, directive: &Directive) -> Outcome {
    let mut words = directive.words.iter().map(String::as_str);
    let (Some(name), Some(kind), Some(subtree)) = (words.next(), words.next(), words.next()) else {
        return noted("expected NAME included|excluded OID [MASK]");
    };
    let mut subtree = match numbers(subtree) {
        Ok(subtree) => subtree,
        Err(message) => return noted(message),
    };
    if let Some(mask) = words.next() {
        let digits: String = mask.trim_start_matches("0x").replace(['.', ':'], ":");
        subtree = format!("{subtree}/{digits}");
    }
    let is_included = match kind.to_ascii_lowercase().chars().next() {
        Some('i') => true,
        Some('e') => false,
        _ => return noted("expected included or excluded"),
    };
    let view = draft.views.entry(own_view_name(name)).or_default();
    if is_included {
        view.include.push(subtree);
    } else {
        view.exclude.push(subtree);
    }
    Outcome::Carried
}

/// access: GROUP CONTEXT MODEL LEVEL PREFIX READ WRITE NOTIFY.
pub(super) fn access(draft: &mut Draft, directive: &Directive) -> Outcome {
    let words: Vec<_> = directive.words.iter().map(String::as_str).collect();
    let [
        group,
        context,
        model_word,
        level_word,
        prefix,
        read,
        write,
        notify,
    ] = words[..]
    else {
        return noted("expected GROUP CONTEXT MODEL LEVEL PREFIX READ WRITE NOTIFY");
    };
    let Some(level) = level(level_word) else {
        return noted("expected the level noauth, auth or priv");
    };
    let mut table = format!(
        "{}[[access]]\ngroup = {}\n",
        origin(directive),
        quoted(group)
    );
    if !context.is_empty() {
        table.push_str(&format!("context = {}\n", quoted(context)));
        let is_prefix = prefix.eq_ignore_ascii_case("prefix");
        let kind = if is_prefix { "prefix" } else { "exact" };
        table.push_str(&format!("context-match = \"{kind}\"\n"));
    }
    match model(model_word) {
        Some(model) => table.push_str(&format!("security-model = \"{model}\"\n")),
        None if model_word.eq_ignore_ascii_case("any") => {}
        None => return noted(format!("the security model {model_word} is not known here")),
    }
    table.push_str(&format!("security-level = \"{level}\"\n"));
    for (key, view) in [("read", read), ("write", write), ("notify", notify)] {
        if view != "none" {
            draft.named_views.insert(own_view_name(view));
            table.push_str(&format!("{key} = {}\n", quoted(&own_view_name(view))));
        }
    }
    draft.access.push(GroupAccess {
        group: group.to_owned(),
        directive: directive.clone(),
        is_writing: write != "none",
        table,
    });
    Outcome::Carried
}

/// An object identifier in numbers. Names are those that configurations use, in any case, or those of built-in modules.
pub(super) fn numbers(written: &str) -> Result<String, String> {
    const NAMES: [(&str, &str); 18] = [
        ("iso", "1"),
        ("org", "1.3"),
        ("dod", "1.3.6"),
        ("internet", "1.3.6.1"),
        ("mgmt", "1.3.6.1.2"),
        ("mib-2", "1.3.6.1.2.1"),
        ("system", "1.3.6.1.2.1.1"),
        ("interfaces", "1.3.6.1.2.1.2"),
        ("ip", "1.3.6.1.2.1.4"),
        ("icmp", "1.3.6.1.2.1.5"),
        ("tcp", "1.3.6.1.2.1.6"),
        ("udp", "1.3.6.1.2.1.7"),
        ("snmp", "1.3.6.1.2.1.11"),
        ("host", "1.3.6.1.2.1.25"),
        ("ifmib", "1.3.6.1.2.1.31"),
        ("private", "1.3.6.1.4"),
        ("enterprises", "1.3.6.1.4.1"),
        ("ucdavis", "1.3.6.1.4.1.2021"),
    ];
    let text = written.trim_start_matches('.');
    let text = text.split_once("::").map_or(text, |(_, name)| name);
    let (first, rest) = text.split_once('.').unwrap_or((text, ""));
    // `iso.3.6` and `iso.org.dod` alike: the last name counts.
    let mut numbers = match NAMES
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(first))
    {
        Some((_, numbers)) => (*numbers).to_owned(),
        None => first.to_owned(),
    };
    for part in rest.split('.').filter(|part| !part.is_empty()) {
        match NAMES
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(part))
        {
            Some((_, all)) => numbers = (*all).to_owned(),
            None => numbers = format!("{numbers}.{part}"),
        }
    }
    let oid = numbers.parse::<Oid>();
    // What it is not, a module that is built in may tell.
    let oid = oid.or_else(|_| Mib::builtin().resolve(written));
    oid.map(|oid| oid.to_string())
        .map_err(|error| format!("{written}: {error}: write the object identifier in numbers"))
}
