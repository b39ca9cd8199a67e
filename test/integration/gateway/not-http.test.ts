import { expect } from 'chai';
import { once } from 'node:events';
import { connect } from 'node:net';
import * as treasury from '../../../lib/contracts/treasury.ts';
import { SOME, useGateway } from '../../harness/gateway.ts';

const BASE = '/association-service/api/v1';

describe('gateway: malformed HTTP', () => {
  const gateway = useGateway();

  /** Sends the bytes, and returns what the server writes until it closes the connection. */
  async function answerTo(...pieces: string[]): Promise<{ status: number; head: string; body: string }> {
    const socket = connect(gateway.port, '127.0.0.1');
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    await once(socket, 'connect');
    for (const piece of pieces) socket.write(piece);
    await once(socket, 'close');
    const [head = '', body = ''] = text.split('\r\n\r\n', 2);
    return { status: Number(head.split(' ', 2)[1]), head, body };
  }

  const withHead = (line: string, ...headers: string[]) => [`${line} HTTP/1.1`, ...headers, '', ''].join('\r\n');
  const KEYS = `${BASE}/keys/pin`;
  const expecting = (...more: string[]) => ['Host: x', 'Expect: 200-ok', ...more];
  for (const [fault, bytes, status, code, instance] of [
    ['without a request line', 'GARBAGE\r\n\r\n', 400, 'malformed_request'],
    ['with a header without a name', withHead('GET /', 'Host: x', 'Bad Header'), 400, 'malformed_request'],
    [
      'with a Content-Length that is not a number',
      withHead('GET /', 'Host: x', 'Content-Length: x'),
      400,
      'malformed_request',
    ],
    [
      'with two lengths',
      withHead('GET /', 'Content-Length: 1', 'Transfer-Encoding: chunked'),
      400,
      'malformed_request',
    ],
    [
      'with headers that are too large',
      withHead('GET /', 'Host: x', `X: ${'x'.repeat(20_000)}`),
      431,
      'headers_too_large',
    ],
    ['without a Host', withHead(`GET ${KEYS}`), 400, 'malformed_request', KEYS],
    ['with two Hosts', withHead(`GET ${KEYS}`, 'Host: x', 'Host: y'), 400, 'malformed_request', KEYS],
    ['with an unknown Expect', withHead(`GET ${KEYS}`, ...expecting()), 417, 'expectation_failed', KEYS],
    [
      'with an unknown Expect and a body',
      `${withHead(`POST ${KEYS}`, ...expecting('Content-Length: 2'))}{}`,
      417,
      'expectation_failed',
      KEYS,
    ],
  ] as const) {
    it(`gets a problem and a closed connection if the request is ${fault}`, async () => {
      const { head, body } = await answerTo(bytes);
      const document = JSON.parse(body) as Record<string, unknown>;
      expect(document).to.include({ status, code, type: `/problems/${code}` });
      expect(document.instance).to.equal(instance);
      const lines = head.split('\r\n');
      expect(lines[0]).to.contain(`HTTP/1.1 ${String(status)} `);
      const length = `Content-Length: ${String(Buffer.byteLength(body))}`;
      expect(lines).to.include.members(['Content-Type: application/problem+json', 'Connection: close', length]);
      expect(lines).to.include(`X-Request-Id: ${String(document.request_id)}`);
      expect(await gateway.outcome('GET /associations/my'), 'others').to.equal('200');
    });
  }

  it('does not include HTTP/1.0 without a Host, which is answered', async () => {
    expect((await answerTo(`GET ${KEYS} HTTP/1.0\r\n\r\n`)).status).to.equal(200);
  });

  it('does not include a target in absolute form, as a client sends to a proxy', async () => {
    const get = (target: string) =>
      answerTo(withHead(`GET ${target}`, 'Host: x', 'Connection: close', `Authorization: Bearer ${gateway.token()}`));
    const path = `${BASE}/associations/${SOME}`;
    for (const target of [`http://x${path}`, `HTTPS://x:3000${path}`]) {
      const { status, head } = await get(target);
      expect([target, status]).to.deep.equal([target, 200]);
      expect(head).to.match(/^ETag: /m);
    }
    const { body } = await get(`http://x${path}?no=such`);
    expect(JSON.parse(body)).to.include({ status: 422, code: 'validation_failed', instance: path });
    expect((await get('http://x')).status).to.equal(302);
    expect((await get('ftp://x/docs')).status).to.equal(404);
  });

  it('in a body gets only one answer', async () => {
    const head = (token: string) =>
      withHead(`PUT ${BASE}/me/pin`, 'Host: x', `Authorization: Bearer ${token}`, 'Transfer-Encoding: chunked');
    // The gateway waits for the body, so the refusal of the body is the only answer.
    const waiting = await answerTo(head(gateway.token()), 'no chunk at all\r\n');
    expect(JSON.parse(waiting.body)).to.include({ status: 400, code: 'malformed_request' });
    // Without a token, the gateway may have answered before it reads the body.
    const refused = await answerTo(head('x'), 'no chunk at all\r\n');
    expect(refused.status).to.be.oneOf([400, 401]);
    expect(refused.body.match(/"code"/g)).to.have.length(1);
    expect(gateway.seen).to.equal(undefined);
  });

  it('closes the connection without a problem if an earlier answer is partly sent', async () => {
    gateway.answer = ({ action, input }) => {
      if (action === treasury.ledgerHead.name) return { seq: 9 };
      return input.query.after_seq === undefined
        ? { transfers: [{ seq: 1 }], done: false }
        : new Promise(() => undefined);
    };
    const socket = connect(gateway.port, '127.0.0.1');
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString())).on('error', () => undefined);
    const line = `GET ${BASE}/associations/${SOME}/ledger/export`;
    socket.write(withHead(line, 'Host: x', `Authorization: Bearer ${gateway.token()}`));
    await once(socket, 'data');
    socket.write('GARBAGE\r\n\r\n');
    await once(socket, 'close');
    expect(text)
      .to.match(/^HTTP\/1.1 200/)
      .and.not.contain('malformed_request');
  });
});
