import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { stateOf } from '../harness/association-state.ts';
import { sharedCluster, type Deployment } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';
import { foundGroup } from '../harness/group.ts';
import type { Json } from '../harness/http.ts';
import { expectReached, propertyOf } from '../harness/properties.ts';
import {
  done,
  openedMeeting,
  payFine,
  putSheet,
  recordCash,
  startedRounds,
  submitSheet,
  vote,
} from '../harness/requests.ts';
import type { TestMember } from '../harness/test-member.ts';

/** Sheets that are compared. They are of the same groups, so each begins where the last one has ended. */
const SHEETS = Number(process.env.SHEET_RUNS ?? 4);
const SIZE = 4;
const ROUNDS = 4;
const DUE = 1_000;
const FINE = 300;

interface Line {
  kind: 'contribution' | 'fine' | 'treasury';
  who: number;
  amount: number;
}

interface Sheet {
  meeting: number;
  lines: Line[];
}

/** A group in which one of the three ways is gone. */
interface Place {
  path: string;
  members: TestMember[];
  /** The rounds of a cycle, and a meeting outside it. */
  meetings: string[];
  /** The fine of each member that is due. */
  fines: string[];
}

const anySheet: fc.Arbitrary<Sheet> = fc.record({
  meeting: fc.nat(ROUNDS),
  lines: fc.array(
    fc.record({
      kind: fc.constantFrom('contribution', 'contribution', 'fine', 'treasury'),
      who: fc.nat(SIZE - 1),
      amount: fc.integer({ min: 1, max: 250 }),
    }),
    { minLength: 1, maxLength: 8 },
  ),
});

/** The first sheet, so that there are lines of each kind even if chance draws none. */
const EACH_KIND: Sheet = {
  meeting: 0,
  lines: [
    { kind: 'contribution', who: 0, amount: 250 },
    { kind: 'contribution', who: 0, amount: 1 },
    { kind: 'fine', who: 1, amount: 100 },
    { kind: 'treasury', who: 2, amount: 40 },
  ],
};

describe('a meeting sheet with any lines', function () {
  this.timeout(180_000);
  let cluster: Deployment;

  before(async () => {
    cluster = await sharedCluster();
  });

  async function founded(): Promise<Place> {
    const { path, members } = await foundGroup(cluster, {
      size: SIZE,
      funding: 5_000,
      roles: ['president', 'treasurer', 'secretary'],
      association: {
        contribution_amount: DUE,
        rules: { fines: [{ code: 'phone', trigger: 'manual', amount: FINE }] },
      },
    });
    const [president] = members as [TestMember];
    const meetings = [...(await startedRounds(president)), await openedMeeting(president)];
    expect(meetings).to.have.length(ROUNDS + 1);
    return { path, members, meetings, fines: [] };
  }

  /** Fines every member, as the fines of the last sheet may be paid. */
  async function fine({ path, members, fines }: Place): Promise<void> {
    for (const [who, { member_id }] of members.entries()) {
      const { http } = members[who === 0 ? 1 : 0]!;
      const { id } = await http.created(`${path}/fines`, { member_id, code: 'phone', reason: 'It rang' });
      fines[who] = id as string;
    }
  }

  async function approve({ path, members }: Place, depositor: TestMember | undefined, approval_id: unknown) {
    // The treasurer records everything.
    const voter = depositor === members[0] ? members[2]! : members[0]!;
    await done(vote(voter, approval_id));
    await eventually(async () => {
      const { execution } = await voter.http.ok(`${path}/governance/approvals/${approval_id as string}`);
      expect((execution as Json).status).to.equal('done');
    });
  }

  /** Writes the lines on one sheet. */
  async function asSheet(place: Place, { meeting, lines }: Sheet): Promise<void> {
    const { members, meetings, fines } = place;
    const written = lines.map(({ who, ...line }, index) => ({
      ...line,
      line_id: String(index),
      member_id: members[who]!.member_id,
      ...(line.kind === 'fine' ? { fine_id: fines[who] } : {}),
    }));
    const { cash } = await members[1]!.http.ok(`${place.path}/balances`);
    const counted_cash = (cash as number) + sumOf(lines);
    const draft = await done(putSheet(members[1]!, meetings[meeting]!, randomUUID(), { lines: written, counted_cash }));
    expect(draft.difference).to.equal(0);
    const { approval_id } = await done(submitSheet(members[1]!, draft));
    await approve(place, undefined, approval_id);
  }

  /** Records each line by itself. There is no other cash payment of a fine than a sheet, so fines are paid from wallets. */
  async function asPayments(place: Place, { meeting, lines }: Sheet): Promise<void> {
    const { path, members, meetings, fines } = place;
    for (const { kind, who, amount } of lines) {
      const member = members[who]!;
      if (kind === 'fine') {
        await done(payFine(member, `${path}/fines/${fines[who]!}`, amount));
        continue;
      }
      const recorder = members[1]!;
      const meeting_id = kind === 'contribution' ? meetings[meeting] : undefined;
      const { approval_id } = await done(recordCash(recorder, member, amount, meeting_id));
      await approve(place, member, approval_id);
    }
  }

  /** Leaves out the lines that dues and fines have no room for. */
  async function fitting(place: Place, { meeting, lines }: Sheet): Promise<Sheet> {
    const { meetings } = await stateOf(place, place.meetings);
    const left = Array<number>(SIZE).fill(Infinity);
    // Outside a cycle there is no due.
    if (meeting < ROUNDS) for (const due of meetings[meeting]!.dues) left[due.member] = due.outstanding as number;
    const fines_left = place.fines.map(() => FINE);
    const taken = lines.filter(({ kind, who, amount }) => {
      if (kind === 'treasury') return true;
      const room = kind === 'fine' ? fines_left : left;
      if (room[who]! < amount) return false;
      room[who]! -= amount;
      return true;
    });
    return { meeting, lines: taken };
  }

  it('changes every due, fine, balance and statement as its lines do one by one', async () => {
    const [sheetwise, linewise, singly] = await Promise.all([founded(), founded(), founded()]);
    const places = [sheetwise, linewise, singly];
    const reached = { contribution: 0, fine: 0, treasury: 0, with_several_lines: 0 };
    /** What each member has paid of fines in cash in the first two groups, and from their wallet in the third. */
    const fined = Array<number>(SIZE).fill(0);
    const property = async (drawn: Sheet) => {
      for (const place of places) await fine(place);
      const sheet = await fitting(sheetwise, drawn);
      await Promise.all([
        asSheet(sheetwise, sheet),
        (async () => {
          for (const line of sheet.lines) await asSheet(linewise, { ...sheet, lines: [line] });
        })(),
        asPayments(singly, sheet),
      ]);
      const [one, lines, payments] = await Promise.all(places.map((place) => stateOf(place, place.meetings)));
      expect(one, 'one sheet, and one for each line').to.deep.equal(lines);
      for (const { kind, who, amount } of sheet.lines) {
        reached[kind] += 1;
        if (kind === 'fine') fined[who]! += amount;
      }
      if (sheet.lines.length > 1) reached.with_several_lines += 1;
      const { balances, members } = one!;
      const expected = {
        ...one,
        balances: { ...balances, cash: balances.cash - fined.reduce((sum, amount) => sum + amount, 0) },
        members: members.map((member, who) => ({ ...member, wallet: member.wallet - fined[who]! })),
      };
      expect(payments, 'one sheet, and payments one by one').to.deep.equal(expected);
    };
    await fc.assert(fc.asyncProperty(anySheet, property), { ...propertyOf(SHEETS), examples: [[EACH_KIND]] });
    expectReached('sheets and lines', reached);
  });
});

function sumOf(lines: readonly Line[]): number {
  return lines.reduce((sum, { amount }) => sum + amount, 0);
}
