// The strict type check: an unknown field, a wrong type or a missing field is an error, as a cluster's own strict
// validation would find.
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { npm } from "./documents.mjs";

// A document as a constant of its type. Excess properties are errors for a literal only, so it must be one.
function typescriptOf({ kind, value }) {
  const module = `kubernetes-models/${value.apiVersion}`;
  return `import type { I${kind} } from "${module}";\nexport const it: I${kind} = ${JSON.stringify(value, null, 1)};\n`;
}

// One line for each error that the compiler finds, beginning with file, kind and name of the document; it reports one
// error a document. Throws when the compiler cannot run.
export function typeErrors(documents) {
  // Below the installed packages, where the compiler finds kubernetes-models by itself.
  const folder = join(npm, `typecheck-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  try {
    const files = documents.map((document, i) => {
      const file = `${document.file}-${i}-${document.kind}-${document.name}.ts`;
      writeFileSync(join(folder, file), typescriptOf(document));
      return file;
    });
    const options = ["--noEmit", "--strict", "--skipLibCheck", "--types", "", "--target", "es2022"];
    const modules = ["--module", "nodenext", "--moduleResolution", "nodenext"];
    const tsc = spawnSync(join(npm, "node_modules/.bin/tsc"), [...options, ...modules, "--pretty", "false", ...files], {
      cwd: folder,
      encoding: "utf8",
    });
    if (tsc.error) throw tsc.error;
    const lines = tsc.stdout.split("\n").filter((line) => line !== "");
    if (tsc.status !== 0 && lines.length === 0) throw new Error(`tsc failed: ${tsc.stderr}`);
    return lines.filter((line) => !line.startsWith(" "));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
