import { expect } from 'chai';
import type { ServiceBroker } from 'moleculer';
import { brokerOptions } from '../../../moleculer.config.ts';
import { loadSettings } from '../../../lib/config/settings.ts';
import type { Answer, Command, CommandInput, Endpoint, EndpointInput } from '../../../lib/contracts/action.ts';
import * as contract from '../../../lib/contracts/treasury.ts';
import { startNode, type RunningNode, type ServiceFactory } from '../../../lib/node/node.ts';
import type { Runtime } from '../../../lib/node/runtime.ts';
import { call } from '../../../lib/service/call.ts';
import { nodeFor } from '../../../lib/service/routing.ts';
import { treasuryService } from '../../../services/treasury/treasury.service.ts';
import { firstBreak } from '../../harness/chain.ts';
import type { TestDatabase } from '../../harness/databases.ts';
import { FakeContribution } from '../../harness/fakes/contribution.ts';
import { FakeGovernance } from '../../harness/fakes/governance.ts';
import { FakeMembership } from '../../harness/fakes/membership.ts';
import { treasuryTestDatabase } from '../../harness/ledger.ts';
import { outcomeOf } from '../../harness/refusal.ts';
import { testIds, testRuntime } from '../../harness/runtime.ts';
import { natsUrl } from '../../harness/servers.ts';
import { callOf, commandOf } from '../../harness/stated-caller.ts';
import { legs } from '../../harness/treasury.ts';

const newId = testIds();
const NODES = ['one', 'two'];
const PAYERS = 4;
const FUNDING = 200;
/** Contributions of each payer; together they need more than the payer has. */
const PAYMENTS = 30;
const PAID = 40;
const PAID_OUT = 70;

describe('treasury: two nodes', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  const membership = new FakeMembership(newId);
  let nodes: RunningNode[];
  let caller: ServiceBroker;
  /** The number of batches that each node has decided. */
  const decided = new Map<string, number>();

  before(async () => {
    database = await treasuryTestDatabase();
    const fakes = [membership, new FakeGovernance(), new FakeContribution()];
    nodes = await Promise.all([
      ...NODES.map((name) => start(name, [(runtime) => treasuryService(runtime)])),
      start(
        'caller',
        fakes.map((fake) => () => fake.schema()),
      ),
    ]);
    caller = nodes.at(-1)!.broker;
    await Promise.all(nodes.map(({ broker }) => broker.waitForServices(['membership', 'treasury'])));
  });
  after(async () => {
    await Promise.all(nodes.map((node) => node.stop()));
    await database.release();
  });

  function start(nodeId: string, services: ServiceFactory<Runtime>[]): Promise<RunningNode> {
    const settings = { ...loadSettings({ LOG_LEVEL: 'fatal' }), nodeId };
    const reached = (step: string) => {
      if (step === 'treasury.ledger.decided') decided.set(nodeId, (decided.get(nodeId) ?? 0) + 1);
      return Promise.resolve();
    };
    const runtime = testRuntime({ treasury: database }, { settings, reached });
    return startNode({ services, runtime, broker: brokerOptions(settings, natsUrl()) });
  }

  /** Calls a command on a node. */
  const on = <C extends Command>(nodeID: string, command: C, input: CommandInput<C>): Promise<Answer<C>> =>
    caller.call(command.name, structuredClone(input), { nodeID, meta: commandOf(command, input) });

  /** Calls a public action on a node as a user. */
  function as<E extends Endpoint>(
    nodeID: string,
    user_id: string,
    endpoint: E,
    { path = {}, query = {}, body = {} }: Partial<EndpointInput<E>>,
  ): Promise<Answer<E>> {
    const meta = callOf(endpoint, { user_id, name: null, scopes: ['wallets:fund'] });
    return caller.call(endpoint.name, { path, query, body }, { nodeID, meta });
  }

  interface Payer {
    user_id: string;
    wallet_id: string;
    /** Acknowledged contributions minus acknowledged payouts. */
    paid: number;
  }

  /** Founds an association of payers with funded wallets. */
  async function founded(): Promise<{ association_id: string; payers: Payer[] }> {
    const { id: association_id } = membership.found();
    const payers = Array.from({ length: PAYERS }, async (_, index) => {
      const user_id = newId();
      const node = NODES[index % 2]!;
      const { wallet_id } = await on(node, contract.openWallet, { user_id, currency: 'XAF' });
      membership.join(association_id, user_id, { payout_wallet_id: wallet_id });
      const body = { amount: FUNDING, reference: newId() };
      await as(node, user_id, contract.depositToWallet, { path: { wallet_id }, body });
      return { user_id, wallet_id, paid: 0 };
    });
    return { association_id, payers: await Promise.all(payers) };
  }

  const transfer = (association_id: string, given: Partial<CommandInput<typeof contract.transfer>>) => ({
    id: newId(),
    association_id,
    kind: 'contribution' as const,
    currency: 'XAF',
    reference: null,
    payer_user_id: null,
    member_id: null,
    legs: [],
    ...given,
  });

  it('share the associations: the postings of one go to one node', async () => {
    const groups = await Promise.all(Array.from({ length: 8 }, founded));
    for (const { association_id, payers } of groups) {
      decided.clear();
      for (const { user_id, wallet_id } of payers) {
        const pays = { payer_user_id: user_id, ...legs(`wallet:${wallet_id}`, `pool:${association_id}`, 1) };
        const paid = transfer(association_id, pays);
        const { statements } = commandOf(contract.transfer, paid);
        await call(caller, contract.transfer, paid, undefined, statements?.treasury);
      }
      expect([...decided.keys()]).to.deep.equal([nodeFor(association_id, NODES)]);
    }
  });

  it('stay right if both serve one association at once: payments, payouts, repeats and reads', async () => {
    const { association_id, payers } = await founded();
    const pool = `pool:${newId()}`;
    const ids: string[] = [];
    const refused: string[] = [];
    let wrong_reads = 0;

    /** Posts the same transfer on both nodes, as a caller that repeats a call whose answer was lost. */
    async function posted(payer: Payer, amount: number): Promise<boolean> {
      const wallet = `wallet:${payer.wallet_id}`;
      const [from, to] = amount > 0 ? [wallet, pool] : [pool, wallet];
      const payer_user_id = amount > 0 ? payer.user_id : null;
      const input = transfer(association_id, { payer_user_id, ...legs(from, to, Math.abs(amount)) });
      const answers = NODES.map((node) => on(node, contract.transfer, input));
      const [one, two] = await Promise.all(answers.map(outcomeOf));
      expect(one).to.equal(two);
      (one === 'done' ? ids : refused).push(one === 'done' ? input.id : one!);
      if (one !== 'done') return false;
      expect(await answers[0]).to.deep.equal(await answers[1]);
      payer.paid += amount;
      return true;
    }

    /** Reads what was just acknowledged, on both nodes. Only this payer's requests change the wallet. */
    async function read({ user_id, wallet_id, paid }: Payer): Promise<void> {
      const path = { wallet_id };
      const wallets = await Promise.all(NODES.map((node) => as(node, user_id, contract.getWallet, { path })));
      wrong_reads += wallets.filter(({ balance }) => balance !== FUNDING - paid).length;
    }

    await Promise.all(
      payers.map(async (payer, index) => {
        for (let n = 0; n < PAYMENTS; n += 1) {
          await posted(payer, PAID);
          await read(payer);
          if (n % 3 === index % 3 && (await posted(payer, -PAID_OUT))) await read(payer);
        }
      }),
    );
    expect(wrong_reads).to.equal(0);
    expect(new Set(refused)).to.deep.equal(new Set(['insufficient_funds']));

    const [{ user_id }] = payers as [Payer, ...Payer[]];
    const path = { association_id };
    for (const node of NODES) {
      const { transfers } = await as(node, user_id, contract.ledgerExport, { path });
      expect(transfers.map(({ id }) => id)).to.have.members(ids);
      expect(firstBreak(transfers)).to.equal(undefined);
      const { pools } = await as(node, user_id, contract.balances, { path });
      const collected = payers.reduce((sum, { paid }) => sum + paid, 0);
      expect(pools.map(({ amount }) => amount)).to.deep.equal([collected]);
    }
  });
});
