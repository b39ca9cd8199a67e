import { invalid } from '@association-service/contracts';
import { implementWrite, type WriteContext } from '@association-service/contracts/moleculer';
import { confirmOwnAddress } from '../contracts.ts';
import { refuse } from '../errors.ts';
import type { Parts } from '../parts.ts';
import { confirmAddress } from './change-address.ts';
import { readCode } from './codes.rules.ts';
import { lockKnownPerson, readPerson } from './preferences.store.ts';
import { preferencesView } from './preferences.view.ts';

export const confirmAddressOfCaller = (parts: Parts & WriteContext) =>
  implementWrite(
    parts,
    confirmOwnAddress,
    async ({ body }, { user_id }, _ctx, operation) => {
      const outcome = await parts.db.transaction(async (tx) => {
        // Those who have an address have a row, and a refusal makes none.
        await lockKnownPerson(tx, user_id);
        const { addresses } = await readPerson(tx, user_id);
        const { channel, code } = body;
        const tries_left = await confirmAddress(parts, tx, user_id, channel, code, addresses[channel]);
        if (tries_left !== undefined) return { tries_left };
        const answer = preferencesView(await readPerson(tx, user_id));
        await operation.keep(tx, answer);
        await parts.reached('reminders.address_confirmed');
        return { answer };
      });
      if (outcome.answer !== undefined) return outcome.answer;
      // Only now, so that the try is counted: a refusal inside the transaction would undo it.
      if (outcome.tries_left === null) throw refuse('no_code_waiting');
      throw refuse('code_invalid', { attempts_left: outcome.tries_left });
    },
    { check: ({ body }) => checkForm(body.code) },
  );

/**
 * A code with a missing digit is a slip: it is found before anything is read, and costs no try.
 * @throws validation_failed
 */
function checkForm(code: string): void {
  if (readCode(code) !== undefined) return;
  throw invalid({ pointer: '/code', code: 'malformed', detail: 'This must be the six digits that were sent.' });
}
