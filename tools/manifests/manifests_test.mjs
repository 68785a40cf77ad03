// Breaks the real manifests, one thing at a time, and asks that it is found: a check that finds nothing is noticed.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { parseDocuments, root } from "./documents.mjs";
import { policyFindings } from "./policy.mjs";
import { baseModel } from "./project.mjs";
import { typeErrors } from "./types.mjs";

const find = (model, kind, name) =>
  model.documents.find((document) => document.kind === kind && document.name === name).value;
const podOf = (model, kind, name) => find(model, kind, name).spec.template.spec;
const lobby = (model) => podOf(model, "Deployment", "lobby");
const match = (model) => podOf(model, "StatefulSet", "match");
const remove = (model, kind, name) => {
  model.documents = model.documents.filter((document) => document.kind !== kind || document.name !== name);
};

const containerOf = (model) => lobby(model).containers[0];

// Gives `object.from` the name `to`.
function rename(object, from, to) {
  object[to] = object[from];
  delete object[from];
}

test("the manifests as they stand have no finding", () => {
  const model = baseModel();
  assert.deepEqual(typeErrors(model.documents), []);
  assert.deepEqual(policyFindings(model), []);
});

// [what the compiler says, kind and name of a document, how it is broken]; each another document.
const typos = [
  [/'"?readinesProbe"?'/, "Deployment", "lobby", ({ spec }) =>
    rename(spec.template.spec.containers[0], "readinessProbe", "readinesProbe")],
  [/'"?runAsNotRoot"?'/, "StatefulSet", "match", ({ spec }) =>
    rename(spec.template.spec.securityContext, "runAsNonRoot", "runAsNotRoot")],
  [/'"?maxUnavailabel"?'/, "PodDisruptionBudget", "lobby", ({ spec }) =>
    rename(spec, "maxUnavailable", "maxUnavailabel")],
  [/'"?form"?'/, "NetworkPolicy", "ranking", ({ spec }) => rename(spec.ingress[0], "from", "form")],
  [/'string' is not assignable to type 'number'/, "Deployment", "ranking", ({ spec }) => (spec.replicas = "2")],
  [/Property '"?port"?' is missing/, "Service", "lobby", ({ spec }) => delete spec.ports[0].port],
  [/Cannot find module 'kubernetes-models\/v2'/, "Service", "match", (service) => (service.apiVersion = "v2")],
];

test("the type check finds each unknown, wrong or missing field", () => {
  const model = baseModel();
  for (const [, kind, name, breakIt] of typos) breakIt(find(model, kind, name));
  const errors = typeErrors(model.documents);
  assert.equal(errors.length, typos.length, errors.join("\n"));
  for (const [says] of typos) assert.ok(errors.some((line) => says.test(line)), `${says} in\n${errors.join("\n")}`);
});

test("a key that stands twice is refused with its line", () => {
  assert.throws(() => parseDocuments("kind: Service\nspec: {}\nspec: {}\n", "x.yaml"), /x\.yaml: .*unique.*line 3/s);
});

// [what the finding says, what is broken].
const breaches = [
  [/lobby: the pod's securityContext lacks runAsNonRoot/, (m) => delete lobby(m).securityContext.runAsNonRoot],
  [/match: the pod's runAsUser/, (m) => (match(m).securityContext.runAsUser = 0)],
  [/match: the pod's seccompProfile/, (m) => (match(m).securityContext.seccompProfile.type = "Unconfined")],
  [/lobby: take hostNetwork away/, (m) => (lobby(m).hostNetwork = true)],
  [/lobby: take the hostPath volume away/, (m) => lobby(m).volumes.push({ name: "x", hostPath: { path: "/" } })],
  [/securityContext of migrate/, (m) => delete lobby(m).initContainers[0].securityContext.readOnlyRootFilesystem],
  [/securityContext of match/, (m) => (match(m).containers[0].securityContext.capabilities.add = ["NET_ADMIN"])],
  [/lobby: lobby requests no cpu/, (m) => delete containerOf(m).resources.requests.cpu],
  [/lobby: lobby must request as much memory/, (m) => (containerOf(m).resources.limits.memory = "1Gi")],
  [/name a version in the image of lobby/, (m) => (containerOf(m).image = "naval-lobby:latest")],
  [/name a version in the image of migrate/, (m) => (lobby(m).initContainers[0].image = "host:5000/naval-lobby")],
  [/match needs a readinessProbe/, (m) => delete match(m).containers[0].readinessProbe],
  [/match needs a startupProbe/, (m) => (match(m).containers[0].startupProbe.grpc.port = 7101)],
  [/match needs a livenessProbe/, (m) => delete match(m).containers[0].livenessProbe.grpc.service],
  [/lobby: terminationGracePeriodSeconds must be above 8/, (m) => (lobby(m).terminationGracePeriodSeconds = 8)],
  [/lobby: preStop must sleep/, (m) => delete containerOf(m).lifecycle],
  [/match: podManagementPolicy must be Parallel/, (m) =>
    delete find(m, "StatefulSet", "match").spec.podManagementPolicy],
  [/lobby: its serviceAccountName/, (m) => (lobby(m).serviceAccountName = "default")],
  [/match: automountServiceAccountToken/, (m) => delete match(m).automountServiceAccountToken],
  [/lobby does not know --listn=/, (m) => (containerOf(m).args[0] = "--listn=0.0.0.0:7101")],
  [/migrate does not know --migrat$/, (m) => (lobby(m).initContainers[0].args = ["--migrat"])],
  [/no flag of lobby listens on its port grpc, 0.0.0.0:7100/, (m) => (containerOf(m).ports[0].containerPort = 7100)],
  [/prometheus.io\/port must be/, (m) => (containerOf(m).ports[2].containerPort = 7300)],
  [/lobby: its selector does not match/, (m) =>
    (find(m, "Deployment", "lobby").spec.selector.matchLabels = { a: "b" })],
  [/PodDisruptionBudget ranking: it selects no pod/, (m) =>
    (find(m, "PodDisruptionBudget", "ranking").spec.selector.matchLabels = { a: "b" })],
  [/Service match-internal: StatefulSet match has no port named intern$/, (m) =>
    (find(m, "Service", "match-internal").spec.ports[0].targetPort = "intern")],
  [/nothing provides match-database, key user;/, (m) =>
    (match(m).containers[0].env[0].valueFrom.secretKeyRef.key = "user")],
  [/nothing provides databse;/, (m) => (match(m).initContainers[0].envFrom[0].configMapRef.name = "databse")],
  [/nothing provides signing-key, key private;/, (m) =>
    (lobby(m).volumes[0].projected.sources[0].secret.items[0].key = "private")],
  [/none denies everything/, (m) => remove(m, "NetworkPolicy", "deny-all")],
  [/ranking: no NetworkPolicy of its own/, (m) => remove(m, "NetworkPolicy", "ranking")],
  [/no Service leads where --match=match-internal:7202 points/, (m) => remove(m, "Service", "match-internal")],
  [/lobby: no NetworkPolicy lets it out to StatefulSet match/, (m) =>
    delete find(m, "NetworkPolicy", "lobby").spec.egress],
  [/ranking: no NetworkPolicy lets StatefulSet match in/, (m) =>
    find(m, "NetworkPolicy", "ranking").spec.ingress.splice(1, 1)],
  [/lobby: no NetworkPolicy lets it out to port 53, UDP/, (m) => remove(m, "NetworkPolicy", "dns")],
  [/ranking: no NetworkPolicy lets it out to port 53, TCP/, (m) =>
    find(m, "NetworkPolicy", "dns").spec.egress[0].ports.pop()],
  [/match: no NetworkPolicy lets it out to port 5432/, (m) => remove(m, "NetworkPolicy", "postgres")],
  [/lobby: no NetworkPolicy lets it out to port 5432/, (m) =>
    (find(m, "NetworkPolicy", "postgres").spec.policyTypes = ["Ingress"])],
  [/ranking: no NetworkPolicy lets it out to port 6432/, (m) =>
    (find(m, "ConfigMap", "database").data.PGPORT = "6432")],
  [/lobby: no NetworkPolicy lets anybody in to its port grpc/, (m) =>
    find(m, "NetworkPolicy", "lobby").spec.ingress.splice(0, 1)],
  [/match: no NetworkPolicy lets anybody in to its port metrics/, (m) =>
    find(m, "NetworkPolicy", "match").spec.ingress.splice(3, 1)],
  [/match: no NetworkPolicy lets StatefulSet match in to port internal/, (m) =>
    find(m, "NetworkPolicy", "match").spec.ingress.splice(2, 1)],
  [/match: no NetworkPolicy lets it out to StatefulSet match, port internal/, (m) =>
    find(m, "NetworkPolicy", "match").spec.egress.splice(1, 1)],
];

for (const [says, breakIt] of breaches) {
  test(`the policy finds ${says.source}`, () => {
    const model = baseModel();
    breakIt(model);
    assert.ok(policyFindings(model).some((finding) => says.test(finding)), policyFindings(model).join("\n"));
  });
}

test("the policy does not pass for want of pods", () => {
  const model = baseModel();
  model.documents = model.documents.filter(({ kind }) => kind === "Service");
  assert.notDeepEqual(policyFindings(model), []);
});

for (const [half, other] of [
  ["signing-key", "signing-key.pub"],
  ["signing-key.pub", "signing-key"],
]) {
  test(`make-secrets leaves ${half} alone when ${other} is missing, and says so`, () => {
    const folder = mkdtempSync(join(tmpdir(), "naval-secrets-"));
    try {
      writeFileSync(join(folder, half), "the only one");
      const made = spawnSync(join(root, "deploy/kubernetes/make-secrets"), [folder, folder], { encoding: "utf8" });
      assert.equal(made.status, 1);
      assert.ok(made.stderr.includes(`has ${half} but not ${other};`), made.stderr);
      assert.equal(readFileSync(join(folder, half), "utf8"), "the only one");
      assert.deepEqual(readdirSync(folder), [half]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}
