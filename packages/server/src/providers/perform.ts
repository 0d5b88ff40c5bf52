/**
 * Makes the call that a provider describes, and determines what it proves. The core owns socket, time and
 * log; if a provider throws, the response was not understood, and the outcome is unknown.
 */
import { assert } from '../kernel/assert.ts'
import { machineTime, monotonicMs } from '../kernel/clock.ts'
import type { Mode } from '../kernel/id.ts'
import type { Log } from '../platform/log.ts'
import type { OutboundRequest } from '../platform/outbound/outbound.ts'
import type { WrappedCall } from '../vaults/contract.ts'
import { withPlaceholders } from '../vaults/stand-ins.ts'
import { createAccessTokens, type TokenResult } from './access-tokens.ts'
import {
  type CallRecord,
  callRecord,
  redactSecrets,
  requestHash,
  type Secrets,
  secretsIn,
} from './call-record.ts'
import {
  type CompleteInput,
  type CredentialCheck,
  type DisputeFound,
  type DisputeInput,
  type DisputeOutcome,
  type DisputeResponse,
  type FileOutcome,
  type FileUpload,
  type ForgetInput,
  type Found,
  type HttpCall,
  type HttpReply,
  type ListInput,
  type ListPage,
  type LookupInput,
  type OperationInput,
  type OperationKind,
  type Outcome,
  operationKinds,
  type Provider,
  type Sender,
  type Step,
} from './contract.ts'
import {
  asRepeat,
  type CallResult,
  differsFrom,
  type NotSent,
  notSent,
  resultOf,
  unknown,
} from './evidence.ts'
import { createVaultSender, type TaskVault, type VaultResult } from './send-through-vault.ts'
import { termsOf } from './terms.ts'

type Inputs = Record<OperationKind, OperationInput> & {
  readonly complete: CompleteInput
  readonly lookup: LookupInput
  readonly close: LookupInput
  readonly health: null
  readonly check: null
  readonly forget: ForgetInput
  readonly list: ListInput
  readonly createCustomer: OperationInput
  readonly submitDispute: DisputeResponse
  readonly acceptDispute: DisputeInput
  readonly lookUpDispute: DisputeInput
  readonly uploadFile: FileUpload
}
type DisputeOutcomes = {
  readonly uploadFile: FileOutcome
  readonly submitDispute: DisputeOutcome
  readonly acceptDispute: DisputeOutcome
  readonly lookUpDispute: DisputeFound
}
/** The steps about a dispute. */
export type DisputeStep = keyof DisputeOutcomes
type Outcomes = Record<OperationKind, Outcome | NotSent> & {
  readonly complete: Outcome
  readonly lookup: Found
  readonly close: Found
}
/** The steps whose result is about an operation. */
export type StepName = keyof Outcomes
/** The steps with a yes or no result. */
type ConfirmationStep = Exclude<keyof Inputs, StepName | DisputeStep | 'check' | 'createCustomer' | 'list'>

export type Task<Name extends keyof Inputs> = {
  readonly provider: Provider
  readonly step: Name
  readonly input: Inputs[Name]
  readonly account: { readonly id: string; readonly mode: Mode; readonly config: unknown }
  /**
   * The deadline in the time of `monotonicMs`. Nothing is sent after it: the resolver may have taken over the
   * operation by then.
   */
  readonly deadlineMs: number
  /**
   * Set by the caller that has just committed the operation: nothing was sent for it before. Without it, a
   * call that was not sent or was rejected unprocessed proves nothing, because an earlier one may have
   * succeeded.
   */
  readonly isFirst?: boolean
  /** The hash of the first request. A repeat must be identical, or it is not sent. */
  readonly repeatOf?: string
  /** Set if a call that must precede this one has failed. This call is then not sent. */
  readonly obstacle?: NotSent | undefined
  /** Set if the card is in an external vault, which forwards the call. Only for `authorize` and `verify`. */
  readonly vault?: TaskVault | undefined
}

export type Performed<Name extends StepName> = {
  readonly outcome: Outcomes[Name]
  /**
   * Whether the provider moved an amount or currency other than the requested one. If so, nothing else can be
   * concluded.
   */
  readonly differs: boolean
  readonly call: CallRecord
}

export type CreatedCustomer = { readonly is: 'created'; readonly id: string }

export type Performer = {
  perform<Name extends StepName>(task: Task<Name>): Promise<Performed<Name>>
  /** Whether the provider confirms the request. No response counts as no. */
  confirm<Name extends ConfirmationStep>(task: Task<Name>): Promise<{ confirmed: boolean; call: CallRecord }>
  /** Whether the provider accepts the credentials. No response counts as no. */
  check(task: Task<'check'>): Promise<CredentialCheck & { readonly isRefused: boolean }>
  /** Creates the customer that a saved card belongs to. If it fails, the operation has not been sent. */
  createCustomer(task: Task<'createCustomer'>): Promise<CreatedCustomer | NotSent>
  /** Makes a call about a dispute. Whether a rejection is conclusive depends on earlier calls: see `asRepeat`. */
  handleDispute<Name extends DisputeStep>(task: Task<Name>): Promise<DisputeOutcomes[Name] | NotSent>
  /** A page of the operations of the account, or why it cannot be read. */
  list(task: Task<'list'>): Promise<ListPage | { readonly fault: string }>
  /** The hash of the request that `perform` would send. */
  hashOf(task: Omit<Task<keyof Inputs>, 'deadlineMs'>): string
}

export type PerformerDeps = {
  readonly sender: Sender
  readonly log: Log
  /** Secret, and constant for as long as requests are repeated. */
  readonly hashKey: Uint8Array
  /** Real time, since the provider compares it with its own. */
  readonly time?: () => Date
  /** Called after each call through a card vault, for metrics. */
  readonly onVaultCall?: (vault: string, result: VaultResult) => void
}

/** A timeout that is too short turns successes into unknown outcomes. */
const operationTimeoutMs = 65_000
const quickTimeoutMs = 10_000
/**
 * A provider that takes this long to connect is down; as long as nothing was sent, another account can be
 * tried.
 */
const connectMs = 3_000
const maxResponseBytes = 256 * 1024
const maxListBytes = 4 * 1024 * 1024
/** The maximum per account. Further calls wait, and are not sent if they wait too long. */
const maxConnections = 256

type BuildTask = Pick<Task<keyof Inputs>, 'input' | 'account'>
type Exchange = {
  readonly result: CallResult
  readonly call: CallRecord
  /**
   * Whether the request was sent twice. If so, a response that is only about the second copy proves nothing.
   */
  readonly wasResent: boolean
  readonly secrets: Secrets
}

export function createPerformer(deps: PerformerDeps): Performer {
  const { sender, log, hashKey, time = machineTime, onVaultCall = () => {} } = deps
  const vaultSender = createVaultSender({ sender, onCall: onVaultCall })
  const accessTokens = createAccessTokens(sender, time)
  const build = (step: AnyStep, { input, account }: BuildTask, accessToken: string | null) =>
    step.build(input, { config: account.config, now: time(), accessToken })

  const send = async (task: Task<keyof Inputs>, request: OutboundRequest) => {
    if (task.vault !== undefined) return vaultSender.send(task.vault, request)
    const reply = await sender.send(request)
    return { result: resultOf(reply), reply }
  }

  /** Sends the request, if permitted, and returns the result. */
  const exchangeWith = async (task: Task<keyof Inputs>, access: TokenResult | NotSent): Promise<Exchange> => {
    const accessToken = access.is === 'token' ? access.token : null
    const built = callOrNull(task, log, (step) => wrapFor(task, build(step, task, accessToken)))
    if (built === null) return notBuilt
    const { call, wrapped } = built
    // The hash covers the call as the provider receives it, except for the stand-ins.
    const hash = requestHash(call, hashKey)
    const secrets = secretsOf(task, accessToken)
    const request = requestFor(task, wrapped)
    const refusal = reasonNotToSend(task, { hash, access, timeoutMs: request.timeoutMs })
    const { result, reply } = refusal === null ? await send(task, request) : { result: refusal, reply: null }
    return {
      result,
      call: callRecord(call, { hash, reply, secrets }),
      wasResent: reply?.kind === 'answered' && reply.resent === true,
      secrets,
    }
  }

  const exchange = async (task: Task<keyof Inputs>): Promise<Exchange> => {
    const { provider, account, deadlineMs } = task
    const access = await accessTokens.get(provider, account, deadlineMs)
    const exchanged = await exchangeWith(task, access)
    const isRefused = exchanged.result.is === 'answer' && exchanged.call.status === 401
    if (access.is !== 'token' || access.token === null || !isRefused) return exchanged
    // The provider has revoked the token, and has not processed the request. It is sent again with a new token.
    await accessTokens.forget(account, access.token)
    return access.isFresh ? exchanged : { ...(await exchange(task)), wasResent: true }
  }

  const read = (task: Task<keyof Inputs>, reply: HttpReply) => parseReply(log, task, reply)

  return {
    async perform(task) {
      const { result, ...exchanged } = await exchange(task)
      const found =
        result.is === 'answer' ? ((read(task, result.reply) as Found | null) ?? unreadable) : result
      return { ...conclude(task, exchanged, found), call: exchanged.call }
    },
    async confirm(task) {
      const { result, call } = await exchange(task)
      return { confirmed: result.is === 'answer' && read(task, result.reply) === true, call }
    },
    async check(task) {
      const { result, secrets } = await exchange(task)
      const checked = result.is === 'answer' ? (read(task, result.reply) as CredentialCheck | null) : null
      return checkOf(result, redactSecrets(checked, secrets))
    },
    async createCustomer(task) {
      const { result, call, secrets } = await exchange(task)
      const id = result.is === 'answer' ? (read(task, result.reply) as string | null) : null
      if (id !== null) return { is: 'created', id }
      const reason = result.is === 'answer' ? `Status ${call.status}.` : result.fault.message
      const message = `The customer of the saved card could not be created. ${reason}`
      return redactSecrets(notSent('customer_not_created', message), secrets)
    },
    async handleDispute<Name extends DisputeStep>(task: Task<Name>) {
      const { result, wasResent, secrets } = await exchange(task)
      const found = result.is === 'answer' ? (read(task, result.reply) ?? unreadable) : result
      const outcome = found as DisputeOutcomes[Name] | NotSent
      return redactSecrets(wasResent ? asRepeat(outcome) : outcome, secrets)
    },
    list: async (task) => pageOf(log, task, await exchange(task)),
    hashOf: (task) => requestHash(build(stepOf(task.provider, task.step), task, null), hashKey),
  }
}

function pageOf(
  log: Log,
  task: Task<'list'>,
  { result, call, secrets }: Exchange,
): ListPage | { readonly fault: string } {
  const page = result.is === 'answer' ? (parseReply(log, task, result.reply) as ListPage | null) : null
  if (page !== null) return page
  const fault = result.is === 'answer' ? `Status ${call.status}: no list.` : result.fault.message
  return redactSecrets({ fault }, secrets)
}

type Sending = {
  readonly hash: string
  readonly access: TokenResult | NotSent
  readonly timeoutMs: number
}

/** Null if the request may be sent. */
function reasonNotToSend(task: Task<keyof Inputs>, { hash, access, timeoutMs }: Sending): CallResult | null {
  if (!isUnchanged(task, hash))
    return unknown(
      'request_changed',
      'The repeated request would have differed from the first one, so it was not sent.',
    )
  if (access.is === 'not_sent') return access
  if (task.obstacle !== undefined) return task.obstacle
  if (timeoutMs <= 0) return notSent('lease_over', 'The time limit was reached before the request was sent.')
  return null
}

function secretsOf({ input, account: { config }, vault }: Task<keyof Inputs>, accessToken: string | null) {
  const configs = vault === undefined ? config : [config, vault.config, { token: vault.token }]
  return secretsIn(input, configs, accessToken)
}

/** Null if the provider cannot interpret the response. */
function parseReply(log: Log, { provider, step, input }: Task<keyof Inputs>, reply: HttpReply) {
  try {
    return stepOf(provider, step).parse(reply, input)
  } catch (error) {
    // The message of the error is not logged, because it may quote the response.
    const code = error instanceof Error ? error.name : 'unknown'
    const fields = { operation: `${provider.id}.${step}`, status: reply.status, code }
    log.warn('The response of a provider could not be parsed.', fields)
    return null
  }
}

/** Null if the provider does not support the request. The operation was not sent then. */
function callOrNull(
  { provider, step }: Task<keyof Inputs>,
  log: Log,
  build: (provided: AnyStep) => BuiltCall,
): BuiltCall | null {
  const provided = stepOf(provider, step)
  try {
    return build(provided)
  } catch (error) {
    // The message of the error is not logged, because it may quote the input.
    const code = error instanceof Error ? error.name : 'unknown'
    log.error('A request to a provider could not be built.', { operation: `${provider.id}.${step}`, code })
    return null
  }
}

/** The call of the provider, and the call to send, which differs if it goes through a vault. */
type BuiltCall = { readonly call: HttpCall; readonly wrapped: WrappedCall }

function wrapFor({ vault: target, step, input, provider }: Task<keyof Inputs>, call: HttpCall): BuiltCall {
  if (target === undefined) return { call, wrapped: { call } }
  assert(step === 'authorize' || step === 'verify', 'Only calls with a card go through a vault.')
  const { instrument } = input as OperationInput
  assert(instrument?.type === 'card', 'Only calls with a card go through a vault.')
  const standIns = { number: instrument.number, cvc: instrument.cvc ?? null }
  const replaced = withPlaceholders(call, standIns, target, provider.standInHeaders)
  return { call, wrapped: target.vault.wrap(replaced, target.config) }
}

const notBuilt: Exchange = {
  result: notSent('provider_request_invalid', 'The provider does not support this request.'),
  call: {
    method: 'POST',
    path: '/',
    requestHash: '',
    requestBytes: 0,
    mayHaveBeenSent: false,
    status: null,
    answerBytes: 0,
    durationMs: 0,
  },
  wasResent: false,
  secrets: { everywhere: [], inMessages: [], inPaths: [] },
}

const unreadable = unknown('answer_unreadable', 'The response could not be parsed.')

function checkOf(result: CallResult, checked: CredentialCheck | null) {
  if (result.is === 'answer') {
    const isRefused = result.reply.status === 401 || result.reply.status === 403
    return { ...(checked ?? { ok: false, detail: unreadable.fault.message }), isRefused }
  }
  const { code, message } = result.fault
  return { ok: false, detail: message, isRefused: code === 'provider_credentials_invalid' }
}

export type AnyStep = Step<
  unknown,
  Found | ListPage | CredentialCheck | DisputeOutcome | DisputeFound | FileOutcome | string | boolean | null,
  unknown
>

export function stepOf(provider: Provider, name: keyof Inputs): AnyStep {
  const { complete, lookup, close, list, health, check, forget, customers, disputes } = provider
  const ofDisputes = {
    submitDispute: disputes?.submit,
    acceptDispute: disputes?.accept,
    lookUpDispute: disputes?.lookup,
    uploadFile: disputes?.upload,
  }
  const others = { complete, lookup, close, list, health, check, forget, createCustomer: customers?.create }
  const step = { ...provider.operations, ...ofDisputes, ...others }[name]
  assert(step !== undefined, `${provider.id} has no ${name}: check its terms first.`)
  return step as AnyStep
}

/** Whether the request may be sent: a repeat must be identical to the first request of its reference. */
function isUnchanged({ step, isFirst = false, repeatOf }: Task<keyof Inputs>, hash: string): boolean {
  const startsOperation = (operationKinds as readonly string[]).includes(step)
  assert(
    !isFirst || (startsOperation && repeatOf === undefined),
    'Only a call that starts an operation can be its first call.',
  )
  return repeatOf === undefined || repeatOf === hash
}

const readingSteps: readonly string[] = ['lookup', 'health', 'check', 'lookUpDispute', 'list']
/** Steps that move no money, so a short timeout loses nothing. */
const quickSteps: readonly string[] = [...readingSteps, 'createCustomer']

function requestFor(
  { provider, step, account, deadlineMs, vault }: Task<keyof Inputs>,
  { call, proxy }: WrappedCall,
): OutboundRequest {
  const isRead = readingSteps.includes(step)
  return {
    ...call,
    ...(proxy === undefined ? {} : { proxy }),
    mode: account.mode,
    pool: vault === undefined ? account.id : `${account.id} vault`,
    timeoutMs: Math.min(
      deadlineMs - monotonicMs(),
      quickSteps.includes(step) ? quickTimeoutMs : operationTimeoutMs,
    ),
    connectMs,
    maxResponseBytes: step === 'list' ? maxListBytes : maxResponseBytes,
    maxConnections,
    // A provider that does not recognize repeated requests would process the request twice.
    allowResend: isRead || termsOf(provider, account.config).resolve.replayHours > 0,
  }
}

/** The only place where a call result becomes a statement about the operation. */
function conclude<Name extends StepName>(
  { input, isFirst = false }: Task<Name>,
  { wasResent, secrets }: Omit<Exchange, 'result'>,
  result: Found | NotSent,
): Omit<Performed<Name>, 'call'> {
  const outcome = redactSecrets(isFirst && !wasResent ? result : asRepeat(result), secrets)
  return { outcome: outcome as Outcomes[Name], differs: differsFrom(input.money, outcome) }
}
