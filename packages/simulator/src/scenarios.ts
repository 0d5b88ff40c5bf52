/**
 * The scenarios as data: the decision, how the response is sent, and the webhooks. The name of a scenario is `approve`,
 * `decline:51`, `advice:03`, or the four digits of a test card. Faults only affect the first request: a repeated
 * request gets a normal response, as the protocol requires. No side effects.
 */
import { codeByNetworkCode, declineOfAdvice, declineOfCode, declineOfNetwork } from './declines.ts'
import type { ResponseMode } from './faults.ts'
import { type Decline, type ErrorDetails, type Kind, usesCard } from './protocol.ts'

/** `amountDifference` is added to the requested amount. */
export type Verdict =
  | { readonly type: 'approve'; readonly amountDifference?: number }
  | { readonly type: 'decline'; readonly decline: Decline }

export type Processing =
  | Verdict
  /**
   * The payer is redirected to a 3-D Secure page, or opens it with a form. `presetResult` is set by the card.
   */
  | { readonly type: 'challenge'; readonly presetResult: PresetResult; readonly opensWithForm?: boolean }
  /** `isDebit`: the record contains `settles_at`, the time of the confirmation, not `check_after_ms`. */
  | {
      readonly type: 'pending'
      readonly delayMs: number
      readonly verdict: Verdict
      readonly isDebit?: true
    }
  /** The first request is dropped; a repeated request is approved. */
  | { readonly type: 'drop' }
  /** Never executed: 403 responds without a record, the others with `processed: false`. */
  | { readonly type: 'refuse'; readonly status: 403 | 429 | 503 }
  | { readonly type: 'reject'; readonly status: number; readonly error: ErrorDetails }

export type PresetResult = 'pass' | 'fail' | 'leave'

export type Behaviour = {
  readonly processing: Processing
  /** How the first response is sent. */
  readonly responseMode?: ResponseMode
  readonly replyDelayMs?: number
  /** Without it, the webhook is sent once, after the response. */
  readonly webhookMode?: 'before_reply' | 'three_times' | 'forged'
  /** Lookups do not find the operation for this long. */
  readonly lookupDelayMs?: number
  /** Applies only at the first account that receives the payment. Every other account approves, so failover succeeds. */
  readonly firstAccountOnly?: boolean
}

/** The cardholder disputes the charge as soon as it is captured. */
export type ScenarioDispute = {
  readonly stage: 'inquiry' | 'chargeback'
  readonly reason: string
  /** How long the merchant can respond. */
  readonly responseMs: number
}

type Scenario = { readonly [K in 'card' | 'debit' | 'capture' | 'void' | 'refund']?: Behaviour } & {
  readonly dispute?: ScenarioDispute
  /** How long after its settlement a debit is returned. */
  readonly returnMs?: number
}

const approve = { type: 'approve' } as const
const decline = (networkCode: string) =>
  ({ type: 'decline', decline: declineOfNetwork(networkCode) }) as const
const challenge = (presetResult: PresetResult) =>
  ({ card: { processing: { type: 'challenge', presetResult } } }) as const
const invalidCredentials = {
  code: 'provider_credentials_invalid',
  message: 'Unknown credentials.',
} as const
const pendingMs = 5_000
const debitMs = 2_000
const dayMs = 86_400_000

// biome-ignore format: a table.
const scenarios: { readonly [name: string]: Scenario } = {
  approve: {},
  3000: challenge('pass'),
  3001: challenge('fail'),
  3002: {},
  3003: challenge('leave'),
  3004: { card: { processing: { type: 'decline', decline: declineOfCode('authentication_unavailable') }, firstAccountOnly: true } },
  3005: { card: { processing: { type: 'challenge', presetResult: 'pass', opensWithForm: true } } },
  5001: { card: { processing: { type: 'drop' }, responseMode: 'silence' } },
  5002: { card: { processing: { type: 'drop' }, responseMode: 'server_error' } },
  5003: { card: { processing: approve, responseMode: 'server_error' } },
  5004: { card: { processing: approve, responseMode: 'silence' } },
  5005: { card: { processing: approve, responseMode: 'reset' } },
  5006: { card: { processing: approve, responseMode: 'html' } },
  5007: { card: { processing: approve, responseMode: 'cut' } },
  // The card is only known after the body was read, too late to refuse the connection. The response proves that
  // nothing was processed.
  5008: { card: { processing: { type: 'refuse', status: 503 }, firstAccountOnly: true } },
  5009: { card: { processing: { type: 'refuse', status: 429 }, firstAccountOnly: true } },
  5010: { card: { processing: { type: 'reject', status: 401, error: invalidCredentials }, firstAccountOnly: true } },
  5011: { card: { processing: approve, replyDelayMs: 20_000 } },
  5012: { card: { processing: approve, webhookMode: 'before_reply' } },
  5013: { card: { processing: approve, webhookMode: 'three_times' } },
  5014: { card: { processing: { type: 'approve', amountDifference: -1 } } },
  5015: { card: { processing: approve, responseMode: 'duplicate_notice' } },
  5016: { card: { processing: { type: 'pending', delayMs: pendingMs, verdict: approve } } },
  5017: { card: { processing: { type: 'pending', delayMs: pendingMs, verdict: decline('05') } } },
  5018: { card: { processing: approve, responseMode: 'silence', lookupDelayMs: 30_000 } },
  5019: { card: { processing: { type: 'pending', delayMs: 180_000, verdict: approve }, responseMode: 'silence' } },
  5020: { card: { processing: decline('05'), responseMode: 'silence', webhookMode: 'forged' } },
  5021: { card: { processing: { type: 'refuse', status: 403 }, firstAccountOnly: true } },
  6001: { capture: { processing: decline('57') } },
  6002: { capture: { processing: approve, responseMode: 'silence' } },
  6003: { void: { processing: decline('57') } },
  6004: { refund: { processing: decline('57') } },
  6005: { refund: { processing: { type: 'pending', delayMs: pendingMs, verdict: approve } } },
  6006: { refund: { processing: approve, responseMode: 'silence' } },
  6007: { capture: { processing: { type: 'pending', delayMs: pendingMs, verdict: approve } } },
  6008: { capture: { processing: { type: 'pending', delayMs: pendingMs, verdict: decline('57') } } },
  6009: { void: { processing: { type: 'pending', delayMs: pendingMs, verdict: approve } } },
  8000: { debit: { processing: { type: 'pending', delayMs: debitMs, verdict: approve, isDebit: true } } },
  8001: { debit: { processing: { type: 'pending', delayMs: 14 * dayMs, verdict: approve, isDebit: true } } },
  8002: { debit: { processing: { type: 'pending', delayMs: debitMs, verdict: decline('51'), isDebit: true } } },
  8003: { debit: { processing: { type: 'pending', delayMs: debitMs, verdict: approve, isDebit: true } }, returnMs: debitMs },
  8004: { debit: { processing: { type: 'pending', delayMs: 4 * dayMs, verdict: approve, isDebit: true } } },
  8005: { debit: { processing: { type: 'pending', delayMs: 7 * dayMs, verdict: approve, isDebit: true } } },
  7001: { dispute: { stage: 'chargeback', reason: 'fraudulent', responseMs: 10 * dayMs } },
  7002: { dispute: { stage: 'inquiry', reason: 'not_received', responseMs: 10 * dayMs } },
  7003: { dispute: { stage: 'chargeback', reason: 'not_received', responseMs: 2 * dayMs } },
}

/** A duplicate notice is not a decline: it means that an earlier transaction exists. */
const aliases: { readonly [name: string]: string } = { 'decline:94': '5015' }

/** The behaviour for a kind of operation. A capture, void or refund uses the scenario of its payment's card. */
export function behaviourOf(name: string, kind: Kind): Behaviour {
  const scenario = scenarioNamed(name)
  if (scenario === null) throw new Error(`Unknown scenario: ${name}.`)
  // A bank account is verified without a debit.
  if (kind === 'authorize' && scenario.debit !== undefined) return scenario.debit
  return scenario[usesCard(kind) ? 'card' : (kind as 'capture')] ?? { processing: approve }
}

export function disputeOf(name: string): ScenarioDispute | null {
  return scenarioNamed(name)?.dispute ?? null
}

/** How long after its settlement the debit is returned; null if it is not. */
export function returnMsOf(name: string): number | null {
  return scenarioNamed(name)?.returnMs ?? null
}

export function isScenario(name: string): boolean {
  return scenarioNamed(name) !== null
}

function scenarioNamed(name: string): Scenario | null {
  const known = scenarios[aliases[name] ?? name]
  if (known !== undefined) return known
  const [, prefix, code = ''] = /^(decline|advice):([0-9A-Z]{2})$/.exec(name) ?? []
  if (prefix === 'decline' && (codeByNetworkCode.has(code) || /^\d\d$/.test(code)) && code !== '00') {
    return { card: { processing: decline(code) } }
  }
  if (prefix === 'advice' && /^\d\d$/.test(code)) {
    return { card: { processing: { type: 'decline', decline: declineOfAdvice(code) } } }
  }
  return null
}

/** Parses `decline:51 x2, approve`: one scenario name per attempt, in order. Null if it is invalid. */
export function readScript(text: string): readonly string[] | null {
  const steps = text.split(',').flatMap((step) => {
    const [, name = '', times = '1'] = /^\s*([\w:]+)(?:\s+x([1-9]\d?))?\s*$/.exec(step) ?? []
    return isScenario(name) ? Array<string>(Number(times)).fill(name) : [null]
  })
  return steps.every((step) => step !== null) ? steps : null
}
