// What the project asks of its manifests beyond their types. Each rule takes the model below and gives findings: lines
// that begin with kind and name of what is wrong and end with what to do.

const workloadKinds = ["Deployment", "StatefulSet", "DaemonSet", "Job"];

// `documents` as of parseDocuments. `provided`: ConfigMaps and Secrets that come from elsewhere, a Map from name to
// keys. `flags`: those that a program knows, a Map from container name to a Set. `stopSeconds`: the time in which a
// process stops itself.
export function policyFindings({ documents, provided, flags, stopSeconds }) {
  const of = (kind) => documents.filter((document) => document.kind === kind).map((document) => document.value);
  const workloads = documents
    .filter((document) => workloadKinds.includes(document.kind))
    .map(({ kind, name, value }) => {
      const { metadata, spec } = value.spec.template;
      const init = spec.initContainers ?? [];
      const title = `${kind} ${name}`;
      return { title, kind, value, labels: metadata.labels, pod: spec, init, all: [...init, ...spec.containers] };
    });
  const model = { documents, of, workloads, provided, flags, stopSeconds };
  if (workloads.length === 0) return ["no workload at all: nothing to check"];
  return rules.flatMap((rule) => rule(model));
}

const rules = [
  podsAreRestricted,
  containersAreRestricted,
  containersHaveLimits,
  imagesHaveATag,
  containersHaveProbes,
  podsHaveTimeToStop,
  statefulSetsGoBack,
  tokensAreNotMounted,
  flagsAreKnown,
  portsAgree,
  selectorsFindPods,
  servicesLeadToPorts,
  referencesExist,
  podsAreIsolated,
  callsAreAllowed,
  outsideIsReached,
];

const matches = (selector, labels) =>
  Object.entries(selector?.matchLabels ?? {}).every(([key, value]) => labels[key] === value);

const unless = (condition, finding) => (condition ? [] : [finding]);

function podsAreRestricted({ workloads }) {
  return workloads.flatMap(({ title, pod }) => [
    ...unless(
      pod.securityContext?.runAsNonRoot === true,
      `${title}: the pod's securityContext lacks runAsNonRoot: true`,
    ),
    ...unless(pod.securityContext?.runAsUser > 0, `${title}: the pod's runAsUser must be a number above 0`),
    ...unless(
      pod.securityContext?.seccompProfile?.type === "RuntimeDefault",
      `${title}: the pod's seccompProfile must be RuntimeDefault`,
    ),
    ...["hostNetwork", "hostPID", "hostIPC"].flatMap((field) => unless(!pod[field], `${title}: take ${field} away`)),
    ...(pod.volumes ?? []).flatMap((volume) => unless(!volume.hostPath, `${title}: take the hostPath volume away`)),
  ]);
}

function containersAreRestricted({ workloads }) {
  const wanted = (context) =>
    context?.allowPrivilegeEscalation === false &&
    context.readOnlyRootFilesystem === true &&
    !context.privileged &&
    context.runAsUser === undefined &&
    JSON.stringify(context.capabilities) === '{"drop":["ALL"]}';
  return workloads.flatMap(({ title, all }) =>
    all.flatMap((container) =>
      unless(
        wanted(container.securityContext),
        `${title}: the securityContext of ${container.name} must be allowPrivilegeEscalation: false, ` +
          "readOnlyRootFilesystem: true, capabilities: drop: [ALL]",
      ),
    ),
  );
}

// Memory is not shared out beyond what is there; a limit for CPU would only slow a process down that could go on.
function containersHaveLimits({ workloads }) {
  return workloads.flatMap(({ title, all }) =>
    all.flatMap(({ name, resources }) => [
      ...unless(resources?.requests?.cpu, `${title}: ${name} requests no cpu`),
      ...unless(
        resources?.limits?.memory && resources.limits.memory === resources.requests?.memory,
        `${title}: ${name} must request as much memory as its limit says`,
      ),
    ]),
  );
}

function imagesHaveATag({ workloads }) {
  const version = /(:(?!latest$)[\w.-]+|@sha256:[0-9a-f]{64})$/;
  return workloads.flatMap(({ title, all }) =>
    all.flatMap(({ name, image }) =>
      unless(version.test(image), `${title}: name a version in the image of ${name}`),
    ),
  );
}

function containersHaveProbes({ workloads }) {
  return workloads.flatMap(({ title, pod }) =>
    pod.containers.flatMap((container) => {
      const ports = (container.ports ?? []).map((port) => port.containerPort);
      const asks = (probe, service) =>
        ports.includes(container[probe]?.grpc?.port) && container[probe].grpc.service === service;
      return [
        ...["startupProbe", "readinessProbe"].flatMap((probe) =>
          unless(asks(probe, undefined), `${title}: ${container.name} needs a ${probe} of grpc, on one of its ports`),
        ),
        ...unless(
          asks("livenessProbe", "liveness"),
          `${title}: ${container.name} needs a livenessProbe of grpc for the service liveness, which needs nobody else`,
        ),
      ];
    }),
  );
}

function podsHaveTimeToStop({ workloads, stopSeconds }) {
  return workloads.flatMap(({ title, kind, pod }) => {
    const sleeps = pod.containers.map((container) => container.lifecycle?.preStop?.sleep?.seconds ?? 0);
    const needed = Math.max(...sleeps) + stopSeconds;
    return [
      ...unless(
        pod.terminationGracePeriodSeconds > needed,
        `${title}: terminationGracePeriodSeconds must be above ${needed}: preStop, then ${stopSeconds} s to stop`,
      ),
      ...unless(
        kind !== "Deployment" || Math.min(...sleeps) > 0,
        `${title}: preStop must sleep until no new call is sent to the pod`,
      ),
    ];
  });
}

// In order, a pod that never becomes ready would be waited for before it is given another template: there would be no
// way back from a bad roll (https://github.com/kubernetes/kubernetes/issues/67250).
function statefulSetsGoBack({ of }) {
  return of("StatefulSet").flatMap(({ metadata, spec }) =>
    unless(
      spec.podManagementPolicy === "Parallel",
      `StatefulSet ${metadata.name}: podManagementPolicy must be Parallel, or a bad roll cannot be taken back`,
    ),
  );
}

function tokensAreNotMounted({ workloads, of }) {
  return workloads.flatMap(({ title, pod }) => {
    const account = of("ServiceAccount").find(({ metadata }) => metadata.name === pod.serviceAccountName);
    return [
      ...unless(account, `${title}: its serviceAccountName must be that of a ServiceAccount here`),
      ...unless(
        pod.automountServiceAccountToken === false && account?.automountServiceAccountToken === false,
        `${title}: automountServiceAccountToken must be false, here and in the ServiceAccount`,
      ),
    ];
  });
}

const flagOf = (arg) => /^--(\w+)(?:=(.*))?$/.exec(arg) ?? [];

// A program ends at once when it does not know a flag.
function flagsAreKnown({ workloads, flags }) {
  return workloads.flatMap(({ title, pod, all }) =>
    all.flatMap(({ name, args }) =>
      (args ?? []).flatMap((arg) =>
        unless(flags.get(pod.containers[0].name)?.has(flagOf(arg)[1]), `${title}: ${name} does not know ${arg}`),
      ),
    ),
  );
}

// The numbers of a service stand in its flags, in its ports and in an annotation.
function portsAgree({ workloads }) {
  const flagOfPort = { grpc: "listen", internal: "internal_listen", metrics: "metrics_listen" };
  return workloads.flatMap(({ title, pod, value }) => [
    ...pod.containers.flatMap(({ name, args, ports }) =>
      (ports ?? []).flatMap((port) =>
        unless(
          args.includes(`--${flagOfPort[port.name]}=0.0.0.0:${port.containerPort}`),
          `${title}: no flag of ${name} listens on its port ${port.name}, 0.0.0.0:${port.containerPort}`,
        ),
      ),
    ),
    ...unless(
      pod.containers.some(({ ports }) =>
        ports?.some(
          (port) =>
            port.name === "metrics" &&
            String(port.containerPort) === value.spec.template.metadata.annotations?.["prometheus.io/port"],
        ),
      ),
      `${title}: the annotation prometheus.io/port must be the port metrics`,
    ),
  ]);
}

function selectorsFindPods({ workloads, documents }) {
  const own = workloads.flatMap(({ title, value, labels }) =>
    unless(matches(value.spec.selector, labels), `${title}: its selector does not match the labels of its own pods`),
  );
  const selectorOf = {
    Service: (spec) => ({ matchLabels: spec.selector }),
    PodDisruptionBudget: (spec) => spec.selector,
    NetworkPolicy: (spec) => spec.podSelector,
  };
  return [
    ...own,
    ...documents.flatMap(({ kind, name, value }) => {
      const selector = selectorOf[kind]?.(value.spec);
      return unless(
        selector === undefined || workloads.some(({ labels }) => matches(selector, labels)),
        `${kind} ${name}: it selects no pod`,
      );
    }),
  ];
}

const portsOf = ({ pod }) => pod.containers.flatMap((container) => container.ports ?? []);

function servicesLeadToPorts({ of, workloads }) {
  return of("Service").flatMap(({ metadata, spec }) =>
    workloads
      .filter(({ labels }) => matches({ matchLabels: spec.selector }, labels))
      .flatMap((workload) =>
        (spec.ports ?? []).flatMap((port) =>
          unless(
            portsOf(workload).some(({ name }) => name === port.targetPort),
            `Service ${metadata.name}: ${workload.title} has no port named ${port.targetPort}`,
          ),
        ),
      ),
  );
}

// Everything that a pod takes from ConfigMaps and Secrets, as [name, key]; without a key the whole is taken.
function referencesOf({ pod, all }) {
  const items = (source, name) => source?.items?.map(({ key }) => [source[name], key]) ?? [];
  return [
    ...all.flatMap((container) =>
      (container.envFrom ?? []).map((from) => [(from.configMapRef ?? from.secretRef).name]),
    ),
    ...all.flatMap((container) =>
      (container.env ?? [])
        .map(({ valueFrom }) => valueFrom?.secretKeyRef ?? valueFrom?.configMapKeyRef)
        .filter((reference) => reference !== undefined)
        .map(({ name, key }) => [name, key]),
    ),
    ...(pod.volumes ?? []).flatMap((volume) =>
      (volume.projected?.sources ?? [volume]).flatMap((source) => [
        ...items(source.secret, source.secret?.name ? "name" : "secretName"),
        ...items(source.configMap, "name"),
      ]),
    ),
  ];
}

function referencesExist({ workloads, of, provided }) {
  const known = new Map(provided);
  for (const map of [...of("ConfigMap"), ...of("Secret")]) known.set(map.metadata.name, Object.keys(map.data ?? {}));
  return workloads.flatMap((workload) =>
    referencesOf(workload).flatMap(([name, key]) =>
      unless(
        known.get(name)?.includes(key) || (key === undefined && known.has(name)),
        `${workload.title}: nothing provides ${name}${key ? `, key ${key}` : ""}; ` +
          "what an overlay brings stands in deploy/kubernetes/README.md",
      ),
    ),
  );
}

function podsAreIsolated({ of, workloads }) {
  const denies = ({ spec }) =>
    Object.keys(spec.podSelector).length === 0 &&
    ["Ingress", "Egress"].every((type) => spec.policyTypes.includes(type)) &&
    !spec.ingress &&
    !spec.egress;
  const own = (labels) =>
    of("NetworkPolicy").some(
      ({ spec }) => spec.podSelector.matchLabels && spec.ingress && matches(spec.podSelector, labels),
    );
  return [
    ...unless(of("NetworkPolicy").some(denies), "NetworkPolicy: none denies everything that no other one allows"),
    ...workloads.flatMap(({ title, labels }) =>
      unless(own(labels), `${title}: no NetworkPolicy of its own says who may reach it`),
    ),
  ];
}

// The rules, of all NetworkPolicies, that let pods with these labels speak ("Egress") or be spoken to ("Ingress") at a
// port, a number or a name.
function rulesFor(of, labels, direction, port, protocol = "TCP") {
  const isIt = (allowed) => allowed.port === port && (allowed.protocol ?? "TCP") === protocol;
  return of("NetworkPolicy")
    .filter(({ spec }) => spec.policyTypes.includes(direction) && matches(spec.podSelector, labels))
    .flatMap(({ spec }) => spec[direction.toLowerCase()] ?? [])
    .filter(({ ports }) => ports === undefined || ports.some(isIt));
}

// A service is told of another by a flag, --match=match-internal:7202: then the Service must lead there, and both ends'
// NetworkPolicies must let the call through. One that says where it is itself, --peer_address=$(POD_IP):7202, is called
// by its like.
function callsAreAllowed({ of, workloads }) {
  const allows = (labels, direction, side, peer, port) =>
    rulesFor(of, labels, direction, port).some((rule) =>
      rule[side]?.some(({ podSelector }) => podSelector?.matchLabels && matches(podSelector, peer)),
    );
  const targetOf = (caller, host, number) => {
    if (host.startsWith("$(")) {
      return [caller, portsOf(caller).find(({ containerPort }) => containerPort === number)?.name];
    }
    const service = of("Service").find(({ metadata }) => metadata.name === host);
    return [
      workloads.find((other) => matches({ matchLabels: service?.spec.selector }, other.labels)),
      service?.spec.ports.find((candidate) => candidate.port === number)?.targetPort,
    ];
  };
  return workloads.flatMap((workload) => {
    const { title, labels, pod } = workload;
    return callsOf(pod).flatMap(([arg, host, number]) => {
      const [target, port] = targetOf(workload, host, number);
      if (port === undefined || target === undefined) return [`${title}: no Service leads where ${arg} points`];
      return [
        ...unless(
          allows(labels, "Egress", "to", target.labels, port),
          `${title}: no NetworkPolicy lets it out to ${target.title}, port ${port}, as ${arg} needs`,
        ),
        ...unless(
          allows(target.labels, "Ingress", "from", labels, port),
          `${target.title}: no NetworkPolicy lets ${title} in to port ${port}, as ${arg} needs`,
        ),
      ];
    });
  });
}

function callsOf(pod) {
  return pod.containers
    .flatMap(({ args }) => args ?? [])
    .map((arg) => [arg, ...(/^--\w+=([a-z][\w-]*|\$\(\w+\)):(\d+)$/.exec(arg)?.slice(1) ?? [])])
    .filter(([, host]) => host !== undefined)
    .map(([arg, host, number]) => [arg, host, Number(number)]);
}

// What no flag speaks of: out to DNS and to Postgres, and in for players and for Prometheus.
function outsideIsReached({ of, workloads }) {
  return workloads.flatMap(({ title, labels, pod, all }) => {
    const databases = all.map((container) => environmentOf(container, of)).filter(({ PGHOST }) => PGHOST);
    const dns = databases.length === 0 ? [] : [[53, "UDP"], [53, "TCP"]];
    const postgres = [...new Set(databases.map(({ PGPORT }) => Number(PGPORT ?? 5432)))].map((port) => [port, "TCP"]);
    const doors = portsOf({ pod }).filter(({ name }) => ["grpc", "metrics"].includes(name));
    return [
      ...[...dns, ...postgres].flatMap(([port, protocol]) =>
        unless(
          rulesFor(of, labels, "Egress", port, protocol).length > 0,
          `${title}: no NetworkPolicy lets it out to port ${port}, ${protocol}, as DNS and PGHOST need`,
        ),
      ),
      ...doors.flatMap(({ name }) =>
        unless(
          rulesFor(of, labels, "Ingress", name).length > 0,
          `${title}: no NetworkPolicy lets anybody in to its port ${name}`,
        ),
      ),
    ];
  });
}

// What ConfigMaps and its own `env` give a container, by name.
function environmentOf(container, of) {
  const maps = (container.envFrom ?? []).map(
    ({ configMapRef }) => of("ConfigMap").find(({ metadata }) => metadata.name === configMapRef?.name)?.data,
  );
  const own = (container.env ?? []).map(({ name, value }) => [name, value]);
  return Object.assign({}, ...maps, Object.fromEntries(own));
}
