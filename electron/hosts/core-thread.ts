import { createCore } from '../core/create-core.ts'
import { runCore } from './run-core.ts'

runCore(createCore)
