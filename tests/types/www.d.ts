// What the type checker can't know of the workers: which scope a script runs in, and what kinds of event reach it.

interface Event {
  data: any;
  error: any;
  reason: any;
  request: Request;
  waitUntil(work: Promise<any>): void;
  respondWith(answer: Response | Promise<Response>): void;
}

interface WorkerGlobalScope {
  // precache.js, which the build writes.
  PRECACHE: any;
  clients: Clients;
  registration: ServiceWorkerRegistration;
  skipWaiting(): Promise<void>;
  // The compiler's library knows it in windows only.
  trustedTypes?: any;
}

// What the build lays beside these files.
declare module "*/engine/lessonloop_relaxed.js" {
  export const Edge: any;
  export const Engine: any;
  export const __wbg_reset_state: any;
  export const initSync: any;
}
declare module "*/vendor/fflate.js" {
  export const strToU8: (text: string) => Uint8Array<ArrayBuffer>;
  export const zipSync: (entries: Record<string, Uint8Array>, options: object) => Uint8Array<ArrayBuffer>;
}
declare module "*.wasm" {
  const module: WebAssembly.Module;
  export default module;
}
declare module "*/headers.js" {
  export const HOSTED: string;
  export const pageHeaders: Record<string, string>;
}
// Where the local host serves its own worker, it stands beside these.
declare module "*/worker/files.js" {
  export function asFile(glue: any, response: any): any;
  export function handle(engine: () => any, request: any): Promise<any>;
}
