import type { Row } from './row.ts';

/** What the tables' words mean, each told if a row has it. */
const TERMS: readonly (readonly [word: string, meaning: string])[] = [
  ['in flight', 'so many are under way at any time: when one is answered, the next begins'],
  ['hand', 'one share in a cycle, of which a member may hold several; the settlements here pay every one'],
  [
    'plain',
    'a transaction for each transfer: it locks the chain’s head and both accounts, and writes the rows that ours ' +
      'writes, by prepared statements on the one or two connections that suit it best',
  ],
  [
    'pgledger',
    'the public SQL ledger of that name: a call of its function for each transfer, on one or two connections; it has ' +
      'no ids given by the caller, no chain and no events',
  ],
  ['RSA decryption', 'RSA-OAEP by WebCrypto on encrypted PINs, in a process that does nothing else'],
  ['token check', '`jwt.verify` with a key prepared once, in a process that does nothing else'],
  [
    'empty hops',
    'a bare gateway and the services a, b and c, which do nothing; the gateway calls a, and a calls b and c, over NATS ' +
      'with the messages of a contribution',
  ],
  [
    'plain SQL',
    'what a contribution reads and writes, by one process in prepared statements, and its events put into JetStream; ' +
      'no services, no messages between them, no cryptography',
  ],
  [
    'bare route',
    'a moleculer-web route to an action that gives the same rows by one prepared statement; no token, no checks, no ' +
      'limits, no cursors',
  ],
  ['one plain SQL transaction', 'the rows of a settlement written by one process, all tables in one database'],
  ['empty', 'the same, measured where nothing was there before'],
];

/** A line for each word that the rows use and that is not plain English, as a Markdown list; empty if there is none. */
export function legendOf(rows: readonly Row[]): string {
  return TERMS.filter(([word]) => rows.some((row) => uses(row, word)))
    .map(([word, meaning]) => `- *${word}*: ${meaning}`)
    .join('\n');
}

function uses({ what, beside }: Row, word: string): boolean {
  const other = beside?.what ?? '';
  // These are whole names of what is measured beside ours, and words within other names.
  if (word === 'plain' || word === 'empty') return other === word;
  return new RegExp(`\\b${word}s?\\b`).test(`${what} ${other}`) && !(word === 'plain SQL' && other.startsWith('one '));
}
