/** The changes of an event as short text. No side effects. */
import type { EventData } from '@switchyard/sdk'

const maxChanges = 3
const maxValueLength = 32

/** "status pending → succeeded, amount 0 → 4000"; empty for a new object. */
export function changesOf(data: string): string {
  const { object, previous = {} } = JSON.parse(data) as EventData
  const changed = Object.entries(previous).filter(([name]) => name !== 'updated_at' && name !== 'summary')
  const texts = changed
    .slice(0, maxChanges)
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
  return text.length > maxValueLength ? `${text.slice(0, maxValueLength - 1)}…` : text
}
