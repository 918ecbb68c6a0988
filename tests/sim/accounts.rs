//! The sign-in server: access tokens that run out, refresh tokens that are good for one session.

use lesson_core::Millis;
use lesson_sync::Session;
use std::collections::HashMap;

#[derive(Default)]
pub struct Accounts {
    made: u64,
    /// Access tokens, and until when they hold.
    access: HashMap<String, Millis>,
    /// Refresh tokens that hold, with the one that was traded for each and its session.
    current: HashMap<String, (Option<String>, Session)>,
    /// Tokens that were traded, and what for.
    traded: HashMap<String, String>,
}

impl Accounts {
    /// A person signs in by password.
    pub fn sign_in(&mut self, until: Millis) -> Session {
        self.grant(None, until)
    }

    fn grant(&mut self, parent: Option<String>, until: Millis) -> Session {
        self.made += 1;
        let session = Session {
            access_token: format!("access-{}", self.made),
            refresh_token: format!("refresh-{}", self.made),
        };
        self.access.insert(session.access_token.clone(), until);
        self.current
            .insert(session.refresh_token.clone(), (parent, session.clone()));
        session
    }

    pub fn holds(&self, session: &Session, now: Millis) -> bool {
        self.access
            .get(&session.access_token)
            .is_some_and(|until| now < *until)
    }

    /// Whether a new session can be had for this refresh token.
    pub fn is_current(&self, refresh_token: &str) -> bool {
        self.current.contains_key(refresh_token)
    }

    /// A token that was traded is refused, but for the parent of a session that holds: it gets that
    /// session again, as Supabase does, unless `strict`.
    pub fn refresh(&mut self, token: &str, strict: bool, until: Millis) -> Option<Session> {
        if self.current.remove(token).is_some() {
            let session = self.grant(Some(token.to_owned()), until);
            self.traded
                .insert(token.to_owned(), session.refresh_token.clone());
            return Some(session);
        }
        let next = self.traded.get(token).filter(|_| !strict)?;
        let (_, session) = self.current.get(next)?;
        Some(session.clone())
    }
}
