import { expect } from 'chai';
import type { GatewayBench } from '../../harness/gateway.ts';
import { NEW, SOME, StubbedGateway } from '../../harness/stubbed-gateway.ts';

describe('gateway: names what is wrong with a field', () => {
  let gateway: StubbedGateway;
  let bench: GatewayBench;

  before(async () => {
    gateway = await StubbedGateway.start();
    ({ bench } = gateway);
  });
  after(() => bench.stop());
  afterEach(() => {
    gateway.reset();
  });

  async function errorsOf(body: unknown): Promise<unknown> {
    const reply = await bench.send('POST /associations', { body });
    expect([reply.status, reply.body.code]).to.deep.equal([422, 'validation_failed']);
    return (reply.body.errors as { pointer: string; code: string }[]).map(({ pointer, code }) => `${pointer} ${code}`);
  }

  it('by pointer, also within objects', async () => {
    const rules = { shortfall: 'perhaps', approvals: { motion: 99 } };
    expect(await errorsOf({ ...NEW, name: '', is_public: 'yes', rules })).to.have.members([
      '/name too_short',
      '/is_public type',
      '/rules/shortfall not_allowed',
      '/rules/approvals/motion too_large',
    ]);
  });

  it('when it is missing or null', async () => {
    expect(await errorsOf({ ...NEW, name: undefined })).to.deep.equal(['/name required']);
    const nulls = { ...NEW, name: null, description: null, is_public: null, rules: { approvals: { motion: null } } };
    expect(await errorsOf(nulls)).to.have.members([
      '/name null',
      '/description null',
      '/is_public null',
      '/rules/approvals/motion null',
    ]);
  });

  it('when it is unknown, each by its own name', async () => {
    const strange = { 'a, b': 1, 'x/y~z': 2, __proto__x: 3 };
    expect(await errorsOf({ ...NEW, ...strange })).to.have.members([
      '/a, b unknown',
      '/x~1y~0z unknown',
      '/__proto__x unknown',
    ]);
    expect(await errorsOf(`{"__proto__":{"name":"x"},${JSON.stringify(NEW).slice(1)}`)).to.deep.equal([
      '/__proto__ unknown',
    ]);
  });

  it('in the query, by its name', async () => {
    const reply = await bench.send('GET /associations/my?limit=0&limits=3&cursor=a&cursor=b');
    const errors = reply.body.errors as { pointer: string }[];
    expect(errors.map((error) => error.pointer)).to.have.members(['limit', 'limits', 'cursor']);
  });

  it('without repeating what was sent', async () => {
    const reply = await bench.send('PUT /me/pin', { body: { pin: ['geheim'], current_pin: { a: 'geheim' } } });
    expect(reply.status).to.equal(422);
    expect(reply.text).to.not.contain('geheim');
  });

  it('and takes no fields where there are none to take', async () => {
    const reply = await bench.send(`POST /associations/${SOME}/join`, { body: { hands: 1, more: 2 } });
    expect(reply.body.errors).to.have.nested.property('[0].pointer', '/more');
  });
});
