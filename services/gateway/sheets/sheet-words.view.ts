import type { MeetingReference } from '../../../lib/contracts/fields.ts';
import type { Language } from '../../../lib/language/languages.ts';

/** All texts of a sheet except names, dates and amounts. */
export type SheetWords = typeof EN;

const EN = {
  /** The first part of the file name, in lower-case ASCII. */
  file: 'sheet',
  title: 'Meeting sheet',
  /** A meeting with its formatted day. */
  meeting: ({ round, title }: MeetingReference, day: string) =>
    `${round === null ? 'Meeting' : `Round ${String(round)}`}, ${day}${title === null ? '' : `, ${title}`}`,
  amountsIn: (currency: string, made: string) => `All amounts in ${currency}. What is owed is as of ${made}.`,
  columns: {
    name: 'Member',
    due: 'Due',
    arrears: 'Arrears',
    fines: 'Fines',
    paid: 'Paid',
    finePaid: 'Fine paid',
    present: 'Here',
    late: 'Late',
    absent: 'Away',
    signature: 'Signature',
  },
  counted: 'Counted cash',
  expected: 'Expected cash',
  difference: 'Difference',
  note: 'Note',
  signatures: ['President', 'Treasurer', 'Secretary'],
  page: (number: number, of: number) => `Page ${String(number)} of ${String(of)}`,
};

const FR: SheetWords = {
  file: 'feuille',
  title: 'Feuille de réunion',
  meeting: ({ round, title }, day) =>
    `${round === null ? 'Réunion' : `Tour ${String(round)}`}, ${day}${title === null ? '' : `, ${title}`}`,
  amountsIn: (currency, made) => `Montants en ${currency}. Sommes dues au ${made}.`,
  columns: {
    name: 'Membre',
    due: 'Dû',
    arrears: 'Arriérés',
    fines: 'Amendes',
    paid: 'Versé',
    finePaid: 'Am. payée',
    present: 'Prés.',
    late: 'Ret.',
    absent: 'Abs.',
    signature: 'Signature',
  },
  counted: 'Espèces comptées',
  expected: 'Espèces attendues',
  difference: 'Écart',
  note: 'Remarque',
  signatures: ['Président', 'Trésorier', 'Secrétaire'],
  page: (number, of) => `Page ${String(number)} sur ${String(of)}`,
};

export const SHEET_WORDS: Record<Language, SheetWords> = { en: EN, fr: FR };
