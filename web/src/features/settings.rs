//! Import, syncing, agents, export, storage, the model, the theme, measuring, core servers and the policy.

mod agents;
mod core_servers;
mod export;
mod import;
mod intake;
mod measure;
mod model;
mod policy;
mod report;
mod samples;
mod storage;
mod sync;

use crate::components::{Choice, Page};
use crate::theme::Theme;
use agents::AgentsCard;
use core_servers::CoreServersCard;
use export::ExportCard;
use import::ImportCard;
use leptos::prelude::*;
use measure::MeasureCard;
use model::ModelCard;
use policy::PolicyCard;
pub use samples::SamplesButton;
use storage::StorageCard;
pub use sync::local_stack;
use sync::{DeleteSpaceCard, SyncCard, whereabouts};

/// Everything about the data of this browser.
#[component]
pub fn SettingsPage() -> impl IntoView {
    view! {
        <Page title="Settings" intro=whereabouts()>
            <ImportCard/>
            <SyncCard/>
            <AgentsCard/>
            <div class="columns-2">
                <ExportCard/>
                <ModelCard/>
                <StorageCard/>
                <ThemeCard/>
            </div>
            <MeasureCard/>
            <CoreServersCard/>
            <PolicyCard/>
            <DeleteSpaceCard/>
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
    let options = Theme::ALL
        .map(|theme| (theme.word(), theme.label()))
        .to_vec();
    view! {
        <section class="card">
            <h2>"Appearance"</h2>
            <Choice name="theme" legend="Theme" value=chosen options/>
        </section>
    }
}
