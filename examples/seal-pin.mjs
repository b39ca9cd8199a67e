#!/usr/bin/env node
// `seal-pin.mjs <pin>`: encrypts a PIN with the service's newest key, and prints the base64 text for a request's `pin`. The
// service accepts each ciphertext once: run this again for the next request.
const [pin] = process.argv.slice(2);
const api = process.env.API ?? 'http://127.0.0.1:3000/association-service/api/v1';
if (pin === undefined) {
  console.error('Usage: node examples/seal-pin.mjs <pin>   (API=<base URL> for another server)');
  process.exit(1);
}
const answer = await fetch(`${api}/keys/pin`).catch(() => undefined);
if (answer?.ok !== true) {
  console.error(`No PIN key at ${api}: is the service running?`);
  process.exit(1);
}
const { keys } = await answer.json();
const algorithm = { name: 'RSA-OAEP', hash: 'SHA-256' };
const key = await globalThis.crypto.subtle.importKey('jwk', keys[0], algorithm, false, ['encrypt']);
const sealed = await globalThis.crypto.subtle.encrypt(algorithm, key, new TextEncoder().encode(pin));
console.log(Buffer.from(sealed).toString('base64'));
