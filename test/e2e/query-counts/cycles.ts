/** Operations in cycles: rounds of a rotation with arrears, and savings. */
import { randomUUID } from 'node:crypto';
import { foundGroup, type TestGroup } from '../../harness/group.ts';
import type { TestMember } from '../../harness/test-member.ts';
import type { Json } from '../../harness/http.ts';
import type { Meter } from './meter.ts';

const TODAY = new Date().toISOString().slice(0, 10);
const DUE = 1_000;
/** The limit of `beneficiaries_per_meeting`. */
const HANDS_PAID_MAX = 10;
const FUNDING = 100_000;

/** Measures a rotation with the most beneficiaries per round; those of the second round owe arrears of the first. */
export async function measureRotation(meter: Meter): Promise<void> {
  const paid = Math.min(HANDS_PAID_MAX, Math.floor(meter.size / 2));
  const group = await foundGroup(meter.services, {
    size: meter.size,
    funding: FUNDING,
    association: { rules: { shortfall: 'pay_collected', beneficiaries_per_meeting: paid } },
  });
  const { path } = group;
  const [president] = group.members as [TestMember];
  const { http } = president;
  const debtors = group.members.slice(paid, 2 * paid);

  const cycle = await meter.post('startCycle', http, `${path}/cycles`, { starts_on: TODAY, order: 'join' });
  await meter.get('getCycle', http, `${path}/cycles/${cycle.id as string}`);
  const { data } = await meter.get('listMeetings', http, `${path}/meetings`);
  const [first, second] = (data as Json[]).map(({ id }) => `${path}/meetings/${id as string}`) as [string, string];
  await meter.send('changeMeeting', http, 'PATCH', second, { title: 'The second' });

  const payers = group.members.filter((member) => !debtors.includes(member));
  await Promise.all(payers.slice(2).map((payer) => pay(payer, first)));
  await measurePayments(meter, payers, first);
  await measureMeeting(meter, president, first);
  await meter.get('previewSettlement', http, `${first}/settlement/preview`);
  await meter.post('settle', http, `${first}/settle`);
  await meter.get('getSettlement', http, `${first}/settlement`);
  await measureArrears(meter, group, debtors[0]!, first, second);
}

async function measurePayments(meter: Meter, [one, other]: TestMember[], meeting: string): Promise<void> {
  const { http, wallet_id } = one!;
  // The first posting brings the association's chain into the cache of the treasury.
  await pay(one!, meeting, 1);
  const body = { wallet_id, amount: DUE - 1, pin: await http.sealedPin() };
  const key = { 'Idempotency-Key': randomUUID() };
  await meter.send('contribute, with a key', http, 'POST', `${meeting}/contribute`, body, key);
  await meter.send('contribute, repeated', http, 'POST', `${meeting}/contribute`, body, key);
  const pin = await other!.http.sealedPin();
  await meter.post('contribute', other!.http, `${meeting}/contribute`, {
    wallet_id: other!.wallet_id,
    amount: DUE,
    pin,
  });
}

async function measureMeeting(meter: Meter, { http, member_id }: TestMember, meeting: string): Promise<void> {
  await meter.get('getMeeting', http, meeting);
  await meter.get('listDues', http, `${meeting}/dues`);
  await meter.get('listDues, of a member', http, `${meeting}/dues?member_id=${member_id}`);
  const { data } = await meter.get('listContributions', http, `${meeting}/contributions`);
  const [{ id }] = data as [Json];
  await meter.get('getContribution', http, `${meeting}/contributions/${id as string}`);
}

/** Measures arrears of one round: some are paid, the others are set off in the next round. */
async function measureArrears(meter: Meter, group: TestGroup, debtor: TestMember, first: string, second: string) {
  const { http, wallet_id } = debtor;
  const { data } = await http.ok(`${first}/dues?limit=200`);
  const debt = (data as Json[]).find(({ member_id }) => member_id === debtor.member_id);
  const amount = Math.floor((debt?.arrears as number) / 2);
  const pin = await http.sealedPin();
  await meter.post('contribute, arrears', http, `${first}/contribute`, { wallet_id, amount, pin });
  await Promise.all(group.members.map((member) => pay(member, second)));
  const president = group.members[0]!.http;
  await meter.get('listArrears', president, `${group.path}/arrears`);
  await meter.get('previewSettlement, with arrears', president, `${second}/settlement/preview`);
  await meter.post('settle, with arrears', president, `${second}/settle`);
}

/** Measures cycles of savings: some without payments, and one that all members have paid into. */
export async function measureSavings(meter: Meter): Promise<void> {
  const group = await foundGroup(meter.services, {
    size: meter.size,
    funding: FUNDING,
    association: { type: 'savings' },
  });
  const { path } = group;
  const { http } = group.members[0]!;
  // A large group runs more empty cycles than a small group.
  for (let cycles = 0; cycles < meter.size / 10; cycles += 1) {
    await http.okPost(`${await startSavings(group)}/settle`, {});
  }
  const meeting = await startSavings(group);
  await Promise.all(group.members.map((member) => pay(member, meeting)));
  await meter.get('listCycles', http, `${path}/cycles`);
  await meter.get('previewSettlement, last of savings', http, `${meeting}/settlement/preview`);
  await meter.post('settle, last of savings', http, `${meeting}/settle`);
  await meter.get('balances, of savings at an instant', http, `${path}/balances?at=2020-01-01T00:00:00Z`);
}

/** @returns the path of the only round */
async function startSavings({ members, path }: TestGroup): Promise<string> {
  const { http } = members[0]!;
  const { id } = await http.created(`${path}/cycles`, { starts_on: TODAY, rounds: 1 });
  const { data } = await http.ok(`${path}/meetings?cycle_id=${id as string}`);
  const [meeting] = data as [Json];
  return `${path}/meetings/${meeting.id as string}`;
}

/** Pays the member's due. */
export async function pay({ http, wallet_id }: TestMember, meeting: string, amount = DUE): Promise<Json> {
  return http.created(`${meeting}/contribute`, { wallet_id, amount, pin: await http.sealedPin() });
}
