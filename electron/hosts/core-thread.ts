import { createCore } from '../core/create-core.ts'
import { releaseMemoryAfterStart } from '../lib/release-memory.ts'
import { runCore } from './run-core.ts'

releaseMemoryAfterStart()
runCore(createCore)
