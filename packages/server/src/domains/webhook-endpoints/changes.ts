/** What a request makes of an endpoint: members that are sent replace, null clears, metadata merges by key. */
import { canonical } from '../../kernel/json.ts'
import { mergeMetadata } from '../../kernel/metadata.ts'
import type { EndpointSettings, Ordering } from './webhook-endpoint.ts'

/** A request as the wire has it: a member that is missing stays as it was. */
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

/** What an endpoint has that says nothing. Its address and its types must be said. */
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
  const keep = <T>(sent: T | undefined, was: T) => (sent === undefined ? was : sent)
  return {
    url: keep(input.url, before.url),
    name: keep(input.name, before.name),
    eventTypes: [...new Set(keep(input.event_types, before.eventTypes))],
    ordering: keep(input.ordering, before.ordering),
    maxInFlight: keep(input.max_in_flight, before.maxInFlight),
    rateLimit: keep(input.rate_limit, before.rateLimit),
    timeoutSeconds: keep(input.timeout_seconds, before.timeoutSeconds),
    metadata: mergeMetadata(before.metadata, input.metadata ?? {}),
  }
}

export function isSame(a: EndpointSettings, b: EndpointSettings): boolean {
  return (Object.keys(defaults) as (keyof EndpointSettings)[]).every(
    (name) => canonical(a[name]) === canonical(b[name]),
  )
}
