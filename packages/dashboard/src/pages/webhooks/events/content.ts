/** The content of an event, parsed from its `data` string. No side effects. */
import type { Event, EventData } from '@switchyard/sdk'

/** Unknown members are kept and shown as well. */
export function contentOf({ data }: Pick<Event, 'data'>): EventData {
  return JSON.parse(data)
}

export function objectIdOf(event: Pick<Event, 'data'>): string | null {
  const { id } = contentOf(event).object
  return typeof id === 'string' ? id : null
}

export type Change = { readonly member: string; readonly before: unknown; readonly after: unknown }

export function changesOf({ object, previous = {} }: EventData): readonly Change[] {
  return Object.entries(previous)
    .filter(([member]) => member !== 'updated_at')
    .map(([member, before]) => ({ member, before, after: object[member] }))
}

/** The maximum length of a value that is shown inline. */
const maxInlineLength = 32

/** The first two changes in a line: "status processing → succeeded". Changes with long values are only counted. */
export function changesText(content: EventData): string {
  const changes = changesOf(content)
  const isShort = ({ before, after }: Change) =>
    valueText(before).length <= maxInlineLength && valueText(after).length <= maxInlineLength
  const named = changes.filter(isShort).slice(0, 2)
  const shown = named.map(
    ({ member, before, after }) => `${member} ${valueText(before)} → ${valueText(after)}`,
  )
  const rest = changes.length - named.length
  return [...shown, ...(rest > 0 ? [`${rest} more`] : [])].join(', ')
}

export function valueText(value: unknown): string {
  if (value === undefined) return '–'
  if (typeof value === 'string') return value
  return JSON.stringify(value)
}
