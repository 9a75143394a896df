use varbind_codec::smi::Oid;

/// Which requests a walk makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// GetNext: one object per segment and request.
    GetNext,
    /// GetBulk; in SNMPv1, which has none, GetNext.
    GetBulk {
        /// max-repetitions of every request; `None` adapts it to the size of the objects and of a message.
        max_repetitions: Option<u16>,
    },
}

/// How a subtree is walked.
#[derive(Clone, Debug)]
pub struct WalkOptions {
    /// Which requests are made.
    pub method: Method,
    /// One request at a time, front to back, as managers always did.
    pub sequential: bool,
    /// Take names that do not increase, as some agents send them. The walk is then sequential, objects come in the
    /// order of the agent, and the walk ends when the agent repeats itself.
    pub tolerate_non_increasing: bool,
    /// Where the range may be divided so that its parts are walked at the same time: the columns of a table, for example.
    /// Names outside the range do no harm. Where nothing is given, the walk finds out by itself.
    pub boundaries: Vec<Oid>,
    /// Columns of tables in the range, as far as they are known. In a session with a dictionary, where requests follow each
    /// other and ask for as much as they can, they tell how much a table has yet; elsewhere nothing comes of them.
    #[cfg(feature = "experiments")]
    pub columns: Vec<Oid>,
    /// Ask for the value of the root itself before.
    pub include_root: bool,
    /// If nothing is below the root, ask for the value of the root itself.
    pub root_if_empty: bool,
    /// The walk fails when it has met more objects than this: the agent may be inventing them without end.
    pub max_objects: u64,
    /// max-repetitions is never adapted beyond this; beyond eight times this in a session with a dictionary.
    pub max_repetitions_limit: u16,
    /// Parts that are ahead of the others wait when they hold this many objects together.
    pub max_buffered_objects: usize,
}

impl Default for WalkOptions {
    /// Parallel, with GetBulk that adapts, up to 10 million objects.
    fn default() -> Self {
        Self {
            method: Method::GetBulk {
                max_repetitions: None,
            },
            sequential: false,
            tolerate_non_increasing: false,
            boundaries: Vec::new(),
            #[cfg(feature = "experiments")]
            columns: Vec::new(),
            include_root: false,
            root_if_empty: true,
            max_objects: 10_000_000,
            max_repetitions_limit: 200,
            max_buffered_objects: 100_000,
        }
    }
}
