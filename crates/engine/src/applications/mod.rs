//! The applications of RFC 3413.

pub mod command_generator;
pub mod command_responder;
pub mod notification;
pub mod notification_originator;
pub mod notification_receiver;
pub mod proxy_forwarder;
