/** Typed events: `content` is the parsed `data`, and its type depends on `type`. */
import type { Event, EventData, EventObjects } from './types.generated.ts'

/** The content of an event of one type. */
export type ContentOf<Type extends keyof EventObjects> = Omit<EventData, 'type' | 'object' | 'previous'> & {
  type: Type
  /** The object after the change. */
  object: EventObjects[Type]
  /** The previous values of changed members. Only for updates. */
  previous?: Partial<EventObjects[Type]>
}

/** The content of any event. Check `type` first: it determines the type of `object`. */
export type EventContent = { [Type in keyof EventObjects]: ContentOf<Type> }[keyof EventObjects]

/** An event of one or several types: `EventOf<'payment.succeeded' | 'payment.failed'>`. */
export type EventOf<Type extends keyof EventObjects> = {
  [Each in Type]: Omit<Event, 'type'> & { type: Each; content: ContentOf<Each> }
}[Type]

/** An event with its content. Check `type` first: it determines the type of `content.object`. */
export type TypedEvent = EventOf<keyof EventObjects>

/** An event of a type that this version of the SDK does not know, from a newer server. */
export type UnknownEvent = Event & { content: EventData }

/**
 * For the `default` case of an exhaustive `switch` over event types. A missing type is a compile error. At run time it
 * does not throw when a newer server sends a type that this version of the SDK does not know.
 */
export function unknownEvent(event: never): UnknownEvent {
  return event
}

/**
 * Parses `data`. It has the API version of the workspace at the time of the event (`api_version`). A newer server can
 * send more types: ignore types you do not know.
 */
export function contentOf(event: Pick<Event, 'data'>): EventContent {
  return JSON.parse(event.data)
}

/** Adds `content`, which is parsed on first access. It is not enumerable, so that JSON output equals the response. */
export function withContent<Received extends Event>(event: Received): Received & TypedEvent {
  let content: EventContent | undefined
  const get = () => {
    content ??= contentOf(event)
    return content
  }
  return Object.defineProperty(event, 'content', { get }) as Received & TypedEvent
}
