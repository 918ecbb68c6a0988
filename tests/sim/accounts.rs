//! The sign-in server: access tokens that run out, refresh tokens that are good for one session.

use lesson_core::Millis;
use lesson_sync::Session;
use std::collections::HashMap;

#[derive(Default)]
pub struct Accounts {
    made: u64,
    /// Access tokens, until when they hold, and whose they are.
    access: HashMap<String, (Millis, String)>,
    /// Refresh tokens that hold, with the one that was traded for each and its session.
    current: HashMap<String, (Option<String>, Session)>,
    /// Tokens that were traded, and what for.
    traded: HashMap<String, String>,
}

impl Accounts {
    /// A person signs in by password, an edge by its own account.
    pub fn sign_in(&mut self, user: &str, until: Millis) -> Session {
        self.grant(user, None, until)
    }

    fn grant(&mut self, user: &str, parent: Option<String>, until: Millis) -> Session {
        self.made += 1;
        let session = Session {
            access_token: format!("access-{}", self.made),
            refresh_token: format!("refresh-{}", self.made),
        };
        self.access
            .insert(session.access_token.clone(), (until, user.to_owned()));
        self.current
            .insert(session.refresh_token.clone(), (parent, session.clone()));
        session
    }

    pub fn holds(&self, session: &Session, now: Millis) -> bool {
        self.access
            .get(&session.access_token)
            .is_some_and(|(until, _)| now < *until)
    }

    /// Returns the user that a session was given to.
    pub fn user(&self, session: &Session) -> Option<String> {
        let (_, user) = self.access.get(&session.access_token)?;
        Some(user.clone())
    }

    /// True if a new session can be had for this refresh token.
    pub fn is_current(&self, refresh_token: &str) -> bool {
        self.current.contains_key(refresh_token)
    }

    /// A token that was traded is refused, but for the parent of a session that holds: it gets that
    /// session again, as Supabase does, unless `strict`.
    pub fn refresh(&mut self, token: &str, strict: bool, until: Millis) -> Option<Session> {
        if let Some((_, old)) = self.current.remove(token) {
            let user = self.user(&old)?;
            let session = self.grant(&user, Some(token.to_owned()), until);
            self.traded
                .insert(token.to_owned(), session.refresh_token.clone());
            return Some(session);
        }
        let next = self.traded.get(token).filter(|_| !strict)?;
        let (_, session) = self.current.get(next)?;
        Some(session.clone())
    }
}
