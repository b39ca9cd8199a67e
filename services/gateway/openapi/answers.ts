/** What an operation answers with, by media type. */
import { EXAMPLE, EXAMPLE_HASH } from '../../../lib/contracts/ids.ts';
import { transferRecord } from '../../../lib/contracts/treasury/ledger.ts';
import { exampleOf } from '../../../lib/schema/examples.ts';
import { schemaOf } from '../../../lib/schema/json-schema.ts';
import type { Components, JsonSchema } from '../../../lib/schema/json-schema.ts';
import type { Route } from '../routes.ts';
import { schemaNameOf } from './names.ts';

/** The `content` of a success. */
export function answerContent(route: Route, components: Components, example: unknown): Record<string, JsonSchema> {
  if (route.answer === 'ndjson') return { 'application/x-ndjson': lines(components) };
  const { name, answer } = route.endpoint;
  const json = { 'application/json': { schema: schemaOf(answer, components, schemaNameOf(name, 'Answer')), example } };
  return route.answer === 'statement' ? { ...json, ...STATEMENT_FILES } : json;
}

/** OpenAPI 3.1 has no schema for lines: each line's is given beside. */
function lines(components: Components): JsonSchema {
  const line = schemaOf(transferRecord, components, 'Transfer');
  return {
    schema: { type: 'string', description: 'One transfer a line, as JSON.' },
    'x-line-schema': line,
    example: `${JSON.stringify(exampleOf(transferRecord, 'answer'))}\n`,
  };
}

/** A statement of one contribution, as CSV in English. */
export const STATEMENT_CSV_EXAMPLE = [
  '\uFEFFDate,Currency,Movement,Round,Meeting day,Meeting title,Reference,Method,Paid in,Paid out,Balance,' +
    'Owes in arrears,Is owed in arrears,Meeting,Transfer,Hash',
  '2026-10-01,XAF,opening_balance,,,,,,,,0,,,,,',
  '2026-10-05,XAF,contribution,1,2026-10-05,,,wallet,10000,,10000,,,' +
    [EXAMPLE.meeting_id, EXAMPLE.transfer_id, EXAMPLE_HASH].join(','),
  `2026-10-05,XAF,arrears,1,2026-10-05,,,,,,,2000,,${EXAMPLE.meeting_id},,`,
  '2026-10-31,XAF,closing_balance,,,,,,10000,0,10000,2000,0,,,',
  '',
].join('\r\n');

const STATEMENT_FILES = {
  'text/csv': {
    schema: {
      type: 'string',
      description:
        'RFC 4180 in UTF-8, with headings, the opening balance, each movement and the closing balance. In French fields ' +
        'are separated by semicolons.',
    },
    example: STATEMENT_CSV_EXAMPLE,
  },
  'application/pdf': {
    schema: { type: 'string', contentMediaType: 'application/pdf', description: 'To print and hand round.' },
  },
};
