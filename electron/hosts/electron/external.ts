/** True for web pages without credentials in their address. Addresses come from the operator or a restored backup, none from the service. */
export function isSafeExternalUrl(url: string): boolean {
  const parsed = URL.parse(url)
  return (
    parsed !== null &&
    (parsed.protocol === 'https:' || parsed.protocol === 'http:') &&
    parsed.username === '' &&
    parsed.password === ''
  )
}
