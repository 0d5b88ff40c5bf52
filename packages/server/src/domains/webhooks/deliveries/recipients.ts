/** Chooses the recipients of a resent event. No side effects. */
import { refuse } from '../../../kernel/errors.ts'
import type { Id } from '../../../kernel/id.ts'

/** An endpoint of the workspace, and its relation to one event. */
export type Candidate = {
  readonly id: Id<'webhook_endpoint'>
  readonly isEnabled: boolean
  /** Whether it subscribes to the type of the event now. */
  readonly isSubscribed: boolean
  /** Whether it already has a delivery of the event. */
  readonly hasDelivery: boolean
  /**
   * Whether the event is about this endpoint. Such events are not sent to it by default: it may be failing.
   */
  readonly isAboutEndpoint: boolean
}

/** Enabled endpoints that subscribe to the event now, or already have a delivery of it. */
export function defaultRecipients(candidates: readonly Candidate[]): readonly Candidate[] {
  return candidates.filter(
    ({ isEnabled, isSubscribed, hasDelivery, isAboutEndpoint }) =>
      isEnabled && (hasDelivery || (isSubscribed && !isAboutEndpoint)),
  )
}

/** The named endpoints, whatever they subscribe to. */
export function namedRecipients(
  candidates: readonly Candidate[],
  ids: readonly (Id<'webhook_endpoint'> | null)[],
): readonly Candidate[] {
  const byId = new Map(candidates.map((candidate) => [candidate.id, candidate]))
  const missing = ids.flatMap((id, index) =>
    id !== null && byId.has(id) ? [] : [{ pointer: `/webhook_endpoint_ids/${index}`, ...unknownEndpoint }],
  )
  if (missing.length > 0) refuse('reference_not_found', { errors: missing })
  const named = candidates.filter(({ id }) => ids.includes(id))
  for (const candidate of named) requireEnabled(candidate)
  return named
}

const unknownEndpoint = {
  code: 'not_found',
  detail: 'is not the id of a webhook endpoint of this workspace',
} as const

/** A resend to a disabled endpoint is rejected: the delivery would only be held. */
export function requireEnabled({ id, isEnabled }: Pick<Candidate, 'id' | 'isEnabled'>): void {
  if (isEnabled) return
  refuse('invalid_state', {
    detail: `The webhook endpoint ${id} is disabled. Enable it first.`,
    current_status: 'disabled',
    allowed_actions: ['enable'],
  })
}
