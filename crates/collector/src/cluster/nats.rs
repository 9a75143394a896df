//! Leases in a bucket of NATS JetStream.

use std::io;
use std::sync::{Arc, Mutex, PoisonError, mpsc as channel};
use std::thread;
use std::time::{Duration, Instant};

use async_nats::jetstream::context::ContextBuilder;
use async_nats::jetstream::kv::{CreateErrorKind, Store, UpdateErrorKind};
use serde::Deserialize;
use tokio::runtime::Builder;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::bucket::{self, MEMBER_KEY, SHARD_KEY};
use super::leases::{Action, Event, LeaseSettings, Leases};
use super::shard::{SHARDS, Shard};
use crate::module::duration;
use crate::nats::{NatsConfiguration, Server};

/// How collectors share a fleet.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct ClusterConfiguration {
    /// How the server is reached.
    pub nats: NatsConfiguration,
    /// The name of this collector, which no other one has. It gets its shards again when it is started again.
    pub name: String,
    /// The bucket of the leases, which is created if it does not exist.
    pub bucket: String,
    /// The bucket of the fleet's configuration, which is created if it does not exist.
    pub configuration_bucket: String,
    /// How long a lease lasts unless it is renewed: as long a killed collector's targets may stay without a poll.
    #[serde(deserialize_with = "duration::deserialize")]
    pub lease: Duration,
    /// Whether shards are still polled while NATS does not respond.
    pub poll_without_nats: bool,
}

impl Default for ClusterConfiguration {
    fn default() -> Self {
        Self {
            nats: NatsConfiguration::default(),
            name: String::new(),
            bucket: "varbind_leases".to_owned(),
            configuration_bucket: "varbind_configuration".to_owned(),
            lease: Duration::from_secs(15),
            poll_without_nats: true,
        }
    }
}

/// The shortest lease: a slower network would lose it.
const SHORTEST_LEASE: Duration = Duration::from_secs(1);
/// How long the last requests of a collector that ends may take.
const FAREWELL: Duration = Duration::from_secs(2);

/// Why a collector cannot take part.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClusterError {
    /// A setting is wrong.
    #[error("cluster: {0}")]
    Configuration(String),
    /// The system has no thread for it.
    #[error("cluster: cannot start a thread: {0}")]
    Thread(#[from] io::Error),
}

/// The membership of a collector: it ends when this is dropped, and its shards are free at once.
#[derive(Debug)]
pub struct Cluster {
    held: Arc<Held>,
    shards: watch::Receiver<Vec<Shard>>,
    fleet: watch::Receiver<Option<Arc<str>>>,
    stop: Option<watch::Sender<bool>>,
    ended: channel::Receiver<()>,
}

/// What is held, for those who poll.
#[derive(Debug)]
struct Held {
    origin: Instant,
    shards: Mutex<Vec<Option<Tenure>>>,
}

#[derive(Clone, Copy, Debug)]
struct Tenure {
    revision: u64,
    /// `None` while NATS does not respond and shards are kept.
    until: Option<Duration>,
}

impl Cluster {
    /// Joins, in a thread of its own. A server that does not respond is no error: it is asked until it does.
    ///
    /// # Errors
    /// When a setting is wrong.
    pub fn join(configuration: &ClusterConfiguration) -> Result<Self, ClusterError> {
        let wrong = |why: &str| ClusterError::Configuration(why.to_owned());
        if configuration.lease < SHORTEST_LEASE {
            let lease = configuration.lease;
            return Err(wrong(&format!(
                "lease: {lease:?} is shorter than one second: write \"1s\" or more"
            )));
        }
        let is_name =
            |character: char| character.is_ascii_alphanumeric() || "-_.".contains(character);
        if configuration.name.is_empty() || !configuration.name.chars().all(is_name) {
            return Err(wrong("name: use letters, digits, '-', '_' and '.'"));
        }
        let server = Server::new(&configuration.nats).map_err(ClusterError::Configuration)?;
        let origin = Instant::now();
        let held = Arc::new(Held {
            origin,
            shards: Mutex::new(vec![None; SHARDS]),
        });
        let (stop, stopped) = watch::channel(false);
        let (changed, shards) = watch::channel(Vec::new());
        let (text, fleet) = watch::channel(None);
        let (ending, ended) = channel::channel();
        let session = Session {
            settings: configuration.clone(),
            server,
            held: Arc::clone(&held),
            changed,
            configuration: Some(text),
            incarnation: incarnation(),
        };
        let runtime = Builder::new_current_thread().enable_all().build()?;
        thread::Builder::new()
            .name("cluster".to_owned())
            .spawn(move || {
                let _ending: channel::Sender<()> = ending;
                runtime.block_on(session.run(stopped));
            })?;
        Ok(Self {
            held,
            shards,
            fleet,
            stop: Some(stop),
            ended,
        })
    }

    /// The revision of the lease on the shard of a target, if this collector holds it now: then it polls the target, and its results carry the
    /// revision.
    #[must_use]
    pub fn lease(&self, target: &str) -> Option<u64> {
        self.shard_lease(Shard::of(target))
    }

    /// The revision of the lease on a shard, if this collector holds it now.
    #[must_use]
    pub fn shard_lease(&self, shard: Shard) -> Option<u64> {
        let shards = self
            .held
            .shards
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let tenure = (*shards.get(usize::from(shard.number()))?)?;
        drop(shards);
        let now = self.held.origin.elapsed();
        tenure
            .until
            .is_none_or(|until| now < until)
            .then_some(tenure.revision)
    }

    /// The shards that are held.
    #[must_use]
    pub fn shards(&self) -> watch::Receiver<Vec<Shard>> {
        self.shards.clone()
    }

    /// The configuration of the fleet in NATS: the text of the key `fleet`, if there is one and it has been seen. It changes whenever somebody
    /// writes the key.
    #[must_use]
    pub fn configuration(&self) -> watch::Receiver<Option<Arc<str>>> {
        self.fleet.clone()
    }
}

impl Drop for Cluster {
    /// Hands over the shards, for two seconds at most.
    fn drop(&mut self) {
        self.stop = None;
        // The thread sends nothing: it ends, or the time is over.
        let _ = self.ended.recv_timeout(FAREWELL);
    }
}

/// A text that no other process has.
fn incarnation() -> String {
    use std::hash::{BuildHasher, RandomState};
    let random = RandomState::new().hash_one(std::process::id());
    format!("{random:016x}")
}

struct Session {
    settings: ClusterConfiguration,
    server: Server,
    held: Arc<Held>,
    changed: watch::Sender<Vec<Shard>>,
    configuration: Option<watch::Sender<Option<Arc<str>>>>,
    incarnation: String,
}

impl Session {
    fn now(&self) -> Duration {
        self.held.origin.elapsed()
    }

    async fn run(mut self, mut stop: watch::Receiver<bool>) {
        let (store, configuration) = tokio::select! {
            stores = self.stores() => stores,
            // The sender is dropped.
            _ = stop.changed() => return,
        };
        let settings = LeaseSettings {
            name: self.settings.name.clone(),
            incarnation: self.incarnation.clone(),
            lease: self.settings.lease,
            keep_while_away: self.settings.poll_without_nats,
        };
        let mut leases = Leases::new(settings, self.now());
        let (news, mut entries) = mpsc::unbounded_channel();
        let watching = tokio::spawn(bucket::watch_leases(store.clone(), news));
        if let Some(text) = self.configuration.take() {
            tokio::spawn(bucket::watch_configuration(configuration, text));
        }
        let mut requests = JoinSet::new();
        let tick = (self.settings.lease / 50).max(Duration::from_millis(20));
        loop {
            let now = self.now();
            for action in leases.actions(now) {
                requests.spawn(self.request(&store, action, now));
            }
            self.publish(&leases);
            tokio::select! {
                () = sleep(tick) => {}
                Some(event) = entries.recv() => leases.handle(self.now(), event),
                Some(Ok(event)) = requests.join_next(), if !requests.is_empty() => {
                    leases.handle(self.now(), event);
                }
                _ = stop.changed() => break,
            }
            // Whatever else has arrived belongs to the same moment.
            while let Ok(event) = entries.try_recv() {
                leases.handle(self.now(), event);
            }
            while let Some(Ok(event)) = requests.try_join_next() {
                leases.handle(self.now(), event);
            }
        }
        watching.abort();
        let _ = timeout(FAREWELL, self.leave(&store, leases)).await;
    }

    /// Frees all shards, so that the others need not wait.
    async fn leave(&self, store: &Store, mut leases: Leases) {
        let now = self.now();
        let actions = leases.release_all();
        self.publish(&leases);
        let releases = actions
            .into_iter()
            .map(|action| self.request(store, action, now));
        releases.collect::<JoinSet<_>>().join_all().await;
        let _ = store
            .purge(format!("{MEMBER_KEY}{}", self.incarnation))
            .await;
    }

    /// Shows what is held.
    fn publish(&self, leases: &Leases) {
        let now = self.now();
        let tenure = |shard| {
            let revision = leases.revision(shard, now)?;
            let until = leases.held_until(shard, now);
            Some(Tenure { revision, until })
        };
        let held: Vec<_> = Shard::all().map(tenure).collect();
        let shards = Shard::all().zip(&held);
        let shards: Vec<_> = shards
            .filter_map(|(shard, tenure)| tenure.and(Some(shard)))
            .collect();
        let count = shards.len();
        *self
            .held
            .shards
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = held;
        let changed = self.changed.send_if_modified(|shown| {
            let is_new = *shown != shards;
            *shown = shards;
            is_new
        });
        if changed {
            log::info!(
                "cluster: {count} of {SHARDS} shards, {} collectors",
                leases.members()
            );
        }
    }

    /// Connects, and opens the buckets, however long it takes.
    async fn stores(&self) -> (Store, Store) {
        loop {
            match self.open().await {
                Ok(stores) => return stores,
                Err(why) => log::warn!("cluster: {why}"),
            }
            sleep(Duration::from_secs(1)).await;
        }
    }

    async fn open(&self) -> Result<(Store, Store), String> {
        let ClusterConfiguration {
            name,
            bucket,
            configuration_bucket,
            lease,
            ..
        } = &self.settings;
        let client = self
            .server
            .connect(&format!("varbind collector {name}"))
            .await?;
        let patience = *lease / 3;
        let context = ContextBuilder::new()
            .timeout(patience)
            .ack_timeout(patience)
            .build(client);
        let store = bucket::leases(&context, bucket, *lease, self.settings.nats.replicas).await?;
        let configuration =
            bucket::configuration(&context, configuration_bucket, self.settings.nats.replicas)
                .await?;
        Ok((store, configuration))
    }

    /// Carries out an action.
    fn request(
        &self,
        store: &Store,
        action: Action,
        sent: Duration,
    ) -> impl Future<Output = Event> + Send + use<> {
        let (store, incarnation, name) = (
            store.clone(),
            self.incarnation.clone(),
            self.settings.name.clone(),
        );
        async move {
            let key = |shard: Shard| format!("{SHARD_KEY}{}", shard.number());
            match action {
                Action::Announce => {
                    let key = format!("{MEMBER_KEY}{incarnation}");
                    match store.put(key, name.into()).await {
                        Ok(_) => Event::Contact,
                        Err(error) => nothing(&error),
                    }
                }
                Action::Acquire(shard) => {
                    match store.create(key(shard), incarnation.into()).await {
                        Ok(revision) => Event::Granted {
                            shard,
                            revision,
                            sent,
                        },
                        Err(error) if error.kind() == CreateErrorKind::AlreadyExists => {
                            Event::Denied(shard)
                        }
                        Err(_) => Event::Unanswered(shard),
                    }
                }
                Action::Renew(shard, revision) => {
                    match store.update(key(shard), incarnation.into(), revision).await {
                        Ok(revision) => Event::Granted {
                            shard,
                            revision,
                            sent,
                        },
                        Err(error) if error.kind() == UpdateErrorKind::WrongLastRevision => {
                            Event::Denied(shard)
                        }
                        Err(_) => Event::Unanswered(shard),
                    }
                }
                Action::Release(shard, revision) => {
                    match store
                        .delete_expect_revision(key(shard), Some(revision))
                        .await
                    {
                        Ok(()) => Event::Contact,
                        Err(error) => nothing(&error),
                    }
                }
            }
        }
    }
}

/// A request failed that is repeated anyway, or not needed any more.
fn nothing(error: &dyn std::fmt::Display) -> Event {
    log::debug!("cluster: {error}");
    Event::Nothing
}
