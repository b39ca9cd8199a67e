import { callOnAnyNode } from '../../../lib/service/call.ts';
import type { Answer } from '../../../lib/contracts/action.ts';
import * as treasury from '../../../lib/contracts/treasury.ts';
import type { EndpointCall, GatewayContext } from './request.ts';

/** As many transfers as one call gives. */
type Batch = Answer<typeof treasury.ledgerExport>;

/**
 * An association's transfers, one JSON object a line, oldest first, up to the last one there was when it began. Only one
 * batch is in memory: the next one is asked for when the client has taken the one before.
 * @throws the refusal of a batch
 */
export async function* exportLedger(ctx: GatewayContext, call: EndpointCall): AsyncGenerator<string> {
  const batchAfter = async (query: EndpointCall['query']) =>
    (await callOnAnyNode(ctx, treasury.ledgerExport.name, { ...call, query }, { reads: true })) as Batch;
  // The batch comes before the head, since this call checks the query as well.
  let { transfers, done } = await batchAfter(call.query);
  const head = await callOnAnyNode(ctx, treasury.ledgerHead.name, { ...call, query: {} }, { reads: true });
  const { seq: last_seq } = head as Answer<typeof treasury.ledgerHead>;
  for (;;) {
    const wanted = transfers.filter((transfer) => transfer.seq <= last_seq);
    if (wanted.length > 0) yield wanted.map((transfer) => `${lineOf(transfer)}\n`).join('');
    const after_seq = transfers.at(-1)?.seq;
    if (done || after_seq === undefined || after_seq >= last_seq) return;
    ({ transfers, done } = await batchAfter({ after_seq }));
  }
}

/** JSON lets them stand as they are, but many readers end a line there: NEL, LINE SEPARATOR, PARAGRAPH SEPARATOR. */
const LINE_ENDS = /[\u0085\u2028\u2029]/g;

function lineOf(transfer: Batch['transfers'][number]): string {
  const escaped = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(transfer).replace(LINE_ENDS, escaped);
}
