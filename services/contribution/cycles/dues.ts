/** What members owe for a meeting, in minor units (contract, section 4: each hand owes A). */

/** The due of a member with so many hands in a cycle. */
export function dueOf(hands: number, contribution_amount_minor: bigint): bigint {
  return BigInt(hands) * contribution_amount_minor;
}

/** What is still owed once `paid_minor` counts; outside a cycle (no due) nothing is. */
export function outstandingOf(due_minor: bigint | null, paid_minor: bigint): bigint {
  return due_minor === null || paid_minor >= due_minor ? 0n : due_minor - paid_minor;
}

/** All that a round of a cycle expects: H·A. */
export function expectedOf(hands_total: number, contribution_amount_minor: bigint): bigint {
  return dueOf(hands_total, contribution_amount_minor);
}
