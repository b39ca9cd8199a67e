/** Returns what a log line says of an error: its name and code. The message may contain an address. */
export function faultOf(error: unknown): { error: string } {
  const { name = 'Error', code, type } = (error ?? {}) as { name?: string; code?: unknown; type?: unknown };
  const words = [name, code, type].filter((word) => typeof word === 'string' || typeof word === 'number');
  return { error: words.join(' ') };
}
