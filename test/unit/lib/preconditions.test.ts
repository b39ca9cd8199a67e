import { expect } from 'chai';
import { problem, problemCode } from '../../../lib/errors/problem.ts';
import type { IfMatch } from '../../../lib/service/call-context.ts';
import {
  preferPreconditionFailed,
  entityTag,
  requireIfMatch,
  requireUnchanged,
} from '../../../lib/service/preconditions.ts';

const STATE = { id: '1', name: 'Njangi', rules: { motion: 1 } };
const TAG = entityTag(JSON.stringify(STATE));

const asked = (if_match?: IfMatch) => ({ meta: if_match === undefined ? {} : { if_match } });

/** Returns the code of the refusal; undefined if there is none. */
async function codeOf(act: () => unknown): Promise<string | undefined> {
  try {
    await act();
  } catch (error) {
    return problemCode(error) ?? String(error);
  }
  return undefined;
}

describe('If-Match', () => {
  const check = (if_match: IfMatch | undefined, state: unknown = STATE) =>
    codeOf(() => requireUnchanged(asked(if_match), () => state));

  it('is compared with a strong tag of the JSON, which another process computes from its own copy', () => {
    expect(TAG).to.match(/^"[\x21\x23-\x7e]+"$/);
    expect(entityTag(JSON.stringify(JSON.parse(JSON.stringify(STATE))))).to.equal(TAG);
    expect(entityTag(JSON.stringify({ ...STATE, name: 'njangi' }))).to.not.equal(TAG);
  });

  it('accepts one of its tags, and `*` for every state', async () => {
    for (const if_match of [undefined, '*', [TAG], ['"a"', TAG, '"b"']] as const) {
      expect(await check(if_match)).to.equal(undefined);
    }
  });

  it('refuses other tags, weak ones, and whatever it names if there is no resource', async () => {
    for (const if_match of [['"a"'], [`W/${TAG}`], [TAG.slice(1, -1)], []]) {
      expect(await check(if_match), if_match.join()).to.equal('precondition_failed');
    }
    for (const if_match of ['*', [TAG]] as const) {
      const none = codeOf(() => requireUnchanged(asked(if_match), () => undefined));
      expect(await none).to.equal('precondition_failed');
    }
  });

  it('does not read the state of a request that has none', async () => {
    await requireUnchanged(asked(), () => {
      throw new Error('was read');
    });
  });

  it('is required by a write that replaces a resource', async () => {
    expect(await codeOf(() => requireIfMatch(asked()))).to.equal('precondition_required');
    for (const if_match of ['*', ['"a"']] as const) {
      expect(await codeOf(() => requireIfMatch(asked(if_match)))).to.equal(undefined);
    }
  });

  it('is refused before a closed association, and after any other refusal of the authorization', async () => {
    const outcome = (code: 'association_closed' | 'role_not_allowed' | undefined, if_match: IfMatch) => {
      const authorization = code === undefined ? Promise.resolve('authorized') : Promise.reject(problem(code));
      return codeOf(() =>
        preferPreconditionFailed(authorization, () => requireUnchanged(asked(if_match), () => STATE)),
      );
    };
    expect(await outcome('association_closed', ['"a"'])).to.equal('precondition_failed');
    expect(await outcome('association_closed', [TAG])).to.equal('association_closed');
    expect(await outcome('role_not_allowed', ['"a"'])).to.equal('role_not_allowed');
    // Then it is compared under the lock.
    expect(await outcome(undefined, ['"a"'])).to.equal(undefined);
  });
});
