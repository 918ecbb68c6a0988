//! The network: requests and answers that come late, twice or never, and errors on the way.

use crate::config::SECOND;
use crate::world::{Action, At, Request, Step, World};
use lesson_sync::{Input, RemoteError};

/// A client gives up after this.
const PATIENCE: i64 = 30 * SECOND;

impl World {
    /// Sends a request; the answer, if one comes, is for the effect of this number.
    pub fn send(&mut self, at: At, number: u64, request: Request) {
        if self.now < self.devices[at.device].offline_until {
            let answer = failed(&request, RemoteError::NoAnswer("offline".to_owned()));
            self.answer(at, number, 20, answer);
            return;
        }
        let given_up = failed(&request, RemoteError::NoAnswer("timed out".to_owned()));
        self.answer(at, number, PATIENCE, given_up);
        if self.fault(self.config.lost, "request lost") {
            return;
        }
        if self.fault(self.config.twice, "request doubled") {
            let wait = self.dice.between(20, 60_000);
            let step = Step::Arrive(request.clone());
            self.soon(wait, Action::Do(at, number, step));
        }
        let wait = if self.fault(self.config.late, "request late") {
            self.dice.between(400, 40_000)
        } else {
            self.dice.between(20, 300)
        };
        self.soon(wait, Action::Do(at, number, Step::Arrive(request)));
    }

    fn answer(&mut self, at: At, number: u64, wait: i64, input: Input) {
        let step = Step::Answer(Box::new(input), None);
        self.soon(wait, Action::Do(at, number, step));
    }

    /// A request reaches the server, or what stands before it.
    pub fn arrive(&mut self, at: At, number: u64, request: Request) {
        let wait = self.dice.between(20, 300);
        if let Some(error) = self.refusal(&request) {
            self.answer(at, number, wait, failed(&request, error));
            return;
        }
        let (mut input, page) = self.serve(&request);
        if self.fault(self.config.answer_lost, "answer lost") {
            return;
        }
        if self.now < self.devices[at.device].deaf_until {
            self.counts.add("answer lost in a one-way partition");
            return;
        }
        if self.fault(self.config.errors, "answer cut or replaced") {
            let cause = *self.dice.of(&["the answer was cut", "HTML", "500"]);
            input = failed(&request, RemoteError::Trouble(cause.to_owned()));
        }
        let step = Step::Answer(Box::new(input), page);
        self.soon(wait, Action::Do(at, number, step));
    }

    /// Why the server does not do what is asked.
    fn refusal(&mut self, request: &Request) -> Option<RemoteError> {
        if let Request::Push(link, _) | Request::Pull(link, _, _) = request
            && !link
                .session
                .as_ref()
                .is_some_and(|session| self.accounts.holds(session, self.now))
        {
            self.counts.add("token ran out");
            return Some(RemoteError::Unauthorized);
        }
        if let Request::Push(link, events) = request {
            if !self.healed && events.len() > self.config.batch {
                self.counts.add("413");
                return Some(RemoteError::TooLarge);
            }
            if events.iter().any(|event| event.actor != link.actor) {
                return Some(RemoteError::ActorTaken);
            }
        }
        let share = self.config.errors;
        // Of a refresh it would be the server's last word.
        let refreshes = matches!(request, Request::Refresh(_));
        if !refreshes && self.fault(share / 4, "401") {
            return Some(RemoteError::Unauthorized);
        }
        if self.fault(share / 4, "409") {
            return Some(RemoteError::Refused("status 409".to_owned()));
        }
        if self.fault(share, "429") {
            let told = self.dice.one_in(2).then_some(3_000);
            return Some(RemoteError::Busy(told));
        }
        if self.fault(share, "503") {
            return Some(RemoteError::Busy(None));
        }
        self.fault(share, "500")
            .then(|| RemoteError::Trouble("500".to_owned()))
    }

    fn serve(&mut self, request: &Request) -> (Input, Option<crate::server::Snapshot>) {
        match request {
            Request::Push(link, events) => {
                let session = link.session.as_ref();
                let user = session.and_then(|session| self.accounts.user(session));
                let from = (&*user.unwrap_or_default(), &*link.actor);
                let pushed = self.server.push(from, events, self.now, &mut self.dice);
                (Input::Pushed(Ok(pushed)), None)
            }
            Request::Pull(link, cursor, limit) => {
                let limit = self.config.page.min(*limit as usize);
                let (page, snapshot) = self.server.pull(&link.actor, *cursor, limit, self.now);
                (Input::Pulled(Ok(page)), Some(snapshot))
            }
            Request::Refresh(link) => {
                let until = self.now + self.config.token;
                let session = link.session.as_ref().and_then(|session| {
                    self.accounts
                        .refresh(&session.refresh_token, self.config.strict, until)
                });
                (
                    Input::Refreshed(session.ok_or(RemoteError::Unauthorized)),
                    None,
                )
            }
        }
    }
}

fn failed(request: &Request, error: RemoteError) -> Input {
    match request {
        Request::Push(..) => Input::Pushed(Err(error)),
        Request::Pull(..) => Input::Pulled(Err(error)),
        Request::Refresh(..) => Input::Refreshed(Err(error)),
    }
}
