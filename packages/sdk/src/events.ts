/** What an event tells, from the text that it carries. */
import type { Event, EventData, EventObjects } from './types.generated.ts'

/** The content of an event of one type. */
export type ContentOf<Type extends keyof EventObjects> = Omit<EventData, 'type' | 'object' | 'previous'> & {
  type: Type
  /** The object after the change. */
  object: EventObjects[Type]
  /** The members that changed, as they were. Only if it is a change. */
  previous?: Partial<EventObjects[Type]>
}

/** The content of any event. Look at `type` first: it tells what `object` is. */
export type EventContent = { [Type in keyof EventObjects]: ContentOf<Type> }[keyof EventObjects]

/**
 * Parses `data`. It is written in the version of the workspace at that time (`api_version`), and a newer
 * server may know more types: leave what you do not know alone.
 */
export function contentOf(event: Pick<Event, 'data'>): EventContent {
  return JSON.parse(event.data)
}
