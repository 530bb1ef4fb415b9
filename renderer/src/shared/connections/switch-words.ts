import { t } from '../i18n/shared.texts.ts'

/** What opening `next` does to the open connection. The service's last retry is 25 s after the first attempt (spec, Delivery and retries). */
export const switchWords = (next: string, current: string): string =>
  t('connections.switching', { next, current })
