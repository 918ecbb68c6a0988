//! Settings, in sections that addresses name: import and export, the model, sync, members, measuring, the policy, appearance
//! and storage.

mod constants;
mod core_servers;
mod export;
mod import;
mod import_log;
mod intake;
mod measure;
mod members;
mod model;
mod policy;
mod report;
mod samples;
mod sentences;
mod storage;
mod sync;
mod undo;

use crate::components::{Choice, Page};
use crate::shell::Shell;
use crate::theme::Theme;
use core_servers::CoreServersCard;
use export::ExportCard;
use import::ImportCard;
use leptos::prelude::*;
use measure::MeasureCard;
use members::MembersCard;
use model::ModelCard;
use policy::PolicyCard;
pub use samples::SamplesButton;
use storage::StorageCard;
pub use sync::local_stack;
use sync::{DeleteSpaceCard, SyncCard, whereabouts};

/// The sections by the part of the address that names each.
const SECTIONS: [(&str, &str); 9] = [
    ("import", "Import"),
    ("export", "Export"),
    ("model", "Model"),
    ("sync", "Sync"),
    ("members", "Members"),
    ("measure", "Measuring"),
    ("policy", "Policy"),
    ("appearance", "Appearance"),
    ("storage", "Storage"),
];

/// All sections, with a list of them beside.
#[component]
pub fn SettingsPage() -> impl IntoView {
    view! {
        <Page title="Settings" intro=whereabouts()>
            <div class="settings">
                <nav class="settings-nav" aria-label="Settings">
                    {SECTIONS.map(|(id, name)| view! { <a href=format!("/settings#{id}")>{name}</a> }).collect_view()}
                </nav>
                <div class="settings-body">
                    <ImportCard/>
                    <ExportCard/>
                    <ModelCard/>
                    <SyncCard/>
                    <MembersCard/>
                    <MeasureCard/>
                    <PolicyCard/>
                    <CoreServersCard/>
                    <ThemeCard/>
                    <StorageCard/>
                    <DeleteSpaceCard/>
                </div>
            </div>
        </Page>
    }
}

#[component]
fn ThemeCard() -> impl IntoView {
    let chosen = RwSignal::new(Theme::load().word().to_owned());
    Effect::new(move |before: Option<()>| {
        let word = chosen.get();
        if before.is_some()
            && let Some(theme) = Theme::ALL.into_iter().find(|theme| theme.word() == word)
        {
            theme.apply();
        }
    });
    let shell = Shell::get_from_context();
    let options = Theme::ALL
        .map(|theme| (theme.word(), theme.label()))
        .to_vec();
    view! {
        <section class="card" id="appearance" tabindex="-1">
            <h2>"Appearance"</h2>
            <Choice name="theme" legend="Theme" value=chosen options/>
            <label class="check">
                <input type="checkbox" prop:checked=shell.singles data-testid="settings-single-keys"
                    on:change:target=move |event| shell.set_singles(event.target().checked())/>
                <span>"Single-key shortcuts. They never act while you type."</span>
            </label>
        </section>
    }
}
