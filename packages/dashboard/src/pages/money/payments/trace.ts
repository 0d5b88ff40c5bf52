/** Why a route chose an account, in words. Pure. */
import type { Operation, PaymentAttempt } from '@switchyard/sdk'
import { durationText } from '../../../format/time.ts'
import { counted } from '../../../format/words.ts'

type Trace = PaymentAttempt['trace']
type NameOf = (accountId: string) => string

export function traceLines(trace: Trace, nameOf: NameOf): string[] {
  return [
    `Chosen by ${trace.cause}.`,
    ...ruleLines(trace),
    ...drawLines(trace, nameOf),
    ...passedLines(trace, nameOf),
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
    `The lot of the ${draw.key} is ${draw.drawn} of 9,999, which is ${nameOf(draw.provider_account_id)}.`,
  ]
}

function passedLines({ candidates }: Trace, nameOf: NameOf): string[] {
  const passed = candidates.filter(({ reasons }) => reasons.length > 0)
  return passed.map(({ provider_account_id, eligible, reasons }) => {
    const what = eligible ? 'was put last' : 'was passed over'
    return `${nameOf(provider_account_id)} ${what}: ${reasons.join(', ')}.`
  })
}

function operandLines({ operands }: Trace): string[] {
  const known = Object.entries(operands)
  if (known.length === 0) return []
  const texts = known.map(([field, value]) => `\`${field}\` ${value === null ? 'not there' : value}`)
  return [`The rules saw ${counted(known.length, 'field')}: ${texts.join(', ')}.`]
}

type Attempt = { readonly attempt: PaymentAttempt; readonly operation: Operation | undefined }

/** How it went from account to account: "Stripe declined (`do_not_honor`). Adyen was asked 18 ms later, and approved." */
export function pathSentence(
  attempts: readonly PaymentAttempt[],
  operations: readonly Operation[],
  nameOf: NameOf,
): string | null {
  const told = attempts.map((attempt) => ({
    attempt,
    operation: operations.find((one) => one.payment_attempt_id === attempt.id),
  }))
  const [first, ...rest] = told
  if (first === undefined) return null
  const sentences = rest.map((next, index) => {
    const later = laterText(told[index], next)
    return `${nameOf(next.attempt.provider_account_id)} was asked${later}, and ${didText(next)}.`
  })
  return [`${nameOf(first.attempt.provider_account_id)} ${didText(first)}.`, ...sentences].join(' ')
}

function laterText(before: Attempt | undefined, { attempt }: Attempt): string {
  const heard = before?.operation?.calls.at(-1)?.created_at
  if (heard === undefined) return ' then'
  const ms = Date.parse(attempt.created_at) - Date.parse(heard)
  return ms <= 0 ? ' at once' : ` ${durationText(ms)} later`
}

const did: { readonly [S in PaymentAttempt['status']]: string } = {
  started: 'has not answered yet',
  requires_action: 'waits for the payer',
  unresolved: 'has not said yet what became of it',
  authorized: 'approved',
  captured: 'approved',
  declined: 'declined',
  failed: 'did not take it',
  voided: 'approved, and let go again',
  expired: 'waited for the payer in vain',
}
const instead: { readonly [S in Operation['status']]?: string } = {
  not_sent: 'could not be reached',
  rejected: 'refused to act',
}

function didText({ attempt: { status, decline_code }, operation }: Attempt): string {
  const isOff = status === 'failed' && operation !== undefined
  const code = decline_code ?? (isOff ? operation.fault_code : null)
  const text = (isOff ? instead[operation.status] : undefined) ?? did[status]
  return code === null ? text : `${text} (\`${code}\`)`
}
