import { instant, integer, key, optional, other, table, uuid } from '../../../lib/db/table.ts';

/** The cycles that bind an association's members. A released one without members was released before it was bound. */
export const cycleBindings = table('cycle_bindings', {
  cycle_id: key(uuid()),
  association_id: uuid(),
  bound_at: instant(),
  released_at: optional(instant()),
});

export const cycleBindingMembers = table('cycle_binding_members', {
  cycle_id: key(uuid()),
  /** In joined order, from 1. */
  position: key(integer()),
  member_id: uuid(),
  /** As they were when the cycle bound them. */
  hands: other<number>('smallint'),
});
