import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { effectScope, nextTick } from 'vue'
import { useImportWizard } from '../../../../../renderer/src/features/imports/use-import-wizard.ts'
import type { Client } from '../../../../../renderer/src/rpc/rpc.ts'

const preview = { counts: { new: 2, update: 0, problems: { email: 1 } }, samples: [], problems: [] }
const guess = { region: 'AT', ownCodeIsPlus: true, numbers: 2, valid: 2, alike: 0 }

/** A wizard whose previews are answered by hand. */
function aWizard(calls: Record<string, (input: never) => unknown> = {}) {
  const previews: PromiseWithResolvers<unknown>[] = []
  const started: unknown[] = []
  const client = {
    imports: {
      inspect: async () => ({
        importId: 'i-1',
        format: { encoding: 'utf-8', delimiter: ',', headerRow: 1 },
        header: ['Name', 'Phone'],
        guesses: [{ to: 'name' }, { to: 'phone' }],
        sample: [],
        warnings: [],
        sizeBytes: 10,
      }),
      guessRegion: async () => guess,
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
  } as unknown as Client
  const scope = effectScope()
  const wizard = scope.run(() => useImportWizard(client))!
  return { wizard, previews, started, scope }
}

describe('the import wizard', () => {
  beforeEach(() => vi.stubGlobal('navigator', { language: 'de-DE' }))
  afterEach(() => vi.unstubAllGlobals())

  it('checks again when a fix changes, and starts only what was checked', async () => {
    const { wizard, previews, started } = aWizard()
    await wizard.inspect('f', 'people.csv')
    await vi.waitFor(() => expect(wizard.guess.value).toEqual(guess))
    void wizard.check()
    wizard.setRule('duplicatesInBook', 'update')
    await nextTick()
    expect(previews).toHaveLength(2)
    previews[0]!.resolve(preview)
    await nextTick()
    expect(wizard.preview.value).toBeNull()
    expect(await wizard.start()).toBeNull()
    previews[1]!.resolve(preview)
    await vi.waitFor(() => expect(wizard.isChecked.value).toBe(true))
    expect(await wizard.start()).toBe('i-1')
    expect(started).toMatchObject([
      {
        choices: {
          defaultRegion: 'AT',
          ownCodeIsPlus: true,
          duplicatesInBook: 'update',
          badEmails: 'leave-out',
          tagCommas: 'split',
        },
      },
    ])
  })

  it('keeps a chosen region, and guesses again for another number column', async () => {
    const asked: unknown[] = []
    const { wizard } = aWizard({
      guessRegion: async (input: never) => {
        asked.push(input)
        return guess
      },
    })
    await wizard.inspect('f', 'people.csv')
    wizard.setRule('defaultRegion', 'CH')
    wizard.columns.value = [{ to: 'phone' }, { to: 'ignore' }]
    await vi.waitFor(() => expect(asked).toMatchObject([{ columns: [1] }, { columns: [0], region: 'CH' }]))
    await vi.waitFor(() => expect(wizard.guess.value).toEqual(guess))
    expect(wizard.rules.value).toMatchObject({ defaultRegion: 'CH', ownCodeIsPlus: true })
  })

  it('has unsaved work only after a change by the operator', async () => {
    const { wizard } = aWizard()
    await wizard.inspect('f', 'people.csv')
    await vi.waitFor(() => expect(wizard.guess.value).toEqual(guess))
    expect(wizard.isDirty()).toBe(false)
    wizard.tagText.value = 'vip'
    expect(wizard.isDirty()).toBe(true)
  })

  it('keeps a group whose fix left no rows, so that the fix can be undone', async () => {
    const { wizard, previews } = aWizard()
    await wizard.inspect('f', 'people.csv')
    void wizard.check()
    previews[0]!.resolve(preview)
    await vi.waitFor(() => expect(wizard.groups.value).toHaveLength(1))
    wizard.setRule('badEmails', 'reject')
    await nextTick()
    previews.at(-1)!.resolve({ ...preview, counts: { new: 3, update: 0, problems: {} } })
    await vi.waitFor(() => expect(wizard.isChecked.value).toBe(true))
    expect(wizard.groups.value).toMatchObject([{ id: 'email', count: 0, fix: { value: 'reject' } }])
  })

  it.each([
    [['vip, new', 'vip, old'], 'split'],
    [['Doe, Ann', 'Roe, Max; fair'], 'as-one'],
  ] as const)('reads commas in tag lists as the rows suggest: %s', async (cells, expected) => {
    const { wizard, previews } = aWizard()
    await wizard.inspect('f', 'people.csv')
    wizard.columns.value = [{ to: 'tags' }, { to: 'phone' }]
    await vi.waitFor(() => expect(wizard.guess.value).toEqual(guess))
    void wizard.check()
    const rows = cells.map((cell) => ({ cells: [cell, '+1'] }))
    previews.at(-1)!.resolve({ ...preview, problems: [{ problem: 'tag-commas', rows }] })
    await vi.waitFor(() => expect(wizard.preview.value).not.toBeNull())
    expect(wizard.rules.value.tagCommas).toBe(expected)
    wizard.setRule('tagCommas', 'reject')
    await nextTick()
    previews.at(-1)!.resolve({ ...preview, problems: [{ problem: 'tag-commas', rows }] })
    await vi.waitFor(() => expect(wizard.isChecked.value).toBe(true))
    expect(wizard.rules.value.tagCommas).toBe('reject')
  })

  it('says that a file is not a table', async () => {
    const { wizard } = aWizard({
      inspect: () => Promise.reject(new Error('no table')),
    })
    expect(await wizard.inspect('f-9', 'cat.png')).toBe(false)
    expect(wizard.error.value).not.toBeNull()
    expect(wizard.found.value).toBeNull()
  })
})
