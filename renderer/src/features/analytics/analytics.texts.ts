import { loadCatalogue } from '../../shared/i18n/catalogue.ts'
import type en from './analytics.en.json'

export const t = await loadCatalogue<typeof en>('analytics', import.meta.glob('./analytics.*.json'))

export type ColumnName = keyof typeof en.columns
export type MetricName = keyof typeof en.metrics
