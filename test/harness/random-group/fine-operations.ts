import { amountOf, listAll, note, pick, pickMeeting, type Act, type World } from './world.ts';

/** The rules of fines of random groups: one of each trigger. */
export const FINE_RULES = [
  { code: 'phone', trigger: 'manual', amount: 300 },
  { code: 'absent', trigger: 'absence', amount: 200 },
  { code: 'tardy', trigger: 'lateness', percent: 10, cap_amount: 90 },
  { code: 'late', trigger: 'late_payment', percent: 5, grace_days: 3 },
];

const STATUSES = ['present', 'late', 'absent', 'excused', 'represented'];

/** Lists the fines that are due, or those of all statuses. */
function listFines({ group }: World, isDue: boolean) {
  return listAll(group.members[0]!.http, `${group.path}/fines${isDue ? '?status=due' : ''}`);
}

export const FINE_OPERATIONS = {
  assessFine: async (world, { who, other, what, percent, flag }) => {
    const actor = pick(world.group.members.slice(0, flag ? 3 : 4), who);
    const fined = pick(world.group.members, other);
    const meeting = flag ? pickMeeting(world, what) : undefined;
    if (actor === undefined || fined === undefined) return;
    const body = {
      member_id: fined.member_id,
      code: what % 20 === 19 ? 'absent' : 'phone',
      reason: 'it rang',
      ...(meeting === undefined ? {} : { meeting_id: meeting }),
      ...(percent === 50 ? { amount: amountOf(world, percent) } : {}),
    };
    note(world, 'assess fine', await actor.http.post(`${world.group.path}/fines`, body));
  },

  /** Pays a part or all of a fine that is due, or sometimes too much, or any fine. */
  payFine: async (world, { who, what, percent, flag }) => {
    const payer = pick(world.group.members, who);
    const fine = pick(await listFines(world, what % 10 !== 9), what);
    if (payer === undefined || fine === undefined) return;
    const { id: fine_id, outstanding } = fine as { id: string; outstanding: number };
    const part = percent === 100 ? 25 : percent;
    const amount = flag ? outstanding : Math.ceil((outstanding * part) / 100);
    const body = { wallet_id: payer.wallet_id, amount, pin: await payer.http.sealedPin() };
    const answer = note(world, 'pay fine', await payer.http.post(`${world.group.path}/fines/${fine_id}/pay`, body));
    if (answer.status === 201) world.finePayments.set(answer.body.transfer_id as string, { fine_id, amount });
    else if (answer.status === 202) world.uncertainFines.add(fine_id);
  },

  waiveFine: async (world, { who, what, flag }) => {
    const actor = pick(world.group.members.slice(0, flag ? 3 : 4), who);
    const fine = pick(await listFines(world, what % 10 !== 9), what);
    if (actor === undefined || fine === undefined) return;
    const body = { type: 'fine_waiver', title: 'They were ill', payload: { fine_id: fine.id } };
    const answer = note(world, 'waive', await actor.http.post(`${world.group.path}/governance/proposals`, body));
    if (answer.status === 201) world.approvals.push((answer.body.approval as { id: string }).id);
  },

  /** Records every other member, so that settling assesses fines for some. */
  recordAttendance: async (world, { who, other, what }) => {
    const actor = pick(world.group.members.slice(0, 4), who);
    const meeting = pickMeeting(world, what);
    if (actor === undefined || meeting === undefined) return;
    const entries = world.group.members
      .filter((_, place) => (place + other) % 2 === 0)
      .map(({ member_id }, place) => ({ member_id, status: pick(STATUSES, place + what) }));
    const path = `${world.group.path}/meetings/${meeting}/attendance`;
    note(world, 'attendance', await actor.http.send('PUT', path, { entries }));
  },

  /** Days, so that payments are late and approvals expire. */
  passTime: (world, { what }) => world.passTime(1 + (what % 12)),
} satisfies Record<string, Act>;
