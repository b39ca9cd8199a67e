/** Globals of the Node runtime that plain scripts use. */
export default {
  process: 'readonly',
  console: 'readonly',
  Buffer: 'readonly',
  URL: 'readonly',
  fetch: 'readonly',
  setTimeout: 'readonly',
  TextEncoder: 'readonly',
  globalThis: 'readonly',
};
