//! snmpProxyTable of SNMP-PROXY-MIB (RFC 3413 section 4.4), which cannot be set.

use varbind_engine::engine_id::EngineId;
use varbind_engine::instrumentation::{RequestContext, TableSource};

use super::Objects;
use super::notification_tables::{proxies, proxy};
use super::rows::RowSet;
use crate::configuration::ConfiguredProxy;

/// The rows of a configuration.
struct SnmpProxyTable(RowSet);

impl TableSource for SnmpProxyTable {
    type Rows = RowSet;

    fn with_rows<T>(&self, _request: &RequestContext, look: impl FnOnce(&RowSet) -> T) -> T {
        look(&self.0)
    }
}

/// Registers the table; `own_engine` is snmpEngineID of this agent.
pub(crate) fn snmp_proxy_table(
    objects: &mut Objects,
    configured: &[ConfiguredProxy],
    own_engine: &EngineId,
) {
    let rows = proxies(configured, own_engine);
    objects.table(proxy::TABLE.entry, proxy::COLUMNS, SnmpProxyTable(rows));
}
