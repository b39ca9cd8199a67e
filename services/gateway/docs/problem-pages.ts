/** The pages to which the `type` of a problem document links. They explain each error code as HTML and JSON. */
import { createHash } from 'node:crypto';
import Negotiator from 'negotiator';
import { errorCodes, errorEntry, isErrorCode, type ErrorCode } from '../../../lib/errors/codes.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { Language } from '../../../lib/language/languages.ts';
import { jsonPage, type PageAnswer } from '../http/answer.ts';
import { preferredLanguage } from '../http/head.rules.ts';
import type { Request } from '../http/request.ts';

const STYLE = `
  body { font: 1rem/1.5 system-ui, sans-serif; max-width: 44rem; margin: 2rem auto; padding: 0 1rem; color: #1b1b1b; background: #fff; }
  code { font-family: ui-monospace, monospace; background: #f0f0f0; padding: 0 .25em; border-radius: 3px; }
  dt { margin-top: 1rem; }
  a { color: #00509d; }
  @media (prefers-color-scheme: dark) { body { color: #eee; background: #161616; } code { background: #2c2c2c; } a { color: #8ec5ff; } }
`;

/** Allows only this style. */
const STYLE_POLICY = `default-src 'none'; frame-ancestors 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`;

const TEXTS: Record<Language, { all: string; intro: string; status: string; back: string }> = {
  en: {
    all: 'Errors',
    intro: 'Every error of this API has one of these codes. Programs should use the code, which never changes.',
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

interface Entry {
  type: string;
  code: ErrorCode;
  status: number;
  title: string;
  detail: string;
}

/** Answers `/problems`, the list of all codes. */
export function problemIndex(request: Request): PageAnswer {
  const language = preferredLanguage(request.headers['accept-language']);
  const entries = errorCodes().map((code) => entryOf(code, language));
  const { all, intro } = TEXTS[language];
  const items = entries.map(
    ({ code, status, title, detail }) =>
      `<dt><a href="/problems/${code}"><code>${code}</code></a> · ${String(status)} · ${escapeHtml(title)}</dt>\n` +
      `<dd>${prose(detail)}</dd>`,
  );
  const body = `<p>${intro}</p>\n<dl>\n${items.join('\n')}\n</dl>`;
  return answerInForm(request, language, { data: entries }, all, body);
}

/**
 * Answers `/problems/<code>`.
 * @throws not_found for an unknown code
 */
export function problemPage(request: Request): PageAnswer {
  const code = request.$params?.params?.code;
  if (!isErrorCode(code)) throw problem('not_found');
  const language = preferredLanguage(request.headers['accept-language']);
  const entry = entryOf(code, language);
  const texts = TEXTS[language];
  const body =
    `<p><code>${code}</code> · ${texts.status} ${String(entry.status)}</p>\n<p>${prose(entry.detail)}</p>\n` +
    `<p><a href="/problems">${texts.back}</a></p>`;
  return answerInForm(request, language, entry, entry.title, body);
}

function entryOf(code: ErrorCode, language: Language): Entry {
  return { type: `/problems/${code}`, code, status: errorEntry(code).status, ...errorEntry(code)[language] };
}

/** Answers with JSON or HTML, as the client prefers; with HTML if it has no preference. */
function answerInForm(request: Request, language: Language, value: object, title: string, body: string): PageAnswer {
  const headers = { 'Content-Language': language, Vary: 'Accept, Accept-Language' };
  const type = new Negotiator(request).mediaType(['text/html', 'application/json']);
  if (type === 'application/json') return jsonPage(value, headers);
  return {
    contentType: 'text/html; charset=utf-8',
    body: htmlOf(language, escapeHtml(title), body),
    headers: { ...headers, 'Content-Security-Policy': STYLE_POLICY },
  };
}

function htmlOf(language: Language, title: string, body: string): string {
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${title}</h1>
${body}
</body>
</html>
`;
}

/** Converts a text of the error table to HTML; text between backquotes becomes code. */
function prose(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
