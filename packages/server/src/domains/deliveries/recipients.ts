/** To whom an event is sent once more. Pure. */
import { refuse } from '../../kernel/errors.ts'
import type { Id } from '../../kernel/id.ts'

/** An endpoint of the workspace, and how it stands to one event. */
export type Candidate = {
  readonly id: Id<'webhook_endpoint'>
  readonly isEnabled: boolean
  /** Whether it asks for the type of the event now. */
  readonly wantsIt: boolean
  /** Whether the event was addressed to it, when it happened or later. */
  readonly hadIt: boolean
  /** An endpoint is not told of itself by default: it may be the one that fails. */
  readonly isSpokenOf: boolean
}

/** Those that would get it if it happened now, and those that had it. What is disabled gets nothing. */
export function usualRecipients(candidates: readonly Candidate[]): readonly Candidate[] {
  return candidates.filter(
    ({ isEnabled, wantsIt, hadIt, isSpokenOf }) => isEnabled && (hadIt || (wantsIt && !isSpokenOf)),
  )
}

/** Those that were named, whatever they ask for. */
export function namedRecipients(
  candidates: readonly Candidate[],
  names: readonly (Id<'webhook_endpoint'> | null)[],
): readonly Candidate[] {
  const known = new Map(candidates.map((candidate) => [candidate.id, candidate]))
  const missing = names.flatMap((name, place) =>
    name !== null && known.has(name) ? [] : [{ pointer: `/webhook_endpoint_ids/${place}`, ...notThere }],
  )
  if (missing.length > 0) refuse('reference_not_found', { errors: missing })
  const named = candidates.filter(({ id }) => names.includes(id))
  for (const candidate of named) requireEnabled(candidate)
  return named
}

const notThere = { code: 'not_found', detail: 'is not a webhook endpoint of this workspace' } as const

/** What is sent to a disabled endpoint would only wait there. */
export function requireEnabled({ id, isEnabled }: Pick<Candidate, 'id' | 'isEnabled'>): void {
  if (isEnabled) return
  refuse('invalid_state', {
    detail: `The webhook endpoint ${id} is disabled. Enable it first.`,
    current_status: 'disabled',
    allowed_actions: ['enable'],
  })
}
