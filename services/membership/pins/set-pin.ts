import type { ActionSchema } from 'moleculer';
import type { EntityManager } from 'typeorm';
import { implementWrite } from '../../../lib/service/implement-write.ts';
import { setPin } from '../../../lib/contracts/membership.ts';
import { invalid, problem } from '../../../lib/errors/problem.ts';
import type { Problem } from '../../../lib/errors/problem.ts';
import { ATTEMPTS_MAX } from './lockout.rules.ts';
import { hashPin, SALT_BYTES } from './pin.rules.ts';
import type { StoredPin } from './pin.rules.ts';
import { consumeCiphertexts, hasPin, insertPin, lockPin, replacePin } from './pin.store.ts';
import type { PinRow } from './pin.store.ts';
import type { MembershipDeps } from '../deps.ts';
import { countAttempt, keyedOperation } from './check-pin.ts';
import type { UnsealedPin } from './check-pin.ts';

/** Sets a first PIN, or replaces one with proof of knowing it. */
export function setPinAction({ foundation, pins }: MembershipDeps): ActionSchema {
  const { db, runtime } = foundation;
  const { clock } = runtime;
  const currentRequired = () =>
    invalid({ pointer: '/current_pin', code: 'required', detail: 'A PIN is set: send it as well, encrypted afresh.' });

  const hashed = (user_id: string, { pin }: UnsealedPin): StoredPin | null => {
    if (pin === null) return null;
    const salt = runtime.randomBytes(SALT_BYTES);
    return { salt, hash: hashPin(runtime.resources.secrets.pinPepper, salt, user_id, pin) };
  };

  /** Replaces the PIN under the lock on its row. A new PIN that is not 4 to 12 digits counts like a wrong current one. */
  async function replace(
    manager: EntityManager,
    user_id: string,
    row: PinRow,
    fresh: StoredPin | null,
    current: UnsealedPin | null,
  ): Promise<Problem | null> {
    if (current === null) return currentRequired();
    const now = clock();
    const isRight = fresh !== null && pins.matches(row, user_id, current);
    const refusal = await countAttempt(manager, user_id, row, isRight, now);
    if (refusal === null && fresh !== null) await replacePin(manager, user_id, fresh, now);
    return refusal;
  }

  /** Sets or replaces the PIN; returns the refusal, with which the attempt counts, or null. */
  async function store(
    manager: EntityManager,
    user_id: string,
    row: PinRow | null,
    fresh: StoredPin | null,
    current: UnsealedPin | null,
  ): Promise<Problem | null> {
    if (row !== null) return replace(manager, user_id, row, fresh, current);
    // Nothing is set that could be guessed, so nothing is counted.
    if (fresh === null) return problem('pin_invalid', { attempts_left: ATTEMPTS_MAX });
    const standing = await insertPin(manager, user_id, fresh, clock());
    return standing === null ? null : replace(manager, user_id, standing, fresh, current);
  }

  return implementWrite(foundation, setPin, async ({ body }, { user_id }, ctx, operation) => {
    if (body.current_pin === undefined && (await hasPin(db.manager, user_id))) throw currentRequired();
    const unsealed = await pins.unseal(body.pin);
    const current = body.current_pin === undefined ? null : await pins.unseal(body.current_pin);
    const ciphertexts = [unsealed, ...(current === null ? [] : [current])].map((each) => each.ciphertext);
    const fresh = hashed(user_id, unsealed);

    const refusal = await db.transaction(async (manager): Promise<Problem | null> => {
      const row = await lockPin(manager, user_id);
      const unused = await consumeCiphertexts(manager, user_id, ciphertexts, keyedOperation(ctx.meta), clock());
      if (!unused) return problem('pin_replayed');
      if (!unsealed.opened || current?.opened === false) return problem('pin_unreadable');
      const refused = await store(manager, user_id, row, fresh, current);
      if (refused === null) await operation.answered(manager, {});
      return refused;
    });
    if (refusal !== null) throw refusal;
    return {};
  });
}
