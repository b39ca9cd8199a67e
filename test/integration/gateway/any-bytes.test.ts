import { expect } from 'chai';
import fc from 'fast-check';
import { implement } from '../../../lib/service/implement.ts';
import * as membership from '../../../lib/contracts/membership.ts';
import * as treasury from '../../../lib/contracts/treasury.ts';
import { GatewayBench } from '../../harness/gateway.ts';

const WRITES = ['POST /associations', 'PUT /me/pin', 'POST /wallets/w/deposits'];

/** Bodies that come near to what is asked for, which random bytes never do. */
const nearMiss = fc
  .dictionary(
    fc.oneof(
      fc.constantFrom('name', 'type', 'currency', 'amount', 'reference', 'pin', 'rules', '__proto__'),
      fc.string(),
    ),
    fc.oneof(fc.jsonValue(), fc.constantFrom('tontine', 'XAF', 1, -1, 0.1, 1e300, '\u0000', '\ud800')),
  )
  .map((value) => Buffer.from(JSON.stringify(value)));

describe('gateway: any bytes for a body', () => {
  let bench: GatewayBench;

  before(async () => {
    // What the actions answer is of no interest here: `never` fits every contract.
    const done = () => Promise.resolve({} as never);
    bench = await GatewayBench.start([
      {
        name: 'membership',
        actions: {
          create_association: implement(membership.createAssociation, done),
          set_pin: implement(membership.setPin, done),
        },
      },
      { name: 'treasury', actions: { deposit: implement(treasury.depositToWallet, done) } },
    ]);
  });
  after(() => bench.stop());

  it('are never more than a bad request', async () => {
    const bytes = fc.uint8Array({ maxLength: 400 }).map((array) => Buffer.from(array));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...WRITES),
        fc.oneof(bytes, nearMiss),
        fc.boolean(),
        async (line, body, chunked) => {
          const { status } = await bench.send(line, { body, chunked });
          expect(status).to.be.lessThan(500);
        },
      ),
      { numRuns: 500 },
    );
  });
});
