//! Modules by sysObjectID.

use std::sync::Arc;

use varbind::Oid;

use crate::module::Module;

/// Which modules an agent is asked for by the kind of its device.
#[derive(Clone, Debug, Default)]
pub(super) struct Choices(Vec<(Oid, Vec<Arc<Module>>)>);

impl Choices {
    /// A table of subtrees and modules.
    pub(super) fn new(mut table: Vec<(Oid, Vec<Arc<Module>>)>) -> Self {
        // The longest name that an object ID begins with counts.
        table.sort_by_key(|(subtree, _)| std::cmp::Reverse(subtree.arcs().len()));
        Self(table)
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The modules for a device, if there is an entry for it.
    pub(super) fn modules(&self, object_id: &Oid) -> Option<&[Arc<Module>]> {
        let mut table = self.0.iter();
        let found = table.find(|(subtree, _)| subtree.is_prefix_of(object_id.arcs()));
        found.map(|(_, modules)| modules.as_slice())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::module::ModuleConfiguration;

    #[test]
    fn the_longest_subtree_counts() {
        let configuration = ModuleConfiguration::parse("modules: {cisco: {}, nexus: {}}").unwrap();
        let entry = |oid: &str, module: &str| {
            let modules = vec![Arc::clone(&configuration.modules[module])];
            (oid.parse().unwrap(), modules)
        };
        let choices = Choices::new(vec![
            entry("1.3.6.1.4.1.9", "cisco"),
            entry("1.3.6.1.4.1.9.12.3", "nexus"),
        ]);
        let chosen = |oid: &str| {
            let modules = choices.modules(&oid.parse().unwrap())?;
            Some(modules[0].name.to_string())
        };
        assert_eq!(chosen("1.3.6.1.4.1.9.1.516").as_deref(), Some("cisco"));
        assert_eq!(chosen("1.3.6.1.4.1.9.12.3.1.3").as_deref(), Some("nexus"));
        assert_eq!(chosen("1.3.6.1.4.1.99.1"), None);
    }
}
