import { randomUUID } from 'node:crypto';
import type { Json } from '../http.ts';
import type { TestMember } from '../test-member.ts';
import { amountOf, listAll, note, pick, pickMeeting, type Act, type Draw, type World } from './world.ts';

/** Returns up to five lines of all kinds, most of which fit into dues and fines. */
async function linesOf(world: World, meeting: string, { who, other, what, percent }: Draw): Promise<Json[]> {
  const { members, path } = world.group;
  const { http } = members[0]!;
  const dues = (await listAll(http, `${path}/meetings/${meeting}/dues`)).filter(
    (due) => (due.outstanding as number) > 0,
  );
  const fines = await listAll(http, `${path}/fines?status=due`);
  // Outside a cycle there are no dues, and any amount is a contribution.
  const due = pick(dues, who) ?? { member_id: pick(members, who)!.member_id, outstanding: amountOf(world, 50) };
  const fine = pick(fines, other);
  const part = Math.ceil((due.outstanding as number) / 2);
  const lines = [
    { kind: 'contribution', member_id: due.member_id, amount: part },
    { kind: 'treasury', member_id: pick(members, other)!.member_id, amount: 1 + (what % 50) },
    ...(fine === undefined
      ? []
      : [{ kind: 'fine', member_id: fine.member_id, amount: fine.outstanding, fine_id: fine.id }]),
    // Two halves of an odd amount are too much, and the whole sheet is refused.
    ...(percent === 33 ? [{ kind: 'contribution', member_id: due.member_id, amount: part }] : []),
    ...(percent === 200 ? [{ kind: 'contribution', member_id: pick(members, other)!.member_id, amount: 1 }] : []),
  ];
  return lines.slice(what % 7 === 0 ? 1 : 0).map((line, index) => ({ line_id: String(index), ...line }));
}

/** Submits a sheet as it was shown, and checks that the cash which it expects is that of the cash box and the lines. */
async function submit(world: World, actor: TestMember, sheet: Json): Promise<void> {
  const { path, members } = world.group;
  const cashNow = async () => (await members[0]!.http.ok(`${path}/balances`)).cash as number;
  const before = await cashNow();
  const body = { pin: await actor.http.sealedPin(), sheet_hash: sheet.sheet_hash };
  const where = `${path}/meetings/${sheet.meeting_id as string}/sheets/${sheet.id as string}`;
  const answer = note(world, 'submit sheet', await actor.http.post(`${where}/submit`, body));
  if (answer.status !== 200) return;
  world.approvals.push(answer.body.approval_id as string);
  const lines = answer.body.lines as { amount: number }[];
  const expected = before + lines.reduce((sum, { amount }) => sum + amount, 0);
  // Cash that was approved before may just be arriving.
  if ((await cashNow()) === before && answer.body.expected_cash !== expected) {
    throw new Error(`The sheet expects ${String(answer.body.expected_cash)} in the cash box, not ${String(expected)}`);
  }
}

export const SHEET_OPERATIONS = {
  /** Writes a sheet, sometimes with a difference, and submits it; or submits one that was refused before. */
  writeSheet: async (world, draw) => {
    const { who, what, percent, flag } = draw;
    const actor = pick(world.group.members.slice(0, flag ? 3 : 4), who);
    const meeting = pickMeeting(world, what);
    if (actor === undefined || meeting === undefined) return;
    const path = `${world.group.path}/meetings/${meeting}`;
    // The actor may have left, and then sees nothing; the president cannot leave.
    const { http } = world.group.members[0]!;
    const draft = (await listAll(http, `${path}/sheets`)).find(({ status }) => status === 'draft');
    if (draft !== undefined && what % 6 === 0) return submit(world, actor, draft);
    const lines = await linesOf(world, meeting, draw);
    const { cash } = await http.ok(`${world.group.path}/balances`);
    const sum = lines.reduce((total, line) => total + (line.amount as number), 0);
    const isDifferent = percent === 50;
    const body = {
      lines,
      attendance: [{ member_id: pick(world.group.members, what)!.member_id, status: flag ? 'late' : 'absent' }],
      counted_cash: (cash as number) + sum + (isDifferent ? 5 : 0),
      ...(isDifferent && what % 4 !== 0 ? { note: 'Five too many' } : {}),
    };
    const written = note(world, 'write sheet', await actor.http.send('PUT', `${path}/sheets/${randomUUID()}`, body));
    if (written.status === 201) await submit(world, actor, written.body);
  },
} satisfies Record<string, Act>;
