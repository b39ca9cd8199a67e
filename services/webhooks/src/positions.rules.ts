/** Where lists begin. */

/** Before all ids. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** Later than every time of creation and id: before the first page of a list whose newest come first. */
export const NEWEST_FIRST_START: readonly string[] = ['infinity', 'ffffffff-ffff-ffff-ffff-ffffffffffff'];
