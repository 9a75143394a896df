use std::fmt::Write;

use varbind::codec::message::Version;
use varbind::codec::pdu::GenericTrap;
use varbind::codec::smi::{ValueRef, VarBind};
use varbind::engine::applications::notification::TrapV1Parameters;
use varbind::engine::applications::notification_receiver::{
    NotificationKind, ReceivedNotification,
};
use varbind::notification::Arrived;
use varbind::transport::Transport;
use varbind_mib::{MachineVarBind, Mib, OutputOptions, format_name, format_value, format_var_bind};
use varbind_terminal::Failure;

use super::action::Job;
use super::timestamp::rfc3339;
use crate::output::{Format, append_string, append_var_bind};

/// The kernel takes no variable of more than 128 KiB; a notification of which JSON would be more is in the input alone.
const LARGEST_VARIABLE: usize = 120_000;

/// How notifications are written.
pub(super) struct Presentation<'m> {
    mib: &'m Mib,
    options: OutputOptions,
    /// For commands: names and values without types.
    quick: OutputOptions,
    format: Format,
}

impl<'m> Presentation<'m> {
    pub(super) fn new(
        mib: &'m Mib,
        options: &OutputOptions,
        format: Format,
    ) -> Result<Self, Failure> {
        if format == Format::Csv {
            return Err(Failure::Usage(
                "notifications have no fixed columns: use --json instead of --csv".to_owned(),
            ));
        }
        // Whoever reads lines must be able to rely on them.
        let mut options = options.clone();
        options.one_line = true;
        let mut quick = options.clone();
        quick
            .apply("q")
            .map_err(|error| Failure::Usage(error.to_string()))?;
        Ok(Self {
            mib,
            options,
            quick,
            format,
        })
    }

    pub(super) fn append(&self, arrived: &Arrived, out: &mut String) {
        match self.format {
            Format::Json => {
                self.append_json(arrived, out);
                out.push('\n');
            }
            _ => self.append_text(arrived, out),
        }
    }

    fn name(&self, oid: &[u32]) -> String {
        let mut text = String::new();
        format_name(self.mib, &self.options, oid, &mut text);
        text
    }

    /// A line with what is the same for all notifications, and one for each variable binding.
    fn append_text(&self, arrived: &Arrived, out: &mut String) {
        let received = &arrived.received;
        let notification = &received.notification;
        let mut up_time = String::new();
        format_value(
            self.mib,
            &self.options,
            &[],
            ValueRef::TimeTicks(notification.up_time),
            &mut up_time,
        );
        append(
            out,
            format_args!(
                "{} {}:{} {} {} {} up {}\n",
                rfc3339(arrived.time),
                arrived.transport,
                received.source,
                version(received),
                kind(received),
                self.name(notification.trap_oid.arcs()),
                up_time.trim_start_matches("Timeticks: ")
            ),
        );
        for VarBind { name, value } in &notification.var_binds {
            out.push_str("    ");
            format_var_bind(
                self.mib,
                &self.options,
                name.arcs(),
                value.as_value_ref(),
                out,
            );
            out.push('\n');
        }
    }

    fn append_json(&self, arrived: &Arrived, out: &mut String) {
        let received = &arrived.received;
        let notification = &received.notification;
        let mut name = String::new();
        let arcs = notification.trap_oid.arcs();
        format_name(self.mib, &OutputOptions::default(), arcs, &mut name);
        let mut separator = '{';
        for (key, text) in [
            ("time", rfc3339(arrived.time).as_str()),
            ("transport", &arrived.transport.to_string()),
            ("source", &received.source.to_string()),
            ("version", version(received)),
            ("kind", kind(received)),
            ("security_name", received.security_name.as_str()),
            ("context", &received.context_name),
            ("notification", &name),
            ("oid", &notification.trap_oid.to_string()),
        ] {
            out.push(separator);
            append_string(key, out);
            out.push(':');
            append_string(text, out);
            separator = ',';
        }
        append(out, format_args!(",\"up_time\":{}", notification.up_time));
        if let Some(trap) = &received.trap_v1 {
            append_trap_v1(trap, out);
        }
        out.push_str(",\"var_binds\":[");
        for (at, VarBind { name, value }) in notification.var_binds.iter().enumerate() {
            if at > 0 {
                out.push(',');
            }
            let var_bind = MachineVarBind::new(self.mib, name.arcs(), value.as_value_ref());
            append_var_bind(&var_bind, out);
        }
        out.push_str("]}");
    }

    /// What a command is given.
    pub(super) fn job(&self, arrived: &Arrived) -> Job {
        let received = &arrived.received;
        let notification = &received.notification;
        let source = received.source;
        let ip = source.ip().to_canonical();
        let transport = match arrived.transport {
            Transport::Udp => "UDP",
            Transport::Tcp => "TCP",
            Transport::Tls => "TLS",
            Transport::Dtls => "DTLS",
            Transport::Ssh => "SSH",
        };
        let mut input = format!("{ip}\n{transport}: [{ip}]:{}\n", source.port());
        for VarBind { name, value } in notification.to_var_binds() {
            format_var_bind(
                self.mib,
                &self.quick,
                name.arcs(),
                value.as_value_ref(),
                &mut input,
            );
            input.push('\n');
        }
        let mut environment = vec![
            ("VARBIND_TIME", rfc3339(arrived.time)),
            ("VARBIND_SOURCE", source.to_string()),
            ("VARBIND_VERSION", version(received).to_owned()),
            ("VARBIND_KIND", kind(received).to_owned()),
            (
                "VARBIND_NOTIFICATION",
                self.name(notification.trap_oid.arcs()),
            ),
            ("VARBIND_OID", notification.trap_oid.to_string()),
        ];
        let mut json = String::new();
        self.append_json(arrived, &mut json);
        if json.len() <= LARGEST_VARIABLE {
            environment.push(("VARBIND_JSON", json));
        }
        Job { input, environment }
    }
}

fn append_trap_v1(trap: &TrapV1Parameters, out: &mut String) {
    let [a, b, c, d] = trap.agent_address;
    append(
        out,
        format_args!(
            ",\"v1\":{{\"enterprise\":\"{}\",\"agent_address\":\"{a}.{b}.{c}.{d}\",\"generic\":{},\"specific\":{}}}",
            trap.enterprise,
            GenericTrap::code(trap.generic_trap),
            trap.specific_trap
        ),
    );
}

/// Writing into a string does not fail.
fn append(out: &mut String, arguments: std::fmt::Arguments<'_>) {
    let _ = out.write_fmt(arguments);
}

pub(crate) const fn version(received: &ReceivedNotification) -> &'static str {
    match received.version {
        Version::V1 => "v1",
        Version::V2c => "v2c",
        Version::V3 => "v3",
    }
}

pub(crate) const fn kind(received: &ReceivedNotification) -> &'static str {
    match received.kind {
        NotificationKind::Trap => "trap",
        NotificationKind::Inform => "inform",
    }
}
