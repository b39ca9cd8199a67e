import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { load } from 'js-yaml';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { ALL_SERVICES, OPERATOR } from '../../../lib/config/service-names.ts';
import { declaredMetrics } from '../../harness/further-metrics.ts';
import { panelQueries, readAlerts, readDashboards } from '../../harness/monitoring.ts';
import { ROOT } from '../../harness/process.ts';

/** Labels that Prometheus adds to each series, or that a query makes itself. */
const FREE_LABELS = ['job', 'instance', 'service'];
const PROMETHEUS_METRICS = { up: [], ALERTS: ['alertname', 'alertstate', 'severity'] };
const KEYWORDS = new Set(['by', 'and', 'or', 'on', 'without', 'unless']);
/** The highest version that Grafana 12 knows. It upgrades older ones. */
const GRAFANA_SCHEMA_VERSION = 41;

const read = (...path: string[]) => readFileSync(join(ROOT, ...path), 'utf8');

interface Declared {
  name: string;
  type: string;
  labelNames: string[];
}

/** Returns the labels of each series that Prometheus knows, by its name. */
function knownSeries(): Map<string, string[]> {
  const process = new Registry();
  collectDefaultMetrics({ register: process });
  const { common, further } = declaredMetrics();
  const all = [...common, ...further, ...(process.getMetricsAsArray() as unknown as Declared[])];
  return new Map([
    ...Object.entries(PROMETHEUS_METRICS),
    ...all.flatMap(({ name, type, labelNames }): [string, string[]][] =>
      type === 'histogram'
        ? ['bucket', 'sum', 'count'].map((part) => [`${name}_${part}`, [...labelNames, 'le']])
        : [[name, labelNames]],
    ),
  ]);
}

/** Returns the names of series in a PromQL expression: all words that are not in braces, text, brackets or a function. */
function seriesIn(expr: string): string[] {
  const bare = expr.replaceAll(/"[^"]*"/g, '').replaceAll(/\{[^}]*\}|\[[^\]]*\]|\b(?:by|on) \([^)]*\)/g, ' ');
  const words = [...bare.matchAll(/\b[a-zA-Z_]\w*\b(?!\s*\()/g)].map(([word]) => word);
  return words.filter((word) => !KEYWORDS.has(word));
}

/** Returns the labels that a PromQL expression compares or groups by. */
function labelsIn(expr: string): string[] {
  const groups = [...expr.matchAll(/\b(?:by|on) \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(','));
  const braces = [...expr.matchAll(/\{([^}]*)\}/g)].flatMap(([, list = '']) =>
    [...list.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label),
  );
  return [...groups, ...braces].map((label) => label.trim());
}

describe('the alerts and dashboards in deploy/', () => {
  const alerts = readAlerts();
  const dashboards = readDashboards();

  it('query only metrics and labels that the services have', () => {
    const known = knownSeries();
    const exprs = [...alerts.map(({ expr }) => expr), ...panelQueries('5m').map(({ expr }) => expr)];
    expect(exprs).to.have.length.above(85);
    for (const expr of exprs) {
      const series = seriesIn(expr);
      expect(series, expr).to.not.be.empty;
      expect(
        series.filter((name) => !known.has(name)),
        expr,
      ).to.deep.equal([]);
      const labels = new Set([...FREE_LABELS, ...series.flatMap((name) => known.get(name) ?? [])]);
      expect(
        labelsIn(expr).filter((label) => !labels.has(label)),
        expr,
      ).to.deep.equal([]);
    }
  });

  it('have a summary, a severity and a section of the runbook for each alert, and no other section', () => {
    const sections = [...read('docs', 'runbook.md').matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    expect(sections).to.deep.equal(alerts.map(({ alert }) => alert));
    for (const { alert, labels, annotations } of alerts) {
      expect(labels.severity, alert).to.be.oneOf(['page', 'ticket']);
      expect(annotations.summary, alert).to.match(/^[^]{20,140}\.$/);
      expect(annotations.runbook_url).to.equal(`docs/runbook.md#${alert.toLowerCase()}`);
    }
  });

  it('notice that a service is missing, whichever it is', () => {
    const { expr = '' } = alerts.find(({ alert }) => alert === 'ServiceMissing') ?? {};
    expect([...expr.matchAll(/"service", "(\w+)"/g)].map(([, name]) => name)).to.have.members([...ALL_SERVICES]);
    const config = load(read('deploy', 'prometheus', 'prometheus.yml')) as {
      scrape_configs: { dns_sd_configs: { names: string[]; port: number }[] }[];
    };
    const found = config.scrape_configs.flatMap(({ dns_sd_configs }) => dns_sd_configs);
    expect(found.map(({ port }) => port)).to.deep.equal([9_464]);
    expect(found.flatMap(({ names }) => names)).to.have.members([...ALL_SERVICES, OPERATOR]);
    const compose = load(read('docker-compose.yml')) as { services: object };
    expect(Object.keys(compose.services)).to.include.members([...ALL_SERVICES, OPERATOR]);
  });

  it('show every metric of webhooks and reminders on their dashboard', () => {
    const { further } = declaredMetrics();
    const shown = panelQueries('5m').map(({ expr }) => expr);
    const hidden = further.filter(({ name }) => !shown.some((expr) => expr.includes(name)));
    expect(hidden.map(({ name }) => name)).to.deep.equal([]);
  });

  it('are dashboards that Grafana can read, without panels that overlap', () => {
    expect(dashboards.map(({ uid }) => uid).sort()).to.deep.equal([
      'association-messages',
      'association-money',
      'association-overview',
    ]);
    for (const { title, schemaVersion, panels } of dashboards) {
      expect(schemaVersion).to.equal(GRAFANA_SCHEMA_VERSION);
      expect(new Set(panels.map(({ id }) => id)).size, title).to.equal(panels.length);
      const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
        Array.from({ length: w * h }, (_, n) => `${String(x + (n % w))}/${String(y + Math.floor(n / w))}`),
      );
      expect(new Set(cells).size, title).to.equal(cells.length);
      expect(Math.max(...panels.map(({ gridPos: { x, w } }) => x + w))).to.equal(24);
      for (const { type, datasource, targets = [] } of panels.filter((panel) => panel.type !== 'row')) {
        expect(type).to.be.oneOf(['timeseries', 'stat']);
        expect(datasource).to.deep.equal({ type: 'prometheus', uid: 'prometheus' });
        expect(targets).to.not.be.empty;
      }
    }
    expect(read('deploy', 'grafana', 'provisioning', 'datasources', 'prometheus.yml')).to.contain('uid: prometheus');
  });

  it('are mounted by deploy/docker-compose.monitoring.yml', () => {
    const { services } = load(read('deploy', 'docker-compose.monitoring.yml')) as {
      services: Record<string, { volumes: string[]; ports?: string[] }>;
    };
    const mounted = Object.values(services).flatMap(({ volumes }) =>
      volumes.map((volume) => volume.split(':')[0] ?? ''),
    );
    const folders = mounted.filter((source) => source.startsWith('./'));
    expect(folders).to.have.length(3);
    expect(folders.filter((folder) => !existsSync(join(ROOT, folder)))).to.deep.equal([]);
    const ports = Object.values(services).flatMap((service) => service.ports ?? []);
    expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).to.deep.equal([]);
  });
});
