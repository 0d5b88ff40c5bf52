/** The content of an event and its time: on a test clock, the time of the clock. Pure. */
import type { Event, EventData } from '@switchyard/sdk'

export function contentOf({ data }: Event): EventData {
  return JSON.parse(data)
}

export function timeOf(event: Event): string {
  return contentOf(event).test_clock?.now_at ?? event.created_at
}
