//! The part of a space not held here that a request needs, as the server is asked for it.

use crate::http::context::RequestContext;
use crate::http::redact;
use crate::http::router::Route;
use crate::http::voice::voice_of;
use crate::state::embedder::Embedder;
use lesson_core::{Policy, Situation, slug_for, words_asked};
use lesson_embed::QuantVector;
use lesson_sync::{VECTOR_DIMS, packed_text};
use lesson_types::{
    DecisionQuery, LessonQuery, LessonSort, Lookup, Needs, Recommend, Rows, Wording,
};
use serde_json::{Map, Value, json};

/// Candidates that are asked for: enough that the best are among them, which the server reckons nearly as the core does.
const CANDIDATES: usize = 80;
/// The same where the project or the market counts, which the server doesn't weigh, and where more are to be recommended than few.
const MORE_CANDIDATES: usize = 120;
/// The same where a list is searched: it has no more pages than these.
const FOUND: usize = 400;
/// Recommendations asked for that are few.
const FEW: u32 = 20;
/// Words that a query is ranked by, and more that lessons are found by.
const WORDS: usize = 64;
/// Names that are looked for.
const NAMES: usize = 10;

/// Question to the server for a part of a space.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PartWanted {
    /// The server's function; `None` where nothing of the space is needed.
    pub function: Option<&'static str>,
    /// Its question.
    pub ask: Value,
    /// The query's words, whose numbers come with candidates.
    pub words: Vec<String>,
    /// A text that was embedded, and its vector.
    pub vector: Option<(String, Vec<f32>)>,
}

impl PartWanted {
    /// Finds the part that a request needs. Of a body that is wrong, none: its handler says so.
    pub fn of(
        context: &RequestContext,
        route: &Route,
        body: &Value,
        model: Option<&dyn Embedder>,
    ) -> Self {
        let mut body = body.clone();
        // Ranking and slugs go by the redacted text.
        if redact::body(route, &mut body).is_err() {
            return Self::default();
        }
        match route.endpoint.needs {
            Needs::Candidates(Wording::Situation) => Self::recommend(&body, model),
            Needs::Candidates(Wording::Query) => {
                let query = text(&body, "query").unwrap_or_default();
                Self::candidates(&query, &query, json!({}), model)
            }
            Needs::Candidates(Wording::Feature) => {
                let feature = text(&body, "feature").unwrap_or_default();
                let embedded = lesson_core::patterns_text(&feature);
                Self::candidates(&feature, &embedded, json!({ "also": also(&body) }), model)
            }
            Needs::Page(Rows::Lessons) => Self::lessons_page(route, model),
            Needs::Page(Rows::Decisions) => Self::decisions_page(context, route),
            Needs::Tags => Self {
                function: Some("space_report"),
                ask: json!({ "kind": "tags", "visible": true }),
                ..Self::default()
            },
            Needs::Numbers => Self::numbers(model),
            Needs::Named(lookup) => Self::rows(context, route, &body, lookup, model),
            // Whoever has refused events knows their lessons; a request for everything is refused.
            Needs::Nothing | Needs::SetAside | Needs::Everything(_) => Self::default(),
        }
    }

    /// Numbers of the whole space, and the lessons of the lists among them.
    fn numbers(model: Option<&dyn Embedder>) -> Self {
        let Policy {
            rank,
            review,
            session,
            ..
        } = Policy::default();
        Self {
            function: Some("space_report"),
            ask: json!({
                "kind": "numbers", "model": model.map(Embedder::id),
                "constants": {
                    "unhelpful_from_surfaced": rank.unhelpful_from_surfaced,
                    "qualify_min_applied": rank.qualify_min_applied,
                    "max_consecutive_failures": rank.max_consecutive_failures,
                    "bottom_below": review.bottom_below, "prune_below": review.prune_below,
                    "prune_min_causal": review.prune_min_causal, "health_days": session.health_days,
                },
            }),
            ..Self::default()
        }
    }

    fn lessons_page(route: &Route, model: Option<&dyn Embedder>) -> Self {
        let Ok(asked) = route.query::<LessonQuery>() else {
            return Self::default();
        };
        let text = asked
            .q
            .as_deref()
            .map(str::trim)
            .filter(|text| !text.is_empty());
        if let Some(text) = text {
            let filters = json!({
                "archived": asked.archived, "domain": asked.domain, "category": asked.category, "trust": asked.trust,
                "badge": asked.badge, "by": asked.by.as_deref().map(voice_of), "source": asked.source, "visible": true,
            });
            let mut wanted = Self::candidates(text, text, json!({ "fits": filters }), model);
            wanted.ask["count"] = Value::from(FOUND);
            return wanted;
        }
        let sort = match asked.sort.unwrap_or_default() {
            LessonSort::Relevance | LessonSort::Created => "created",
            LessonSort::Updated => "updated",
            LessonSort::Title => "title",
            LessonSort::Confidence => "confidence",
            // The causal score needs the space's policy: there, lessons go by what it is made of.
            LessonSort::Effectiveness | LessonSort::Score => "effectiveness",
            // Lifts of today, weekly courses and what was measured are not the server's: there, these lists go by success.
            LessonSort::Success | LessonSort::Lift | LessonSort::Trend | LessonSort::Standout => {
                "success"
            }
            LessonSort::LastUsed => "last_used",
            LessonSort::Surfaced => "surfaced",
            LessonSort::Applied => "applied",
        };
        let after = asked
            .cursor
            .as_deref()
            .and_then(|text| Some(text.split_once('.')?.1));
        Self {
            function: Some("space_lessons"),
            ask: json!({
                "sort": sort, "reverse": asked.reverse, "after": after, "offset": asked.offset, "limit": asked.limit, "visible": true,
                "archived": asked.archived, "domain": asked.domain, "category": asked.category,
                "trust": asked.trust, "badge": asked.badge, "by": asked.by.as_deref().map(voice_of), "source": asked.source,
            }),
            ..Self::default()
        }
    }

    fn decisions_page(context: &RequestContext, route: &Route) -> Self {
        let Ok(asked) = route.query::<DecisionQuery>() else {
            return Self::default();
        };
        let after = asked
            .cursor
            .as_deref()
            .and_then(|text| text.split_once('.'));
        Self {
            function: Some("space_decisions"),
            ask: json!({
                "prefix": context.own_decisions(), "by": asked.by, "domain": asked.domain, "outcome": asked.outcome,
                "q": asked.q.as_ref().map(|words| words.trim()), "lesson": asked.lesson, "from": asked.from, "to": asked.to,
                "limit": asked.limit,
                "before": after.and_then(|(at, _)| at.parse::<i64>().ok()), "before_id": after.map(|(_, id)| id),
            }),
            ..Self::default()
        }
    }

    /// Small questions to the functions that requests call, by which a server without them is known.
    pub(crate) fn probes() -> [Self; 4] {
        let numbers = json!({ "kind": "tags", "visible": true });
        let page = json!({ "sort": "created", "limit": 1, "visible": true });
        [
            ("lesson_candidates", json!({ "words": [], "count": 1 })),
            ("space_lessons", page),
            ("space_decisions", json!({ "limit": 1 })),
            ("space_report", numbers),
        ]
        .map(|(function, ask)| Self {
            function: Some(function),
            ask,
            ..Self::default()
        })
    }

    /// These lessons, for embedding them.
    pub fn lessons(slugs: &[String]) -> Self {
        Self {
            function: Some("space_rows"),
            ask: json!({ "slugs": slugs }),
            ..Self::default()
        }
    }

    fn recommend(body: &Value, model: Option<&dyn Embedder>) -> Self {
        let Ok(asked) = serde_json::from_value::<Recommend>(body.clone()) else {
            return Self::default();
        };
        let situation = Situation {
            query: asked.query.clone(),
            project_type: asked.project_type.clone(),
            tech_stack: asked.tech_stack.clone().unwrap_or_default(),
            ..Situation::default()
        };
        let told = also(body).join(" ");
        let words = asked
            .query
            .filter(|query| !query.trim().is_empty())
            .unwrap_or(told);
        let policy = Policy::default();
        let categories = asked.phase.as_deref().and_then(|phase| {
            let mut phases = policy.rank.phases.iter();
            let (_, categories) =
                phases.find(|(name, _)| name.eq_ignore_ascii_case(phase.trim()))?;
            let names = categories.iter().map(|category| category.as_str());
            Some(names.chain(["workflow"]).collect::<Vec<_>>())
        });
        let domain = asked
            .domain
            .as_deref()
            .map(|domain| domain.trim().to_lowercase());
        let domain = domain.filter(|domain| !domain.is_empty());
        let more = json!({
            "also": also(body), "domain": domain, "categories": categories, "decision": asked.decision_id,
            "standing": domain.is_some() || asked.market.is_some(),
        });
        let embedded = lesson_core::situation_text(&situation).unwrap_or_default();
        let mut wanted = Self::candidates(&words, &embedded, more, model);
        let is_by_text = situation.project_type.is_none()
            && situation.tech_stack.is_empty()
            && asked.market.is_none();
        if is_by_text && asked.limit.is_none_or(|limit| limit <= FEW) {
            wanted.ask["count"] = Value::from(CANDIDATES);
        }
        wanted
    }

    fn candidates(
        query: &str,
        embedded: &str,
        mut ask: Value,
        model: Option<&dyn Embedder>,
    ) -> Self {
        let words = words_asked(query, WORDS);
        let vector = vector_of(embedded, model);
        ask["count"] = Value::from(MORE_CANDIDATES);
        ask["words"] = json!(words);
        if let (Some(vector), Some(model)) = (&vector, model)
            && let Ok(quantised) = QuantVector::from_f32(vector)
        {
            ask["packed"] = Value::from(packed_text(&quantised.to_bytes()));
            ask["model"] = Value::from(model.id());
            ask["meaning"] = json!(model.reading().bounds());
        }
        Self {
            function: Some("lesson_candidates"),
            ask,
            words,
            vector: vector.map(|vector| (embedded.to_owned(), vector)),
        }
    }

    fn rows(
        context: &RequestContext,
        route: &Route,
        body: &Value,
        lookup: Lookup,
        model: Option<&dyn Embedder>,
    ) -> Self {
        let mut ask = Map::new();
        let mut vector = None;
        let decision = text(body, "decision_id").or_else(|| {
            let asked = route.text_part("decision_id")?;
            let own = context.own_decisions().unwrap_or_default();
            Some(format!(
                "{own}{}",
                lesson_screen::redacted(&asked).unwrap_or(asked)
            ))
        });
        if let Some(decision) = decision {
            ask.insert("decisions".to_owned(), json!([decision]));
        }
        let mut slugs = list(body, "lessons");
        let items = body.get("lessons").and_then(Value::as_array);
        slugs.extend(
            items
                .into_iter()
                .flatten()
                .filter_map(|item| text(item, "slug")),
        );
        for named in ["causal", "from"] {
            slugs.append(&mut list(body, named));
        }
        slugs.extend(text(body, "into"));
        slugs.extend(route.text_part("slug"));
        let mut names = Vec::new();
        let mut embed = |said: &str| {
            vector = vector_of(said, model).map(|vector| (said.to_owned(), vector));
            vector.is_some()
        };
        match lookup {
            Lookup::Ids => {}
            Lookup::Title => names.extend(text(body, "lesson")),
            Lookup::Cause => {
                let said = text(body, "outcome_text").filter(|said| !said.trim().is_empty());
                if let (Some(said), Some(model)) = (said, model)
                    && embed(&lesson_core::outcome_said(
                        &said,
                        &Policy::default().session,
                    ))
                {
                    ask.insert("model".to_owned(), Value::from(model.id()));
                }
            }
            Lookup::NewSlug => {
                let title = text(body, "title").unwrap_or_default();
                let slug = text(body, "slug").unwrap_or_else(|| slug_for(title.trim()));
                ask.insert("beginnings".to_owned(), json!([slug]));
            }
            Lookup::Session => {
                let said = text(body, "transcript").unwrap_or_default();
                let extracted = lesson_core::extract(&said, &Policy::default().session);
                if !extracted.injected.is_empty()
                    && let Some(model) = model
                    && embed(&extracted.outcome_text)
                {
                    ask.insert("model".to_owned(), Value::from(model.id()));
                }
                for insight in &extracted.insights {
                    slugs.extend([insight.slug.clone(), insight.slug_if_taken()]);
                }
                names.extend(extracted.insights.into_iter().map(|insight| insight.title));
                slugs.extend(extracted.injected.iter().map(|name| name.to_lowercase()));
                names.extend(extracted.injected.iter().cloned());
                slugs.extend(extracted.injected);
            }
            Lookup::Tools => {
                ask.insert("tools".to_owned(), Value::Bool(true));
            }
        }
        slugs.truncate(1_000);
        names.truncate(NAMES);
        if !slugs.is_empty() {
            ask.insert("slugs".to_owned(), json!(slugs));
        }
        if !names.is_empty() {
            ask.insert("names".to_owned(), json!(names));
        }
        Self {
            function: Some("space_rows"),
            ask: Value::Object(ask),
            words: Vec::new(),
            vector,
        }
    }
}

fn vector_of(text: &str, model: Option<&dyn Embedder>) -> Option<Vec<f32>> {
    let model = model.filter(|model| model.dims() == VECTOR_DIMS && !text.trim().is_empty())?;
    model.embed_query(text).ok()
}

fn text(body: &Value, field: &str) -> Option<String> {
    body.get(field)?.as_str().map(str::to_owned)
}

fn list(body: &Value, field: &str) -> Vec<String> {
    let given = body
        .get(field)
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    given.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Words of the project, by which lessons are found too.
fn also(body: &Value) -> Vec<String> {
    let mut told = list(body, "tech_stack");
    told.extend(text(body, "project_type"));
    words_asked(&told.join(" "), WORDS)
}
