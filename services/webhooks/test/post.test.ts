import assert from 'node:assert/strict';
import http from 'node:http';
import https from 'node:https';
import net, { type LookupFunction } from 'node:net';
import { after, describe, it } from 'node:test';
import { publicLookup, type Resolver } from '../src/addresses/public-lookup.ts';
import { createPoster, type Poster, type PosterOptions } from '../src/sending/post.ts';
import { CERTIFICATE, KEY } from './support/certificate.ts';
import { answerWith, listen, startReceiver, type Receiver } from './support/receiver.ts';

const stops: (() => unknown)[] = [];
after(async () => {
  for (const stop of stops) await stop();
});

function poster(options: Partial<PosterOptions> = {}): Poster {
  const made = createPoster({ allows_private: true, ...options });
  stops.push(() => made.close());
  return made;
}

async function receiver(answer?: Receiver['answer']): Promise<Receiver> {
  const started = await startReceiver(answer);
  stops.push(() => started.stop());
  return started;
}

const message = (url: string, body = '{"a":"é"}') => ({ url, headers: { 'webhook-id': 'msg_1' }, body });

/** Resolves every name to this machine, as a check that has passed would. */
const here: LookupFunction = (_host, { all }, callback) => {
  if (all === true) callback(null, [{ address: '127.0.0.1', family: 4 }]);
  else callback(null, '127.0.0.1', 4);
};

describe('a request', () => {
  it('has the body, its headers and the media type of events', async () => {
    const { url, received } = await receiver();
    const exchange = await poster().post(message(`${url}?a=1`));
    assert.equal(exchange.status_code, 204);
    assert.equal(exchange.error, null);
    const [got] = received;
    assert.equal(got?.body, '{"a":"é"}');
    assert.equal(got?.url, '/hook?a=1');
    assert.equal(got?.headers['webhook-id'], 'msg_1');
    assert.equal(got?.headers['content-type'], 'application/cloudevents+json; charset=utf-8');
    assert.equal(got?.headers['content-length'], '10');
  });

  it('does not follow a redirect', async () => {
    const target = await receiver();
    const { url } = await receiver(answerWith(307, { location: target.url }));
    assert.equal((await poster().post(message(url))).status_code, 307);
    assert.equal(target.received.length, 0);
  });

  it('reports Retry-After', async () => {
    const { url } = await receiver(answerWith(503, { 'retry-after': '120' }));
    assert.equal((await poster().post(message(url))).retry_after, '120');
  });

  it('ends at its limit if there is no answer', async () => {
    const { url } = await receiver(() => undefined);
    const exchange = await poster({ timeout_ms: 50 }).post(message(url));
    assert.deepEqual([exchange.status_code, exchange.error], [null, 'timeout']);
  });

  it('ends at its limit if the connection is never answered', async () => {
    const silent = net.createServer(() => undefined);
    stops.push(() => silent.close());
    const url = `https://receiver.example.com:${String(await listen(silent))}`;
    const exchange = await poster({ timeout_ms: 50, allows_private: false, lookup: here }).post(message(url));
    assert.equal(exchange.error, 'timeout');
  });

  it('ends at its limit if the name is never resolved', async () => {
    const never: Resolver = { resolve4: () => new Promise(() => {}), resolve6: () => new Promise(() => {}) };
    const slow = poster({ timeout_ms: 50, allows_private: false, lookup: publicLookup(never) });
    assert.equal((await slow.post(message('https://example.com'))).error, 'timeout');
  });

  it('succeeds with the head of the answer, and does not read a long body', async () => {
    let sent = 0;
    const { url } = await receiver((_request, response) => {
      const more = () => {
        sent += 1;
        if (response.writable && sent < 100_000) response.write('x'.repeat(65_536), more);
      };
      response.writeHead(200);
      more();
    });
    assert.equal((await poster().post(message(url))).status_code, 200);
    await new Promise((resolve) => setTimeout(resolve, 300));
    assert.ok(sent < 1_000, `${String(sent)} parts of the body were sent`);
  });

  it('lasts until its connection is free or closed, also with a body that never ends; its duration is that to the head', async () => {
    const { url, running } = await receiver((_request, response) => void response.writeHead(200).write('x'));
    const client = poster();
    const began_ms = performance.now();
    const requests = Array.from({ length: 5 }, () => client.post(message(url)));
    const first = await Promise.race(requests);
    const lasted_ms = performance.now() - began_ms;
    assert.deepEqual([first.status_code, first.error], [200, null]);
    assert.ok(lasted_ms > 900, `its connection was open after ${String(lasted_ms)} ms`);
    assert.ok(first.duration_ms < 900);
    await Promise.all(requests);
    // The receiver notices a moment later.
    await new Promise((resolve) => setTimeout(resolve, 100));
    assert.equal(running.now, 0);
  });

  it('has succeeded with the head, also if its limit comes while the body is read', async () => {
    const { url } = await receiver((_request, response) => void response.writeHead(200).write('x'));
    const exchange = await poster({ timeout_ms: 300 }).post(message(url));
    assert.deepEqual([exchange.status_code, exchange.error], [200, null]);
  });

  it('has succeeded with the head, also if the connection breaks while the body is read', async () => {
    const { url } = await receiver((_request, response) => {
      response.writeHead(200).write('x');
      setTimeout(() => response.socket?.resetAndDestroy(), 50);
    });
    const exchange = await poster().post(message(url));
    assert.deepEqual([exchange.status_code, exchange.error], [200, null]);
  });

  it('names failures in words, without the host', async () => {
    const closed = await startReceiver();
    await closed.stop();
    assert.equal((await poster().post(message(closed.url))).error, 'connection_refused');
    const resets = net.createServer((socket) => socket.resetAndDestroy());
    stops.push(() => resets.close());
    const port = String(await listen(resets));
    assert.equal((await poster().post(message(`http://127.0.0.1:${port}`))).error, 'connection_reset');
    const garbage = net.createServer((socket) => socket.end('hello\r\n\r\n'));
    stops.push(() => garbage.close());
    const other = String(await listen(garbage));
    assert.equal((await poster().post(message(`http://127.0.0.1:${other}`))).error, 'connection_failed');
    assert.equal((await poster().post(message(`https://127.0.0.1:${other}`))).error, 'tls_failed');
  });

  it('is not an upgrade', async () => {
    const switching = net.createServer((socket) => {
      socket.once('data', () => socket.write('HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'));
    });
    stops.push(() => switching.close());
    const exchange = await poster({ timeout_ms: 500 }).post(
      message(`http://127.0.0.1:${String(await listen(switching))}`),
    );
    assert.notEqual(exchange.error, null);
  });

  it('is sent again at once if the server had closed the idle connection', async () => {
    let connections = 0;
    const closing = net.createServer((socket) => {
      connections += 1;
      let requests = 0;
      socket.on('error', () => undefined);
      socket.on('data', () => {
        requests += 1;
        // The second request on a connection is what a server that has just given it up gets.
        if (requests === 2) socket.resetAndDestroy();
        else socket.write('HTTP/1.1 204 No Content\r\n\r\n');
      });
    });
    stops.push(() => closing.close());
    const client = poster();
    const url = `http://127.0.0.1:${String(await listen(closing))}`;
    assert.equal((await client.post(message(url))).status_code, 204);
    assert.equal((await client.post(message(url))).status_code, 204);
    assert.equal(connections, 2);
  });

  it('uses a connection again', async () => {
    let connections = 0;
    const server = http.createServer((request, response) => {
      request.resume();
      response.end('thank you');
    });
    server.on('connection', () => (connections += 1));
    stops.push(() => server.close());
    const client = poster();
    const url = `http://127.0.0.1:${String(await listen(server))}`;
    for (let times = 0; times < 3; times += 1) {
      await client.post(message(url));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    assert.equal(connections, 1);
  });
});

describe('a request over TLS', () => {
  async function secure(): Promise<{ url: string; hosts: (string | undefined)[] }> {
    const hosts: (string | undefined)[] = [];
    const server = https.createServer({ cert: CERTIFICATE, key: KEY }, (request, response) => {
      hosts.push(request.headers.host);
      response.writeHead(204).end();
    });
    stops.push(() => server.close());
    return { url: `https://receiver.example.com:${String(await listen(server))}`, hosts };
  }

  it('goes to the checked address, with the name for the certificate and the Host header', async () => {
    const { url, hosts } = await secure();
    const trusting = poster({ allows_private: false, lookup: here, ca: CERTIFICATE });
    assert.equal((await trusting.post(message(url))).status_code, 204);
    assert.deepEqual(hosts, [new URL(url).host]);
  });

  it('refuses the certificate of another name, and one of an unknown authority', async () => {
    const { url } = await secure();
    const trusting = poster({ allows_private: false, lookup: here, ca: CERTIFICATE });
    const other = url.replace('receiver.', 'other.');
    assert.equal((await trusting.post(message(other))).error, 'tls_failed');
    assert.equal((await poster({ allows_private: false, lookup: here }).post(message(url))).error, 'tls_failed');
  });
});

describe('private addresses', () => {
  const resolver = (...answers: string[]): Resolver & { asked: number } => ({
    asked: 0,
    resolve4() {
      this.asked += 1;
      return Promise.resolve([answers[Math.min(this.asked, answers.length) - 1] ?? '']);
    },
    resolve6: () => Promise.reject(Object.assign(new Error(), { code: 'ENODATA' })),
  });

  it('are refused at the connection, whatever the name resolved to when it was saved', async () => {
    let connections = 0;
    const inside = net.createServer(() => (connections += 1));
    stops.push(() => inside.close());
    const url = `https://rebinding.example.com:${String(await listen(inside))}`;
    const names = resolver('8.8.8.8', '127.0.0.1');
    await names.resolve4('rebinding.example.com');
    const client = poster({ allows_private: false, lookup: publicLookup(names) });
    assert.equal((await client.post(message(url))).error, 'address_not_allowed');
    assert.equal(connections, 0);
  });

  it('are not resolved a second time for the connection', async () => {
    const names = resolver('192.0.2.1', '127.0.0.1');
    const client = poster({ allows_private: false, lookup: publicLookup(names) });
    assert.equal((await client.post(message('https://example.com'))).error, 'address_not_allowed');
    assert.equal(names.asked, 1);
  });

  it('are refused in the URL of an endpoint that was saved before', async () => {
    const { url, received } = await receiver();
    const client = poster({ allows_private: false, lookup: publicLookup(resolver('8.8.8.8')) });
    for (const each of [url, url.replace('http:', 'https:'), 'https://[::1]/']) {
      assert.equal((await client.post(message(each))).error, 'address_not_allowed');
    }
    assert.equal(received.length, 0);
  });
});
