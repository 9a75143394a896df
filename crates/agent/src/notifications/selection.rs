//! Which targets the tables select (RFC 3413 section 3.3).

use std::time::Duration;

use varbind::transport::certificate::PeerIdentity;
use varbind::transport::{SecureTransportOptions, Transport, TransportAddress};
use varbind_codec::smi::Oid;
use varbind_engine::access_control::{ViewMask, ViewTreeFamily};
use varbind_engine::applications::command_generator::RetryPolicy;
use varbind_engine::applications::notification_originator::TargetPrincipal;
use varbind_engine::applications::notification_receiver::NotificationKind;
use varbind_engine::local_configuration::LocalConfiguration;
use varbind_engine::security::usm::UserSecurity;
use varbind_engine::security::{SecurityLevel, SecurityModel, SecurityName};

use crate::configuration::{ConfiguredTarget, ConfiguredUser};
use crate::managed_objects::notification_tables::{
    NotificationTables, address, filter, notify, parameters, profile, transport_domain,
};
use crate::managed_objects::rows::{IndexValue, Row, RowSet, StorageType, is_tag_delimiter};
use crate::managed_objects::tlstm_tables::TlstmTables;

/// How many notifications may wait for a target that a manager made.
const MAX_WAITING: usize = 1000;
/// The shortest time that a manager can have an inform wait for its acknowledgement.
const SHORTEST_TIMEOUT: Duration = Duration::from_millis(10);

/// A target that is selected. Two are equal if the same is sent to both in the same way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SelectedTarget {
    /// snmpTargetAddrName.
    pub(super) name: String,
    pub(super) address: TransportAddress,
    pub(super) kind: NotificationKind,
    pub(super) principal: TargetPrincipal,
    /// Which certificate it must have, if that is said beside its address.
    pub(super) peer: Option<PeerIdentity>,
    pub(super) sender: SenderIdentity,
    /// `None` lets everything pass.
    pub(super) filter: Option<Vec<ViewTreeFamily>>,
    /// `None` adapts to the target.
    pub(super) retry: Option<RetryPolicy>,
    pub(super) max_waiting: usize,
    /// `None` is what the transport carries.
    pub(super) max_message_size: Option<usize>,
}

/// With what messages are sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SenderIdentity {
    /// What the configuration file of this number says of the target.
    Configured(u64),
    /// The community of the security name; `true` for SNMPv1.
    Community(Vec<u8>, bool),
    /// A user of the configuration file of this number.
    ConfiguredUser(u64),
    /// A user that a manager made, with its keys at this agent.
    User(UserSecurity),
    /// The transport knows.
    Transport,
}

/// What the configuration file tells of targets.
#[derive(Debug, Default)]
pub(super) struct Configured {
    /// Which reading of the file this is.
    pub(super) number: u64,
    pub(super) targets: Vec<ConfiguredTarget>,
    pub(super) users: Vec<ConfiguredUser>,
    /// Who the agent is over secure transports, to targets that a manager made.
    pub(super) secure: SecureTransportOptions,
}

/// Where targets come from.
pub(super) struct Selection<'a> {
    pub(super) tables: &'a NotificationTables,
    pub(super) certificates: &'a TlstmTables,
    pub(super) local: &'a LocalConfiguration,
    pub(super) configured: &'a Configured,
}

impl Selection<'_> {
    /// All targets that a notification goes to, each once for traps and once for informs.
    pub(super) fn targets(&self) -> Vec<SelectedTarget> {
        let mut selected: Vec<SelectedTarget> = Vec::new();
        let addresses = self.tables.addresses.rows();
        for notify in self.tables.notify.rows().active() {
            let tag = notify.octets(notify::TAG).unwrap_or_default();
            let kind = match notify.integer(notify::TYPE) {
                Some(notify::INFORM) => NotificationKind::Inform,
                _ => NotificationKind::Trap,
            };
            for address in addresses.active().filter(|row| has_tag(row, tag)) {
                match self.target(address, kind) {
                    Ok(target) if !selected.contains(&target) => selected.push(target),
                    Ok(_) => {}
                    Err(reason) => log::warn!(
                        "notifications are not sent to {:?} of snmpTargetAddrTable: {reason}",
                        name(address)
                    ),
                }
            }
        }
        selected
    }

    fn target(&self, row: &Row, kind: NotificationKind) -> Result<SelectedTarget, String> {
        let params = row.octets(address::PARAMS).unwrap_or_default();
        let rows = self.tables.parameters.rows();
        let parameters = named(&rows, params).ok_or_else(|| {
            format!(
                "snmpTargetParamsTable has no active row {:?}",
                String::from_utf8_lossy(params)
            )
        })?;
        let configured = self.configured_target(row, parameters);
        let principal = principal(parameters).ok_or("its parameters are not supported")?;
        let address = match configured {
            Some(target) => target.address.clone(),
            None => transport_domain::address_of(row).ok_or("its address is not supported")?,
        };
        let sender = match configured {
            Some(_) => SenderIdentity::Configured(self.configured.number),
            None => self.sender(parameters, &principal, kind)?,
        };
        let is_certified = matches!(address.transport, Transport::Tls | Transport::Dtls);
        if is_certified && configured.is_none() {
            self.check_certificate(params)?;
        }
        let is_community = matches!(sender, SenderIdentity::Community(..));
        let max_message_size = row
            .integer(address::MMS)
            .filter(|&size| is_community && size > 0);
        Ok(SelectedTarget {
            name: name(row),
            address,
            kind,
            principal,
            peer: self.certificates.peer(&name(row)).filter(|_| is_certified),
            sender,
            filter: self.filter(params),
            retry: configured.map_or_else(|| Some(retry(row)), |target| target.retry),
            max_waiting: configured.map_or(MAX_WAITING, |target| target.max_waiting),
            max_message_size: max_message_size.and_then(|size| usize::try_from(size).ok()),
        })
    }

    /// What the file says of a target, if all of it is from there.
    fn configured_target(&self, address: &Row, parameters: &Row) -> Option<&ConfiguredTarget> {
        let name = name(address);
        let mut targets = self.configured.targets.iter();
        [address, parameters]
            .iter()
            .all(|row| row.storage_type() == StorageType::ReadOnly)
            .then(|| targets.find(|target| target.name == name))
            .flatten()
            .filter(|_| name == self::name(parameters))
    }

    fn sender(
        &self,
        parameters: &Row,
        principal: &TargetPrincipal,
        kind: NotificationKind,
    ) -> Result<SenderIdentity, String> {
        let security_name = &principal.security_name;
        match principal.security_model {
            SecurityModel::SnmpV1 if kind == NotificationKind::Inform => {
                Err("SNMPv1 has no inform".to_owned())
            }
            SecurityModel::SnmpV1 | SecurityModel::SnmpV2c => {
                // RFC 3584 5.2.3
                let mut communities = self.local.communities.rows().iter();
                let community = communities.find(|community| {
                    community.security_name == *security_name && community.context_name.is_empty()
                });
                let name = community.map(|community| community.name.clone());
                let is_version_1 = parameters.integer(parameters::MP_MODEL) == Some(0);
                name.map(|name| SenderIdentity::Community(name, is_version_1))
                    .ok_or_else(|| {
                        format!(
                            "no community has the security name {:?}",
                            security_name.as_str()
                        )
                    })
            }
            SecurityModel::Transport => Ok(SenderIdentity::Transport),
            SecurityModel::UserBased => self.user(principal, kind),
        }
    }

    fn user(
        &self,
        principal: &TargetPrincipal,
        kind: NotificationKind,
    ) -> Result<SenderIdentity, String> {
        let name = principal.security_name.as_str();
        let mut configured = self.configured.users.iter();
        let configured = configured.find(|user| user.name == name);
        let user = self
            .local
            .users
            .find(name.as_bytes())
            .ok_or_else(|| format!("there is no user {name:?}"))?;
        let highest = configured.map_or_else(
            || user.security().security_level(),
            ConfiguredUser::highest_level,
        );
        if highest < principal.security_level {
            return Err(format!(
                "the user {name:?} has no keys for the level of its parameters"
            ));
        }
        let has_passwords = configured.is_some_and(|user| !user.has_localized_key());
        if kind == NotificationKind::Inform
            && !has_passwords
            && principal.security_level > SecurityLevel::NoAuthNoPriv
        {
            return Err(format!(
                "the keys of the user {name:?} are good for this agent alone, and whoever gets an inform has keys of \
                 its own: only users of the configuration with passwords can send informs"
            ));
        }
        Ok(match configured {
            Some(_) => SenderIdentity::ConfiguredUser(self.configured.number),
            None => SenderIdentity::User(user.security().clone()),
        })
    }

    /// RFC 3413 6
    fn filter(&self, params: &[u8]) -> Option<Vec<ViewTreeFamily>> {
        let profiles = self.tables.profiles.rows();
        let profile = named(&profiles, params)?.octets(profile::NAME_OF_PROFILE)?;
        let filters = self.tables.filters.rows();
        let families = filters.active().filter_map(|row| family(row, profile));
        Some(families.collect())
    }

    /// RFC 6353 7, snmpTlstmParamsTable: whether the agent has the certificate that it is to show.
    fn check_certificate(&self, params: &[u8]) -> Result<(), String> {
        let params = String::from_utf8_lossy(params);
        let Some(wanted) = self.certificates.client(&params) else {
            return Ok(());
        };
        let client = self.configured.secure.tls.as_ref();
        let own = client.and_then(|client| client.identity().chain().first());
        if own.is_some_and(|own| wanted.identifies(own)) {
            Ok(())
        } else {
            Err(format!(
                "snmpTlstmParamsTable asks for the certificate {wanted}, which this agent has not"
            ))
        }
    }
}

/// The name of a row that has no other index.
fn name(row: &Row) -> String {
    let index = row.index_values().unwrap_or_default();
    let name = index.first().and_then(IndexValue::text);
    name.unwrap_or_default().to_owned()
}

/// The active row with this name as its index.
fn named<'r>(rows: &'r RowSet, name: &[u8]) -> Option<&'r Row> {
    let index: Vec<u32> = name.iter().copied().map(u32::from).collect();
    rows.with_index(&index)
        .map(|row| &**row)
        .filter(|row| row.is_active())
}

/// RFC 3413, snmpNotifyTag: an empty tag selects nothing.
fn has_tag(address: &Row, tag: &[u8]) -> bool {
    let tags = address.octets(address::TAG_LIST).unwrap_or_default();
    let mut tags = tags.split(is_tag_delimiter);
    !tag.is_empty() && tags.any(|other| other == tag)
}

fn principal(parameters: &Row) -> Option<TargetPrincipal> {
    Some(TargetPrincipal {
        security_model: match parameters.integer(parameters::SECURITY_MODEL)? {
            1 => SecurityModel::SnmpV1,
            2 => SecurityModel::SnmpV2c,
            3 => SecurityModel::UserBased,
            4 => SecurityModel::Transport,
            _ => return None,
        },
        security_name: SecurityName::new(parameters.text(parameters::SECURITY_NAME)?),
        security_level: match parameters.integer(parameters::SECURITY_LEVEL)? {
            1 => SecurityLevel::NoAuthNoPriv,
            2 => SecurityLevel::AuthNoPriv,
            3 => SecurityLevel::AuthPriv,
            _ => return None,
        },
        context_name: String::new(),
    })
}

fn retry(address: &Row) -> RetryPolicy {
    let hundredths = address.integer(address::TIMEOUT).unwrap_or(0);
    let hundredths = u64::try_from(hundredths).unwrap_or(0);
    let retries = address.integer(address::RETRY_COUNT).unwrap_or(0);
    RetryPolicy::Fixed {
        timeout: Duration::from_millis(hundredths.saturating_mul(10)).max(SHORTEST_TIMEOUT),
        retries: u32::try_from(retries).unwrap_or(0),
    }
}

/// The family of a row, if it is one of the profile.
fn family(row: &Row, profile: &[u8]) -> Option<ViewTreeFamily> {
    let index = row.index_values()?;
    let [name, subtree] = &index[..] else {
        return None;
    };
    if name.octets()? != profile {
        return None;
    }
    Some(ViewTreeFamily {
        subtree: Oid::new(subtree.object_identifier()?).ok()?,
        mask: ViewMask::new(row.octets(filter::MASK)?.to_vec()),
        included: row.integer(filter::TYPE)? == filter::INCLUDED,
    })
}
