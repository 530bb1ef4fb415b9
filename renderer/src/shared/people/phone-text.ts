import { type FunctionalComponent, type VNode, h } from 'vue'
import { phoneGroups } from '../format/phone.ts'
import InertText from '../text/InertText.vue'

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
