//! The people in the connected space: names, roles, invitations.

use crate::api::{Asking, Client, Query, use_fetch};
use crate::components::{
    Choice, CopyButton, Dialog, Empty, ErrorNote, Skeleton, TextField, submit_by_key, use_toasts,
};
use crate::sync::{Stage, Syncing};
use crate::{dom, format};
use leptos::prelude::*;
use lesson_types::{
    Invite, InviteRevoked, MadeInvite, Member, MemberPatch, MemberRemoved, MemberRole, Members,
    NewInvite, limits,
};

/// The card, which gets the focus when an invitation is put away.
const CARD: &str = "members";
/// The panel with the code of a new invitation, which gets the focus.
const PANEL: &str = "fresh-invite";

/// A new invitation and whom it is for. Nobody can look its code up again, so it is kept outside of what is drawn anew with
/// each reading of the members, until the person puts it away or leaves the page.
type FreshInvite = RwSignal<Option<(String, MadeInvite)>>;

/// The state that the parts of the card share.
#[derive(Clone, Copy)]
struct MembersSection {
    client: Client,
    syncing: Syncing,
    /// They change on the server, not with what is stored here.
    asked: Query<Members>,
    /// The account of who reads this.
    me: Memo<String>,
    is_owner: Memo<bool>,
    /// The member whose removal is asked about.
    removing: RwSignal<Option<Member>>,
    asks: RwSignal<bool>,
    fresh: FreshInvite,
}

impl MembersSection {
    /// Reads the members anew; their names stand on other pages, too.
    fn read(self) {
        self.asked.ask_again();
        self.syncing.ask_names();
    }
}

/// The members, once a server is connected.
#[component]
pub fn MembersCard() -> impl IntoView {
    let syncing = Syncing::get_from_context();
    let is_on = Memo::new(move |_| syncing.stage() == Stage::On);
    let fresh = FreshInvite::new(None);
    view! {
        <section class="card" id=CARD tabindex="-1" aria-labelledby="members-title" data-testid="members">
            <h2 id="members-title">"Members"</h2>
            <Show when=move || is_on.get() fallback=|| view! {
                <Empty title="Just you, on this device" text="Connect a server to share these lessons: then you can invite people, and see who approved what.">
                    <a href="/settings#sync" class="button">"Connect a server"</a>
                </Empty>
            }>
                <Connected fresh/>
            </Show>
        </section>
    }
}

#[component]
fn Connected(fresh: FreshInvite) -> impl IntoView {
    let syncing = Syncing::get_from_context();
    let client = Client::get_from_context();
    let asked = use_fetch(String::new, move || client.get::<Members>("/v1/members"));
    // The members as they were last read: a reading that fails takes nothing away.
    let told = asked.kept();
    let error = move || asked.error();
    let me = Memo::new(move |_| syncing.read(|status| status.account.clone()));
    let is_owner = Memo::new(move |_| {
        let (me, told) = (me.read(), told.read());
        let owns = |member: &Member| member.id == *me && member.role == MemberRole::Owner;
        told.as_ref()
            .is_some_and(|told| told.members.iter().any(owns))
    });
    let page = MembersSection {
        client,
        syncing,
        asked,
        me,
        is_owner,
        removing: RwSignal::new(None),
        asks: RwSignal::new(false),
        fresh,
    };
    let members = move || told.get().map_or_else(Vec::new, |told| told.members);
    let invites = Memo::new(move |_| told.get().map_or_else(Vec::new, |told| told.invites));
    let is_read = Memo::new(move |_| told.read().is_some());
    let is_awaited = move || !is_read.get() && error().is_none();
    let has_invites = Memo::new(move |_| !invites.read().is_empty());
    let is_fresh = Memo::new(move |_| page.fresh.read().is_some());
    // Rows and forms are drawn once and stay while the members are read again: what somebody is typing is theirs.
    view! {
        <Show when=is_awaited><Skeleton lines=3/></Show>
        {move || error().map(|error| view! {
            <ErrorNote error/>
            <div class="actions"><button type="button" on:click=move |_| page.read() data-testid="members-again">"Try again"</button></div>
        })}
        <Show when=move || is_read.get()>
            <ul class="keys" aria-label="Members">
                <For each=members key=drawn let:member><Row page member/></For>
            </ul>
            <Show when=move || has_invites.get()>
                <h3>"Invited"</h3>
                <ul class="keys" aria-label="Invitations">
                    <For each=move || invites.get() key=|invite| invite.id.clone() let:invite><Invited page invite/></For>
                </ul>
            </Show>
            <Show when=move || is_fresh.get()><FreshCode page/></Show>
            <Show when=move || is_owner.get() fallback=|| view! { <p class="hint">"Owners of the space invite people and change roles."</p> }>
                // A second invitation would take the place of a code that nobody has saved yet.
                <Show when=move || !is_fresh.get()><InviteForm page/></Show>
            </Show>
            <RemoveDialog page/>
        </Show>
    }
}

/// The parts of a member that are drawn and may change.
fn drawn(member: &Member) -> (String, Option<String>, Option<String>, &'static str) {
    (
        member.id.clone(),
        member.name.clone(),
        member.email.clone(),
        role(member.role),
    )
}

fn role(role: MemberRole) -> &'static str {
    match role {
        MemberRole::Owner => "Owner",
        MemberRole::Member => "Member",
    }
}

/// Names a member: by their name, their address, or the end of their account's id.
pub(super) fn called(member: &Member) -> String {
    let email = member.email.clone().filter(|email| !email.is_empty());
    member.name.clone().or(email).unwrap_or_else(|| {
        let end = member.id.rsplit('-').next().unwrap_or_default();
        format!("person {end}")
    })
}

#[component]
fn Row(page: MembersSection, member: Member) -> impl IntoView {
    let toasts = use_toasts();
    let asking = Asking::default();
    let renames = RwSignal::new(false);
    let name = RwSignal::new(member.name.clone().unwrap_or_default());
    let is_me = *page.me.read_untracked() == member.id;
    let kept = StoredValue::new(member.clone());
    let path = StoredValue::new(format!("/v1/members/{}", member.id));
    let change = move |patch: MemberPatch, told: &'static str| {
        asking.run(
            page.client.patch_json::<Members>(path.get_value(), &patch),
            move |_| {
                toasts.good(told);
                page.read();
            },
        );
    };
    let rename = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let patch = MemberPatch {
            name: Some(name.get_untracked()),
            role: None,
        };
        change(patch, "Name changed");
    };
    let other = match member.role {
        MemberRole::Owner => MemberRole::Member,
        MemberRole::Member => MemberRole::Owner,
    };
    let turn = move |_| {
        let patch = MemberPatch {
            name: None,
            role: Some(other),
        };
        change(patch, "Role changed");
    };
    let whom = called(&member);
    let own_mark = if is_me { " (you)" } else { "" };
    let email = member
        .name
        .as_ref()
        .and(member.email.clone())
        .map(|email| format!("{email} · "));
    let since = format!("since {}", format::time(&member.joined_at));
    let role_label = match other {
        MemberRole::Owner => "Make owner",
        MemberRole::Member => "Make member",
    };
    let (for_role, for_name, for_removal) = (whom.clone(), whom.clone(), whom.clone());
    view! {
        <li data-testid="member" data-id=member.id data-role=role(member.role)>
            <div>
                <span><b dir="auto">{whom}</b>{own_mark}" "<span class="chip">{role(member.role)}</span></span>
                <span class="muted">{email}{since}</span>
                <Show when=move || renames.get()>
                    <form class="actions" on:submit=rename on:keydown=submit_by_key>
                        <label class="sr-only" for="member-name">"Name"</label>
                        <input id="member-name" maxlength=limits::WORD.to_string() required data-testid="member-name"
                            prop:value=name on:input:target=move |event| name.set(event.target().value())/>
                        <button type="submit" class="primary" disabled=asking.busy data-testid="member-name-save">"Save name"</button>
                    </form>
                </Show>
                {move || asking.error.get().map(|error| view! { <ErrorNote error/> })}
            </div>
            <span class="actions">
                {move || (is_me || page.is_owner.get()).then(|| view! {
                    <button type="button" class="plain" aria-label=format!("Rename {for_name}") on:click=move |_| renames.update(|on| *on = !*on) data-testid="member-rename">"Rename"</button>
                })}
                {move || page.is_owner.get().then(|| view! {
                    <button type="button" class="plain" aria-label=format!("{role_label}: {for_role}") disabled=asking.busy on:click=turn data-testid="member-role">{role_label}</button>
                })}
                {move || (is_me || page.is_owner.get()).then(|| view! {
                    <button type="button" class="plain" aria-label=format!("{} {for_removal}", if is_me { "Leave as" } else { "Remove" })
                        on:click=move |_| { page.removing.set(Some(kept.get_value())); page.asks.set(true); } data-testid="member-remove">{if is_me { "Leave…" } else { "Remove…" }}</button>
                })}
            </span>
        </li>
    }
}

#[component]
fn Invited(page: MembersSection, invite: Invite) -> impl IntoView {
    let toasts = use_toasts();
    let asking = Asking::default();
    let path = StoredValue::new(format!("/v1/invites/{}/revoke", invite.id));
    let revoke = move |_| {
        asking.run(
            page.client
                .post_json::<InviteRevoked>(path.get_value(), &()),
            move |answer| {
                toasts.good(if answer.revoked {
                    "The invitation was revoked"
                } else {
                    "The invitation was no longer valid"
                });
                page.read();
            },
        );
    };
    let label = format!("Revoke the invitation of {}", invite.name);
    view! {
        <li data-testid="invite">
            <div>
                <span><b dir="auto">{invite.name}</b>" "<span class="chip">{role(invite.role)}</span></span>
                <span class="muted">{format!("until {}", format::time(&invite.expires_at))}</span>
                {move || asking.error.get().map(|error| view! { <ErrorNote error/> })}
            </div>
            <button type="button" class="plain" aria-label=label disabled=asking.busy on:click=revoke data-testid="invite-revoke">"Revoke"</button>
        </li>
    }
}

/// The code of a new invitation, to be copied before it is put away.
#[component]
fn FreshCode(page: MembersSection) -> impl IntoView {
    let part = move |of: fn(&(String, MadeInvite)) -> String| {
        Signal::derive(move || page.fresh.read().as_ref().map(of).unwrap_or_default())
    };
    let (called, code) = (
        part(|fresh| fresh.0.clone()),
        part(|fresh| fresh.1.code.clone()),
    );
    let done = move |_| {
        page.fresh.set(None);
        dom::focus(CARD);
    };
    view! {
        <div class="note note-warn" id=PANEL tabindex="-1" role="group" aria-label="Invitation" data-testid="invite-made">
            <strong>"Invitation for "<span dir="auto">{called}</span></strong>
            <p>"Send this code, with the project URL and the publishable key. It is not shown again, and brings one person in within seven days: they choose “Connect a server” in Settings and type it there."</p>
            <code class="secret" data-testid="invite-code">{code}</code>
            <div class="actions">
                <CopyButton text=code label="Copy the code" done="Code copied" testid="copy-invite"/>
                <button type="button" on:click=done data-testid="invite-done">"I saved it"</button>
            </div>
        </div>
    }
}

#[component]
fn InviteForm(page: MembersSection) -> impl IntoView {
    let asking = Asking::default();
    let name = RwSignal::new(String::new());
    let chosen = RwSignal::new("member".to_owned());
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let called = name.get_untracked();
        let request = NewInvite {
            name: called.clone(),
            role: if *chosen.read_untracked() == "owner" {
                MemberRole::Owner
            } else {
                MemberRole::Member
            },
        };
        asking.run(
            page.client.post_json::<MadeInvite>("/v1/invites", &request),
            move |answer| {
                page.fresh.try_set(Some((called, answer)));
                dom::focus(PANEL);
                page.read();
            },
        );
    };
    let at = |field: &'static str| {
        Signal::derive(move || {
            let error = asking.error.read();
            let error = error.as_ref()?;
            (error.field.as_deref() == Some(field)).then(|| error.message.clone())
        })
    };
    let general = move || {
        let error = asking.error.get()?;
        (error.field.as_deref() != Some("name")).then_some(error)
    };
    view! {
        <form class="form" on:submit=submit on:keydown=submit_by_key data-testid="invite-form">
            <TextField id="invite-name" label="Invite somebody" value=name max=limits::WORD required=true placeholder="Their name, as others will read it" error=at("name")/>
            <Choice name="invite-role" legend="Role" value=chosen options=vec![("member", "Member: reads and writes lessons"), ("owner", "Owner: manages members, too")]/>
            {move || general().map(|error| view! { <ErrorNote error/> })}
            <div class="actions"><button type="submit" disabled=asking.busy data-testid="invite-submit">{move || if asking.busy.get() { "Inviting…" } else { "Create invitation" }}</button></div>
        </form>
    }
}

#[component]
fn RemoveDialog(page: MembersSection) -> impl IntoView {
    let is_me = move || {
        let removing = page.removing.read();
        removing
            .as_ref()
            .is_some_and(|member| member.id == *page.me.read())
    };
    let title = Signal::derive(move || {
        let whom = page
            .removing
            .read()
            .as_ref()
            .map(called)
            .unwrap_or_default();
        if is_me() {
            "Leave this space?".to_owned()
        } else {
            format!("Remove {whom} from this space?")
        }
    });
    view! {
        <Dialog id="remove-member" title open=page.asks>
            <Question page/>
        </Dialog>
    }
}

#[component]
fn Question(page: MembersSection) -> impl IntoView {
    let toasts = use_toasts();
    let asking = Asking::default();
    let remove = move |_| {
        let Some(member) = page.removing.get_untracked() else {
            return;
        };
        let path = format!("/v1/members/{}/remove", member.id);
        asking.run(
            page.client.post_json::<MemberRemoved>(path, &()),
            move |answer| {
                toasts.good(if answer.removed {
                    "No member any more"
                } else {
                    "This person was no longer a member"
                });
                page.asks.try_set(false);
                page.read();
            },
        );
    };
    view! {
        <p>"They lose access to this space, and their devices stop syncing. Their lessons and history stay. Agent keys that they know keep working: revoke those on the page Agents."</p>
        {move || asking.error.get().map(|error| view! { <ErrorNote error/> })}
        <div class="actions">
            <button type="button" on:click=move |_| page.asks.set(false)>"Cancel"</button>
            <button type="button" class="danger" disabled=asking.busy on:click=remove data-testid="remove-confirm">{move || if asking.busy.get() { "Removing…" } else { "Remove" }}</button>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn a_member_is_called_by_what_is_known() {
        let member = |name: Option<&str>, email: Option<&str>| Member {
            id: "01a2012d-d092-763a-ba5f-a767f515c648".into(),
            name: name.map(str::to_owned),
            email: email.map(str::to_owned),
            role: MemberRole::Member,
            joined_at: String::new(),
        };
        assert_eq!(called(&member(Some("Ada"), Some("a@x"))), "Ada");
        assert_eq!(called(&member(None, Some("a@x"))), "a@x");
        assert_eq!(called(&member(None, Some(""))), "person a767f515c648");
    }
}
