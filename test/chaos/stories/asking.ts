/** The requests of which stories are made. */
import type { Json } from '../../harness/http.ts';
import type { Scene } from './scene.ts';
import type { Asked } from './story.ts';

/** Its first rounds are due already. */
export const LONG_AGO = '2025-01-01';

export function contribute(scene: Scene, index: number, meeting_id: string, amount: number): Asked {
  const { http, wallet_id } = scene.member(index);
  const path = `${scene.path}/meetings/${meeting_id}/contribute`;
  return { by: http, path, body: { wallet_id, amount }, pin: true };
}

export function settle(scene: Scene, meeting_id: string): Asked {
  return { by: scene.president.http, path: `${scene.path}/meetings/${meeting_id}/settle` };
}

export function startCycle(scene: Scene, body: Json): Asked {
  return { by: scene.president.http, path: `${scene.path}/cycles`, body: { starts_on: LONG_AGO, ...body } };
}

/** A meeting outside a cycle; gives its id. */
export async function kitty(scene: Scene): Promise<string> {
  const { id } = await scene.surely({ by: scene.president.http, path: `${scene.path}/meetings` });
  return id as string;
}

/** Puts money into the treasury, through a meeting outside a cycle. */
export async function fillTreasury(scene: Scene, index: number, amount: number): Promise<void> {
  const meeting_id = await kitty(scene);
  await scene.surely(contribute(scene, index, meeting_id, amount));
  await scene.surely(settle(scene, meeting_id));
}

/** The president records cash that this member has handed over. */
export function recordCash(scene: Scene, index: number, amount: number, meeting_id?: string): Asked {
  const { member_id } = scene.member(index);
  const body = { member_id, amount, reason: 'Handed over', ...(meeting_id === undefined ? {} : { meeting_id }) };
  return { by: scene.president.http, path: `${scene.path}/cash-contribution`, body, pin: true };
}

/** The president asks for help for this member. */
export function distribute(scene: Scene, index: number, amount: number): Asked {
  const body = { beneficiary_member_id: scene.member(index).member_id, amount, reason: 'Help' };
  return { by: scene.president.http, path: `${scene.path}/distributions`, body };
}

export function propose(scene: Scene, type: string, payload: Json = {}): Asked {
  const body = { type, title: 'As discussed', payload };
  return { by: scene.president.http, path: `${scene.path}/governance/proposals`, body };
}

/** This member votes on the newest request of its type that is pending. */
export async function vote(
  scene: Scene,
  index: number,
  subject_type: string,
  decision: 'approve' | 'reject' = 'approve',
): Promise<Asked> {
  const [pending] = await scene.list(`/governance/approvals?status=pending&subject_type=${subject_type}`);
  if (pending === undefined) throw new Error(`No ${subject_type} is pending`);
  const body = { approval_id: pending.id };
  return { by: scene.member(index).http, path: `${scene.path}/governance/${decision}`, body, pin: true };
}

/** Gives this member another role; `approver` is the one whom it takes beside the president. */
export async function appoint(scene: Scene, index: number, role: string, approver: number): Promise<void> {
  await scene.surely(propose(scene, 'role_change', { member_id: scene.member(index).member_id, role }));
  await scene.surely(await vote(scene, approver, 'role_change'));
}
