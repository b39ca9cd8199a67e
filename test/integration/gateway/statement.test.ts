import { expect } from 'chai';
import { implement } from '../../../lib/service/implement.ts';
import * as treasury from '../../../lib/contracts/treasury.ts';
import type { Statement } from '../../../lib/contracts/treasury.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { GatewayBench } from '../../harness/gateway.ts';
import { movements, statementOf } from '../../harness/statement.ts';

const SOME = '0192f0c0-0000-7000-8000-000000000001';
const STATEMENT = `/associations/${SOME}/statement`;

describe('gateway: statements', () => {
  let bench: GatewayBench;
  let statement: Statement;
  let asked: unknown;
  let calls = 0;
  let refusal: Error | undefined;

  before(async () => {
    bench = await GatewayBench.start([
      {
        name: 'treasury',
        actions: {
          statement: implement(treasury.statement, ({ path, query }) => {
            calls += 1;
            asked = query;
            if (refusal !== undefined) throw refusal;
            if (path.association_id !== SOME) throw problem('not_found');
            return Promise.resolve(statement);
          }),
        },
      },
    ]);
  });
  after(() => bench.stop());
  beforeEach(() => {
    [statement, asked, calls, refusal] = [statementOf(movements(3)), undefined, 0, undefined];
  });

  const get = (headers: Record<string, string> = {}, query = '') => bench.send(`GET ${STATEMENT}${query}`, { headers });

  it('are JSON for whoever asks for nothing else, exactly as the treasury gives them', async () => {
    for (const headers of [{}, { Accept: '*/*' }, { Accept: 'application/json' }]) {
      const reply = await get(headers);
      expect([reply.status, reply.body]).to.deep.equal([200, statement]);
      expect(reply.headers).to.include({
        'content-type': 'application/json; charset=utf-8',
        vary: 'Accept, Accept-Language',
      });
      expect(reply.headers).not.to.have.property('etag');
    }
  });

  it('are CSV in the language that the client likes best', async () => {
    const reply = await get({ Accept: 'text/csv', 'Accept-Language': 'de, fr-CM;q=0.8, en;q=0.5' });
    expect(reply.status).to.equal(200);
    expect(reply.headers).to.include({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-language': 'fr',
      vary: 'Accept, Accept-Language',
      'cache-control': 'no-store',
      'content-disposition':
        'attachment; filename="releve-njangi-of-the-five-awa-ndoumbe-2026-09-01-2026-09-30.csv"; ' +
        "filename*=UTF-8''Relev%C3%A9%20de%20compte%20Njangi%20of%20the%20five%20Awa%20Ndoumb%C3%A9%202026-09-01%202026-09-30.csv",
    });
    expect(reply.text).to.match(/^\uFEFFDate,Devise,Opération,Tour,/);
    expect(reply.text.split('\r\n').length).to.equal(3 + 3 + 1);
  });

  it('are PDF, in English where the client likes no language that there is', async () => {
    const reply = await get({ Accept: 'application/pdf', 'Accept-Language': 'de' });
    expect(reply.headers).to.include({ 'content-type': 'application/pdf', 'content-language': 'en' });
    expect(reply.headers['content-disposition']).to.match(
      /^attachment; filename="statement-[a-z0-9-]+\.pdf"; filename\*=/,
    );
    expect(reply.text.startsWith('%PDF-1.7')).to.equal(true);
    expect(reply.text.trimEnd().endsWith('%%EOF')).to.equal(true);
  });

  it('pass the question on to the treasury, and its refusals back', async () => {
    await get({ Accept: 'text/csv' }, `?member_id=${SOME}&from=2026-01-01`);
    expect(asked).to.deep.equal({ member_id: SOME, from: '2026-01-01' });
    for (const accept of ['application/json', 'text/csv', 'application/pdf']) {
      const other = await bench.send(`GET ${STATEMENT.replace('0001/', '0002/')}`, { headers: { Accept: accept } });
      expect([other.status, other.body.code]).to.deep.equal([404, 'not_found']);
      expect(other.headers['content-type']).to.equal('application/problem+json');
      const ill = await get({ Accept: accept }, '?from=yesterday');
      expect([ill.status, ill.body.code]).to.deep.equal([422, 'validation_failed']);
      expect((await bench.send(`GET ${STATEMENT}`, { headers: { Accept: accept }, token: false })).status).to.equal(
        401,
      );
    }
  });

  it('are not made while a service that they need is away', async () => {
    const away = Object.assign(new Error('away'), { type: 'SERVICE_NOT_AVAILABLE', code: 404, retryable: true });
    refusal = away;
    for (const accept of ['application/json', 'text/csv', 'application/pdf']) {
      const reply = await get({ Accept: accept });
      expect([reply.status, reply.body.code]).to.deep.equal([503, 'service_unavailable']);
    }
  });

  it('are refused in other formats before the treasury is asked', async () => {
    const reply = await get({ Accept: 'text/html', 'Accept-Language': 'fr' });
    expect([reply.status, reply.body.code]).to.deep.equal([406, 'not_acceptable']);
    expect(reply.body.available).to.deep.equal(['application/json', 'text/csv', 'application/pdf']);
    expect(reply.headers['content-language']).to.equal('fr');
    expect(calls).to.equal(0);
  });

  it('are answered to HEAD with the same headers and nothing else', async () => {
    for (const accept of ['text/csv', 'application/pdf']) {
      const [head, whole] = [
        await bench.send(`HEAD ${STATEMENT}`, { headers: { Accept: accept } }),
        await get({ Accept: accept }),
      ];
      expect([head.status, head.text]).to.deep.equal([200, '']);
      for (const name of ['content-type', 'content-language', 'content-disposition', 'vary']) {
        expect(head.headers[name]).to.equal(whole.headers[name]);
      }
    }
  });

  it('answer others while a long one is written', async () => {
    statement = statementOf(movements(5_000));
    const long = get({ Accept: 'application/pdf' });
    let others = 0;
    let done = false;
    void long.then(() => (done = true));
    while (!done) {
      await bench.send('GET //health/live', { token: false });
      others += 1;
    }
    expect((await long).text.trimEnd().endsWith('%%EOF')).to.equal(true);
    expect(others).to.be.greaterThan(5);
  });

  it('that cannot be written are an error of ours, not a broken file', async () => {
    statement = { ...statementOf(movements(1)), currency: 'XXX' };
    const reply = await get({ Accept: 'text/csv' });
    expect([reply.status, reply.body.code]).to.deep.equal([500, 'internal_error']);
  });
});
