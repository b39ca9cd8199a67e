import type { EndpointInput } from '../../lib/contracts/action.ts';
import * as contract from '../../lib/contracts/contribution.ts';
import type { Meeting } from '../../lib/contracts/contribution.ts';
import type { EventType } from '../../lib/contracts/events.ts';
import type { Metadata } from '../../lib/contracts/metadata.ts';
import type { MemberReference, Rules, Terms } from '../../lib/contracts/membership.ts';
import { contributionService } from '../../services/contribution/contribution.service.ts';
import { contributionDatabase } from '../../services/contribution/database.ts';
import type { ContributionTimings } from '../../services/contribution/timings.ts';
import { eventually } from './eventually.ts';
import { FakeGovernance } from './fakes/governance.ts';
import { FakeMembership, RIGHT_PIN } from './fakes/membership.ts';
import { FakeTreasury } from './fakes/treasury.ts';
import { ServiceHarness, useHarness } from './service-harness.ts';

/** The day at the start of tests. */
export const TODAY = '2026-03-10';
/** A day after the last round of every cycle that begins on TODAY, so that all rounds are due. */
export const LATER = '2027-06-01';

/** The initial balance of each wallet. */
export const OPENING_BALANCE = 1_000_000;

/** Recovery runs only if a test starts it. */
const TIMINGS: ContributionTimings = {
  call_timeout_ms: 250,
  settlement_timeout_ms: 250,
  in_flight_wait_ms: 400,
  in_flight_poll_ms: 5,
  late_payments_every_ms: 3_600_000,
  lock_wait_ms: 500,
  recover_every_ms: 3_600_000,
  stale_after_ms: 10_000,
};

/** Timings with which recovery continues unfinished sagas immediately. */
export const RECOVERING = { recover_every_ms: 10, stale_after_ms: 40, late_payments_every_ms: 10 };

/** The rule of cycles by which missing dues become arrears when a round settles. */
export const PAY_COLLECTED = { shortfall: 'pay_collected' } as const;

export interface Person {
  user_id: string;
  member_id: string;
  wallet_id: string;
}

/** The ids of a meeting. */
export type MeetingIds = Pick<Meeting, 'association_id' | 'id'>;

export interface Group {
  association_id: string;
  people: Person[];
  /** The first of the people. */
  president: Person;
}

/** Starts a harness for the tests of a `describe`. @param day at the start of each test */
export function useContribution(day = TODAY, timings: Partial<ContributionTimings> = {}): ContributionHarness {
  return useHarness(new ContributionHarness(day, timings));
}

export class ContributionHarness extends ServiceHarness<ContributionTimings> {
  readonly membership = new FakeMembership(this.newId);
  readonly treasury = new FakeTreasury();
  readonly governance = new FakeGovernance();
  protected override readonly fakes = [this.membership, this.treasury, this.governance];
  readonly #day: string;
  #people = 0;

  constructor(day: string, changes: Partial<ContributionTimings>) {
    const timings = { ...TIMINGS, ...changes };
    super({ service: 'contribution', definition: contributionDatabase, create: contributionService, timings });
    this.#day = day;
    this.clock.day = day;
  }

  override reset(): string[] {
    const missed = super.reset();
    this.clock.day = this.#day;
    return missed;
  }

  /** Adds a member with a funded wallet, which is also their payout wallet. */
  join(association_id: string, changes: Partial<MemberReference> = {}, balance = OPENING_BALANCE): Person {
    const user_id = `user-${String((this.#people += 1))}`;
    const wallet_id = this.treasury.openWallet(user_id, balance);
    const { member_id } = this.membership.join(association_id, user_id, { payout_wallet_id: wallet_id, ...changes });
    return { user_id, member_id, wallet_id };
  }

  /** Creates an association whose members have these hands; the first member is its president. */
  group(hands: number[], terms: Partial<Omit<Terms, 'rules'>> = {}, rules: Partial<Rules> = {}): Group {
    const { id: association_id } = this.membership.found(terms, rules);
    const people = hands.map((count) => this.join(association_id, { hands: count }));
    return { association_id, people, president: people[0]! };
  }

  /** Creates a group with a cycle from TODAY, in which each hand owes `amount` per round. */
  async cycle(hands: number[], { amount = 10_000, ...rules }: { amount?: number } & Partial<Rules> = {}) {
    const group = this.group(hands, { contribution_amount_minor: amount }, rules);
    await this.startCycle(group);
    const meetings = await this.meetings(group);
    /** Pays the dues of these members for a round. */
    const pay = async (meeting: Meeting, payers: Person[] = group.people) => {
      for (const payer of payers) await this.contribute(payer, meeting, hands[group.people.indexOf(payer)]! * amount);
    };
    return { ...group, member: group.people[1]!, meetings, first: meetings[0]!, second: meetings[1]!, pay };
  }

  /** Creates a cycle whose first round has settled without the due of its last member. */
  async cycleWithArrears(hands = [1, 1]) {
    const cycle = await this.cycle(hands, PAY_COLLECTED);
    const { people, president: creditor, first, pay } = cycle;
    await pay(first, people.slice(0, -1));
    const settlement = await this.settle(creditor, first);
    return { ...cycle, creditor, debtor: people.at(-1)!, settlement };
  }

  /** Creates a group with a meeting outside a cycle. */
  async groupWithMeeting(members = 2) {
    const group = this.group(Array<number>(members).fill(1), { type: 'solidarity' });
    return { ...group, member: group.people[1]!, meeting: await this.scheduleMeeting(group) };
  }

  /** Returns the balance of the member's wallet. */
  wallet({ wallet_id }: Person): number {
    return this.treasury.balance(`wallet:${wallet_id}`);
  }

  wallets(people: Person[]): number[] {
    return people.map((person) => this.wallet(person));
  }

  /** Returns the e-money in a meeting's pool. */
  inPool({ association_id, id }: MeetingIds): number {
    return this.treasury.balance(`${association_id}/pool:${id}`);
  }

  /** Runs another process that recovers unfinished sagas, until `look` no longer throws. */
  async recover(look: () => Promise<unknown>): Promise<void> {
    const successor = await this.startProcess(RECOVERING);
    try {
      await eventually(look);
    } finally {
      await successor.stop();
    }
  }

  /** Starts a cycle as the president. */
  startCycle(
    { association_id, president }: Pick<Group, 'association_id' | 'president'>,
    body: Partial<EndpointInput<typeof contract.startCycle>['body']> = {},
    key?: string,
  ) {
    // A savings group has a number of rounds instead of an order.
    const order = body.rounds === undefined ? { order: 'join' as const } : {};
    const input = { path: { association_id }, body: { starts_on: TODAY, ...order, ...body } };
    return this.as(president.user_id, contract.startCycle, input, { key });
  }

  /** Lists the meetings of the group as the president, by day and round. */
  async meetings({ association_id, president }: Group, query: object = {}): Promise<Meeting[]> {
    const input = { path: { association_id }, query: { limit: 200, ...query } };
    return (await this.as(president.user_id, contract.listMeetings, input)).data;
  }

  scheduleMeeting({ association_id, president }: Group, body: object = {}, key?: string): Promise<Meeting> {
    return this.as(president.user_id, contract.scheduleMeeting, { path: { association_id }, body }, { key });
  }

  contribute(
    person: Person,
    meeting: MeetingIds,
    amount: number,
    body: { for_member_id?: string; wallet_id?: string; pin?: string; metadata?: Metadata } = {},
    key?: string,
  ) {
    const input = { path: pathOf(meeting), body: { wallet_id: person.wallet_id, amount, pin: RIGHT_PIN, ...body } };
    return this.as(person.user_id, contract.contribute, input, { key });
  }

  settle({ user_id }: Person, meeting: MeetingIds, body: { preview_hash?: string } = {}, key?: string) {
    return this.as(user_id, contract.settle, { path: pathOf(meeting), body }, { key });
  }

  preview({ user_id }: Person, meeting: MeetingIds) {
    return this.as(user_id, contract.previewSettlement, { path: pathOf(meeting) });
  }

  cancel({ user_id }: Person, meeting: MeetingIds, key?: string) {
    return this.as(user_id, contract.cancelMeeting, { path: pathOf(meeting) }, { key });
  }

  getSettlement({ user_id }: Person, meeting: MeetingIds) {
    return this.as(user_id, contract.getSettlement, { path: pathOf(meeting) });
  }

  getMeeting({ user_id }: Person, meeting: MeetingIds): Promise<Meeting> {
    return this.as(user_id, contract.getMeeting, { path: pathOf(meeting) });
  }

  getContribution({ user_id }: Person, meeting: MeetingIds, contribution_id: string) {
    return this.as(user_id, contract.getContribution, { path: { ...pathOf(meeting), contribution_id } });
  }

  async contributions({ user_id }: Person, meeting: MeetingIds): Promise<contract.Contribution[]> {
    const input = { path: pathOf(meeting), query: { limit: 200 } };
    return (await this.as(user_id, contract.listContributions, input)).data;
  }

  async statusOf(person: Person, meeting: MeetingIds): Promise<string> {
    return (await this.getMeeting(person, meeting)).status;
  }

  async dues({ user_id }: Person, meeting: MeetingIds): Promise<contract.Due[]> {
    return (await this.as(user_id, contract.listDues, { path: pathOf(meeting), query: { limit: 200 } })).data;
  }

  /** Returns the member's own due. */
  async due(person: Person, meeting: MeetingIds): Promise<contract.Due> {
    return (await this.dues(person, meeting)).find((due) => due.member_id === person.member_id)!;
  }

  /** Records cash as the treasury does. */
  takeCash(
    meeting: MeetingIds,
    { member_id }: Person,
    amount_minor: number,
    contribution_id: string,
    described: { metadata?: Metadata } = {},
  ) {
    const cash = { contribution_id, member_id, amount_minor, currency: 'XAF', ...described };
    return this.command(contract.takeCash, { ...pathOf(meeting), ...cash });
  }

  /** Notifies the service of the board's decision on cash. */
  decideCash({ association_id }: MeetingIds, contribution_id: string, paid: boolean) {
    return this.command(contract.decideCash, { association_id, contribution_id, paid, code: null });
  }

  /** Adds cash that the board has confirmed and the treasury has posted. */
  async bringCash(meeting: MeetingIds, person: Person, amount_minor: number): Promise<void> {
    const id = this.newId();
    await this.takeCash(meeting, person, amount_minor, id);
    this.treasury.bringCash(meeting.association_id, meeting.id, id, amount_minor);
    await this.decideCash(meeting, id, true);
  }

  /** Returns the types of events about contributions. */
  async decisions(association_id: string): Promise<string[]> {
    return (await this.eventTypes(association_id)).filter((type) => type.startsWith('contribution.'));
  }

  /** Returns the statuses of all cycles, including those that no list shows. */
  async cycleStatuses(association_id: string): Promise<string[]> {
    const cycles = 'SELECT status FROM cycles WHERE association_id = $1 ORDER BY id';
    return (await this.sql<{ status: string }>(cycles, association_id)).map(({ status }) => status);
  }

  async countEvents(association_id: string, type: EventType): Promise<number> {
    return (await this.events(association_id, type)).length;
  }
}

/** Returns the payouts of a settlement or a preview as pairs. */
export function paidTo({
  payouts,
}: Pick<contract.SettlementPreview, 'payouts'>): [member_id: string, amount: number][] {
  return payouts.map(({ member_id, amount }) => [member_id, amount]);
}

function pathOf({ association_id, id }: MeetingIds) {
  return { association_id, meeting_id: id };
}
