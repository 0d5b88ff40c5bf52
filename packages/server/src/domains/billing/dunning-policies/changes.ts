/** Applies a request to a policy: members in the request replace the old values, and metadata is merged by key. */
import { canonical } from '../../../kernel/json.ts'
import { mergeMetadata } from '../../../kernel/metadata.ts'
import type { PolicyTerms } from './dunning-policy.ts'

export type PolicyInput = {
  readonly name?: string
  readonly retry_days?: readonly number[]
  readonly reminder_days?: readonly number[]
  readonly local_hour?: number
  readonly jitter_minutes?: number
  readonly grace?: PolicyTerms['grace']
  readonly final?: PolicyTerms['final']
  readonly metadata?: Readonly<Record<string, string | null>>
}

export function applyInput(before: PolicyTerms, input: PolicyInput): PolicyTerms {
  return {
    name: input.name ?? before.name,
    retryDays: input.retry_days ?? before.retryDays,
    reminderDays: input.reminder_days ?? before.reminderDays,
    localHour: input.local_hour ?? before.localHour,
    jitterMinutes: input.jitter_minutes ?? before.jitterMinutes,
    grace: input.grace ?? before.grace,
    final: input.final ?? before.final,
    metadata: mergeMetadata(before.metadata, input.metadata ?? {}),
  }
}

export function isAscending(days: readonly number[]): boolean {
  return days.every((day, index) => index === 0 || day > (days[index - 1] as number))
}

export function isSame(a: PolicyTerms, b: PolicyTerms): boolean {
  const { name, retryDays, reminderDays, localHour, jitterMinutes, grace, final, metadata } = b
  const pick = ({ ...terms }: PolicyTerms) => ({
    name: terms.name,
    retryDays: terms.retryDays,
    reminderDays: terms.reminderDays,
    localHour: terms.localHour,
    grace: terms.grace,
    jitterMinutes: terms.jitterMinutes,
    final: terms.final,
    metadata: terms.metadata,
  })
  return (
    canonical(pick(a)) ===
    canonical({ name, retryDays, reminderDays, localHour, jitterMinutes, grace, final, metadata })
  )
}
