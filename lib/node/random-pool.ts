/** One call of a system's random source costs as much as a hundred ids: it is asked for many bytes at a time. */
const RANDOM_POOL_BYTES = 4_096;

/** More than this is no small piece: it would use up the pool, and is asked for by itself. */
const PIECE_MAX_BYTES = 64;

/**
 * Random bytes in small pieces, each byte given once. They lie in memory before they are used: for ids, not for what
 * has to stay secret until then.
 * @param source gives `length` random bytes
 */
export function pooledBytes(source: (length: number) => Buffer): (length: number) => Buffer {
  let pool: Buffer = Buffer.alloc(0);
  let used = 0;
  return (length) => {
    if (length > PIECE_MAX_BYTES) return source(length);
    if (used + length > pool.length) {
      pool = source(RANDOM_POOL_BYTES);
      used = 0;
    }
    used += length;
    return pool.subarray(used - length, used);
  };
}
