import { randomUUID } from 'node:crypto';
import type { Deployment } from '../../harness/cluster.ts';
import { foundGroup, type GroupOptions, type TestGroup } from '../../harness/group.ts';
import type { TestMember } from '../../harness/test-member.ts';
import type { Operation } from '../../harness/api-document.ts';
import { api } from '../../harness/own-document.ts';
import { HttpClient, type Json } from '../../harness/http.ts';
import {
  contribute,
  correct,
  described,
  distribute,
  done,
  openedMeeting,
  putSheet,
  recordCash,
  settle,
  startedRounds,
  today,
} from '../../harness/requests.ts';
import { makeWebhooks, SELDOM } from './webhooks.ts';

const METADATA = { receipt: '2026-117', note: '' };

/** A group that has one of each readable object. */
export interface World {
  group: TestGroup;
  president: TestMember;
  treasurer: TestMember;
  secretary: TestMember;
  member: TestMember;
  /** Has every scope, and is not a member. */
  operator: HttpClient;
  /** Ids by the keys of path parameters (see keyOf()); the meeting is an open round. */
  ids: Record<string, string>;
  settledMeeting: string;
  /** An open meeting with a contribution. */
  kitty: string;
}

/** The rules of groups with fines. */
export const FINE_RULES = { fines: [{ code: 'phone', trigger: 'manual', amount: 300 }] };

/** Every scope that an operation needs. */
const SCOPES = 'wallets:fund pins:reset webhooks:manage';

/** Returns the client whose request succeeds: that of the operator if it needs a scope, otherwise that of the president. */
export function allowedCaller(
  { operator, president }: Pick<World, 'operator' | 'president'>,
  of: Operation,
): HttpClient {
  return [...api.codesOf(of).values()].flat().includes('insufficient_scope') ? operator : president.http;
}

/** Creates the group and its objects through the API. */
export async function makeWorld(cluster: Deployment): Promise<World> {
  const roles: NonNullable<GroupOptions['roles']> = ['president', 'treasurer', 'secretary'];
  return makeObjects(
    cluster,
    await foundGroup(cluster, { size: 4, funding: 100_000, roles, association: { rules: FINE_RULES } }),
  );
}

/**
 * Creates one of each object in a group without a cycle: a president, a treasurer, a secretary, a member, and possibly
 * others. Their wallets have at least 10 000, and all have a PIN. The group has FINE_RULES.
 */
export async function makeObjects(cluster: Deployment, group: TestGroup): Promise<World> {
  const [president, treasurer, secretary, member] = group.members as [TestMember, TestMember, TestMember, TestMember];
  const operator = new HttpClient(cluster.origin, cluster.token('operator', { scope: SCOPES }));
  const { path } = group;
  const { id: invitation_id, code } = await president.http.created(`${path}/invitations`, {});
  const funding = { amount: 5, reference: 'in', metadata: METADATA };
  const { id: transfer_id } = await operator.created(`/wallets/${president.wallet_id}/deposits`, funding);

  const [first, second] = (await startedRounds(president)) as [string, string];
  const [cycle] = (await president.http.ok(`${path}/cycles`)).data as { id: string }[];
  for (const each of group.members) await done(described(contribute(each, first, 1_000), METADATA));
  const contributions = await president.http.ok(`${path}/meetings/${first}/contributions`);
  await done(settle(treasurer, first));

  // The distribution is paid from the treasury.
  const fund = await openedMeeting(president);
  await done(contribute(member, fund, 5_000));
  await done(settle(president, fund));
  const distribution = await done(described(distribute(secretary, member, 2_000), METADATA));
  const kitty = await openedMeeting(president);
  const paid = await done(contribute(member, kitty, 500));
  const correction = await done(correct(treasurer, paid.transfer_id));
  const cash = await done(described(recordCash(secretary, member, 500), METADATA));
  const lines = [{ line_id: '1', kind: 'treasury', member_id: member.member_id, amount: 100 }];
  const sheet = await done(putSheet(secretary, second, randomUUID(), { lines, counted_cash: 100 }));
  const fine = await president.http.created(`${path}/fines`, {
    member_id: member.member_id,
    code: 'phone',
    reason: 'It rang',
  });
  return {
    group,
    president,
    treasurer,
    secretary,
    member,
    operator,
    kitty,
    settledMeeting: first,
    ids: {
      association_id: group.id,
      cycle_id: cycle!.id,
      meeting_id: second,
      sheet_id: sheet.id as string,
      contribution_id: (contributions.data as { id: string }[])[0]!.id,
      cash_contribution_id: cash.id as string,
      distribution_id: distribution.id as string,
      correction_id: correction.id as string,
      approval_id: cash.approval_id as string,
      fine_id: fine.id as string,
      wallet_id: president.wallet_id,
      invitation_id: invitation_id as string,
      code: code as string,
      transfer_id: transfer_id as string,
      user_id: 'another-user',
      ...(await makeWebhooks(president, operator)),
    },
  };
}

/** The hash of no sheet. */
const NO_HASH = '0'.repeat(64);

/** Returns a valid body for each write on an association, and for each that needs one with `If-Match`. */
export function bodies({ member_id, wallet_id }: TestMember, approval_id: string, pin: string): Record<string, Json> {
  return {
    changeAssociation: { name: 'Another' },
    createInvitation: {},
    changeOwnMembership: { payout_wallet_id: wallet_id, pin },
    startCycle: { starts_on: today(), order: 'join' },
    scheduleMeeting: {},
    changeMeeting: { title: 'Another' },
    contribute: { wallet_id, amount: 100, pin },
    settle: {},
    putSheet: { lines: [], counted_cash: 0 },
    submitSheet: { pin, sheet_hash: NO_HASH },
    recordAttendance: { entries: [{ member_id, status: 'present' }] },
    assessFine: { member_id, code: 'phone', reason: 'It rang', amount: 100 },
    payFine: { wallet_id, amount: 1, pin },
    recordCashContribution: { member_id, amount: 100, reason: 'Cash', pin },
    requestDistribution: { beneficiary_member_id: member_id, amount: 100, reason: 'Help' },
    requestCorrection: { transfer_id: approval_id, reason: 'Entered twice', pin },
    approve: { approval_id, pin },
    reject: { approval_id, pin },
    propose: { type: 'motion', title: 'A motion', payload: { text: 'We meet at the school.' } },
    createWebhook: SELDOM,
    changeWebhook: { description: 'Another' },
    changeGlobalWebhook: { description: 'Another' },
    replayWebhookEvents: { from: `${today()}T00:00:00Z` },
    changePreferences: { language: 'fr' },
  };
}
