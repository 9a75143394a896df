//! Pages of the documentation that are made from the agent: keys of the configuration, objects, metrics.

mod keys;
mod objects;
