//! Prints the TypeScript declarations of every type of the interface; `cargo xtask build` puts
//! them into `lessonloop.d.ts`. A type that is missing here would leave a name undeclared, which
//! the type check of the declarations finds.

use lesson_api as api;
use ts_rs::{Config, TS};

fn main() {
    let config = Config::default().with_large_int("number");
    macro_rules! declare {
        ($($name:ident)+) => {
            $(
                if let Some(docs) = <api::$name as TS>::docs() {
                    print!("{docs}");
                }
                println!("export {}\n", <api::$name as TS>::decl(&config));
            )+
        };
    }
    declare! {
        Category
        Kind
        Trust
        Verdict
        BadgeKind
        Qualification
        RelevanceWord
        MatchType
        TradeOutcome
        FeedbackOutcome
        ReviewReason
        Measure
        Volatility
        Trend
        ErrorCode
        ApiError
        ErrorBody
        Method
        Request
        Response
        Badge
        LessonView
        StandingView
        DerivedView
        NewLesson
        LessonPatch
        LessonSort
        LessonQuery
        LessonPage
        Review
        Merge
        BulkAct
        BulkItem
        Bulk
        BulkRefusal
        BulkDone
        HistoryEntry
        HistoryQuery
        History
        CoursePoint
        Showing
        RevisionMark
        Revision
        RevisionField
        StandingExplained
        Term
        TermNumber
        Market
        Recommend
        Recommended
        Recommendations
        FactorKind
        Factor
        TraceEntry
        TracePart
        LeftOut
        Comparison
        Compared
        Placed
        FactorChange
        Search
        Found
        SearchResults
        Patterns
        Track
        DetectionView
        Tracked
        Outcome
        OutcomeRecorded
        Feedback
        FeedbackUpdate
        FeedbackGiven
        Rate
        Vote
        Rated
        Session
        Insight
        SessionRecorded
        ToolSuccess
        NotRecorded
        ToolRecorded
        SuggestTools
        ToolReason
        SuggestedServer
        ToolSuggestions
        Decay
        DecayPoint
        ToolRecordsQuery
        ToolRecordView
        ToolRecords
        ImportFormat
        ImportFile
        Import
        Rejected
        Imported
        ExportFormat
        ExportFiles
        LessonRank
        DayActivity
        Stats
        Bands
        Funnel
        ModelHealth
        StoreHealth
        Health
        SyncPhase
        SyncProgress
        SyncStatus
        Connect
        SpaceChoice
        Connected
        SignIn
        SignOut
        ConflictField
        EditConflict
        SetAsideEvent
        SetAsideList
        Settlement
        Settle
        AgentKey
        AgentKeys
        NewAgentKey
        MadeAgentKey
        AgentKeyRevoked
        ReviewQuery
        NearDuplicate
        ReviewItem
        Keepable
        ReviewCounts
        ReviewQueue
        ToWorker
        FromWorker
        ModelState
    }
    println!(
        "export type JsonValue = number | string | boolean | JsonValue[] | {{ [key: string]: JsonValue | undefined }} | null;"
    );
}
