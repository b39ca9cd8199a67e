import { expect } from 'chai';
import { once } from 'node:events';
import { connect } from 'node:net';
import { implement } from '../../../lib/service/implement.ts';
import * as treasury from '../../../lib/contracts/treasury.ts';
import type { TransferRecord } from '../../../lib/contracts/treasury.ts';
import { GatewayBench } from '../../harness/gateway.ts';
import { SOME, StubbedGateway } from '../../harness/stubbed-gateway.ts';

describe('gateway: what is not HTTP', () => {
  let gateway: StubbedGateway;
  let bench: GatewayBench;

  before(async () => {
    gateway = await StubbedGateway.start();
    ({ bench } = gateway);
  });
  after(() => bench.stop());
  afterEach(() => {
    gateway.reset();
  });

  /** What the server writes for these bytes until it closes the connection. */
  async function answerTo(...pieces: string[]): Promise<{ status: number; head: string; body: string }> {
    const socket = connect(bench.port, '127.0.0.1');
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    await once(socket, 'connect');
    for (const piece of pieces) socket.write(piece);
    await once(socket, 'close');
    const [head = '', body = ''] = text.split('\r\n\r\n', 2);
    return { status: Number(head.split(' ', 2)[1]), head, body };
  }

  it('is answered with a problem, and the connection ends', async () => {
    for (const bytes of [
      'GARBAGE\r\n\r\n',
      'GET / HTTP/1.1\r\nHost: x\r\nBad Header\r\n\r\n',
      'GET / HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
    ]) {
      const { status, head, body } = await answerTo(bytes);
      expect([bytes, status]).to.deep.equal([bytes, 400]);
      expect(head)
        .to.match(/^Content-Type: application\/problem\+json\r?$/m)
        .and.match(/^Connection: close\r?$/m);
      const document = JSON.parse(body) as Record<string, unknown>;
      expect(document).to.include({ status: 400, code: 'malformed_request', type: '/problems/malformed_request' });
      expect(head).to.contain(`X-Request-Id: ${String(document.request_id)}`);
      expect(head).to.match(new RegExp(`^Content-Length: ${String(Buffer.byteLength(body))}\r?$`, 'm'));
    }
  });

  it('is told when it is too much', async () => {
    const { status, body } = await answerTo(`GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`);
    expect(status).to.equal(431);
    expect(JSON.parse(body)).to.include({ status: 431, code: 'headers_too_large' });
  });

  it('is a request of HTTP/1.1 without exactly one Host, and one that expects what cannot be done', async () => {
    const path = '/association-service/api/v1/keys/pin';
    for (const [bytes, status, code] of [
      [`GET ${path} HTTP/1.1\r\n\r\n`, 400, 'malformed_request'],
      [`GET ${path} HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n`, 400, 'malformed_request'],
      [`GET ${path} HTTP/1.1\r\nHost: x\r\nExpect: 200-ok\r\n\r\n`, 417, 'expectation_failed'],
      [`POST ${path} HTTP/1.1\r\nHost: x\r\nExpect: 200-ok\r\nContent-Length: 2\r\n\r\n{}`, 417, 'expectation_failed'],
    ] as const) {
      const answer = await answerTo(bytes);
      expect(JSON.parse(answer.body), bytes).to.include({ status, code, instance: path });
      expect(answer.head)
        .to.match(new RegExp(`^HTTP/1.1 ${String(status)} `))
        .and.match(/^Content-Type: application\/problem\+json\r?$/m)
        .and.match(/^Connection: close\r?$/m);
    }
    expect((await answerTo(`GET ${path} HTTP/1.0\r\n\r\n`)).status).to.equal(200);
  });

  it('but a target in absolute form is, as of a client that takes the server for a proxy', async () => {
    const get = (target: string) =>
      answerTo(
        `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${bench.token()}\r\n\r\n`,
      );
    const path = `/association-service/api/v1/associations/${SOME}`;
    for (const target of [`http://x${path}`, `HTTPS://x:3000${path}`]) {
      const { status, head } = await get(target);
      expect([target, status]).to.deep.equal([target, 200]);
      expect(head).to.match(/^ETag: /m);
    }
    const { status, body } = await get(`http://x${path}?no=such`);
    expect(status).to.equal(422);
    expect(JSON.parse(body)).to.include({ code: 'validation_failed', instance: path });
    expect((await get('http://x')).status).to.equal(302);
    expect((await get('ftp://x/docs')).status).to.equal(404);
  });

  it('never makes two answers of one', async () => {
    const path = '/association-service/api/v1/me/pin';
    const head = (token: string) =>
      `PUT ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nTransfer-Encoding: chunked\r\n\r\n`;
    // What waits for its body is answered by the refusal of the body.
    const waiting = await answerTo(head(bench.token()), 'no chunk at all\r\n');
    expect(waiting.status).to.equal(400);
    expect(JSON.parse(waiting.body)).to.include({ code: 'malformed_request' });
    // Without a token there may be an answer already.
    const refused = await answerTo(head('x'), 'no chunk at all\r\n');
    expect(refused.status).to.be.oneOf([400, 401]);
    expect(refused.body.match(/"code"/g)).to.have.length(1);
    expect(gateway.seen).to.equal(undefined);
  });

  it('breaks off an answer that is half sent', async () => {
    const exporting = await GatewayBench.start([
      {
        name: 'treasury',
        actions: {
          ledger_head: implement(treasury.ledgerHead, () => Promise.resolve({ seq: 9, hash: '' })),
          ledger_export: implement(treasury.ledgerExport, ({ query }) => {
            if (query.after_seq !== undefined) return new Promise(() => undefined);
            // As much of a transfer as the export looks at.
            return Promise.resolve({ transfers: [{ seq: 1 } as unknown as TransferRecord], done: false });
          }),
        },
      },
    ]);
    const socket = connect(exporting.port, '127.0.0.1');
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString())).on('error', () => undefined);
    const path = `/association-service/api/v1/associations/${SOME}/ledger/export`;
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${exporting.token()}\r\n\r\n`);
    await once(socket, 'data');
    socket.write('GARBAGE\r\n\r\n');
    await once(socket, 'close');
    expect(text)
      .to.match(/^HTTP\/1.1 200/)
      .and.not.contain('malformed_request');
    await exporting.stop();
  });

  it('leaves those who speak HTTP alone', async () => {
    await answerTo('GARBAGE\r\n\r\n');
    expect((await bench.send('GET /associations/my')).status).to.equal(200);
  });
});
