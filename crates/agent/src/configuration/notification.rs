//! Targets of notifications.

use std::time::Duration;

use toml::Spanned;
use varbind::transport::{Transport, TransportAddress};
use varbind_engine::access_control::ViewTreeFamily;
use varbind_engine::applications::command_generator::{MessageProcessing, RetryPolicy};
use varbind_engine::applications::notification::NotificationFilter;
use varbind_engine::applications::notification_receiver::NotificationKind;

use super::document::{self, Kind, Subtree, TargetVersion};
use super::error::Problem;

/// How often an inform is sent again where only the time-out is written.
const RETRIES: u32 = 5;
/// How long an inform waits for its acknowledgement where only the retries are written.
const TIMEOUT: Duration = Duration::from_secs(1);
const MAX_WAITING: usize = 1000;
/// What lies below these is every name.
const ROOTS: [&[u32]; 4] = [&[0, 0], &[1, 0], &[1, 3], &[2, 0]];

/// A target, checked.
#[derive(Clone, Debug)]
pub(crate) struct ConfiguredTarget {
    pub(crate) address: TransportAddress,
    pub(crate) processing: MessageProcessing,
    pub(crate) kind: NotificationKind,
    pub(crate) filter: NotificationFilter,
    /// `None` adapts to the target.
    pub(crate) retry: Option<RetryPolicy>,
    pub(crate) max_waiting: usize,
}

pub(super) fn targets(
    targets: Vec<document::NotificationTarget>,
) -> Result<Vec<ConfiguredTarget>, Problem> {
    targets.into_iter().map(target).collect()
}

fn target(target: document::NotificationTarget) -> Result<ConfiguredTarget, Problem> {
    if target.community.get_ref().is_empty() {
        return Err(Problem::at(
            target.community.span(),
            "the community of a target must not be empty",
        ));
    }
    let kind = target.kind.get_ref();
    let kind = match (kind, target.version) {
        (Kind::Trap, _) => NotificationKind::Trap,
        (Kind::Inform, TargetVersion::V2c) => NotificationKind::Inform,
        (Kind::Inform, TargetVersion::V1) => {
            return Err(Problem::at(
                target.kind.span(),
                "SNMPv1 has no inform: write `kind = \"trap\"` or `version = \"v2c\"`",
            ));
        }
    };
    let community = target.community.into_inner().into_bytes();
    Ok(ConfiguredTarget {
        retry: retry(target.timeout, target.retries, kind, &target.address.0)?,
        address: target.address.0,
        processing: match target.version {
            TargetVersion::V1 => MessageProcessing::V1 { community },
            TargetVersion::V2c => MessageProcessing::V2c { community },
        },
        kind,
        filter: filter(target.include, target.exclude)?,
        max_waiting: target.queue.unwrap_or(MAX_WAITING),
    })
}

fn retry(
    timeout: Option<Spanned<document::Duration>>,
    retries: Option<Spanned<u32>>,
    kind: NotificationKind,
    address: &TransportAddress,
) -> Result<Option<RetryPolicy>, Problem> {
    let written = timeout.as_ref().map(Spanned::span);
    let written = written.or_else(|| retries.as_ref().map(Spanned::span));
    match written {
        None => Ok(None),
        Some(span) if kind == NotificationKind::Trap => Err(Problem::at(
            span,
            "`timeout` and `retries` have no effect on traps, which nobody acknowledges; write `kind = \"inform\"`",
        )),
        Some(_) if address.transport == Transport::Tcp && retries.is_some() => Err(Problem::at(
            retries.map(|retries| retries.span()).unwrap_or_default(),
            "`retries` has no effect over TCP, which repeats by itself what is lost",
        )),
        Some(_) => Ok(Some(RetryPolicy::Fixed {
            timeout: timeout.map_or(TIMEOUT, |timeout| timeout.into_inner().0),
            retries: retries.map_or(RETRIES, Spanned::into_inner),
        })),
    }
}

/// What is excluded alone is excluded from everything.
fn filter(include: Vec<Subtree>, exclude: Vec<Subtree>) -> Result<NotificationFilter, Problem> {
    let is_everything = include.is_empty() && !exclude.is_empty();
    let included = include.into_iter().map(|subtree| subtree.0);
    let excluded = exclude.into_iter().map(|subtree| ViewTreeFamily {
        included: false,
        ..subtree.0
    });
    let mut families: Vec<_> = included.chain(excluded).collect();
    if is_everything {
        for root in ROOTS {
            families.push(ViewTreeFamily {
                subtree: varbind_codec::smi::Oid::new(root)
                    .map_err(|error| Problem::anywhere(error.to_string()))?,
                mask: varbind_engine::access_control::ViewMask::default(),
                included: true,
            });
        }
    }
    Ok(NotificationFilter::new(families))
}
