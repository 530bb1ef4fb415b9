import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { effectScope, nextTick } from 'vue'
import { readTags } from '../../../../../renderer/src/features/imports/import-words.ts'
import { useImportWizard } from '../../../../../renderer/src/features/imports/use-import-wizard.ts'
import type { Client } from '../../../../../renderer/src/rpc/rpc.ts'

const counts = { new: 2, update: 0 }

/** A wizard whose previews are answered by hand. */
function aWizard(calls: Record<string, (input: never) => unknown> = {}) {
  const previews: PromiseWithResolvers<unknown>[] = []
  const started: unknown[] = []
  const discarded: string[] = []
  const client = {
    imports: {
      inspect: async () => ({
        importId: 'i-1',
        format: { encoding: 'utf-8', delimiter: ',', hasHeader: true },
        header: ['Name', 'Phone'],
        guesses: [{ to: 'name' }, { to: 'phone' }],
        sample: [],
        warnings: [],
        sizeBytes: 10,
      }),
      preview: () => {
        const answer = Promise.withResolvers<unknown>()
        previews.push(answer)
        return answer.promise
      },
      start: async (input: unknown) => {
        started.push(input)
        return { taskId: 't' }
      },
      ...calls,
    },
    files: {
      discard: async ({ fileId }: { fileId: string }) => {
        discarded.push(fileId)
        return {}
      },
    },
  } as unknown as Client
  const scope = effectScope()
  const wizard = scope.run(() => useImportWizard(client))!
  return { wizard, previews, started, discarded, scope }
}

describe('the import wizard', () => {
  beforeEach(() => vi.stubGlobal('navigator', { language: 'de-DE' }))
  afterEach(() => vi.unstubAllGlobals())

  it('takes no preview of other choices for one of these, however late it comes', async () => {
    const { wizard, previews } = aWizard()
    await wizard.inspect('f', 'people.csv')
    const first = wizard.look()
    wizard.duplicatesInBook.value = 'update'
    await nextTick()
    expect(wizard.busy.value).toBeNull()
    previews[0]!.resolve({ counts })
    await first
    expect(wizard.preview.value).toBeNull()
    const second = wizard.look()
    previews[1]!.resolve({ counts })
    await second
    expect(wizard.preview.value).toEqual({ counts })
  })

  it('lets tags for all be typed key by key, and refuses to go on with what is none', async () => {
    const { wizard } = aWizard()
    await wizard.inspect('f', 'people.csv')
    wizard.tagText.value = 'source'
    expect(wizard.tagText.value).toBe('source')
    expect(wizard.wrong.value).toContain('“source” is not key=value')
    wizard.tagText.value = 'source=fair; year=2026;'
    expect(wizard.wrong.value).toBeNull()
    expect({ ...readTags(wizard.tagText.value).tags }).toEqual({ source: 'fair', year: '2026' })
  })

  it('gives a file back that turned out to be no table', async () => {
    const { wizard, discarded } = aWizard({
      inspect: () => Promise.reject(new Error('no table')),
    })
    await wizard.inspect('f-9', 'cat.png')
    expect(wizard.error.value).not.toBeNull()
    expect(wizard.found.value).toBeNull()
    expect(discarded).toEqual(['f-9'])
  })
})
