/** The path of a request target: without scheme and host, query, repeated slashes and a slash at its end. */
export function targetPath(target: string): string {
  const path = target
    .replace(/^https?:\/\/[^/?#]*/i, '')
    .replace(/[?#].*$/s, '')
    .replace(/\/{2,}/g, '/')
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}
