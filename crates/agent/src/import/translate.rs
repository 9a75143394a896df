//! The keywords of snmpd.conf.

use super::Outcome;
use super::access::{self, numbers};
use super::directives::Directive;
use super::document::{Draft, origin, quoted};
use super::notifications;
use super::proxies;

const AGENTX_TIMEOUT: &str =
    "each subagent says how long its answers may take; otherwise it is a second";
const PROGRAM: &str =
    "managers repair nothing: write a program that reports something as [[extend]]";
const NOT_SERVED: &str = "fileTable and logMatchTable are not served: write a program that reports the same as [[extend]]";
const INTERFACE: &str = "ifType and ifSpeed are those of the kernel: correct them where you poll, or give the interface an ifAlias";
const IGNORED_DISK: &str = "name the disk in `exclude-disks` of [host], which leaves it out of diskIOTable too, or let it be shown";
const AGENT_GROUP: &str = "the agent has the first group of its user: set `user` of [process]";
const MONITOR: &str = "write watched objects as [[monitor]]; each sends mteTriggerFired";
const COMPILED: &str = "programs cannot be loaded into the agent: write them as [[extend]]";

/// Directives whose meaning holds here without a word.
const NOT_NEEDED: [&str; 24] = [
    "agentxretries",
    "agentxpinginterval",
    "linkupdownnotifications",
    "skipnfsinhostresources",
    "dontlogtcpwrappersconnects",
    "leave_pidfile",
    "maxgetbulkrepeats",
    "maxgetbulkresponses",
    "interface_fadeout",
    "interface_replace_old",
    "storagenumusers",
    "storeetc",
    "quit",
    "disableperl",
    "iqueryversion",
    "iquerysecurityllevel",
    "doddebugging",
    "debugtokens",
    "logtimestamp",
    "sysobjecttimeout",
    "nsyslogfacility",
    "realstorageunits",
    "cachetime",
    "override_cachetime",
];

/// Directives that are not carried over, with what to do.
const NOT_CARRIED: [(&str, &str); 17] = [
    ("agentgroup", AGENT_GROUP),
    ("agentxtimeout", AGENTX_TIMEOUT),
    ("interface", INTERFACE),
    ("ignoredisk", IGNORED_DISK),
    ("execfix", PROGRAM),
    ("procfix", PROGRAM),
    ("extendfix", PROGRAM),
    ("file", NOT_SERVED),
    ("logmatch", NOT_SERVED),
    ("notificationevent", MONITOR),
    ("setevent", MONITOR),
    ("schedule", MONITOR),
    ("dlmod", COMPILED),
    ("perl", COMPILED),
    ("smuxpeer", COMPILED),
    ("smuxsocket", COMPILED),
    (
        "override",
        "write the value as [[scalar]], if no object of the agent has its name",
    ),
];

/// Takes a line of snmpd.conf.
pub(super) fn take(draft: &mut Draft, directive: &Directive, keeps_open: bool) -> Outcome {
    match &*directive.keyword {
        "agentaddress" => listen(draft, directive),
        "syslocation" => text(draft, directive, "location"),
        "syscontact" => text(draft, directive, "contact"),
        "sysname" => text(draft, directive, "name"),
        "sysdescr" => text(draft, directive, "description"),
        "sysservices" => services(draft, directive),
        "sysobjectid" => object_id(draft, directive),
        "rocommunity" | "rwcommunity" | "rocommunity6" | "rwcommunity6" => {
            access::community(draft, directive, keeps_open)
        }
        "rouser" | "rwuser" => access::user(draft, directive),
        "createuser" => access::create_user(draft, directive),
        "com2sec" | "com2sec6" => access::com2sec(draft, directive, keeps_open),
        "group" => access::group(draft, directive),
        "view" => access::view(draft, directive),
        "access" => access::access(draft, directive),
        "extend" | "extend-sh" | "exec" | "exec2" | "sh" | "sh2" => extend(draft, directive),
        "pass" => pass(draft, directive, "pass"),
        "pass_persist" => pass(draft, directive, "pass-persist"),
        "proc" => process(draft, directive),
        "disk" => disk(draft, directive),
        "includealldisks" => include_all_disks(draft, directive),
        "swap" => swap(directive),
        "agentuser" => agent_user(draft, directive),
        "load" => load(draft, directive),
        "trapcommunity" => {
            draft.trap_community = directive.words.first().cloned();
            Outcome::Carried
        }
        "trapsink" => notifications::sink(draft, directive, "v1", "trap"),
        "trap2sink" => notifications::sink(draft, directive, "v2c", "trap"),
        "informsink" => notifications::sink(draft, directive, "v2c", "inform"),
        "trapsess" => notifications::session(draft, directive),
        "monitor" => notifications::monitor(draft, directive),
        "proxy" => proxies::proxy(draft, directive),
        "defaultmonitors" => {
            draft.has_default_monitors = matches!(&*directive.rest, "yes" | "true" | "1");
            Outcome::Carried
        }
        "master" => {
            draft.agentx.is_served |= matches!(&*directive.rest, "agentx" | "all" | "yes" | "on");
            Outcome::Carried
        }
        "agentxsocket" => agentx_sockets(draft, directive),
        "agentxperms" => agentx_permissions(draft, directive),
        "authtrapenable" => {
            draft.tells_authentication_failures = directive.rest == "1";
            Outcome::Carried
        }
        "iquerysecname" | "agentsecname" => {
            draft.own_users.extend(directive.words.first().cloned());
            Outcome::Carried
        }
        keyword if NOT_NEEDED.contains(&keyword) => Outcome::Carried,
        keyword => {
            let known = NOT_CARRIED.iter().find(|(name, _)| *name == keyword);
            let message = known.map_or(
                "not known: snmpd.conf(5) says what it does",
                |(_, message)| message,
            );
            Outcome::Noted(message.to_owned())
        }
    }
}

fn text(draft: &mut Draft, directive: &Directive, key: &'static str) -> Outcome {
    // The rest of the line, quotation marks and all, as snmpd takes it.
    let text = directive.rest.trim_matches('"');
    if text.len() > 255 {
        return Outcome::Noted("the text is longer than 255 octets".to_owned());
    }
    draft.system.insert(key, quoted(text));
    Outcome::Carried
}

fn object_id(draft: &mut Draft, directive: &Directive) -> Outcome {
    match numbers(&directive.rest) {
        Ok(name) => {
            draft.system.insert("object-id", quoted(&name));
            Outcome::Carried
        }
        Err(message) => Outcome::Noted(message),
    }
}

fn services(draft: &mut Draft, directive: &Directive) -> Outcome {
    match directive.rest.parse::<u8>() {
        Ok(number @ 0..=127) => {
            draft.system.insert("services", number.to_string());
            Outcome::Carried
        }
        _ => Outcome::Noted("expected a number from 0 to 127".to_owned()),
    }
}

/// agentAddress: addresses as TRANSPORT:ADDRESS:PORT, of which each part but one may be missing, separated by commas.
fn listen(draft: &mut Draft, directive: &Directive) -> Outcome {
    let mut wrong = Vec::new();
    let all = directive.words.join(",");
    for written in all
        .split(',')
        .map(str::trim)
        .filter(|word| !word.is_empty())
    {
        match address(written, "0.0.0.0", 161) {
            Ok(address) if draft.listen.contains(&address) => {}
            Ok(address) => draft.listen.push(address),
            Err(message) => wrong.push(message),
        }
    }
    if wrong.is_empty() {
        Outcome::Carried
    } else {
        Outcome::Noted(wrong.join("; "))
    }
}

/// An address of Net-SNMP, as this agent writes it. Names of hosts stay as they are.
pub(super) fn address(written: &str, any: &str, port: u16) -> Result<String, String> {
    let (transport, rest) = match written.split_once(':') {
        Some((word, rest)) => match word.to_ascii_lowercase().as_str() {
            "udp" | "udpipv4" | "udp6" | "udpv6" | "udpipv6" => ("udp", rest),
            "tcp" | "tcpipv4" | "tcp6" | "tcpv6" | "tcpipv6" => ("tcp", rest),
            "tlstcp" | "dtlsudp" | "ssh" => {
                return Err(format!(
                    "{written}: the agent's certificates and keys are configured in another way: see varbind agent --init"
                ));
            }
            "unix" | "ipx" | "alias" => {
                return Err(format!("{written}: this transport is not served"));
            }
            // An address and a port without a transport.
            _ => ("udp", written),
        },
        None => ("udp", written),
    };
    let is_ipv6 = written.contains('[')
        || written.to_ascii_lowercase().starts_with("udp6")
        || written.to_ascii_lowercase().starts_with("tcp6");
    let any = if is_ipv6 { "[::]" } else { any };
    let is_port = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    let (host, port) = if rest.is_empty() {
        (any.to_owned(), port.to_string())
    } else if is_port(rest) {
        (any.to_owned(), rest.to_owned())
    } else if let Some((host, last)) = rest
        .rsplit_once(':')
        .filter(|(host, last)| is_port(last) && (!host.contains(':') || host.ends_with(']')))
    {
        (host.to_owned(), last.to_owned())
    } else {
        (rest.to_owned(), port.to_string())
    };
    let host = if host.contains(':') && !host.starts_with('[') {
        format!("[{host}]")
    } else if host == "localhost" {
        "127.0.0.1".to_owned()
    } else if host == "*" {
        any.to_owned()
    } else {
        host
    };
    let address = format!("{transport}:{host}:{port}");
    match address.parse::<varbind::transport::TransportAddress>() {
        Ok(_) => Ok(address),
        Err(error) => Err(format!("{written}: {error}")),
    }
}

/// extend: [-cacheTime S] [-execType TYPE] [OID] NAME PROGRAM [ARGUMENTS]. extend-sh has a shell; exec and sh have rows of extTable too.
fn extend(draft: &mut Draft, directive: &Directive) -> Outcome {
    let mut words = directive.words.iter().map(String::as_str).peekable();
    let mut interval = None;
    let mut has_shell = matches!(&*directive.keyword, "sh" | "sh2" | "extend-sh");
    while let Some(option) = words.next_if(|word| word.starts_with('-')) {
        let argument = words.next().unwrap_or_default();
        match &*option.to_ascii_lowercase() {
            "-cachetime" => interval = argument.parse::<u32>().ok().filter(|&seconds| seconds > 0),
            "-exectype" => has_shell = argument == "sh",
            _ => return Outcome::Noted(format!("the option {option} is not known")),
        }
    }
    let is_name = |word: &&str| word.starts_with('.') || word.contains("::");
    let root = match words.next_if(is_name).map(numbers).transpose() {
        Ok(root) => root,
        Err(message) => return Outcome::Noted(message),
    };
    let (Some(name), Some(_)) = (words.next(), words.peek()) else {
        return Outcome::Noted("expected a name and a program".to_owned());
    };
    let before = directive.words.len() - words.len();
    let shell_line = has_shell.then(|| directive.rest_behind(before));
    let command = match command(words, shell_line) {
        Ok(command) => command,
        Err(message) => return Outcome::Noted(message),
    };
    let mut table = format!("{}[[extend]]\nname = {}\n", origin(directive), quoted(name));
    if let Some(root) = root {
        table += &format!("oid = {}\n", quoted(&root));
    }
    if !directive.keyword.starts_with("extend") {
        table += "exec = true\n";
    }
    table += &command;
    if let Some(seconds) = interval {
        table += &format!("interval = \"{seconds}s\"\n");
    }
    draft.tables.push(table);
    Outcome::Carried
}

/// pass and `pass_persist`: [-p PRIORITY] OID PROGRAM [ARGUMENTS].
fn pass(draft: &mut Draft, directive: &Directive, protocol: &str) -> Outcome {
    let mut words = directive.words.iter().map(String::as_str).peekable();
    // Priorities tell which of two programs of one name counts; here there is one for each name.
    if words.next_if_eq(&"-p").is_some() {
        words.next();
    }
    let (Some(root), Some(_)) = (words.next(), words.peek()) else {
        return Outcome::Noted("expected an OID and a program".to_owned());
    };
    match (numbers(root), command(words, None)) {
        (Ok(root), Ok(command)) => {
            draft.pass_lines.push(directive.clone());
            draft.tables.push(format!(
                "{}[[pass]]\noid = {}\nprotocol = \"{protocol}\"\n{command}",
                origin(directive),
                quoted(&root)
            ));
            Outcome::Carried
        }
        (Err(message), _) | (_, Err(message)) => Outcome::Noted(message),
    }
}

/// The program and its arguments, or the line that a shell reads, as a line of the configuration.
fn command<'a>(
    words: impl Iterator<Item = &'a str>,
    shell_line: Option<&str>,
) -> Result<String, String> {
    let mut words: Vec<&str> = words.collect();
    if let Some(line) = shell_line {
        words = vec!["/bin/sh", "-c", line];
    } else if let Some((program, rest)) = words.split_first() {
        // A program in quotation marks has arguments among them.
        let program = program.split_whitespace();
        words = program.chain(rest.iter().copied()).collect();
    }
    if !words
        .first()
        .is_some_and(|program| program.starts_with('/'))
    {
        let program = words.first().copied().unwrap_or_default();
        return Err(format!("{program}: write the absolute path of the program"));
    }
    let words: Vec<_> = words.into_iter().map(quoted).collect();
    Ok(format!("command = [{}]\n", words.join(", ")))
}

/// proc: NAME [MAX [MIN]]. Without both numbers at least one is to run; a maximum alone allows none.
fn process(draft: &mut Draft, directive: &Directive) -> Outcome {
    let Some((name, numbers)) = directive.words.split_first() else {
        return Outcome::Noted("no process is named".to_owned());
    };
    if name.is_empty() || name.contains('/') {
        return Outcome::Noted(format!(
            "{name}: write the name of the program without its directory"
        ));
    }
    let numbers: Option<Vec<u16>> = numbers.iter().map(|word| word.parse().ok()).collect();
    let (minimum, maximum) = match numbers.as_deref() {
        Some([]) => (1, None),
        Some([maximum]) => (0, Some(*maximum)),
        Some([maximum, minimum]) if maximum >= minimum || *maximum == 0 => {
            (*minimum, Some(*maximum))
        }
        _ => return Outcome::Noted("expected NAME [MAX [MIN]], and no MAX below MIN".to_owned()),
    };
    // 0 is not a limit to snmpd.
    let maximum = maximum.filter(|&maximum| maximum > 0);
    let maximum = maximum.map_or(String::new(), |maximum| format!("maximum = {maximum}\n"));
    draft.tables.push(format!(
        "{}[[host.process]]\nname = {}\nminimum = {minimum}\n{maximum}",
        origin(directive),
        quoted(name)
    ));
    Outcome::Carried
}

const MINIMUM: &str = "expected the least that should be free, as 10% or 100000";

/// A share, or a size in units of 1024 octets.
fn minimum(word: &str) -> Option<String> {
    match word.strip_suffix('%') {
        Some(digits) => digits
            .parse::<u8>()
            .ok()
            .filter(|share| *share <= 100)
            .map(|share| format!("{share}%")),
        None => word.parse::<u32>().ok().map(|size| format!("{size} kB")),
    }
}

/// disk: PATH [MINIMUM], where 100000 is the usual minimum.
fn disk(draft: &mut Draft, directive: &Directive) -> Outcome {
    let (path, least) = match &directive.words[..] {
        [path] => (path, "100000"),
        [path, least] => (path, least.as_str()),
        _ => return Outcome::Noted("expected PATH [MINIMUM]".to_owned()),
    };
    let Some(minimum) = minimum(least) else {
        return Outcome::Noted(MINIMUM.to_owned());
    };
    // Pollers know the rows by snmpd's indexes.
    draft.host.insert("disks-first", "true".to_owned());
    draft.tables.push(format!(
        "{}[[host.disk]]\npath = {}\nminimum = {}\n",
        origin(directive),
        quoted(path),
        quoted(&minimum)
    ));
    Outcome::Carried
}

/// includeAllDisks: [SHARE%]. snmpd takes 5 % where no share is written, and no second line.
fn include_all_disks(draft: &mut Draft, directive: &Directive) -> Outcome {
    let share = directive.words.first().filter(|word| word.contains('%'));
    let Some(least) = minimum(share.map_or("5%", String::as_str)) else {
        return Outcome::Noted(MINIMUM.to_owned());
    };
    let key = draft.host.entry("disk-minimum");
    key.or_insert_with(|| quoted(&least));
    Outcome::Carried
}

/// swap: the least that should be free, of which memSwapError has snmpd's default.
fn swap(directive: &Directive) -> Outcome {
    if directive.rest == "16000" {
        return Outcome::Carried;
    }
    Outcome::Noted(format!(
        "memSwapError is set below 16000 kB: watch another limit by [[monitor]] with oid = \"memAvailSwap\" and test = \"< {}\"",
        directive.rest
    ))
}

/// agentUser: NAME, or # and a number.
fn agent_user(draft: &mut Draft, directive: &Directive) -> Outcome {
    let name = directive.rest.trim_matches('"');
    if ["root", "#0"].contains(&name) {
        return Outcome::Carried;
    }
    if name.is_empty() || name.starts_with('#') {
        return Outcome::Noted("write the name of the user as `user` of [process]".to_owned());
    }
    draft.agent_user = Some(name.to_owned());
    Outcome::Noted(format!(
        "the agent becomes {name}: make the configuration, the files that it names and the state directory belong to this user (chown)"
    ))
}

/// load: MAX1 [MAX5 [MAX15]], of which each that is missing is as the one before it.
fn load(draft: &mut Draft, directive: &Directive) -> Outcome {
    let limits: Option<Vec<f64>> = directive
        .words
        .iter()
        .map(|word| word.parse().ok())
        .collect();
    let limits = match limits.as_deref() {
        Some([one]) => [*one; 3],
        Some([one, five]) => [*one, *five, *five],
        Some([one, five, fifteen]) => [*one, *five, *fifteen],
        _ => return Outcome::Noted("expected MAX1 [MAX5 [MAX15]]".to_owned()),
    };
    if !limits.iter().all(|limit| (0.0..=1e6).contains(limit)) {
        return Outcome::Noted("expected load averages from 0 to 1000000".to_owned());
    }
    let limits = limits.map(|limit| format!("{limit:.2}"));
    draft
        .host
        .insert("load-limits", format!("[{}]", limits.join(", ")));
    Outcome::Carried
}

/// agentXSocket: sockets of the file system and addresses over TCP, separated by commas.
fn agentx_sockets(draft: &mut Draft, directive: &Directive) -> Outcome {
    let all = directive.words.join(",");
    for written in all.split(',').map(str::trim).filter(|one| !one.is_empty()) {
        let path = written.strip_prefix("unix:").unwrap_or(written);
        if path.starts_with('/') {
            draft.agentx.socket = Some(path.to_owned());
            continue;
        }
        let address = match address(written, "127.0.0.1", 705) {
            Ok(address) if address.starts_with("tcp:") => address,
            Ok(_) => {
                return Outcome::Noted(format!(
                    "{written}: subagents connect to a socket or over TCP"
                ));
            }
            Err(message) => return Outcome::Noted(message),
        };
        draft.agentx.listen.push(address);
    }
    Outcome::Carried
}

/// agentXPerms: modes of the socket and its directory, and their owner and group, of which the group counts here.
fn agentx_permissions(draft: &mut Draft, directive: &Directive) -> Outcome {
    draft.agentx.group = directive.words.get(3).cloned();
    let is_open = directive.words.first().and_then(|mode| mode.chars().last());
    match is_open {
        Some('2' | '3' | '6' | '7') => Outcome::Noted(
            "the socket is for a group, not for everybody: name it by `group` of [agentx]"
                .to_owned(),
        ),
        _ => Outcome::Carried,
    }
}
