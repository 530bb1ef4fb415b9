import type { ColumnTarget, CsvFormat, ImportChoices, importsContract } from '#contract/people/imports.ts'
import type { ErrorView } from '#contract/define.ts'
import { columnOf, columnsFor } from '#contract/people/column-order.ts'
import { computed, ref, shallowRef, watch, type Ref } from 'vue'
import type * as z from 'zod'
import { attempt } from '../../rpc/error-view.ts'
import type { Client } from '../../rpc/rpc.ts'
import { undecidedOf } from '../../shared/consent/consent-choices.ts'
import { useNumberReading } from '../../shared/numbers/number-reading.ts'
import { readTypedTags } from '../../shared/text/typed-tags.ts'
import { type Rules, commasSeparate, problemGroups } from './import-problems.ts'
import { t } from './imports.texts.ts'
import { t as shared } from '../../shared/i18n/shared.texts.ts'

type Output<Name extends 'inspect' | 'preview'> = z.infer<
  NonNullable<(typeof importsContract)[Name]['~orpc']['outputSchema']>
>

const defaultRules = {
  severalNumbers: 'reject',
  extensions: 'reject',
  unknownNumbers: 'reject',
  duplicatesInFile: 'keep-first',
  duplicatesInContacts: 'skip',
  dncHits: 'import-marked',
  badEmails: 'leave-out',
  badTags: 'leave-out',
  tagCommas: 'split',
} as const satisfies Partial<Rules>

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** One file: inspect, match columns, check rows, start the import. */
export function useImportWizard(client: Client, home: Readonly<Ref<string | null>>) {
  const reading = useNumberReading(client, home)
  const fileId = shallowRef<string | null>(null)
  const fileName = shallowRef('')
  const found = shallowRef<Output<'inspect'> | null>(null)
  const columns = shallowRef<ColumnTarget[]>([])
  /** Columns about consent that the operator decided on. */
  const consent = shallowRef<ImportChoices['consent']>([])
  const chosenRules = ref<Omit<Rules, 'defaultRegion' | 'hasCountryCodes'>>({ ...defaultRules })
  /** Tags for every contact as typed: `vip; source=fair`. */
  const tagText = ref('')
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

  /** Null while a person must choose how numbers are read. */
  const rules = computed<Rules | null>(() => {
    const { value } = reading.reading
    return (
      value && { ...chosenRules.value, defaultRegion: value.region, hasCountryCodes: value.hasCountryCodes }
    )
  })
  const choices = computed<ImportChoices | null>(() =>
    found.value === null || rules.value === null
      ? null
      : {
          ...rules.value,
          format: found.value.format,
          columns: columns.value,
          consent: consent.value,
          extraTags: Object.fromEntries(readTypedTags(tagText.value).map(({ key, value }) => [key, value])),
        },
  )
  const key = computed(() => JSON.stringify([choices.value, tagText.value]))
  const phoneColumns = computed(() => columnsFor(columns.value, 'phone'))
  const countryColumn = computed(() => columnOf(columns.value, 'country'))
  const phoneKey = computed(() => [countryColumn.value, ...phoneColumns.value].join())
  const tagError = computed(() =>
    readTypedTags(tagText.value).some((tag) => tag.key === '') ? t('tags.noKey') : null,
  )
  /** Why the check can’t start. */
  const wrong = computed(() => {
    if (phoneColumns.value.length === 0) return t('columns.noNumber')
    if (columns.value.some((column) => column.to === 'tag' && column.tagKey.trim() === ''))
      return t('columns.noKeys')
    if (reading.isGuessing.value) return shared('number.guessing')
    if (rules.value === null) return shared('number.choose')
    return tagError.value
  })
  /** Columns about consent that only the operator can decide on. */
  const undecided = computed(() =>
    undecidedOf(checked.value?.preview.consent ?? [], found.value?.header ?? [], consent.value, 'hold'),
  )
  const isChecked = computed(() => checked.value?.of === key.value)
  /** Whether the last import with these titles decided what the file alone would suggest differently, or ask. */
  const isRemembered = computed(() => {
    const last = found.value?.former
    if (!last) return false
    const isOpen = reading.guess.value?.reading === null || last.reading.region !== home.value
    return (
      !isSame(last.columns, found.value?.guesses) || (isOpen && isSame(last.reading, reading.reading.value))
    )
  })
  /** Shown groups stay, so that a fix can be undone. */
  const shownGroups = new Set<string>()
  const groups = computed(() => {
    if (!checked.value || !choices.value) return []
    const all = problemGroups(checked.value.preview, choices.value, found.value?.header ?? [])
    const shown = all.filter(({ id, count, fix }) => count > 0 || (fix !== null && shownGroups.has(id)))
    for (const { id } of shown) shownGroups.add(id)
    return shown
  })
  watch(key, () => {
    if (step.value === 'check' && busy.value !== 'start') void check()
  })
  watch([found, phoneKey], () => void guessReading())

  /** Ends the previous call: its answer is dropped. */
  function next(): AbortSignal {
    current.abort()
    current = new AbortController()
    return current.signal
  }

  function setRule<Name extends keyof Rules>(name: Name, value: Rules[Name]): void {
    if (name === 'defaultRegion')
      return reading.choose({ region: value as Rules['defaultRegion'], hasCountryCodes: false })
    chosen.add(name)
    chosenRules.value = { ...chosenRules.value, [name]: value }
  }

  async function guessReading(): Promise<void> {
    if (!found.value || fileId.value === null || phoneColumns.value.length === 0) return
    const wasUntouched = key.value === untouched.value
    await reading.look(
      {
        fileId: fileId.value,
        format: found.value.format,
        columns: phoneColumns.value,
        countryColumn: countryColumn.value,
      },
      found.value.former?.reading,
    )
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
    // A changed mapping stays while it fits.
    const isMapped = !isSame(columns.value, found.value?.former?.columns ?? found.value?.guesses)
    const keeps = format !== undefined && isMapped && answer.value.header.length === columns.value.length
    if (id !== fileId.value) reading.reset()
    fileId.value = id
    found.value = keeps ? { ...answer.value, former: null } : answer.value
    consent.value = []
    if (!keeps) columns.value = answer.value.former?.columns ?? answer.value.guesses
    if (format === undefined) untouched.value = key.value
    return true
  }

  /** Drops what the last import with these titles chose. */
  function startOver(): void {
    found.value = { ...found.value!, former: null }
    columns.value = found.value.guesses
    reading.reset()
    untouched.value = key.value
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
    chosenRules.value = { ...chosenRules.value, tagCommas: commasSeparate(texts) ? 'split' : 'as-one' }
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
    if (!found.value || !choices.value || !isChecked.value || undecided.value.length > 0) return null
    const { importId } = found.value
    const signal = next()
    busy.value = 'start'
    const answer = await attempt(client.imports.start({ importId, choices: choices.value }))
    // The operator left: the import runs and is in the list.
    if (signal.aborted) return null
    busy.value = null
    error.value = answer.ok ? null : answer.error
    if (!answer.ok) return null
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
    reading.reset()
    chosenRules.value = { ...defaultRules }
  }

  return {
    fileName,
    found,
    isRemembered,
    startOver,
    columns,
    reading,
    /** The title of the column that names each row's country; null without one. */
    countryTitle: computed(() =>
      countryColumn.value === null ? null : (found.value?.header[countryColumn.value] ?? null),
    ),
    tagText,
    tagError,
    step,
    preview: computed(() => checked.value?.preview ?? null),
    isChecked,
    groups,
    busy,
    error,
    wrong,
    isDirty: () => found.value !== null && busy.value !== 'start' && key.value !== untouched.value,
    setRule,
    consent,
    undecided,
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
