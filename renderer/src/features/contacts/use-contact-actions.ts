import type { ContactColumn, ContactSelection, contactsContract } from '#contract/people/contacts.ts'
import { shallowRef } from 'vue'
import type * as z from 'zod'
import { attempt } from '../../rpc/error-view.ts'
import { useRpc } from '../../rpc/rpc.ts'
import { statusLook } from '../../shared/format/status.ts'
import { progressText, taskTitle } from '../../shared/tasks/task-words.ts'
import { useDncSync } from '../../shared/tasks/use-dnc-sync.ts'
import { useTaskEnd } from '../../shared/tasks/use-task.ts'
import { useToastStore } from '../../shared/ui/toast.store.ts'
import { useQuestion } from '../../shared/ui/use-question.ts'
import type { ContactsChosen } from './contact-selection.ts'
import { t } from './contacts.texts.ts'

type BulkAction = 'push' | 'delete' | 'tag' | 'export'
type TagBatch = NonNullable<
  z.infer<NonNullable<(typeof contactsContract)['tagBatch']['~orpc']['outputSchema']>>['batch']
>
type Preview = z.infer<NonNullable<(typeof contactsContract)['preview']['~orpc']['outputSchema']>>

/** A question before an action. `preview` is null until counted. */
export interface BulkQuestion {
  action: BulkAction
  /** The contact of the drawer; null for the selected rows. */
  only: ContactSelection | null
  count: number
  preview: Preview | null
}

/** Actions on selected contacts: count, ask, do. `drawer` closes when its contact is deleted. */
export function useContactActions(
  selection: ContactsChosen,
  done: () => void,
  drawer: { id: () => number | null; close: () => void },
) {
  const { client } = useRpc()
  const question = useQuestion<BulkQuestion>()
  const toasts = useToastStore()
  /** Export tasks of this visit. */
  const exports = shallowRef<readonly string[]>([])

  async function ask(action: BulkAction, only: ContactSelection | null = null): Promise<void> {
    const count = only ? 1 : selection.count.value
    const asked: BulkQuestion = { action, only, count, preview: null }
    question.ask(asked)
    const answer = await attempt(client.contacts.preview({ selection: only ?? selection.value(), action }))
    if (question.about !== asked) return
    if (answer.ok) question.about = { ...asked, count: answer.value.count, preview: answer.value }
    else question.error = answer.error
  }

  const { sync, syncing } = useDncSync(async (problem) => {
    if (question.about) await ask(question.about.action, question.about.only)
    if (problem) question.error = problem
  })

  /** What the question counted, without contacts added since. */
  function confirmed(): ContactSelection {
    const chosen = question.about?.only ?? selection.value()
    const preview = question.about?.preview
    return 'filter' in chosen && preview ? { ...chosen, upToId: preview.upToId } : chosen
  }

  async function act<T>(call: Promise<T>, then: (value: T) => void): Promise<void> {
    const only = question.about?.only
    const answer = await question.act(call)
    if (!answer.ok) return
    if (!only) selection.clear()
    then(answer.value)
    done()
  }

  const taskEnd = useTaskEnd()
  /** Calls `onDone` when the task ends, during this visit; at once without a task. */
  async function follow(taskId: string | null, onDone: () => void): Promise<void> {
    if (taskId === null) return onDone()
    const task = await taskEnd(taskId)
    if (task?.state === 'done') onDone()
    else if (task) {
      const words = t('toast.ended', {
        task: taskTitle(task.kind),
        state: statusLook('task', task.state).label.toLowerCase(),
        progress: progressText(task.progress),
      })
      toasts.show(words, { stays: true })
    }
  }

  /** The last bulk tag change that you can undo, even after a restart. */
  const tagged = shallowRef<TagBatch | null>(null)
  async function refreshTagged(): Promise<void> {
    const answer = await attempt(client.contacts.tagBatch())
    if (answer.ok) tagged.value = answer.value.batch
  }
  void refreshTagged()

  /** The line with the undo says how many were tagged; without it, a toast does. */
  async function tellTagged(words: string): Promise<void> {
    await refreshTagged()
    if (tagged.value === null) toasts.show(words)
  }

  async function undoTags(): Promise<void> {
    const batch = tagged.value
    if (!batch) return
    tagged.value = null
    const answer = await attempt(client.contacts.undoTags({ batchId: batch.batchId }))
    question.error = answer.ok ? null : answer.error
    if (!answer.ok) return void refreshTagged()
    const { taskId, left } = answer.value
    const words = taskId === null && left > 0 ? t('toast.restoredBut', { n: left }) : t('toast.restored')
    void follow(taskId, () => toasts.show(words))
    done()
  }

  return {
    tagged,
    undoTags,
    question,
    exports,
    ask,
    sync,
    syncing,
    push: (choices: { uncheckedKnowingly: boolean; leaveOutNameless: boolean }) =>
      act(client.contacts.push({ selection: confirmed(), ...choices }), ({ taskId }) => {
        void follow(taskId, () => toasts.show(t('toast.queued')))
      }),
    tag: (set: Record<string, string>, remove: string[]) =>
      act(client.contacts.tag({ selection: confirmed(), set, remove }), ({ taskId, count }) => {
        void follow(taskId, () => void tellTagged(t('toast.tagged', { n: count })))
      }),
    export: (columns: ContactColumn[], tagColumns: boolean, format: 'csv' | 'xlsx') =>
      act(client.contacts.export({ selection: confirmed(), columns, tagColumns, format }), ({ taskId }) => {
        exports.value = [taskId, ...exports.value]
      }),
    /** The undo bar shows the rest. */
    remove(confirmName: string | undefined) {
      const id = drawer.id()
      const { only = null } = question.about ?? {}
      const isShown = only !== null || (id !== null && selection.has(id))
      return act(client.contacts.delete({ selection: confirmed(), confirmName }), () => {
        if (isShown && drawer.id() === id) drawer.close()
      })
    },
  }
}

export type ContactActions = ReturnType<typeof useContactActions>
