import fc from 'fast-check';
import pg from 'pg';
import { defaultDatabaseName } from '../../lib/embedded/provision.ts';
import { withDatabase } from '../../lib/config/server-urls.ts';
import { startCluster, TOGETHER, type Cluster } from '../harness/cluster.ts';
import { bankOf, foundGroup } from '../harness/group.ts';
import { expectInvariants } from '../harness/random-group/invariants.ts';
import { anyOperation, perform, type Operation } from '../harness/random-group/operations.ts';
import type { World } from '../harness/random-group/world.ts';
import { expectAgreement } from '../harness/verified-databases.ts';
import { expectValidLedger } from '../harness/verified-ledger.ts';

/** Number of random operations in a sequence. */
const OPERATIONS = 200;
/** Sequences for each type of association. They differ in each run; a failure prints its seed. */
const SEQUENCES = Number(process.env.MONEY_SEQUENCES ?? 1);
const TIMEOUT_MS = 300_000;

const anyGroup = fc.record({
  size: fc.integer({ min: 3, max: 12 }),
  hands: fc.array(fc.integer({ min: 1, max: 2 }), { minLength: 12, maxLength: 12 }),
  beneficiaries_per_meeting: fc.constantFrom(1, 1, 2, 3),
  shortfall: fc.constantFrom('pay_collected', 'pay_collected', 'block'),
});
type Group = typeof anyGroup extends fc.Arbitrary<infer T> ? T : never;

/** Prints the answers that the sequences got, if MONEY_ANSWERS is set. */
function tell({ answers }: World): void {
  if (process.env.MONEY_ANSWERS === undefined) return;
  process.stderr.write(`${JSON.stringify(Object.fromEntries([...answers].toSorted()), null, 2)}\n`);
}

describe('the money of 3 to 12 members', function () {
  this.timeout(TIMEOUT_MS);
  let cluster: Cluster;
  let treasury: pg.Client;

  before(async () => {
    cluster = await startCluster({ processes: TOGETHER });
    treasury = new pg.Client({ connectionString: withDatabase(cluster.adminUrl, defaultDatabaseName('treasury')) });
    await treasury.connect();
  });
  after(async () => {
    await treasury.end();
    await cluster.stop();
  });

  async function worldOf(type: string, { size, shortfall, ...more }: Group): Promise<World> {
    // The amount is not divisible by the beneficiaries, so that shares have remainders.
    const contribution_amount = 1_001;
    const total = more.hands.slice(0, size).reduce((sum, hands) => sum + hands, 0);
    const rules = {
      shortfall,
      // A cycle cannot start with hands that do not fill its rounds.
      beneficiaries_per_meeting: total % more.beneficiaries_per_meeting === 0 ? more.beneficiaries_per_meeting : 1,
      approvals: { distribution: 1, rules_change: 1, correction: 1 },
    };
    const group = await foundGroup(cluster, {
      size,
      funding: 20_000,
      roles: ['president', 'treasurer', 'secretary'],
      association: { type, contribution_amount, rules, hands: more.hands[0] },
    });
    for (const [place, member] of group.members.entries()) {
      await member.http.send('PATCH', `${group.path}/members/me`, { hands: more.hands[place] });
    }
    const bank = bankOf(cluster);
    return {
      group,
      bank,
      type,
      contribution_amount,
      currency: 'XAF',
      meetings: [],
      approvals: [],
      cycles: [],
      closed: new Set(),
      decided: new Set(),
      answers: new Map(),
    };
  }

  for (const type of ['tontine', 'savings', 'solidarity']) {
    it(`is conserved, owed and paid according to the rules after any sequence of requests: ${type}`, async () => {
      const sequence = fc.array(anyOperation, { minLength: OPERATIONS, maxLength: OPERATIONS });
      await fc.assert(
        fc.asyncProperty(anyGroup, sequence, async (terms, operations) => {
          const world = await worldOf(type, terms);
          const begin: Operation = { kind: 'startCycle', who: 0, other: 0, what: 0, percent: 100, flag: false };
          for (const operation of [begin, ...operations]) await perform(world, operation);
          await expectInvariants(world, treasury);
          await expectValidLedger(world.group.members[0]!.http, world.group.path);
          await expectAgreement(cluster);
          tell(world);
        }),
        { numRuns: SEQUENCES, endOnFailure: true },
      );
    });
  }
});
