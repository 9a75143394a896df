use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::time::Duration;

use varbind::client::{Client, Target};
#[cfg(feature = "experiments")]
use varbind::compression::Compression;
use varbind::engine::applications::command_generator::{MessageProcessing, RetryPolicy};
#[cfg(feature = "experiments")]
use varbind::manager::ManagerOptions;
use varbind::transport::{SecureTransportOptions, TransportAddress};
use varbind_terminal::Failure;
use varbind_terminal::secret::first_line;

use crate::arguments::{CommunityArguments, SessionArguments, SnmpVersion};
use crate::credentials;
use crate::secure_transport;

/// What holds where only one of -t and -r is given, as in Net-SNMP.
const TIMEOUT: Duration = Duration::from_secs(1);
const RETRIES: u32 = 5;
/// What holds where neither is given.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// How the agent is spoken to.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) processing: MessageProcessing,
    pub(crate) retry: RetryPolicy,
    pub(crate) connect_timeout: Duration,
    pub(crate) secure: SecureTransportOptions,
    pub(crate) max_message_size: Option<usize>,
    #[cfg(feature = "experiments")]
    pub(super) compression: Option<Compression>,
}

impl Settings {
    /// What the arguments say.
    pub(crate) fn new(arguments: &SessionArguments) -> Result<Self, Failure> {
        Self::with(arguments, processing(arguments)?)
    }

    /// What the arguments say but for the version.
    pub(crate) fn with(
        arguments: &SessionArguments,
        processing: MessageProcessing,
    ) -> Result<Self, Failure> {
        let secure = secure_transport::options(arguments)?;
        Ok(Self::over(arguments, processing, secure))
    }

    /// The same where it is known how the transport is opened.
    pub(crate) fn over(
        arguments: &SessionArguments,
        processing: MessageProcessing,
        secure: SecureTransportOptions,
    ) -> Self {
        let mut retry = RetryPolicy::default();
        let mut connect_timeout = CONNECT_TIMEOUT;
        if arguments.timeout.is_some() || arguments.retries.is_some() {
            retry = RetryPolicy::Fixed {
                timeout: arguments.timeout.unwrap_or(TIMEOUT),
                retries: arguments.retries.unwrap_or(RETRIES),
            };
            // A connection may take as long as a request.
            connect_timeout = retry.limits().give_up_after;
        }
        Self {
            processing,
            retry,
            connect_timeout,
            secure,
            max_message_size: arguments.max_message_size.map(usize::from),
            #[cfg(feature = "experiments")]
            compression: arguments.compression,
        }
    }

    /// The same time for each attempt.
    pub(crate) fn fixed(
        processing: MessageProcessing,
        timeout: Duration,
        retries: u32,
        secure: SecureTransportOptions,
    ) -> Self {
        let retry = RetryPolicy::Fixed { timeout, retries };
        Self {
            processing,
            connect_timeout: retry.limits().give_up_after,
            retry,
            secure,
            max_message_size: None,
            #[cfg(feature = "experiments")]
            compression: None,
        }
    }

    pub(super) fn target(self, client: &Client, address: &TransportAddress) -> Target {
        let mut target = client.target_at(address.clone());
        if let Some(tls) = self.secure.tls {
            target = target.tls_client(tls);
        }
        target = target
            .ssh(self.secure.ssh)
            .message_processing(self.processing)
            .retry(self.retry)
            .connect_timeout(self.connect_timeout);
        match self.max_message_size {
            Some(octets) => target.max_message_size(octets),
            None => target,
        }
    }

    #[cfg(feature = "experiments")]
    pub(super) fn manager_options(self) -> ManagerOptions {
        let mut options = ManagerOptions::v2c("");
        options.processing = self.processing;
        options.retry = self.retry;
        options.connect_timeout = self.connect_timeout;
        options.secure = self.secure;
        options.max_message_size = self.max_message_size;
        options.compression = self.compression;
        options
    }
}

/// The version, and what goes with it.
pub(crate) fn processing(arguments: &SessionArguments) -> Result<MessageProcessing, Failure> {
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
