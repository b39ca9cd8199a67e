import { instant, integer, key, optional, smallint, table, uuid } from '../../../lib/db/table.ts';

/**
 * The cycles that bind an association's members. If a released row has no members, its release arrived before its
 * binding.
 */
export const cycleBindings = table('cycle_bindings', {
  cycle_id: key(uuid()),
  association_id: uuid(),
  bound_at: instant(),
  released_at: optional(instant()),
});

export const cycleBindingMembers = table('cycle_binding_members', {
  cycle_id: key(uuid()),
  /** In join order, from 1. */
  position: key(integer()),
  member_id: uuid(),
  /** The member's hands when the cycle bound them. */
  hands: smallint(),
});
