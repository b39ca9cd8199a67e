import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { eventually } from '../harness/eventually.ts';
import { ALERTS_FILE, panelQueries, readAlerts } from '../harness/monitoring.ts';
import { ROOT } from '../harness/process.ts';
import { findProgram } from '../harness/prometheus.ts';
import { CAUSES } from './causes.ts';
import { openScene, type OperationsScene } from './scene.ts';

const PROMETHEUS_DIR = join(ROOT, 'deploy', 'prometheus');

/** Panels that are empty while nothing is wrong. */
const EMPTY_WHEN_HEALTHY = [
  'Differences found by the verification',
  'Since the last verification',
  'Failed deliveries',
  'Requests without an answer',
  'Attempts that will be repeated',
];

/** Alerts whose cause takes too long or too many requests; deploy/prometheus/alerts.test.yml makes them fire. */
const BY_PROMTOOL = [
  'HeapNearLimit',
  'BatchQueueGrowing',
  'WebhooksNotSent',
  'WebhooksSaturated',
  'RemindersNotSent',
  'RemindersLost',
];

/** Fires until the first verification: the ledger of a new cluster was never verified. */
const AT_ONCE = 'VerificationOverdue';

/** An event becomes a dead letter after 68 s, and a saga counts as unfinished after 60 s. */
const FIRE_PATIENCE_MS = 120_000;
const RESOLVE_PATIENCE_MS = 60_000;

async function promtool(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(await findProgram('promtool'), args, { cwd: PROMETHEUS_DIR });
  return stdout;
}

describe('deploy/prometheus', function () {
  this.timeout(300_000);

  it('has a configuration and rules that Prometheus accepts', async () => {
    expect(await promtool('check', 'config', 'prometheus.yml')).to.contain('SUCCESS');
    expect(await promtool('check', 'rules', ALERTS_FILE)).to.contain(`${String(readAlerts().length)} rules found`);
  });

  it('has alerts that fire for made-up series, and not below their limits', async () => {
    expect(await promtool('test', 'rules', 'alerts.test.yml')).to.contain('SUCCESS');
    const made = await readFile(join(PROMETHEUS_DIR, 'alerts.test.yml'), 'utf8');
    for (const alert of BY_PROMTOOL) expect(made).to.contain(`- alertname: ${alert}\n`);
  });

  describe('with a cluster under load', () => {
    let scene: OperationsScene;

    before(async () => {
      scene = await openScene();
    });
    after(() => scene.stop());

    it('has an answer for every query of a dashboard', async () => {
      await eventually(async () => {
        await scene.completeCycle();
        const empty: string[] = [];
        for (const { dashboard, panel, expr } of panelQueries('1m')) {
          const samples = await scene.prometheus.query(expr);
          const hasData = samples.some(({ value: [, value] }) => value !== 'NaN');
          if (!hasData && !EMPTY_WHEN_HEALTHY.includes(panel)) empty.push(`${dashboard}: ${panel}: ${expr}`);
        }
        expect(empty).to.deep.equal([]);
      }, 60_000);
    });

    it('fires no alert, but that the ledger was never verified', async () => {
      await eventually(async () => expect(await scene.firing()).to.deep.equal([AT_ONCE]), 60_000);
    });

    describe('and everything wrong', () => {
      const ends: (() => Promise<void>)[] = [];
      const endAll = async () => {
        for (let end = ends.pop(); end !== undefined; end = ends.pop()) await end();
      };

      before(async () => {
        scene.fired.clear();
        for (const { name, begin } of CAUSES) {
          ends.push(await begin(scene));
          process.stderr.write(`    begun: ${name}\n`);
        }
      });

      after(endAll);

      for (const { name, alerts } of CAUSES) {
        it(`fires ${alerts.join(', ')} because of ${name}`, async () => {
          for (const alert of alerts) {
            const found = await eventually(() => {
              const firing = scene.fired.get(alert);
              if (firing === undefined) throw new Error(`${alert} does not fire`);
              return firing;
            }, FIRE_PATIENCE_MS);
            expect(found.annotations['summary'])
              .to.match(/\.$/)
              .and.not.match(/<no value>|<error/);
          }
        });
      }

      it('fires each alert that is not tested by promtool', () => {
        const tested = [...CAUSES.flatMap(({ alerts }) => alerts), AT_ONCE, ...BY_PROMTOOL];
        expect(tested).to.have.members(readAlerts().map(({ alert }) => alert));
      });

      it('resolves the alerts when their causes are removed', async () => {
        await endAll();
        const gone = CAUSES.flatMap(({ resolved }) => resolved);
        await eventually(async () => {
          const left = (await scene.prometheus.alerts()).filter(({ labels }) =>
            gone.includes(labels['alertname'] ?? ''),
          );
          expect(left.filter(({ state }) => state === 'firing')).to.deep.equal([]);
        }, RESOLVE_PATIENCE_MS);
      });
    });
  });
});
