import type { Command } from './action.ts';
import { authorize, bindIdempotencyKey, freeIdempotencyKey } from './membership.ts';
import { listWallets, transfer } from './treasury.ts';

/** The commands that act for a user: the gateway makes statements for the services that have them. */
export const ACTING: readonly Command[] = [authorize, bindIdempotencyKey, freeIdempotencyKey, listWallets, transfer];
