// Receives webhooks, and prints each event once it is verified (docs/webhooks.md). It needs nothing but Node:
//   SECRET=whsec_… node examples/receive-webhooks.mjs 8080
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const [port = '8080'] = process.argv.slice(2);
const key = Buffer.from((process.env.SECRET ?? '').replace(/^whsec_/, ''), 'base64');

/** Older requests are refused, as they may be repeated by someone who has read them. */
const AGE_MAX_S = 5 * 60;
/** A day of ids would be better kept in a database. */
const known = new Set();

function isGenuine(headers, body) {
  const { 'webhook-id': id = '', 'webhook-timestamp': time = '', 'webhook-signature': signatures = '' } = headers;
  if (Math.abs(Date.now() / 1_000 - Number(time)) > AGE_MAX_S) return false;
  const expected = createHmac('sha256', key).update(`${id}.${time}.`).update(body).digest();
  return signatures.split(' ').some((signature) => {
    const given = Buffer.from(signature.replace(/^v1,/, ''), 'base64');
    return signature.startsWith('v1,') && given.length === expected.length && timingSafeEqual(given, expected);
  });
}

createServer(async (request, response) => {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  const body = Buffer.concat(pieces);
  if (!isGenuine(request.headers, body)) {
    response.writeHead(401).end();
    return;
  }
  const event = JSON.parse(body);
  if (!known.has(event.id)) console.log(event.type, event.id, JSON.stringify(event.data));
  known.add(event.id);
  response.writeHead(204).end();
}).listen(Number(port), () => console.log(`listening on ${port}`));
