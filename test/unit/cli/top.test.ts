import { expect } from 'chai';
import { fleetFigures, nodeFigures, quantile, type Pair } from '../../../cli/top/figures.ts';
import { samplesOf, type Samples } from '../../../cli/top/samples.ts';
import { duration, screen } from '../../../cli/top/screen.ts';
import type { ScrapedMetric } from '../../../lib/telemetry/scrape.ts';

type Values = [labels: Record<string, string | number>, value: number][];

/** Returns the metrics of a process, by the names of their values. */
function samples(at_s: number, metrics: Record<string, number | Values>): Samples {
  const scraped = Object.entries(metrics).map(([metricName, values]) => ({
    name: metricName,
    values: (typeof values === 'number' ? [[{}, values] as const] : values).map(([labels, value]) => ({
      labels,
      value,
      metricName,
    })),
  }));
  return samplesOf(scraped as unknown as ScrapedMetric[], at_s * 1_000);
}

describe('npm run top', () => {
  it('estimates a quantile within its bucket, and has none without observations', () => {
    const buckets = new Map([
      [0.1, 50],
      [0.2, 100],
      [Infinity, 100],
    ]);
    expect(quantile(0.5, buckets)).to.equal(0.1);
    expect(quantile(0.75, buckets)).to.be.closeTo(0.15, 1e-9);
    expect(quantile(0.99, new Map([...buckets, [Infinity, 1_000]]))).to.equal(0.2);
    expect(quantile(0.99, new Map([[Infinity, 0]]))).to.equal(undefined);
    expect(quantile(0.99, new Map())).to.equal(undefined);
  });

  const name = 'rpc_server_call_duration_seconds_count';
  const counts = (done: number, refused: number, faults: number, timeouts: number): Record<string, Values> => ({
    [name]: [
      [{ error_type: '' }, done],
      [{ error_type: 'insufficient_funds' }, refused],
      [{ error_type: 'internal_error' }, faults],
      [{ error_type: 'REQUEST_TIMEOUT' }, timeouts],
    ],
  });

  it('counts as failures what was not the fault of the request', () => {
    const pair = { before: samples(0, counts(100, 10, 1, 0)), now: samples(2, counts(120, 16, 2, 1)) };
    expect(nodeFigures(pair).actions).to.include({ per_s: 14, failed_per_s: 1 });
  });

  it('knows no rate before the second reading, nor of a process that has restarted', () => {
    const first = { before: undefined, now: samples(2, counts(120, 0, 0, 0)) };
    const restarted = { before: samples(0, counts(120, 0, 0, 0)), now: samples(2, counts(5, 0, 0, 0)) };
    for (const pair of [first, restarted]) expect(nodeFigures(pair).actions.per_s).to.equal(undefined);
  });

  it('takes what all processes report alike once, and adds what each has done', () => {
    const process = (published: number, age_s: number): Pair => {
      const fixed: Record<string, Values> = {
        outbox_unpublished_events: [[{ outbox: 'treasury' }, 3]],
        outbox_unpublished_age_seconds: [[{ outbox: 'treasury' }, age_s]],
        saga_unfinished: [
          [{ saga: 'settlement', state: 'posting' }, 2],
          [{ saga: 'settlement', state: 'planned' }, 0],
        ],
        saga_unfinished_age_seconds: [[{ saga: 'settlement', state: 'posting' }, 7]],
        messaging_consumer_lag_seconds: [[{ messaging_consumer_group_name: 'a' }, 0]],
        messaging_dead_letters: [[{ messaging_consumer_group_name: 'a' }, 1]],
      };
      const total = (value: number): Record<string, Values> => ({
        outbox_published_events_total: [[{ outbox: 'treasury' }, value]],
      });
      return { before: samples(0, { ...fixed, ...total(0) }), now: samples(2, { ...fixed, ...total(published) }) };
    };
    const fleet = fleetFigures([process(10, 4), process(4, 5)]);
    expect(fleet.outboxes).to.deep.equal([{ name: 'treasury', published_per_s: 7, waiting: 3, age_s: 5 }]);
    expect(fleet.sagas).to.deep.equal([{ name: 'settlement', state: 'posting', unfinished: 2, age_s: 7 }]);
    expect(fleet.subscriptions).to.deep.equal([{ name: 'a', waiting: 0, lag_s: 0, dead_letters: 1 }]);
  });

  it('shows a process that cannot be read, and marks it in colour only on a terminal', () => {
    const nodes = [{ name: 'node-1', services: ['treasury'], fault: 'ECONNREFUSED' }];
    const plain = screen(nodes, fleetFigures([]), new Date(0), false);
    expect(plain[0]).to.equal('00:00:00 UTC  1 processes, 0 ready   HTTP –/s, –/s fail, p99 –, 0 in progress');
    expect(plain).to.include('node-1  treasury  not scraped: ECONNREFUSED');
    const coloured = screen(nodes, fleetFigures([]), new Date(0), true);
    expect(coloured.join('\n')).to.contain('\x1b[31mnot scraped: ECONNREFUSED\x1b[0m');
  });

  it('shows durations with the digits that matter', () => {
    const shown = [0, 0.0123, 1.26, 61, 3_599, 90_000, 400_000].map(duration);
    expect(shown).to.deep.equal(['0 ms', '12 ms', '1.3 s', '61 s', '60 min', '25 h', '5 d']);
  });
});
