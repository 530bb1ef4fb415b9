import type { Migration } from '../migrate.ts'
import { migration as m0001 } from './state/0001-events.ts'
import { migration as m0002 } from './state/0002-tasks.ts'
import { migration as m0003 } from './state/0003-outbox.ts'
import { migration as m0004 } from './state/0004-holds.ts'
import { migration as m0005 } from './state/0005-inbox.ts'
import { migration as m0006 } from './state/0006-tallies.ts'
import { migration as m0007 } from './state/0007-messages.ts'
import { migration as m0008 } from './state/0008-campaigns.ts'
import { migration as m0009 } from './state/0009-recovery.ts'
import { migration as m0010 } from './state/0010-templates.ts'
import { migration as m0011 } from './state/0011-old-records.ts'
import { migration as m0012 } from './state/0012-sent-by-number.ts'
import { migration as m0013 } from './state/0013-deletions.ts'
import { migration as m0014 } from './state/0014-messages-by-event.ts'
import { migration as m0015 } from './state/0015-literal-texts.ts'
import { migration as m0016 } from './state/0016-sent-again.ts'
import { migration as m0017 } from './state/0017-answers.ts'
import { migration as m0018 } from './state/0018-erasures.ts'

/** The steps of `state.db`, oldest first. */
export const migrations: readonly Migration[] = [
  m0001,
  m0002,
  m0003,
  m0004,
  m0005,
  m0006,
  m0007,
  m0008,
  m0009,
  m0010,
  m0011,
  m0012,
  m0013,
  m0014,
  m0015,
  m0016,
  m0017,
  m0018,
]
