//! snmp.conf: what holds where the command line says nothing.

use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use varbind_mib::{NameStyle, OutputOptions};

use super::names::InputOptions;

/// Where files are looked for, without SNMPCONFPATH; the user's come last, and so count.
const DIRECTORIES: [&str; 2] = ["/etc/snmp", "/usr/share/snmp"];
const FILES: [&str; 2] = ["snmp.conf", "snmp.local.conf"];

/// What the files and options like `--defVersion=2c` say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Configuration {
    pub(super) version: Option<String>,
    pub(super) community: Option<String>,
    pub(super) security_name: Option<String>,
    pub(super) security_level: Option<String>,
    pub(super) security_model: Option<String>,
    pub(super) context: Option<String>,
    pub(super) auth_type: Option<String>,
    pub(super) priv_type: Option<String>,
    pub(super) auth_passphrase: Option<String>,
    pub(super) priv_passphrase: Option<String>,
    pub(super) passphrase: Option<String>,
    pub(super) auth_master_key: Option<String>,
    pub(super) priv_master_key: Option<String>,
    pub(super) auth_localized_key: Option<String>,
    pub(super) priv_localized_key: Option<String>,
    pub(super) port: Option<String>,
    pub(super) timeout: Option<Duration>,
    pub(super) retries: Option<u32>,
    pub(super) mibs: Option<String>,
    pub(super) mib_directories: Option<String>,
    /// `-T` options for certificates.
    pub(super) transport: Vec<String>,
    /// Output options in the order in which they were read.
    output: Vec<(Output, bool)>,
    name_style: Option<NameStyle>,
    no_range_check: Option<bool>,
}

/// An option of the output that is on or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Output {
    NumericEnumerations,
    NumericIndexes,
    EscapeQuotes,
    Quick,
    ValuesOnly,
    WithoutUnits,
    NumericTimeTicks,
    HexadecimalWithText,
    ExtendedIndexes,
    TwoDigitHexadecimal,
}

/// The tokens of output options that are on or off, in small letters.
const OUTPUT: [(&str, Output); 10] = [
    ("printnumericenums", Output::NumericEnumerations),
    ("dontbreakdownoids", Output::NumericIndexes),
    ("escapequotes", Output::EscapeQuotes),
    ("quickprinting", Output::Quick),
    ("printvalueonly", Output::ValuesOnly),
    ("dontprintunits", Output::WithoutUnits),
    ("numerictimeticks", Output::NumericTimeTicks),
    ("printhextext", Output::HexadecimalWithText),
    ("extendedindex", Output::ExtendedIndexes),
    ("2digithexoutput", Output::TwoDigitHexadecimal),
];

/// The values of `oidOutputFormat`, from 1.
const NAME_STYLES: [NameStyle; 5] = [
    NameStyle::Suffix,
    NameStyle::Module,
    NameStyle::Full,
    NameStyle::Numeric,
    NameStyle::Ucd,
];

impl Configuration {
    /// Reads the files there are, and reports those that hold passphrases for everybody to read.
    pub(super) fn read() -> (Self, Vec<String>) {
        let (mut configuration, mut warnings) = (Self::default(), Vec::new());
        for file in files() {
            let Ok(text) = fs::read_to_string(&file) else {
                continue;
            };
            if configuration.apply_text(&text) && is_open(&file) {
                warnings.push(format!(
                    "{} holds a passphrase or key, and others can read it: chmod 600 {0}",
                    file.display()
                ));
            }
        }
        (configuration, warnings)
    }

    /// Takes over the lines of a file, and says whether a secret is among them.
    fn apply_text(&mut self, text: &str) -> bool {
        let (mut has_secret, mut is_ours) = (false, true);
        for line in text.lines() {
            let mut line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            // A line that begins with [TYPE] alone is about all that follow.
            let mut is_this_ours = is_ours;
            if let Some((kind, rest)) = line.strip_prefix('[').and_then(|l| l.split_once(']')) {
                is_this_ours = kind.trim() == "snmp";
                line = rest.trim();
                if line.is_empty() {
                    is_ours = is_this_ours;
                    continue;
                }
            }
            if is_this_ours {
                let (token, value) = line
                    .split_once(|c: char| c.is_ascii_whitespace())
                    .unwrap_or((line, ""));
                has_secret |= is_secret(token);
                self.apply(token, &unquoted(value.trim()));
            }
        }
        has_secret
    }

    /// Takes over one token. Those that mean nothing here are passed over.
    pub(super) fn apply(&mut self, token: &str, value: &str) {
        let token = token.to_ascii_lowercase();
        if let Some(place) = self.text(&token) {
            *place = Some(value.to_owned());
            return;
        }
        if let Some((_, option)) = OUTPUT.iter().find(|(known, _)| *known == token) {
            self.output.push((*option, is_on(value)));
            return;
        }
        match token.as_str() {
            // Whole seconds, as there.
            "timeout" => self.timeout = value.parse().ok().map(Duration::from_secs),
            "retries" => self.retries = value.parse().ok(),
            "printnumericoids" if is_on(value) => self.name_style = Some(NameStyle::Numeric),
            "suffixprinting" => {
                self.name_style = match value {
                    "1" => Some(NameStyle::Suffix),
                    "2" => Some(NameStyle::Module),
                    _ => self.name_style,
                }
            }
            "oidoutputformat" => {
                let number = value.parse::<usize>().ok();
                let style = number.and_then(|number| NAME_STYLES.get(number.checked_sub(1)?));
                self.name_style = style.copied().or(self.name_style);
            }
            "norangecheck" => self.no_range_check = Some(is_on(value)),
            "localcert" | "ouridentity" => self.transport.push(format!("our_identity={value}")),
            "peercert" | "theiridentity" => self.transport.push(format!("their_identity={value}")),
            "trustcert" => self.transport.push(format!("trust_cert={value}")),
            _ => {}
        }
    }

    fn text(&mut self, token: &str) -> Option<&mut Option<String>> {
        Some(match token {
            "defversion" => &mut self.version,
            "defcommunity" => &mut self.community,
            "defsecurityname" => &mut self.security_name,
            "defsecuritylevel" => &mut self.security_level,
            "defsecuritymodel" => &mut self.security_model,
            "defcontext" => &mut self.context,
            "defauthtype" => &mut self.auth_type,
            "defprivtype" => &mut self.priv_type,
            "defauthpassphrase" => &mut self.auth_passphrase,
            "defprivpassphrase" => &mut self.priv_passphrase,
            "defpassphrase" => &mut self.passphrase,
            "defauthmasterkey" => &mut self.auth_master_key,
            "defprivmasterkey" => &mut self.priv_master_key,
            "defauthlocalizedkey" => &mut self.auth_localized_key,
            "defprivlocalizedkey" => &mut self.priv_localized_key,
            "defaultport" => &mut self.port,
            "mibs" => &mut self.mibs,
            "mibdirs" => &mut self.mib_directories,
            _ => return None,
        })
    }

    /// Changes output options, which the files have the last word about.
    pub(super) fn refine(&self, output: &mut OutputOptions, input: &mut InputOptions) {
        if let Some(style) = self.name_style {
            output.names = style;
        }
        if let Some(skip) = self.no_range_check {
            input.no_range_check = skip;
        }
        for &(option, is_on) in &self.output {
            let place = match option {
                Output::NumericEnumerations => &mut output.numeric_enumerations,
                Output::NumericIndexes => &mut output.numeric_indexes,
                Output::EscapeQuotes => &mut output.escape_quotes,
                Output::Quick => &mut output.quick,
                Output::ValuesOnly => &mut output.values_only,
                Output::WithoutUnits => &mut output.without_units,
                Output::NumericTimeTicks => &mut output.numeric_time_ticks,
                Output::HexadecimalWithText => &mut output.hexadecimal_with_text,
                Output::ExtendedIndexes => &mut output.extended_indexes,
                Output::TwoDigitHexadecimal => &mut output.two_digit_hexadecimal,
            };
            *place = is_on;
        }
    }
}

fn files() -> Vec<PathBuf> {
    let directories = match env::var_os("SNMPCONFPATH") {
        Some(list) => env::split_paths(&list).collect(),
        None => {
            let home = env::var_os("HOME").map(|home| PathBuf::from(home).join(".snmp"));
            let fixed = DIRECTORIES.into_iter().map(PathBuf::from);
            fixed.chain(home).collect::<Vec<_>>()
        }
    };
    let files = |directory: &PathBuf| FILES.map(|name| directory.join(name));
    directories.iter().flat_map(files).collect()
}

fn is_open(file: &Path) -> bool {
    file.metadata()
        .is_ok_and(|metadata| metadata.permissions().mode() & 0o077 != 0)
}

fn is_secret(token: &str) -> bool {
    let token = token.to_ascii_lowercase();
    token.starts_with("def") && (token.ends_with("passphrase") || token.ends_with("key"))
}

fn is_on(value: &str) -> bool {
    let value = value.to_ascii_lowercase();
    matches!(value.as_str(), "1" | "yes" | "true" | "on")
}

/// A value without the quotes around it.
fn unquoted(value: &str) -> String {
    for quote in ['"', '\''] {
        let inner = value.strip_prefix(quote);
        if let Some(inner) = inner.and_then(|inner| inner.strip_suffix(quote)) {
            return inner.replace(&format!("\\{quote}"), &quote.to_string());
        }
    }
    value.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Configuration, bool) {
        let mut configuration = Configuration::default();
        let has_secret = configuration.apply_text(text);
        (configuration, has_secret)
    }

    #[test]
    fn tokens_are_read_in_any_case_with_and_without_quotes() {
        let (read, has_secret) = read(
            "# comment\ndefVersion 3\nDEFSECURITYNAME ops\ndefAuthPassphrase \"maple syrup\"\n\
             [snmpd] defVersion 1\n[other]\ndefVersion 2c\n[snmp]\ntimeout 3\nretries 0\nmibs :\n",
        );
        assert!(has_secret);
        assert_eq!(read.version.as_deref(), Some("3"));
        assert_eq!(read.security_name.as_deref(), Some("ops"));
        assert_eq!(read.auth_passphrase.as_deref(), Some("maple syrup"));
        assert_eq!(read.timeout, Some(Duration::from_secs(3)));
        assert_eq!((read.retries, read.mibs.as_deref()), (Some(0), Some(":")));
    }

    #[test]
    fn output_options_have_the_last_word() {
        let (read, has_secret) =
            read("printNumericOids yes\nquickPrinting 1\nnoRangeCheck on\nquickPrinting no\n");
        let (mut output, mut input) = (OutputOptions::default(), InputOptions::default());
        output.quick = true;
        read.refine(&mut output, &mut input);
        assert!(!has_secret);
        assert_eq!((output.names, output.quick), (NameStyle::Numeric, false));
        assert!(input.no_range_check);
        let (read, _) = self::read("oidOutputFormat 3\n");
        read.refine(&mut output, &mut input);
        assert_eq!(output.names, NameStyle::Full);
    }
}
