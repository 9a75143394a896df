//! The limit of open files (RLIMIT_NOFILE), which is raised to what the configured sessions may need.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::configuration::AgentConfiguration;

/// Files beside those of sessions and listeners: the log, the state, netlink, look-ups of users.
const OTHERS: usize = 64;
/// Files of a listener, and of a target of notifications.
const OF_LISTENER: usize = 4;

/// Raises the limit of open files as far as the configuration needs and the system allows, and logs what is missing.
pub(super) fn raise_limit(configuration: &AgentConfiguration) {
    let needed = needed(configuration);
    let limit = getrlimit(Resource::Nofile);
    let Some(raised) = raised(limit, needed) else {
        return;
    };
    if let Err(error) = setrlimit(Resource::Nofile, raised) {
        log::warn!("the limit of open files cannot be raised: {error}");
    }
    if let Some(current) = raised.current
        && current < needed
    {
        log::warn!(
            "the configured sessions may need {needed} open files, and the system allows {current}: raise the hard limit \
             (LimitNOFILE of systemd, ulimit -Hn), or lower tcp-sessions and the connections of [web]"
        );
    }
}

fn needed(configuration: &AgentConfiguration) -> u64 {
    let web = match configuration.web.listen.len() {
        0 => 0,
        listeners => configuration.web.limits.connections + listeners * OF_LISTENER,
    };
    let others = configuration.listen.len() + configuration.targets.len();
    let needed = OTHERS
        .saturating_add(configuration.limits.tcp_sessions)
        .saturating_add(web)
        .saturating_add(others * OF_LISTENER);
    u64::try_from(needed).unwrap_or(u64::MAX)
}

/// The limit with at least as many files as are needed, if the present one has fewer.
fn raised(limit: Rlimit, needed: u64) -> Option<Rlimit> {
    let current = limit.current?;
    let current =
        (current < needed).then(|| limit.maximum.map_or(needed, |most| most.min(needed)))?;
    Some(Rlimit {
        current: Some(current),
        maximum: limit.maximum,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_raised_to_what_is_needed_and_allowed() {
        for (current, maximum, expected) in [
            (Some(1024), Some(524_288), Some(2064)),
            (Some(1024), None, Some(2064)),
            (Some(1024), Some(1500), Some(1500)),
            (Some(4096), Some(4096), None),
            (None, None, None),
        ] {
            let limit = Rlimit { current, maximum };
            let found = raised(limit, 2064).map(|raised| raised.current);
            assert_eq!(found, expected.map(Some), "{limit:?}");
        }
    }

    #[test]
    fn each_configured_session_may_have_a_file() {
        let of = |text: &str| {
            let configuration =
                AgentConfiguration::parse_in(text, std::path::Path::new(".")).unwrap();
            needed(&configuration)
        };
        let few = of("listen = []\n[limits]\ntcp-sessions = 10\n");
        let many = of("listen = []\n[limits]\ntcp-sessions = 5010\n");
        assert_eq!(many - few, 5000);
        let web = of(
            "listen = []\n[limits]\ntcp-sessions = 10\n[web]\nlisten = [\"http://127.0.0.1:0\"]\nconnections = 300\n",
        );
        assert_eq!(web - few, 304);
    }
}
