// The conformance suite imports `globSync`, which Node 20 does not have and which its server scenarios do not call.
// Given to Node by `--import`.
import { register } from "node:module";

const fs = "export * from 'node:fs'; export { default } from 'node:fs'; export const globSync = () => [];";
const hooks = `
  const url = "data:text/javascript," + ${JSON.stringify(encodeURIComponent(fs))};
  export const resolve = (name, context, next) =>
    name === "fs" && context.parentURL?.includes("/conformance/") ? { url, format: "module", shortCircuit: true } : next(name, context);
`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
