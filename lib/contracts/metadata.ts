/** Data of clients about their objects, such as the number of a receipt. The services store it and give it back. */
import * as t from '../schema/fields.ts';

/** Enough for references to a client's own records. The API documents these limits. */
const METADATA_MAX_MEMBERS = 20;
const NAME_MAX_CODE_POINTS = 40;
const TEXT_MAX_CODE_POINTS = 500;

export type Metadata = Record<string, string>;

/** Defines the metadata of an object, in requests, answers, events and transfers. */
export const metadata = t.optional(
  t.name(
    'Metadata',
    t.texts(
      {
        max_members: METADATA_MAX_MEMBERS,
        max_name_code_points: NAME_MAX_CODE_POINTS,
        max_code_points: TEXT_MAX_CODE_POINTS,
      },
      "The client's own data about this object, given when it is created. Names have no control characters and are not " +
        '`__proto__`; texts may be empty. Everyone who can read the object can read it. If none was given it is `{}`; events ' +
        'and transfers leave it out then.',
      { receipt: '2026-117' },
    ),
  ),
);

/** Returns the metadata as it is stored: null if there is none. */
export function storedMetadata(given: Metadata | undefined): Metadata | null {
  return given === undefined || Object.keys(given).length === 0 ? null : given;
}

/** Returns the member of an event or transfer for stored metadata: none if there is none. */
export function metadataMember(stored: Metadata | null | undefined): { metadata?: Metadata } {
  return stored === null || stored === undefined || Object.keys(stored).length === 0 ? {} : { metadata: stored };
}
