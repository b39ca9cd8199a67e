import type { ActionSchema } from 'moleculer';
import { resetPin, setPin } from '../../../lib/contracts/membership.ts';
import type { EventData } from '../../../lib/contracts/events.ts';
import type { Transaction } from '../../../lib/db/db.ts';
import { invalid, problem, type Problem } from '../../../lib/errors/problem.ts';
import { requireScope } from '../../../lib/service/authorize-caller.ts';
import { implementWrite } from '../../../lib/service/implement-write.ts';
import type { MembershipDeps } from '../deps.ts';
import { countAttempt, keyedRequest, type UnsealedPin } from './check-pin.ts';
import { ATTEMPTS_MAX, CLEAN } from './lockout.rules.ts';
import { freshPin, SALT_BYTES, type FreshPin } from './pin.rules.ts';
import { insertPin, lockPin, useCiphertexts, type PinRow } from './pin.store.ts';
import { pins } from './pin.table.ts';

/** Sets the first PIN, or replaces the current PIN, which the request must contain. */
export function setPinAction(deps: MembershipDeps): ActionSchema {
  const { db, runtime, pinCheck } = deps;
  return implementWrite(deps, setPin, async ({ body }, { user_id }, ctx, operation) => {
    if (body.current_pin === undefined && (await db.orm.existsBy(pins, { user_id }))) throw currentRequired();
    const unsealed = await pinCheck.unseal(body.pin);
    const current = body.current_pin === undefined ? null : await pinCheck.unseal(body.current_pin);
    const ciphertexts = current === null ? [unsealed.ciphertext] : [unsealed.ciphertext, current.ciphertext];
    const fresh = hashUnsealed(deps, user_id, unsealed);

    const refusal = await db.transaction(async (tx) => {
      const row = await lockPin(tx, user_id);
      const isUnused = await useCiphertexts(tx, user_id, ciphertexts, keyedRequest(ctx.meta), runtime.clock());
      if (!isUnused) return problem('pin_replayed');
      if (!unsealed.opened || current?.opened === false) return problem('pin_unreadable');
      const refused = await storePin(deps, tx, user_id, row, fresh, current);
      if (refused === null) await operation.keep(tx, {});
      return refused;
    });
    if (refusal !== null) throw refusal;
    return {};
  });
}

function currentRequired(): Problem {
  return invalid({
    pointer: '/current_pin',
    code: 'required',
    detail: 'A PIN is already set: send it as well, encrypted again.',
  });
}

function hashUnsealed({ runtime }: MembershipDeps, user_id: string, { pin }: UnsealedPin): FreshPin | null {
  if (pin === null) return null;
  return freshPin(runtime.resources.secrets.pinPepper, runtime.randomBytes(SALT_BYTES), user_id, pin);
}

/**
 * Sets or replaces the PIN, with its event. Must be called under the lock on its row.
 * @param fresh null if the new PIN is not 4 to 12 digits, which counts as a wrong attempt
 * @returns the refusal, or null if the PIN was stored
 */
async function storePin(
  deps: MembershipDeps,
  tx: Transaction,
  user_id: string,
  row: PinRow | undefined,
  fresh: FreshPin | null,
  current: UnsealedPin | null,
): Promise<Problem | null> {
  const { runtime, pinCheck } = deps;
  let stored = row;
  if (stored === undefined) {
    // No PIN is stored that could be guessed, so the attempt is not counted.
    if (fresh === null) return problem('pin_invalid', { attempts_left: ATTEMPTS_MAX });
    stored = await insertPin(tx, user_id, fresh, runtime.clock());
    if (stored === undefined) {
      reportChange(deps, tx, user_id, 'set');
      return null;
    }
  }
  if (current === null) return currentRequired();
  const now = runtime.clock();
  const isRight = fresh !== null && pinCheck.matches(stored, user_id, current);
  const refusal = await countAttempt(tx, user_id, stored, isRight, now);
  if (refusal !== null || fresh === null) return refusal;
  await tx.orm.update(pins, { user_id }, { ...fresh, ...CLEAN, set_at: now });
  reportChange(deps, tx, user_id, 'changed');
  return null;
}

/** Writes the event, which has nothing of the PIN: a user who has not changed it then knows that another person has. */
function reportChange(
  { outbox }: MembershipDeps,
  tx: Transaction,
  user_id: string,
  reason: EventData['pin.changed']['reason'],
): void {
  outbox.append(tx, { type: 'pin.changed', association_id: null, data: { user_id, reason } });
}

const RESET_SCOPE = 'pins:reset';

/** Deletes a user's PIN and its lockout, for an operator who has verified the user's identity. */
export function resetPinAction(deps: MembershipDeps): ActionSchema {
  return implementWrite(deps, resetPin, async ({ path: { user_id } }, caller, _ctx, operation) => {
    requireScope(caller, RESET_SCOPE);
    await deps.db.transaction(async (tx) => {
      // PostgreSQL's text cannot store U+0000, so an id with it has no PIN.
      const deleted = user_id.includes('\0') ? undefined : await tx.orm.delete(pins, { user_id });
      if (deleted?.affected === 1) reportChange(deps, tx, user_id, 'reset');
      await operation.keep(tx, {});
    });
    return {};
  });
}
