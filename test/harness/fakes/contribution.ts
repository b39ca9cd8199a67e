import type { Answer, CommandInput } from '../../../lib/contracts/action.ts';
import * as contract from '../../../lib/contracts/contribution.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { DONE, HoldingFake } from './fake.ts';

const DONE_OK = { ok: true };

/**
 * A fake of contribution: cash for meetings, which is taken and decided once per id, what corrections take back, facts,
 * obligations, locks, and one fine that is due.
 */
export class FakeContribution extends HoldingFake {
  readonly taken = new Map<string, CommandInput<typeof contract.takeCash>>();
  readonly decided = new Map<string, { paid: boolean; code: string | null }>();
  /** What was taken back, by correction. */
  readonly reversals = new Map<string, 'taken' | 'reversed' | 'restored'>();
  facts!: Answer<typeof contract.statementFacts>;
  /** By how much settlements have changed the savings in e-money, by transfer id. */
  readonly savings = new Map<string, number>();
  obligations!: Answer<typeof contract.obligations>;
  /** Whether a submitted sheet names the member. */
  is_on_sheet = false;
  /** The departures whose memberships are locked. */
  readonly membership_locks = new Set<string>();
  /** The member of every fine. */
  fined_member_id = '';
  /** The figures of every membership. */
  figures!: Omit<contract.OwnFigures, 'association_id'>;

  constructor() {
    super('contribution');
    this.reset();
    this.implement(contract.takeCash, (input) => {
      const isGivenUp = this.decided.has(input.contribution_id) && !this.taken.has(input.contribution_id);
      if (isGivenUp) throw problem('service_unavailable');
      if (!this.taken.has(input.contribution_id)) this.taken.set(input.contribution_id, input);
      return { ok: true };
    });
    this.implement(contract.decideCash, ({ contribution_id, paid, code }) => {
      if (paid && !this.taken.has(contribution_id)) throw problem('not_found');
      const before = this.decided.get(contribution_id);
      if (before !== undefined && before.paid !== paid)
        throw new Error('a second, different decision on the same cash');
      this.decided.set(contribution_id, { paid, code });
      return { ok: true };
    });
    this.implement(contract.checkReversal, () => DONE_OK);
    this.implement(contract.takeBack, ({ correction_id }) => {
      if (!this.reversals.has(correction_id)) this.reversals.set(correction_id, 'taken');
      return DONE_OK;
    });
    this.implement(contract.finishReversal, ({ correction_id, reversed }) => {
      const before = this.reversals.get(correction_id);
      const after = reversed ? 'reversed' : 'restored';
      if (before !== 'taken' && before !== after) throw new Error(`reversal ${correction_id} is ${String(before)}`);
      this.reversals.set(correction_id, after);
      return DONE_OK;
    });
    this.implement(contract.statementFacts, () => this.facts);
    this.implement(contract.savingsOfTransfers, ({ transfer_ids }) => {
      const emoney_minor = transfer_ids.reduce((sum, id) => sum + (this.savings.get(id) ?? 0), 0);
      return { emoney_minor, cash_minor: 0 };
    });
    this.implement(contract.obligations, ({ cycle_id }) => {
      const { cycle_running, has_arrears } = this.obligations;
      return { cycle_running: cycle_running && cycle_id !== null, has_arrears };
    });
    this.implement(contract.checkFine, () => ({ member_id: this.fined_member_id }));
    this.implement(contract.executeApproval, () => DONE);
    this.implement(contract.overview, ({ memberships }) => ({
      associations: memberships.map(({ association_id }) => ({ association_id, ...this.figures })),
    }));
    this.implementLocks(contract.lockAssociation, contract.unlockAssociation);
    this.implement(contract.lockMembership, ({ departure_id }) => {
      const locked = !this.is_on_sheet && !this.lifted.has(departure_id);
      if (locked) this.membership_locks.add(departure_id);
      return { locked };
    });
    this.implement(contract.unlockMembership, ({ departure_id }) => {
      this.membership_locks.delete(departure_id);
      this.lifted.add(departure_id);
      return DONE_OK;
    });
  }

  override reset(): void {
    super.reset();
    this.savings.clear();
    this.is_on_sheet = false;
    this.membership_locks.clear();
    this.facts = { meetings: [], owes_minor: 0, is_owed_minor: 0, arrears: [], fines_minor: 0, fines: [] };
    this.obligations = { cycle_running: false, has_arrears: false };
    const nothing = { dues: [], owes: 0, is_owed: 0, arrears: [], fines_outstanding: 0, fines: [] };
    this.figures = { ...nothing, next_turn: null };
  }
}
