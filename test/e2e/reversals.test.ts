import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { stateOf } from '../harness/association-state.ts';
import { startCluster, TOGETHER, type Cluster } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';
import { foundGroup } from '../harness/group.ts';
import type { Json } from '../harness/http.ts';
import { expectReached, propertyOf } from '../harness/properties.ts';
import {
  contribute,
  correct,
  distribute,
  done,
  openedMeeting,
  outcomeOf,
  payFine,
  putSheet,
  recordCash,
  settle,
  startedRounds,
  submitSheet,
  vote,
} from '../harness/requests.ts';
import type { TestMember } from '../harness/test-member.ts';
import { expectAgreement } from '../harness/verified-databases.ts';
import { expectValidLedger } from '../harness/verified-ledger.ts';

const SEQUENCES = Number(process.env.REVERSAL_SEQUENCES ?? 2);
const FUNDING = 20_000;
const DUE = 1_000;
const FINE = 300;
/** Of each member. Together they are more than all payments of a sequence. */
const FINES = 4;

/** A posted act, and the member who gained by it and does not vote on its correction. */
interface Posted {
  transfer_id: string;
  gainer?: TestMember;
}

interface Act {
  kind: keyof typeof ACTS;
  /** Whether it is corrected only at the end, so that later acts find it. */
  kept: boolean;
  who: number;
  other: number;
  what: number;
  amount: number;
}

interface Place {
  path: string;
  members: [TestMember, TestMember, TestMember, TestMember];
  /** The open rounds and an open meeting outside a cycle. */
  meetings: string[];
}

const pick = <T>(from: readonly T[], index: number): T => from[index % from.length]!;
/** Returns an officer who is none of these members. */
const voterBesides = ({ members }: Place, ...others: (TestMember | undefined)[]) =>
  members.slice(0, 3).find((each) => !others.includes(each))!;

/** Votes for a request, and waits until it is carried out. */
async function approve(voter: TestMember, approval_id: unknown): Promise<void> {
  await done(vote(voter, approval_id));
  await eventually(async () => {
    const { execution } = await voter.http.ok(`${voter.path}/governance/approvals/${approval_id as string}`);
    expect((execution as Json).status).to.equal('done');
  });
}

async function deposit(place: Place, { who, other, amount }: Act, meeting_id?: string): Promise<Posted> {
  const depositor = pick(place.members, who);
  const recorder = pick(place.members.slice(0, 3), other);
  const { id, approval_id } = await done(recordCash(recorder, depositor, amount, meeting_id));
  await approve(voterBesides(place, recorder, depositor), approval_id);
  return { transfer_id: id as string };
}

/** Each act posts one transfer. */
const ACTS = {
  contribution: async ({ members, meetings }: Place, { who, other, what, amount }: Act): Promise<Posted> => {
    const more = { for_member_id: pick(members, other).member_id };
    const { transfer_id } = await done(contribute(pick(members, who), pick(meetings, what), amount, more));
    return { transfer_id: transfer_id as string };
  },
  cash_for_a_meeting: (place: Place, act: Act) => deposit(place, act, pick(place.meetings, act.what)),
  cash_deposit: (place: Place, act: Act) => deposit(place, act),
  distribution: async (place: Place, { who, other, amount }: Act): Promise<Posted> => {
    const gainer = pick(place.members, who);
    const requester = pick(place.members.slice(0, 3), other);
    const { id, approval_id } = await done(distribute(requester, gainer, amount));
    await approve(voterBesides(place, requester, gainer), approval_id);
    const { payouts } = await gainer.http.ok(`${place.path}/distributions/${id as string}`);
    return { transfer_id: (payouts as Json[])[0]!.transfer_id as string, gainer };
  },
  fine_payment: async (place: Place, { who, what, amount }: Act): Promise<Posted> => {
    const { id, outstanding } = pick(await finesDue(place), what);
    const paid = Math.min(amount, outstanding as number);
    const { transfer_id } = await done(payFine(pick(place.members, who), `${place.path}/fines/${id as string}`, paid));
    return { transfer_id: transfer_id as string };
  },
  /** A line of each kind, two of one due, and attendance. */
  sheet: async (place: Place, { who, other, what, amount }: Act): Promise<Posted> => {
    const { members, meetings } = place;
    const [{ member_id }, another] = [pick(members, who), pick(members, other)];
    const fine = pick(await finesDue(place), what);
    const writer = pick(members.slice(0, 3), other);
    const part = Math.ceil(amount / 2);
    const lines = [
      { kind: 'contribution', member_id, amount: part },
      { kind: 'contribution', member_id, amount: part },
      { kind: 'contribution', member_id: another.member_id, amount: 1 },
      {
        kind: 'fine',
        member_id: fine.member_id,
        amount: Math.min(amount, fine.outstanding as number),
        fine_id: fine.id,
      },
      { kind: 'treasury', member_id, amount },
    ].map((line, index) => ({ line_id: String(index), ...line }));
    const attendance = [{ member_id, status: 'late' }];
    const body = { lines, attendance, counted_cash: 1, note: 'Counted later' };
    const draft = await done(putSheet(writer, pick(meetings, what), randomUUID(), body));
    await approve(voterBesides(place, writer), (await done(submitSheet(writer, draft))).approval_id);
    const where = `${place.path}/meetings/${draft.meeting_id as string}/sheets/${draft.id as string}`;
    return { transfer_id: (await writer.http.ok(where)).transfer_id as string };
  },
} satisfies Record<string, (place: Place, act: Act) => Promise<Posted>>;

async function finesDue({ path, members }: Place): Promise<Json[]> {
  return (await members[0].http.ok(`${path}/fines?status=due&limit=200`)).data as Json[];
}

const KINDS = Object.keys(ACTS) as Act['kind'][];
/** Each kind twice: one is corrected at once, and one at the end. */
const anyOrder = fc.shuffledSubarray(
  [true, false].flatMap((kept) => KINDS.map((kind) => ({ kind, kept }))),
  { minLength: 2 * KINDS.length },
);
const anyActs: fc.Arbitrary<Act[]> = anyOrder.chain((acts) =>
  fc.tuple(
    ...acts.map((act) =>
      fc.record({
        kind: fc.constant(act.kind),
        kept: fc.constant(act.kept),
        who: fc.nat(100),
        other: fc.nat(100),
        what: fc.nat(100),
        // All together, a due has room for three kept acts, and an act besides.
        amount: fc.integer({ min: 1, max: 220 }),
      }),
    ),
  ),
);

describe('any act that is corrected', function () {
  this.timeout(180_000);
  let cluster: Cluster;

  before(async () => {
    cluster = await startCluster({ processes: TOGETHER });
  });
  after(() => cluster.stop());

  /** Founds a group with some e-money and much cash in the treasury, and with fines that are due. */
  async function founded(): Promise<Place> {
    const fines = [{ code: 'phone', trigger: 'manual', amount: FINE }];
    const approvals = { correction: 1, distribution: 1 };
    const { path, members } = await foundGroup(cluster, {
      size: 4,
      funding: FUNDING,
      roles: ['president', 'treasurer', 'secretary'],
      association: { contribution_amount: DUE, rules: { fines, approvals } },
    });
    const [president, treasurer, secretary, member] = members as Place['members'];
    const place: Place = { path, members: [president, treasurer, secretary, member], meetings: [] };
    const kitty = await openedMeeting(president);
    await done(contribute(member, kitty, 60));
    await done(settle(president, kitty));
    const cash = await done(recordCash(treasurer, member, 2_000));
    await approve(president, cash.approval_id);
    for (const { member_id } of place.members) {
      const by = member_id === president.member_id ? treasurer : president;
      for (let count = 0; count < FINES; count += 1) {
        await by.http.created(`${path}/fines`, { member_id, code: 'phone', reason: 'It rang' });
      }
    }
    place.meetings = [...(await startedRounds(president)), await openedMeeting(president)];
    return place;
  }

  /** Requests a correction and approves it. */
  async function reverse(place: Place, { transfer_id, gainer }: Posted): Promise<void> {
    const requester = place.members[gainer === place.members[1] ? 0 : 1];
    const { id, approval_id } = await done(correct(requester, transfer_id));
    await approve(voterBesides(place, requester, gainer), approval_id);
    const { status } = await requester.http.ok(`${place.path}/corrections/${id as string}`);
    expect(status).to.equal('done');
  }

  it('leaves every balance, due, fine and sum as it was, and is corrected once', async () => {
    const reached = Object.fromEntries(KINDS.map((kind) => [kind, 0])) as Record<Act['kind'], number>;
    const property = async (acts: Act[], ends: number[]) => {
      const place = await founded();
      const read = () => stateOf(place, place.meetings);
      const beginning = await read();
      let before = beginning;
      const kept: Posted[] = [];
      for (const act of acts) {
        const posted = await ACTS[act.kind](place, act);
        const after = await read();
        expect(after, `${act.kind} changes the state`).to.not.deep.equal(before);
        if (act.kept) {
          kept.push(posted);
          before = after;
          continue;
        }
        await reverse(place, posted);
        const again = await Promise.all(
          [0, 1].map((who) => outcomeOf(correct(place.members[who]!, posted.transfer_id))),
        );
        expect(again).to.deep.equal(['already_reversed', 'already_reversed']);
        expect(await read(), `${act.kind} is undone once`).to.deep.equal(before);
        reached[act.kind] += 1;
      }
      // In any order, except that distributions may have used what others have brought.
      const spent = kept.filter(({ gainer }) => gainer !== undefined);
      const brought = kept.filter(({ gainer }) => gainer === undefined);
      for (const posted of spent) await reverse(place, posted);
      for (const end of ends) {
        const [posted] = brought.splice(end % brought.length, 1);
        if (posted !== undefined) await reverse(place, posted);
      }
      expect(brought).to.deep.equal([]);
      expect(await read(), 'all acts are undone').to.deep.equal(beginning);
      await expectValidLedger(place.members[0].http, place.path);
    };
    const anyEnds = fc.array(fc.nat(100), { minLength: KINDS.length, maxLength: KINDS.length });
    await fc.assert(fc.asyncProperty(anyActs, anyEnds, property), propertyOf(SEQUENCES));
    await expectAgreement(cluster);
    expectReached('reversals', reached);
  });
});
