import { expect } from 'chai';
import fc from 'fast-check';
import pg from 'pg';
import { defaultDatabaseName } from '../../lib/embedded/provision.ts';
import { withDatabase } from '../../lib/config/server-urls.ts';
import { startCluster, TOGETHER, type Cluster } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';
import { bankOf, foundGroup } from '../harness/group.ts';
import { HttpClient, type Json } from '../harness/http.ts';
import { expectReached, propertyOf } from '../harness/properties.ts';
import { FINE_RULES } from '../harness/random-group/fine-operations.ts';
import { expectInvariants } from '../harness/random-group/invariants.ts';
import { anyOperation, perform, type Operation } from '../harness/random-group/operations.ts';
import { listAll, note, type World } from '../harness/random-group/world.ts';
import { ask, vote } from '../harness/requests.ts';
import { expectAgreement } from '../harness/verified-databases.ts';
import { expectValidLedger } from '../harness/verified-ledger.ts';

/** Number of random operations in a sequence. */
const OPERATIONS = 200;
/** Sequences for each type of association. They differ in each run; a failure prints its seed. */
const SEQUENCES = Number(process.env.MONEY_SEQUENCES ?? 1);
const TIMEOUT_MS = 300_000;
const DAY_MS = 86_400_000;

const anyGroup = fc.record({
  size: fc.integer({ min: 3, max: 12 }),
  hands: fc.array(fc.integer({ min: 1, max: 2 }), { minLength: 12, maxLength: 12 }),
  beneficiaries_per_meeting: fc.constantFrom(1, 1, 2, 3),
  shortfall: fc.constantFrom('pay_collected', 'pay_collected', 'block'),
});
type Group = typeof anyGroup extends fc.Arbitrary<infer T> ? T : never;

const plain: Omit<Operation, 'kind'> = { who: 0, other: 1, what: 0, percent: 100, flag: true };
/** There is something to pay for, and an open meeting. */
const BEGINNING: Operation[] = [
  { ...plain, kind: 'startCycle', flag: false },
  { ...plain, kind: 'scheduleMeeting' },
];
/** Each rule has something to be about, even if chance has brought little. */
const END: Operation[] = [
  { ...plain, kind: 'assessFine', flag: false },
  { ...plain, kind: 'payFine' },
  { ...plain, kind: 'assessFine', flag: false },
  { ...plain, kind: 'writeSheet', other: 0, what: 1 },
  { ...plain, kind: 'assessFine', flag: false },
  { ...plain, kind: 'payFine', flag: false },
  { ...plain, kind: 'assessFine', flag: false },
  { ...plain, kind: 'waiveFine' },
  { ...plain, kind: 'correct', other: 0, what: 1 },
];

/** Prints the answers that the sequences got, if MONEY_ANSWERS is set. */
function tell({ answers }: World): void {
  if (process.env.MONEY_ANSWERS === undefined) return;
  process.stderr.write(`${JSON.stringify(Object.fromEntries([...answers].toSorted()), null, 2)}\n`);
}

describe('the money of 3 to 12 members', function () {
  this.timeout(TIMEOUT_MS);
  let cluster: Cluster;
  let treasury: pg.Client;

  /** What the sequences of all types have reached. */
  const total: Record<string, number> = {};
  /** How far the test clock is before the system's. */
  let ahead_ms = 0;

  before(async () => {
    cluster = await startCluster({ processes: TOGETHER, settings: { CLOCK: 'test' } });
    treasury = new pg.Client({ connectionString: withDatabase(cluster.adminUrl, defaultDatabaseName('treasury')) });
    await treasury.connect();
  });
  after(async () => {
    await treasury.end();
    await cluster.stop();
  });

  /**
   * Moves the clock to noon after this many days, so that no day begins while rules are checked. Two requests at once have what is
   * due by then done twice.
   */
  async function passTime(days: number): Promise<void> {
    const noon_ms = Math.floor((Date.now() + ahead_ms) / DAY_MS + days) * DAY_MS + DAY_MS / 2;
    ahead_ms = noon_ms - Date.now();
    const clock = new HttpClient(cluster.origin, cluster.token('tester', { scope: 'clock:advance' }));
    const body = { advance_to: new Date(noon_ms).toISOString() };
    const answers = await Promise.all([1, 2].map(() => clock.post('//clock', body)));
    for (const { status, text } of answers) expect(status, text).to.equal(200);
  }

  /** Waits until all that was approved is carried out, and does what has become due by it. */
  async function finish({ group: { members, path } }: World): Promise<void> {
    await eventually(async () => {
      const approved = await listAll(members[0]!.http, `${path}/governance/approvals?status=approved`);
      expect(approved.map(({ execution }) => (execution as Json).status)).not.to.include('pending');
    });
    await passTime(1);
  }

  /** The officers vote for everything that is pending. */
  async function approveAll(world: World): Promise<void> {
    const { members, path } = world.group;
    for (const { id } of await listAll(members[0]!.http, `${path}/governance/approvals?status=pending`)) {
      for (const officer of members.slice(0, 3)) note(world, 'approve', await ask(vote(officer, id)));
    }
  }

  async function worldOf(type: string, { size, shortfall, ...more }: Group): Promise<World> {
    // The amount is not divisible by the beneficiaries, so that shares have remainders.
    const contribution_amount = 1_001;
    const total = more.hands.slice(0, size).reduce((sum, hands) => sum + hands, 0);
    const rules = {
      shortfall,
      // A cycle cannot start with hands that do not fill its rounds.
      beneficiaries_per_meeting: total % more.beneficiaries_per_meeting === 0 ? more.beneficiaries_per_meeting : 1,
      approvals: { distribution: 1, rules_change: 1, correction: 1 },
      fines: FINE_RULES,
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
      finePayments: new Map(),
      uncertainFines: new Set(),
      passTime,
      answers: new Map(),
    };
  }

  for (const type of ['tontine', 'savings', 'solidarity']) {
    it(`is conserved, owed and paid according to the rules after any sequence of requests: ${type}`, async () => {
      const sequence = fc.array(anyOperation, { minLength: OPERATIONS, maxLength: OPERATIONS });
      await fc.assert(
        fc.asyncProperty(anyGroup, sequence, async (terms, operations) => {
          const world = await worldOf(type, terms);
          for (const operation of [...BEGINNING, ...operations, ...END]) await perform(world, operation);
          await finish(world);
          await expectInvariants(world, treasury);
          await approveAll(world);
          await finish(world);
          const reached = await expectInvariants(world, treasury);
          await expectValidLedger(world.group.members[0]!.http, world.group.path);
          await expectAgreement(cluster);
          tell(world);
          for (const [what, count] of Object.entries(reached)) total[what] = (total[what] ?? 0) + count;
        }),
        propertyOf(SEQUENCES),
      );
    });
  }

  it('have been at stake: there were fines, payments of fines, waivers, sheets and reversals', () => {
    expectReached('money rules', total);
  });
});
