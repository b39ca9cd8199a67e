import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Answer } from '../../../lib/contracts/action.ts';
import * as treasury from '../../../lib/contracts/treasury.ts';
import type { EndpointCall } from './answer-endpoint.ts';
import { beginStream } from './answers.ts';
import type { GatewayContext, Request, Response } from './exchange.ts';
import { read } from './read.ts';

type Stretch = Answer<typeof treasury.ledgerExport>;

/**
 * Streams an association's transfers, one JSON object a line, oldest first, up to the last one there was when it began.
 * No more than a stretch is in memory: the next one is asked for when the client has taken the one before.
 * @throws what refuses the first stretch. A later fault cuts the connection, so that the client sees that the file is
 * not whole.
 */
export async function exportLedger(
  ctx: GatewayContext,
  input: EndpointCall,
  request: Request,
  response: Response,
): Promise<void> {
  // It comes first, since it judges the query as well.
  const first = await stretch(ctx, input);
  const head = await read(ctx, treasury.ledgerHead, { ...input, query: {} });
  beginStream(request, response, 'application/x-ndjson; charset=utf-8');
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  await pipeline(Readable.from(lines(ctx, input, first, head.seq), { objectMode: false }), response);
}

async function* lines(
  ctx: GatewayContext,
  input: EndpointCall,
  first: Stretch,
  last_seq: number,
): AsyncGenerator<string> {
  for (let { transfers, done } = first; ;) {
    const wanted = transfers.filter((transfer) => transfer.seq <= last_seq);
    if (wanted.length > 0) yield wanted.map((transfer) => `${lineOf(transfer)}\n`).join('');
    const after_seq = transfers.at(-1)?.seq;
    if (done || after_seq === undefined || after_seq >= last_seq) return;
    ({ transfers, done } = await stretch(ctx, { ...input, query: { after_seq } }));
  }
}

/** JSON lets them stand as they are, but many readers end a line there: NEL, LINE SEPARATOR, PARAGRAPH SEPARATOR. */
const LINE_ENDS = /[\u0085\u2028\u2029]/g;

function lineOf(transfer: Stretch['transfers'][number]): string {
  const escaped = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(transfer).replace(LINE_ENDS, escaped);
}

function stretch(ctx: GatewayContext, input: EndpointCall): Promise<Stretch> {
  return read(ctx, treasury.ledgerExport, input);
}
