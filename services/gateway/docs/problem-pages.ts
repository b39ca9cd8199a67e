/** What the `type` of a problem document leads to: each error code explained, as HTML and as JSON. */
import { createHash } from 'node:crypto';
import { ERRORS, isErrorCode } from '../../../lib/errors/codes.ts';
import type { ErrorCode } from '../../../lib/errors/codes.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { Language } from '../../../lib/language/languages.ts';
import { jsonPage } from '../http/page.ts';
import type { PageAnswer, PageRequest } from '../http/page.ts';

const STYLE = `
  body { font: 1rem/1.5 system-ui, sans-serif; max-width: 44rem; margin: 2rem auto; padding: 0 1rem; color: #1b1b1b; background: #fff; }
  code { font-family: ui-monospace, monospace; background: #f0f0f0; padding: 0 .25em; border-radius: 3px; }
  dt { margin-top: 1rem; }
  a { color: #00509d; }
  @media (prefers-color-scheme: dark) { body { color: #eee; background: #161616; } code { background: #2c2c2c; } a { color: #8ec5ff; } }
`;

/** Allows this style alone. */
const STYLE_POLICY = `default-src 'none'; frame-ancestors 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`;

const TEXTS: Record<Language, { all: string; intro: string; status: string; back: string }> = {
  en: {
    all: 'Errors',
    intro: 'Every error of this API has one of these codes. Programs decide on the code, which never changes.',
    status: 'HTTP status',
    back: 'All errors',
  },
  fr: {
    all: 'Erreurs',
    intro: 'Chaque erreur de cette API porte l’un de ces codes. Un programme se fie au code, qui ne change jamais.',
    status: 'Statut HTTP',
    back: 'Toutes les erreurs',
  },
};

/** `/problems`: every code. */
export function problemIndex(asked: PageRequest): PageAnswer {
  return shown(asked, listOf(asked.language), () => index(asked.language));
}

/** `/problems/<code>`. @throws not_found for a code that is not in the table */
export function problemPage(asked: PageRequest): PageAnswer {
  const { code } = asked.parameters;
  if (!isErrorCode(code)) throw problem('not_found');
  const entry = entryOf(code, asked.language);
  return shown(asked, entry, () => article(entry, asked.language));
}

interface Entry {
  type: string;
  code: ErrorCode;
  status: number;
  title: string;
  detail: string;
}

function entryOf(code: ErrorCode, language: Language): Entry {
  return { type: `/problems/${code}`, code, status: ERRORS[code].status, ...ERRORS[code][language] };
}

function listOf(language: Language): { data: Entry[] } {
  return { data: (Object.keys(ERRORS) as ErrorCode[]).map((code) => entryOf(code, language)) };
}

function shown({ preferred, language }: PageRequest, value: unknown, html: () => string): PageAnswer {
  const headers = { 'Content-Language': language, Vary: 'Accept, Accept-Language' };
  if (preferred(['text/html', 'application/json']) === 'application/json') return jsonPage(value, headers);
  return { contentType: 'text/html; charset=utf-8', body: html(), headers, contentSecurityPolicy: STYLE_POLICY };
}

function index(language: Language): string {
  const { all, intro } = TEXTS[language];
  const items = listOf(language).data.map(
    ({ code, status, title, detail }) =>
      `<dt><a href="/problems/${code}"><code>${code}</code></a> · ${String(status)} · ${escaped(title)}</dt>\n` +
      `<dd>${prose(detail)}</dd>`,
  );
  return document(language, all, `<h1>${all}</h1>\n<p>${intro}</p>\n<dl>\n${items.join('\n')}\n</dl>`);
}

function article({ code, status, title, detail }: Entry, language: Language): string {
  const texts = TEXTS[language];
  return document(
    language,
    title,
    `<h1>${escaped(title)}</h1>\n<p><code>${code}</code> · ${texts.status} ${String(status)}</p>\n` +
      `<p>${prose(detail)}</p>\n<p><a href="/problems">${texts.back}</a></p>`,
  );
}

function document(language: Language, title: string, body: string): string {
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
${body}
</body>
</html>
`;
}

/** A text of the table as HTML, with code between backquotes. */
function prose(text: string): string {
  return escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
