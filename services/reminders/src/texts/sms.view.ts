/** Texts for SMS, in the alphabet with which 160 characters fit into one message (GSM 03.38). */

const BASIC =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';

/** Characters that take the place of two. */
const EXTENDED = '^{}\\[~]|€';

/** One SMS. A longer one is sent, and paid for, as several. */
export const SMS_MAX_CHARACTERS = 160;

/** Below this, a cut name does not tell which group is meant. */
const NAME_MIN_CHARACTERS = 4;

/** Characters that NFKD does not take apart, and how they are written without them. */
const REPLACEMENTS: Record<string, string> = {
  '\u2018': "'",
  '\u2019': "'",
  '\u201c': '"',
  '\u201d': '"',
  '«': '"',
  '»': '"',
  '\u2013': '-',
  '\u2014': '-',
  '\u2011': '-',
  œ: 'oe',
  Œ: 'OE',
};

const isInAlphabet = (character: string): boolean => BASIC.includes(character) || EXTENDED.includes(character);

/** Whether an SMS shows a text as it is; blanks of any width may become plain ones. */
export function isGsm7(text: string): boolean {
  return Array.from(text.replace(/\s/gu, ' ')).every(isInAlphabet);
}

/** Returns a text in the alphabet: letters without accents that it lacks, and without characters that have no such form. */
export function inGsm7(text: string): string {
  const characters = Array.from(text.normalize('NFC'), (character) => {
    if (isInAlphabet(character)) return character;
    const replacement = REPLACEMENTS[character] ?? character.normalize('NFKD').replace(/\p{M}/gu, '');
    return Array.from(replacement).filter(isInAlphabet).join('');
  });
  return characters.join('').replace(/ {2,}/g, ' ').trim();
}

/** Returns how much of an SMS a text in the alphabet takes. */
export function smsLength(text: string): number {
  return Array.from(text).reduce((sum, character) => sum + (EXTENDED.includes(character) ? 2 : 1), 0);
}

/**
 * Writes a text with the name of a group for one SMS. If it is too long, the name is cut; without letters of the alphabet, it is
 * replaced.
 * @param build writes the text with the name
 * @param anyGroup what stands for a name that cannot be written
 */
export function fitSms(build: (group: string) => string, group: string, anyGroup: string): string {
  const name = inGsm7(group);
  const hasLetters = /[\p{L}\p{N}]/u.test(name);
  const whole = inGsm7(build(hasLetters ? name : anyGroup));
  const excess = smsLength(whole) - SMS_MAX_CHARACTERS;
  if (excess <= 0 || !hasLetters) return whole;
  const letters = Array.from(name);
  // Two dots show that the name goes on; each of its characters takes the place of one or two.
  for (let kept = letters.length - Math.ceil(excess / 2); kept >= NAME_MIN_CHARACTERS; kept -= 1) {
    const text = inGsm7(build(`${letters.slice(0, kept).join('').trim()}..`));
    if (smsLength(text) <= SMS_MAX_CHARACTERS) return text;
  }
  return inGsm7(build(anyGroup));
}
