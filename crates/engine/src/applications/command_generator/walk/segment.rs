use std::cmp::Ordering;

use varbind_codec::smi::{Oid, VarBind};

use super::WalkError;

/// The last name of a segment.
#[derive(Clone, Debug)]
pub(super) enum End {
    /// All that is below this name.
    Subtree(Oid),
    /// All names up to this one, itself included.
    UpTo(Oid),
}

impl End {
    /// Whether `name`, which lies behind the beginning of the segment, is still inside it.
    pub(super) fn contains(&self, name: &Oid) -> bool {
        match self {
            Self::UpTo(last) => name <= last,
            Self::Subtree(root) => {
                let length = root.arcs().len().min(name.arcs().len());
                let (root, name) = (root.arcs().get(..length), name.arcs().get(..length));
                name.cmp(&root) != Ordering::Greater
            }
        }
    }
}

/// How far a segment is.
#[derive(Debug)]
pub(super) enum State {
    /// The next request can be made.
    Idle,
    /// A request is on its way.
    Waiting,
    /// Its beginning, which was guessed, is not to this agent's liking: it is asked for when all before it is known.
    Deferred,
    /// All of it is known.
    Done,
    /// It cannot be walked further.
    Failed(WalkError),
}

/// The part of a table that a segment is expected to hold.
#[derive(Clone, Debug)]
pub(super) struct Share {
    /// The name of which the columns are children.
    pub(super) parent: Oid,
    /// How many columns.
    pub(super) columns: u32,
}

/// The names received one after the other since it was last looked at.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub(super) first: Oid,
    pub(super) count: u64,
}

/// A part of the range, walked by itself: the names behind a cursor up to an end.
#[derive(Debug)]
pub(super) struct Segment {
    pub(super) key: u32,
    /// The root that the segment lies below.
    pub(super) root: Oid,
    /// The names up to this one are known.
    pub(super) cursor: Oid,
    pub(super) end: End,
    pub(super) state: State,
    /// Objects that were received and not delivered yet.
    pub(super) objects: Vec<VarBind>,
    pub(super) received: u64,
    /// Its beginning is a guess.
    pub(super) guessed: bool,
    /// It begins with a column, which is long.
    pub(super) begins_with_column: bool,
    /// The known common prefix of its names; division continues below it.
    pub(super) base: Oid,
    /// The parent of the columns of which this is the open end, and how many columns to guess next.
    pub(super) frontier: Option<(Oid, u32)>,
    pub(super) share: Option<Share>,
    /// How many of the objects received belong to the share.
    pub(super) share_received: u64,
    /// How many were received when a part was divided off.
    pub(super) received_at_split: Option<u64>,
    pub(super) run: Option<Run>,
    /// Octets per object in its latest response.
    pub(super) octets_per_object: Option<f64>,
}

impl Segment {
    /// The names behind `cursor` up to `end`.
    pub(super) fn new(key: u32, root: Oid, cursor: Oid, end: End) -> Self {
        Self {
            key,
            base: cursor.clone(),
            root,
            cursor,
            end,
            state: State::Idle,
            objects: Vec::new(),
            received: 0,
            guessed: false,
            begins_with_column: false,
            frontier: None,
            share: None,
            share_received: 0,
            received_at_split: None,
            run: None,
            octets_per_object: None,
        }
    }

    pub(super) fn push(&mut self, object: VarBind) {
        match &mut self.run {
            Some(run) => run.count += 1,
            None => {
                self.run = Some(Run {
                    first: object.name.clone(),
                    count: 1,
                });
            }
        }
        self.cursor.clone_from(&object.name);
        self.received += 1;
        self.share_received += 1;
        self.objects.push(object);
    }

    /// Whether it is a guess that has not come true yet.
    pub(super) const fn is_unproven(&self) -> bool {
        self.guessed && self.received == 0
    }

    /// Whether nothing was asked or received yet.
    pub(super) fn is_untouched(&self) -> bool {
        matches!(self.state, State::Idle) && self.received == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn oid(text: &str) -> Oid {
        text.parse().unwrap()
    }

    #[test]
    fn an_end_is_inclusive_or_a_subtree() {
        let end = End::Subtree(oid("1.3.6"));
        assert!(end.contains(&oid("1.3.6.4294967295.1")));
        assert!(!end.contains(&oid("1.3.7")));
        let end = End::UpTo(oid("1.3.6"));
        assert!(end.contains(&oid("1.3.6")));
        assert!(!end.contains(&oid("1.3.6.1")));
    }
}
