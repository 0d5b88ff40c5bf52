/** What an event holds, and when it happened: on a test clock the time that it showed. Pure. */
import type { Event, EventData } from '@switchyard/sdk'

export function contentOf({ data }: Event): EventData {
  return JSON.parse(data)
}

export function timeOf(event: Event): string {
  return contentOf(event).test_clock?.now_at ?? event.created_at
}
