//! Notifications that requests trigger: the variation module `notification` of snmpsim.

use varbind::transport::TransportAddress;
use varbind_codec::smi::{Oid, OidScratch, Value, ValueRef, VarBind};
use varbind_engine::applications::notification::SNMP_TRAP_ENTERPRISE;

use super::choice::{Choices, Constant};
use super::report::LineError;
use super::snmprec::object_identifier;
use super::text::{append_hexadecimal, read_name};

const COLD_START: &[u32] = &[1, 3, 6, 1, 6, 3, 1, 1, 5, 1];
const FORM: LineError = LineError::Value("what notification takes: OID:TAG:VALUE as varbinds");

/// A notification, the requests that trigger it, and its target.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NotificationVariation {
    pub(crate) on_read: bool,
    on_set: bool,
    /// The values whose Set requests count; without any, all do.
    by_value: Choices<()>,
    pub(crate) addressee: Addressee,
    pub(crate) trap_oid: Oid,
    /// sysUpTime.0 in place of the time since the start of the device.
    pub(crate) up_time: Option<u32>,
    pub(crate) var_binds: Vec<VarBind>,
}

/// The target of notifications.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Addressee {
    /// A transport address.
    pub(crate) address: String,
    pub(crate) is_inform: bool,
    pub(crate) sender: Sender,
}

/// The version of notifications and their sender.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Sender {
    V1(String),
    V2c(String),
    V3 {
        user: String,
        /// Protocol and password.
        authentication: Option<(String, String)>,
        privacy: Option<(String, String)>,
    },
}

impl NotificationVariation {
    /// Whether a request that sets this value triggers the notification.
    pub(crate) fn on_set(&self, value: ValueRef<'_>) -> bool {
        self.on_set
            && (self.by_value.is_empty() || self.by_value.of(&Constant::of_value(value)).is_some())
    }

    /// Reads the options of a line whose value has a tag.
    pub(super) fn read<'t>(
        tag: &str,
        option: impl Fn(&str) -> Option<&'t str>,
    ) -> Result<Self, LineError> {
        let word = |name: &str, default: &'t str| option(name).map_or(default, str::trim);
        let operation = word("op", "set");
        let trap_oid = match option("trapoid") {
            None => Oid::new(COLD_START).map_err(|_| FORM)?,
            Some(text) => oid(text)?,
        };
        let up_time = option("uptime").map(|text| text.trim().parse());
        let mut var_binds = Vec::new();
        if let Some(text) = option("enterprise") {
            var_binds.push(VarBind {
                name: Oid::new(SNMP_TRAP_ENTERPRISE).map_err(|_| FORM)?,
                value: Value::from(&oid(text)?),
            });
        }
        read_var_binds(option("varbinds").unwrap_or_default(), &mut var_binds)?;
        Ok(Self {
            on_read: matches!(operation, "get" | "any" | "*"),
            on_set: matches!(operation, "set" | "any" | "*"),
            by_value: match option("vlist") {
                Some(text) => Choices::of_pairs(text, tag)?,
                None => Choices::none(),
            },
            addressee: Addressee {
                address: address(word("host", ""), word("port", "162"))?,
                is_inform: word("ntftype", "trap").eq_ignore_ascii_case("inform"),
                sender: sender(&word)?,
            },
            trap_oid,
            up_time: up_time
                .transpose()
                .map_err(|_| LineError::Value("an uptime in hundredths of a second"))?,
            var_binds,
        })
    }
}

fn sender<'t>(word: &impl Fn(&str, &'t str) -> &'t str) -> Result<Sender, LineError> {
    let community = || word("community", "public").to_owned();
    let secret = |key: &str, protocol: &str, default| {
        let password = word(key, "");
        let protocol = word(protocol, default).to_ascii_uppercase();
        (!password.is_empty()).then(|| (protocol, password.to_owned()))
    };
    match word("version", "2c") {
        "1" | "v1" => Ok(Sender::V1(community())),
        "2" | "2c" | "v2c" => Ok(Sender::V2c(community())),
        "3" | "v3" => Ok(Sender::V3 {
            user: word("user", "").to_owned(),
            authentication: secret("authkey", "authproto", "md5"),
            privacy: secret("privkey", "privproto", "des"),
        }),
        _ => Err(LineError::Value("of a known version: 1, 2c or 3")),
    }
}

fn address(host: &str, port: &str) -> Result<String, LineError> {
    let host = match host.contains(':') && !host.starts_with('[') {
        true => format!("[{host}]"),
        false => host.to_owned(),
    };
    let address = format!("udp:{host}:{port}");
    match address.parse::<TransportAddress>() {
        Ok(_) if !host.is_empty() => Ok(address),
        _ => Err(LineError::Value("of a known target: write host=ADDRESS")),
    }
}

fn oid(text: &str) -> Result<Oid, LineError> {
    let mut name = OidScratch::new();
    read_name(text.trim().as_bytes(), &mut name)?;
    Oid::new(name.arcs()).map_err(|_| LineError::Name)
}

fn read_var_binds(text: &str, var_binds: &mut Vec<VarBind>) -> Result<(), LineError> {
    if text.is_empty() {
        return Ok(());
    }
    let words: Vec<_> = text.split(':').collect();
    for triple in words.chunks(3) {
        let [name, kind, value] = triple else {
            return Err(FORM);
        };
        var_binds.push(VarBind {
            name: oid(name)?,
            value: value_of(kind, value)?,
        });
    }
    Ok(())
}

fn value_of(kind: &str, text: &str) -> Result<Value, LineError> {
    let small = || text.trim().parse().map_err(|_| FORM);
    Ok(match kind {
        "s" | "b" => Value::OctetString(text.as_bytes().to_vec()),
        "h" => {
            let mut octets = Vec::new();
            append_hexadecimal(text.as_bytes(), |_| false, &mut octets).ok_or(FORM)?;
            Value::OctetString(octets)
        }
        "i" => Value::Integer(text.trim().parse().map_err(|_| FORM)?),
        "o" => {
            let (mut name, mut octets) = (OidScratch::new(), Vec::new());
            read_name(text.trim().as_bytes(), &mut name)?;
            object_identifier(&name, &mut octets)?.to_owned()
        }
        "a" => {
            let address: std::net::Ipv4Addr = text.trim().parse().map_err(|_| FORM)?;
            Value::IpAddress(address.octets())
        }
        "u" | "g" => Value::Gauge32(small()?),
        "t" => Value::TimeTicks(small()?),
        "I" => Value::Counter64(text.trim().parse().map_err(|_| FORM)?),
        _ => return Err(FORM),
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    fn read(tag: &str, text: &str) -> Result<NotificationVariation, LineError> {
        let options: HashMap<_, _> = text
            .split(',')
            .filter_map(|option| option.split_once('='))
            .collect();
        NotificationVariation::read(tag, |name| options.get(name).copied())
    }

    #[test]
    fn options_say_what_is_sent_to_whom_and_when() {
        let found = read(
            "2",
            "op=any,vlist=eq:3:gt:9,version=1,community=traps,host=::1,port=1162,trapoid=1.3.6.1.4.1.9.0.4,uptime=7,\
             varbinds=1.3.1.1:s:a text:1.3.1.2:i:-4:1.3.1.3:h:00ff:1.3.1.4:o:1.3.6:1.3.1.5:a:192.0.2.1:1.3.1.6:I:99",
        );
        let found = found.unwrap();
        assert!(found.on_read);
        let on_set = |number| found.on_set(ValueRef::Integer(number));
        assert_eq!([on_set(3), on_set(4), on_set(10)], [true, false, true]);
        let expected = Addressee {
            address: "udp:[::1]:1162".to_owned(),
            is_inform: false,
            sender: Sender::V1("traps".to_owned()),
        };
        assert_eq!((found.addressee, found.up_time), (expected, Some(7)));
        let values: Vec<_> = found
            .var_binds
            .into_iter()
            .map(|var_bind| var_bind.value)
            .collect();
        let name: Oid = "1.3.6".parse().unwrap();
        assert_eq!(
            values,
            [
                Value::OctetString(b"a text".to_vec()),
                Value::Integer(-4),
                Value::OctetString(vec![0, 255]),
                Value::from(&name),
                Value::IpAddress([192, 0, 2, 1]),
                Value::Counter64(99),
            ]
        );
    }

    #[test]
    fn a_set_request_sends_a_trap_unless_options_say_otherwise() {
        let found = read("4", "host=192.0.2.7").unwrap();
        assert_eq!(
            (found.on_read, found.on_set(ValueRef::Integer(1))),
            (false, true)
        );
        assert_eq!(found.trap_oid.to_string(), "1.3.6.1.6.3.1.1.5.1");
        assert_eq!(found.addressee.sender, Sender::V2c("public".to_owned()));
        let user = read(
            "4",
            "host=a.example,version=3,user=ops,authkey=maple syrup,ntftype=inform",
        );
        let user = user.unwrap().addressee;
        assert!(user.is_inform);
        assert_eq!(
            user.sender,
            Sender::V3 {
                user: "ops".to_owned(),
                authentication: Some(("MD5".to_owned(), "maple syrup".to_owned())),
                privacy: None,
            }
        );
    }

    #[test]
    fn options_without_meaning_are_refused() {
        for text in [
            "op=set",
            "host=a,port=x",
            "host=a,version=4",
            "host=a,varbinds=1.3.1:s",
            "host=a,varbinds=1.3.1:z:1",
            "host=a,trapoid=x",
            "host=a,uptime=x",
            "host=a,vlist=eq:1:2",
        ] {
            assert!(read("2", text).is_err(), "{text}");
        }
    }
}
