//! Values that are written as texts, and what is told where they are wrong.

use std::fmt;

use serde::{Deserialize, Deserializer, de};
use varbind::transport::{ParseAddressError, TransportAddress};
use varbind_codec::smi::{Oid, ParseOidError};
use varbind_engine::access_control::{ViewMask, ViewTreeFamily};
#[cfg(feature = "experiments")]
use varbind_engine::compression::{Compression, UnknownCompression};
use varbind_engine::engine_id::EngineId;
use varbind_engine::security::SourceFilter;
use varbind_engine::security::usm::{AuthenticationProtocol, PrivacyProtocol};
use varbind_mib::Mib;
use varbind_web::HostName;
use zeroize::Zeroizing;

use crate::agentx::AgentxAddress;
use crate::configuration::web::WebAddress;
use crate::data_type::DataType;

/// Parses inside the visit, where an error still gets the place of the text.
pub(in crate::configuration) struct TextVisitor<T>(
    pub(in crate::configuration) fn(&str) -> Result<T, String>,
);

impl<T> de::Visitor<'_> for TextVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        (self.0)(text).map_err(E::custom)
    }
}

/// Defines a type that is written as a text and read by a function whose errors say what is expected.
macro_rules! text {
    ($($(#[$attribute:meta])* $name:ident($inner:ty) = $parse:expr;)*) => {$(
        $(#[$attribute])*
        pub(in crate::configuration) struct $name(pub(in crate::configuration) $inner);

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_str(TextVisitor($parse)).map(Self)
            }
        }
    )*};
}

#[cfg(feature = "experiments")]
text! {
    MessageCompression(Compression) = |text| text.parse().map_err(|error: UnknownCompression| error.to_string());
}

text! {
    ListenAddress(TransportAddress) = |text| {
        let address: TransportAddress = text.parse().map_err(|error| no_listen_address(text, &error))?;
        let has_transport = LISTENING.iter().any(|prefix| text.starts_with(prefix));
        if has_transport && address.user.is_none() {
            Ok(address)
        } else {
            Err(format!("{text:?}: expected TRANSPORT:ADDRESS:PORT, as udp:127.0.0.1:161, tls:0.0.0.0 or ssh:[::1]:5161; the \
                transports are udp, tcp, tls, dtls and ssh"))
        }
    };
    /// Where subagents connect beside the socket.
    SubagentAddress(AgentxAddress) = |text| {
        let address = text.strip_prefix("tcp:").and_then(|address| address.parse().ok());
        address.map(AgentxAddress::Tcp).ok_or_else(|| {
            format!("{text:?}: expected tcp:, an address and a port, as tcp:127.0.0.1:705")
        })
    };
    WebListenAddress(WebAddress) = str::parse;
    WebHost(HostName) = |text| text.parse().map_err(|error| format!("{text:?}: {error}"));
    TargetAddress(TransportAddress) = |text| text.parse().map_err(|error| format!("{text:?}: {error}"));
    Name(Oid) = oid;
    /// sysObjectID: a name, or the word for that of Net-SNMP's agent on Linux.
    ObjectId(Oid) = |text| {
        if text == NET_SNMP_LINUX.0 {
            return Oid::new(NET_SNMP_LINUX.1).map_err(|error| error.to_string());
        }
        text.parse().map_err(|error| format!("{text:?}: {error}; expected an object identifier or \"{}\"", NET_SNMP_LINUX.0))
    };
    DisplayString(String) = |text| {
        if text.len() <= 255 {
            Ok(text.to_owned())
        } else {
            Err(format!("a text of {} octets: at most 255 are allowed", text.len()))
        }
    };
    /// snmpEngineID in the form of SNMPv3, in which the first bit is 1 (RFC 3411, SnmpEngineID).
    AgentEngineId(EngineId) = |text| {
        let id: EngineId = text.parse().map_err(|error| format!("{text:?}: {error}"))?;
        match id.as_octets().first() {
            Some(0x80..) => Ok(id),
            _ => Err(format!("{text:?}: the first bit of an engine ID is 1 (RFC 3411): begin it with 80")),
        }
    };
    // What is written where a protocol should be may be a password: it is not repeated.
    Authenticating(AuthenticationProtocol) = |text| {
        text.parse().map_err(|_| one_of("an authentication protocol", AuthenticationProtocol::ALL.map(AuthenticationProtocol::name)))
    };
    Encrypting(PrivacyProtocol) = privacy_protocol;
    SecretText(Zeroizing<String>) = |text| Ok(Zeroizing::new(text.to_owned()));
    Source(SourceFilter) = |text| text.parse().map_err(|error| format!("{text:?}: {error}"));
    /// An object identifier, with or without a mask behind a slash.
    Subtree(ViewTreeFamily) = |text| {
        let (subtree, mask) = text.split_once('/').unwrap_or((text, ""));
        Ok(ViewTreeFamily {
            subtree: oid(subtree)?,
            mask: mask.parse::<ViewMask>().map_err(|error| format!("{text:?}: the mask: {error}"))?,
            included: true,
        })
    };
    ScalarType(DataType) = |text| {
        DataType::from_name(text).ok_or_else(|| format!("unknown type {text:?}, expected one of {}", DataType::names()))
    };
}

/// An object identifier in numbers, or by a name of a module that is built in.
fn oid(text: &str) -> Result<Oid, String> {
    let is_named = text.starts_with(|c: char| c.is_ascii_alphabetic());
    let oid = if is_named {
        Mib::builtin()
            .resolve(text)
            .map_err(|error| error.to_string())
    } else {
        text.parse()
            .map_err(|error: ParseOidError| error.to_string())
    };
    oid.map_err(|error| format!("{text:?}: {error}"))
}

fn no_listen_address(text: &str, error: &ParseAddressError) -> String {
    match error {
        ParseAddressError::UnknownTransport { name, .. }
            if matches!(name.as_str(), "http" | "https") =>
        {
            format!(
                "{text:?}: RESTCONF and metrics have a listen of their own: write it in [web], as https://[::1]:8443"
            )
        }
        error => format!("{text:?}: {error}"),
    }
}

/// netSnmpAgentOIDs.10, by which many pollers choose their templates.
const NET_SNMP_LINUX: (&str, &[u32]) = ("net-snmp-linux", &[1, 3, 6, 1, 4, 1, 8072, 3, 2, 10]);

/// What an address to listen on begins with: no transport is the usual one where so many may be meant.
const LISTENING: [&str; 5] = ["udp:", "tcp:", "tls:", "dtls:", "ssh:"];

/// Reads the name of a privacy protocol: those of Net-SNMP, and the same with the key extension spelled out.
fn privacy_protocol(text: &str) -> Result<PrivacyProtocol, String> {
    let spelled = EXTENSIONS
        .iter()
        .find_map(|(ending, short)| Some(text.strip_suffix(ending)?.to_owned() + short));
    let known = PrivacyProtocol::ALL.map(PrivacyProtocol::name);
    let protocol = spelled.as_deref().unwrap_or(text).parse();
    protocol.map_err(|_| one_of("a privacy protocol", known))
}

/// How key extensions are spelled out, and their short forms.
const EXTENSIONS: [(&str, &str); 2] = [("-Blumenthal", ""), ("-Reeder", "-C")];

fn one_of<const N: usize>(what: &str, known: [&str; N]) -> String {
    format!("expected {what}: one of {}", known.join(", "))
}

/// sysServices: 0 to 127 (RFC 3418).
pub(in crate::configuration) struct Services(pub(in crate::configuration) i32);

impl<'de> Deserialize<'de> for Services {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match i32::deserialize(deserializer)? {
            services @ 0..=127 => Ok(Self(services)),
            other => Err(de::Error::custom(format!(
                "{other}: expected a number from 0 to 127"
            ))),
        }
    }
}
