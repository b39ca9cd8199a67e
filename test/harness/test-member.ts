import type { HttpClient } from './http.ts';

/** A member of a group under test, and their client. */
export interface TestMember {
  user: string;
  http: HttpClient;
  /** The path of the association. */
  path: string;
  member_id: string;
  wallet_id: string;
}
