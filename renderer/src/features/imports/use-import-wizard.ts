import type { ColumnTarget, CsvFormat, ImportChoices, importsContract } from '#contract/imports.ts'
import type { ErrorView } from '#contract/define.ts'
import { computed, ref, shallowRef, watch } from 'vue'
import type * as z from 'zod'
import { attempt } from '../../rpc/error-view.ts'
import type { Client } from '../../rpc/rpc.ts'
import { useNumberReading } from '../../shared/numbers/number-reading.ts'
import { visibleText } from '../../shared/text/visible-controls.ts'
import { readTags } from './import-words.ts'

type Output<Name extends 'inspect' | 'preview'> = z.infer<
  NonNullable<(typeof importsContract)[Name]['~orpc']['outputSchema']>
>

/** One file on its way into the book: looked into, previewed under choices, started. */
export function useImportWizard(client: Client) {
  const { region, doubleZeroIsPlus, ownCodeIsPlus } = useNumberReading()
  const fileId = shallowRef<string | null>(null)
  const fileName = shallowRef('')
  const found = shallowRef<Output<'inspect'> | null>(null)
  const columns = shallowRef<ColumnTarget[]>([])
  const duplicatesInFile = ref<ImportChoices['duplicatesInFile']>('keep-first')
  const duplicatesInBook = ref<ImportChoices['duplicatesInBook']>('skip')
  const unusable = ref<ImportChoices['unusable']>('reject')
  const dncHits = ref<ImportChoices['dncHits']>('import-marked')
  /** Tags for every contact as they are typed: `source=fair; year=2026`. */
  const tagText = ref('')
  const preview = shallowRef<Output<'preview'> | null>(null)
  const busy = shallowRef<'inspect' | 'preview' | 'start' | null>(null)
  const error = shallowRef<ErrorView | null>(null)
  let asked = 0

  const choices = computed<ImportChoices | null>(() => {
    if (!found.value) return null
    return {
      format: found.value.format,
      columns: columns.value,
      defaultRegion: region.value,
      doubleZeroIsPlus: doubleZeroIsPlus.value,
      ownCodeIsPlus: ownCodeIsPlus.value,
      duplicatesInFile: duplicatesInFile.value,
      duplicatesInBook: duplicatesInBook.value,
      dncHits: dncHits.value,
      unusable: unusable.value,
      extraTags: readTags(tagText.value).tags,
    }
  })
  const phones = computed(() => columns.value.filter(({ to }) => to === 'phone').length)
  const wrong = computed(() => {
    if (phones.value === 0) return 'Say which column holds the number.'
    if (phones.value > 1) return 'Only one column can hold the number.'
    if (columns.value.some((column) => column.to === 'tag' && column.tagKey.trim() === ''))
      return 'Give each tag column its key.'
    const { strange } = readTags(tagText.value)
    return strange === null ? null : `Tags for all of them: “${visibleText(strange)}” is not key=value.`
  })
  // A preview of other choices says nothing about these, nor does one that is under way.
  watch(
    () => JSON.stringify([choices.value, tagText.value]),
    () => {
      preview.value = null
      if (busy.value !== 'preview') return
      asked++
      busy.value = null
    },
  )

  async function inspect(id: string, name: string, format?: Partial<CsvFormat>): Promise<void> {
    const mine = ++asked
    busy.value = 'inspect'
    const answer = await attempt(client.imports.inspect({ fileId: id, ...(format ? { format } : {}) }))
    if (mine !== asked) return
    busy.value = null
    error.value = answer.ok ? null : answer.error
    if (!answer.ok) {
      // A file that cannot be read under a first guess is of no use; under another format the one before still stands.
      if (format === undefined) void attempt(client.files.discard({ fileId: id }))
      return
    }
    const keeps = format !== undefined && answer.value.header.length === columns.value.length
    fileId.value = id
    fileName.value = name
    found.value = answer.value
    if (!keeps) columns.value = answer.value.guesses
  }

  async function look(): Promise<void> {
    if (!found.value || !choices.value || wrong.value) return
    const mine = ++asked
    busy.value = 'preview'
    error.value = null
    const answer = await attempt(
      client.imports.preview({ importId: found.value.importId, choices: choices.value }),
    )
    if (mine !== asked) return
    busy.value = null
    if (answer.ok) preview.value = answer.value
    else error.value = answer.error
  }

  /** Starts it and answers the import's id; null when it was refused. */
  async function start(): Promise<string | null> {
    if (!found.value || !choices.value) return null
    const { importId } = found.value
    const mine = ++asked
    busy.value = 'start'
    const answer = await attempt(client.imports.start({ importId, choices: choices.value }))
    // Left meanwhile: the import goes on, and is listed among the others.
    if (mine !== asked) return null
    busy.value = null
    error.value = answer.ok ? null : answer.error
    if (!answer.ok) return null
    reset(false)
    return importId
  }

  /** Forgets the file, here and, unless it was handed to an import, in the core. */
  function reset(discard = true): void {
    asked++
    if (discard && fileId.value !== null) void attempt(client.files.discard({ fileId: fileId.value }))
    fileId.value = null
    found.value = null
    preview.value = null
    error.value = null
    busy.value = null
    tagText.value = ''
  }

  return {
    region,
    fileName,
    found,
    columns,
    doubleZeroIsPlus,
    ownCodeIsPlus,
    duplicatesInFile,
    duplicatesInBook,
    dncHits,
    unusable,
    tagText,
    preview,
    busy,
    error,
    wrong,
    inspect,
    reformat: (format: Partial<CsvFormat>) =>
      fileId.value !== null && found.value
        ? inspect(fileId.value, fileName.value, { ...found.value.format, ...format })
        : Promise.resolve(),
    look,
    start,
    reset,
  }
}

export type ImportWizard = ReturnType<typeof useImportWizard>
