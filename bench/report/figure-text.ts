/** Three digits that count are all that a benchmark can stand for. */
const DIGITS = 3;
/** No two figures that differ by less than this are told apart. */
const DIGITS_MAX = 12;

/** A figure with three digits that count; thousands are set apart by narrow spaces. */
export function figureText(value: number, digits = DIGITS): string {
  if (value === 0) return '0';
  const fractional = Math.max(0, digits - 1 - Math.floor(Math.log10(Math.abs(value))));
  const [whole = '', fraction] = value.toFixed(fractional).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, '\u202f');
  const decimals = fraction?.replace(/0+$/, '') ?? '';
  return decimals === '' ? grouped : `${grouped}.${decimals}`;
}

/** A figure with as many digits more as it takes to see on which side of its goal it is: 1.6004 beside 1.6. */
export function figureTextBeside(value: number, goal: number): string {
  const side = Math.sign(value - goal);
  for (let digits = DIGITS; digits < DIGITS_MAX; digits += 1) {
    const text = figureText(value, digits);
    if (Math.sign(Number(text.replaceAll('\u202f', '')) - goal) === side) return text;
  }
  return figureText(value, DIGITS_MAX);
}
