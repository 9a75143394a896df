use clap::Args;
use varbind::engine::applications::command_generator::{Method, WalkOptions};

use super::SnmpVersion;

/// How subtrees are retrieved.
#[derive(Args, Debug)]
#[command(next_help_heading = "Retrieval")]
pub(crate) struct WalkArguments {
    /// Ask this often in each GetBulkRequest; without it the number adapts to the agent and its messages (-CrN)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    max_repetitions: Option<u16>,

    /// Make GetNextRequests, as with SNMPv1 (-CB)
    #[arg(long, conflicts_with = "max_repetitions")]
    get_next: bool,

    /// Names that a request asks for once only; with any but 0 each request brings one object, as with -CB (-CnN)
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    non_repeaters: u16,

    /// One request at a time, front to back
    #[arg(long)]
    sequential: bool,

    /// Give up when the agent has more objects than this
    #[arg(long, value_name = "N", default_value_t = WalkOptions::default().max_objects)]
    max_objects: u64,
}

impl WalkArguments {
    /// Whether requests bring one object for each name.
    pub(crate) fn is_get_next(&self, version: SnmpVersion) -> bool {
        self.has_get_next() || version == SnmpVersion::V1
    }

    /// Whether the options ask for GetNextRequests.
    const fn has_get_next(&self) -> bool {
        self.get_next || self.non_repeaters > 0
    }

    pub(crate) fn options(&self) -> WalkOptions {
        WalkOptions {
            method: if self.has_get_next() {
                Method::GetNext
            } else {
                Method::GetBulk {
                    max_repetitions: self.max_repetitions,
                }
            },
            sequential: self.sequential,
            max_objects: self.max_objects,
            root_if_empty: false,
            ..WalkOptions::default()
        }
    }
}
