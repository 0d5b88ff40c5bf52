/** What an event says that changed, in a few words. Pure. */
import type { EventData } from '@switchyard/sdk'

const most = 3
const long = 32

/** "status pending → succeeded, amount 0 → 4000"; of an object that is new, nothing. */
export function changesOf(data: string): string {
  const { object, previous = {} } = JSON.parse(data) as EventData
  const changed = Object.entries(previous).filter(([name]) => name !== 'updated_at' && name !== 'summary')
  const texts = changed
    .slice(0, most)
    .map(([name, before]) => `${name} ${shortText(before)} → ${shortText(object[name])}`)
  const rest = changed.length - texts.length
  return [...texts, ...(rest > 0 ? [`${rest} more`] : [])].join(', ')
}

export function sequenceOf(data: string): number {
  return (JSON.parse(data) as EventData).sequence
}

function shortText(value: unknown): string {
  if (value === null || value === undefined) return 'none'
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > long ? `${text.slice(0, long - 1)}…` : text
}
