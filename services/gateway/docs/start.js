// This script runs in the browser on /docs.
const { btoa, crypto, document, location, navigator, SwaggerUIBundle } = globalThis;

SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  displayOperationId: true,
  displayRequestDuration: true,
  filter: true,
  tryItOutEnabled: true,
  requestSnippetsEnabled: true,
  // The browser keeps the token in its local storage until its user logs out.
  persistAuthorization: true,
  // Both features would contact other servers.
  validatorUrl: null,
  queryConfigEnabled: false,
});

/** Encrypts a PIN as clients must: RSA-OAEP with SHA-256 and the newest key. */
async function encrypt(digits) {
  const base = '/association-service/api/v1';
  const { keys } = await (await fetch(`${location.origin}${base}/keys/pin`)).json();
  const algorithm = { name: 'RSA-OAEP', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('jwk', keys[0], algorithm, false, ['encrypt']);
  const ciphertext = await crypto.subtle.encrypt(algorithm, key, new TextEncoder().encode(digits));
  return btoa(String.fromCharCode(...new Uint8Array(ciphertext)));
}

const form = document.getElementById('encrypt');
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const { digits, ciphertext } = form.elements;
  try {
    ciphertext.value = await encrypt(digits.value);
    ciphertext.title = 'Send it in `pin`. It is valid for one operation.';
  } catch (error) {
    ciphertext.value = `Cannot encrypt here: ${error.message}`;
    return;
  }
  // If the browser forbids copying, the ciphertext is selected instead.
  await navigator.clipboard.writeText(ciphertext.value).catch(() => {
    document.getSelection().selectAllChildren(ciphertext);
  });
});
