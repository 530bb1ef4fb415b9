import type { ContactColumn, ContactSelection, contactsContract } from '#contract/contacts.ts'
import type { ErrorView } from '#contract/define.ts'
import type { Task } from '#contract/tasks.ts'
import { shallowRef, watch } from 'vue'
import type * as z from 'zod'
import { attempt } from '../../rpc/error-view.ts'
import type { Client } from '../../rpc/rpc.ts'
import { formatCounted } from '../../shared/format/numbers.ts'
import { progressText, taskTitle } from '../../shared/tasks/task-words.ts'
import { useDncSync } from '../../shared/tasks/use-dnc-sync.ts'
import type { ContactsChosen } from './contact-selection.ts'

export type BulkAction = 'push' | 'delete' | 'tag' | 'export'
type TagBatch = NonNullable<
  z.infer<NonNullable<(typeof contactsContract)['tagBatch']['~orpc']['outputSchema']>>['batch']
>
export type Preview = z.infer<NonNullable<(typeof contactsContract)['preview']['~orpc']['outputSchema']>>

/** A question before something is done to the chosen contacts. `preview` is null until it is counted. */
export interface Question {
  action: BulkAction
  count: number
  preview: Preview | null
}

/** What is done to chosen contacts: asked first with what it would do, then told. `taskOf` gives a task while it is known. */
export function useContactActions(
  client: Client,
  selection: ContactsChosen,
  done: () => void,
  taskOf: (id: string) => Task | null,
) {
  const question = shallowRef<Question | null>(null)
  const busy = shallowRef(false)
  const refused = shallowRef<ErrorView | null>(null)
  const told = shallowRef('')
  /** Tasks that write a file, begun on this visit. */
  const exports = shallowRef<readonly string[]>([])
  let asking = 0

  async function ask(action: BulkAction): Promise<void> {
    const mine = ++asking
    refused.value = null
    told.value = ''
    question.value = { action, count: selection.count.value, preview: null }
    const answer = await attempt(client.contacts.preview({ selection: selection.value(), action }))
    if (mine !== asking || !question.value) return
    if (answer.ok) question.value = { action, count: answer.value.count, preview: answer.value }
    else refused.value = answer.error
  }

  function cancel(): void {
    asking++
    question.value = null
    refused.value = null
  }

  const { sync, syncing } = useDncSync(client, taskOf, async (problem) => {
    if (question.value) await ask(question.value.action)
    if (problem) refused.value = problem
  })

  /** What was counted when the question was asked: contacts that came since were not meant. */
  function confirmed(): ContactSelection {
    const chosen = selection.value()
    const preview = question.value?.preview
    return 'filter' in chosen && preview ? { ...chosen, upToId: preview.upToId } : chosen
  }

  async function run<T>(call: Promise<T>, then: (value: T) => void): Promise<void> {
    busy.value = true
    const answer = await attempt(call)
    busy.value = false
    refused.value = answer.ok ? null : answer.error
    if (!answer.ok) return
    question.value = null
    selection.clear()
    then(answer.value)
    done()
  }

  /** The task that `told` is about, as long as it says that it goes on. */
  const begun = shallowRef<{ taskId: string; words: string; onDone: () => void } | null>(null)

  /** Says what is being done until its task ends, and then what came of it; at once where there is no task. */
  function tell(taskId: string | null, beginning: string, doneWords: string): void {
    const onDone = () => {
      told.value = doneWords
    }
    follow(taskId, beginning, onDone)
  }

  function follow(taskId: string | null, beginning: string, onDone: () => void): void {
    if (taskId === null) {
      begun.value = null
      return onDone()
    }
    const words = `${beginning} It continues in the background: see the tasks below.`
    begun.value = { taskId, words, onDone }
    told.value = words
  }

  watch(
    () => (begun.value ? taskOf(begun.value.taskId) : null),
    (task, before) => {
      if (!begun.value || (task && task.endedAt === null)) return
      const { taskId, words, onDone } = begun.value
      // The list of tasks may not have it yet; one that left the list has ended.
      if (!task && before?.id !== taskId) return
      begun.value = null
      if (told.value !== words) return
      if (!task) told.value = ''
      else if (task.state === 'done') onDone()
      else told.value = `${taskTitle(task.kind)} ${task.state}: ${progressText(task.progress)}.`
    },
  )

  /** The last bulk tag change that can be undone, even after a restart. */
  const tagged = shallowRef<TagBatch | null>(null)
  async function refreshTagged(): Promise<void> {
    const answer = await attempt(client.contacts.tagBatch())
    if (answer.ok) tagged.value = answer.value.batch
  }
  void refreshTagged()

  /** The line with the undo says how many were tagged; without one, `told` does. */
  async function tellTagged(words: string): Promise<void> {
    told.value = ''
    await refreshTagged()
    if (tagged.value === null) told.value = words
  }

  async function undoTags(): Promise<void> {
    const batch = tagged.value
    if (!batch) return
    tagged.value = null
    const answer = await attempt(client.contacts.undoTags({ batchId: batch.batchId }))
    refused.value = answer.ok ? null : answer.error
    if (!answer.ok) return void refreshTagged()
    const { taskId, restored, left } = answer.value
    const kept = left > 0 ? ` ${formatCounted(left, 'contact')} changed since then and kept their tags.` : ''
    tell(
      taskId,
      'Restoring the previous tags.',
      `Previous tags restored.${taskId === null && restored + left > 0 ? kept : ''}`,
    )
    done()
  }

  return {
    tagged,
    undoTags,
    question,
    busy,
    refused,
    told,
    exports,
    ask,
    sync,
    syncing,
    cancel,
    push: (choices: { uncheckedKnowingly: boolean; leaveOutNameless: boolean }) =>
      run(client.contacts.push({ selection: confirmed(), ...choices }), ({ taskId }) => {
        tell(taskId, 'Being queued in the outbox.', 'Queued in the outbox.')
      }),
    tag: (set: Record<string, string>, remove: string[]) =>
      run(client.contacts.tag({ selection: confirmed(), set, remove }), ({ taskId, count }) => {
        const contacts = formatCounted(count, 'contact')
        const beginning = `${contacts} ${count === 1 ? 'is' : 'are'} being tagged.`
        follow(taskId, beginning, () => void tellTagged(`${contacts} tagged.`))
      }),
    export: (columns: ContactColumn[], tagColumns: boolean) =>
      run(client.contacts.export({ selection: confirmed(), columns, tagColumns }), ({ taskId }) => {
        exports.value = [taskId, ...exports.value]
      }),
    remove: (confirmName: string | undefined) =>
      run(
        client.contacts.delete({
          selection: confirmed(),
          ...(confirmName === undefined ? {} : { confirmName }),
        }),
        // The bar of deletions tells the rest.
        () => {},
      ),
  }
}
