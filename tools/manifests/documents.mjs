// Kubernetes manifests as values.
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join } from "node:path";

export const root = new URL("../..", import.meta.url).pathname;
export const npm = join(root, ".naval/npm");
const yaml = createRequire(join(npm, "package.json"))("yaml");

// All documents of a YAML text, each as {file, kind, name, value}. Throws, naming file and line, on anything that is
// not plain YAML: a key twice, a tab, a bad indent.
export function parseDocuments(text, file) {
  const documents = yaml.parseAllDocuments(text, { prettyErrors: true });
  return documents.map((document) => {
    const problem = [...document.errors, ...document.warnings][0];
    if (problem !== undefined) throw new Error(`${file}: ${problem.message}`);
    const value = document.toJS();
    return { file, kind: value?.kind, name: value?.metadata?.name, value };
  });
}

// The documents of a folder with a kustomization.yaml as they are written, without rendering, and the ConfigMaps of its
// configMapGenerator. Throws when a file of the folder is not one of its resources.
export function readBase(folder) {
  const text = (file) => readFileSync(join(folder, file), "utf8");
  const [{ value: kustomization }] = parseDocuments(text("kustomization.yaml"), "kustomization.yaml");
  const files = readdirSync(folder).filter((file) => file.endsWith(".yaml") && file !== "kustomization.yaml");
  const left = files.filter((file) => !kustomization.resources.includes(file));
  if (left.length > 0) throw new Error(`kustomization.yaml: its resources do not name ${left.join(", ")}`);
  const generated = (kustomization.configMapGenerator ?? []).map(({ name, literals }) => {
    const data = Object.fromEntries(literals.map((literal) => /^(\w+)=(.*)$/.exec(literal).slice(1)));
    const value = { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data };
    return { file: "kustomization.yaml", kind: value.kind, name, value };
  });
  return [...kustomization.resources.flatMap((file) => parseDocuments(text(file), file)), ...generated];
}

// What kubectl makes of a folder with a kustomization.yaml.
export function render(folder) {
  const text = execFileSync("kubectl", ["kustomize", folder], { encoding: "utf8", maxBuffer: 1 << 24 });
  return parseDocuments(text, basename(folder));
}

// Whether a kubectl is here whose kustomize knows what we write: 1.27 or later.
export function hasKubectl() {
  try {
    const stdio = ["ignore", "pipe", "ignore"];
    const version = execFileSync("kubectl", ["version", "--client", "-o", "json"], { stdio });
    const { major, minor } = JSON.parse(version).clientVersion;
    return Number(major) > 1 || (Number(major) === 1 && parseInt(minor, 10) >= 27);
  } catch {
    return false;
  }
}
