import { STATUS_CODES } from 'node:http';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { ErrorCode } from '../../../lib/errors/codes.ts';
import { problemAnswer } from '../domain/problem-document.ts';
import type { AccessLog } from './access-log.ts';

/** What Node's server finds wrong with a request before there is one; everything else is malformed. */
const CODES: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/**
 * Answers what is not well-formed HTTP with a problem as well, where an answer can still be sent, and closes the
 * connection: where the next request would begin cannot be known. In English, as no header has been read.
 * @param isAnswering whether part of an answer is on its way over a connection
 * @param headersFor the headers that every answer to this address has
 */
export function answerClientErrors(
  server: Server,
  isAnswering: (socket: Socket) => boolean,
  headersFor: (address: string | undefined) => Record<string, string>,
  newId: () => string,
  log: AccessLog,
): void {
  server.on('clientError', (error: NodeJS.ErrnoException, duplex) => {
    const socket = duplex as Socket;
    // Half an answer cannot become another one.
    if (error.code === 'ECONNRESET' || !socket.writable || isAnswering(socket)) {
      socket.destroy();
      return;
    }
    const request_id = newId();
    const refusal = { code: CODES[error.code ?? ''] ?? 'malformed_request', extras: {} };
    const { status, headers, document } = problemAnswer(refusal, { request_id, language: 'en' });
    const body = JSON.stringify(document);
    const head = {
      ...headersFor(socket.remoteAddress),
      ...headers,
      'X-Request-Id': request_id,
      'Content-Type': 'application/problem+json',
      'Content-Length': String(Buffer.byteLength(body)),
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      Connection: 'close',
    };
    const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
    const status_line = `HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ''}\r\n`;
    const answer = `${status_line}${lines.join('')}\r\n${body}`;
    const { code } = refusal;
    log.unreadable({ status, code, bytes: Buffer.byteLength(answer), request_id, address: socket.remoteAddress });
    socket.end(answer, () => socket.destroy());
  });
}
