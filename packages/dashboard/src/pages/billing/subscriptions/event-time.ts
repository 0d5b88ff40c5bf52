/** The content and the time of an event. For events on a test clock, it is the time of that clock. No side effects. */
import type { Event, EventData } from '@switchyard/sdk'

export function contentOf({ data }: Event): EventData {
  return JSON.parse(data)
}

export function timeOf(event: Event): string {
  return contentOf(event).test_clock?.now_at ?? event.created_at
}
