//! Connecting to a server, signing in again, and signing out.

use crate::handlers::hold::{LARGE_ABOVE, Placed};
use crate::host::{Host, fresh_id};
use crate::http::answer::Answer;
use crate::http::context::RequestContext;
use crate::http::fault::of_store;
use crate::http::validate;
use crate::remote::network::Network;
use crate::remote::remote_error::of_sign_in;
use crate::state::service_struct::Service;
use lesson_sync::{
    Account, Change, Link, Named, Store, create_space, join_space, server_url, spaces,
};
use lesson_types::{
    ApiError, Connect, Connected, ErrorCode, SignIn, SignOut, SpaceChoice, SyncStatus, limits,
};

/// The longest publishable key and password, in characters.
const SECRET: usize = 4_096;

impl<S: Store, H: Host> Service<S, H> {
    pub(crate) async fn connect(
        &self,
        _: &RequestContext,
        asked: Connect,
    ) -> Result<Answer<Connected>, ApiError> {
        let url = server_url(&asked.url).map_err(of_sign_in)?;
        let key = asked.key.trim();
        secret("key", key)?;
        if !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(ApiError::invalid(
                "key",
                "the publishable key holds characters that no key has; copy it again from the project's API settings",
            ));
        }
        validate::filled("email", &asked.email, limits::ID)?;
        secret("password", &asked.password)?;
        if let Some(name) = &asked.create {
            validate::filled("create", name, limits::ID)?;
        }
        if let Some(code) = &asked.invite {
            secret("invite", code.trim())?;
        }
        if asked.space.is_some() && asked.create.is_some() {
            return Err(ApiError::invalid(
                "create",
                "name a space to join or one to make, not both",
            ));
        }
        if asked.invite.is_some() && (asked.space.is_some() || asked.create.is_some()) {
            return Err(ApiError::invalid(
                "invite",
                "an invitation names its space; leave out space and create",
            ));
        }
        if self.state.borrow().linked.is_some() {
            return Err(ApiError::new(
                ErrorCode::Conflict,
                "a server is connected already; sign out first",
            ));
        }
        let network = Network(&self.host);
        let account =
            lesson_sync::sign_in(&network, &url, key, asked.email.trim(), &asked.password)
                .await
                .map_err(of_sign_in)?;
        let space = match (asked.invite, asked.create) {
            (Some(code), _) => join_space(&network, &url, key, &account.session, code.trim())
                .await
                .map_err(of_sign_in)?,
            (None, Some(name)) => create_space(&network, &url, key, &account.session, name.trim())
                .await
                .map_err(of_sign_in)?,
            (None, None) => {
                let known = spaces(&network, &url, key, &account.session)
                    .await
                    .map_err(of_sign_in)?;
                let Some(wanted) = asked.space else {
                    return Ok(Answer::json(Connected {
                        connected: false,
                        spaces: known
                            .into_iter()
                            .map(|space| SpaceChoice {
                                id: space.id,
                                name: space.name,
                            })
                            .collect(),
                        large: None,
                    }));
                };
                known
                    .into_iter()
                    .find(|space| space.id == wanted)
                    .ok_or_else(|| {
                        ApiError::new(
                            ErrorCode::NotFound,
                            "you are no member of that space; choose one of yours or make one",
                        )
                        .at("space")
                    })?
            }
        };
        let Account { user, session } = account;
        let link = Link {
            url,
            key: key.to_owned(),
            user,
            space: Named {
                id: space.id,
                name: space.name,
            },
            actor: fresh_id(&self.host),
            session: Some(session),
            ..Link::default()
        };
        let large_above = asked.large_above.unwrap_or(LARGE_ABOVE);
        match self.place(link, asked.hold, large_above).await? {
            Placed::At(link) => {
                self.link_up(*link).await?;
                Ok(Answer::json(Connected {
                    connected: true,
                    ..Connected::default()
                }))
            }
            Placed::ToBeAsked(space, large) => Ok(Answer::json(Connected {
                connected: false,
                spaces: vec![SpaceChoice {
                    id: space.id,
                    name: space.name,
                }],
                large: Some(large),
            })),
        }
    }

    pub(crate) async fn sign_in(
        &self,
        _: &RequestContext,
        asked: SignIn,
    ) -> Result<Answer<SyncStatus>, ApiError> {
        secret("password", &asked.password)?;
        let link = self.linked_or_refuse()?;
        let network = Network(&self.host);
        let account = lesson_sync::sign_in(
            &network,
            &link.url,
            &link.key,
            &link.user.name,
            &asked.password,
        )
        .await
        .map_err(of_sign_in)?;
        if account.user.id != link.user.id {
            return Err(ApiError::new(
                ErrorCode::Forbidden,
                "this is another account than the one whose lessons are here; sign out before connecting as somebody else",
            )
            .at("password"));
        }
        let _turn = self.sync.turn.lock().await;
        let now = self.linked_or_refuse()?;
        let change = Change::to(Link {
            session: Some(account.session),
            ..now.clone()
        });
        self.store
            .commit(now.revision, change)
            .await
            .map_err(|error| of_store(&error))?;
        self.catch_up().await?;
        Ok(Answer::json(self.status()))
    }

    pub(crate) async fn sign_out(
        &self,
        _: &RequestContext,
        asked: SignOut,
    ) -> Result<Answer<SyncStatus>, ApiError> {
        // Events that wait to be stored count as unsent.
        let _ = self.flush().await;
        let (link, unsent) = {
            let state = self.state.borrow();
            let Some(linked) = &state.linked else {
                return Ok(Answer::json(SyncStatus::default()));
            };
            (linked.link.clone(), linked.unsent())
        };
        if unsent > 0 && asked.discard_unsent != Some(true) {
            return Err(ApiError::new(
                ErrorCode::Conflict,
                format!(
                    "{unsent} events are not on the server yet and would be lost; sync first, or set discard_unsent to true"
                ),
            )
            .at("discard_unsent"));
        }
        self.forget_all().await?;
        lesson_sync::sign_out(&Network(&self.host), &link).await;
        Ok(Answer::json(self.status()))
    }
}

/// A secret that is there and not absurdly long; its text is in no message.
fn secret(field: &str, text: &str) -> Result<(), ApiError> {
    let wrong = if text.is_empty() {
        "is empty"
    } else if text.chars().count() > SECRET {
        "is too long"
    } else {
        return Ok(());
    };
    Err(ApiError::invalid(
        field,
        format!("{field} {wrong}; copy it again"),
    ))
}
