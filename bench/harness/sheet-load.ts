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
export async function passSheet({ group, meetings, sealPin }: SheetGroup, number: number): Promise<void> {
  const [president, treasurer] = officersOf(group);
  const path = `${group.path}/meetings/${meetings[number % meetings.length]!}/sheets/${uuidv7()}`;
  const lines = group.members.slice(0, LINES).map(({ member_id }, line) => {
    return { line_id: String(line), kind: 'contribution', member_id, amount: AMOUNT };
  });
  // The cash box changes with each other sheet, so it is not counted right.
  const body = { lines, counted_cash: 0, note: 'of the benchmark' };
  const { sheet_hash } = (await treasurer.http.send('PUT', path, body)).body;
  const submitted = { pin: await sealPin(treasurer.http.pin), sheet_hash };
  const { approval_id } = await treasurer.http.okPost(`${path}/submit`, submitted);
  const vote = { approval_id, pin: await sealPin(president.http.pin) };
  const { execution } = await president.http.okPost(`${group.path}/governance/approve`, vote);
  const { status } = execution as { status: string };
  if (status !== 'done') throw new Error(`A sheet's execution is ${status}`);
}

function officersOf({ members }: TestGroup): [president: TestMember, treasurer: TestMember] {
  return members as [TestMember, TestMember];
}
