import fc from 'fast-check';
import type { Json } from '../http.ts';
import { FINE_OPERATIONS } from './fine-operations.ts';
import { SHEET_OPERATIONS } from './sheet-operations.ts';
import { amountOf, listAll, note, pick, pickApproval, pickMeeting, type Act, type Draw, type World } from './world.ts';

/** An operation of a member. */
export interface Operation extends Draw {
  kind: keyof typeof OPERATIONS;
}

const index = fc.integer({ min: 0, max: 1_000 });

/** Mostly the usual operations of meetings, sometimes operations that are refused. */
export const anyOperation: fc.Arbitrary<Operation> = fc.record({
  kind: fc.oneof(
    { weight: 12, arbitrary: fc.constant('contribute' as const) },
    { weight: 5, arbitrary: fc.constant('settle' as const) },
    { weight: 4, arbitrary: fc.constant('payDues' as const) },
    { weight: 4, arbitrary: fc.constant('payArrears' as const) },
    { weight: 3, arbitrary: fc.constant('recordCash' as const) },
    { weight: 7, arbitrary: fc.constant('decide' as const) },
    { weight: 1, arbitrary: fc.constant('distribute' as const) },
    { weight: 4, arbitrary: fc.constant('correct' as const) },
    { weight: 3, arbitrary: fc.constant('assessFine' as const) },
    { weight: 4, arbitrary: fc.constant('payFine' as const) },
    { weight: 3, arbitrary: fc.constant('waiveFine' as const) },
    { weight: 2, arbitrary: fc.constant('recordAttendance' as const) },
    { weight: 5, arbitrary: fc.constant('writeSheet' as const) },
    { weight: 1, arbitrary: fc.constant('passTime' as const) },
    { weight: 1, arbitrary: fc.constant('startCycle' as const) },
    { weight: 3, arbitrary: fc.constant('scheduleMeeting' as const) },
    { weight: 1, arbitrary: fc.constant('cancelMeeting' as const) },
    { weight: 1, arbitrary: fc.constant('withdraw' as const) },
    { weight: 1, arbitrary: fc.constant('leaveOrJoin' as const) },
    { weight: 1, arbitrary: fc.constant('changeRules' as const) },
  ),
  who: index,
  other: index,
  what: index,
  percent: fc.constantFrom(100, 100, 100, 50, 33, 200, 1_000, 0),
  flag: fc.boolean(),
});

/** The kinds of transfers that can be reversed, of which there are fewest of the last two. */
const REVERSIBLE = [
  'contribution',
  'cash_contribution',
  'cash_deposit',
  'distribution_payment',
  'fine_payment',
  'meeting_sheet',
];

const OPERATIONS = {
  ...FINE_OPERATIONS,
  ...SHEET_OPERATIONS,

  contribute: async (world, { who, other, what, percent, flag }) => {
    const payer = pick(world.group.members, who);
    const payee = pick(world.group.members, flag ? who : other);
    const meeting = pickMeeting(world, what);
    if (payer === undefined || payee === undefined || meeting === undefined) return;
    const body = {
      wallet_id: (percent === 33 ? payee : payer).wallet_id,
      amount: amountOf(world, percent),
      pin: await payer.http.sealedPin(),
      for_member_id: payee.member_id,
    };
    note(world, 'contribute', await payer.http.post(`${world.group.path}/meetings/${meeting}/contribute`, body));
  },

  /** Nine of ten members pay their dues for a meeting, so that sequences reach the end of rounds. */
  payDues: async (world, { what, other }) => {
    const meeting = pickMeeting(world, what);
    const [president] = world.group.members;
    if (meeting === undefined || president === undefined) return;
    const { data } = await president.http.ok(`${world.group.path}/meetings/${meeting}/dues?limit=200`);
    for (const [place, due] of (data as Json[]).entries()) {
      const payer = world.group.members.find((member) => member.member_id === due.member_id);
      if (payer === undefined || due.outstanding === 0 || (place + other) % 10 === 0) continue;
      const body = { wallet_id: payer.wallet_id, amount: due.outstanding, pin: await payer.http.sealedPin() };
      note(world, 'contribute', await payer.http.post(`${world.group.path}/meetings/${meeting}/contribute`, body));
    }
  },

  /** The debtor or another member pays a part of the arrears of a settled round. */
  payArrears: async (world, { who, other, what, percent, flag }) => {
    const meeting = pick([...world.closed], what);
    const [president] = world.group.members;
    if (meeting === undefined || president === undefined) return;
    const path = `${world.group.path}/meetings/${meeting}`;
    const debts = (await listAll(president.http, `${path}/dues`)).filter((due) => (due.arrears as number) > 0);
    const debt = pick(debts, other);
    if (debt === undefined) return;
    const debtor = world.group.members.find((member) => member.member_id === debt.member_id);
    const payer = flag ? debtor : pick(world.group.members, who);
    const amount = percent > 100 ? (debt.arrears as number) : Math.max(1, amountOf(world, percent));
    const pin = await payer!.http.sealedPin();
    const body = { wallet_id: payer!.wallet_id, amount, pin, for_member_id: debt.member_id };
    note(world, 'pay arrears', await payer!.http.post(`${path}/contribute`, body));
  },

  settle: async (world, { who, what, flag }) => {
    // Half of the time the actor is an officer.
    const actor = pick(world.group.members.slice(0, flag ? 2 : undefined), who);
    const meeting = pickMeeting(world, what);
    if (actor === undefined || meeting === undefined) return;
    const path = `${world.group.path}/meetings/${meeting}`;
    const preview = note(world, 'preview', await actor.http.get(`${path}/settlement/preview`));
    const body = flag && preview.status === 200 ? { preview_hash: preview.body.preview_hash } : {};
    const settled = note(world, 'settle', await actor.http.post(`${path}/settle`, body));
    if (settled.status === 200) world.closed.add(meeting);
    if (settled.status === 200 && preview.status === 200) sameAsPreviewed(preview.body, settled.body);
  },

  recordCash: async (world, { who, other, what, percent, flag }) => {
    const recorder = pick(world.group.members.slice(0, 3), who);
    const member = pick(world.group.members, other);
    const meeting = pickMeeting(world, what);
    if (recorder === undefined || member === undefined) return;
    const body = {
      member_id: member.member_id,
      amount: amountOf(world, percent),
      reason: 'brought to the meeting',
      pin: await recorder.http.sealedPin(),
      ...(flag && meeting !== undefined ? { meeting_id: meeting } : {}),
    };
    const answer = note(world, 'cash', await recorder.http.post(`${world.group.path}/cash-contribution`, body));
    if (answer.status === 201) world.approvals.push(answer.body.approval_id as string);
  },

  distribute: async (world, { who, other, percent }) => {
    const actor = pick(world.group.members, who);
    const member = pick(world.group.members, other);
    if (actor === undefined || member === undefined) return;
    const body = { beneficiary_member_id: member.member_id, amount: amountOf(world, percent), reason: 'in need' };
    const answer = note(world, 'distribute', await actor.http.post(`${world.group.path}/distributions`, body));
    if (answer.status === 201) world.approvals.push(answer.body.approval_id as string);
  },

  /** Mostly of one of the last transfers of a kind that can be reversed, as their meetings are open. */
  correct: async (world, { who, other, what, flag }) => {
    const actor = pick(world.group.members.slice(0, flag ? 2 : 4), who);
    if (actor === undefined) return;
    // The actor may have left, and then sees no ledger; the president cannot leave.
    const { data } = await world.group.members[0]!.http.ok(`${world.group.path}/ledger?limit=${flag ? '30' : '200'}`);
    const kinds = other % 2 === 0 ? REVERSIBLE.slice(-2) : REVERSIBLE;
    const reversible = (data as Json[]).filter(({ kind }) => kinds.includes(kind as string));
    const transfer = pick(what % 5 === 0 || reversible.length === 0 ? (data as Json[]) : reversible, what);
    const body = {
      transfer_id: transfer?.id ?? actor.member_id,
      reason: 'a mistake',
      pin: await actor.http.sealedPin(),
    };
    const answer = note(world, 'correct', await actor.http.post(`${world.group.path}/corrections`, body));
    if (answer.status === 201) world.approvals.push(answer.body.approval_id as string);
  },

  decide: async (world, { who, what, percent }) => {
    const actor = pick(world.group.members.slice(0, 4), who);
    const approval_id = pickApproval(world, what);
    if (actor === undefined || approval_id === undefined) return;
    const path = `${world.group.path}/governance`;
    if (percent === 0) {
      note(world, 'cancel approval', await actor.http.post(`${path}/approvals/${approval_id}/cancel`));
      return;
    }
    const vote = percent === 200 ? 'reject' : 'approve';
    const body = { approval_id, pin: await actor.http.sealedPin() };
    const answer = note(world, vote, await actor.http.post(`${path}/${vote}`, body));
    if (answer.status === 200 && answer.body.status !== 'pending') world.decided.add(approval_id);
  },

  startCycle: async (world, { who, what, flag }) => {
    const actor = pick(world.group.members.slice(0, 4), who);
    // Sometimes the request is one for another type of association.
    const isSavings = (world.type === 'savings') !== (what % 10 === 9);
    const body = { starts_on: '2026-01-31', ...(isSavings ? { rounds: 3 } : { order: flag ? 'join' : 'draw' }) };
    const answer = note(world, 'start cycle', await actor!.http.post(`${world.group.path}/cycles`, body));
    if (answer.status !== 201) return;
    world.cycles.push(answer.body.id as string);
    const { data } = await actor!.http.ok(`${world.group.path}/meetings?cycle_id=${String(answer.body.id)}&limit=200`);
    world.meetings.push(...(data as Json[]).map((meeting) => meeting.id as string));
  },

  scheduleMeeting: async (world, { who }) => {
    const actor = pick(world.group.members.slice(0, 4), who);
    const answer = note(world, 'schedule', await actor!.http.post(`${world.group.path}/meetings`, {}));
    if (answer.status === 201) world.meetings.push(answer.body.id as string);
  },

  cancelMeeting: async (world, { who, what }) => {
    const actor = pick(world.group.members.slice(0, 4), who);
    const meeting = pickMeeting(world, what);
    if (meeting === undefined) return;
    const answer = note(
      world,
      'cancel meeting',
      await actor!.http.post(`${world.group.path}/meetings/${meeting}/cancel`),
    );
    if (answer.status === 200) world.closed.add(meeting);
  },

  withdraw: async (world, { other, what, percent }) => {
    const member = pick(world.group.members, other);
    const body = { amount: amountOf(world, percent), reference: `withdrawal ${String(what)}` };
    note(world, 'withdraw', await world.bank.post(`/wallets/${String(member?.wallet_id)}/withdrawals`, body));
  },

  leaveOrJoin: async (world, { other, flag }) => {
    const member = pick(world.group.members.slice(3), other);
    if (member === undefined) return;
    const { path } = world.group;
    if (flag) note(world, 'leave', await member.http.send('DELETE', `${path}/members/me`));
    else note(world, 'join', await member.http.post(`${path}/join`));
  },

  changeRules: async (world, { who, flag }) => {
    const actor = pick(world.group.members.slice(0, 4), who);
    const payload = { rules: { shortfall: flag ? 'pay_collected' : 'block' } };
    const body = { type: 'rules_change', title: 'What to do about missing dues', payload };
    const answer = note(world, 'propose', await actor!.http.post(`${world.group.path}/governance/proposals`, body));
    if (answer.status === 201) world.approvals.push((answer.body.approval as Json).id as string);
  },
} satisfies Record<string, Act>;

/** Performs an operation; a refusal is as valid as a success. */
export function perform(world: World, operation: Operation): Promise<void> {
  return OPERATIONS[operation.kind](world, operation);
}

/** Checks that a settlement equals the preview directly before it. */
function sameAsPreviewed(preview: Json, settlement: Json): void {
  const bare = (payouts: unknown) =>
    (payouts as Json[]).map(({ member_id, wallet_id, method, amount }) => ({ member_id, wallet_id, method, amount }));
  for (const member of ['collected_amount', 'shortfall_amount', 'to_treasury_amount', 'arrears']) {
    if (JSON.stringify(preview[member]) !== JSON.stringify(settlement[member])) {
      throw new Error(`The preview's ${member} differs from the settlement's`);
    }
  }
  if (JSON.stringify(bare(preview.payouts)) !== JSON.stringify(bare(settlement.payouts))) {
    throw new Error('The payouts differ from the preview');
  }
}
