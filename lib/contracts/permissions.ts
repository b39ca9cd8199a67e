/** The permissions of the roles in an association. */

export const ROLES = ['president', 'treasurer', 'secretary', 'member'] as const;
export type Role = (typeof ROLES)[number];

/** The roles on the board. */
export const BOARD: readonly Role[] = ['president', 'treasurer', 'secretary'];

interface PermissionEntry {
  roles: readonly Role[];
  /** Whether the action changes something, which a closed association refuses. */
  write: boolean;
  /** Whether former members keep the permission. */
  former?: boolean;
}

export const PERMISSION_TABLE = {
  read: { roles: ROLES, write: false },
  read_own_statement: { roles: ROLES, write: false, former: true },
  read_any_statement: { roles: BOARD, write: false },
  contribute: { roles: ROLES, write: true },
  change_own_membership: { roles: ROLES, write: true },
  change_association: { roles: ['president', 'secretary'], write: true },
  read_invitations: { roles: ['president', 'secretary'], write: false },
  invite: { roles: ['president', 'secretary'], write: true },
  start_cycle: { roles: ['president', 'secretary'], write: true },
  schedule_meeting: { roles: ['president', 'secretary'], write: true },
  record_attendance: { roles: ['president', 'secretary'], write: true },
  record_sheet: { roles: BOARD, write: true },
  assess_fine: { roles: BOARD, write: true },
  settle: { roles: ['president', 'treasurer'], write: true },
  record_cash: { roles: BOARD, write: true },
  correct: { roles: ['president', 'treasurer'], write: true },
  request_distribution: { roles: BOARD, write: true },
  propose: { roles: BOARD, write: true },
  decide: { roles: BOARD, write: true },
  /** Any role, because the requester's role may have changed. Governance checks that the request is theirs. */
  cancel_request: { roles: ROLES, write: true },
} as const satisfies Record<string, PermissionEntry>;

export type Permission = keyof typeof PERMISSION_TABLE;
export const PERMISSIONS = Object.keys(PERMISSION_TABLE) as [Permission, ...Permission[]];

/** Whether the role is on the board. */
export function isBoardRole(role: Role): boolean {
  return BOARD.includes(role);
}
