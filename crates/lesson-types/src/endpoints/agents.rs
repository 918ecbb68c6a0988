//! The requests that agents send, in the order of their work; people may send them, too.

/// The rows of agents, then those of people: see [`endpoints!`](macro@crate::endpoints).
#[doc(hidden)]
#[macro_export]
macro_rules! agent_endpoints {
    ($callback:ident) => {
        $crate::people_endpoints! { $callback
            /// Lessons by words or meaning
            search: Post "/v1/search", body Search, answer SearchResults, from joined {
                needs: Candidates(Query),
                for_agents: true,
                embeds: Always,
                tool: Some(Tool { name: "playbook_search_lessons", arguments: &["query", "limit"] }),
            } about {
                description: "Finds lessons by meaning once a model is loaded, by keywords before that. Changes nothing.",
                request: Some(json!({ "query": "retry with a deadline", "limit": 10 })),
                tool: Some(ToolAbout {
                    title: "Search lessons",
                    description: "Find lessons by meaning or keywords. Use it to look something up; to get lessons for a decision you are about to make, use playbook_recommend_lessons instead.",
                }),
            };
            /// Lessons for a situation
            recommend: Post "/v1/recommend", body Recommend, answer Recommendations, from joined {
                needs: Candidates(Situation),
                for_agents: true,
                writes: true,
                embeds: Always,
                tool: Some(Tool { name: "playbook_recommend_lessons", arguments: &["query", "project_type", "tech_stack", "phase", "domain", "market", "limit", "max_tokens", "decision_id"] }),
            } about {
                description: "Ranks the lessons that fit a situation and gives the text to put before an agent. Give at least one of `query`, `project_type`, `tech_stack` or `domain`. With `decision_id` the lessons are tied to a decision, so that their use and its outcome can be tracked. Answered from memory: `stale` says that the store can't be reached and newer lessons may be missing.",
                refusals: &[409],
                request: Some(json!({
                    "query": "open a perps long after a fast rally",
                    "domain": "perps",
                    "market": { "volatility": "high", "trend": "bullish", "has_open_positions": false },
                    "decision_id": "trade-2041",
                    "limit": 5,
                })),
                tool: Some(ToolAbout {
                    title: "Recommend lessons",
                    description: "Get the lessons that fit what you are about to do, ranked by relevance and by how well they worked before. Give at least one of query, project_type, tech_stack or domain. Give a decision_id to track afterwards whether the lessons were applied and what came of it.",
                }),
            };
            /// Patterns for a feature
            patterns: Post "/v1/patterns", body Patterns, answer SearchResults, from joined {
                needs: Candidates(Feature),
                for_agents: true,
                embeds: Always,
                tool: Some(Tool { name: "playbook_patterns_for_feature", arguments: &["feature", "project_type", "tech_stack", "limit"] }),
            } about {
                description: "Finds the lessons that help to build a feature. Changes nothing.",
                request: Some(json!({
                    "feature": "queue that survives a restart",
                    "project_type": "api",
                    "tech_stack": ["rust", "postgres"],
                })),
                tool: Some(ToolAbout {
                    title: "Patterns for a feature",
                    description: "Find proven patterns for a feature that you are about to build.",
                }),
            };
            /// Lessons that an agent's reasoning applied
            track: Post "/v1/track", body Track, answer Tracked, from store {
                needs: Named(Ids),
                for_agents: true,
                writes: true,
                tool: Some(Tool { name: "playbook_track_usage", arguments: &["decision_id", "reasoning"] }),
            } about {
                description: "Looks for the lessons recommended for a decision in the agent's reasoning, and records what was seen.",
                refusals: &[404, 409],
                request: Some(json!({
                    "decision_id": "trade-2041",
                    "reasoning": "Applying 'strategy-wait-for-retest': the entry waits for the retest of 64,200.",
                })),
                answer: Some(json!({
                    "detections": [{
                        "slug": "strategy-wait-for-retest",
                        "applied": true,
                        "match_type": "explicit",
                        "confidence": 0.95,
                        "quote": "Applying 'strategy-wait-for-retest': the entry waits for the retest",
                    }],
                    "recorded": true,
                })),
                tool: Some(ToolAbout {
                    title: "Track applied lessons",
                    description: "After a decision, hand in your reasoning: it is searched for the lessons that were recommended under the same decision_id, and which of them were applied is recorded.",
                }),
            };
            /// The outcome of a decision
            outcome: Post "/v1/outcome", body Outcome, answer OutcomeRecorded, from store {
                needs: Named(Ids),
                for_agents: true,
                writes: true,
                tool: Some(Tool { name: "playbook_record_outcome", arguments: &["decision_id", "outcome", "pnl_percent"] }),
            } about {
                description: "Records a decision's outcome and moves the counters of the lessons that were applied in it. Acknowledged once it is stored.",
                refusals: &[404, 409],
                request: Some(json!({ "decision_id": "trade-2041", "outcome": "success", "pnl_percent": 2.4 })),
                answer: Some(json!({
                    "lessons_updated": 1,
                    "effectiveness_recalculated": ["strategy-wait-for-retest"],
                    "uncounted": [],
                    "repeated": false,
                })),
                tool: Some(ToolAbout {
                    title: "Record an outcome",
                    description: "Record what came of a decision. The lessons that were applied in it gain or lose standing. Answered once it is stored.",
                }),
            };
            /// The outcome of a session
            feedback: Post "/v1/feedback", body Feedback, answer FeedbackGiven, from store {
                needs: Named(Cause),
                for_agents: true,
                writes: true,
                embeds: Always,
                tool: Some(Tool { name: "playbook_feedback", arguments: &["lessons", "outcome", "causal", "outcome_text", "decision_id"] }),
            } about {
                description: "Records for lessons that were at hand whether they were a cause of the outcome. Without `causal`, causes are found in `outcome_text`; without both, all lessons are causes. Acknowledged once it is stored.",
                refusals: &[404, 409],
                request: Some(json!({
                    "lessons": ["strategy-wait-for-retest", "warning-funding-flips"],
                    "outcome": "delivered",
                    "causal": ["strategy-wait-for-retest"],
                })),
                answer: Some(json!({ "updated": [{
                    "slug": "strategy-wait-for-retest",
                    "effectiveness": 0.65,
                    "use_count": 1,
                    "causal_hits": 1,
                    "counted": true,
                    "reason": null,
                }], "repeated": false })),
                tool: Some(ToolAbout {
                    title: "Give feedback",
                    description: "At the end of a piece of work, say which lessons were at hand and which of them caused the outcome. Leave causal out and give outcome_text to have the causes found; without both, all of them count as causes. Answered once it is stored.",
                }),
            };
            /// A rating of a lesson, helpful or not
            rate: Post "/v1/rate", body Rate, answer Rated, from store {
                needs: Named(Title),
                for_agents: true,
                writes: true,
                tool: Some(Tool { name: "playbook_rate_lesson", arguments: &["lesson", "title", "helpful", "decision_id"] }),
            } about {
                description: "Rates a lesson, named by its slug or a part of its title. When several fit, the answer is 409 `ambiguous` with the candidates' slugs. Acknowledged once it is stored.",
                refusals: &[404, 409],
                request: Some(json!({ "lesson": "strategy-wait-for-retest", "helpful": true })),
                answer: Some(json!({
                    "slug": "strategy-wait-for-retest",
                    "confidence": 0.55,
                    "times_helpful": 1,
                    "times_not_helpful": 0,
                    "upvotes": 0,
                    "downvotes": 0,
                    "effectiveness_score": null,
                    "repeated": false,
                    "counted": true,
                    "reason": null,
                })),
                tool: Some(ToolAbout {
                    title: "Rate a lesson",
                    description: "Say whether a lesson helped. Name it by its slug or a part of its title; when several fit, the error lists their slugs. Answered once it is stored.",
                }),
            };
            /// A vote for or against a lesson
            vote: Post "/v1/vote", body Vote, answer Rated, from store {
                needs: Named(Title),
                for_agents: true,
                writes: true,
                tool: Some(Tool { name: "playbook_vote_lesson", arguments: &["lesson", "title", "up", "decision_id"] }),
            } about {
                description: "Votes on a lesson, named by its slug or a part of its title. When several fit, the answer is 409 `ambiguous` with the candidates' slugs.",
                refusals: &[404, 409],
                request: Some(json!({ "lesson": "wait for the retest", "up": true })),
                answer: Some(json!({
                    "slug": "strategy-wait-for-retest",
                    "confidence": 0.55,
                    "times_helpful": 1,
                    "times_not_helpful": 0,
                    "upvotes": 0,
                    "downvotes": 0,
                    "effectiveness_score": null,
                    "repeated": false,
                    "counted": true,
                    "reason": null,
                })),
                tool: Some(ToolAbout {
                    title: "Vote on a lesson",
                    description: "Vote a lesson up or down. Name it by its slug or a part of its title; when several fit, the error lists their slugs.",
                }),
            };
            /// A new lesson
            add_lesson: Post "/v1/lessons", body NewLesson, answer LessonView, from store {
                needs: Named(NewSlug),
                for_agents: true,
                writes: true,
                tool: Some(Tool { name: "playbook_add_lesson", arguments: &["title", "description", "context", "recommendation", "slug", "category", "domain", "project_types", "tech_stacks", "tags", "source"] }),
            } about {
                description: "Adds a lesson. Secrets in it are redacted, hidden characters made visible, and text that speaks to the agent which will read it is quarantined: `trust` and `findings` say so. Nobody stands behind it before a person reviews it.",
                refusals: &[409],
                request: Some(json!({
                    "title": "Wait for the retest before a breakout long",
                    "context": "A perps entry after a fast rally.",
                    "recommendation": "Enter on the retest of the broken level, with the stop below it.",
                    "slug": "strategy-wait-for-retest",
                    "category": "domain",
                    "domain": "perps",
                    "tags": ["entry"],
                    "source": "desk-agent",
                })),
                tool: Some(ToolAbout {
                    title: "Add a lesson",
                    description: "Add a lesson that other agents will be given. Write what to do and when it applies, in your own words; no secrets and no instructions to the reader. It counts as unreviewed until a person approves it, and is quarantined when it reads like an attack.",
                }),
            };
            /// Lessons out of a finished session
            record_session: Post "/v1/sessions", body Session, answer SessionRecorded, from store {
                needs: Named(Session),
                for_agents: true,
                writes: true,
                embeds: Always,
                tool: Some(Tool { name: "playbook_record_session", arguments: &["transcript"] }),
            } about {
                description: "Reads the `INSIGHT:`, `BLOCKED:`, `DELIVERED:` and `INJECTED:` lines of a transcript: insights become lessons, and the lessons that were shown get feedback.",
                refusals: &[409],
                request: Some(json!({
                    "transcript": "INJECTED: pattern-bounded-queues\nINSIGHT: Name the queue's bound in its metrics.\nDELIVERED: the queue drops the oldest entry and says so.",
                })),
                answer: Some(json!({
                    "outcome": "delivered",
                    "injected": ["pattern-bounded-queues"],
                    "unknown": [],
                    "insights": [{
                        "slug": "name-the-queues-bound-in-its-metrics",
                        "text": "Name the queue's bound in its metrics.",
                        "added": true,
                    }],
                    "causal": [],
                })),
                tool: Some(ToolAbout {
                    title: "Record a session",
                    description: "Hand in the transcript of a finished session. Its INSIGHT: lines become lessons; its INJECTED: lines, with a DELIVERED: or BLOCKED: line, become feedback for the lessons shown.",
                }),
            };
            /// A tool server that did what was asked
            record_tool_success: Post "/v1/tools/success", body ToolSuccess, answer ToolRecorded, from store {
                needs: Named(Tools),
                for_agents: true,
                writes: true,
                tool: Some(Tool { name: "playbook_record_tool_success", arguments: &["query", "server"] }),
            } about {
                description: "Remembers which tool server worked for a request, so that it is suggested for requests like it.",
                refusals: &[409],
                request: Some(json!({ "query": "list the open pull requests", "server": "github" })),
                answer: Some(json!({ "recorded": true })),
                tool: Some(ToolAbout {
                    title: "Record a tool success",
                    description: "Remember that a tool server did what was asked, so that it is suggested for requests like it.",
                }),
            };
            /// Tool servers for a request
            suggest_tools: Post "/v1/tools/suggest", body SuggestTools, answer ToolSuggestions, from memory {
                needs: Named(Tools),
                for_agents: true,
                tool: Some(Tool { name: "playbook_suggest_tools", arguments: &["query", "limit"] }),
            } about {
                description: "Suggests the tool servers that worked for requests like this one. Changes nothing.",
                request: Some(json!({ "query": "which pull requests wait for a review", "limit": 3 })),
                answer: Some(json!({
                    "servers": [{
                        "server": "github",
                        "score": 0.71,
                        "because": [{ "query": "list the open pull requests", "age_days": 3.0, "weight": 0.5, "score": 0.71 }],
                    }],
                    "records": 12,
                    "decay": { "half_life_days": 3.0, "points": [{ "age_days": 0.0, "weight": 1.0 }, { "age_days": 3.0, "weight": 0.5 }] },
                })),
                tool: Some(ToolAbout {
                    title: "Suggest tools",
                    description: "Find the tool servers that worked for requests like yours.",
                }),
            };
            /// A page of lessons
            list_lessons: Get "/v1/lessons", query LessonQuery, answer LessonPage, from joined {
                needs: Page(Lessons),
                for_agents: true,
                embeds: With("q"),
            } about {
                description: "Lists lessons by filters, a page at a time. Changes nothing.",
            };
            /// One lesson
            get_lesson: Get "/v1/lessons/{slug}", path slug, answer LessonView, from memory {
                needs: Named(Ids),
                for_agents: true,
            } about {
                description: "Changes nothing.",
                refusals: &[404],
            };
            /// A change of a lesson's text
            edit_lesson: Patch "/v1/lessons/{slug}", path slug, body LessonPatch, answer LessonView, from store {
                needs: Named(Ids),
                for_agents: true,
                writes: true,
            } about {
                description: "Changes the fields that are given. An approved lesson has to be reviewed again. When `base_rev` is no longer current, the answer is 409 `conflict`. A key changes its own lessons while nobody has approved them; of any other lesson the change is kept as a proposal for a person: the answer is 202, with the lesson as it is in force and the proposal's id in `proposed`. A key has one open proposal for a lesson, another takes its place, and 50 in all.",
                refusals: &[404, 409],
                request: Some(json!({ "base_rev": 1, "tags": ["entry", "breakout"] })),
            };
            /// Takes a lesson out of use
            archive: Post "/v1/lessons/{slug}/archive", path slug, answer LessonView, from store {
                needs: Named(Ids),
                for_agents: true,
                writes: true,
            } about {
                description: "A key archives its own lessons while nobody has approved them. For any other lesson it is a proposal, as with a change of text.",
                refusals: &[404, 409],
            };
            /// The events that touched a lesson
            lesson_history: Get "/v1/lessons/{slug}/history", path slug, query HistoryQuery, answer History, from store {
                needs: Named(Ids),
                for_agents: true,
            } about {
                description: "Each with the lesson's standing before and after it, oldest first. Changes nothing.",
                refusals: &[404],
            };
            /// The words that lessons are found by
            list_tags: Get "/v1/tags", answer Tags, from memory {
                needs: Tags,
                for_agents: true,
            } about {
                description: "Every tag, domain, project type, tech stack and category of the lessons in use, with how many of them have it, most first: at most 200 of each. Changes nothing.",
            };
            /// Your decisions
            list_decisions: Get "/v1/decisions", query DecisionQuery, answer DecisionPage, from memory {
                needs: Page(Decisions),
                for_agents: true,
            } about {
                description: "The decisions that lessons were recommended for with this key, newest first: the situation, what was applied, and what came of it. Changes nothing.",
            };
            /// One decision
            get_decision: Get "/v1/decisions/{decision_id}", path decision_id, answer DecisionView, from memory {
                needs: Named(Ids),
                for_agents: true,
                tool: Some(Tool { name: "playbook_get_decision", arguments: &["decision_id"] }),
            } about {
                description: "What was recommended for it, what was applied, and what came of it. Changes nothing.",
                refusals: &[404],
                tool: Some(ToolAbout {
                    title: "Look at a decision",
                    description: "What was recommended for a decision of yours, what you applied of it, and what was recorded as its outcome.",
                }),
            };
            /// Counts over all lessons
            stats: Get "/v1/stats", answer Stats, from memory {
                needs: Numbers,
                for_agents: true,
                tool: Some(Tool { name: "playbook_lesson_stats", arguments: &[] }),
            } about {
                description: "The best, the worst, the ones nobody rated, and the activity of the last 30 days. Changes nothing.",
                tool: Some(ToolAbout {
                    title: "Lesson statistics",
                    description: "Counts over all lessons, the best and the worst by ratings, those often shown and never rated, and the activity of the last 30 days.",
                }),
            };
            /// The health of the loop
            health: Get "/v1/health", answer Health, from memory {
                needs: Numbers,
                for_agents: true,
                tool: Some(Tool { name: "playbook_health", arguments: &[] }),
            } about {
                description: "Feedback of the last week, lessons by effectiveness, and the condition of model, store and syncing. Changes nothing.",
                tool: Some(ToolAbout {
                    title: "Health",
                    description: "Whether the loop works: feedback of the last week, lessons by effectiveness, and the condition of model, store and syncing.",
                }),
            };
            /// Every constant of ranking and feedback
            policy: Get "/v1/policy", from memory {
                needs: Named(Ids),
                for_agents: true,
            } about {
                description: "What is under `rank` may be overridden in a request for recommendations. Changes nothing.",
            };
        }
    };
}
