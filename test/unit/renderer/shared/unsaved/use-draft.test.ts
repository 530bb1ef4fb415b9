import { ORPCError } from '@orpc/client'
import { expect, it } from 'vitest'
import { nextTick, shallowRef } from 'vue'
import { useToastStore } from '../../../../../renderer/src/shared/ui/toast.store.ts'
import { useDraft } from '../../../../../renderer/src/shared/unsaved/use-draft.ts'
import { createRendererApp } from '../../../../helpers/renderer-app.ts'

function open(name: string) {
  const app = createRendererApp({})
  const source = shallowRef({ name })
  return app.run(() => ({
    app,
    source,
    form: useDraft(() => source.value, { words: 'Your settings' }),
    toasts: useToastStore(),
  }))
}

it('follows its source until something is typed, then keeps what was typed', async () => {
  const { source, form } = open('first')
  source.value = { name: 'second' }
  await nextTick()
  expect(form).toMatchObject({ draft: { name: 'second' }, changed: false })
  form.draft.name = 'typed'
  expect([form.changed, source.value.name]).toEqual([true, 'second'])
  source.value = { name: 'third' }
  await nextTick()
  expect(form).toMatchObject({ draft: { name: 'typed' }, changed: true })
  form.draft.name = 'second'
  expect(form.changed).toBe(true)
  form.discard()
  expect(form).toMatchObject({ draft: { name: 'third' }, changed: false })
})

it.each([
  ['during the call', true],
  ['later', false],
])('takes the spelling of its source that arrives %s', async (_when, isDuring) => {
  const { source, form, toasts } = open('first')
  form.draft.name = ' next '
  const answer = Promise.withResolvers<undefined>()
  const saving = form.save(answer.promise)
  expect(form.busy).toBe(true)
  if (isDuring) source.value = { name: 'next' }
  await nextTick()
  expect(form.draft.name).toBe(' next ')
  answer.resolve(undefined)
  expect(await saving).toMatchObject({ ok: true })
  expect(form).toMatchObject({ draft: { name: isDuring ? 'next' : ' next ' }, changed: false, busy: false })
  expect(toasts.shown).not.toBeNull()
  source.value = { name: 'next' }
  await nextTick()
  expect(form).toMatchObject({ draft: { name: 'next' }, changed: false })
})

it('keeps what was typed while it was saving', async () => {
  const { source, form } = open('first')
  form.draft.name = 'sent'
  const answer = Promise.withResolvers<undefined>()
  const saving = form.save(answer.promise)
  form.draft.name = 'sent and more'
  source.value = { name: 'sent' }
  answer.resolve(undefined)
  await saving
  expect(form).toMatchObject({ draft: { name: 'sent and more' }, changed: true })
})

it('says why a save failed until the draft changes', async () => {
  const { form, toasts } = open('first')
  form.draft.name = 'wrong'
  await nextTick()
  expect(await form.save(Promise.reject(new ORPCError('DISK_FULL')))).toMatchObject({ ok: false })
  expect(form).toMatchObject({ changed: true, error: { code: 'DISK_FULL' } })
  expect(toasts.shown).toBeNull()
  form.draft.name = 'other'
  await nextTick()
  expect(form.error).toBeNull()
})
