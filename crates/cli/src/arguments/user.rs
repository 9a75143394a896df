use std::path::PathBuf;

use clap::Args;
use varbind::engine::engine_id::EngineId;
use varbind::engine::security::SecurityLevel;
use varbind::engine::security::usm::{AuthenticationProtocol, EngineTime, PrivacyProtocol};
use varbind_terminal::secret::SecretArgument;

const HEADING: &str = "SNMPv3";

/// Who asks in SNMPv3.
#[derive(Args, Clone, Debug)]
pub(crate) struct UserArguments {
    /// User
    #[arg(help_heading = HEADING, short = 'u', long = "user", value_name = "NAME")]
    pub(crate) name: Option<String>,

    /// noAuthNoPriv, authNoPriv or authPriv [default: the highest for which there are options]
    #[arg(help_heading = HEADING, short = 'l', long = "security-level", value_name = "LEVEL", value_parser = security_level)]
    pub(crate) level: Option<SecurityLevel>,

    /// Authentication: SHA-512, SHA-384, SHA-256, SHA-224, SHA or MD5 [default: SHA-256]
    #[arg(help_heading = HEADING, short = 'a', long, value_name = "PROTOCOL")]
    pub(crate) auth_protocol: Option<AuthenticationProtocol>,

    /// Password for authentication; others on this host can see it until the program has read it
    ///
    /// Without any option for it, the environment variable VARBIND_AUTH_PASSWORD counts; without that, the terminal is
    /// asked.
    #[arg(help_heading = HEADING, short = 'A',
        long,
        value_name = "PASSWORD",
        conflicts_with_all = ["auth_password_file", "auth_master_key", "auth_key"]
    )]
    pub(crate) auth_password: Option<SecretArgument>,

    /// File whose first line is the password for authentication (otherwise: VARBIND_AUTH_PASSWORD, or the terminal)
    #[arg(help_heading = HEADING, long, value_name = "FILE", conflicts_with_all = ["auth_master_key", "auth_key"])]
    pub(crate) auth_password_file: Option<PathBuf>,

    /// Key for authentication at all engines, instead of a password (-3m)
    #[arg(help_heading = HEADING, long, value_name = "HEX", conflicts_with = "auth_key")]
    pub(crate) auth_master_key: Option<SecretArgument>,

    /// Key for authentication at this engine, instead of a password (-3k)
    #[arg(help_heading = HEADING, long, value_name = "HEX")]
    pub(crate) auth_key: Option<SecretArgument>,

    /// Privacy: AES, AES-192, AES-256 or DES; AES-192-C and AES-256-C extend keys as Cisco does
    ///
    /// AES-192 and AES-256 extend keys that are too short as draft-blumenthal-aes-usm-04 says, AES-192-C and AES-256-C
    /// as draft-reeder-snmpv3-usm-3desede-00 does. Neither is a standard, and agents have one or the other.
    #[arg(help_heading = HEADING, short = 'x', long, value_name = "PROTOCOL")]
    pub(crate) priv_protocol: Option<PrivacyProtocol>,

    /// Password for privacy, as -A (otherwise: VARBIND_PRIV_PASSWORD, or the terminal)
    #[arg(help_heading = HEADING, short = 'X',
        long,
        value_name = "PASSWORD",
        conflicts_with_all = ["priv_password_file", "priv_master_key", "priv_key"]
    )]
    pub(crate) priv_password: Option<SecretArgument>,

    /// File whose first line is the password for privacy
    #[arg(help_heading = HEADING, long, value_name = "FILE", conflicts_with_all = ["priv_master_key", "priv_key"])]
    pub(crate) priv_password_file: Option<PathBuf>,

    /// Key for privacy at all engines, instead of a password (-3M)
    #[arg(help_heading = HEADING, long, value_name = "HEX", conflicts_with = "priv_key")]
    pub(crate) priv_master_key: Option<SecretArgument>,

    /// Key for privacy at this engine, instead of a password (-3K)
    #[arg(help_heading = HEADING, long, value_name = "HEX")]
    pub(crate) priv_key: Option<SecretArgument>,

    /// Context
    #[arg(help_heading = HEADING, short = 'n',
        long,
        value_name = "NAME",
        default_value = "",
        hide_default_value = true
    )]
    pub(crate) context: String,

    /// Engine of the context [default: the engine that is spoken to]
    #[arg(help_heading = HEADING, short = 'E', long, value_name = "ENGINE-ID")]
    pub(crate) context_engine_id: Option<EngineId>,

    /// Engine that is spoken to, which saves asking [default: it is asked]
    #[arg(help_heading = HEADING, short = 'e', long, value_name = "ENGINE-ID")]
    pub(crate) security_engine_id: Option<EngineId>,

    /// Boots and time of that engine
    #[arg(help_heading = HEADING, short = 'Z', long, value_name = "BOOTS,TIME", value_parser = engine_time, requires = "security_engine_id")]
    pub(crate) engine_time: Option<EngineTime>,
}

pub(crate) fn security_level(text: &str) -> Result<SecurityLevel, String> {
    // The short forms are those of Net-SNMP.
    match text.to_ascii_lowercase().replace('-', "").as_str() {
        "noauthnopriv" | "nanp" => Ok(SecurityLevel::NoAuthNoPriv),
        "authnopriv" | "anp" => Ok(SecurityLevel::AuthNoPriv),
        "authpriv" | "ap" => Ok(SecurityLevel::AuthPriv),
        _ => Err("write noAuthNoPriv, authNoPriv or authPriv".to_owned()),
    }
}

pub(crate) const fn level_name(level: SecurityLevel) -> &'static str {
    match level {
        SecurityLevel::NoAuthNoPriv => "noAuthNoPriv",
        SecurityLevel::AuthNoPriv => "authNoPriv",
        SecurityLevel::AuthPriv => "authPriv",
    }
}

fn engine_time(text: &str) -> Result<EngineTime, String> {
    let numbers = text.split_once(',').and_then(|(boots, time)| {
        let number = |text: &str| text.trim().parse().ok().filter(|number| *number >= 0);
        Some(EngineTime {
            boots: number(boots)?,
            time: number(time)?,
        })
    });
    numbers.ok_or_else(|| "write boots and seconds, as 5,3600".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_written_in_the_ways_in_use() {
        for text in ["authPriv", "authpriv", "auth-priv", "ap"] {
            assert_eq!(security_level(text), Ok(SecurityLevel::AuthPriv));
        }
        assert_eq!(security_level("nanp"), Ok(SecurityLevel::NoAuthNoPriv));
        assert!(security_level("priv").is_err());
    }

    #[test]
    fn boots_and_time_are_two_numbers() {
        assert_eq!(
            engine_time("5,3600"),
            Ok(EngineTime {
                boots: 5,
                time: 3600
            })
        );
        for wrong in ["", "5", "5,", "-1,2", "5,x"] {
            assert!(engine_time(wrong).is_err(), "{wrong}");
        }
    }
}
