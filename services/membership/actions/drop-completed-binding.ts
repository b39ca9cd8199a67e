import { call } from '../../../lib/service/call.ts';
import type { CanCall } from '../../../lib/service/call.ts';
import { obligations } from '../../../lib/contracts/contribution.ts';
import type { Foundation } from '../../../lib/service/service-context.ts';
import { findOpenBinding, releaseBinding } from '../cycles/binding.store.ts';

/**
 * Releases the binding of a cycle that has completed, where the event that says so has not arrived yet: no answer may
 * depend on how fast events travel. The contribution service alone knows for sure.
 * @param except a cycle whose binding is not in question
 */
export async function dropCompletedBinding(
  foundation: Foundation,
  via: CanCall,
  association_id: string,
  except: string | null,
): Promise<void> {
  const { db, runtime } = foundation;
  const open = await findOpenBinding(db.manager, association_id);
  if (open === null || open.cycle_id === except) return;
  const { cycle_id, first_member_id: member_id } = open;
  const answer = await call(via, obligations, { association_id, member_id, cycle_id });
  if (!answer.cycle_running) await releaseBinding(db.manager, association_id, cycle_id, runtime.clock());
}
