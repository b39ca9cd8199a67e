/** A member whose contributions the handler refuses until REPAIRED is set. */
export const REFUSED = '0199b2ad-8f40-7a10-8000-00000000dead';
