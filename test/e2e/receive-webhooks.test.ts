import { randomBytes, randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { eventually } from '../harness/eventually.ts';
import { freePort } from '../harness/free-port.ts';
import { startProcess, type Started } from '../harness/process.ts';
import { keepSecrets } from '../harness/written-output.ts';

/** The receiver refuses requests that are older than five minutes. */
const TOO_OLD_MS = 301_000;

describe('examples/receive-webhooks.mjs', function () {
  this.timeout(30_000);
  const key = randomBytes(32).toString('base64');
  const signer = new Webhook(key);
  let example: Started;
  let url: string;

  before(async () => {
    keepSecrets(key);
    const port = String(await freePort());
    url = `http://127.0.0.1:${port}/`;
    example = startProcess(['examples/receive-webhooks.mjs', port], { env: { SECRET: `whsec_${key}` } });
    await eventually(() => expect(example.output()).to.include('listening'));
  });
  after(() => example.end());

  /** Sends an event as webhooks are sent. @returns the status of the answer */
  async function send(id: string, { at = new Date(), forged = '' } = {}): Promise<number> {
    const body = JSON.stringify({ id, type: 'member.left', data: { user_id: 'awa' } });
    const headers = {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
      // While a secret is replaced there are two, and the receiver knows one of them.
      'webhook-signature': `v1,${randomBytes(32).toString('base64')} ${signer.sign(id, at, body)}`,
    };
    return (await fetch(url, { method: 'POST', headers, body: body + forged })).status;
  }

  it('prints a genuine event once, however often it is sent', async () => {
    const id = randomUUID();
    expect(await send(id)).to.equal(204);
    expect(await send(id)).to.equal(204);
    expect(example.output().match(new RegExp(`member.left ${id}`, 'g'))).to.have.length(1);
  });

  it('refuses an event that was changed, or sent long ago', async () => {
    const id = randomUUID();
    expect(await send(id, { forged: ' ' })).to.equal(401);
    expect(await send(id, { at: new Date(Date.now() - TOO_OLD_MS) })).to.equal(401);
    expect(example.output()).not.to.include(id);
  });
});
