//! Spaces too large to be held: each request reads the part that it needs, and the same handlers answer over that part.

pub(crate) mod on_server;
pub(crate) mod over_part;
pub(crate) mod part;
pub(crate) mod part_wanted;
