/** The request to an SMS gateway, as the settings describe it. */

/** The values that a template can contain, by their names in braces. */
export type SmsValues = Record<'to' | 'text' | 'id', string>;

/** How values are written into the body. */
export type BodyKind = 'json' | 'form' | 'xml' | 'text';

const PLACEHOLDER = /\{(to|text|id)\}/g;

/** Returns how values are written into a body of this content type; undefined if that is not known. */
export function bodyKindOf(content_type: string): BodyKind | undefined {
  const [before = ''] = content_type.toLowerCase().split(';');
  const media_type = before.trim();
  if (/^application\/(?:[\w.+-]+\+)?json$/.test(media_type)) return 'json';
  if (/^[\w.-]+\/(?:[\w.+-]+\+)?xml$/.test(media_type)) return 'xml';
  if (media_type === 'application/x-www-form-urlencoded') return 'form';
  return media_type === 'text/plain' ? 'text' : undefined;
}

/** The characters that have a meaning in texts and attributes of XML. */
const XML_ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };

const WRITE: Record<BodyKind, (value: string) => string> = {
  // Without its quotation marks, which the template has.
  json: (value) => JSON.stringify(value).slice(1, -1),
  form: (value) => encodeURIComponent(value),
  xml: (value) => value.replace(/[&<>"']/g, (character) => XML_ESCAPES[character] ?? ''),
  // It has no escapes. No value has a line break.
  text: (value) => value,
};

/** Returns a template with the values in it, escaped so that no value can add anything else to JSON, a form or XML. */
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

/** Headers that the connection has itself: with another value, no request can be sent. */
const OF_CONNECTION = new Set(['connection', 'content-length', 'expect', 'keep-alive', 'transfer-encoding', 'upgrade']);

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
    ([name, text]) =>
      /^[\w!#$%&'*+.^`|~-]+$/.test(name) &&
      !OF_CONNECTION.has(name.toLowerCase()) &&
      typeof text === 'string' &&
      /^[\t\x20-\x7e]*$/.test(text),
  );
  return areHeaders
    ? Object.fromEntries(entries.map(([name, text]) => [name.toLowerCase(), text as string]))
    : undefined;
}
