// What the type checker can't know of the suites.

// Elements that pages are asked for by selector: the suites know which they are.
interface Element {
  dataset: DOMStringMap;
  blur(): void;
  value: any;
}

// A buffer is read as text.
interface JSON {
  parse(text: any, reviver?: any): any;
}

// Bodies of any kind are sent, streams too.
declare function fetch(input: any, init?: any): Promise<Response>;

// Read-only in browsers; suites that stand in for one set them.
interface Navigator {
  locks: any;
}

// What suites and benches leave in a page, to be read from outside.
interface Window {
  /** Whether the page does not hear what was stored elsewhere. */
  deaf?: boolean;
  /** How many answers refused a request. */
  refused?: number;
  hit: any;
  bench: any;
  cold: any;
  releaseHeld: any;
  /** Whether the page asked to be printed. */
  printed?: boolean;
}

// Packages of suites and benches with lock files of their own, which a check does not install.
declare module "miniflare";
declare module "@modelcontextprotocol/client";
declare module "@modelcontextprotocol/sdk/client/index.js";
declare module "@modelcontextprotocol/sdk/client/stdio.js";
declare module "@modelcontextprotocol/sdk/client/streamableHttp.js";
declare module "chrome-launcher";
declare module "lighthouse";
declare module "ws";
declare module "/engine/*";
declare module "/peers/*";
