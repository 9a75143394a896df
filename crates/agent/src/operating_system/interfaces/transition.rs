use super::Interface;
use crate::operating_system::OperationalState;

/// An interface that went up or down (linkUp and linkDown, RFC 2863).
#[derive(Clone, Debug)]
pub(crate) struct LinkTransition {
    /// The interface, as it is now; one that is gone as it is without its link.
    pub(crate) interface: Interface,
    /// Whether it went up.
    pub(crate) is_up: bool,
}

/// lowerLayerDown is down with a reason (RFC 2863 section 3.1.12).
const fn is_down(state: OperationalState) -> bool {
    matches!(
        state,
        OperationalState::Down | OperationalState::LowerLayerDown
    )
}

impl LinkTransition {
    /// What became of an interface. The kernel makes and removes interfaces while they are down, so one that is first
    /// seen up went up, and one that vanishes while it is up went down.
    pub(super) fn between(before: Option<&Interface>, after: Option<&Interface>) -> Option<Self> {
        let state = |interface: Option<&Interface>| {
            interface.map_or(OperationalState::Down, |interface| {
                interface.link.operational_state
            })
        };
        let (was, is) = (state(before), state(after));
        // Neither counts to or from notPresent.
        let counts = was != OperationalState::NotPresent && is != OperationalState::NotPresent;
        if is_down(was) == is_down(is) || !counts {
            return None;
        }
        let mut interface = after.or(before)?.clone();
        if after.is_none() {
            interface.link.is_up = false;
            interface.link.operational_state = OperationalState::Down;
        }
        Some(Self {
            interface,
            is_up: is_down(was),
        })
    }
}

#[cfg(test)]
mod tests {
    use varbind_engine::clock::Instant;

    use super::*;
    use crate::operating_system::Link;

    fn interface(operational_state: OperationalState) -> Interface {
        let link = Link {
            index: 7,
            operational_state,
            ..Link::default()
        };
        Interface::new(link, None, Instant::ORIGIN)
    }

    fn transition(
        before: Option<OperationalState>,
        after: Option<OperationalState>,
    ) -> Option<bool> {
        let (before, after) = (before.map(interface), after.map(interface));
        LinkTransition::between(before.as_ref(), after.as_ref()).map(|found| found.is_up)
    }

    #[test]
    fn links_go_up_and_down() {
        use OperationalState::{Dormant, Down, LowerLayerDown, NotPresent, Up};
        for (before, after, expected) in [
            (Some(Down), Some(Up), Some(true)),
            (Some(LowerLayerDown), Some(Up), Some(true)),
            (Some(Down), Some(Dormant), Some(true)),
            (Some(Up), Some(Down), Some(false)),
            (Some(Up), Some(LowerLayerDown), Some(false)),
            (Some(Up), Some(Up), None),
            (Some(Down), Some(LowerLayerDown), None),
            (Some(Dormant), Some(Up), None),
            (Some(NotPresent), Some(Down), None),
            (Some(NotPresent), Some(Up), None),
            (Some(Down), Some(NotPresent), None),
            (None, Some(Up), Some(true)),
            (None, Some(Down), None),
            (Some(Up), None, Some(false)),
            (Some(Down), None, None),
        ] {
            assert_eq!(transition(before, after), expected, "{before:?} {after:?}");
        }
    }

    #[test]
    fn an_interface_that_is_gone_is_down() {
        let up = interface(OperationalState::Up);
        let gone = LinkTransition::between(Some(&up), None).unwrap();
        assert_eq!(
            gone.interface.link.operational_state,
            OperationalState::Down
        );
    }
}
