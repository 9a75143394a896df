//! The engine's configuration for each device, cached for the devices of the last requests.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use varbind_codec::oid;
use varbind_engine::access_control::{
    AccessEntry, ContextMatch, Vacm, VacmBuilder, ViewMask, ViewTreeFamily,
};
use varbind_engine::clock::Instant;
use varbind_engine::instrumentation::Registry;
use varbind_engine::local_configuration::LocalConfiguration;
use varbind_engine::security::tsm::TransportSecurityModel;
use varbind_engine::security::usm::{LocalEngine, UserSecurity, UserTable, UsmUser};
use varbind_engine::security::{
    Community, CommunityTable, SecurityLevel, SecurityModel, SecurityName,
};

use super::objects::Stage;
use crate::device::Device;
use crate::simulation::Simulation;

/// The size of each of two generations of the cache, in devices.
const KEPT: usize = 8192;
/// The security name of requests that a community or a transport authenticates.
pub(crate) const READER: &str = "reader";
/// The view of everything.
const EVERYTHING: &str = "everything";

/// The configurations of one desk.
pub(super) struct Configurations {
    stage: Stage,
    access_control: Vacm,
    contexts: HashMap<String, Arc<Registry>>,
    /// For the communities of each group with addresses: SNMPv3 needs one for each device.
    by_group: Vec<Option<LocalConfiguration>>,
    recent: HashMap<u32, Kept>,
    former: HashMap<u32, Kept>,
}

struct Kept {
    local: LocalConfiguration,
    /// snmpEngineBoots of its engine.
    boots: i32,
}

/// The configuration that a message needs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    /// The communities of the group.
    Communities,
    /// The device's own community, engine, users and contexts.
    Device,
}

impl Configurations {
    pub(super) fn new(stage: Stage) -> Self {
        let simulation = Arc::clone(&stage.simulation);
        let own = stage.registry(None);
        let named = simulation.fleet.names();
        let mut contexts: HashMap<_, _> = named
            .map(|(name, number)| (name.to_owned(), stage.registry(Some(number))))
            .collect();
        contexts.insert(String::new(), own);
        let groups = simulation.fleet.groups().len();
        Self {
            access_control: access_control(&simulation, contexts.keys()),
            contexts,
            by_group: (0..groups).map(|_| None).collect(),
            recent: HashMap::new(),
            former: HashMap::new(),
            stage,
        }
    }

    pub(super) const fn stage(&self) -> &Stage {
        &self.stage
    }

    /// The configuration for a message to a device.
    pub(super) fn of(
        &mut self,
        device: &Device<'_>,
        need: Need,
        now: Instant,
    ) -> Option<&LocalConfiguration> {
        match need {
            Need::Communities if device.name().is_none() => self.of_group(device),
            _ => Some(self.of_device(device, now)),
        }
    }

    fn of_group(&mut self, device: &Device<'_>) -> Option<&LocalConfiguration> {
        let at = device.group_at();
        if self.by_group.get(at)?.is_none() {
            let names = device.group().communities.iter().map(String::as_str);
            let local = LocalConfiguration {
                communities: communities(&self.stage.simulation, names),
                access_control: self.access_control.clone(),
                contexts: self.default_context(),
                transport_security_model: Some(TransportSecurityModel::default()),
                ..LocalConfiguration::default()
            };
            *self.by_group.get_mut(at)? = Some(local);
        }
        self.by_group.get(at)?.as_ref()
    }

    fn default_context(&self) -> HashMap<String, Arc<Registry>> {
        let own = self
            .contexts
            .get("")
            .map(|own| (String::new(), Arc::clone(own)));
        own.into_iter().collect()
    }

    fn of_device(&mut self, device: &Device<'_>, now: Instant) -> &LocalConfiguration {
        let number = device.number();
        let boots = device.boots(now);
        if !self.recent.contains_key(&number) {
            if self.recent.len() >= KEPT {
                self.former = std::mem::take(&mut self.recent);
            }
            if let Some(kept) = self.former.remove(&number) {
                self.recent.insert(number, kept);
            }
        }
        let is_current = |kept: &Kept| kept.boots == boots;
        if !self.recent.get(&number).is_some_and(is_current) {
            let local = self.make(device, now);
            self.recent.insert(number, Kept { local, boots });
        }
        let kept = self.recent.entry(number);
        &kept
            .or_insert_with(|| Kept {
                local: LocalConfiguration::default(),
                boots,
            })
            .local
    }

    fn make(&self, device: &Device<'_>, now: Instant) -> LocalConfiguration {
        let simulation = &self.stage.simulation;
        let (_, since) = device.restarts(now);
        let started = Instant::from_nanos(now.as_nanos().saturating_sub(nanos(since)));
        let engine_id = device.engine_id();
        let engine = engine_id.map(|id| {
            // Two starts must not have an initialisation vector in common.
            let seed = RandomState::new().hash_one(device.number());
            Arc::new(LocalEngine::new(id, device.boots(now), started, seed))
        });
        let users = engine_id.map(|id| {
            let user = |user: &crate::simulation::SimulatedUser| {
                let credentials = user.credentials.clone();
                let localize = move || {
                    credentials
                        .localize(&id)
                        .unwrap_or(UserSecurity::NoAuthNoPriv)
                };
                UsmUser::deferred(SecurityName::new(user.name.as_str()), localize).ok()
            };
            UserTable::new(simulation.users.iter().filter_map(user))
        });
        let is_default = simulation
            .fleet
            .default_device()
            .is_some_and(|default| default.number() == device.number());
        let of_group = device.group().communities.iter().map(String::as_str);
        let of_group = of_group.filter(|_| is_default || device.name().is_none());
        let names = device.name().into_iter().chain(of_group);
        #[allow(
            clippy::needless_update,
            reason = "with the feature experiments of the engine there are more fields"
        )]
        LocalConfiguration {
            engine,
            users: users.unwrap_or_default(),
            communities: communities(simulation, names),
            access_control: self.access_control.clone(),
            contexts: match device.name() {
                Some(_) => self.contexts.clone(),
                None => self.default_context(),
            },
            transport_security_model: Some(TransportSecurityModel::default()),
            ..LocalConfiguration::default()
        }
    }
}

fn nanos(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

fn communities<'n>(
    simulation: &Simulation,
    names: impl Iterator<Item = &'n str>,
) -> CommunityTable {
    let community = |name: &str| Community {
        name: name.as_bytes().to_vec(),
        security_name: SecurityName::new(READER),
        context_name: String::new(),
        sources: simulation.sources.clone(),
    };
    CommunityTable::new(names.map(community).collect())
}

/// Grants full access to every request with the highest security level that its user's credentials allow.
fn access_control<'n>(simulation: &Simulation, contexts: impl Iterator<Item = &'n String>) -> Vacm {
    let mut builder = contexts.fold(Vacm::builder(), |builder, name| {
        builder.context(name.as_str())
    });
    for subtree in [oid!("0"), oid!("1"), oid!("2")] {
        let family = ViewTreeFamily {
            subtree,
            mask: ViewMask::default(),
            included: true,
        };
        builder = builder.view(EVERYTHING, family);
    }
    for model in [
        SecurityModel::SnmpV1,
        SecurityModel::SnmpV2c,
        SecurityModel::Transport,
    ] {
        builder = allow(builder, model, READER, SecurityLevel::NoAuthNoPriv);
    }
    for user in &simulation.users {
        let level = user.credentials.security_level();
        builder = allow(builder, SecurityModel::UserBased, &user.name, level);
    }
    // The builder names no view but its own.
    builder.build().unwrap_or_default()
}

fn allow(
    builder: VacmBuilder,
    model: SecurityModel,
    name: &str,
    level: SecurityLevel,
) -> VacmBuilder {
    let group = format!("{model:?} {name}");
    builder
        .group(model, SecurityName::new(name), group.as_str())
        .access(AccessEntry {
            group,
            context_prefix: String::new(),
            context_match: ContextMatch::Prefix,
            security_model: Some(model),
            security_level: level,
            read_view: EVERYTHING.to_owned(),
            write_view: EVERYTHING.to_owned(),
            notify_view: EVERYTHING.to_owned(),
        })
}
