/** Applies a request to the settings of an endpoint. Null clears a member, and metadata is merged by key. */
import { canonical } from '../../../kernel/json.ts'
import { mergeMetadata } from '../../../kernel/metadata.ts'
import type { EndpointSettings, Ordering } from './webhook-endpoint.ts'

/** A request in the format of the API: omitted members stay unchanged. */
export type EndpointInput = {
  readonly url?: string
  readonly name?: string | null
  readonly event_types?: readonly string[]
  readonly ordering?: Ordering
  readonly max_in_flight?: number
  readonly rate_limit?: number | null
  readonly timeout_seconds?: number
  readonly metadata?: { readonly [key: string]: string | null }
}

/**
 * The settings of a new endpoint before the request is applied. A request always contains url and
 * event_types.
 */
export const defaults: EndpointSettings = {
  url: '',
  name: null,
  eventTypes: [],
  ordering: 'none',
  maxInFlight: 10,
  rateLimit: null,
  timeoutSeconds: 15,
  metadata: {},
}

export function applyInput(before: EndpointSettings, input: EndpointInput): EndpointSettings {
  const orBefore = <T>(sent: T | undefined, current: T) => (sent === undefined ? current : sent)
  return {
    url: orBefore(input.url, before.url),
    name: orBefore(input.name, before.name),
    eventTypes: [...new Set(orBefore(input.event_types, before.eventTypes))],
    ordering: orBefore(input.ordering, before.ordering),
    maxInFlight: orBefore(input.max_in_flight, before.maxInFlight),
    rateLimit: orBefore(input.rate_limit, before.rateLimit),
    timeoutSeconds: orBefore(input.timeout_seconds, before.timeoutSeconds),
    metadata: mergeMetadata(before.metadata, input.metadata ?? {}),
  }
}

export function isSame(a: EndpointSettings, b: EndpointSettings): boolean {
  return (Object.keys(defaults) as (keyof EndpointSettings)[]).every(
    (name) => canonical(a[name]) === canonical(b[name]),
  )
}
