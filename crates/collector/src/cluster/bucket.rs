//! The buckets of a cluster, as watchers see them.
//!
//! A bucket is made as the stream that it is: [`Context::create_key_value`] asks servers before 2.10 for what they do not have.

use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::Context;
use async_nats::jetstream::kv::{Entry, Operation, Store};
use async_nats::jetstream::stream::{self, DiscardPolicy};
use futures_util::StreamExt;
use tokio::sync::{mpsc, watch};
use tokio::time::sleep;

use super::leases::Event;
use super::shard::Shard;

pub(super) const SHARD_KEY: &str = "shard.";
pub(super) const MEMBER_KEY: &str = "member.";
/// The key of the fleet's configuration.
const FLEET_KEY: &str = "fleet";

/// The bucket of leases: keys are forgotten with them.
pub(super) async fn leases(
    context: &Context,
    bucket: &str,
    lease: Duration,
    replicas: usize,
) -> Result<Store, String> {
    let store = open(
        context,
        bucket,
        stream::Config {
            description: Some("leases of varbind's collectors on shards of targets".to_owned()),
            max_messages_per_subject: 1,
            max_age: lease,
            num_replicas: replicas,
            ..stream::Config::default()
        },
    )
    .await?;
    let status = store
        .status()
        .await
        .map_err(|error| format!("bucket {bucket}: {error}"))?;
    match status.max_age() {
        found if found == lease => Ok(store),
        found => Err(format!(
            "bucket {bucket}: its entries last {found:?}, but lease is {lease:?}: use the same lease on all collectors, or another bucket"
        )),
    }
}

/// The bucket of the configuration, with former versions.
pub(super) async fn configuration(
    context: &Context,
    bucket: &str,
    replicas: usize,
) -> Result<Store, String> {
    let stream = stream::Config {
        description: Some("configuration of varbind's collectors".to_owned()),
        max_messages_per_subject: 10,
        num_replicas: replicas,
        ..stream::Config::default()
    };
    open(context, bucket, stream).await
}

/// Opens a bucket, or makes it. It is on disk: revisions must not begin anew when the server is restarted.
async fn open(context: &Context, bucket: &str, stream: stream::Config) -> Result<Store, String> {
    if let Ok(store) = context.get_key_value(bucket).await {
        return Ok(store);
    }
    let stream = stream::Config {
        name: format!("KV_{bucket}"),
        subjects: vec![format!("$KV.{bucket}.>")],
        discard: DiscardPolicy::New,
        allow_rollup: true,
        deny_delete: true,
        allow_direct: true,
        ..stream
    };
    let created = context.create_stream(stream).await;
    created.map_err(|error| {
        format!("bucket {bucket}: {error}: is JetStream enabled on the server?")
    })?;
    let store = context.get_key_value(bucket).await;
    store.map_err(|error| format!("bucket {bucket}: {error}"))
}

/// Forwards the present leases and members, and then each change.
pub(super) async fn watch_leases(store: Store, news: mpsc::UnboundedSender<Event>) {
    let forward = |entry: &Entry| event(entry).is_none_or(|event| news.send(event).is_ok());
    follow(&store, ">", forward).await;
}

/// Forwards the configuration whenever it changes.
pub(super) async fn watch_configuration(store: Store, text: watch::Sender<Option<Arc<str>>>) {
    follow(&store, FLEET_KEY, |entry| {
        let value = (entry.operation == Operation::Put)
            .then(|| String::from_utf8_lossy(&entry.value).into());
        text.send_if_modified(|known| {
            let is_new = *known != value;
            *known = value;
            is_new
        });
        !text.is_closed()
    })
    .await;
}

/// Forwards changes of keys, as long as `forward` returns true.
async fn follow(store: &Store, keys: &str, forward: impl Fn(&Entry) -> bool) {
    loop {
        if let Ok(mut entries) = store.watch_with_history(keys).await {
            while let Some(entry) = entries.next().await {
                match entry {
                    Ok(entry) => {
                        if !forward(&entry) {
                            return;
                        }
                    }
                    Err(error) => {
                        log::debug!("cluster: watch: {error}");
                        break;
                    }
                }
            }
        }
        sleep(Duration::from_millis(200)).await;
    }
}

fn event(entry: &Entry) -> Option<Event> {
    let is_put = entry.operation == Operation::Put;
    let value = String::from_utf8_lossy(&entry.value).into_owned();
    if let Some(number) = entry.key.strip_prefix(SHARD_KEY) {
        let shard = Shard::new(number.parse().ok()?);
        let revision = entry.revision;
        return Some(match is_put {
            true => Event::Seen {
                shard,
                holder: value,
                revision,
            },
            false => Event::Freed { shard, revision },
        });
    }
    let incarnation = entry.key.strip_prefix(MEMBER_KEY)?.to_owned();
    Some(match is_put {
        true => Event::Member {
            incarnation,
            name: value,
        },
        false => Event::MemberGone { incarnation },
    })
}
