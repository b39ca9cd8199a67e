/** Lays out a message as a mail: as text and as HTML, of the same parts. */
import { WORDS, type WrittenMessage } from './texts.view.ts';

export interface MailContent {
  subject: string;
  text: string;
  html: string;
}

/** Returns the parts of a mail. Everything in it may have been written by others, and is escaped. */
export function layOutMail({ language, piece, footer }: WrittenMessage): MailContent {
  const { subject, heading, paragraphs, highlight, rows } = piece;
  const { colon } = WORDS[language];
  const [first = '', ...others] = paragraphs;
  const facts = rows.map(([label, value]) => `${label}${colon}${value}`).join('\n');
  const text = [heading, first, highlight, ...others, facts, `-- \n${footer.join('\n')}`];
  return {
    subject,
    text: `${text.filter((part) => part !== undefined && part !== '').join('\n\n')}\n`,
    html: page(language, subject, [
      `<h1 class="strong" style="${STYLES.heading}">${escape(heading)}</h1>`,
      paragraph(first),
      ...(highlight === undefined
        ? []
        : [`<p class="strong box" style="${STYLES.highlight}"><bdi>${escape(highlight)}</bdi></p>`]),
      ...others.map(paragraph),
      ...(rows.length === 0 ? [] : [table(rows)]),
      ...footer.map((line) => `<p class="soft" style="${STYLES.footer}">${escape(line)}</p>`),
    ]),
  };
}

const paragraph = (line: string): string => `<p style="${STYLES.paragraph}">${escape(line)}</p>`;

function table(rows: readonly [string, string][]): string {
  const lines = rows.map(
    ([label, value]) =>
      `<tr><th scope="row" class="soft line" style="${STYLES.label}">${escape(label)}</th>` +
      `<td class="line" style="${STYLES.value}"><bdi>${escape(value)}</bdi></td></tr>`,
  );
  return `<table style="${STYLES.table}">${lines.join('')}</table>`;
}

const FONT = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";

/** Inline, as many mail programs drop other styles. `overflow-wrap` keeps long names on a narrow screen. */
const STYLES = {
  body: `margin:0;padding:16px;background:#f3f4f6;color:#1f2937;${FONT};font-size:16px;line-height:1.5`,
  card: 'max-width:560px;margin:0 auto;padding:24px;background:#ffffff;border-radius:8px;overflow-wrap:anywhere',
  heading: 'margin:0 0 16px;font-size:22px;line-height:1.3;color:#111827',
  paragraph: 'margin:0 0 16px',
  highlight:
    'margin:0 0 16px;padding:12px 16px;background:#f3f4f6;border-radius:6px;font-size:24px;line-height:1.3;' +
    'font-weight:600;color:#111827',
  table: 'width:100%;border-collapse:collapse;margin:0 0 24px',
  label:
    'padding:8px 12px 8px 0;border-bottom:1px solid #e5e7eb;text-align:left;vertical-align:top;font-weight:400;' +
    'color:#4b5563;white-space:nowrap',
  value: 'padding:8px 0;border-bottom:1px solid #e5e7eb;vertical-align:top',
  footer: 'margin:0 0 4px;font-size:13px;color:#4b5563',
} as const;

/** For mail programs that show a page in dark colours and keep style sheets; the others invert the colours themselves. */
const DARK = `@media (prefers-color-scheme: dark) {
  .page { background: #111827 !important; color: #e5e7eb !important; }
  .card { background: #1f2937 !important; }
  .strong { color: #f9fafb !important; }
  .box { background: #374151 !important; }
  .soft { color: #9ca3af !important; }
  .line { border-color: #374151 !important; }
}`;

function page(language: string, title: string, parts: readonly string[]): string {
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escape(title)}</title>
<style>${DARK}</style>
</head>
<body class="page" style="${STYLES.body}">
<div class="card" style="${STYLES.card}">
${parts.join('\n')}
</div>
</body>
</html>
`;
}

const ESCAPED: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPED[character] ?? '');
}
