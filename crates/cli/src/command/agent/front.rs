use clap::{Args, ValueEnum};
use varbind::engine::applications::command_generator::MessageProcessing;
use varbind::transport::TransportAddress;
use varbind_agent::Front;
use varbind_terminal::Failure;

use crate::arguments::CommunityArguments;
use crate::session::community;

const HEADING: &str = "Front";

/// The agent behind this one.
#[derive(Args, Debug)]
pub(super) struct FrontArguments {
    /// Pass requests for anything on to this device instead of serving objects: the agent becomes its front, over TLS, DTLS
    /// and SSH if the configuration has them
    ///
    /// Requests are passed on read-only, in SNMPv2c with the community of -c. [[proxy]] in the configuration can do more.
    #[arg(help_heading = HEADING, long, value_name = "ADDRESS", conflicts_with_all = ["seal", "init"])]
    front: Option<TransportAddress>,

    /// Version that the device speaks
    #[arg(help_heading = HEADING, long, value_name = "VERSION", value_enum, default_value_t, requires = "front")]
    front_version: FrontVersion,

    #[command(flatten)]
    community: CommunityArguments,
}

/// A version without users.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum FrontVersion {
    /// SNMPv1.
    #[value(name = "1")]
    V1,
    /// SNMPv2c.
    #[default]
    #[value(name = "2c")]
    V2c,
}

impl FrontArguments {
    pub(super) fn front(&self) -> Result<Option<Front>, Failure> {
        let Some(address) = &self.front else {
            let CommunityArguments {
                community,
                community_file,
            } = &self.community;
            return match community.is_some() || community_file.is_some() {
                true => Err(Failure::Usage(
                    "a community belongs to a device: name it with --front".to_owned(),
                )),
                false => Ok(None),
            };
        };
        if address.transport.is_secure() {
            return Err(Failure::Usage(format!(
                "{address}: --front is for devices over UDP and TCP; write a device over TLS, DTLS or SSH as [[proxy]]"
            )));
        }
        let community = community(&self.community)?;
        Ok(Some(Front {
            address: address.clone(),
            processing: match self.front_version {
                FrontVersion::V1 => MessageProcessing::V1 { community },
                FrontVersion::V2c => MessageProcessing::V2c { community },
            },
        }))
    }
}
