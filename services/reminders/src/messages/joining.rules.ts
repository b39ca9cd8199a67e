/** What a message tells that stands for several occasions. */

interface Facts {
  url_host?: string;
  other_hosts?: string[];
}

/** An association has at most 20 webhooks: one is named first, and these are the others. */
const OTHER_HOSTS_MAX = 19;

/** Returns the facts of the later occasion. Of webhooks, also those that were disabled earlier are named. */
export function joinFacts<F extends Facts>(earlier: F, later: F): F {
  const { url_host, other_hosts = [] } = later;
  const all = [...other_hosts, earlier.url_host ?? url_host, ...(earlier.other_hosts ?? [])];
  const others = new Set(all.filter((host) => host !== undefined && host !== url_host) as string[]);
  return others.size === 0 ? later : { ...later, other_hosts: [...others].slice(0, OTHER_HOSTS_MAX) };
}
