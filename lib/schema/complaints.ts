/** Turns the validator's findings into complaints for clients, with the field and the rule, and never the value. */
import { errorEntry, isErrorCode } from '../errors/codes.ts';
import type { FieldComplaint } from '../errors/problem.ts';
import type { Language } from '../language/languages.ts';

/** One finding of fastest-validator, made here or received over NATS. */
export interface Finding {
  type: string;
  /** Such as `rules.approvals.motion` or `member_order[3]`; absent for the value as a whole. */
  field?: string | undefined;
  /** The name of a member of the field, which may have any characters. */
  member?: string | undefined;
  /** What the rule expects. */
  expected?: unknown;
}

/** A hostile body can break a rule in thousands of places. More complaints than this do not help a reader. */
export const COMPLAINTS_MAX = 100;

/** The public code and the texts of a broken rule. `{n}` is the expected value; `{s}` is the plural ending for it. */
type Wording = readonly [code: string, en: string, fr: string];

/** The wordings, by fastest-validator's type of finding. */
const WORDINGS: Record<string, Wording> = {
  required: ['required', 'This field is required.', 'Ce champ est obligatoire.'],
  string: ['type', 'This must be a string.', 'Ce champ doit être une chaîne de caractères.'],
  number: ['type', 'This must be a number.', 'Ce champ doit être un nombre.'],
  boolean: ['type', 'This must be true or false.', 'Ce champ doit être true ou false.'],
  object: ['type', 'This must be an object.', 'Ce champ doit être un objet.'],
  array: ['type', 'This must be an array.', 'Ce champ doit être une liste.'],
  stringMin: [
    'too_short',
    'This must have at least {n} character{s}.',
    'Ce champ doit compter au moins {n} caractère{s}.',
  ],
  stringMax: ['too_long', 'This may have at most {n} character{s}.', 'Ce champ peut compter au plus {n} caractère{s}.'],
  stringPattern: [
    'malformed',
    'This contains characters that are not allowed.',
    'Ce champ contient des caractères qui n’y sont pas admis.',
  ],
  stringEnum: [
    'not_allowed',
    'This must be one of: {n}.',
    'Ce champ doit être l’une des valeurs suivantes\u00a0: {n}.',
  ],
  currency: [
    'not_allowed',
    'This must be an ISO 4217 currency code with minor units.',
    'Ce champ doit être le code ISO 4217 d’une devise ayant une unité divisionnaire.',
  ],
  timeZone: [
    'not_allowed',
    'This must be the IANA name of a time zone, such as Africa/Douala.',
    'Ce champ doit être le nom IANA d’un fuseau horaire, par exemple Africa/Douala.',
  ],
  date: [
    'date',
    'This must be a day that exists, written YYYY-MM-DD.',
    'Ce champ doit être une date existante, écrite AAAA-MM-JJ.',
  ],
  instant: [
    'instant',
    'This must be an instant as in RFC 3339, such as 2026-10-05T18:30:00Z.',
    'Ce champ doit être un instant écrit selon la RFC 3339, par exemple 2026-10-05T18:30:00Z.',
  ],
  dayOrInstant: [
    'date',
    'This must be a day that exists, written YYYY-MM-DD, or an instant as in RFC 3339, such as 2026-10-05T18:30:00Z.',
    'Ce champ doit être une date existante, écrite AAAA-MM-JJ, ou un instant écrit selon la RFC 3339, par exemple 2026-10-05T18:30:00Z.',
  ],
  dateMin: ['too_small', 'This must be {n} or later.', 'Ce champ doit être le {n} ou une date ultérieure.'],
  dateMax: ['too_large', 'This must be {n} or earlier.', 'Ce champ doit être le {n} ou une date antérieure.'],
  numberInteger: ['integer', 'This must be a whole number.', 'Ce champ doit être un nombre entier.'],
  numberPositive: ['too_small', 'This must be greater than 0.', 'Ce champ doit être supérieur à 0.'],
  numberMin: ['too_small', 'This must be at least {n}.', 'Ce champ doit être au moins égal à {n}.'],
  numberMax: ['too_large', 'This may be at most {n}.', 'Ce champ peut être au plus égal à {n}.'],
  percentDecimals: [
    'precision',
    'This may have at most two decimals.',
    'Ce champ peut comporter au plus deux décimales.',
  ],
  objectMinProps: ['required', 'This needs at least {n} member{s}.', 'Cet objet exige au moins {n} membre{s}.'],
  objectMaxProps: ['too_many', 'This may have at most {n} member{s}.', 'Cet objet peut compter au plus {n} membre{s}.'],
  memberName: [
    'malformed',
    'This name must have 1 to {n} character{s}, without control characters, and not be __proto__.',
    'Ce nom doit compter de 1 à {n} caractère{s}, sans caractère de contrôle, et ne pas être __proto__.',
  ],
  arrayMin: ['too_few', 'This must have at least {n} item{s}.', 'Cette liste doit compter au moins {n} élément{s}.'],
  arrayMax: ['too_many', 'This may have at most {n} item{s}.', 'Cette liste peut compter au plus {n} élément{s}.'],
};

/** For null, which fastest-validator reports as `required` even if the field is optional. */
const NULL: Wording = [
  'null',
  'This must not be null. A field that is optional is left out instead.',
  'Ce champ ne doit pas être null. Un champ facultatif s’omet.',
];
const UNKNOWN: Wording = ['unknown', 'This field does not exist here.', 'Ce champ n’existe pas ici.'];
const OTHERWISE: Wording = ['invalid', 'This value is not allowed here.', 'Cette valeur n’est pas admise ici.'];

/** Builds the complaint. Both languages have the same plural rule for these words. */
function wordComplaint([code, en, fr]: Wording, pointer: string, language: Language, expected = ''): FieldComplaint {
  const template = language === 'fr' ? fr : en;
  return { pointer, code, detail: template.replace('{n}', () => expected).replace('{s}', expected === '1' ? '' : 's') };
}

/** The French texts of complaints that services word in English, by code, without their details. */
const FRENCH_BY_CODE: Record<string, string> = {
  required: 'Une valeur est requise ici pour cette requête.',
  type: 'Ce champ n’est pas du type attendu.',
  null: NULL[2],
  unknown: UNKNOWN[2],
  invalid: OTHERWISE[2],
  not_allowed: 'Cette valeur n’est pas admise dans cette requête.',
  malformed: 'Cette valeur n’est pas écrite comme il se doit.',
  precision: 'Ce nombre comporte plus de chiffres qu’il n’est possible d’en conserver exactement, soit 15.',
  date: 'Cette date n’est pas admise ici.',
  instant: 'Cet instant n’est pas admis ici.',
  integer: 'Ce champ doit être un nombre entier.',
  cursor: 'Ce curseur n’a pas été fourni par cette liste.',
  too_short: 'Cette valeur est trop courte.',
  too_long: 'Cette valeur est trop longue.',
  too_small: 'Cette valeur est trop petite.',
  too_large: 'Cette valeur est trop grande.',
  too_few: 'Le nombre d’éléments est insuffisant.',
  too_many: 'Le nombre d’éléments est trop élevé.',
  amount_precision: 'Le montant comporte plus de décimales que la devise n’en admet.',
  member_order_mismatch: 'L’ordre doit nommer chaque membre autant de fois qu’il détient de parts, et nul autre.',
  round_order: 'Les tours restent dans l’ordre. Cette date doit se situer entre celles des tours voisins.',
  last_round_too_late: 'Le dernier tour serait dû après l’an 9999.',
};

/** Translates a complaint that a service worded into the client's language. */
export function translate(given: FieldComplaint, language: Language): FieldComplaint {
  if (language === 'en') return given;
  const { code, detail } = given;
  if (Object.hasOwn(FRENCH_BY_CODE, code)) return { ...given, detail: FRENCH_BY_CODE[code] ?? detail };
  // The lines of a meeting sheet are refused with error codes.
  return isErrorCode(code) ? { ...given, detail: errorEntry(code).fr.detail } : given;
}

/**
 * Returns the complaints about a checked value.
 * @param value the checked value, in which the names of unknown members are found
 * @param prefix a JSON Pointer (RFC 6901) to `value` in the request's body
 */
export function complaintsAbout(
  findings: readonly Finding[],
  value: unknown,
  prefix = '',
  language: Language = 'en',
): FieldComplaint[] {
  return findings.flatMap((finding) => complaintsOf(finding, value, prefix, language)).slice(0, COMPLAINTS_MAX);
}

function complaintsOf(finding: Finding, value: unknown, prefix: string, language: Language): FieldComplaint[] {
  const segments = [...segmentsOf(finding.field), ...(finding.member === undefined ? [] : [finding.member])];
  const pointer = prefix + segments.map(pointerSegment).join('');
  if (finding.type === 'objectStrict') {
    return unknownMembers(at(value, segments), expectedText(finding)).map((name) =>
      wordComplaint(UNKNOWN, pointer + pointerSegment(name), language),
    );
  }
  const isNull = finding.type === 'required' && at(value, segments) === null;
  const wording = isNull ? NULL : (WORDINGS[finding.type] ?? OTHERWISE);
  return [wordComplaint(wording, pointer, language, expectedText(finding))];
}

/** Splits a path such as `member_order[3].name`. No contract has a name with a dot or a bracket. */
function segmentsOf(field: string | undefined): string[] {
  return field === undefined ? [] : field.split(/[.[\]]+/).filter((segment) => segment !== '');
}

/** Returns one reference token of a JSON Pointer, escaped (RFC 6901, section 3). */
export function pointerSegment(name: string): string {
  return `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function at(value: unknown, segments: string[]): unknown {
  return segments.reduce<unknown>(
    (inside, name) =>
      typeof inside === 'object' && inside !== null ? (inside as Record<string, unknown>)[name] : undefined,
    value,
  );
}

/** Finds the names by comparison: the finding joins them with commas, which a name can contain. */
function unknownMembers(value: unknown, known: string): string[] {
  // An object without known members also has no member with the empty name.
  const names = new Set(known === '' ? [] : known.split(', '));
  return Object.keys(value ?? {}).filter((name) => !names.has(name));
}

function expectedText({ expected }: Finding): string {
  return typeof expected === 'string' || typeof expected === 'number' ? String(expected) : '';
}
