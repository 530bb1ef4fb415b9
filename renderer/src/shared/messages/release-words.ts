import type { MessageRelease, ReleaseState } from '#contract/messages.ts'
import type { StatusLook } from '../format/status.ts'
import { visibleText } from '../text/visible-controls.ts'

const looks: Record<ReleaseState, StatusLook> = {
  waiting: { tone: 'quiet', icon: 'clock', label: 'Not begun' },
  'in-flight': { tone: 'info', icon: 'sent', label: 'Being released' },
  released: { tone: 'ok', icon: 'check', label: 'Released' },
  'not-held': { tone: 'quiet', icon: 'info', label: 'Not held' },
  refused: { tone: 'bad', icon: 'cross', label: 'Refused' },
  unknown: { tone: 'warn', icon: 'warning', label: 'Unknown outcome' },
  failed: { tone: 'bad', icon: 'cross', label: 'Not asked' },
}

/** How a release is drawn, by what came of it. */
export const releaseLook = ({ state }: Pick<MessageRelease, 'state'>): StatusLook => looks[state]

const quoted = (text: string) => `“${visibleText(text)}”`

/** What came of a release, in a sentence: what was done, what the message is now, what to do. */
export function releaseSays(release: MessageRelease): string {
  const { state, statusBefore, statusAfter, serviceText, problem } = release
  const now =
    statusAfter === null ? 'how it stands now could not be read' : `it is ${visibleText(statusAfter)} now`
  switch (state) {
    case 'waiting':
      return 'It was not asked for yet. Nothing was sent.'
    case 'in-flight':
      return 'The service was asked; its answer is waited for.'
    case 'released':
      return `The service released it${serviceText === null ? '' : ` (${quoted(serviceText)})`}; ${now}.`
    case 'not-held':
      return statusAfter === null
        ? 'It was released a moment ago. Nothing was sent.'
        : `It is ${visibleText(statusAfter)} already. Nothing was sent.`
    case 'refused':
      return `The service said ${quoted(serviceText ?? 'no')}; ${now}.`
    case 'unknown': {
      const moved = statusAfter !== null && statusAfter !== statusBefore
      return `The service did not confirm it, and it was not repeated; ${now}${moved ? ', so it has moved on' : ''}.`
    }
    case 'failed':
      return problem?.text ?? 'The service could not be asked.'
  }
}
