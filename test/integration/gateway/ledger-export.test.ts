import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { implement } from '../../../lib/service/implement.ts';
import * as treasury from '../../../lib/contracts/treasury.ts';
import type { TransferRecord } from '../../../lib/contracts/treasury.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { GatewayBench } from '../../harness/gateway.ts';

const SOME = '0192f0c0-0000-7000-8000-000000000001';
const EXPORT = `GET /associations/${SOME}/ledger/export`;
/** Transfers of one stretch. */
const STRETCH = 100;

describe('gateway: the ledger export', () => {
  let bench: GatewayBench;
  let head = 0;
  /** Transfers that are there by the time a stretch is asked for: more may have come since the head was read. */
  let present = 0;
  let failsAfter = Infinity;
  let stretches = 0;
  let padding = '';

  // As much of a transfer as the export looks at.
  const transfer = (seq: number) => ({ seq, reference: padding }) as unknown as TransferRecord;

  before(async () => {
    bench = await GatewayBench.start([
      {
        name: 'treasury',
        actions: {
          ledger_head: implement(treasury.ledgerHead, ({ path }) => {
            if (path.association_id !== SOME) throw problem('not_found');
            return Promise.resolve({ seq: head, hash: '0'.repeat(64) });
          }),
          ledger_export: implement(treasury.ledgerExport, ({ query }) => {
            const after = query.after_seq ?? 0;
            stretches += 1;
            if (after >= failsAfter) throw problem('service_unavailable');
            const seqs = Array.from({ length: Math.min(STRETCH, present - after) }, (_, index) => after + index + 1);
            return Promise.resolve({ transfers: seqs.map(transfer), done: after + seqs.length >= present });
          }),
        },
      },
    ]);
  });
  after(() => bench.stop());
  beforeEach(() => {
    [head, present, failsAfter, stretches, padding] = [0, 0, Infinity, 0, ''];
  });

  const seqsOf = (text: string) =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => (JSON.parse(line) as { seq: number }).seq);

  it('has one transfer a line, oldest first, across stretches', async () => {
    head = present = 250;
    const reply = await bench.send(EXPORT);
    expect(reply.status).to.equal(200);
    expect(reply.headers['content-type']).to.equal('application/x-ndjson; charset=utf-8');
    expect(seqsOf(reply.text)).to.deep.equal(Array.from({ length: 250 }, (_, index) => index + 1));
    expect(reply.text.endsWith('\n')).to.equal(true);
  });

  it('ends with the head that there was when it began', async () => {
    head = 150;
    present = 100_000;
    expect(seqsOf((await bench.send(EXPORT)).text).at(-1)).to.equal(150);
    expect(stretches).to.equal(2);
  });

  it('is empty for an empty ledger', async () => {
    const reply = await bench.send(EXPORT);
    expect([reply.status, reply.text]).to.deep.equal([200, '']);
  });

  it('is refused like any other request', async () => {
    const reply = await bench.send(EXPORT.replace(SOME, SOME.replace('1', '2')));
    expect([reply.status, reply.body.code]).to.deep.equal([404, 'not_found']);
    expect((await bench.send(EXPORT, { token: false })).status).to.equal(401);
    expect((await bench.send(`${EXPORT}?after_seq=x`)).status).to.equal(422);
  });

  it('breaks off when the treasury fails midway, so that nobody takes it for whole', async () => {
    head = present = 300;
    failsAfter = 200;
    const outcome = await bench.send(EXPORT).catch((error: unknown) => error);
    expect(outcome).to.be.an.instanceOf(Error);
  });

  it('asks for no more than the client takes', async () => {
    head = present = 100_000;
    padding = 'x'.repeat(2_000);
    const outgoing = bench.open(
      EXPORT,
      {},
      () => undefined,
      () => undefined,
    );
    outgoing.removeAllListeners('response').on('response', (incoming) => incoming.pause());
    outgoing.end();
    await sleep(300);
    const soFar = stretches;
    await sleep(300);
    // 200 KB each: what the sockets hold, and not all of the 1 000 stretches.
    expect(stretches).to.equal(soFar);
    expect(stretches).to.be.lessThan(100);
    outgoing.destroy();
  });
});
