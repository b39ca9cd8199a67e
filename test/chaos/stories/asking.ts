/** Requests of stories in addition to harness/requests.ts. */
import { propose, settle, contribute, openMeeting, vote, type Asked } from '../../harness/requests.ts';
import type { Scene } from './scene.ts';

/** The start of a cycle whose first rounds are already due. */
export const LONG_AGO = '2025-01-01';

/** Opens a meeting outside a cycle. @returns its id */
export async function kitty(scene: Scene): Promise<string> {
  return (await scene.complete(openMeeting(scene.president))).id as string;
}

/** Puts money into the treasury, through a meeting outside a cycle. */
export async function fillTreasury(scene: Scene, index: number, amount: number): Promise<void> {
  const meeting_id = await kitty(scene);
  await scene.complete(contribute(scene.member(index), meeting_id, amount));
  await scene.complete(settle(scene.president, meeting_id));
}

/** Creates the vote of this member on the newest pending request of this type. */
export async function voteOnLatest(
  scene: Scene,
  index: number,
  subject_type: string,
  decision: 'approve' | 'reject' = 'approve',
): Promise<Asked> {
  const [pending] = await scene.list(`/governance/approvals?status=pending&subject_type=${subject_type}`);
  if (pending === undefined) throw new Error(`No ${subject_type} is pending`);
  return vote(scene.member(index), pending.id, decision);
}

/** Gives this member another role; `approver` is the officer who approves besides the president. */
export async function appoint(scene: Scene, index: number, role: string, approver: number): Promise<void> {
  await scene.complete(propose(scene.president, 'role_change', { member_id: scene.member(index).member_id, role }));
  await scene.complete(await voteOnLatest(scene, approver, 'role_change'));
}
