// What the manifests must agree with, read from where it stands: the programs' flags, the time they take to stop, and
// the operator's page, which names every ConfigMap and Secret that an overlay has to bring.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { readBase, render, root } from "./documents.mjs";

const read = (...path) => readFileSync(join(root, ...path), "utf8");

// `what` names the place in an error when nothing was found there: then that place has another form now.
function all(text, pattern, what) {
  const found = [...text.matchAll(pattern)].map((match) => match.slice(1));
  if (found.length === 0) throw new Error(`${what}: found nothing that looks like ${pattern}`);
  return found;
}

const flag = /ABSL_FLAG\(\s*[\w:]+,\s*(\w+),/g;

function knownFlags() {
  const shared = all(read("lib/server/flags.cc"), flag, "lib/server/flags.cc").flat();
  const hasMain = (name) => existsSync(join(root, "services", name, "main.cc"));
  const services = readdirSync(join(root, "services")).filter(hasMain);
  return new Map(
    services.map((name) => {
      const own = [...read("services", name, "main.cc").matchAll(flag)].map((match) => match[1]);
      return [name, new Set([...shared, ...own])];
    }),
  );
}

// Rows of a table: | Secret `service-token` | `service-token` | what it is |
function documented() {
  const row = /^\| (?:Secret|ConfigMap) `([\w-]+)` \| ([^|]+) \|/gm;
  const rows = all(read("deploy/kubernetes/README.md"), row, "deploy/kubernetes/README.md");
  return rows.map(([name, keys]) => [name, [...keys.matchAll(/`([\w-]+)`/g)].map((match) => match[1])]);
}

const common = () => ({
  flags: knownFlags(),
  stopSeconds: Number(all(read("lib/server/server.h"), /kMaxStopDuration = absl::Seconds\((\d+)\)/g, "server.h")[0][0]),
});

// The base as it is written, as policyFindings takes it.
export function baseModel() {
  return { ...common(), documents: readBase(join(root, "deploy/kubernetes/base")), provided: new Map(documented()) };
}

// A rendered folder: nothing comes from elsewhere any more.
export function renderedModel(folder) {
  return { ...common(), documents: render(folder), provided: new Map() };
}
