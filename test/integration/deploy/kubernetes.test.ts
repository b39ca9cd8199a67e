import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { load } from 'js-yaml';
import type { IHorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler';

import { ALL_SERVICES, DATABASE_SERVICES, isFurtherService, SERVICES } from '../../../lib/config/service-names.ts';
import { IN_FILES, namesOf, VARIABLES, type VariableKey } from '../../../lib/config/variables.ts';
import { API_BASE } from '../../../lib/contracts/api.ts';
import { CONSUMERS } from '../../../lib/contracts/events.ts';
import { REGISTRY } from '../../../lib/telemetry/metrics.ts';
import type { OtherService } from '../../../lib/transport/nats-permissions.ts';
import { PAGES } from '../../../services/gateway/routes.ts';
import { isPublicAddress } from '../../../services/webhooks/src/addresses/address.rules.ts';
import { composeContainer, readCompose } from '../../harness/compose.ts';
import {
  addressesAround,
  callersOf,
  podsOf,
  egressOf,
  isOpenTo,
  selects,
  type Labels,
  type Selector,
} from '../../harness/kubernetes/policies.ts';
import { kubectlOrSkip } from '../../harness/kubernetes/kubectl.ts';
import {
  build,
  deployedContainer,
  environmentOf,
  graceOf,
  mountedSecrets,
  ofKind,
  optionalSecrets,
  podOf,
  workloads,
  type Resource,
} from '../../harness/kubernetes/manifests.ts';
import { schemaComplaints } from '../../harness/kubernetes/schemas.ts';
import { ownVariables } from '../../harness/own-variables.ts';
import { ROOT } from '../../harness/process.ts';

/** docs/running.md, Rolling restarts: how long a process may take after DRAIN_DELAY_S. */
const STOP_S = 10;

const SETTINGS = (Object.keys(VARIABLES) as VariableKey[]).flatMap(namesOf);
const COMMON = [...SETTINGS, ...IN_FILES.map((name) => `${name}_FILE`)];

/** Returns the variables that a component may have. */
function knownTo(component: string): string[] {
  if (!isFurtherService(component)) return COMMON;
  const { secrets, generated, others } = ownVariables(component);
  return [...COMMON, ...others, ...[...secrets, ...generated].flatMap((name) => [name, `${name}_FILE`])];
}

/** The consumers of all services. */
const DURABLES = [
  ...Object.keys(CONSUMERS),
  ...(JSON.parse(readFileSync(join(ROOT, 'deploy', 'nats', 'other-services.json'), 'utf8')) as OtherService[]).flatMap(
    ({ consumers = {} }) => Object.keys(consumers),
  ),
];

/** Returns which of the services, or other parts of the deployment, a workload runs. */
const componentOf = ({ metadata }: Resource): string => metadata.name.replace('association-', '');

for (const overlay of ['development', 'production']) {
  describe(`deploy/kubernetes/overlays/${overlay}`, function () {
    this.timeout(120_000);
    let resources: Resource[];
    /** Those with the image of this project. */
    const ours = () =>
      workloads(resources).filter((each) => podOf(each).container.image?.includes('association-service'));

    before(async function () {
      const kubectl = await kubectlOrSkip(this);
      resources = await build(kubectl, `overlays/${overlay}`);
    });

    it('fits the published schemas, and a field that they lack is found', async () => {
      expect(await schemaComplaints(resources)).to.deep.equal([]);
      const [deployment] = ofKind(structuredClone(resources), 'Deployment');
      Object.assign(deployment?.spec ?? {}, { strateggy: {} });
      expect((await schemaComplaints(deployment === undefined ? [] : [deployment])).join()).to.include('strateggy');
    });

    it('runs each service, the migration and `operator`, by commands that exist', () => {
      const commands = ours().map((each) => podOf(each).container.args?.join(' '));
      const others = ['cli/migrate.ts', 'cli/verify.ts ledger --every 15m'];
      expect(commands).to.have.members([...others, ...ALL_SERVICES.map((name) => `cli/service.ts ${name}`)]);
      for (const command of commands) expect(existsSync(join(ROOT, command?.split(' ')[0] ?? ''))).to.equal(true);
    });

    it('has the commands, variables and secrets of docker-compose.yml', () => {
      const compose = readCompose();
      for (const each of ours()) {
        const here = deployedContainer(each, resources);
        const there = composeContainer(compose, componentOf(each));
        expect(here.args).to.deep.equal(there.args);
        expect(here.secrets).to.deep.equal(there.secrets);
        expect(here.env).to.include.keys(Object.keys(there.env));
        // In production the databases are elsewhere.
        const files = Object.entries(there.env).filter(([name]) => name.endsWith('_FILE'));
        expect(here.env).to.include(Object.fromEntries(files));
        const urls = Object.entries(there.env).filter(
          ([name]) => overlay === 'development' && /(DATABASE|POSTGRES)_URL$/.test(name),
        );
        expect(here.env).to.include(Object.fromEntries(urls));
      }
    });

    it('sets only variables that exist, and mounts what they name', () => {
      for (const each of ours()) {
        const mounted = mountedSecrets(each);
        for (const [name, value] of Object.entries(environmentOf(podOf(each).container, resources))) {
          expect(knownTo(componentOf(each)), each.metadata.name).to.include(name);
          if (value.startsWith('/run/secrets/')) expect(mounted, each.metadata.name).to.have.property(value);
        }
      }
    });

    it('uses keys of the secret that `npm run secrets` writes', async () => {
      const dir = await mkdtemp(join(tmpdir(), 'association-secrets-'));
      await promisify(execFile)(process.execPath, ['cli/secrets.ts', dir], { cwd: ROOT });
      const written = await readdir(dir);
      await rm(dir, { recursive: true });
      const used = workloads(resources).flatMap((each) => Object.values(mountedSecrets(each)));
      expect([...new Set(used)]).to.have.members(written);
      // Each password of a login belongs to a service, and to NATS.
      const nats = workloads(resources).find(({ metadata }) => metadata.name === 'association-nats');
      const logins = written.filter((file) => file.startsWith('nats-'));
      expect(nats && Object.values(mountedSecrets(nats))).to.have.members(logins);
    });

    it('reads the channels of reminders from keys that may be missing, and no others', () => {
      for (const each of ours()) {
        const service = componentOf(each);
        const { secrets, others } = isFurtherService(service) ? ownVariables(service) : { secrets: [], others: [] };
        const names = [...secrets, ...others].filter((name) => name !== 'WEBHOOK_PRIVATE_ADDRESSES');
        const keys = names.map((name) => [name, name.toLowerCase().replaceAll('_', '-')]);
        expect(optionalSecrets(podOf(each).container), service).to.deep.equal(Object.fromEntries(keys));
      }
    });

    it('lets each service reach NATS and its database, and webhooks the addresses that it accepts itself', () => {
      const portsOf = (component: string) => egressOf(resources, component).flatMap(({ ports }) => ports);
      const inside = [53, 53, 4_222];
      const database = [...inside, 5_432];
      for (const service of SERVICES) {
        expect(portsOf(service), service).to.have.members(service === 'gateway' ? inside : database);
      }
      expect(portsOf('reminders')).to.have.members([...database, 25, 465, 587, 443]);
      expect(portsOf('webhooks')).to.have.members([...database, 443]);
      const blocks = egressOf(resources, 'webhooks').flatMap(({ ports, blocks: all }) =>
        ports.includes(443) ? all : [],
      );
      expect(blocks).to.have.length(2);
      for (const address of addressesAround(blocks))
        expect(isOpenTo(blocks, address), address).to.equal(isPublicAddress(address));
    });

    it('lets NATS and PostgreSQL receive those who connect to them', () => {
      const [nats = []] = callersOf(resources, 'association-nats');
      expect(nats)
        .to.have.members([...ALL_SERVICES, 'operator'])
        .and.deep.equal(podsOf(resources, 'association-services'));
      const database = podsOf(resources, 'association-databases');
      expect(database).to.have.members([...DATABASE_SERVICES, 'migrate', 'operator']);
      const [postgres] = callersOf(resources, 'association-postgres');
      expect(postgres ?? []).to.have.members(overlay === 'development' ? database : []);
    });

    it('gives each process the time that its stop takes', () => {
      for (const each of ours()) {
        const { container } = podOf(each);
        const drain = Number(environmentOf(container, resources)['DRAIN_DELAY_S'] ?? '0');
        const preStop = container.lifecycle?.preStop?.sleep?.seconds ?? 0;
        expect(graceOf(each), each.metadata.name).to.be.at.least(preStop + drain + STOP_S);
        if (each.metadata.name === 'association-gateway') expect(Math.min(preStop, drain)).to.be.above(0);
      }
    });

    it('runs restricted pods as the user of the image, with a read-only root', () => {
      const image = readFileSync(join(ROOT, 'deploy', 'Dockerfile'), 'utf8');
      expect(image).to.match(/^USER 1000:1000$/m);
      for (const each of ours()) expect(podOf(each).pod.securityContext?.runAsUser).to.equal(1000);
      for (const { pod, container } of workloads(resources).map(podOf)) {
        expect(pod.automountServiceAccountToken).to.equal(false);
        expect(pod.securityContext).to.deep.include({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
        expect(container.securityContext).to.deep.equal({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
      }
    });

    it('has ports where probes, Services and policies look for them', () => {
      const portsOf = (labels: Selector) =>
        workloads(resources)
          .filter(({ spec }) => selects(labels, spec.template.metadata?.labels ?? {}))
          .flatMap((each) => podOf(each).container.ports ?? []);
      for (const each of ours()) {
        const { container } = podOf(each);
        const env = environmentOf(container, resources);
        const { startupProbe, livenessProbe, readinessProbe, ports = [] } = container;
        const expected = { metrics: Number(env['METRICS_PORT']), http: Number(env['PORT'] ?? VARIABLES.PORT.default) };
        for (const { name, containerPort } of ports) expect(expected).to.have.property(name ?? '', containerPort);
        for (const probe of [startupProbe, livenessProbe, readinessProbe])
          if (probe?.httpGet) expect(ports.map(({ name }) => name)).to.include(probe.httpGet.port);
      }
      for (const { spec, metadata } of ofKind(resources, 'Service')) {
        const { selector, ports } = spec as { selector: Labels; ports: { port: number; targetPort?: string }[] };
        const open = portsOf({ matchLabels: selector }).flatMap(({ name, containerPort }) => [name, containerPort]);
        for (const { port, targetPort } of ports) expect(open, metadata.name).to.include(targetPort ?? port);
      }
      for (const { spec, metadata } of ofKind(resources, 'NetworkPolicy')) {
        const { podSelector, ingress = [] } = spec as {
          podSelector: Selector;
          ingress?: { ports: { port: string }[] }[];
        };
        const open = portsOf(podSelector).map(({ name }) => name);
        for (const { port } of ingress.flatMap(({ ports }) => ports)) expect(open, metadata.name).to.include(port);
      }
    });

    it('selects the pods that are meant', () => {
      const selected = (selector: Selector) =>
        workloads(resources)
          .filter(({ spec }) => selects(selector, spec.template.metadata?.labels ?? {}))
          .map(({ metadata }) => metadata.name);
      for (const { kind, metadata, spec } of workloads(resources))
        if (kind !== 'Job') expect(selected(spec.selector ?? {})).to.deep.equal([metadata.name]);
      for (const { metadata, spec } of ofKind(resources, 'PodDisruptionBudget'))
        expect(selected((spec as { selector: Selector }).selector)).to.deep.equal([metadata.name]);
      for (const { metadata, spec } of ofKind(resources, 'Service'))
        expect(selected({ matchLabels: (spec as { selector: Labels }).selector })).to.deep.equal([metadata.name]);
      for (const { metadata, spec } of ofKind(resources, 'NetworkPolicy'))
        expect(selected((spec as { podSelector: Selector }).podSelector), metadata.name).to.not.deep.equal([]);
    });

    it('selects with the migration what it needs, so that it can be applied first', () => {
      const first = resources.filter(({ metadata }) => metadata.labels?.['app.kubernetes.io/component'] === 'migrate');
      expect(first.map(({ kind }) => kind)).to.have.members(['ConfigMap', 'Job']);
      const [job] = workloads(first);
      if (job === undefined) throw new Error('No migration');
      expect(environmentOf(podOf(job).container, first)).to.include.keys('POSTGRES_URL', 'TREASURY_DATABASE_URL');
    });

    it('names each NATS server in NATS_URL and among its peers', () => {
      const nats = workloads(resources).find(({ metadata }) => metadata.name === 'association-nats');
      const hosts = Array.from(
        { length: nats?.spec.replicas ?? 0 },
        (_, index) => `association-nats-${String(index)}.association-nats`,
      );
      const env = nats && environmentOf(podOf(nats).container, resources);
      expect(env?.['NATS_PEERS']?.split(' ')).to.deep.equal(hosts.map((host) => `${host}:6222`));
      for (const each of workloads(resources).filter(({ kind }) => kind === 'Deployment')) {
        const { NATS_URL, EVENTS_REPLICAS } = environmentOf(podOf(each).container, resources);
        expect(NATS_URL).to.equal(hosts.map((host) => `nats://${host}:4222`).join());
        expect(Number(EVENTS_REPLICAS)).to.equal(hosts.length);
      }
    });

    it('opens the API and all pages but /metrics to clients', () => {
      for (const { spec } of ofKind(resources, 'Ingress')) {
        const { rules } = spec as { rules: { http: { paths: { path: string; pathType: string }[] } }[] };
        const isOpen = (wanted: string) =>
          rules[0]?.http.paths.some(({ path, pathType }) =>
            pathType === 'Exact' ? wanted === path : wanted === path || wanted.startsWith(`${path}/`),
          );
        const closedPages = PAGES.flatMap(({ path }) => (isOpen(path) === true ? [] : [path]));
        expect(closedPages).to.have.members(['/', '/metrics']);
        expect(isOpen(API_BASE)).to.equal(true);
      }
    });

    it('scales by metrics that exist and that the adapter knows, in production', () => {
      const scalers = ofKind(resources, 'HorizontalPodAutoscaler') as unknown as IHorizontalPodAutoscaler[];
      expect(scalers).to.have.length(overlay === 'production' ? ALL_SERVICES.length : 0);
      const file = join(ROOT, 'deploy', 'kubernetes', 'monitoring', 'prometheus-adapter.yml');
      const { rules } = load(readFileSync(file, 'utf8')) as { rules: { custom: { seriesQuery: string }[] } };
      const offered = /=~"([^"]+)"/.exec(rules.custom[0]?.seriesQuery ?? '')?.[1]?.split('|') ?? [];
      const used = scalers.map(({ spec }) => (spec?.metrics ?? []).map(({ pods }) => pods?.metric.name ?? ''));
      for (const [index, { metadata, spec }] of scalers.entries()) {
        const target = ofKind(resources, 'Deployment').find(
          ({ metadata: { name } }) => name === spec?.scaleTargetRef.name,
        );
        expect(target?.metadata.name).to.equal(metadata?.name);
        const service = metadata?.name?.replace('association-', '') ?? '';
        const subscribes = DURABLES.some((durable) => durable.startsWith(`${service}-`));
        expect(used[index]).to.deep.equal([
          service === 'gateway' ? 'http_server_active_requests' : 'rpc_server_active_calls',
          ...(subscribes ? ['messaging_consumer_lag_seconds'] : []),
        ]);
      }
      for (const metric of offered) expect(REGISTRY.getSingleMetric(metric), metric).to.not.equal(undefined);
      if (overlay === 'production') expect(new Set(used.flat())).to.deep.equal(new Set(offered));
    });
  });
}
