import { expect } from 'chai';
import { transfer } from '../../../lib/contracts/treasury.ts';
import { STATEMENT_VALID_MS } from '../../../lib/service/check-caller.ts';
import { purgePayerStatements } from '../../../services/contribution/payments/payer-statement.store.ts';
import { openDatabase } from '../../../lib/db/database.ts';
import { contributionDatabase } from '../../../services/contribution/database.ts';
import { useContribution, type MeetingIds, type Person } from '../../harness/contribution.ts';

const DAY_MS = 24 * 3_600_000;

/** The fake of the treasury checks each payer's statement as the treasury does, with the clock of the test. */
describe('contribution: the statements of payers', () => {
  const harness = useContribution();
  const { treasury, clock } = harness;
  const statusOf = async (payer: Person, meeting: MeetingIds) =>
    (await harness.contributions(payer, meeting)).map(({ status }) => status).join();
  const stored = async (): Promise<string[]> =>
    (await harness.sql<{ id: string }>('SELECT contribution_id AS id FROM contribution_statements')).map(
      ({ id }) => id,
    );

  for (const kind of ['pool', 'arrears'] as const) {
    it(`let recovery pay a day later: ${kind}`, async () => {
      const { debtor, first, second } = await harness.cycleWithArrears();
      const meeting = kind === 'pool' ? second : first;
      treasury.next(transfer, 'request_lost');
      const { id, status } = await harness.contribute(debtor, meeting, 4_000);
      expect(status).to.equal('pending');
      clock.offset_ms += DAY_MS;
      await harness.recover(async () => expect(await statusOf(debtor, meeting)).to.include('paid'));
      expect(treasury.received(transfer).filter((each) => each.id === id)).to.have.length(2);
    });
  }

  it('are replaced by the one of a repeat with the key, also long after the first request', async () => {
    const { president, first } = await harness.cycle([1, 1]);
    const key = harness.newId();
    await harness.dieAt('idempotency.claimed', () => harness.contribute(president, first, 10_000, {}, key));
    clock.offset_ms += 2 * STATEMENT_VALID_MS;
    const { status } = await harness.contribute(president, first, 10_000, {}, key);
    expect(status).to.equal('paid');
  });

  it('are needed: without one, the treasury takes nothing from a wallet', async () => {
    const { president, first } = await harness.cycle([1, 1]);
    treasury.next(transfer, 'request_lost');
    const { id } = await harness.contribute(president, first, 10_000);
    await harness.sql('DELETE FROM contribution_statements WHERE contribution_id = $1', id);
    const balance = harness.wallet(president);
    await harness.recover(async () => {
      const [row] = await harness.sql<{ tried: boolean }>(
        'SELECT last_attempt_at > created_at AS tried FROM contributions WHERE id = $1',
        id,
      );
      expect(row?.tried).to.equal(true);
    });
    expect(treasury.received(transfer).filter((each) => each.id === id)).to.have.length(1);
    expect([await statusOf(president, first), harness.wallet(president)]).to.deep.equal(['pending', balance]);
  });

  it('are deleted once the contribution is decided', async () => {
    const { president, member, first } = await harness.cycle([1, 1]);
    const paid = await harness.contribute(president, first, 10_000);
    treasury.next(transfer, 'request_lost');
    const pending = await harness.contribute(member, first, 10_000);
    expect(await stored()).to.include.members([paid.id, pending.id]);
    const db = await openDatabase(harness.database, contributionDatabase);
    await purgePayerStatements(db).finally(() => db.close());
    expect(await stored())
      .to.include(pending.id)
      .and.to.not.include(paid.id);
  });
});
