/** Names that people have chosen, made safe for one line of a message. */

/** Longer names would hide the rest of a subject on a phone. */
const NAME_MAX_CODE_POINTS = 60;

/** Line breaks, which would start a header, and marks that reverse the text after them. */
const NOT_IN_A_LINE = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu;

/** Returns a name as one line without invisible control characters, cut if it is very long. */
export function oneLine(name: string, max_code_points = NAME_MAX_CODE_POINTS): string {
  const line = name.replace(NOT_IN_A_LINE, ' ').replace(/\s+/gu, ' ').trim();
  const code_points = Array.from(line);
  if (code_points.length <= max_code_points) return line;
  return `${code_points
    .slice(0, max_code_points - 1)
    .join('')
    .trim()}…`;
}
