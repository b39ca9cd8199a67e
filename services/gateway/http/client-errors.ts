import { STATUS_CODES, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { ErrorCode } from '../../../lib/errors/codes.ts';
import { plainAddress } from './client-address.ts';
import { problemAnswer } from './problem.rules.ts';
import type { Receiver } from './receive.ts';
import type { Response } from './request.ts';
import type { GatewayService } from './router.ts';

/** Errors that Node's server finds before there is a request. All others are malformed_request. */
const CODES: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/**
 * Answers bytes that are not well-formed HTTP with a problem, if an answer can still be sent, and closes the
 * connection, since the start of the next request is unknown. The text is English because no header has been read.
 */
export function answerClientErrors(
  server: Server,
  { countUnreadable }: Pick<Receiver, 'countUnreadable'>,
  newId: () => string,
  { logger }: GatewayService,
): void {
  server.on('clientError', (error: NodeJS.ErrnoException, duplex) => {
    // `_httpMessage` is the answer that is being sent. Node's own default handler checks it too.
    const socket = duplex as Socket & { _httpMessage?: Response | null };
    // An answer that is partly sent cannot be replaced.
    if (error.code === 'ECONNRESET' || !socket.writable || socket._httpMessage?.headersSent === true) {
      socket.destroy();
      return;
    }
    const address = plainAddress(socket.remoteAddress);
    const request_id = newId();
    const code = CODES[error.code ?? ''] ?? 'malformed_request';
    const { status, headers, document } = problemAnswer({ code, extras: {} }, { request_id, language: 'en' });
    const body = JSON.stringify(document);
    const head = {
      ...countUnreadable(address),
      ...headers,
      'X-Request-Id': request_id,
      'Content-Type': 'application/problem+json',
      'Content-Length': String(Buffer.byteLength(body)),
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      Connection: 'close',
    };
    const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
    const answer = `HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`;
    logger.info('request', { route: 'none', status, code, bytes: Buffer.byteLength(answer), request_id, address });
    socket.end(answer, () => socket.destroy());
  });
}
