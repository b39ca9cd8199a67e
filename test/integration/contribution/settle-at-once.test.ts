import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { authorize } from '../../../lib/contracts/membership/authorization.ts';
import { transfer } from '../../../lib/contracts/treasury.ts';
import { openDatabase, type Database } from '../../../lib/db/database.ts';
import { contributionDatabase } from '../../../services/contribution/database.ts';
import { takeDue, type TakenDue } from '../../../services/contribution/payments/payment.store.ts';
import { LATER, OPENING_BALANCE, paidTo, PAY_COLLECTED, useContribution } from '../../harness/contribution.ts';
import type { Person } from '../../harness/contribution.ts';
import { eventually } from '../../harness/eventually.ts';
import { outcomeOf } from '../../harness/refusal.ts';

const DUE = 10_000;

/** If no payment to a meeting is in flight, one transaction closes and plans it, under the lock of its row. */
describe('contribution: settling in one transaction', () => {
  /** The database handle of another process of the service. */
  let other: Database;
  after(() => other.close());
  const harness = useContribution(LATER);
  before(async () => {
    other = await openDatabase(harness.database, contributionDatabase);
  });

  /** Waits until a session of the service waits for a lock. */
  const lockAwaited = () =>
    eventually(async () => {
      const waiting = await harness.sql(
        `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      expect(waiting).not.to.deep.equal([]);
    });

  /** Starts a cycle of two members, in which missing payments become arrears. */
  async function cycleOfTwo() {
    const cycle = await harness.cycle([1, 1], PAY_COLLECTED);
    return { ...cycle, payer: cycle.people[1]! };
  }

  /** Takes the payer's due in another process, and returns a function that commits it or rolls it back. */
  async function beginPaying({ member_id, user_id, wallet_id }: Person, meeting_id: string) {
    const paid_by = { paid_by_member_id: member_id, payer_user_id: user_id, created_at: new Date() };
    const contribution = {
      id: harness.newId(),
      meeting_id,
      member_id,
      ...paid_by,
      wallet_id,
      amount_minor: BigInt(DUE),
    };
    const taken = Promise.withResolvers<TakenDue>();
    const end = Promise.withResolvers<'commit' | 'roll back'>();
    const ended = other.transaction(async (tx) => {
      taken.resolve(await takeDue(tx, contribution));
      if ((await end.promise) === 'roll back') throw new Error('rolled back');
    });
    expect((await taken.promise).outstanding_minor).to.equal(0n);
    return async (how: 'commit' | 'roll back') => {
      end.resolve(how);
      await ended.catch(() => undefined);
    };
  }

  it('waits until a concurrent contribution is stored, and then for its outcome', async () => {
    const { president, first, payer } = await cycleOfTwo();
    const end = await beginPaying(payer, first.id);
    const settling = outcomeOf(harness.settle(president, first));
    await lockAwaited();
    await end('commit');
    // The contribution is in flight: the meeting is closed first, and reopened because the outcome stays unknown.
    await eventually(async () => expect(await harness.statusOf(president, first)).to.equal('settling'));
    expect(await settling).to.equal('contributions_in_flight');
    expect(await harness.statusOf(president, first)).to.equal('open');
  });

  it('settles without a contribution that is rolled back while the settlement waits', async () => {
    const { president, first, payer } = await cycleOfTwo();
    const end = await beginPaying(payer, first.id);
    const settling = harness.settle(president, first);
    await lockAwaited();
    await end('roll back');
    expect(await settling).to.deep.include({ status: 'settled', collected_amount: 0 });
  });

  it('refuses a contribution that arrives after the meeting is locked, and settles without it', async () => {
    const { people, president, first, payer } = await cycleOfTwo();
    await harness.contribute(president, first, DUE);
    let settling: ReturnType<typeof harness.settle>;
    let paying: Promise<string>;
    await harness.inTransaction(async (client) => {
      // No plan can be stored until this commits, so the settlement holds the lock of the meeting's row until then.
      await client.query('LOCK TABLE settlements IN SHARE MODE');
      settling = harness.settle(president, first);
      await lockAwaited();
      paying = outcomeOf(harness.contribute(payer, first, DUE));
      expect(await Promise.race([paying, sleep(50)])).to.equal(undefined);
    });
    expect(await paying!).to.equal('meeting_not_open');
    expect(await settling!).to.deep.include({ status: 'settled', collected_amount: DUE });
    expect(harness.wallets(people)).to.deep.equal([OPENING_BALANCE, OPENING_BALANCE]);
  });

  it('waits for a concurrent payment of arrears that it would deduct', async () => {
    const { people, president, debtor, first, second, pay } = await harness.cycleWithArrears();
    await pay(second, people);
    const answered = Promise.withResolvers<void>();
    harness.treasury.next(transfer, answered.promise);
    const paying = harness.contribute(debtor, first, DUE / 2);
    await eventually(() => expect(harness.treasury.received(transfer).at(-1)!.kind).to.equal('arrears_payment'));
    const settling = harness.settle(president, second);
    await eventually(async () => expect(await harness.statusOf(president, second)).to.equal('settling'));
    answered.resolve();
    expect((await paying).status).to.equal('paid');
    expect(paidTo(await settling).map(([, amount]) => amount)).to.deep.equal([DUE / 2, 2 * DUE - DUE / 2]);
  });

  it('refuses a meeting that was settled meanwhile, also if a later round has left arrears to another member', async () => {
    const { people, president, first, second, meetings, pay } = await harness.cycle([1, 1, 1], PAY_COLLECTED);
    const payers = [people[0]!, people[2]!];
    await pay(first, payers);
    await harness.settle(president, first);
    await pay(second, people);
    const authorized = Promise.withResolvers<void>();
    harness.membership.next(authorize, authorized.promise);
    const late = outcomeOf(harness.settle(president, second));
    await eventually(() => expect(harness.membership.received(authorize).at(-1)!.permission).to.equal('settle'));
    await harness.settle(president, second);
    await pay(meetings[2]!, payers);
    await harness.settle(president, meetings[2]!);
    authorized.resolve();
    expect(await late).to.equal('meeting_not_open');
  });

  it('returns to every saver exactly what was paid for them when payments race the last round', async () => {
    for (let run = 0; run < 4; run += 1) {
      const group = harness.group([1, 1, 1, 1, 1], { type: 'savings' });
      const { people, president } = group;
      await harness.startCycle(group, { rounds: 1 });
      const only = (await harness.meetings(group))[0]!;
      const [settlement, ...outcomes] = await Promise.all([
        sleep(run).then(() => harness.settle(president, only)),
        ...people.map((person) => outcomeOf(harness.contribute(person, only, DUE))),
      ]);
      for (const outcome of outcomes) expect(outcome).to.be.oneOf(['done', 'meeting_not_open']);
      const paid = outcomes.filter((outcome) => outcome === 'done').length;
      expect(settlement.collected_amount).to.equal(paid * DUE);
      expect(settlement.payouts.map(({ amount }) => amount)).to.deep.equal(Array<number>(paid).fill(DUE));
      expect(harness.wallets(people)).to.deep.equal(people.map(() => OPENING_BALANCE));
    }
  });
});
