/**
 * What may happen to an operation, as data: what is decided, how the answer leaves, what is told beside it.
 * A scenario is named by a text: `approve`, `decline:51`, `advice:03`, or the four digits of a test card.
 * Pure. Faults of the answer happen the first time only: a repeat is answered well, as the protocol asks.
 */
import { codeByNetworkCode, declineOfAdvice, declineOfCode, declineOfNetwork } from './declines.ts'
import type { Manner } from './faults.ts'
import { type Decline, type Fault, type Kind, usesCard } from './protocol.ts'

/** `amountOff` is what is moved beside what was asked for. */
export type Verdict =
  | { readonly is: 'approve'; readonly amountOff?: number }
  | { readonly is: 'decline'; readonly decline: Decline }

export type Course =
  | Verdict
  /** The payer is sent to a page; `ends` is what the bank makes of it there. */
  | { readonly is: 'challenge'; readonly ends: ChallengeEnd }
  | { readonly is: 'pending'; readonly afterMs: number; readonly ends: Verdict }
  /** The first time nothing is done; a repeat is approved. */
  | { readonly is: 'lose' }
  /** Never done here, and the answer says so. */
  | { readonly is: 'refuse'; readonly status: 429 | 503 }
  | { readonly is: 'reject'; readonly status: number; readonly error: Fault }

export type ChallengeEnd = 'pass' | 'fail' | 'leave'

export type Behaviour = {
  readonly course: Course
  /** How the first answer leaves. */
  readonly manner?: Manner
  readonly replyAfterMs?: number
  readonly telling?: 'before_reply' | 'three_times' | 'forged'
  /** For so long a look finds nothing. */
  readonly blindMs?: number
  /** It happens at the first account that sees the payment; every other one approves. So a cascade arrives. */
  readonly firstAccountOnly?: boolean
}

type Scenario = { readonly [K in 'card' | 'capture' | 'void' | 'refund']?: Behaviour }

const approve = { is: 'approve' } as const
const decline = (networkCode: string) => ({ is: 'decline', decline: declineOfNetwork(networkCode) }) as const
const challenge = (ends: ChallengeEnd) => ({ card: { course: { is: 'challenge', ends } } }) as const
const credentials = {
  code: 'provider_credentials_invalid',
  message: 'These credentials are not known here.',
} as const
const pendingMs = 5_000

// biome-ignore format: a table.
const scenarios: { readonly [name: string]: Scenario } = {
  approve: {},
  3000: challenge('pass'),
  3001: challenge('fail'),
  3002: {},
  3003: challenge('leave'),
  3004: { card: { course: { is: 'decline', decline: declineOfCode('authentication_unavailable') }, firstAccountOnly: true } },
  5001: { card: { course: { is: 'lose' }, manner: 'silence' } },
  5002: { card: { course: { is: 'lose' }, manner: 'server_error' } },
  5003: { card: { course: approve, manner: 'server_error' } },
  5004: { card: { course: approve, manner: 'silence' } },
  5005: { card: { course: approve, manner: 'reset' } },
  5006: { card: { course: approve, manner: 'html' } },
  5007: { card: { course: approve, manner: 'cut' } },
  // Which card it is stands in the body, when it is too late to refuse the connection: so the answer says as much.
  5008: { card: { course: { is: 'refuse', status: 503 }, firstAccountOnly: true } },
  5009: { card: { course: { is: 'refuse', status: 429 }, firstAccountOnly: true } },
  5010: { card: { course: { is: 'reject', status: 401, error: credentials }, firstAccountOnly: true } },
  5011: { card: { course: approve, replyAfterMs: 20_000 } },
  5012: { card: { course: approve, telling: 'before_reply' } },
  5013: { card: { course: approve, telling: 'three_times' } },
  5014: { card: { course: { is: 'approve', amountOff: -1 } } },
  5015: { card: { course: approve, manner: 'duplicate_notice' } },
  5016: { card: { course: { is: 'pending', afterMs: pendingMs, ends: approve } } },
  5017: { card: { course: { is: 'pending', afterMs: pendingMs, ends: decline('05') } } },
  5018: { card: { course: approve, manner: 'silence', blindMs: 30_000 } },
  5019: { card: { course: { is: 'pending', afterMs: 180_000, ends: approve }, manner: 'silence' } },
  5020: { card: { course: decline('05'), manner: 'silence', telling: 'forged' } },
  6001: { capture: { course: decline('57') } },
  6002: { capture: { course: approve, manner: 'silence' } },
  6003: { void: { course: decline('57') } },
  6004: { refund: { course: decline('57') } },
  6005: { refund: { course: { is: 'pending', afterMs: pendingMs, ends: approve } } },
  6006: { refund: { course: approve, manner: 'silence' } },
}

/** A notice of a duplicate is no decline: whoever says it has seen a first one. */
const synonyms: { readonly [name: string]: string } = { 'decline:94': '5015' }

/** How an operation of this kind goes. That of a capture, void or refund stands in the card of its payment. */
export function behaviourOf(name: string, kind: Kind): Behaviour {
  const scenario = scenarioNamed(name)
  if (scenario === null) throw new Error(`There is no scenario ${name}.`)
  return scenario[usesCard(kind) ? 'card' : (kind as 'capture')] ?? { course: approve }
}

export function isScenario(name: string): boolean {
  return scenarioNamed(name) !== null
}

function scenarioNamed(name: string): Scenario | null {
  const known = scenarios[synonyms[name] ?? name]
  if (known !== undefined) return known
  const [, what, code = ''] = /^(decline|advice):([0-9A-Z]{2})$/.exec(name) ?? []
  if (what === 'decline' && (codeByNetworkCode.has(code) || /^\d\d$/.test(code)) && code !== '00') {
    return { card: { course: decline(code) } }
  }
  if (what === 'advice' && /^\d\d$/.test(code)) {
    return { card: { course: { is: 'decline', decline: declineOfAdvice(code) } } }
  }
  return null
}

/** `decline:51 x2, approve`: one name of a scenario per attempt, in order. Null: it cannot be read. */
export function readScript(text: string): readonly string[] | null {
  const steps = text.split(',').flatMap((step) => {
    const [, name = '', times = '1'] = /^\s*([\w:]+)(?:\s+x([1-9]\d?))?\s*$/.exec(step) ?? []
    return isScenario(name) ? Array<string>(Number(times)).fill(name) : [null]
  })
  return steps.every((step) => step !== null) ? steps : null
}
