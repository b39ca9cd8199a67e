import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Json } from '../../harness/http.ts';
import { propose, putSheet, submitSheet, type Asked } from '../../harness/requests.ts';
import { kitty, voteOnLatest } from './asking.ts';
import type { Scene } from './scene.ts';
import { at, claimedBy, type Act, type Death, type Moves, type Story } from './story.ts';

const FINE = 10_000;
const CONTRIBUTED = 100;
const OF_FINE = 20;
const FOR_TREASURY = 5;

/** What a confirmed sheet moves: cash of the first and third member, into the pool of its meeting and the treasury. */
export const SHEET_MOVES: Moves = {
  cash: 2 * CONTRIBUTED + OF_FINE + FOR_TREASURY,
  pools: 2 * CONTRIBUTED,
  pools_cash: 2 * CONTRIBUTED,
  treasury: OF_FINE + FOR_TREASURY,
  available: OF_FINE + FOR_TREASURY,
};

/** The rule of the fine that sheets pay parts of. */
export const SHEET_FINES = [{ code: 'chair', trigger: 'manual', amount: FINE }];

/** Opens a meeting, and fines the third member, who pays parts of it with each sheet. */
export async function prepareSheets(scene: Scene): Promise<void> {
  await kitty(scene);
  const body = { member_id: scene.member(2).member_id, code: 'chair', reason: 'It broke' };
  await scene.complete({ by: scene.president.http, path: `${scene.path}/fines`, body });
}

/** A sheet is submitted, and then confirmed or rejected by the treasurer. */
export const sheets: Story = {
  title: 'meeting sheets',
  group: { size: 3, roles: ['president', 'treasurer'], association: { rules: { fines: SHEET_FINES } } },
  set_up: prepareSheets,
  acts: [
    {
      what: 'writing a sheet',
      deaths: [claimedBy('contribution')],
      asked: draft,
      needs_repeat: true,
      then: (scene) => expectLatest(scene, 'draft'),
    },
    submitting(at('contribution.sheet.opening'), at('contribution.sheet.submitted')),
    confirming(at('contribution.sheet.posting'), at('contribution.sheet.posting.acted')),
    { ...submitting(at('contribution.sheet.opening.acted')), before: writeSheet },
    {
      what: 'rejecting a sheet',
      deaths: [at('contribution.sheet.rejected')],
      asked: (scene) => voteOnLatest(scene, 1, 'meeting_sheet', 'reject'),
      then: (scene) => expectLatest(scene, 'draft'),
    },
    submitting(at('governance.approval_stored')),
    confirming(at('contribution.sheet.confirmed')),
    { ...confirming(at('treasury.ledger.committed')), before: submitNew },
    { ...confirming(at('governance.execution.notifying.acted')), before: submitNew },
  ],
  async end(scene) {
    const [fine] = await scene.list('/fines');
    const confirmed = (await sheetsOf(scene)).filter(({ status }) => status === 'confirmed');
    expect(fine?.paid).to.equal(OF_FINE * confirmed.length);
    expect((await scene.read(`/meetings/${await scene.meeting()}/attendance`)).entries).to.have.length(1);
  },
};

/** While contribution is down, the treasurer who submits a sheet becomes president and the only officer, so that it stays a draft. */
export const noSheet: Story = {
  title: 'a meeting sheet without an eligible approver',
  group: { size: 3, roles: ['president', 'treasurer'], association: { rules: { fines: SHEET_FINES } } },
  set_up: prepareSheets,
  acts: [
    {
      what: 'submitting a sheet',
      before: writeSheet,
      deaths: [at('contribution.sheet.opening'), at('contribution.sheet.refused')],
      asked: (scene) => submitLatest(scene, 1),
      async during_outage(scene) {
        const payload = { member_id: scene.member(1).member_id, role: 'president' };
        await scene.complete(propose(scene.member(1), 'role_change', payload));
        await scene.complete(await voteOnLatest(scene, 0, 'role_change'));
      },
      refused: 'no_eligible_approver',
      async then(scene) {
        await expectLatest(scene, 'draft');
        expect(await scene.list(`/meetings/${await scene.meeting()}/contributions`)).to.deep.equal([]);
      },
    },
  ],
};

function submitting(...deaths: Death[]): Act {
  return {
    what: 'submitting a sheet',
    deaths,
    asked: (scene) => submitLatest(scene),
    then: (scene) => expectLatest(scene, 'submitted'),
  };
}

function confirming(...deaths: Death[]): Act {
  return {
    what: 'approving a sheet',
    deaths,
    asked: (scene) => voteOnLatest(scene, 1, 'meeting_sheet'),
    moves: SHEET_MOVES,
    then: (scene) => expectLatest(scene, 'confirmed'),
  };
}

async function draft(scene: Scene): Promise<Asked> {
  const [fine] = await scene.list('/fines');
  const { member_id } = scene.member(2);
  const body = {
    lines: [
      { line_id: 'a', kind: 'contribution', member_id, amount: CONTRIBUTED },
      { line_id: 'b', kind: 'contribution', member_id: scene.president.member_id, amount: CONTRIBUTED },
      { line_id: 'c', kind: 'fine', member_id, fine_id: fine?.id, amount: OF_FINE },
      { line_id: 'd', kind: 'treasury', member_id, amount: FOR_TREASURY },
    ],
    attendance: [{ member_id, status: 'present' }],
    counted_cash: 0,
    note: 'Counted later',
  };
  return putSheet(scene.president, await scene.meeting(), randomUUID(), body);
}

async function writeSheet(scene: Scene): Promise<void> {
  await scene.complete(await draft(scene));
}

async function submitLatest(scene: Scene, by = 0): Promise<Asked> {
  const [latest] = await sheetsOf(scene);
  if (latest === undefined) throw new Error('The meeting has no sheet');
  return submitSheet(scene.member(by), latest);
}

/** Writes and submits another sheet. */
export async function submitNew(scene: Scene): Promise<void> {
  await writeSheet(scene);
  await scene.complete(await submitLatest(scene));
}

/** Returns the sheets of the newest meeting, newest first. */
export async function sheetsOf(scene: Scene): Promise<Json[]> {
  return scene.list(`/meetings/${await scene.meeting()}/sheets`);
}

/** Checks the latest sheet, that no other one is submitted, and that contributions are as their sheets. */
async function expectLatest(scene: Scene, status: string): Promise<void> {
  const [latest, ...others] = await sheetsOf(scene);
  expect(latest?.status).to.equal(status);
  expect(others.map((each) => each.status)).to.not.include('submitted');
  const contributions = await scene.list(`/meetings/${await scene.meeting()}/contributions?limit=200`);
  const pending = contributions.filter((each) => each.status === 'pending');
  expect(pending).to.have.length(status === 'submitted' ? 2 : 0);
}
