/** `name=value`, the value perhaps in quotes. */
const PARAMETER = /^\s*([^=\s]+)\s*=\s*"?([^"]*?)"?\s*$/;

/** Whether a body with these headers is JSON that we read: `application/json`, as UTF-8, not compressed. */
export function isPlainJson(contentType: string | undefined, contentEncoding: string | undefined): boolean {
  if (contentEncoding !== undefined && contentEncoding.trim().toLowerCase() !== 'identity') return false;
  const [type = '', ...parameters] = (contentType ?? '').split(';');
  if (type.trim().toLowerCase() !== 'application/json') return false;
  return parameters.every((parameter) => {
    const [, name, value] = PARAMETER.exec(parameter) ?? [];
    return name?.toLowerCase() !== 'charset' || value?.toLowerCase() === 'utf-8';
  });
}
