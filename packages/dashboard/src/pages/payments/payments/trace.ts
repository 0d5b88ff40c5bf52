/** Describes why a route chose an account. No side effects. */
import type { Operation, PaymentAttempt } from '@switchyard/sdk'
import { countText } from '../../../format/text.ts'
import { durationText } from '../../../format/time.ts'

type Trace = PaymentAttempt['trace']
type NameOf = (accountId: string) => string

export function traceLines(trace: Trace, nameOf: NameOf): string[] {
  return [
    `Decision: ${trace.cause}.`,
    ...ruleLines(trace),
    ...drawLines(trace, nameOf),
    ...candidateLines(trace, nameOf),
    ...operandLines(trace),
  ]
}

function ruleLines({ rules }: Trace): string[] {
  return rules.map(({ rule, matched, failed_at }) => {
    if (matched) return `Rule ${rule + 1} matched.`
    return `Rule ${rule + 1} did not match${failed_at === null ? '' : ` at \`${failed_at}\``}.`
  })
}

function drawLines({ draw }: Trace, nameOf: NameOf): string[] {
  if (draw === null) return []
  return [
    `Weighted split by ${draw.key}: drew ${draw.drawn.toLocaleString('en')} (from 0 to 9,999), which selects ${nameOf(draw.provider_account_id)}.`,
  ]
}

function candidateLines({ candidates }: Trace, nameOf: NameOf): string[] {
  const movedOrSkipped = candidates.filter(({ reasons }) => reasons.length > 0)
  return movedOrSkipped.map(({ provider_account_id, eligible, reasons }) => {
    const effect = eligible ? 'moved to the end' : 'skipped'
    return `${nameOf(provider_account_id)} ${effect}: ${reasons.join(', ')}.`
  })
}

function operandLines({ operands }: Trace): string[] {
  const entries = Object.entries(operands)
  if (entries.length === 0) return []
  const texts = entries.map(([field, value]) => `\`${field}\` ${value === null ? 'missing' : value}`)
  return [`The rules used ${countText(entries.length, 'field')}: ${texts.join(', ')}.`]
}

type AttemptStep = { readonly attempt: PaymentAttempt; readonly operation: Operation | undefined }

/** The failover from account to account: "Stripe declined (`do_not_honor`). Adyen was tried 18 ms later and approved." */
export function failoverText(
  attempts: readonly PaymentAttempt[],
  operations: readonly Operation[],
  nameOf: NameOf,
): string | null {
  const steps = attempts.map((attempt) => ({
    attempt,
    operation: operations.find((one) => one.payment_attempt_id === attempt.id),
  }))
  const [first, ...rest] = steps
  if (first === undefined) return null
  const sentences = rest.map((next, index) => {
    const later = laterText(steps[index], next)
    return `${nameOf(next.attempt.provider_account_id)} was tried${later} and ${resultText(next)}.`
  })
  return [`${nameOf(first.attempt.provider_account_id)} ${resultText(first)}.`, ...sentences].join(' ')
}

function laterText(before: AttemptStep | undefined, { attempt }: AttemptStep): string {
  const lastResponseAt = before?.operation?.calls.at(-1)?.created_at
  if (lastResponseAt === undefined) return ' next'
  const ms = Date.parse(attempt.created_at) - Date.parse(lastResponseAt)
  return ms <= 0 ? ' next' : ` ${durationText(ms)} later`
}

const attemptResults: { readonly [S in PaymentAttempt['status']]: string } = {
  started: 'has not responded yet',
  requires_action: 'is waiting for the payer',
  unresolved: 'has not reported an outcome yet',
  authorized: 'approved',
  captured: 'approved',
  declined: 'declined',
  failed: 'did not process the payment',
  voided: 'approved, and the authorization was voided',
  expired: 'timed out waiting for the payer',
}
const operationResults: { readonly [S in Operation['status']]?: string } = {
  not_sent: 'could not be reached',
  rejected: 'rejected the request',
}

function resultText({ attempt: { status, decline_code }, operation }: AttemptStep): string {
  const hasOperationResult = status === 'failed' && operation !== undefined
  const code = decline_code ?? (hasOperationResult ? operation.fault_code : null)
  const text = (hasOperationResult ? operationResults[operation.status] : undefined) ?? attemptResults[status]
  return code === null ? text : `${text} (\`${code}\`)`
}
