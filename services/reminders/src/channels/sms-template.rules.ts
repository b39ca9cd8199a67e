/** The request to an SMS gateway, as the settings describe it. */

/** The values that a template can contain, by their names in braces. */
export type SmsValues = Record<'to' | 'text' | 'id', string>;

/** How values are written into the body. */
export type BodyKind = 'json' | 'form' | 'text';

const PLACEHOLDER = /\{(to|text|id)\}/g;

/** Returns how values are written into a body of this content type. */
export function bodyKindOf(content_type: string): BodyKind {
  const [media_type = ''] = content_type.toLowerCase().split(';');
  if (/^application\/(?:[\w.+-]+\+)?json$/.test(media_type.trim())) return 'json';
  return media_type.trim() === 'application/x-www-form-urlencoded' ? 'form' : 'text';
}

const WRITE: Record<BodyKind, (value: string) => string> = {
  // Without its quotation marks, which the template has.
  json: (value) => JSON.stringify(value).slice(1, -1),
  form: (value) => encodeURIComponent(value),
  text: (value) => value,
};

/** Returns a template with the values in it, escaped so that no value can add anything else to the body. */
export function fillTemplate(template: string, values: SmsValues, kind: BodyKind): string {
  return template.replace(PLACEHOLDER, (_match, name: keyof SmsValues) => WRITE[kind](values[name]));
}

/** Says what is wrong with a template of a body; undefined if nothing is. */
export function templateFault(template: string, kind: BodyKind): string | undefined {
  if (!template.includes('{to}') || !template.includes('{text}')) return 'must contain {to} and {text}';
  if (kind !== 'json') return undefined;
  try {
    JSON.parse(fillTemplate(template, { to: '"', text: '\\"', id: '"' }, 'json'));
    return undefined;
  } catch {
    return 'must be JSON, with {to} and {text} within quotation marks';
  }
}

/** Reads the headers of the setting; undefined if it is not an object of texts that can be headers. */
export function readHeaders(json: string): Record<string, string> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const entries = Object.entries(value);
  const areHeaders = entries.every(
    ([name, text]) => /^[\w!#$%&'*+.^`|~-]+$/.test(name) && typeof text === 'string' && /^[\t\x20-\x7e]*$/.test(text),
  );
  return areHeaders
    ? Object.fromEntries(entries.map(([name, text]) => [name.toLowerCase(), text as string]))
    : undefined;
}
