//! The codec from outside: written and read again, broken, and against what other programs send.
#![cfg(test)]

mod broken_input;
mod captures;
mod corpus;
mod message_parts;
mod round_trip;
mod serialization;
mod strategies;
mod tolerant_reading;
mod tshark;
mod v3_messages;
mod vectors;
