//! The command line of a tool that asks an agent.

use std::env;
use std::time::Duration;

use varbind_mib::{Mib, OutputOptions};
use varbind_terminal::arguments::{MibArguments, NetSnmpOption, mask_secrets};

use super::configuration::Configuration;
use super::console::Console;
use super::getopt::{GetOpt, Item};
use super::names::InputOptions;
use super::options::{VERSION, apply_input, apply_output, unknown_parser_letter};
use super::tool::{Call, Tool};
use super::user::UserOptions;
use super::{FAILED, Stop};
use crate::arguments::SnmpVersion;

/// The options of all tools, and those of one tool (`C`).
const LETTERS: &str = "Y:VhHm:M:O:I:P:D:dv:r:t:c:Z:e:E:n:u:l:x:X:a:A:p:T:-:3:L:s:C:";

const TIMEOUT: Duration = Duration::from_secs(1);
const RETRIES: u32 = 5;

/// What the command line and snmp.conf say.
pub(super) struct CommandLine {
    pub(super) output: OutputOptions,
    pub(super) input: InputOptions,
    pub(super) mib: Mib,
    pub(super) version: SnmpVersion,
    pub(super) community: Vec<u8>,
    pub(super) user: UserOptions,
    /// Whether the transport names the user, as over TLS.
    pub(super) is_transport_model: bool,
    pub(super) timeout: Duration,
    pub(super) retries: u32,
    pub(super) transport: Vec<NetSnmpOption>,
    pub(super) port: Option<String>,
    /// The agent, as it is written.
    pub(super) host: String,
    pub(super) operands: Vec<String>,
}

/// What is read before snmp.conf counts.
#[derive(Default)]
struct Reader {
    output: OutputOptions,
    input: InputOptions,
    version: Option<SnmpVersion>,
    community: Option<String>,
    user: UserOptions,
    timeout: Option<Duration>,
    retries: Option<u32>,
    transport: Vec<NetSnmpOption>,
    mibs: Option<String>,
    mib_directories: Option<String>,
    /// Options like `--defVersion=2c`, which count after the files.
    tokens: Vec<(String, String)>,
}

/// What a tool does with the letters behind `-C`.
pub(super) type OwnLetters<'a> =
    &'a mut dyn FnMut(&str, &mut GetOpt<'_>, &mut Console) -> Result<(), Stop>;

/// An unknown letter behind `-C`.
pub(super) fn unknown_own_letter(letter: char, console: &mut Console) -> Stop {
    console.error(&format!("Unknown flag passed to -C: {letter}\n"));
    Stop::Exit(FAILED)
}

impl CommandLine {
    pub(super) fn read(
        call: &Call,
        console: &mut Console,
        own: OwnLetters<'_>,
    ) -> Result<Self, Stop> {
        let mut reader = Reader::default();
        reader.output.line_breaks = true;
        reader.output.quick = call.tool == Tool::Table;
        let mut words = GetOpt::new(&call.words, LETTERS, call.tool.is_strict());
        while let Some(item) = words.next_item() {
            match item {
                Item::Option('C', letters) => own(&letters, &mut words, console)?,
                Item::Option(letter, text) => reader.take(letter, &text, &mut words, console)?,
                Item::Unknown(letter) => {
                    let program = &call.program;
                    return Err(Stop::Usage(format!(
                        "{program}: invalid option -- '{letter}'\n"
                    )));
                }
                Item::NoArgument(letter) => {
                    let program = &call.program;
                    return Err(Stop::Usage(format!(
                        "{program}: option requires an argument -- '{letter}'\n"
                    )));
                }
            }
        }
        reader.complete(words.into_operands(), console)
    }
}

impl Reader {
    fn take(
        &mut self,
        letter: char,
        text: &str,
        words: &mut GetOpt<'_>,
        console: &mut Console,
    ) -> Result<(), Stop> {
        let wrong = |text: String| Err(Stop::Usage(text + "\n"));
        match letter {
            'h' => return Err(Stop::Usage(String::new())),
            'V' => return Err(print_version(console)),
            'H' => return Err(Stop::Exit(0)),
            '-' => return self.take_long(text, console),
            'm' => self.mibs = Some(text.to_owned()),
            'M' => self.mib_directories = Some(text.to_owned()),
            'O' => {
                if let Some(letter) = apply_output(text, words, &mut self.output) {
                    return wrong(format!("Unknown output option passed to -O: {letter}."));
                }
            }
            'I' => {
                if let Some(letter) = apply_input(text, words, &mut self.input) {
                    return wrong(format!("Unknown input option passed to -I: {letter}."));
                }
            }
            'P' => {
                if let Some(letter) = unknown_parser_letter(text) {
                    return wrong(format!("Unknown parsing option passed to -P: {letter}."));
                }
            }
            'L' => return take_log(text, words, console),
            'v' => match version(text) {
                Some(version) => self.version = Some(version),
                None => {
                    return wrong(format!("Invalid version specified after -v flag: {text}"));
                }
            },
            'c' => self.community = Some(text.to_owned()),
            't' => match seconds(text) {
                Some(timeout) => self.timeout = Some(timeout),
                None => return wrong("Invalid timeout in seconds after -t flag.".to_owned()),
            },
            'r' => match text.parse() {
                Ok(retries) => self.retries = Some(retries),
                Err(_) => return wrong("Invalid number of retries after -r flag.".to_owned()),
            },
            'p' => {
                return wrong(
                    "Warning: -p option is no longer used - specify the remote host as HOST:PORT"
                        .to_owned(),
                );
            }
            'T' => match text.parse() {
                Ok(option) => self.transport.push(option),
                Err(_) if text.contains('=') => {}
                Err(_) => return wrong("-T expects a NAME=VALUE pair.".to_owned()),
            },
            '3' => return self.user.apply_long(text, words),
            'Z' | 'e' | 'E' | 'n' | 'l' | 'u' | 'a' | 'x' | 'A' | 'X' => {
                return self.user.apply(letter, text, words);
            }
            // What concerns the library of the others.
            _ => {}
        }
        Ok(())
    }

    /// `--help`, `--version` and `--TOKEN=VALUE`.
    fn take_long(&mut self, text: &str, console: &mut Console) -> Result<(), Stop> {
        match text.to_ascii_lowercase().as_str() {
            "help" => return Err(Stop::Usage(String::new())),
            "version" => return Err(print_version(console)),
            _ => {}
        }
        let (token, value) = text
            .split_once(['=', ' '])
            .map_or((text, "1"), |(token, value)| (token, value));
        self.tokens.push((token.to_owned(), value.to_owned()));
        Ok(())
    }

    /// Takes in snmp.conf, and what else is needed.
    fn complete(
        mut self,
        operands: Vec<String>,
        console: &mut Console,
    ) -> Result<CommandLine, Stop> {
        let community = self.community.as_deref();
        let secrets = self.user.secrets().chain(community).map(str::as_bytes);
        mask_secrets(&secrets.collect::<Vec<_>>());
        let (mut configuration, warnings) = Configuration::read();
        for warning in warnings {
            console.log(&format!("{warning}\n"));
        }
        for (token, value) in &self.tokens {
            configuration.apply(token, value);
        }
        configuration.refine(&mut self.output, &mut self.input);
        self.user.or(&configuration);
        for text in &configuration.transport {
            self.transport.extend(text.parse().ok());
        }
        let mib = mib(
            self.mibs
                .or_else(|| env::var("MIBS").ok())
                .or(configuration.mibs),
            self.mib_directories
                .or_else(|| env::var("MIBDIRS").ok())
                .or(configuration.mib_directories),
            console,
        )?;
        let mut operands = operands.into_iter();
        let Some(host) = operands.next() else {
            return Err(Stop::Usage("No hostname specified.\n".to_owned()));
        };
        let default = configuration.version.as_deref().and_then(version);
        let version = self.version.or(default).unwrap_or(SnmpVersion::V3);
        let community = self.community.or(configuration.community);
        if version != SnmpVersion::V3 && community.is_none() {
            return Err(Stop::Usage("No community name specified.\n".to_owned()));
        }
        let model = configuration.security_model.unwrap_or_default();
        Ok(CommandLine {
            output: self.output,
            input: self.input,
            mib,
            version,
            community: community.unwrap_or_default().into_bytes(),
            user: self.user,
            is_transport_model: model.eq_ignore_ascii_case("tsm"),
            timeout: self.timeout.or(configuration.timeout).unwrap_or(TIMEOUT),
            retries: self.retries.or(configuration.retries).unwrap_or(RETRIES),
            transport: self.transport,
            port: configuration.port,
            host,
            operands: operands.collect(),
        })
    }
}

/// Tells the version that scripts want to know.
pub(super) fn print_version(console: &mut Console) -> Stop {
    console.error(&format!("{VERSION}\n"));
    Stop::Exit(0)
}

/// Takes what follows -L.
pub(super) fn take_log(
    text: &str,
    words: &mut GetOpt<'_>,
    console: &mut Console,
) -> Result<(), Stop> {
    let mut characters = text.chars();
    let letter = characters.next().unwrap_or('e');
    let rest = characters.as_str();
    let rest = rest.strip_prefix('=').unwrap_or(rest).trim_start();
    let takes_word = matches!(letter, 'f' | 's' | 'E' | 'O' | 'N' | 'F' | 'S');
    let mut argument = rest.to_owned();
    if takes_word && rest.is_empty() {
        argument = words.take_word().unwrap_or_default();
    }
    if matches!(letter, 'F' | 'S') {
        // A priority stands before the name.
        argument = words.take_word().unwrap_or_default();
    }
    if console.log_to(letter, Some(&argument))? {
        return Ok(());
    }
    Err(Stop::Usage(format!(
        "Unknown logging option passed to -L: {letter}.\n"
    )))
}

/// The names that are known: none but the roots if the list of modules is empty.
pub(super) fn mib(
    modules: Option<String>,
    directories: Option<String>,
    console: &mut Console,
) -> Result<Mib, Stop> {
    let is_given = modules.is_some();
    let list = modules.unwrap_or_default();
    let names = list
        .split(':')
        .map(|name| name.trim_start_matches(['+', '-']));
    let names: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
    if is_given && names.is_empty() {
        return Ok(Mib::roots());
    }
    let mib = MibArguments::of(directories, None)
        .mib()
        .map_err(|failure| {
            console.log(&format!("{failure}\n"));
            Stop::Exit(FAILED)
        })?;
    for name in names {
        if !name.eq_ignore_ascii_case("all") && !mib.has_module(name) {
            console.log(&format!(
                "Cannot find module ({name}): At line 1 in (none)\n"
            ));
        }
    }
    Ok(mib)
}

fn version(text: &str) -> Option<SnmpVersion> {
    Some(match text.to_ascii_lowercase().as_str() {
        "1" => SnmpVersion::V1,
        "2c" => SnmpVersion::V2c,
        "3" => SnmpVersion::V3,
        _ => return None,
    })
}

/// Seconds, of which a number at the front counts.
fn seconds(text: &str) -> Option<Duration> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.');
    let number = text.get(..end.unwrap_or(text.len()))?;
    let seconds = number.parse().ok()?;
    Duration::try_from_secs_f64(seconds)
        .ok()
        .filter(|timeout| !timeout.is_zero())
}
