/** Events with what they tell: `content` is the text in `data`, parsed, and its type follows `type`. */
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

/** An event of one type, or of some: `EventOf<'payment.succeeded' | 'payment.failed'>`. */
export type EventOf<Type extends keyof EventObjects> = {
  [Each in Type]: Omit<Event, 'type'> & { type: Each; content: ContentOf<Each> }
}[Type]

/** An event with its content. Look at `type` first: it tells what `content.object` is. */
export type TypedEvent = EventOf<keyof EventObjects>

/** An event of a type that this package does not know: a newer server tells of more. */
export type UnknownEvent = Event & { content: EventData }

/**
 * For the `default` of a `switch` that is to know every type. It does not compile while one is missing, and
 * throws nothing when a newer server sends one that this package has never heard of.
 */
export function unknownEvent(event: never): UnknownEvent {
  return event
}

/**
 * Parses `data`. It is written in the version of the workspace at that time (`api_version`), and a newer
 * server may know more types: leave what you do not know alone.
 */
export function contentOf(event: Pick<Event, 'data'>): EventContent {
  return JSON.parse(event.data)
}

/** Parsed when somebody looks. It is not enumerable, so that JSON has what the API answered. */
export function withContent<Answer extends Event>(event: Answer): Answer & TypedEvent {
  let content: EventContent | undefined
  const get = () => {
    content ??= contentOf(event)
    return content
  }
  return Object.defineProperty(event, 'content', { get }) as Answer & TypedEvent
}
