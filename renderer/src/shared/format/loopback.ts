/** True for a host that only this computer answers, in any case; `::1` also in the brackets of a URL. The core's rule is in `lib/loopback.ts`. */
export const isLoopbackHost = (host: string): boolean =>
  /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/i.test(host)
