/** Variable with the addresses of the run's servers, which every process of the run inherits. */
export const SERVERS_VARIABLE = 'TEST_SERVERS';

/** The servers of a run. */
export interface Servers {
  adminUrl: string;
  natsOrigin: string;
  /** A folder for files of the run, which is removed at its end. */
  folder: string;
}

/** Returns the servers of the run; undefined outside of one, as in a unit test without servers. */
export function findServers(): Servers | undefined {
  const found = process.env[SERVERS_VARIABLE];
  return found === undefined ? undefined : (JSON.parse(found) as Servers);
}
