//! The requests that people send from the dashboard, and agents do not.

/// The rows of people after `$before`: see [`endpoints!`](macro@crate::endpoints).
#[doc(hidden)]
#[macro_export]
macro_rules! people_endpoints {
    ($callback:ident $($before:tt)*) => {
        $callback! {
            $($before)*
            /// Takes lessons, or a ledger, out of files
            import: Post "/v1/import", body Import, answer Imported, from store { needs: Everything("an import is compared with every lesson; import in a browser that keeps a copy, which Settings, Sync turns on"), writes: true, };
            /// Takes an import back, or brings it again
            turn_import: Post "/v1/import/turn", body TurnImport, answer ImportTurned, from store { needs: Named(Ids), writes: true, };
            /// All lessons, or the whole ledger: markdown and skills as files, the rest as one text
            export: Get "/v1/export", query ExportQuery, answer ExportFiles, from store { needs: Everything("an export holds every lesson; export in a browser that keeps a copy, which Settings, Sync turns on"), };
            /// Takes a lesson into use again
            restore: Post "/v1/lessons/{slug}/restore", path slug, answer LessonView, from store { needs: Named(Ids), writes: true, };
            /// Forgives a lesson its run of failures
            grant_trial: Post "/v1/lessons/{slug}/trial", path slug, answer LessonView, from store { needs: Named(Ids), writes: true, };
            /// A verdict on a lesson
            review: Post "/v1/lessons/{slug}/review", path slug, body Review, answer LessonView, from store { needs: Named(Ids), writes: true, };
            /// Archives lessons in favour of another, which gets their counts
            merge: Post "/v1/lessons/merge", body Merge, answer LessonView, from store { needs: Named(Ids), writes: true, };
            /// Open proposals
            list_proposals: Get "/v1/proposals", answer Proposals, from memory { needs: Everything("open proposals are looked for in all lessons; look at them in a browser that keeps a copy, or on each lesson's page"), };
            /// A word on a proposal
            settle_proposal: Post "/v1/lessons/{slug}/proposals/{id}", path slug id, body SettleProposal, answer LessonView, from store { needs: Named(Ids), writes: true, };
            /// Voices that have written in the space
            list_voices: Get "/v1/voices", answer Voices, from memory { needs: Everything("voices are looked for in all lessons; look at them in a browser that keeps a copy"), };
            /// Counts nothing of a voice any more, or takes that back; first as a preview
            withdraw_voice: Post "/v1/voices/{id}/withdraw", path id, body WithdrawVoice, answer VoiceWithdrawal, from store { needs: Everything("a withdrawal is reckoned from the whole ledger; withdraw in a browser that keeps a copy"), writes: true, };
            /// One act on many lessons
            bulk: Post "/v1/lessons/bulk", body Bulk, answer BulkDone, from store { needs: Named(Ids), writes: true, };
            /// A revision of a lesson's text beside the one before
            show_revision: Get "/v1/lessons/{slug}/revisions/{rev}", path slug rev, answer Revision, from store { needs: Named(Ids), };
            /// The derivation of each number of a lesson
            explain_standing: Get "/v1/lessons/{slug}/standing", path slug, answer StandingExplained, from memory { needs: Named(Ids), };
            /// One situation ranked by the space's constants and by others
            compare: Post "/v1/recommend/compare", body Recommend, answer Comparison, from memory { needs: Candidates(Situation), embeds: Always, };
            /// Requests and the tool server that worked for each
            tool_records: Get "/v1/tools/records", query ToolRecordsQuery, answer ToolRecords, from memory { needs: Named(Tools), };
            /// The lessons that wait for a person, and why
            review_queue: Get "/v1/review", query ReviewQuery, answer ReviewQueue, from store { needs: Everything("the review queue is made of all lessons; find those to review under Lessons, with the filter by trust, and decide on each one's page"), };
            /// A word on an outcome that a session's tests or commits suggest
            settle_suggestion: Post "/v1/decisions/{id}/suggestion", path id, body SettleSuggestion, answer SuggestionSettled, from store { needs: Everything("suggested outcomes come with the review queue, which is made of all lessons; give the outcome on the run's page"), writes: true, };
            /// Effects of lessons: the lift of the loop and of each lesson, as far as it is known
            lift: Get "/v1/lift", query LiftQuery, answer LiftReport, from memory { needs: Everything(OVER_TIME), };
            /// Runs and lessons over time
            insights: Get "/v1/insights", query InsightsQuery, answer Insights, from memory { needs: Everything(OVER_TIME), };
            /// Changes of the last days, as numbers and as Markdown
            digest: Get "/v1/digest", query DigestQuery, answer Digest, from store { needs: Numbers, };
            /// Changes settings of the space
            change_policy: Patch "/v1/policy", body PolicyPatch, from store { needs: Named(Ids), writes: true, };
            /// Where syncing stands
            sync_status: Get "/v1/sync", answer SyncStatus, from memory { needs: Nothing, };
            /// Links this device to a project on a server
            connect: Post "/v1/sync/connect", body Connect, answer Connected, from store { needs: Nothing, writes: true, };
            /// Signs in again where the session has ended
            sign_in: Post "/v1/sync/sign-in", body SignIn, answer SyncStatus, from store { needs: Nothing, writes: true, };
            /// Ends the session on this device
            sign_out: Post "/v1/sync/sign-out", body SignOut, answer SyncStatus, from store { needs: Nothing, writes: true, };
            /// Has the connected space on the server, or as a copy here
            hold: Post "/v1/sync/hold", body HoldSpace, answer SyncStatus, from store { needs: Nothing, writes: true, };
            /// Deletes the space on the server, in two steps
            delete_space: Post "/v1/space/delete", body DeleteSpace, answer SpaceDeletion, from store { needs: Nothing, writes: true, };
            /// Begins a round of syncing
            sync_now: Post "/v1/sync/now", answer SyncStatus, from memory { needs: Nothing, writes: true, };
            /// Events that the server did not take
            list_set_aside: Get "/v1/sync/set-aside", answer SetAsideList, from memory { needs: SetAside, };
            /// Deals with events that were set aside
            settle: Post "/v1/sync/settle", body Settle, answer SetAsideList, from store { needs: SetAside, writes: true, };
            /// The keys of agents
            list_agent_keys: Get "/v1/agent-keys", answer AgentKeys, from store { needs: Nothing, };
            /// Makes a key, which is told this once
            make_agent_key: Post "/v1/agent-keys", body NewAgentKey, answer MadeAgentKey, from store { needs: Nothing, writes: true, answers_once: true, };
            /// Takes a key out of force
            revoke_agent_key: Post "/v1/agent-keys/{id}/revoke", path id, answer AgentKeyRevoked, from store { needs: Nothing, writes: true, };
            /// Members of the connected space, and invitations to it
            list_members: Get "/v1/members", answer Members, from store { needs: Nothing, };
            /// Changes a member's role or name
            change_member: Patch "/v1/members/{id}", path id, body MemberPatch, answer Members, from store { needs: Nothing, writes: true, };
            /// Removes a member, or leaves
            remove_member: Post "/v1/members/{id}/remove", path id, answer MemberRemoved, from store { needs: Nothing, writes: true, };
            /// Makes an invitation, whose code is told this once
            invite: Post "/v1/invites", body NewInvite, answer MadeInvite, from store { needs: Nothing, writes: true, answers_once: true, };
            /// Takes an invitation back
            revoke_invite: Post "/v1/invites/{id}/revoke", path id, answer InviteRevoked, from store { needs: Nothing, writes: true, };
        }
    };
}
