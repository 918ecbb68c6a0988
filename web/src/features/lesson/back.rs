//! Taking back what was done to a lesson: its life and its verdict by the requests that the engine names for it, an edit
//! by the text before it.

use crate::api::{Client, act_apart};
use crate::components::Toasts;
use crate::format;
use lesson_types::{
    ApiError, Bulk, BulkAct, BulkDone, BulkItem, Category, ErrorCode, LessonPatch, LessonView,
    RevisionField, Trust,
};

/// Why an approval is given again that an edit took away.
const TAKEN_BACK: &str = "Taken back";

/// Says what was done, with the way back where there is one.
pub fn offer(client: Client, toasts: Toasts, done: impl Into<String>, undo: Vec<Bulk>) {
    if undo.is_empty() {
        toasts.good(done);
        return;
    }
    toasts.with_act(done, "Undo", move || {
        act_apart(send(client, undo.clone()), move |result| {
            toasts.tell(&result, "Taken back");
        });
    });
}

/// Says that an edit was saved, with the way back to the text before.
pub fn offer_edit(client: Client, toasts: Toasts, before: LessonView, saved: LessonView) {
    toasts.with_act(
        if saved.trust == Trust::Approved {
            "Saved"
        } else {
            "Saved. The text waits for review again"
        },
        "Undo",
        move || {
            let restored = restore(client, before.clone(), saved.rev);
            act_apart(restored, move |result| {
                toasts.tell(&result, "The text is as it was before");
            });
        },
    );
}

/// Sends requests one after the other, each in full.
async fn send(client: Client, requests: Vec<Bulk>) -> Result<(), ApiError> {
    for request in requests {
        let done: BulkDone = client.post_json("/v1/lessons/bulk", &request).await?;
        refused(&done)?;
    }
    Ok(())
}

/// The first refusal, where there is one.
pub fn refused(done: &BulkDone) -> Result<(), ApiError> {
    match done.refused.first() {
        Some(refusal) => Err(ApiError::new(refusal.code, refusal.message.clone())),
        None => Ok(()),
    }
}

/// Puts a text back over the revision that took its place, and the approval that it had.
async fn restore(client: Client, before: LessonView, rev: u32) -> Result<(), ApiError> {
    let path = format!("/v1/lessons/{}", format::encode(&before.slug));
    let sent = client.patch_json::<LessonView>(path, &patch(&before, rev));
    let now = sent.await.map_err(|error| match error.code {
        ErrorCode::Conflict => ApiError::new(
            ErrorCode::Conflict,
            "The lesson was edited again since. “Revisions” has every text",
        ),
        _ => error,
    })?;
    if before.trust != Trust::Approved || now.content_hash != before.content_hash {
        return Ok(());
    }
    let again = Bulk {
        act: BulkAct::Approve,
        lessons: vec![BulkItem {
            slug: before.slug,
            content_hash: Some(before.content_hash),
        }],
        tags: Vec::new(),
        reason: Some(TAKEN_BACK.to_owned()),
    };
    send(client, vec![again]).await
}

/// Puts the text of an earlier revision in force as a new one: the lesson before and after; `None` where it is in force
/// already.
pub async fn restore_revision(
    client: Client,
    slug: String,
    fields: Vec<RevisionField>,
) -> Result<Option<(LessonView, LessonView)>, ApiError> {
    let path = format!("/v1/lessons/{}", format::encode(&slug));
    let before = client.get::<LessonView>(path.clone()).await?;
    let text = |name: &str| {
        let field = fields.iter().find(|field| field.name == name);
        field.map(|field| field.after.clone())
    };
    let words = |name: &str| text(name).map(|list| format::words(&list));
    let wanted = LessonPatch {
        base_rev: before.rev,
        title: text("title"),
        description: text("description"),
        context: text("context"),
        recommendation: text("recommendation"),
        category: text("category").and_then(|word| Category::parse(&word)),
        domain: text("domain"),
        project_types: words("project_types"),
        tech_stacks: words("tech_stacks"),
        tags: words("tags"),
        extra: Some(text("extra").unwrap_or_default()),
    };
    let saved = client.patch_json::<LessonView>(path, &wanted).await?;
    Ok((saved.rev != before.rev).then_some((before, saved)))
}

/// The edit that brings a text back.
fn patch(to: &LessonView, base_rev: u32) -> LessonPatch {
    LessonPatch {
        base_rev,
        title: Some(to.title.clone()),
        description: Some(to.description.clone()),
        context: Some(to.context.clone()),
        recommendation: Some(to.recommendation.clone()),
        category: Some(to.category),
        domain: Some(to.domain.clone()),
        project_types: Some(to.project_types.clone()),
        tech_stacks: Some(to.tech_stacks.clone()),
        tags: Some(to.tags.clone()),
        extra: Some(to.extra.clone()),
    }
}
