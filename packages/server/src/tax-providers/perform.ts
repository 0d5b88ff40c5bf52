/**
 * Makes the calls that a tax provider describes, and determines what they prove. The core owns socket, time and log. A
 * response that the provider cannot interpret is unknown, and so is a call without a response: it is repeated.
 */
import type { Mode } from '../kernel/id.ts'
import type { TaxDocument, TaxInput, TaxQuote, TaxRecord, TaxReversal } from '../kernel/tax-quotes.ts'
import type { Log } from '../platform/log.ts'
import { redactSecrets, secretsIn } from '../providers/call-record.ts'
import type { Fault, HttpReply, Sender } from '../providers/contract.ts'
import { resultOf } from '../providers/evidence.ts'
import type {
  CheckOutcome,
  LinesInput,
  QuoteOutcome,
  RecordOutcome,
  TaxConfig,
  TaxFailure,
  TaxProvider,
  TaxStep,
} from './contract.ts'

/** A configured provider with its decrypted settings. */
export type TaxAccount = {
  /** Calls of the same account share connections. */
  readonly id: string
  readonly mode: Mode
  readonly provider: TaxProvider
  readonly config: TaxConfig
}

export type Quoted = { readonly is: 'quoted'; readonly quote: TaxQuote } | TaxFailure
export type Recorded = { readonly is: 'recorded'; readonly record: TaxRecord } | TaxFailure

type PerformDeps = { readonly sender: Sender; readonly log: Log; readonly now: () => Date }

const timeoutMs = 20_000
const maxResponseBytes = 1024 * 1024

export async function quoteTax(deps: PerformDeps, account: TaxAccount, input: TaxInput): Promise<Quoted> {
  const { quote, lines } = account.provider
  const taxDate = deps.now().toISOString().slice(0, 10)
  const first: QuoteOutcome = await call(deps, account, quote, { input })
  const outcome =
    first.is === 'incomplete' && lines !== undefined
      ? await call(deps, account, lines.quote, {
          incomplete: first,
          document: { input },
        } satisfies LinesInput)
      : first
  if (outcome.is === 'incomplete') return tooLong
  return outcome.is === 'quoted' ? { is: 'quoted', quote: { ...outcome.quote, taxDate } } : outcome
}

export async function commitTax(
  deps: PerformDeps,
  account: TaxAccount,
  document: TaxDocument,
): Promise<Recorded> {
  const { commit, lines } = account.provider
  const first: RecordOutcome = await call(deps, account, commit, document)
  const outcome =
    first.is === 'incomplete' && lines !== undefined
      ? await call(deps, account, lines.record, { incomplete: first, document } satisfies LinesInput)
      : first
  return outcome.is === 'incomplete' ? tooLong : outcome
}

export async function reverseTax(
  deps: PerformDeps,
  account: TaxAccount,
  reversal: TaxReversal,
): Promise<Recorded> {
  const outcome: RecordOutcome = await call(deps, account, account.provider.reverse, reversal)
  return outcome.is === 'incomplete' ? tooLong : outcome
}

/** `fault` is one sentence without secrets, or null. */
export async function checkTaxAccount(deps: PerformDeps, account: TaxAccount): Promise<CheckOutcome> {
  const { name, check } = account.provider
  const outcome: CheckOutcome | TaxFailure = await call(deps, account, check, null)
  if ('is' in outcome) return { fault: `${name} could not be reached: ${outcome.fault.message}` }
  return outcome.fault === null ? outcome : { fault: `${name} ${outcome.fault}` }
}

async function call<In, Out>(
  deps: PerformDeps,
  { id, mode, provider, config }: TaxAccount,
  step: TaxStep<In, Out>,
  input: In,
): Promise<Out | TaxFailure> {
  const reply = await deps.sender.send({
    ...step.build(input, { config, mode, now: deps.now() }),
    mode,
    pool: `${id} tax`,
    timeoutMs,
    connectMs: 3_000,
    maxResponseBytes,
    maxConnections: 16,
    // Each step can be repeated: quotes record nothing, and records have a unique reference.
    allowResend: true,
  })
  const result = resultOf(reply)
  if (result.is !== 'answer') return failure('unknown', result.fault)
  return redactSecrets(
    parseReply(deps.log, provider, step, { reply: result.reply, input }),
    secretsIn(null, config),
  )
}

function parseReply<In, Out>(
  log: Log,
  { id }: TaxProvider,
  step: TaxStep<In, Out>,
  { reply, input }: { readonly reply: HttpReply; readonly input: In },
): Out | TaxFailure {
  try {
    return step.parse(reply, input)
  } catch (error) {
    // The message of the error is not logged, because it may quote the response.
    const code = error instanceof Error ? error.name : 'unknown'
    log.warn('The response of a tax provider could not be parsed.', {
      operation: id,
      status: reply.status,
      code,
    })
    return failure('unknown', { code: 'answer_unreadable', message: 'The response could not be parsed.' })
  }
}

function failure(is: TaxFailure['is'], fault: Fault): TaxFailure {
  return { is, fault }
}

const tooLong = failure('rejected', {
  code: 'too_many_lines',
  message: 'The invoice has more lines than the tax provider returns in one response.',
})
