// Runs in the browser, on /docs.
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
  // Both would send or take something from elsewhere.
  validatorUrl: null,
  queryConfigEnabled: false,
});

/** Encrypts as a client has to: RSA-OAEP with SHA-256, to the newest key. */
async function seal(digits) {
  const base = '/association-service/api/v1';
  const { keys } = await (await fetch(`${location.origin}${base}/keys/pin`)).json();
  const algorithm = { name: 'RSA-OAEP', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('jwk', keys[0], algorithm, false, ['encrypt']);
  const sealed = await crypto.subtle.encrypt(algorithm, key, new TextEncoder().encode(digits));
  return btoa(String.fromCharCode(...new Uint8Array(sealed)));
}

const form = document.getElementById('seal');
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const { digits, sealed } = form.elements;
  try {
    sealed.value = await seal(digits.value);
    sealed.title = 'Good for one operation.';
  } catch (error) {
    sealed.value = `Not possible here: ${error.message}`;
    return;
  }
  // A browser may forbid it: then it is copied by hand.
  await navigator.clipboard.writeText(sealed.value).catch(() => {
    document.getSelection().selectAllChildren(sealed);
  });
});
