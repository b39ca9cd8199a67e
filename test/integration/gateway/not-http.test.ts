import { expect } from 'chai';
import { once } from 'node:events';
import { connect } from 'node:net';
import * as treasury from '../../../lib/contracts/treasury.ts';
import { SOME, useGateway } from '../../harness/gateway.ts';

const BASE = '/association-service/api/v1';

describe('gateway: what is not HTTP', () => {
  const gateway = useGateway();

  /** What the server writes for these bytes until it closes the connection. */
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
  for (const [what, bytes, status, code, instance] of [
    ['no request line', 'GARBAGE\r\n\r\n', 400, 'malformed_request'],
    ['a header without a name', withHead('GET /', 'Host: x', 'Bad Header'), 400, 'malformed_request'],
    ['a length that is none', withHead('GET /', 'Host: x', 'Content-Length: x'), 400, 'malformed_request'],
    ['two lengths', withHead('GET /', 'Content-Length: 1', 'Transfer-Encoding: chunked'), 400, 'malformed_request'],
    ['large headers', withHead('GET /', 'Host: x', `X: ${'x'.repeat(20_000)}`), 431, 'headers_too_large'],
    ['no Host', withHead(`GET ${KEYS}`), 400, 'malformed_request', KEYS],
    ['two Hosts', withHead(`GET ${KEYS}`, 'Host: x', 'Host: y'), 400, 'malformed_request', KEYS],
    ['an unknown Expect', withHead(`GET ${KEYS}`, ...expecting()), 417, 'expectation_failed', KEYS],
    [
      'one with a body',
      `${withHead(`POST ${KEYS}`, ...expecting('Content-Length: 2'))}{}`,
      417,
      'expectation_failed',
      KEYS,
    ],
  ] as const) {
    it(`is answered with a problem, and the connection ends: ${what}`, async () => {
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

  it('is not HTTP/1.0 without a Host', async () => {
    expect((await answerTo(`GET ${KEYS} HTTP/1.0\r\n\r\n`)).status).to.equal(200);
  });

  it('is not a target in absolute form, as of a client that takes the server for a proxy', async () => {
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

  it('never gets two answers', async () => {
    const head = (token: string) =>
      withHead(`PUT ${BASE}/me/pin`, 'Host: x', `Authorization: Bearer ${token}`, 'Transfer-Encoding: chunked');
    // A request that waits for its body is answered by the refusal of the body.
    const waiting = await answerTo(head(gateway.token()), 'no chunk at all\r\n');
    expect(JSON.parse(waiting.body)).to.include({ status: 400, code: 'malformed_request' });
    // Without a token there may be an answer already.
    const refused = await answerTo(head('x'), 'no chunk at all\r\n');
    expect(refused.status).to.be.oneOf([400, 401]);
    expect(refused.body.match(/"code"/g)).to.have.length(1);
    expect(gateway.seen).to.equal(undefined);
  });

  it('cuts off an answer that is half sent', async () => {
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
