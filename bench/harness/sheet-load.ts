import { uuidv7 } from 'uuidv7';
import type { Cluster } from '../../test/harness/cluster.ts';
import { foundGroup, type TestGroup } from '../../test/harness/group.ts';
import type { TestMember } from '../../test/harness/test-member.ts';
import type { ContributingGroup } from './contribution-load.ts';

/** As many as a group that meets at a table. */
const LINES = 25;
const AMOUNT = 1;

/** A group whose members contribute to a meeting from their wallets, and whose board records sheets for others. */
export interface SheetGroup extends ContributingGroup {
  /** One for each sheet in flight, as those of one meeting wait for each other's dues. */
  meetings: string[];
  /** Encrypts the PIN of each member. */
  sealPin: (pin: string) => Promise<string>;
}

/** Founds a group of members with PINs and funded wallets over HTTP. */
export async function foundSheetGroup(cluster: Cluster, size: number, in_flight: number): Promise<SheetGroup> {
  const group = await foundGroup(cluster, {
    size,
    funding: 1_000_000,
    roles: ['president', 'treasurer'],
    association: { max_members: size },
  });
  const open = async () => (await officersOf(group)[0].http.created(`${group.path}/meetings`, {})).id as string;
  const meetings: string[] = [];
  for (let count = 0; count < in_flight; count += 1) meetings.push(await open());
  return { group, meeting_id: await open(), meetings, sealPin: await officersOf(group)[0].http.pinSealer() };
}

/** Writes a sheet, submits it and lets another officer approve it. @throws unless it is confirmed with the approval */
export async function passSheet(sheetGroup: SheetGroup, number: number): Promise<void> {
  const { group, sealPin } = sheetGroup;
  const [, treasurer] = officersOf(group);
  const path = `${group.path}/meetings/${meetingOf(sheetGroup, number)}/sheets/${uuidv7()}`;
  const lines = group.members.slice(0, LINES).map(({ member_id }, line) => {
    return { line_id: String(line), kind: 'contribution', member_id, amount: AMOUNT };
  });
  // The cash box changes with each other sheet, so it is not counted right.
  const body = { lines, counted_cash: 0, note: 'of the benchmark' };
  const { sheet_hash } = (await treasurer.http.send('PUT', path, body)).body;
  const submitted = { pin: await sealPin(treasurer.http.pin), sheet_hash };
  const { approval_id } = await treasurer.http.okPost(`${path}/submit`, submitted);
  await approve(sheetGroup, approval_id as string);
}

/** Records the cash of a member for a meeting, and lets another officer approve it. @throws unless that pays the due */
export async function passCash(sheetGroup: SheetGroup, number: number): Promise<void> {
  const { group, sealPin } = sheetGroup;
  const [, treasurer] = officersOf(group);
  // The member whose cash it is may not vote.
  const [, , ...others] = group.members;
  const { member_id } = others[number % others.length]!;
  const recorded = await treasurer.http.created(`${group.path}/cash-contribution`, {
    member_id,
    meeting_id: meetingOf(sheetGroup, number),
    amount: AMOUNT,
    reason: 'Of the benchmark',
    pin: await sealPin(treasurer.http.pin),
  });
  await approve(sheetGroup, recorded.approval_id as string);
}

function meetingOf({ meetings }: SheetGroup, number: number): string {
  return meetings[number % meetings.length]!;
}

async function approve({ group, sealPin }: SheetGroup, approval_id: string): Promise<void> {
  const [president] = officersOf(group);
  const vote = { approval_id, pin: await sealPin(president.http.pin) };
  const { execution } = await president.http.okPost(`${group.path}/governance/approve`, vote);
  const { status } = execution as { status: string };
  if (status !== 'done') throw new Error(`The execution of an approval is ${status}`);
}

function officersOf({ members }: TestGroup): [president: TestMember, treasurer: TestMember] {
  return members as [TestMember, TestMember];
}
