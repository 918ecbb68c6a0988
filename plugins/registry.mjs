// Prints what the MCP registry reads, for the bundle of this hash: `node plugins/registry.mjs SHA256`.
import { serverJson } from "./write.mjs";

const [hash = ""] = process.argv.slice(2);
if (!/^[0-9a-f]{64}$/.test(hash)) throw new Error("give the bundle's SHA-256: node plugins/registry.mjs SHA256");
process.stdout.write(`${JSON.stringify(serverJson(hash), null, 2)}\n`);
