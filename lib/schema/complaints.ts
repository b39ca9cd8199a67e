/** Turns the validator's findings into what a client is told: which field, which rule. Never what was sent. */
import type { FieldComplaint } from '../errors/problem.ts';
import type { Language } from '../language/languages.ts';

/** One finding of fastest-validator, as it is or come over NATS. */
export interface Finding {
  type: string;
  /** Such as `rules.approvals.motion` or `member_order[3]`; absent for the value as a whole. */
  field?: string | undefined;
  /** What the rule asks for. */
  expected?: unknown;
}

/** A hostile body can break a rule in thousands of places; nobody reads past these. */
const COMPLAINTS_MAX = 100;

type Wording = { code: string } & Record<Language, (expected: string) => string>;

/** The same rule in both languages, for the words that are used here. */
function plural(word: string, count: string): string {
  return count === '1' ? word : `${word}s`;
}

/** fastest-validator's types of findings -> the public code and its words. */
const WORDINGS: Record<string, Wording> = {
  required: { code: 'required', en: () => 'This field is required.', fr: () => 'Ce champ est obligatoire.' },
  string: {
    code: 'type',
    en: () => 'This must be a string.',
    fr: () => 'Ce champ doit être une chaîne de caractères.',
  },
  number: { code: 'type', en: () => 'This must be a number.', fr: () => 'Ce champ doit être un nombre.' },
  boolean: { code: 'type', en: () => 'This must be true or false.', fr: () => 'Ce champ doit être true ou false.' },
  object: { code: 'type', en: () => 'This must be an object.', fr: () => 'Ce champ doit être un objet.' },
  array: { code: 'type', en: () => 'This must be an array.', fr: () => 'Ce champ doit être une liste.' },
  stringMin: {
    code: 'too_short',
    en: (expected) => `This must have at least ${expected} ${plural('character', expected)}.`,
    fr: (expected) => `Ce champ doit compter au moins ${expected} ${plural('caractère', expected)}.`,
  },
  stringMax: {
    code: 'too_long',
    en: (expected) => `This may have at most ${expected} ${plural('character', expected)}.`,
    fr: (expected) => `Ce champ peut compter au plus ${expected} ${plural('caractère', expected)}.`,
  },
  stringPattern: {
    code: 'malformed',
    en: () => 'This holds characters that it may not hold.',
    fr: () => 'Ce champ contient des caractères qui n’y sont pas admis.',
  },
  stringEnum: {
    code: 'not_allowed',
    en: (expected) => `This must be one of: ${expected}.`,
    fr: (expected) => `Ce champ doit être l’une des valeurs suivantes\u00a0: ${expected}.`,
  },
  currency: {
    code: 'not_allowed',
    en: () => 'This must be an ISO 4217 currency code with minor units.',
    fr: () => 'Ce champ doit être le code ISO 4217 d’une devise ayant une unité divisionnaire.',
  },
  date: {
    code: 'date',
    en: () => 'This must be a day that exists, written YYYY-MM-DD.',
    fr: () => 'Ce champ doit être une date existante, écrite AAAA-MM-JJ.',
  },
  dateMin: {
    code: 'too_small',
    en: (expected) => `This must be ${expected} or later.`,
    fr: (expected) => `Ce champ doit être le ${expected} ou une date ultérieure.`,
  },
  dateMax: {
    code: 'too_large',
    en: (expected) => `This must be ${expected} or earlier.`,
    fr: (expected) => `Ce champ doit être le ${expected} ou une date antérieure.`,
  },
  numberInteger: {
    code: 'integer',
    en: () => 'This must be a whole number.',
    fr: () => 'Ce champ doit être un nombre entier.',
  },
  numberPositive: {
    code: 'too_small',
    en: () => 'This must be greater than 0.',
    fr: () => 'Ce champ doit être supérieur à 0.',
  },
  numberMin: {
    code: 'too_small',
    en: (expected) => `This must be at least ${expected}.`,
    fr: (expected) => `Ce champ doit être au moins égal à ${expected}.`,
  },
  numberMax: {
    code: 'too_large',
    en: (expected) => `This may be at most ${expected}.`,
    fr: (expected) => `Ce champ peut être au plus égal à ${expected}.`,
  },
  objectMinProps: {
    code: 'required',
    en: (expected) => `At least ${expected} ${expected === '1' ? 'member is' : 'members are'} required here.`,
    fr: (expected) => `Au moins ${expected} ${expected === '1' ? 'membre est requis' : 'membres sont requis'} ici.`,
  },
  arrayMin: {
    code: 'too_few',
    en: (expected) => `This must have at least ${expected} ${plural('item', expected)}.`,
    fr: (expected) => `Cette liste doit compter au moins ${expected} ${plural('élément', expected)}.`,
  },
  arrayMax: {
    code: 'too_many',
    en: (expected) => `This may have at most ${expected} ${plural('item', expected)}.`,
    fr: (expected) => `Cette liste peut compter au plus ${expected} ${plural('élément', expected)}.`,
  },
};

/** fastest-validator takes null for absent, and calls it required where it may be absent too. */
const NULL: Wording = {
  code: 'null',
  en: () => 'This must not be null. A field that is optional is left out instead.',
  fr: () => 'Ce champ ne doit pas être null. Un champ facultatif s’omet.',
};

const UNKNOWN: Wording = {
  code: 'unknown',
  en: () => 'There is no such field here.',
  fr: () => 'Ce champ n’existe pas ici.',
};

const OTHERWISE: Wording = {
  code: 'invalid',
  en: () => 'This value is not allowed here.',
  fr: () => 'Cette valeur n’est pas admise ici.',
};

/**
 * The French of complaints that a service words itself, in English, by their code: less exact, as the particulars are
 * in the English text alone.
 */
const FRENCH_BY_CODE: Record<string, string> = {
  required: 'Une valeur est requise ici pour cette requête.',
  type: 'Ce champ n’est pas du type attendu.',
  null: NULL.fr(''),
  unknown: UNKNOWN.fr(''),
  invalid: OTHERWISE.fr(''),
  not_allowed: 'Cette valeur n’est pas admise dans cette requête.',
  malformed: 'Cette valeur n’est pas écrite comme il se doit.',
  precision: 'Ce nombre comporte plus de chiffres qu’il n’est possible d’en conserver exactement, soit 15.',
  date: 'Cette date n’est pas admise ici.',
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

/** A complaint that a service has worded, in the client's language as far as its code tells. */
export function reworded(complaint: FieldComplaint, language: Language): FieldComplaint {
  if (language === 'en' || !Object.hasOwn(FRENCH_BY_CODE, complaint.code)) return complaint;
  return { ...complaint, detail: FRENCH_BY_CODE[complaint.code] ?? complaint.detail };
}

/**
 * The complaints about a checked value.
 * @param value what was checked, to find the names of unknown members
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
  const segments = segmentsOf(finding.field);
  const pointer = prefix + segments.map(pointerSegment).join('');
  if (finding.type === 'objectStrict') {
    return unknownMembers(at(value, segments), expectedText(finding)).map((name) => ({
      pointer: pointer + pointerSegment(name),
      code: UNKNOWN.code,
      detail: UNKNOWN[language](''),
    }));
  }
  const isNull = finding.type === 'required' && at(value, segments) === null;
  const wording = isNull ? NULL : (WORDINGS[finding.type] ?? OTHERWISE);
  return [{ pointer, code: wording.code, detail: wording[language](expectedText(finding)) }];
}

/** `member_order[3].name` -> its segments; contracts give no field a name with a dot or a bracket. */
function segmentsOf(field: string | undefined): string[] {
  return field === undefined ? [] : field.split(/[.[\]]+/).filter((segment) => segment !== '');
}

/** One reference token of a JSON Pointer, escaped (RFC 6901, section 3). */
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

/** The names themselves: the finding has them in one text, which a name with a comma would break. */
function unknownMembers(value: unknown, known: string): string[] {
  const names = new Set(known.split(', '));
  return Object.keys(value ?? {}).filter((name) => !names.has(name));
}

function expectedText({ expected }: Finding): string {
  return typeof expected === 'string' || typeof expected === 'number' ? String(expected) : '';
}
