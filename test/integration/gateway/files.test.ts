import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import * as treasury from '../../../lib/contracts/treasury.ts';
import type { Statement } from '../../../lib/contracts/treasury.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { SOME, useGateway } from '../../harness/gateway.ts';
import { movements, statementOf } from '../../harness/statement.ts';

const OTHER = SOME.replace(/1$/, '2');

describe('gateway: the ledger export', () => {
  const EXPORT = `GET /associations/${SOME}/ledger/export`;
  /** The number of transfers in an answer of the treasury. */
  const BATCH = 100;
  /** `present` counts the transfers when a batch is read; it may exceed `head`, which was read earlier. */
  const nothing = { head: 0, present: 0, failsAfter: Infinity, batches: 0, padding: '' };
  let ledger = { ...nothing };
  const gateway = useGateway();
  beforeEach(() => {
    ledger = { ...nothing };
    gateway.answer = ({ action, input: { path, query } }) => {
      if (action === treasury.ledgerHead.name) {
        if (path.association_id !== SOME) throw problem('not_found');
        return { seq: ledger.head };
      }
      const { after_seq = 0 } = query as { after_seq?: number };
      ledger.batches += 1;
      if (after_seq >= ledger.failsAfter) throw problem('service_unavailable');
      const length = Math.min(BATCH, ledger.present - after_seq);
      // Only the fields of a transfer that the export reads.
      const transfers = Array.from({ length }, (_, index) => ({
        seq: after_seq + index + 1,
        reference: ledger.padding,
      }));
      return { transfers, done: after_seq + length >= ledger.present };
    };
  });

  const seqsOf = (text: string) =>
    text
      .split('\n')
      .filter(Boolean)
      .map((line) => (JSON.parse(line) as { seq: number }).seq);

  it('has a line for each transfer, oldest first, across batches', async () => {
    ledger.head = ledger.present = 250;
    const reply = await gateway.send(EXPORT);
    expect(reply.status).to.equal(200);
    expect(reply.headers['content-type']).to.equal('application/x-ndjson; charset=utf-8');
    expect(seqsOf(reply.text)).to.deep.equal(Array.from({ length: 250 }, (_, index) => index + 1));
    expect(reply.text.endsWith('\n')).to.equal(true);
    expect(await gateway.send(EXPORT.replace('GET', 'HEAD'))).to.include({ status: 200, text: '' });
  });

  it('ends at the head of the ledger when the export began, and is empty for an empty ledger', async () => {
    expect(await gateway.send(EXPORT)).to.include({ status: 200, text: '' });
    ledger = { ...nothing, head: 150, present: 100_000 };
    expect(seqsOf((await gateway.send(EXPORT)).text).at(-1)).to.equal(150);
    expect(ledger.batches).to.equal(2);
  });

  it('is refused like any other request', async () => {
    expect(await gateway.outcome(EXPORT.replace(SOME, OTHER))).to.equal('404 not_found');
    expect(await gateway.outcome(EXPORT, { token: false })).to.equal('401 token_missing');
    expect(await gateway.outcome(`${EXPORT}?after_seq=x`)).to.equal('422 validation_failed');
  });

  it('breaks the connection when the treasury fails midway, so that the file cannot appear complete', async () => {
    ledger = { ...nothing, head: 300, present: 300, failsAfter: 200 };
    const outcome = await gateway.send(EXPORT).catch((error: unknown) => error);
    expect(outcome).to.be.an.instanceOf(Error);
  });

  it('reads batches only as fast as the client receives them', async () => {
    ledger = { ...nothing, head: 100_000, present: 100_000, padding: 'x'.repeat(2_000) };
    const outgoing = gateway.open(EXPORT);
    outgoing.removeAllListeners('response').on('response', (incoming) => incoming.pause());
    outgoing.end();
    await sleep(300);
    const soFar = ledger.batches;
    await sleep(300);
    // A batch has 200 KB; only those that fit into the socket buffers are read, not all 1 000.
    expect(ledger.batches).to.equal(soFar);
    expect(ledger.batches).to.be.lessThan(100);
    outgoing.destroy();
  });
});

describe('gateway: statements', () => {
  const STATEMENT = `GET /associations/${SOME}/statement`;
  const FORMATS = ['application/json', 'text/csv', 'application/pdf'];
  let statement: Statement;
  let refusal: Error | undefined;
  const gateway = useGateway();
  beforeEach(() => {
    statement = statementOf(movements(3));
    refusal = undefined;
    gateway.answer = ({ input: { path } }) => {
      if (refusal !== undefined) throw refusal;
      if (path.association_id !== SOME) throw problem('not_found');
      return statement;
    };
  });
  const get = (headers: Record<string, string> = {}, query = '') => gateway.send(`${STATEMENT}${query}`, { headers });

  it('are JSON exactly as the treasury returns it, unless the client requests another format', async () => {
    const reply = await get();
    expect([reply.status, reply.body]).to.deep.equal([200, statement]);
    expect(reply.headers).to.include({ vary: 'Accept, Accept-Language' }).and.not.have.property('etag');
  });

  it('can be CSV or PDF, in the language that the client prefers, or else in English', async () => {
    const shared = { vary: 'Accept, Accept-Language', 'cache-control': 'no-store' };
    const csv = await get({ Accept: 'text/csv', 'Accept-Language': 'de, fr-CM;q=0.8, en;q=0.5' });
    const type = 'text/csv; charset=utf-8; header=present';
    expect(csv.headers).to.include({ ...shared, 'content-type': type, 'content-language': 'fr' });
    expect(csv.headers['content-disposition']).to.match(/^attachment; filename="releve-[a-z0-9-]+\.csv"; filename\*=/);
    expect(csv.text).to.match(/^\uFEFFDate,Devise,Opération,Tour,/);
    expect(csv.text.split('\r\n').length).to.equal(3 + 3 + 1);

    const pdf = await get({ Accept: 'application/pdf', 'Accept-Language': 'de' });
    expect(pdf.headers).to.include({ ...shared, 'content-type': 'application/pdf', 'content-language': 'en' });
    expect(pdf.headers['content-disposition']).to.match(/^attachment; filename="statement-[a-z0-9-]+\.pdf"/);
    expect(pdf.text.trimEnd()).to.match(/^%PDF-1.7[^]*%%EOF$/);
  });

  it('pass the query to the treasury, and its refusals to the client, in every format', async () => {
    await get({ Accept: 'text/csv' }, `?member_id=${SOME}&from=2026-01-01`);
    expect(gateway.seen?.input.query).to.deep.equal({ member_id: SOME, from: '2026-01-01' });
    for (const Accept of FORMATS) {
      const outcome = (line: string, sending = {}) => gateway.outcome(line, { headers: { Accept }, ...sending });
      refusal = undefined;
      expect(await outcome(STATEMENT.replace(SOME, OTHER))).to.equal('404 not_found');
      expect(await outcome(`${STATEMENT}?from=yesterday`)).to.equal('422 validation_failed');
      expect(await outcome(STATEMENT, { token: false })).to.equal('401 token_missing');
      refusal = Object.assign(new Error('unavailable'), { type: 'SERVICE_NOT_AVAILABLE', code: 404, retryable: true });
      expect(await outcome(STATEMENT)).to.equal('503 service_unavailable');
    }
  });

  it('are refused in other formats without a call to the treasury', async () => {
    const reply = await get({ Accept: 'text/html' });
    expect([reply.status, reply.body.code, reply.body.available]).to.deep.equal([406, 'not_acceptable', FORMATS]);
    expect(gateway.seen).to.equal(undefined);
  });

  it('answer HEAD with the same headers and an empty body', async () => {
    for (const Accept of ['text/csv', 'application/pdf']) {
      const head = await gateway.send(STATEMENT.replace('GET', 'HEAD'), { headers: { Accept } });
      const whole = await get({ Accept });
      expect([head.status, head.text]).to.deep.equal([200, '']);
      for (const name of ['content-type', 'content-language', 'content-disposition', 'vary']) {
        expect(head.headers[name]).to.equal(whole.headers[name]);
      }
    }
  });

  it('do not block other requests while a long PDF is written', async () => {
    statement = statementOf(movements(5_000));
    const long = get({ Accept: 'application/pdf' });
    let others = 0;
    let done = false;
    void long.then(() => (done = true));
    while (!done) {
      await gateway.send('GET //health/live', { token: false });
      others += 1;
    }
    expect((await long).text.trimEnd().endsWith('%%EOF')).to.equal(true);
    expect(others).to.be.greaterThan(5);
  });

  it('answer 500, not a broken file, if they cannot be written', async () => {
    statement = { ...statementOf(movements(1)), currency: 'XXX' };
    const reply = await get({ Accept: 'text/csv' });
    expect([reply.status, reply.body.code]).to.deep.equal([500, 'internal_error']);
  });
});
