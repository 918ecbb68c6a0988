//! Where a linked space is had: as a copy here, or on the server.

use crate::host::Host;
use crate::http::answer::Answer;
use crate::http::context::RequestContext;
use crate::large::on_server::{Unread, lacking, unread};
use crate::large::part::sending_only;
use crate::large::part_wanted::PartWanted;
use crate::remote::network::Network;
use crate::remote::remote_error::of_remote;
use crate::state::service_struct::Service;
use lesson_sync::{Change, Link, Machine, Named, Store, Supabase, lacks_function};
use lesson_types::{ApiError, ErrorCode, Hold, HoldSpace, LargeSpace, SyncStatus};

/// With more lessons a person is asked before a space is copied: up to here the dashboard is measured to be quick, and a
/// phone holds it.
pub(crate) const LARGE_ABOVE: u32 = 100_000;
/// Remedy when the server did not say how large a space is.
const NOT_ASKED: &str = "nothing was connected or changed; try again";

/// Outcome of placing a link that is to be made.
pub(crate) enum Placed {
    /// It is made so.
    At(Box<Link>),
    /// A person is asked first.
    ToBeAsked(Named, LargeSpace),
}

impl<S: Store, H: Host> Service<S, H> {
    /// Finds out where the space of a link is to be had, before anything of it is read. A server that can't say how large a
    /// space is, and a host that holds all spaces whole, have it copied.
    pub(crate) async fn place(
        &self,
        link: Link,
        hold: Option<Hold>,
        large_above: u32,
    ) -> Result<Placed, ApiError> {
        if hold == Some(Hold::Copy) || (self.on_server.parts.is_none() && hold.is_none()) {
            return Ok(Placed::At(Box::new(link)));
        }
        let size = match self.size_of(&link).await {
            Ok(size) => size,
            Err(error) if lacks_function(&error) && hold.is_none() => {
                return Ok(Placed::At(Box::new(link)));
            }
            Err(error) if lacks_function(&error) => return Err(lacking("space_size").error),
            Err(error) => return Err(of_remote(NOT_ASKED, &error)),
        };
        if hold == Some(Hold::Server) {
            self.try_parts(&link).await?;
            return Ok(Placed::At(Box::new(sending_only(link, &size))));
        }
        let lessons = u32::try_from(size.lessons).unwrap_or(u32::MAX);
        if lessons <= large_above {
            return Ok(Placed::At(Box::new(link)));
        }
        let large = LargeSpace {
            lessons,
            megabytes: u32::try_from(size.replica_bytes() / 1_000_000).unwrap_or(u32::MAX),
        };
        Ok(Placed::ToBeAsked(link.space, large))
    }

    /// Checks that the server of a link gives parts.
    ///
    /// # Errors
    /// When it does not, or this host makes no use of them.
    async fn try_parts(&self, link: &Link) -> Result<(), ApiError> {
        if self.on_server.parts.is_none() {
            return Err(ApiError::invalid(
                "hold",
                "this host holds spaces whole; choose `copy`",
            ));
        }
        let network = Network(&self.host);
        let remote = Supabase::new(&network);
        for wanted in PartWanted::probes() {
            let Some(function) = wanted.function else {
                continue;
            };
            let asked = remote.part(link, function, &wanted.ask).await;
            asked.map_err(|error| -> ApiError {
                let Unread { error, .. } = match lacks_function(&error) {
                    true => lacking(function),
                    false => unread(&error),
                };
                error
            })?;
        }
        Ok(())
    }

    pub(crate) async fn hold(
        &self,
        _: &RequestContext,
        asked: HoldSpace,
    ) -> Result<Answer<SyncStatus>, ApiError> {
        // Events that wait to be stored count as unsent.
        self.flush().await?;
        let is_there = self.linked_or_refuse()?.sends_only;
        match asked.hold {
            Hold::Copy if is_there => self.begin_copy().await?,
            Hold::Server if !is_there => self.give_up_copy().await?,
            Hold::Copy | Hold::Server => {}
        }
        Ok(Answer::json(self.status()))
    }

    /// The next round reads all rows.
    async fn begin_copy(&self) -> Result<(), ApiError> {
        let _turn = self.sync.turn.lock().await;
        let link = self.linked_or_refuse()?;
        self.commit_link(Change::to(Link {
            sends_only: false,
            cursor: 0,
            cleared: link.cleared.saturating_add(1),
            ..link
        }))
        .await?;
        *self.sync.machine.borrow_mut() = Machine::new();
        Ok(())
    }

    /// Drops the rows of the linked space. Events that the server has not acknowledged stay, whoever made them meanwhile.
    async fn give_up_copy(&self) -> Result<(), ApiError> {
        self.all_sent()?;
        let link = self.linked_or_refuse()?;
        let size = self
            .signed_in(&link, async |link: &Link| self.size_of(link).await)
            .await
            .map_err(|error| match lacks_function(&error) {
                true => lacking("space_size").error,
                false => of_remote(NOT_ASKED, &error),
            })?;
        self.try_parts(&self.linked_or_refuse()?).await?;
        let _turn = self.sync.turn.lock().await;
        self.all_sent()?;
        let link = self.linked_or_refuse()?;
        let link = Link {
            based: link.acked,
            cleared: link.cleared.saturating_add(1),
            resync: false,
            ..sending_only(link, &size)
        };
        self.commit_link(Change {
            clear_rows: true,
            forget_through: Some(link.acked),
            ..Change::to(link)
        })
        .await?;
        *self.sync.machine.borrow_mut() = Machine::new();
        Ok(())
    }

    fn all_sent(&self) -> Result<(), ApiError> {
        match self.unsent() {
            0 => Ok(()),
            unsent => Err(ApiError::new(
                ErrorCode::Conflict,
                format!(
                    "{unsent} events are not on the server yet; sync first, then give up the copy"
                ),
            )
            .at("hold")),
        }
    }
}
