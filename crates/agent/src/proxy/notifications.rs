//! Notifications of the agents that requests are passed on to (RFC 3413 section 3.5.2): they go to all targets of this agent.

use std::collections::HashMap;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::thread::JoinHandle;

use varbind::clock::Clock;
use varbind::notification::{Arrived, NotificationReceiver, Notifications, ReceiverLimits};
use varbind::transport::TransportAddress;
use varbind_codec::message::Version;
use varbind_codec::smi::{Oid, Value, VarBind};
use varbind_engine::applications::command_generator::MessageProcessing;
use varbind_engine::applications::notification::{
    Notification, SNMP_TRAP_ADDRESS, SNMP_TRAP_COMMUNITY, SNMP_TRAP_ENTERPRISE,
};
use varbind_engine::applications::notification_receiver::{
    NotificationUser, ReceiverConfiguration,
};
use varbind_engine::security::usm::LocalEngine;
use varbind_engine::security::{Community, CommunityTable, SecurityName, SourceAddresses};

use crate::configuration::ConfiguredProxy;
use crate::notifications::{Forwarded, Notifier};

/// What is received and passed on, from its configuration until it is dropped.
#[derive(Default)]
pub(crate) struct ProxiedNotifications(Option<Running>);

struct Running {
    receiver: NotificationReceiver,
    thread: JoinHandle<()>,
}

impl ProxiedNotifications {
    /// Receives notifications of these agents at these addresses, in place of those before. Returns where it listens.
    ///
    /// # Errors
    /// When an address cannot be listened on; then nothing is received.
    pub(crate) fn replace(
        &mut self,
        proxies: &[ConfiguredProxy],
        addresses: &[TransportAddress],
        engine: Option<Arc<LocalEngine>>,
        clock: Clock,
        notifier: &Arc<Notifier>,
    ) -> Result<Vec<TransportAddress>, (TransportAddress, io::Error)> {
        self.close();
        let Some(first) = addresses.first() else {
            return Ok(Vec::new());
        };
        let origins = Origins::new(proxies);
        let configuration = origins.receiver_configuration(proxies, engine);
        let limits = ReceiverLimits::default();
        let (receiver, notifications) = NotificationReceiver::start(configuration, limits, clock);
        for address in addresses {
            let failed = |error| (address.clone(), error);
            let port = address.transport.notification_port();
            for socket in address.resolve(port).map_err(failed)? {
                receiver.listen(address.transport, socket).map_err(failed)?;
            }
        }
        let opened = receiver.addresses();
        let notifier = Arc::clone(notifier);
        let thread = std::thread::Builder::new()
            .name("varbind-forward".to_owned())
            .spawn(move || origins.forward(notifications, &notifier))
            .map_err(|error| (first.clone(), error))?;
        self.0 = Some(Running { receiver, thread });
        Ok(opened)
    }

    /// Receives nothing more; what has arrived is passed on.
    pub(crate) fn close(&mut self) {
        if let Some(Running { receiver, thread }) = self.0.take() {
            receiver.shutdown();
            let _ = thread.join();
        }
    }
}

impl Drop for ProxiedNotifications {
    fn drop(&mut self) {
        self.close();
    }
}

/// Whose notifications are passed on.
struct Origins {
    /// The communities by the security names that stand for them.
    communities: HashMap<String, Vec<u8>>,
}

impl Origins {
    fn new(proxies: &[ConfiguredProxy]) -> Self {
        let communities = proxies.iter().filter_map(|proxy| {
            proxy.notifications.as_ref()?;
            Some((proxy.name.clone(), community(proxy)?.to_vec()))
        });
        Self {
            communities: communities.collect(),
        }
    }

    fn receiver_configuration(
        &self,
        proxies: &[ConfiguredProxy],
        engine: Option<Arc<LocalEngine>>,
    ) -> ReceiverConfiguration {
        let origins = || {
            let proxies = proxies.iter();
            proxies.filter_map(|proxy| Some((proxy, proxy.notifications.as_ref()?)))
        };
        let communities = origins().filter_map(|(proxy, source)| {
            Some(Community {
                name: community(proxy)?.to_vec(),
                security_name: SecurityName::new(proxy.name.clone()),
                context_name: String::new(),
                sources: source.sources.clone(),
            })
        });
        let users = origins().filter_map(|(_, source)| {
            let (name, credentials) = source.user.clone()?;
            // Its name was checked when the configuration was read.
            NotificationUser::new(name, credentials).ok()
        });
        let filters = origins().flat_map(|(_, source)| match &source.sources {
            SourceAddresses::Any => Vec::new(),
            SourceAddresses::Within(filters) => filters.clone(),
        });
        let mut configuration = ReceiverConfiguration {
            communities: CommunityTable::new(communities.collect()),
            users: users.collect(),
            engine,
            ..ReceiverConfiguration::default()
        };
        configuration.wanted.sources = SourceAddresses::Within(filters.collect());
        configuration
    }

    /// Passes on what comes, until the receiver is closed.
    fn forward(&self, notifications: Notifications, notifier: &Notifier) {
        for arrived in notifications {
            notifier.forward(&self.forwarded(&arrived));
            // Who acknowledges an inform is the targets' affair: from here on it waits for them.
            arrived.receipt.delivered();
        }
    }

    fn forwarded(&self, arrived: &Arrived) -> Forwarded {
        let received = &arrived.received;
        let (mut origin, var_binds) = received
            .notification
            .var_binds
            .iter()
            .cloned()
            .partition::<Vec<_>, _>(|var_bind| is_origin(&var_bind.name));
        // RFC 3584 3.1 (4) adds the origin to a Trap-PDU of SNMPv1, whose agent-addr the receiver has added. Whatever the version,
        // the message comes from this agent, and does not tell.
        let is_told = origin
            .iter()
            .any(|var_bind| var_bind.name.arcs() == SNMP_TRAP_ADDRESS);
        if let (false, IpAddr::V4(source)) = (is_told, received.source.ip().to_canonical())
            && let Ok(name) = Oid::new(SNMP_TRAP_ADDRESS)
        {
            origin.push(VarBind::new(name, Value::IpAddress(source.octets())));
        }
        let name = received.security_name.as_str();
        let community = self.communities.get(name);
        Forwarded {
            notification: Notification {
                var_binds,
                ..received.notification.clone()
            },
            origin,
            community: community
                .filter(|_| received.version != Version::V3)
                .cloned(),
            source: received.source,
        }
    }
}

fn community(proxy: &ConfiguredProxy) -> Option<&[u8]> {
    match &proxy.processing {
        MessageProcessing::V1 { community } | MessageProcessing::V2c { community } => {
            Some(community)
        }
        MessageProcessing::V3(_) => None,
    }
}

/// Whether a name tells where a notification comes from.
fn is_origin(name: &Oid) -> bool {
    [SNMP_TRAP_ADDRESS, SNMP_TRAP_COMMUNITY, SNMP_TRAP_ENTERPRISE].contains(&name.arcs())
}
