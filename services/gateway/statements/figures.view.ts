import { dayIn, UTC } from '../../../lib/calendar/zones.ts';
import type { Language } from '../../../lib/language/languages.ts';
import { minorDigits } from '../../../lib/money/currency.ts';

/** The locales for dates and amounts. Both put days before months. */
const LOCALES: Record<Language, string> = { en: 'en-GB', fr: 'fr-FR' };

/** Formats the amounts and days of one statement for its readers. Amounts are in the currency's major unit. */
export interface Figures {
  /** With thousands separators: 1,234.50 or 1 234,50. */
  amount: (amount: number) => string;
  /** As amount(), and an empty text for zero. */
  amountOrNothing: (amount: number) => string;
  /** An amount with the code of the currency. */
  money: (amount: number) => string;
  /** The day of an instant or a date, in short form: 1 Sep 2026 or 01/09/2026. */
  day: (when: string) => string;
  /** The day in long form: 1 September 2026 or 1er septembre 2026. */
  longDay: (when: string) => string;
  /** The day in long form, and the time. */
  moment: (when: string) => string;
}

/**
 * Returns the formats for one language and currency.
 * @param zone the time zone in which instants are shown
 */
export function figuresOf(language: Language, currency: string, zone: string): Figures {
  const locale = LOCALES[language];
  const digits = minorDigits(currency);
  const decimals = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  const amount = new Intl.NumberFormat(locale, decimals);
  const money = new Intl.NumberFormat(locale, { ...decimals, style: 'currency', currency, currencyDisplay: 'code' });
  const long = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: UTC });
  const time = new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone: zone });
  const shortDay = language === 'en' ? englishDay : (day: string) => FRENCH_DAY.format(new Date(day));
  const longDay = (when: string) => firstOfMonth(long.format(new Date(dayAt(zone, when))), language);
  return {
    amount: (value) => amount.format(value),
    amountOrNothing: (value) => (value === 0 ? '' : amount.format(value)),
    money: (value) => money.format(value),
    day: (when) => shortDay(dayAt(zone, when)),
    longDay,
    moment: (when) => `${longDay(when)}, ${time.format(new Date(when))} ${zone}`,
  };
}

/** Returns the day of an instant in the zone; a day stays as it is. */
export function dayAt(zone: string, when: string): string {
  return when.includes('T') ? dayIn(zone, new Date(when)) : when;
}

const FRENCH_DAY = new Intl.DateTimeFormat('fr-FR', { dateStyle: 'short', timeZone: UTC });

/**
 * The month is written as a word of three letters, because English readers disagree on whether the day or the month
 * comes first.
 */
const ENGLISH_MONTH = new Intl.DateTimeFormat('en-US', { month: 'short', timeZone: UTC });

function englishDay(day: string): string {
  const at = new Date(day);
  return `${String(at.getUTCDate())} ${ENGLISH_MONTH.format(at)} ${String(at.getUTCFullYear())}`;
}

/** Writes the first day of a month as "1er" in French, which Intl does not do. */
function firstOfMonth(day: string, language: Language): string {
  return language === 'fr' ? day.replace(/^1 /, '1er ') : day;
}
