import type { ActionSchema } from 'moleculer';
import { implementCommand } from '../../../lib/service/implement.ts';
import { releaseCycle } from '../../../lib/contracts/membership.ts';
import { releaseBinding } from '../cycles/binding.store.ts';
import type { MembershipDeps } from '../deps.ts';

export function releaseCycleAction({ foundation }: MembershipDeps): ActionSchema {
  const { db, runtime } = foundation;
  return implementCommand(releaseCycle, async ({ association_id, cycle_id }) => {
    await releaseBinding(db.manager, association_id, cycle_id, runtime.clock());
    return {};
  });
}
