//! The session with the agent.

use std::ffi::OsString;
use std::net::IpAddr;
use std::os::unix::ffi::OsStringExt;
use std::time::Duration;

use varbind::codec::smi::Oid;
use varbind::compression::Compression;
use varbind::engine::applications::command_generator::{
    MessageProcessing, Response, RetryPolicy, WalkError,
};
use varbind::manager::{Manager, ManagerOptions, SecureTransportOptions, Unanswered, WalkFailure};
use varbind_mib::{Access, Kind, Mib, Object, OutputOptions, format_name};
use varbind_terminal::secret::first_line;
use varbind_terminal::{Failure, log, object_names, tell};

use crate::arguments::{CommunityArguments, SessionArguments, SnmpVersion};
use crate::credentials;
use crate::error_status::explanation_in;
use crate::output::tell_silence;
use crate::secure_transport;

/// What holds where only one of -t and -r is given, as in Net-SNMP.
const TIMEOUT: Duration = Duration::from_secs(1);
const RETRIES: u32 = 5;

/// Opens a session as the arguments say.
pub(crate) fn open(arguments: &SessionArguments) -> Result<Manager, Failure> {
    log::start_if_wanted(arguments.debug);
    let mut manager = Manager::open(&arguments.target, options(arguments)?)?;
    tell_silence(&mut manager, &arguments.target);
    if let Some(wanted) = arguments.compression {
        let target = &arguments.target;
        match manager.negotiate_compression()? {
            Some(agreed) if agreed == wanted => {}
            Some(agreed) => tell(format_args!(
                "varbind: {target}: messages are compressed by {agreed}: the agent or the transport has no {wanted}"
            )),
            None => tell(format_args!(
                "varbind: {target}: messages are not compressed: the agent does not take {wanted}"
            )),
        }
    }
    Ok(manager)
}

/// What the arguments say of a session.
pub(crate) fn options(arguments: &SessionArguments) -> Result<ManagerOptions, Failure> {
    options_with(arguments, processing(arguments)?)
}

/// What the arguments say of a session but for its version.
pub(crate) fn options_with(
    arguments: &SessionArguments,
    processing: MessageProcessing,
) -> Result<ManagerOptions, Failure> {
    let secure = secure_transport::options(arguments)?;
    Ok(options_over(arguments, processing, secure))
}

/// The same where it is known how the transport is opened.
pub(crate) fn options_over(
    arguments: &SessionArguments,
    processing: MessageProcessing,
    secure: SecureTransportOptions,
) -> ManagerOptions {
    let mut options = ManagerOptions::v2c("");
    options.secure = secure;
    options.processing = processing;
    options.compression = arguments.compression;
    options.max_message_size = arguments.max_message_size.map(usize::from);
    if arguments.timeout.is_some() || arguments.retries.is_some() {
        options.retry = RetryPolicy::Fixed {
            timeout: arguments.timeout.unwrap_or(TIMEOUT),
            retries: arguments.retries.unwrap_or(RETRIES),
        };
        // A connection may take as long as a request.
        options.connect_timeout = options.retry.limits().give_up_after;
    }
    options
}

/// The version, and what goes with it.
fn processing(arguments: &SessionArguments) -> Result<MessageProcessing, Failure> {
    let version = arguments.version();
    if version != SnmpVersion::V3 && arguments.user.name.is_some() {
        return Err(Failure::Usage(
            "-u names a user of SNMPv3: add -v3".to_owned(),
        ));
    }
    Ok(match version {
        SnmpVersion::V1 => MessageProcessing::V1 {
            community: community(&arguments.community)?,
        },
        SnmpVersion::V2c => MessageProcessing::V2c {
            community: community(&arguments.community)?,
        },
        SnmpVersion::V3
            if arguments.target.transport.is_secure() && arguments.user.name.is_none() =>
        {
            MessageProcessing::V3(Box::new(credentials::transport_parameters(&arguments.user)))
        }
        SnmpVersion::V3 => {
            MessageProcessing::V3(Box::new(credentials::parameters(&arguments.user)?))
        }
    })
}

pub(crate) fn community(arguments: &CommunityArguments) -> Result<Vec<u8>, Failure> {
    if let Some(community) = &arguments.community {
        return Ok(community.0.clone());
    }
    let Some(path) = &arguments.community_file else {
        let community = std::env::var_os("VARBIND_COMMUNITY");
        return Ok(community.map_or_else(|| b"public".to_vec(), OsString::into_vec));
    };
    first_line(path, "community file")
}

/// Reads the names of objects that a command asks its agent for.
pub(crate) fn requested_names(
    arguments: &SessionArguments,
    mib: &Mib,
    texts: &[String],
) -> Result<Vec<Oid>, Failure> {
    let (names, failures) = object_names::read_names(mib, texts);
    let host = &arguments.target.host;
    if !failures.is_empty() && is_object(mib, host) {
        return Err(Failure::Usage(format!(
            "{host} is the name of an object: the address comes first, as in varbind get router1 sysDescr.0"
        )));
    }
    object_names::all_or_failures(names, failures)
}

/// Whether what stands for a host is rather the name of an object.
fn is_object(mib: &Mib, host: &str) -> bool {
    host.parse::<IpAddr>().is_err() && mib.resolve(host).is_ok()
}

/// What an error-status says, and of which object: its name is from the request, since some agents do not repeat it.
pub(crate) fn error_text<'n>(
    arguments: &SessionArguments,
    mib: &Mib,
    options: &OutputOptions,
    response: &Response,
    mut requested: impl Iterator<Item = &'n Oid>,
) -> String {
    let status = response.error_status;
    let mut text = format!("{}: the agent answered {status}", arguments.target);
    let at = usize::try_from(response.error_index).unwrap_or(usize::MAX);
    if let Some(name) = at.checked_sub(1).and_then(|at| requested.nth(at)) {
        text.push_str(" for ");
        format_name(mib, options, name.arcs(), &mut text);
    }
    text.push_str(": ");
    text.push_str(&explanation_in(arguments, status));
    text
}

/// The columns of the table that a name stands for, or is the row of: a walk retrieves them side by side.
pub(crate) fn columns_below(mib: &Mib, root: &Oid) -> Vec<Oid> {
    let Some(table) = mib.table_at(root.arcs()) else {
        return Vec::new();
    };
    let accessible = |column: &&Object<'_>| column.access() != Some(Access::NotAccessible);
    let columns = table.columns().iter().filter(accessible);
    columns
        .filter_map(|column| Oid::new(column.oid()).ok())
        .collect()
}

/// The columns of all tables at and below a name, where a walk makes use of them: in a session with a dictionary.
pub(crate) fn columns_for_walk(arguments: &SessionArguments, mib: &Mib, root: &Oid) -> Vec<Oid> {
    if arguments.compression != Some(Compression::Dictionary) {
        return Vec::new();
    }
    let is_column = |object: &Object<'_>| {
        object.kind() == Kind::Column && object.access() != Some(Access::NotAccessible)
    };
    let columns = mib.subtree(root.arcs()).filter(is_column);
    columns
        .filter_map(|column| Oid::new(column.oid()).ok())
        .collect()
}

/// Why a walk ended early, with the names of the objects concerned.
pub(crate) fn walk_failure(
    arguments: &SessionArguments,
    mib: &Mib,
    options: &OutputOptions,
    failure: WalkFailure,
) -> Failure {
    let shown = |name: &Oid| {
        let mut text = String::new();
        format_name(mib, options, name.arcs(), &mut text);
        text
    };
    let target = &arguments.target;
    let before = match failure.summary.objects {
        1 => "1 object came before".to_owned(),
        objects => format!("{objects} objects came before"),
    };
    match failure.error {
        WalkError::NotIncreasing { previous, name } => Failure::Protocol(format!(
            "{target}: the agent does not sort its objects: {} came behind {} ({before}); -Cc takes them as they come",
            shown(&name),
            shown(&previous)
        )),
        WalkError::Repeats(name) => Failure::Protocol(format!(
            "{target}: the agent repeats itself: it came back to {} ({before})",
            shown(&name)
        )),
        WalkError::EmptyAnswer(name) => Failure::Protocol(format!(
            "{target}: the agent answered without any object when asked what follows {} ({before})",
            shown(&name)
        )),
        WalkError::ErrorStatus { status, name } => Failure::ErrorStatus(format!(
            "{target}: the agent answered {status} when asked what follows {}: {} ({before})",
            shown(&name),
            explanation_in(arguments, status)
        )),
        WalkError::Failed {
            failure: reason,
            name,
        } => Failure::Unanswered {
            context: format!("; this was asked: what follows {} ({before})", shown(&name)),
            unanswered: Box::new(Unanswered {
                target: failure.target,
                remote: failure.remote,
                principal: failure.principal,
                failure: reason,
            }),
        },
        WalkError::Send(error) => Failure::Usage(format!("{target}: {error}")),
        error => Failure::Protocol(format!("{target}: {error} ({before})")),
    }
}
