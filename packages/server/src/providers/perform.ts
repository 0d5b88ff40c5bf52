/**
 * Makes the call that a provider describes and says what it proves. The core owns the socket, the time and the
 * log; a provider that throws has not understood the answer, and what was not understood is unknown.
 */
import { assert } from '../kernel/assert.ts'
import { machineTime, monotonicMs } from '../kernel/clock.ts'
import type { Mode } from '../kernel/id.ts'
import type { Log } from '../platform/log.ts'
import type { OutboundReply, OutboundRequest } from '../platform/outbound/outbound.ts'
import { type CallRecord, callRecord, requestHash, secretsIn, struck } from './call-record.ts'
import {
  type CompleteInput,
  type ForgetInput,
  type Found,
  type HttpCall,
  type HttpReply,
  type LookupInput,
  type OperationInput,
  type OperationKind,
  type Outcome,
  operationKinds,
  type Provider,
  type Sender,
  type Step,
} from './contract.ts'
import { asRepeat, differsFrom, type Heard, heardIn, type NotSent, notSent, unknown } from './evidence.ts'
import { termsOf } from './terms.ts'

type Inputs = Record<OperationKind, OperationInput> & {
  readonly complete: CompleteInput
  readonly lookup: LookupInput
  readonly close: LookupInput
  readonly health: null
  readonly forget: ForgetInput
}
type Outcomes = Record<OperationKind, Outcome | NotSent> & {
  readonly complete: Outcome
  readonly lookup: Found
  readonly close: Found
}
/** Those that say something about an operation. */
export type StepName = keyof Outcomes
/** Those that are answered by yes or no. */
type Question = Exclude<keyof Inputs, StepName>

export type Task<Name extends keyof Inputs> = {
  readonly provider: Provider
  readonly step: Name
  readonly input: Inputs[Name]
  readonly account: { readonly id: string; readonly mode: Mode; readonly config: unknown }
  /** By `monotonicMs`. After it nothing is sent: somebody else may be asking about the operation by then. */
  readonly deadlineMs: number
  /**
   * Said by whoever has just committed the operation: nothing was ever sent for it. Without it, nothing is
   * concluded from a call that did not leave or was put away, since an earlier one may have succeeded.
   */
  readonly isFirst?: boolean
  /** The hash of what was sent first. A repeat is these bytes or none. */
  readonly repeatOf?: string
}

export type Performed<Name extends StepName> = {
  readonly outcome: Outcomes[Name]
  /** They moved another amount or currency than we asked for: nothing may be concluded but that. */
  readonly differs: boolean
  readonly call: CallRecord
}

export type Performer = {
  perform<Name extends StepName>(task: Task<Name>): Promise<Performed<Name>>
  /** Whether the provider says yes. Silence is no. */
  confirm<Name extends Question>(task: Task<Name>): Promise<{ yes: boolean; call: CallRecord }>
  /** Of the request that `perform` would send: stored before it is. */
  hashOf(task: Omit<Task<keyof Inputs>, 'deadlineMs'>): string
}

export type PerformerDeps = {
  readonly sender: Sender
  readonly log: Log
  /** Secret, and the same for as long as requests are repeated. */
  readonly hashKey: Uint8Array
  /** The time of the machine, since the other side compares it with its own. */
  readonly time?: () => Date
}

/** A limit that is too short makes unknowns of successes. */
const moneyMs = 65_000
const readMs = 10_000
/** What takes this long to connect to is down, and while it is not reached another account may be. */
const connectMs = 3_000
const maxAnswerBytes = 256 * 1024
/** Of one account. More calls than this wait, and are not sent if they wait for too long. */
const maxConnections = 256

export function createPerformer({ sender, log, hashKey, time = machineTime }: PerformerDeps): Performer {
  const build = ({ provider, step, input, account }: Omit<Task<keyof Inputs>, 'deadlineMs'>) =>
    stepOf(provider, step).build(input, { config: account.config, now: time() })

  /** Sends it, if it may be sent at all, and gives what was heard. */
  const exchange = async (task: Task<keyof Inputs>): Promise<{ heard: Heard; call: CallRecord }> => {
    const call = build(task)
    const hash = requestHash(call, hashKey)
    const secrets = secretsIn(task.input, task.account.config)
    const withRecord = (heard: Heard, reply: OutboundReply | null) => ({
      heard,
      call: callRecord(call, { hash, reply, secrets }),
    })
    if (!maySend(task, hash))
      return withRecord(unknown('request_changed', 'A repeat would have been another request.'), null)
    const request = requestFor(task, call)
    if (request.timeoutMs <= 0)
      return withRecord(notSent('lease_over', 'There was no time left to send it.'), null)

    const reply = await sender.send(request)
    return withRecord(heardIn(reply), reply)
  }

  /** Null if the provider cannot make anything of it. */
  const read = ({ provider, step, input }: Task<keyof Inputs>, reply: HttpReply) => {
    try {
      return stepOf(provider, step).parse(reply, input)
    } catch (error) {
      // Not its message: that may quote the answer.
      const code = error instanceof Error ? error.name : 'unknown'
      const fields = { operation: `${provider.id}.${step}`, status: reply.status, code }
      log.warn('The answer of a provider could not be read.', fields)
      return null
    }
  }

  return {
    async perform(task) {
      const { heard, call } = await exchange(task)
      const result = heard.is === 'answer' ? ((read(task, heard.reply) as Found | null) ?? unreadable) : heard
      return { ...concluded(task, result), call }
    },
    async confirm(task) {
      const { heard, call } = await exchange(task)
      return { yes: heard.is === 'answer' && read(task, heard.reply) === true, call }
    },
    hashOf: (task) => requestHash(build(task), hashKey),
  }
}

const unreadable = unknown('answer_unreadable', 'The answer could not be read.')

export type AnyStep = Step<unknown, Found | boolean, unknown>

export function stepOf(provider: Provider, name: keyof Inputs): AnyStep {
  const { complete, lookup, close, health, forget } = provider
  const step = { ...provider.operations, complete, lookup, close, health, forget }[name]
  assert(step !== undefined, `${provider.id} has no ${name}: ask for its terms before.`)
  return step as AnyStep
}

/** Whoever knows what was sent first sends nothing else under that name. */
function maySend({ step, isFirst = false, repeatOf }: Task<keyof Inputs>, hash: string): boolean {
  const begins = (operationKinds as readonly string[]).includes(step)
  assert(!isFirst || (begins && repeatOf === undefined), 'Only what begins an operation is its first call.')
  return repeatOf === undefined || repeatOf === hash
}

function requestFor(
  { provider, step, account, deadlineMs }: Task<keyof Inputs>,
  call: HttpCall,
): OutboundRequest {
  const isRead = step === 'lookup' || step === 'health'
  return {
    ...call,
    mode: account.mode,
    pool: account.id,
    timeoutMs: Math.min(deadlineMs - monotonicMs(), isRead ? readMs : moneyMs),
    connectMs,
    maxAnswerBytes,
    maxConnections,
    // Whoever does not recognize a repeat would act twice.
    mayRepeat: isRead || termsOf(provider, account.config).resolve.replayHours > 0,
  }
}

/** The one place where what was heard becomes a statement about the operation. */
function concluded<Name extends StepName>(
  { input, account, isFirst = false }: Task<Name>,
  result: Found | NotSent,
): Omit<Performed<Name>, 'call'> {
  const outcome = struck(isFirst ? result : asRepeat(result), secretsIn(input, account.config))
  return { outcome: outcome as Outcomes[Name], differs: differsFrom(input.money, outcome) }
}
