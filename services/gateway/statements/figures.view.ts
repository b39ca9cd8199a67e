import type { Language } from '../../../lib/language/languages.ts';
import { minorDigits } from '../../../lib/money/currency.ts';

/** Whose habits the dates and amounts follow: days before months in both. */
const LOCALES: Record<Language, string> = { en: 'en-GB', fr: 'fr-FR' };

/** Writes the amounts and days of one statement as its readers do. Amounts are in the currency's major unit. */
export interface Figures {
  /** With separators of thousands, for people: 1,234.50 or 1 234,50. */
  amount: (amount: number) => string;
  /** The same with the currency's code. */
  money: (amount: number) => string;
  /** The day of an instant or a date, short: 1 Sep 2026; 01/09/2026. */
  day: (when: string) => string;
  /** 1 September 2026, 1er septembre 2026. */
  longDay: (when: string) => string;
  /** A day and a time of it, long. */
  moment: (when: string) => string;
}

export function figuresOf(language: Language, currency: string): Figures {
  const locale = LOCALES[language];
  const digits = minorDigits(currency);
  const decimals = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  const amount = new Intl.NumberFormat(locale, decimals);
  const money = new Intl.NumberFormat(locale, { ...decimals, style: 'currency', currency, currencyDisplay: 'code' });
  const long = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' });
  const time = new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone: 'UTC' });
  const longDay = (when: string) => firstOfMonth(long.format(new Date(when)), language);
  return {
    amount: (value) => amount.format(value),
    money: (value) => money.format(value),
    day: language === 'en' ? englishDay : (when) => FRENCH_DAY.format(new Date(when)),
    longDay,
    moment: (when) => `${longDay(when)}, ${time.format(new Date(when))} UTC`,
  };
}

const FRENCH_DAY = new Intl.DateTimeFormat('fr-FR', { dateStyle: 'short', timeZone: 'UTC' });

/** English readers differ in whether the day or the month comes first, so the month is a word: of three letters. */
const ENGLISH_MONTH = new Intl.DateTimeFormat('en-US', { month: 'short', timeZone: 'UTC' });

function englishDay(when: string): string {
  const at = new Date(when);
  return `${String(at.getUTCDate())} ${ENGLISH_MONTH.format(at)} ${String(at.getUTCFullYear())}`;
}

/** French counts the first day of a month as "1er"; Intl does not. */
function firstOfMonth(day: string, language: Language): string {
  return language === 'fr' ? day.replace(/^1 /, '1er ') : day;
}
