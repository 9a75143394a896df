use std::fmt;
use std::sync::Arc;

use varbind_codec::ber::Writer;
use varbind_codec::smi::{Oid, OidScratch, Value, ValueRef, VarBind};

use super::{
    Admission, DynamicObjects, ManagedObject, ReadError, Reply, ReplyOutcome, RequestContext,
};
use crate::applications::proxy_forwarder::ProxyTarget;

/// The managed objects of one context, by the names under which they are registered.
///
/// Invariant: no name in it is a prefix of another, so that every instance has at most one object.
#[derive(Default)]
pub struct Registry {
    subtrees: Vec<Subtree>,
    dynamic: Option<Arc<dyn DynamicObjects>>,
    proxies: Vec<ProxiedObjects>,
}

/// Objects that another agent has: requests for nothing else are passed on to it.
pub struct ProxiedObjects {
    /// All that is not registered if there is none.
    root: Option<Oid>,
    target: Arc<dyn ProxyTarget>,
}

impl ProxiedObjects {
    /// The agent.
    pub(crate) const fn target(&self) -> &Arc<dyn ProxyTarget> {
        &self.target
    }

    /// Whether it has the whole context.
    pub(crate) const fn is_whole(&self) -> bool {
        self.root.is_none()
    }
}

struct Subtree {
    root: Oid,
    object: Arc<dyn ManagedObject>,
}

impl Registry {
    /// A registry to be filled.
    #[must_use]
    pub fn builder() -> RegistryBuilder {
        RegistryBuilder::default()
    }

    /// The object responsible for the instance `name`.
    #[must_use]
    pub fn find(&self, name: &[u32]) -> Option<&dyn ManagedObject> {
        let registered = self.registered(name).map(|subtree| &*subtree.object);
        registered.or(self.dynamic().map(|dynamic| dynamic as &dyn ManagedObject))
    }

    /// Whether an object that is registered is responsible for `name` and all below it.
    #[must_use]
    pub fn is_registered(&self, name: &[u32]) -> bool {
        self.registered(name).is_some()
    }

    fn registered(&self, name: &[u32]) -> Option<&Subtree> {
        let at = self.first_behind(name).checked_sub(1)?;
        let subtree = self.subtrees.get(at)?;
        subtree.root.is_prefix_of(name).then_some(subtree)
    }

    /// The objects between those that are registered.
    pub(crate) fn dynamic(&self) -> Option<&dyn DynamicObjects> {
        self.dynamic.as_deref()
    }

    /// Whether anything is proxied.
    pub(crate) const fn has_proxies(&self) -> bool {
        !self.proxies.is_empty()
    }

    /// The proxied objects that `name` is one of, or lies above or between which it is if the whole context is proxied.
    pub(crate) fn proxied(&self, name: &[u32]) -> Option<&ProxiedObjects> {
        let is_of = |proxied: &&ProxiedObjects| match &proxied.root {
            Some(root) => root.is_prefix_of(name),
            None => !self.is_registered(name),
        };
        self.proxies.iter().find(is_of)
    }

    /// The objects that may have instances behind `name`, in order, each with its registered name.
    pub fn from_name(
        &self,
        name: &[u32],
    ) -> impl Iterator<Item = (&Oid, &dyn ManagedObject)> + use<'_> {
        let at = self.position(name, usize::MAX);
        self.subtrees
            .get(at..)
            .unwrap_or(&[])
            .iter()
            .map(|subtree| (&subtree.root, &*subtree.object))
    }

    /// The first name behind the object that is responsible for `name`; `None` if none is registered.
    pub(crate) fn end_of_registered(&self, name: &[u32]) -> Option<Vec<u32>> {
        let mut end = self.registered(name)?.root.arcs().to_vec();
        while let Some(last) = end.pop() {
            if let Some(next) = last.checked_add(1) {
                end.push(next);
                break;
            }
        }
        Some(end)
    }

    /// The position of the first object that may have instances behind `name`, looked for at `nearby` first.
    pub(crate) fn position(&self, name: &[u32], nearby: usize) -> usize {
        let contains = |at: &usize| {
            self.subtrees
                .get(*at)
                .is_some_and(|subtree| subtree.root.is_prefix_of(name))
        };
        if contains(&nearby) {
            return nearby;
        }
        let behind = self.first_behind(name);
        behind.checked_sub(1).filter(contains).unwrap_or(behind)
    }

    /// The object at a position, with its registered name.
    pub(crate) fn subtree(&self, at: usize) -> Option<(&Oid, &dyn ManagedObject)> {
        self.subtrees
            .get(at)
            .map(|subtree| (&subtree.root, &*subtree.object))
    }

    /// The names under which objects are registered, in order.
    pub fn roots(&self) -> impl Iterator<Item = &Oid> {
        self.subtrees.iter().map(|subtree| &subtree.root)
    }

    /// The index of the first subtree whose root is greater than `name`.
    fn first_behind(&self, name: &[u32]) -> usize {
        self.subtrees
            .partition_point(|subtree| subtree.root.arcs() <= name)
    }

    /// Reads one instance, for the agent's own use: no access control applies.
    ///
    /// # Errors
    /// As the managed object.
    pub fn read(&self, request: &RequestContext, name: &[u32]) -> Result<Value, ReadError> {
        let object = self.find(name).ok_or(ReadError::NoSuchObject)?;
        let instance = read_with(name, |reply| object.get(request, name, reply))?
            .ok_or(ReadError::NoSuchInstance)?;
        Ok(instance.value)
    }

    /// Reads the first instance behind `name` of the objects that are registered, for the agent's own use: no access control
    /// applies.
    ///
    /// # Errors
    /// `ReadError::Failed`.
    pub fn read_next(
        &self,
        request: &RequestContext,
        name: &[u32],
    ) -> Result<Option<VarBind>, ReadError> {
        for (_, object) in self.from_name(name) {
            match read_with(name, |reply| object.get_next(request, name, reply)) {
                Ok(None) | Err(ReadError::MustWait) => {}
                found => return found,
            }
        }
        Ok(None)
    }
}

fn read_with(
    name: &[u32],
    read: impl FnOnce(&mut Reply<'_, '_>) -> Result<(), ReadError>,
) -> Result<Option<VarBind>, ReadError> {
    // The largest value and the largest name.
    let mut buffer = vec![0; 65_536 + 1024];
    let mut writer = Writer::new(&mut buffer, 0).map_err(|_| ReadError::Failed)?;
    let mut scratch = OidScratch::new();
    scratch.set(name);
    let found = std::cell::RefCell::new(None);
    let keep = |name: &[u32], value: &ValueRef<'_>| {
        let var_bind = |name| VarBind::new(name, value.to_owned());
        found.replace(Oid::new(name).ok().map(var_bind));
        Admission::Admitted
    };
    let mut reply = Reply::new(&mut scratch, None, &mut writer, &keep);
    read(&mut reply)?;
    match reply.outcome() {
        ReplyOutcome::Unanswered => Ok(None),
        ReplyOutcome::Written => Ok(found.into_inner()),
        ReplyOutcome::Withheld | ReplyOutcome::Refused | ReplyOutcome::Failed(_) => {
            Err(ReadError::Failed)
        }
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.roots()).finish()
    }
}

/// Collects the managed objects of a [`Registry`].
#[derive(Default)]
pub struct RegistryBuilder {
    subtrees: Vec<Subtree>,
    dynamic: Option<Arc<dyn DynamicObjects>>,
    proxies: Vec<ProxiedObjects>,
}

impl RegistryBuilder {
    /// Registers `object` for all instances below `root`.
    #[must_use]
    pub fn register(mut self, root: Oid, object: Arc<dyn ManagedObject>) -> Self {
        self.subtrees.push(Subtree { root, object });
        self
    }

    /// The objects between those that are registered.
    #[must_use]
    pub fn dynamic(mut self, objects: Arc<dyn DynamicObjects>) -> Self {
        self.dynamic = Some(objects);
        self
    }

    /// Passes requests that concern nothing but names below `root` on to `target`; without a root those for any name that is
    /// not registered. For all other requests the same objects are to be [registered](Self::register), or
    /// [dynamic](Self::dynamic).
    #[must_use]
    pub fn proxy(mut self, root: Option<Oid>, target: Arc<dyn ProxyTarget>) -> Self {
        self.proxies.push(ProxiedObjects { root, target });
        self
    }

    /// The registry.
    ///
    /// # Errors
    /// When a registered name lies below another one.
    pub fn build(mut self) -> Result<Registry, RegistrationError> {
        self.subtrees.sort_by(|a, b| a.root.cmp(&b.root));
        let overlap = self.subtrees.windows(2).find_map(|pair| match pair {
            [outer, inner] if outer.root.is_prefix_of(inner.root.arcs()) => {
                Some(RegistrationError {
                    outer: outer.root.clone(),
                    inner: inner.root.clone(),
                })
            }
            _ => None,
        });
        match overlap {
            Some(error) => Err(error),
            None => Ok(Registry {
                subtrees: self.subtrees,
                dynamic: self.dynamic,
                proxies: self.proxies,
            }),
        }
    }
}

/// Two objects were registered for the same instances.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegistrationError {
    /// The name that lies above.
    pub outer: Oid,
    /// The name that lies below it, or equals it.
    pub inner: Oid,
}

impl fmt::Display for RegistrationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} cannot be registered: {} is registered already and contains it",
            self.inner, self.outer
        )
    }
}

impl std::error::Error for RegistrationError {}
