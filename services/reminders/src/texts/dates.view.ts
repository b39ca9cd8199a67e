/** Days and times as people write them. */
import type { Language } from './languages.rules.ts';

/** English as most of the world writes days: "5 October 2026". */
const LOCALES: Record<Language, string> = { en: 'en-GB', fr: 'fr-FR' };

/** Writes the first day of a month as "1er" in French, which Intl does not do. */
function withFirst(text: string, language: Language): string {
  return language === 'fr' ? text.replace(/(^|\s)1(?=\s\p{L})/u, '$11er') : text;
}

/** Writes a day with its weekday: "Monday 5 October 2026". */
export function longDay(day: string, language: Language): string {
  const parts = { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' } as const;
  return withFirst(new Intl.DateTimeFormat(LOCALES[language], parts).format(new Date(day)), language);
}

/** Writes a day in few characters: "5 Oct 2026". */
export function shortDay(day: string, language: Language): string {
  const parts = { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' } as const;
  return withFirst(new Intl.DateTimeFormat(LOCALES[language], parts).format(new Date(day)), language);
}

/** Writes an instant in few characters, as the clocks of a zone show it: "19 Oct, 19:30". */
export function shortInstant(instant: Date, zone: string, language: Language): string {
  const parts = { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', timeZone: zone } as const;
  return withFirst(new Intl.DateTimeFormat(LOCALES[language], parts).format(instant), language);
}

/** Writes an instant as the clocks of a zone show it, with the name of the zone. */
export function instantInWords(instant: Date, zone: string, language: Language): string {
  const format = new Intl.DateTimeFormat(LOCALES[language], {
    ...({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' } as const),
    ...({ hour: '2-digit', minute: '2-digit', timeZone: zone, timeZoneName: 'short' } as const),
  });
  return withFirst(format.format(instant), language);
}
