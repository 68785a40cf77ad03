// Checks deploy/kubernetes: node tools/manifests/check.mjs. Prints one line a finding; exits with 1 when there is one.
// Where a kubectl of 1.27 or later is, the overlays are rendered and checked as well.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { hasKubectl, root } from "./documents.mjs";
import { policyFindings } from "./policy.mjs";
import { baseModel, renderedModel } from "./project.mjs";
import { typeErrors } from "./types.mjs";

// The overlays; in place of their secrets, which are not copied about, stand files that only have the right names.
function overlayModels() {
  const folder = mkdtempSync(join(tmpdir(), "naval-manifests-"));
  try {
    const filter = (source) => basename(source) !== "secrets";
    cpSync(join(root, "deploy/kubernetes"), folder, { recursive: true, filter });
    return readdirSync(join(folder, "overlays")).map((name) => {
      const overlay = join(folder, "overlays", name);
      mkdirSync(join(overlay, "secrets"));
      const kustomization = readFileSync(join(overlay, "kustomization.yaml"), "utf8");
      const secrets = kustomization.matchAll(/secrets\/\w[\w.-]*/g);
      for (const [secret] of secrets) writeFileSync(join(overlay, secret), "only a name");
      return renderedModel(overlay);
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const models = [baseModel(), ...(hasKubectl() ? overlayModels() : [])];
const documents = models.flatMap((model) => model.documents);
const findings = [...typeErrors(documents), ...models.flatMap(policyFindings)];
for (const finding of findings) console.log(finding);
if (!hasKubectl()) console.log("no kubectl of 1.27 or later is here: the overlays were not rendered");
console.log(`${documents.length} documents, ${findings.length} findings`);
process.exitCode = findings.length === 0 ? 0 : 1;
