import type { HttpClient } from './http.ts';

/** A member of a group under test, with all that they need to act. */
export interface TestMember {
  user: string;
  http: HttpClient;
  /** Of the association. */
  path: string;
  member_id: string;
  wallet_id: string;
}
