import type { Connection } from '../../contract/connection/connections.ts'
import { AppError } from '../../contract/errors.ts'

/** Throws CONFIRMATION_MISMATCH unless a production connection was confirmed by its name. */
export function checkConfirmed(
  { production, name }: Pick<Connection, 'production' | 'name'>,
  confirmName: string | undefined,
): void {
  if (production && confirmName !== name) throw new AppError('CONFIRMATION_MISMATCH', { name })
}
