import type { AttendanceEntry, Sheet } from '../../../lib/contracts/contribution.ts';
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
  /** Of a filled sheet. */
  minutes: {
    file: 'minutes',
    title: 'Minutes',
    columns: { attendance: 'Attendance', treasury: 'To the treasury', owed: 'Still owes' },
    attendance: {
      present: 'present',
      late: 'late',
      absent: 'absent',
      excused: 'excused',
      represented: 'represented',
    } satisfies Record<AttendanceEntry['status'], string>,
    total: 'Total',
    /** What became of the sheet, with the moment of its confirmation. */
    status: {
      draft: () => 'Draft: nothing of it is in the ledger.',
      submitted: () => 'Submitted: the board has not decided yet.',
      confirmed: (when) => `Confirmed by the board and entered in the ledger on ${when}.`,
      reversed: (when) => `Confirmed on ${when}, and reversed by a correction since.`,
    } as Record<Sheet['status'], (when: string) => string>,
    recordedBy: (name: string, when: string) => `Recorded by ${name} on ${when}.`,
    /** What the cash box should have held before the sheet. */
    cashBefore: (amount: string) => `In the cash box before: ${amount}.`,
    sheet: 'Sheet',
    none: 'none',
  },
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
  minutes: {
    file: 'proces-verbal',
    title: 'Procès-verbal',
    columns: { attendance: 'Présence', treasury: 'À la caisse', owed: 'Reste dû' },
    attendance: {
      present: 'présent',
      late: 'en retard',
      absent: 'absent',
      excused: 'excusé',
      represented: 'représenté',
    },
    total: 'Total',
    status: {
      draft: () => 'Brouillon : rien n’est inscrit au grand livre.',
      submitted: () => 'Soumise : le bureau n’a pas encore décidé.',
      confirmed: (when) => `Confirmée par le bureau et inscrite au grand livre le ${when}.`,
      reversed: (when) => `Confirmée le ${when}, puis annulée par une rectification.`,
    },
    recordedBy: (name, when) => `Établie par ${name} le ${when}.`,
    cashBefore: (amount) => `Dans la caisse auparavant : ${amount}.`,
    sheet: 'Feuille',
    none: 'aucune',
  },
};

export const SHEET_WORDS: Record<Language, SheetWords> = { en: EN, fr: FR };
