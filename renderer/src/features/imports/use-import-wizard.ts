import type { ColumnTarget, CsvFormat, ImportChoices, importsContract } from '#contract/people/imports.ts'
import type { ErrorView } from '#contract/define.ts'
import { computed, ref, shallowRef, watch } from 'vue'
import type * as z from 'zod'
import { attempt } from '../../rpc/error-view.ts'
import type { Client } from '../../rpc/rpc.ts'
import { useRegion } from '../../shared/format/regions.ts'
import { readTypedTags } from '../../shared/text/typed-tags.ts'
import { type Rules, commasSeparate, problemGroups } from './import-problems.ts'
import { t } from './imports.texts.ts'

type Output<Name extends 'inspect' | 'preview' | 'guessRegion'> = z.infer<
  NonNullable<(typeof importsContract)[Name]['~orpc']['outputSchema']>
>

const defaultRules = {
  doubleZeroIsPlus: true,
  ownCodeIsPlus: false,
  duplicatesInFile: 'keep-first',
  duplicatesInBook: 'skip',
  dncHits: 'import-marked',
  badEmails: 'leave-out',
  badTags: 'leave-out',
  tagCommas: 'split',
} as const satisfies Partial<Rules>

/** One file: inspect, match columns, check rows, start the import. */
export function useImportWizard(client: Client) {
  /** The region last used on this computer. */
  const lastRegion = useRegion()
  const fileId = shallowRef<string | null>(null)
  const fileName = shallowRef('')
  const found = shallowRef<Output<'inspect'> | null>(null)
  const columns = shallowRef<ColumnTarget[]>([])
  const rules = ref<Rules>({ ...defaultRules, defaultRegion: lastRegion.value })
  /** Tags for every contact as typed: `vip; source=fair`. */
  const tagText = ref('')
  const guess = shallowRef<Output<'guessRegion'> | null>(null)
  const step = shallowRef<'file' | 'check'>('file')
  /** The last check and its choices. */
  const checked = shallowRef<{ of: string; preview: Output<'preview'> } | null>(null)
  const busy = shallowRef<'inspect' | 'preview' | 'start' | null>(null)
  const error = shallowRef<ErrorView | null>(null)
  /** The choices suggested by the file: leaving loses nothing. */
  const untouched = shallowRef('')
  /** Rules chosen by the operator: suggestions of the file don’t change them. */
  const chosen = new Set<keyof Rules>()
  let current = new AbortController()

  const choices = computed<ImportChoices | null>(() =>
    found.value === null
      ? null
      : {
          ...rules.value,
          format: found.value.format,
          columns: columns.value,
          extraTags: Object.fromEntries(readTypedTags(tagText.value).map(({ key, value }) => [key, value])),
        },
  )
  const key = computed(() => JSON.stringify([choices.value, tagText.value]))
  const phoneAt = computed(() => columns.value.findIndex(({ to }) => to === 'phone'))
  const tagError = computed(() =>
    readTypedTags(tagText.value).some((tag) => tag.key === '') ? t('tags.noKey') : null,
  )
  /** Why the check can’t start. */
  const wrong = computed(() => {
    if (phoneAt.value < 0) return t('columns.noNumber')
    if (columns.value.some((column) => column.to === 'tag' && column.tagKey.trim() === ''))
      return t('columns.noKeys')
    return tagError.value
  })
  const isChecked = computed(() => checked.value?.of === key.value)
  /** Shown groups stay, so that a fix can be undone. */
  const shownGroups = new Set<string>()
  const groups = computed(() => {
    if (!checked.value || !choices.value) return []
    const all = problemGroups(checked.value.preview, choices.value)
    const shown = all.filter(({ id, count, fix }) => count > 0 || (fix !== null && shownGroups.has(id)))
    for (const { id } of shown) shownGroups.add(id)
    return shown
  })
  watch(key, () => {
    if (step.value === 'check' && busy.value !== 'start') void check()
  })
  watch([found, phoneAt], () => void guessRegion())

  /** Ends the previous call: its answer is dropped. */
  function next(): AbortSignal {
    current.abort()
    current = new AbortController()
    return current.signal
  }

  function setRule<Name extends keyof Rules>(name: Name, value: Rules[Name]): void {
    chosen.add(name)
    rules.value = { ...rules.value, [name]: value }
    if (name === 'defaultRegion') lastRegion.value = rules.value.defaultRegion
  }

  async function guessRegion(): Promise<void> {
    guess.value = null
    const [file, column] = [found.value, phoneAt.value]
    if (!file || column < 0) return
    const { importId, format } = file
    const region = lastRegion.value
    const answer = await attempt(client.imports.guessRegion({ importId, format, columns: [column], region }))
    if (!answer.ok || file !== found.value || column !== phoneAt.value || busy.value === 'start') return
    const wasUntouched = key.value === untouched.value
    guess.value = answer.value
    const next = { ...rules.value }
    if (!chosen.has('defaultRegion')) next.defaultRegion = answer.value.region
    if (!chosen.has('ownCodeIsPlus')) next.ownCodeIsPlus = answer.value.ownCodeIsPlus
    rules.value = next
    if (wasUntouched) untouched.value = key.value
  }

  /** Whether the file is a table. The caller discards one that isn't. */
  async function inspect(id: string, name: string, format?: Partial<CsvFormat>): Promise<boolean> {
    const signal = next()
    busy.value = 'inspect'
    fileName.value = name
    const answer = await attempt(
      client.imports.inspect({ fileId: id, ...(format ? { format } : {}) }, { signal }),
    )
    if (signal.aborted) return false
    busy.value = null
    error.value = answer.ok ? null : answer.error
    // The previous reading of the file stays.
    if (!answer.ok) return false
    const keeps = format !== undefined && answer.value.header.length === columns.value.length
    fileId.value = id
    found.value = answer.value
    if (!keeps) columns.value = answer.value.guesses
    if (format === undefined) untouched.value = key.value
    return true
  }

  /** Reads commas in tag lists as the rows suggest. A change checks again. */
  function suggestCommas({ problems }: Output<'preview'>): void {
    const rows = problems.find(({ problem }) => problem === 'tag-commas')?.rows
    if (!rows || chosen.has('tagCommas')) return
    const cells = [...found.value!.sample, ...rows.map((row) => row.cells)]
    const texts = cells
      .flatMap((row) => row.filter((_, at) => columns.value[at]?.to === 'tags'))
      .filter((text) => !/^\s*[{[]/.test(text))
      .flatMap((text) => text.split(/[;|\r\n]/))
      .map((text) => text.trim())
    const wasUntouched = key.value === untouched.value
    rules.value = { ...rules.value, tagCommas: commasSeparate(texts) ? 'split' : 'as-one' }
    if (wasUntouched) untouched.value = key.value
  }

  /** Counts what the import would do. */
  async function check(): Promise<void> {
    if (!found.value || !choices.value || wrong.value) return
    const signal = next()
    const of = key.value
    step.value = 'check'
    busy.value = 'preview'
    error.value = null
    const answer = await attempt(
      client.imports.preview({ importId: found.value.importId, choices: choices.value }, { signal }),
    )
    if (signal.aborted) return
    busy.value = null
    if (!answer.ok) return void (error.value = answer.error)
    checked.value = { of, preview: answer.value }
    suggestCommas(answer.value)
  }

  function back(): void {
    if (busy.value === 'preview') current.abort()
    busy.value = null
    error.value = null
    step.value = 'file'
  }

  /** Starts the import and returns its ID; null when refused or when the choices are not checked. */
  async function start(): Promise<string | null> {
    if (!found.value || !choices.value || !isChecked.value) return null
    const { importId } = found.value
    const signal = next()
    busy.value = 'start'
    const answer = await attempt(client.imports.start({ importId, choices: choices.value }))
    // The operator left: the import runs and is in the list.
    if (signal.aborted) return null
    busy.value = null
    error.value = answer.ok ? null : answer.error
    if (!answer.ok) return null
    lastRegion.value = choices.value.defaultRegion
    reset()
    return importId
  }

  function reset(): void {
    current.abort()
    fileId.value = null
    found.value = null
    checked.value = null
    error.value = null
    busy.value = null
    tagText.value = ''
    step.value = 'file'
    chosen.clear()
    shownGroups.clear()
    rules.value = { ...defaultRules, defaultRegion: lastRegion.value }
  }

  return {
    fileName,
    found,
    columns,
    rules,
    tagText,
    tagError,
    guess,
    step,
    preview: computed(() => checked.value?.preview ?? null),
    isChecked,
    groups,
    busy,
    error,
    wrong,
    isDirty: () => found.value !== null && busy.value !== 'start' && key.value !== untouched.value,
    setRule,
    inspect,
    reformat: (format: Partial<CsvFormat>) =>
      fileId.value !== null && found.value
        ? inspect(fileId.value, fileName.value, { ...found.value.format, ...format })
        : Promise.resolve(false),
    check,
    back,
    start,
    reset,
  }
}

export type ImportWizard = ReturnType<typeof useImportWizard>
