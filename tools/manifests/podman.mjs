// node tools/manifests/podman.mjs OVERLAY FOLDER PREFIX: renders an overlay and puts each of its workloads in FOLDER as
// a file for `podman kube play`, WORKLOAD.yaml, which makes the pod PREFIX-WORKLOAD-pod-0; the probes of all in
// FOLDER/probes, one a line: WORKLOAD PROBE PORT SERVICE; and where Prometheus finds them in FOLDER/metrics:
// WORKLOAD PORT.
//
// What a container is given stays as it is: image, flags, environment, user, security context, limits, mounts. What
// Kubernetes does around it and podman cannot is done here: a StatefulSet is played as a Deployment, one pod each;
// Secrets and ConfigMaps become values and files with the owner and mode that the kubelet gives them; all pods share
// the network of the caller, where the names of the Services lead to themselves, and whose address is 127.0.0.1.
import { chmodSync, chownSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { render } from "./documents.mjs";

const [overlay, folder, prefix] = process.argv.slice(2);
const documents = render(overlay).map((document) => document.value);
const of = (...kinds) => documents.filter(({ kind }) => kinds.includes(kind));

// ConfigMap or Secret, as a Map from key to content.
function contentOf(kind, name) {
  const { data } = of(kind).find(({ metadata }) => metadata.name === name);
  const decode = (value) => (kind === "Secret" ? Buffer.from(value, "base64").toString() : value);
  return new Map(Object.entries(data).map(([key, value]) => [key, decode(value)]));
}

function playedContainer(container) {
  const shared = (container.envFrom ?? []).flatMap(({ configMapRef }) =>
    [...contentOf("ConfigMap", configMapRef.name)].map(([name, value]) => ({ name, value })),
  );
  const own = (container.env ?? []).map(({ name, value, valueFrom }) => {
    const secret = valueFrom?.secretKeyRef;
    const address = valueFrom?.fieldRef?.fieldPath === "status.podIP" ? "127.0.0.1" : value;
    return { name, value: secret ? contentOf("Secret", secret.name).get(secret.key) : address };
  });
  const env = [...shared, ...own];
  const args = container.args?.map((arg) =>
    arg.replace(/\$\((\w+)\)/g, (whole, wanted) => env.find(({ name }) => name === wanted)?.value ?? whole),
  );
  // With the network of the caller, podman refuses a list of ports.
  const { envFrom, ports, ...rest } = container;
  const volumeMounts = [...(container.volumeMounts ?? []), { name: "hosts", mountPath: "/etc/hosts", readOnly: true }];
  return { ...rest, args, env, volumeMounts, imagePullPolicy: "Never" };
}

// What DNS would say. (podman leaves hostAliases out where pods share the network of the caller.)
function hostsVolume() {
  const path = join(resolve(folder), "hosts");
  const names = of("Service").map(({ metadata }) => metadata.name);
  writeFileSync(path, `127.0.0.1 localhost ${names.join(" ")}\n`);
  return { name: "hosts", hostPath: { path, type: "File" } };
}

function playedVolume(workload, group, { name, projected }) {
  const path = join(resolve(folder), `${workload}-${name}`);
  mkdirSync(path);
  for (const { secret, configMap } of projected.sources) {
    const content = secret ? contentOf("Secret", secret.name) : contentOf("ConfigMap", configMap.name);
    for (const item of (secret ?? configMap).items) {
      const file = join(path, item.path);
      writeFileSync(file, content.get(item.key));
      chownSync(file, 0, group);
      chmodSync(file, projected.defaultMode);
    }
  }
  chownSync(path, 0, group);
  chmodSync(path, 0o750);
  return { name, hostPath: { path, type: "Directory" } };
}

function played({ metadata, spec }) {
  const { name } = metadata;
  const pod = spec.template.spec;
  const template = {
    metadata: spec.template.metadata,
    spec: {
      ...pod,
      hostNetwork: true,
      // podman would start an init container that has done its work again and again.
      restartPolicy: "Never",
      initContainers: pod.initContainers.map(playedContainer),
      containers: pod.containers.map(playedContainer),
      volumes: [...pod.volumes.map((volume) => playedVolume(name, pod.securityContext.fsGroup, volume)), hostsVolume()],
    },
  };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: `${prefix}-${name}` },
    spec: { ...spec, replicas: 1, template },
  };
}

const workloads = of("Deployment", "StatefulSet");
// JSON is YAML.
for (const workload of workloads) {
  writeFileSync(join(folder, `${workload.metadata.name}.yaml`), JSON.stringify(played(workload), null, 1));
}
const probes = workloads.flatMap(({ metadata, spec }) =>
  spec.template.spec.containers.flatMap((container) =>
    ["startupProbe", "readinessProbe", "livenessProbe"].map(
      (probe) => `${metadata.name} ${probe} ${container[probe].grpc.port} ${container[probe].grpc.service ?? ""}\n`,
    ),
  ),
);
writeFileSync(join(folder, "probes"), probes.join(""));
const metrics = workloads.map(
  ({ metadata, spec }) => `${metadata.name} ${spec.template.metadata.annotations["prometheus.io/port"]}\n`,
);
writeFileSync(join(folder, "metrics"), metrics.join(""));
