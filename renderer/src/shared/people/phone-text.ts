import { type FunctionalComponent, type VNode, h } from 'vue'
import { phoneGroups } from '../format/phone.ts'
import { t } from '../i18n/shared.texts.ts'
import InertText from '../text/InertText.vue'
import AppIcon from '../ui/AppIcon.vue'
import type { Blocked } from './use-known-numbers.ts'

/** A number from outside, grouped for reading. The groups are apart by style only, so copied or searched text has no spaces. */
export function phoneNode(number: string): VNode {
  const groups = phoneGroups(number)
  return groups === null
    ? h(InertText, { text: number })
    : h(
        'bdi',
        { class: 'phone' },
        groups.map((group) => h('span', group)),
      )
}

export const PhoneText: FunctionalComponent<{ number: string }> = ({ number }) => phoneNode(number)
PhoneText.props = { number: { type: String, required: true } }

/** A mark beside a number that must not be contacted; nothing for others. */
export function blockedNode(blocked: Blocked): VNode | null {
  if (blocked === null) return null
  const label = t(blocked === 'dnc' ? 'number.onDnc' : 'number.onHold')
  return h('span', { class: 'blocked warn', title: label }, [
    h(AppIcon, { name: blocked === 'dnc' ? 'ban' : 'hand', sizePx: 12 }),
    h('span', { class: 'visually-hidden' }, label),
  ])
}

export const BlockedMark: FunctionalComponent<{ blocked: Blocked }> = ({ blocked }) => blockedNode(blocked)
BlockedMark.props = ['blocked']
