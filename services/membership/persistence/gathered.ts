import type pg from 'pg';
import { gather } from '../../../lib/db/group-commit.ts';
import type { Clock } from '../../../lib/node/runtime.ts';
import { acceptRightPins } from './accept-right-pin.ts';
import type { RightPin } from './accept-right-pin.ts';
import { findAllAuthorized } from './find-authorized.ts';
import type { AskedAuthorization, Authorized } from './find-authorized.ts';

/** The statements of authorize(), gathered: what comes at the same time goes together. */
export interface GatheredStatements {
  /** Null unless the user is a member there. */
  findAuthorized(asked: AskedAuthorization): Promise<Authorized | null>;
  /** Uses up the ciphertext of a right PIN; false, with nothing written, if the PIN is not as it was compared. */
  acceptRightPin(pin: RightPin): Promise<boolean>;
}

/** @param pool for what has to wait by itself */
export function gatherStatements(batches: pg.Pool, pool: pg.Pool, clock: Clock): GatheredStatements {
  return {
    findAuthorized: gather((asked: AskedAuthorization[]) => findAllAuthorized(batches, asked)),
    acceptRightPin: gather((pins: RightPin[]) => acceptRightPins(batches, pins, clock()), {
      alone: async (pin) => (await acceptRightPins(pool, [pin], clock()))[0] === true,
      // A ciphertext shown twice at once: one statement cannot meet its row twice.
      keyOf: ({ ciphertext }) => ciphertext.digest.toString('hex'),
    }),
  };
}
