import type { Caller } from '../../../lib/contracts/action.ts';
import { NAME_MAX_CODE_POINTS } from '../../../lib/contracts/membership/members.ts';
import { USER_ID_MAX_CODE_POINTS } from '../../../lib/contracts/fields.ts';

/** The token of an `Authorization: Bearer …` header; undefined without one. */
export function bearerToken(header: string | undefined): string | undefined {
  return /^bearer +(\S+) *$/i.exec(header ?? '')?.[1];
}

/** The caller by the claims of a verified token; undefined if they lack what every token needs. */
export function callerOf(claims: Record<string, unknown>): Caller | undefined {
  const { sub, exp, name, scope } = claims;
  if (!Number.isFinite(exp)) return undefined;
  if (typeof sub !== 'string' || !isStorable(sub)) return undefined;
  const code_points = Array.from(sub).length;
  if (code_points < 1 || code_points > USER_ID_MAX_CODE_POINTS) return undefined;
  return {
    user_id: sub,
    name: displayName(name),
    scopes: typeof scope === 'string' ? scope.split(' ').filter((word) => word !== '') : [],
  };
}

/** The name claim, if it can be used: identity providers fill it as they like. */
function displayName(claim: unknown): string | null {
  if (typeof claim !== 'string' || !isStorable(claim)) return null;
  const name = Array.from(claim.trim()).slice(0, NAME_MAX_CODE_POINTS).join('');
  return name === '' ? null : name;
}

/** PostgreSQL's text cannot hold U+0000, and a lone surrogate has no UTF-8 form. */
function isStorable(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}
