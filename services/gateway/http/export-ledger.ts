import type { Answer } from '../../../lib/contracts/action.ts';
import * as treasury from '../../../lib/contracts/treasury.ts';
import { spendLines } from './long-answers.ts';
import type { Ask, EndpointCall, Request } from './request.ts';

/** The transfers that one call returns. */
type Batch = Answer<typeof treasury.ledgerExport>;

/**
 * Yields the transfers of an association as lines of JSON, oldest first, up to the last one that existed when the
 * export began. Only one batch is in memory: the next one is read when the client has taken the previous one.
 * @throws the refusal of a batch
 */
export async function* exportLedger(ask: Ask, call: EndpointCall, request: Request): AsyncGenerator<string> {
  const batchAfter = async (query: EndpointCall['query']) =>
    (await ask(treasury.ledgerExport.name, { ...call, query })) as Batch;
  // The first batch is read before the head, because this call also validates the query.
  let { transfers, done } = await batchAfter(call.query);
  const head = await ask(treasury.ledgerHead.name, { ...call, query: {} });
  const { seq: last_seq } = head as Answer<typeof treasury.ledgerHead>;
  for (;;) {
    const wanted = transfers.filter((transfer) => transfer.seq <= last_seq);
    spendLines(request, transfers.length);
    if (wanted.length > 0) yield wanted.map((transfer) => `${lineOf(transfer)}\n`).join('');
    const after_seq = transfers.at(-1)?.seq;
    if (done || after_seq === undefined || after_seq >= last_seq) return;
    ({ transfers, done } = await batchAfter({ after_seq }));
  }
}

/** NEL, LINE SEPARATOR and PARAGRAPH SEPARATOR. JSON allows them unescaped, but many readers end a line there. */
const LINE_ENDS = /[\u0085\u2028\u2029]/g;

function lineOf(transfer: Batch['transfers'][number]): string {
  const escaped = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(transfer).replace(LINE_ENDS, escaped);
}
