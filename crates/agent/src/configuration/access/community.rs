//! Communities, and what they may do without `[[group]]` and `[[access]]`.

use varbind_engine::security::{
    Community, SecurityLevel, SecurityModel, SecurityName, SourceAddresses,
};

use super::{ALL, Simple, Tables};
use crate::configuration::document::{self, SimpleAccess};
use crate::configuration::error::Problem;

impl Tables {
    /// What is allowed without any configuration: reading, from this host.
    pub(super) fn default_community(&mut self) -> Vec<Community> {
        let security_name = self.community_access(1, ALL.to_owned(), false, String::new());
        vec![Community {
            name: b"public".to_vec(),
            security_name,
            context_name: String::new(),
            sources: SourceAddresses::loopback(),
        }]
    }

    pub(super) fn community(
        &mut self,
        number: usize,
        community: document::Community,
    ) -> Result<Community, Problem> {
        let name_span = community.name.span();
        let name = community.name.into_inner();
        if name.is_empty() {
            return Err(Problem::at(
                name_span,
                "the name of a community must not be empty",
            ));
        }
        let context = match community.context {
            Some(context) => self.existing_context(context)?,
            None => String::new(),
        };
        let view = self.simple_view(community.access, community.view)?;
        let security_name = match (community.access, community.security_name) {
            (SimpleAccess::None, None) => SecurityName::new(name.clone()),
            (SimpleAccess::None, Some(security_name)) => {
                SecurityName::new(security_name.into_inner())
            }
            (_, Some(security_name)) => {
                return Err(Problem::at(
                    security_name.span(),
                    "`security-name` goes with `access = \"none\"`: then [[group]] and [[access]] decide",
                ));
            }
            (access, None) => {
                let may_write = access == SimpleAccess::ReadWrite;
                self.community_access(number, view, may_write, context.clone())
            }
        };
        Ok(Community {
            name: name.into_bytes(),
            security_name,
            context_name: context,
            sources: match community.sources {
                None => SourceAddresses::loopback(),
                Some(sources) => {
                    SourceAddresses::Within(sources.into_iter().map(|source| source.0).collect())
                }
            },
        })
    }

    /// Gives a community access to a view without [[group]] and [[access]]: a security name and a group of its own.
    fn community_access(
        &mut self,
        number: usize,
        view: String,
        may_write: bool,
        context: String,
    ) -> SecurityName {
        let group = format!("community-{number}");
        let security_name = SecurityName::new(group.clone());
        self.simple_access(Simple {
            group,
            security_name: security_name.clone(),
            models: &[SecurityModel::SnmpV1, SecurityModel::SnmpV2c],
            level: SecurityLevel::NoAuthNoPriv,
            view,
            may_write,
            context,
        });
        security_name
    }
}
