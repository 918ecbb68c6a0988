// What the local host knows of the engine module, and what the build lays beside its files.

interface EngineRequest {
  method: "GET" | "POST" | "PATCH";
  path: string;
  headers?: Record<string, string>;
  body?: any;
}
interface EngineResponse {
  status: number;
  headers: Record<string, string>;
  body: any;
}

/** Synchronous; names are relative to the store, with `/` between folders. Errors carry Node's `code`. */
interface Files {
  list(folder: string): { name: string; bytes: number }[];
  read(name: string, from: number, to: number): Uint8Array | null;
  append(name: string, at: number, bytes: Uint8Array): void;
  truncate(name: string, bytes: number): void;
  replace(name: string, bytes: Uint8Array): void;
  note(name: string, bytes: Uint8Array): void;
  remove(name: string): void;
  try_lock(): string | null;
  unlock(): void;
}

type StoreKind = "project" | "personal";

type HookPlan =
  | { do: "skip"; reason: string }
  | {
      do: "recommend";
      key: string;
      session: string;
      decision_id: string;
      request: EngineRequest;
      shape: any;
      cwd?: string;
      agent: string | null;
      fresh: boolean;
      moment: boolean;
    }
  | { do: "forget"; session: string; agent: string | null }
  | {
      do: "record";
      key: string;
      session: string;
      decision_id: string;
      transcripts: string[];
      subagents_of?: string;
      last_message?: string;
      subagent?: boolean;
      settle_ms: number;
      cwd?: string;
      done: boolean;
      reads?: TranscriptRead[];
    };
interface Given {
  slug: string;
  text: string;
}

interface TranscriptRead {
  said: string;
  shown: string[];
  prompted: string[];
  headless: boolean;
  cwd?: string;
  session?: string;
  next: number;
  skipped: number;
  signs: object[];
}

interface Local {
  handle(request: EngineRequest): Promise<EngineResponse>;
  handle_text(request: EngineRequest): Promise<EngineResponse & { body: string }>;
  handle_in(store: StoreKind, request: EngineRequest): Promise<EngineResponse>;
  message(method: string, headers: Record<string, string>, body: Uint8Array): Promise<{ status: number; body?: string }>;
  message_line(line: string): Promise<string | undefined>;
  plan_hook(input: { client: string; event: string; payload: string; max_tokens: number; environment: Record<string, string> }): HookPlan;
  hook_output_once(shape: any, text: string, given: Given[]): { output: string; given: Given[] };
  helps_now(needed: { relevance: string; last: number | null; now: number }): boolean;
  read_transcript(client: string, bytes: Uint8Array, from: number): TranscriptRead;
  read_transcript_after(client: string, bytes: Uint8Array, before: Partial<TranscriptRead>): TranscriptRead;
  record_session(input: any): { requests: EngineRequest[]; suggested?: { outcome: string }; keep: any };
  suggest(suggested: object): Promise<boolean>;
  keep_fold(): Promise<void>;
  backfill(reads: TranscriptRead[]): { session: string; cwd: string | null; folders: string[]; project_hash: string | null; insights: { slug: string; title: string; text: string }[]; skipped: number } | null;
  backfill_requests(summary: any): EngineRequest[];
  load_model(pack: Uint8Array, hash?: Uint8Array): Promise<string>;
  indexing(): { done: number; total: number };
  idle(): Promise<void>;
  flush(): Promise<void>;
  catch_up(): Promise<boolean>;
  sync_round(store: StoreKind): Promise<{ next_at: number | null; changed: boolean }>;
  position(): number;
  info(): { stores: { label: string; path?: string; events: number; lessons: number; actor: string }[] };
}

interface EngineModule {
  merge_block(existing: string, block: string): string;
  default(options: { module_or_path: any }): Promise<any>;
  Engine: any;
  Local: { open(options: any): Promise<Local>; pack_hashed_from(): number };
}

declare module "*/vendor/smol-toml/index.js" {
  export function parse(text: string): Record<string, any>;
}
