/** Query parameters by name; one that is given twice becomes a list, which no parameter takes. */
export function readQuery(search: string): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = {};
  for (const [name, value] of new URLSearchParams(search)) {
    const before = Object.hasOwn(query, name) ? query[name] : undefined;
    const now = before === undefined ? value : [before, value].flat();
    // Not an assignment: `__proto__` would be one to the prototype.
    Object.defineProperty(query, name, { value: now, enumerable: true, configurable: true, writable: true });
  }
  return query;
}
