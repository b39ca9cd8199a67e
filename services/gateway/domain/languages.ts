import Negotiator from 'negotiator';
import { LANGUAGES } from '../../../lib/language/languages.ts';
import type { Language } from '../../../lib/language/languages.ts';

/** The language of ours that an `Accept-Language` header likes best; English where it likes none (RFC 9110, 12.5.4). */
export function preferredLanguage(acceptLanguage: string | undefined): Language {
  // Without a header every language is as good as any: ours are ordered.
  const headers = acceptLanguage === undefined ? {} : { 'accept-language': acceptLanguage };
  return (new Negotiator({ headers }).language([...LANGUAGES]) as Language | undefined) ?? LANGUAGES[0];
}
