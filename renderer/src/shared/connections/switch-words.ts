/** What opening `next` does to the connection that is open now. The service's last retry is 25 s after the first attempt (spec, Delivery and retries). */
export function switchWords(next: string, current: string): string {
  return `While ${next} is open, ${current} receives nothing; what its service sends meanwhile is lost after about 30 seconds.`
}
