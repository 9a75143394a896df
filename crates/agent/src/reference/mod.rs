//! Pages of the documentation that are made from the agent: keys of the configuration, objects, metrics. They are those of the default build.
#![cfg(not(feature = "experiments"))]

mod keys;
mod objects;
