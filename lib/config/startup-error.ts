/** A reason not to start. The message is one line that says what to do; it never holds a secret. */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}
