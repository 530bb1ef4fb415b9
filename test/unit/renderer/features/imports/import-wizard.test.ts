import { describe, expect, it, vi } from 'vitest'
import { problemGroups } from '../../../../../renderer/src/features/imports/import-problems.ts'
import { effectScope, nextTick, ref } from 'vue'
import { useImportWizard } from '../../../../../renderer/src/features/imports/use-import-wizard.ts'
import type { Client } from '../../../../../renderer/src/rpc/rpc.ts'

const preview = { counts: { new: 2, update: 0, problems: { email: 1 } }, samples: [], problems: [] }
const guess = { reading: { region: 'AT', hasCountryCodes: true }, choices: [], numbers: 2, valid: 2 }

/** A wizard whose previews are answered by hand. */
function aWizard(calls: Record<string, (input: never) => unknown> = {}) {
  const previews: PromiseWithResolvers<unknown>[] = []
  const checked: unknown[] = []
  const started: unknown[] = []
  const client = {
    imports: {
      inspect: async () => ({
        importId: 'i-1',
        format: { encoding: 'utf-8', delimiter: ',', headerRow: 1 },
        header: ['Name', 'Phone'],
        guesses: [{ to: 'name' }, { to: 'phone' }],
        former: null,
        consent: [],
        sample: [],
        warnings: [],
        sizeBytes: 10,
      }),
      guessReading: async () => guess,
      preview: (input: { choices: unknown }) => {
        checked.push(input.choices)
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
  const wizard = scope.run(() => useImportWizard(client, ref('DE')))!
  return { wizard, previews, checked, started, scope }
}

describe('the import wizard', () => {
  it('checks again when a fix changes, and starts only what was checked', async () => {
    const { wizard, previews, started } = aWizard()
    await wizard.inspect('f', 'people.csv')
    await vi.waitFor(() => expect(wizard.reading.guess.value).toEqual(guess))
    void wizard.check()
    wizard.setRule('duplicatesInContacts', 'update')
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
          hasCountryCodes: true,
          severalNumbers: 'reject',
          extensions: 'reject',
          unknownNumbers: 'reject',
          duplicatesInContacts: 'update',
          badEmails: 'leave-out',
          tagCommas: 'split',
        },
      },
    ])
  })

  it('starts nothing while it is open who consented', async () => {
    const { wizard, previews, started } = aWizard()
    await wizard.inspect('f', 'people.csv')
    await vi.waitFor(() => expect(wizard.reading.guess.value).toEqual(guess))
    void wizard.check()
    const values = [
      { key: 'yes', value: 'Yes', count: 1, means: 'yes', isNo: false },
      { key: 'no', value: 'No', count: 9, means: 'no', isNo: true },
    ]
    previews[0]!.resolve({ ...preview, consent: [{ column: 0, values, others: 0 }] })
    await vi.waitFor(() => expect(wizard.isChecked.value).toBe(true))
    expect(await wizard.start()).toBeNull()
    expect(started).toEqual([])
  })

  it('keeps a chosen region, and guesses again for another number column', async () => {
    const asked: unknown[] = []
    const { wizard, checked } = aWizard({
      guessReading: async (input: never) => {
        asked.push(input)
        return guess
      },
    })
    await wizard.inspect('f', 'people.csv')
    wizard.setRule('defaultRegion', 'CH')
    wizard.columns.value = [{ to: 'phone' }, { to: 'ignore' }]
    await vi.waitFor(() =>
      expect(asked).toMatchObject([
        { source: { columns: [1] } },
        { source: { columns: [0] }, region: null, usual: 'DE' },
      ]),
    )
    await vi.waitFor(() => expect(wizard.reading.guess.value).toEqual(guess))
    void wizard.check()
    expect(checked).toMatchObject([{ defaultRegion: 'CH', hasCountryCodes: false }])
  })

  it('guesses how the numbers of another file or sheet are read, and drops what was decided about consent', async () => {
    const { wizard } = aWizard()
    await wizard.inspect('f', 'people.xlsx')
    wizard.setRule('defaultRegion', 'CH')
    wizard.consent.value = [{ column: 1, action: 'ignore', no: [] }]
    await wizard.inspect('f-2', 'people.xlsx')
    expect(wizard.consent.value).toEqual([])
    await vi.waitFor(() => expect(wizard.reading.guess.value).toEqual(guess))
    expect(wizard.reading.reading.value).toEqual(guess.reading)
  })

  it('guesses the columns again for another header, unless they were changed', async () => {
    const guesses = [
      [{ to: 'ignore' }, { to: 'phone' }],
      [{ to: 'name' }, { to: 'phone' }],
      [{ to: 'note' }, { to: 'phone' }],
    ]
    const { wizard } = aWizard({
      inspect: async () => ({
        importId: 'i-1',
        format: { encoding: 'utf-8', delimiter: ',', headerRow: 1 },
        header: ['A', 'B'],
        guesses: guesses.shift(),
        // The columns remembered for the first titles aren't those of the next.
        former:
          guesses.length === 2
            ? { columns: [{ to: 'phone' }, { to: 'note' }], reading: guess.reading }
            : null,
        sample: [],
      }),
    })
    await wizard.inspect('f', 'people.csv')
    expect(wizard.isRemembered.value).toBe(true)
    await wizard.reformat({ headerRow: 3 })
    expect(wizard.isRemembered.value).toBe(false)
    expect(wizard.columns.value).toEqual([{ to: 'name' }, { to: 'phone' }])
    wizard.columns.value = [{ to: 'last-name' }, { to: 'phone' }]
    await wizard.reformat({ headerRow: 4 })
    expect(wizard.columns.value).toEqual([{ to: 'last-name' }, { to: 'phone' }])
  })

  it('takes columns and country of the last file with these titles, until told to start over', async () => {
    const asked: unknown[] = []
    const guesses = [{ to: 'name' }, { to: 'phone' }]
    const columns = [{ to: 'note' }, { to: 'phone' }]
    const { wizard } = aWizard({
      inspect: async () => ({
        importId: 'i-1',
        format: {},
        header: ['A', 'B'],
        guesses,
        former: { columns, reading: { region: 'CH', hasCountryCodes: false } },
      }),
      guessReading: async ({ region, usual }: { region: string | null; usual: string }) => {
        asked.push([region, usual])
        return { ...guess, reading: region === 'CH' ? null : guess.reading }
      },
    })
    await wizard.inspect('f', 'people.csv')
    expect(wizard.columns.value).toEqual(columns)
    await vi.waitFor(() => expect(wizard.reading.guess.value).not.toBeNull())
    // The file says too little, so the last choice counts.
    expect(wizard.reading.reading.value).toEqual({ region: 'CH', hasCountryCodes: false })
    wizard.startOver()
    expect([wizard.columns.value, wizard.isRemembered.value, wizard.isDirty()]).toEqual([
      guesses,
      false,
      false,
    ])
    await vi.waitFor(() => expect(wizard.reading.reading.value).toEqual(guess.reading))
    expect(asked).toEqual([
      ['CH', 'DE'],
      [null, 'DE'],
    ])
  })

  it.each([
    ['takes the reading of the last import where the file says too little', null, true],
    ['prefers what the file says to the last import', guess.reading, false],
  ])('%s', async (_name, judged, isRemembered) => {
    const columns = [{ to: 'name' }, { to: 'phone' }]
    const reading = { region: 'DE', hasCountryCodes: true }
    const { wizard } = aWizard({
      inspect: async () => ({
        format: {},
        header: ['A', 'B'],
        guesses: columns,
        former: { columns, reading },
      }),
      guessReading: async () => ({ ...guess, reading: judged }),
    })
    await wizard.inspect('f', 'people.csv')
    await vi.waitFor(() => expect(wizard.reading.guess.value).not.toBeNull())
    expect(wizard.reading.reading.value).toEqual(judged ?? reading)
    expect(wizard.isRemembered.value).toBe(isRemembered)
  })

  it('waits until a person chose how numbers are read', async () => {
    const asked = {
      reading: null,
      choices: [
        { region: 'DE', hasCountryCodes: false, valid: 2, samples: [] },
        { region: 'AT', hasCountryCodes: true, valid: 2, samples: [] },
      ],
      numbers: 2,
      valid: 2,
    }
    const { wizard, checked } = aWizard({ guessReading: async () => asked })
    await wizard.inspect('f', 'people.csv')
    await vi.waitFor(() => expect(wizard.wrong.value).toBe('Choose how to read the numbers.'))
    void wizard.check()
    expect(checked).toEqual([])
    wizard.reading.choose({ region: 'AT', hasCountryCodes: true })
    expect(wizard.wrong.value).toBeNull()
    void wizard.check()
    expect(checked).toMatchObject([{ defaultRegion: 'AT', hasCountryCodes: true }])
  })

  it('has unsaved work only after a change by the operator', async () => {
    const { wizard } = aWizard()
    await wizard.inspect('f', 'people.csv')
    await vi.waitFor(() => expect(wizard.reading.guess.value).toEqual(guess))
    expect(wizard.isDirty()).toBe(false)
    wizard.tagText.value = 'vip'
    expect(wizard.isDirty()).toBe(true)
  })

  it('keeps a group whose fix left no rows, so that the fix can be undone', async () => {
    const { wizard, previews } = aWizard()
    await wizard.inspect('f', 'people.csv')
    await vi.waitFor(() => expect(wizard.wrong.value).toBeNull())
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
    [[{ to: 'phone' }], 'AT'],
    [[{ to: 'phone' }, { to: 'country' }], undefined],
  ] as const)('offers the file’s country only to rows without their own: %j', (columns, value) => {
    const counts = { problems: { 'number-region': 1 } }
    const groups = problemGroups(
      { counts, samples: [], problems: [] } as never,
      { columns, defaultRegion: 'AT' } as never,
      [],
    )
    expect(groups.find(({ id }) => id === 'number-region')).toMatchObject({ effect: 'rejected' })
    expect(groups.find(({ id }) => id === 'number-region')?.fix?.value).toBe(value)
  })

  it('counts rows of known contacts together, also those that change nothing', () => {
    const counts = { problems: {}, duplicateInContacts: 1, update: 2, unchanged: 4 }
    const groups = problemGroups(
      { counts, samples: [], problems: [] } as never,
      { columns: [{ to: 'phone' }, { to: 'phone' }] } as never,
      ['Mobile', 'Home'],
    )
    expect(groups.find(({ id }) => id === 'existing')?.count).toBe(7)
    expect(groups.find(({ id }) => id === 'number-next-column')?.reason).toBe(
      'Number in “Mobile” unreadable, next column used',
    )
  })

  it.each([
    [['vip, new', 'vip, old'], 'split'],
    [['Doe, Ann', 'Roe, Max; fair'], 'as-one'],
  ] as const)('reads commas in tag lists as the rows suggest: %s', async (cells, expected) => {
    const { wizard, previews, checked } = aWizard()
    await wizard.inspect('f', 'people.csv')
    wizard.columns.value = [{ to: 'tags' }, { to: 'phone' }]
    await vi.waitFor(() => expect(wizard.reading.guess.value).toEqual(guess))
    void wizard.check()
    const rows = cells.map((cell) => ({ cells: [cell, '+1'] }))
    previews.at(-1)!.resolve({ ...preview, problems: [{ problem: 'tag-commas', rows }] })
    await vi.waitFor(() => expect(wizard.preview.value).not.toBeNull())
    await vi.waitFor(() => expect(checked.at(-1)).toMatchObject({ tagCommas: expected }))
    wizard.setRule('tagCommas', 'reject')
    await nextTick()
    previews.at(-1)!.resolve({ ...preview, problems: [{ problem: 'tag-commas', rows }] })
    await vi.waitFor(() => expect(wizard.isChecked.value).toBe(true))
    expect(checked.at(-1)).toMatchObject({ tagCommas: 'reject' })
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
